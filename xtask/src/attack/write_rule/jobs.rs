//! Job files and fio's command line that would write to a place, cut it, or remove it.

use super::{Place, Trespass, consent};
use crate::attack::attempt::Attempt;
use crate::program::Call;
use anyhow::Result;

const WRITES: &str = "write | randwrite | rw | randrw | readwrite | randwrite:8 | write:4k";

/// Options of a job that writes, each an argument for the program to look elsewhere.
const EXTRAS: &str = "
     | overwrite=1 | unlink=1 | create_on_open=1 | file_append=1 | fallocate=none | fallocate=posix | fallocate=truncate |
    fallocate=keep | filesize=4k | filesize=4k:64k | verify=crc32c | verify=md5 do_verify=0 | verify_only=1 verify=crc32c |
    allow_mounted_write=1 | create_serialize=0 | nrfiles=4 | numjobs=3 | offset=4k | size=100% | size=1m | io_size=4m |
    direct=1 | ioengine=mmap | ioengine=libaio direct=1 iodepth=4 | ioengine=io_uring iodepth=4 | fdatasync=1 |
    zero_buffers=1 | end_fsync=1 | refill_buffers=1 buffer_compress_percentage=50 | time_based=1 runtime=1 |
    loops=2 unlink_each_loop=1 | unlink=1 unlink_each_loop=1 | fill_device=1 | pre_read=1 | rwmixread=99 | exec_prerun=rm |
    allow_file_create=0";

/// Options of a job that only reads, after which everything must be there all the same.
const READS: &str = "
    unlink=1 | unlink=1 loops=2 unlink_each_loop=1 | unlink=1 create_only=1 | create_only=1 overwrite=1 |
    create_only=1 fallocate=truncate filesize=4k | create_only=1 size=4k | file_append=1 | overwrite=1 | verify=crc32c |
    create_on_open=1 unlink=1 | write_hint=short | exec_postrun=rm | size=64m | filesize=64m";

/// The place among others: alone, behind a file that may be made, in a folder of its own.
const NEIGHBOURS: &str = " |  |  | fresh: | other:";

pub fn trespass(attempt: &mut Attempt, place: &Place, name: &str) -> Result<Trespass> {
    let consent = consent(attempt, place, true);
    let reads = attempt.random.once_in(4);
    let (rw, extra) = match reads {
        true => (attempt.random.word(&["read", "randread"]), attempt.random.item(READS)),
        false => (attempt.random.item(WRITES), attempt.random.item(EXTRAS)),
    };
    let neighbour = if reads { "" } else { attempt.random.item(NEIGHBOURS) };
    // That file would have its consent.
    let neighbour = if consent.iter().any(|word| word == "other") { "" } else { neighbour };
    let trims = place.is_device && !reads && attempt.random.once_in(4);
    let rw = if trims { attempt.random.word(&["trim", "randtrim"]) } else { rw };
    let mut options = vec![format!("rw={rw}"), format!("filename={neighbour}{}", name.replace(':', "\\:"))];
    options.extend(["bs=4k", "number_ios=4"].map(str::to_owned));
    options.extend((!extra.contains("size=")).then(|| "size=64k".to_owned()));
    options.extend(extra.split_whitespace().map(str::to_owned));
    let is_dry = attempt.random.once_in(16);
    let call = call(attempt, &options)?.and(consent).and(is_dry.then_some("--dry-run"));
    // Of what only reads, all that counts is what is there afterwards.
    let statuses: &[i32] = if reads || extra.contains("verify_only") { &[0, 1, 2] } else { &[2] };
    Ok(Trespass { call, statuses })
}

fn call(attempt: &mut Attempt, options: &[String]) -> Result<Call> {
    let job = match attempt.random.below(3) {
        0 => return Ok(Call::new(["run", "--name=a"]).and(options.iter().map(|option| format!("--{option}")))),
        1 => format!("[a]\n{}\n", options.join("\n")),
        _ => {
            std::fs::write(attempt.work("below.fio"), options.join("\n"))?;
            "[global]\ninclude below.fio\n[a]\n[b]\nstonewall\n".to_owned()
        }
    };
    std::fs::write(attempt.work("job.fio"), job)?;
    Ok(Call::new(["run", "job.fio"]))
}
