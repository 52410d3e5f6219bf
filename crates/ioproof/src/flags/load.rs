//! The flags that describe a load, the same under every verb that makes one, and what becomes of them: workloads, and where workers stand.
//!
//! Each kind of value has a file of its own in `load/` that reads it. `workloads` puts the values together; what makes no sense together is refused here as
//! far as the command line alone shows it, the rest by the engine.

mod blocks;
mod data;
mod durability;
mod growth;
mod mix;
mod number;
mod order;
mod pace;
mod pin;
mod refusals;
#[cfg(test)]
mod testing;
mod usual;
mod workloads;

#[cfg(test)]
pub use testing::parsed;

use super::sizes::read_bytes;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ioproof_core::job::{Recording, Until};
use ioproof_core::shape::{Fill, Growth, Order, Think};
use ioproof_core::workload::Durability;
use ioproof_engine::BackendChoice;
use ioproof_session::request::LatencyTarget;

use blocks::BlockSizes;
use mix::MixFlag;
use pin::PinFlag;

/// Reads the name of a backend.
fn backends() -> impl TypedValueParser<Value = BackendChoice> {
    PossibleValuesParser::new(BackendChoice::all().map(BackendChoice::name)).try_map(|name| name.parse::<BackendChoice>())
}

/// Flags of a load that is run instead of the usual workloads, and of the backend.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Load (with --rw)")]
pub struct LoadFlags {
    /// Run only these: read, write, trim, randread, randwrite, randtrim, rw:70, randrw:70 (per cent of reads), rw:70:10 (of reads and trims)
    #[arg(long, alias = "readwrite", value_name = "LIST", value_delimiter = ',', value_parser = mix::read)]
    pub rw: Vec<MixFlag>,
    /// Block sizes, each of them one or a mixture: 4KiB,16KiB or 4KiB:60/16KiB:40 in per cent  [default: 4KiB at random, 128KiB in sequence]
    #[arg(long, alias = "blocksize", value_name = "LIST", value_delimiter = ',', value_parser = blocks::read)]
    pub bs: Vec<BlockSizes>,
    /// Queue depths per worker  [default: 32]
    #[arg(long, aliases = ["iodepth", "queue-depth", "qd"], value_name = "LIST", value_delimiter = ',', value_parser = number::up_to(4096))]
    pub depth: Vec<u32>,
    /// Workers  [default: 4]
    #[arg(long, aliases = ["numjobs", "jobs"], value_name = "LIST", value_delimiter = ',', value_parser = number::up_to(1024))]
    pub workers: Vec<u32>,
    /// Which blocks random I/O goes to: once (every block once a pass), free, zipf:1.2, pareto:0.2, normal:0.1, zoned:60/10:40/90  [default: once]
    #[arg(long, value_name = "NAME", value_parser = order::read)]
    pub distribution: Option<Order>,
    /// From the start of one sequential I/O to the start of the next  [default: the block size]
    #[arg(long, value_name = "SIZE", value_parser = order::stride)]
    pub stride: Option<Order>,
    /// Each worker works on a part of its own of this size, one part behind the other  [default: all on the whole span]
    #[arg(long, value_name = "SIZE", value_parser = some_blocks)]
    pub worker_span: Option<u64>,
    /// Syncs that make writes durable: none, fdatasync, fsync, fdatasync:N, fsync:N, range:N (every N writes), fsync-all:N (of each file after N
    /// I/Os), dsync, sync, fua (NVMe's own command, on a whole namespace, with psync)  [default: none]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = durability::read)]
    pub sync: Vec<Durability>,
    /// Blocks that are written: existing; or of a scratch file append (it grows), append-reserved (within reserved space), reserved (never written before)
    /// [default: existing]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = growth::read)]
    pub write_to: Vec<Growth>,
    /// I/O goes to so many scratch files at random, which share --size  [default: 1]
    #[arg(long, value_name = "N", value_parser = number::up_to(1024))]
    pub files: Option<u32>,
    /// Through the page cache, as programs do that do not ask for direct I/O
    #[arg(long)]
    pub buffered: bool,
    /// Each worker ends a run of writes with an fsync, which is timed as a sync
    #[arg(long)]
    pub end_fsync: bool,
    /// Open loop: so many I/Os per second over all workers at even distances, whether or not earlier ones have come back
    #[arg(long, value_name = "N", value_parser = number::count, conflicts_with_all = ["poisson", "latency_target"])]
    pub rate: Option<u64>,
    /// Open loop at random distances: so many I/Os per second over all workers on average
    #[arg(long, value_name = "N", value_parser = number::count, conflicts_with = "latency_target")]
    pub poisson: Option<u64>,
    /// Search for the highest rate at which a latency is kept: p99.9:1ms
    #[arg(long, value_name = "WHICH:TIME", value_parser = pace::target)]
    pub latency_target: Option<LatencyTarget>,
    /// At most so many reads per second over all workers; in a mix, writes that are due go on meanwhile, each at its own limit
    #[arg(long, value_name = "N", value_parser = number::count)]
    pub max_read_iops: Option<u64>,
    /// At most so many writes and trims per second over all workers
    #[arg(long, value_name = "N", value_parser = number::count)]
    pub max_write_iops: Option<u64>,
    /// At most so many bytes read per second over all workers: 100MB
    #[arg(long, value_name = "SIZE", value_parser = some_bytes)]
    pub max_read_rate: Option<u64>,
    /// At most so many bytes written or trimmed per second over all workers: 100MB
    #[arg(long, value_name = "SIZE", value_parser = some_bytes)]
    pub max_write_rate: Option<u64>,
    /// A worker pauses for so long after each I/O, or after every N: 100us, 1ms:16
    #[arg(long, value_name = "TIME[:N]", value_parser = pace::think)]
    pub think: Option<Think>,
    /// Content of writes: random, fresh (made anew for every write), zero, pattern:HEX  [default: random]
    #[arg(long, value_name = "WHAT", value_parser = data::read)]
    pub data: Option<Fill>,
    /// Share of what is written that a compressor can remove, 0 to 99
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=99))]
    pub compressible: Option<u8>,
    /// Share of the written blocks that equal another one, 0 to 99
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=99))]
    pub duplicates: Option<u8>,
    /// Write with headers, read everything back afterwards and check it: corrupt, misplaced, stale and torn data is told
    #[arg(long)]
    pub check: bool,
    /// Each worker ends a run after so many I/Os, not after a time
    #[arg(long, value_name = "N", value_parser = number::count, conflicts_with_all = ["bytes", "latency_target"])]
    pub ios: Option<u64>,
    /// Each worker ends a run after so many bytes, however long that takes, also beyond --time
    #[arg(long, value_name = "SIZE", value_parser = some_bytes, conflicts_with = "latency_target")]
    pub bytes: Option<u64>,
    /// Backends that do the I/O, several where workloads are named (--rw) or swept, which each of them runs; psync, pvsync2 and mmap make queue depth out of threads  [null does none at all and shows what the generator itself can do]
    #[arg(long, alias = "ioengine", value_name = "LIST", value_delimiter = ',', default_value = BackendChoice::AUTO.name(), value_parser = backends(), help_heading = ENGINE)]
    pub backend: Vec<BackendChoice>,
    /// Wait for completions by polling the device (io_uring's IOPOLL, RWF_HIPRI)
    #[arg(long, help_heading = ENGINE)]
    pub polled: bool,
    /// A kernel thread submits (io_uring's SQPOLL)
    #[arg(long, help_heading = ENGINE)]
    pub kernel_submits: bool,
    /// CPUs that workers are bound to in turn: 0,2,4-7; own, for one CPU each; or nodes, for all CPUs of one NUMA node after the other
    #[arg(long, value_name = "LIST", value_parser = pin::read, help_heading = ENGINE)]
    pub pin: Option<PinFlag>,
    /// Buffers lie in huge pages, where the kernel has any
    #[arg(long, help_heading = ENGINE)]
    pub huge_pages: bool,
    /// Also split latency into submission (until the kernel has accepted) and completion; costs a system call a batch
    #[arg(long, help_heading = ENGINE)]
    pub split_latency: bool,
    /// Time no I/O at all, to find out what timing costs
    #[arg(long, help_heading = ENGINE, hide = true, conflicts_with_all = ["split_latency", "latency_target"])]
    pub no_latency: bool,
}

/// The heading of the flags that hold for the usual workloads too.
const ENGINE: &str = "Engine";

impl LoadFlags {
    /// The backends, each once.
    pub fn backends(&self) -> Vec<BackendChoice> {
        let is_first = |(at, choice): &(usize, &BackendChoice)| !self.backend[..*at].contains(choice);
        self.backend.iter().enumerate().filter(is_first).map(|(_, choice)| *choice).collect()
    }

    /// True where no I/O is done at all.
    pub fn is_null(&self) -> bool {
        self.backend.iter().all(|choice| !choice.moves_data())
    }

    /// Recording of the load.
    pub fn recording(&self) -> Recording {
        Recording { latency: !self.no_latency, split: self.split_latency, ..Recording::default() }
    }

    /// When a run ends, other than after its time.
    pub fn until(&self) -> Option<Until> {
        self.ios.map(Until::Ios).or(self.bytes.map(Until::Bytes))
    }
}

fn some_bytes(text: &str) -> Result<u64, String> {
    match read_bytes(text)? {
        0 => Err("a size of 0 bytes".into()),
        bytes => Ok(bytes),
    }
}

fn some_blocks(text: &str) -> Result<u64, String> {
    match some_bytes(text)? {
        bytes if bytes.is_multiple_of(4096) => Ok(bytes),
        _ => Err(format!("`{text}` is no multiple of 4 KiB")),
    }
}
