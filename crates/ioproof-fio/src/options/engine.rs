//! The I/O engine and its queue.

use super::kind::{COUNT, MOST, ValueKind};
use super::row::{OptionRow, approximated, flag, honoured, ignored, no_effect, put, put_some, refused_unless_off, refused_with};
use super::value::OptionValue;
use crate::settings::{EngineName, EngineSettings, JobSettings, PrioritySplit, StatCall};
use crate::values::{ValueContext, size};
use ioproof_core::shape::DataCommand;

const URING: &[&str] = &["io_uring", "io_uring_cmd"];
const PRIORITIES: &[&str] = &["libaio", "io_uring", "io_uring_cmd"];

pub(super) const ENGINE: &[OptionRow] = &[
    approximated(
        "ioengine",
        ValueKind::Form(
            "psync, sync, vsync, pvsync, pvsync2, libaio, io_uring, io_uring_cmd, spdk, posixaio, mmap, null, sg, falloc, ftruncate, filecreate, filestat or filedelete",
        ),
        set_engine,
    )
    .differs("sync, vsync and pvsync use pread and pwrite as psync does; engines that go to no local file or device are refused")
    .says("How I/O is done; `psync` by default. spdk is ioproof's own driver: the drive is taken by `ioproof device bind`, and named as with SPDK's engine, \
         `trtype=PCIe traddr=0000.04.00.0 ns=1`. sg sends SCSI commands to a whole disk by its block device (/dev/sda), one at a time; trims and flushes are the kernel's. falloc calls fallocate(2) on ordinary files: reads set space aside and keep the length, writes extend, trims punch \
         holes, and all of them take permission to write. ftruncate takes writes only and cuts the file at the offset of each. filecreate, filestat and filedelete make, look up and remove each file of a job once a \
         pass, in a folder that is held open; bs must be the size of a file, for fio counts an operation of each bs of a file that is made but once. filecreate makes new \
         files only: those of an earlier run are removed first, and others take --overwrite.")
    .only_when(|s| matches!(s.engine.name, EngineName::Sync | EngineName::Vsync | EngineName::Pvsync)),
    flag("hipri", |s| &mut s.engine.polled)
        .says("Completions are polled for; it needs direct=1 and a drive with queues for polling.")
        .for_engines(&["pvsync2", "io_uring", "io_uring_cmd"]),
    refused_with("hipri_percentage", ValueKind::Whole(0, 100), |_, v| v.only("100"))
        .why("all I/Os are polled for or none; use hipri")
        .says("Share of the I/Os that are polled for, percent; 100 by default.")
        .for_engines(&["pvsync2"]),
    ignored("fixedbufs", ValueKind::Flag, "0")
        .differs("buffers are always registered where the kernel can; without it they are too")
        .says("Buffers are registered with the kernel once.")
        .for_engines(URING),
    ignored("registerfiles", ValueKind::Flag, "0")
        .differs("files are always registered where the kernel can do it, with or without this option")
        .says("Files are registered with the kernel once.")
        .for_engines(URING),
    flag("sqthread_poll", |s| &mut s.engine.kernel_thread).says("A thread of the kernel looks for I/O to submit.").for_engines(URING),
    ignored("sqthread_poll_cpu", COUNT, "")
        .differs("the kernel chooses where that thread stands")
        .says("The CPU on which that thread stands.")
        .for_engines(URING),
    no_effect("nonvectored", ValueKind::Whole(-1, 1), "reads and writes never bear vectors, as with its default on any kernel since 5.6")
        .says("Reads and writes without vectors; by default where the kernel can.")
        .for_engines(URING),
    refused_unless_off("uncached", COUNT, "I/O through the page cache that leaves nothing in it is not supported; use direct=1")
        .says("Through the page cache, leaving nothing in it; 0 by default.")
        .for_engines(&["pvsync2", "io_uring", "io_uring_cmd"]),
    refused_unless_off("nowait", ValueKind::Bool, "I/O that fails where it would have to wait is not supported; leave it out")
        .says("I/O fails where it would have to wait; 0 by default.")
        .for_engines(&["pvsync2", "libaio", "io_uring", "io_uring_cmd"]),
    ignored("force_async", COUNT, "0")
        .differs("the kernel itself decides which I/Os its threads do")
        .says("Every Nth I/O is handed to a thread of the kernel at once; 0, none, by default.")
        .for_engines(URING),
    no_effect("cmd_type", ValueKind::Word(&["nvme"]), "there is but one kind, and io_uring_cmd sends it")
        .says("The kind of command; `nvme` by default. The drive is /dev/ng0n1; its block device /dev/nvme0n1 means the same.")
        .for_engines(URING),
    honoured("write_mode", ValueKind::Word(&["write", "zeroes", "verify", "uncor"]), |s, v| {
        s.engine.write_command = match v.text()? {
            "zeroes" => DataCommand::WriteZeroes,
            "verify" => DataCommand::Verify,
            "uncor" => return Err("blocks that nobody can read are not left on a drive; zeroes and verify are there".into()),
            _ => DataCommand::Transfer,
        };
        Ok(())
    })
        .says("The command of a write; `write` by default. zeroes sends Write Zeroes. verify sends Verify: the drive reads its blocks, and nothing changes. Both take permission to write. \
             The same job cannot verify what they leave; a second job can. uncor (Write Uncorrectable) is refused.")
        .for_engines(&["io_uring_cmd"]),
    honoured("verify_mode", ValueKind::Word(&["read", "compare"]), |s, v| put(&mut s.engine.compares, v.text().map(|word| word == "compare")))
        .says("The command that verifies data; `read` by default. compare sends Compare: the drive gets the pattern, and compares. It needs verify=pattern without `%o`. The pattern's length \
             must divide the block size. The job must write or read, not both.")
        .for_engines(&["io_uring_cmd"]),
    no_effect("userspace_reap", ValueKind::Flag, "completions are always taken from the ring in memory where the kernel has one")
        .says("Completions are taken without a system call.")
        .for_engines(&["libaio"]),
    honoured("cmdprio_percentage", ValueKind::Wholes(0, 100), |s, v| put(&mut s.engine.priorities.percent, two(v, 0)))
        .says("Share of the I/Os that have a priority of their own, percent; 0 by default. Their latency is shown apart. That a drive heeds it takes direct=1, a drive \
         and a scheduler that know priorities, and rights for the class real time.")
        .for_engines(PRIORITIES),
    honoured("cmdprio_class", ValueKind::Wholes(1, 3), |s, v| put(&mut s.engine.priorities.class, two(v, 0).map(|both| both.map(|class| (class > 0).then_some(class)))))
        .says("Class of priority of such I/Os: 1 real time, the default, 2 best effort, 3 idle.")
        .for_engines(PRIORITIES),
    honoured("cmdprio", ValueKind::Wholes(0, 7), |s, v| put(&mut s.engine.priorities.level, two(v, 0)))
        .says("Priority of such I/Os within their class; 0 by default.")
        .for_engines(PRIORITIES),
    honoured("cmdprio_bssplit", ValueKind::Text, |s, v| put(&mut s.engine.priorities.splits, priority_splits(v.text()?, v.context)))
        .says("Shares of I/Os with a priority of their own by size: size/percent, or size/percent/class/level, between colons; reads, then writes behind a comma.")
        .for_engines(PRIORITIES),
    honoured("stat_type", ValueKind::Word(&["stat", "lstat", "statx"]), |s, v| {
        s.engine.stat = match v.text()? {
            "lstat" => StatCall::Lstat,
            "statx" => StatCall::Statx,
            _ => StatCall::Stat,
        };
        Ok(())
    })
        .says("The call that looks a file up; `stat` by default.")
        .for_engines(&["filestat"]),
    refused_unless_off("readfua", ValueKind::Bool, "reads with FUA are not supported; leave it out")
        .says("Reads bear the flag FUA; 0 by default.")
        .for_engines(&["sg"]),
    refused_unless_off("writefua", ValueKind::Bool, "set sync=dsync, with which writes bear the flag FUA")
        .says("Writes bear the flag FUA; 0 by default.")
        .for_engines(&["sg"]),
    refused_with("sg_write_mode", ValueKind::Word(&["write", "verify", "write_and_verify", "verify_bytchk_00", "verify_bytchk_01", "verify_bytchk_11", "same", "write_same", "write_same_ndob", "write_stream"]), |_, v| v.only("write"))
        .why("writes are WRITE commands; leave it out")
        .says("The command of a write; `write` by default.")
        .for_engines(&["sg"]),
    refused_unless_off("stream_id", COUNT, "writes to a stream are not supported; leave it out")
        .says("The stream of writes; 0, none, by default.")
        .for_engines(&["sg"]),
    refused_unless_off("thp", ValueKind::Whole(0, MOST), "mapped files are not advised to be in huge pages; leave it out")
        .says("Whether mapped files are advised to be in huge pages; 0 by default.")
        .for_engines(&["mmap"]),
];

/// Values for reads and for writes.
fn two(value: &OptionValue<'_>, usual: u8) -> Result<[u8; 2], String> {
    let both = value.wholes::<u8>()?;
    Ok([both.read.unwrap_or(usual), both.write.unwrap_or(usual)])
}

/// `4k/20:64k/60/2/4,8k/100`.
fn priority_splits(text: &str, context: &ValueContext) -> Result<[Vec<PrioritySplit>; 2], String> {
    let list = |text: &str| {
        text.split(':').filter(|part| !part.trim().is_empty()).map(|part| priority_split(part, context)).collect::<Result<Vec<_>, _>>()
    };
    match text.split(',').collect::<Vec<_>>().as_slice() {
        [all] => list(all).map(|all| [all.clone(), all]),
        // What trims have is not used, in fio neither.
        [read, write] | [read, write, _] => Ok([list(read)?, list(write)?]),
        more => Err(format!("two lists are expected, for reads and writes, and here are {}", more.len())),
    }
}

fn priority_split(part: &str, context: &ValueContext) -> Result<PrioritySplit, String> {
    let wrong = || format!("{part:?}: size/percent or size/percent/class/level is expected");
    let within = |text: &str, least: u8, most: u8| text.trim().parse().ok().filter(|n| (least..=most).contains(n)).ok_or_else(wrong);
    let (bytes, percent, own) = match part.split('/').collect::<Vec<_>>().as_slice() {
        [bytes, percent] => (*bytes, within(percent, 0, 100)?, None),
        [bytes, percent, class, level] => (*bytes, within(percent, 0, 100)?, Some((within(class, 1, 3)?, within(level, 0, 7)?))),
        _ => return Err(wrong()),
    };
    Ok(PrioritySplit { bytes: size(bytes.trim(), context)?, percent, own })
}

/// Engines of fio that are not there, of this version and of later ones, by the reason.
#[rustfmt::skip]
const OTHERS: &[(&str, &[&str])] = &[
    ("goes to another machine or past the kernel", &[
        "dfs", "gfapi", "gfapi_async", "http", "ime_aio", "ime_psync", "ime_psyncv", "libblkio", "libcufile", "libhdfs", "libiscsi", "nbd", "net",
        "netsplice", "nfs", "rados", "rbd", "rdma", "spdk_bdev", "xnvme",
    ]),
    ("works on directories, or on the places of files, and moves no data", &[
        "dircreate", "dirdelete", "dirstat", "e4defrag",
    ]),
    ("goes to memory, to flash without a controller, or past the block layer", &["dev-dax", "libpmem", "libzbc", "mtd", "page_fault", "pmemblk"]),
    ("does no I/O", &["cpuio", "exec"]),
    ("has no counterpart here", &["cpp_null", "external", "solarisaio", "splice", "windowsaio"]),
];

fn set_engine(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let text = value.text()?;
    let word = text.split(':').next().unwrap_or(text);
    let known = EngineName::ALL.iter().find(|(name, _)| *name == word).map(|(_, engine)| *engine);
    let Some(engine) = known.or(matches!(word, "aio" | "linuxaio").then_some(EngineName::Libaio)) else {
        return Err(unknown_engine(word));
    };
    if settings.engine.name != engine {
        settings.engine = EngineSettings::named(engine);
    }
    Ok(())
}

fn unknown_engine(word: &str) -> String {
    let list: Vec<_> = EngineName::ALL.iter().map(|(name, _)| *name).collect();
    let list = list.join(", ");
    if let Some((why, _)) = OTHERS.iter().find(|(_, words)| words.contains(&word)) {
        return format!("the engine {word} {why}; {list} are available");
    }
    format!("{word} is no engine; {list} are")
}

pub(super) const QUEUE: &[OptionRow] = &[
    honoured("iodepth", ValueKind::Whole(1, MOST), |s, v| put(&mut s.submission.depth, v.whole_as()))
        .says("I/Os that are kept outstanding by each clone; 1 by default. Engines of which a call is an I/O keep one. The report's `IO depths`, `submit` and \
         `complete` say what was handed over and taken at once: all that had come, where fio takes one at a time and refills."),
    honoured("iodepth_batch", COUNT, |s, v| put(&mut s.submission.batch, v.whole_as()))
        .says("I/Os that are handed over in one call, 0 as many as there is room for. 1, the default, leaves it to ioproof: as many as there is room for, mostly up to 8; \
         with iodepth_low or iodepth_batch_complete_min it is 1.")
        .or(&["iodepth_batch_submit"]),
    approximated("iodepth_batch_complete_min", COUNT, |s, v| put(&mut s.submission.complete_min, v.whole_as()))
        .differs("the queue is filled again when this many have come, but each is taken and timed when it comes, not when the last of them has, so that latencies are shorter; 0 is as 1")
        .says("Completions that are waited for; 1 by default, 0 looks without waiting.")
        .or(&["iodepth_batch_complete"]),
    ignored("iodepth_batch_complete_max", COUNT, "")
        .differs("completions are taken as they come, however many that are")
        .says("The most completions that are taken at once; by default as many as the least."),
    honoured("iodepth_low", COUNT, |s, v| put_some(&mut s.submission.low, v.whole_as()))
        .says("The depth below which the queue is filled again; iodepth by default."),
    ignored("serialize_overlap", ValueKind::Bool, "0")
        .differs("I/Os of one clone to the same blocks are never under way at once where each block comes once a pass; with norandommap they may")
        .says("I/Os that overlap wait for each other; 0 by default."),
    approximated("io_submit_mode", ValueKind::Word(&["inline", "offload"]), |s, v| put(&mut s.submission.offload, v.text().map(|text| text == "offload")))
        .differs("I/O is submitted by the job's own thread, so slat and lat hold no handing over to another; a submission that blocks delays the next, and with a rate \
         lat counts from when an I/O starts, unless rate_process=poisson, with which it counts from when the I/O was due; one I/O at a time by a synchronous engine, and more are refused")
        .says("Which thread submits; `inline` by default."),
];
