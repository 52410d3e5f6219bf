//! The words in which a finding speaks of a load: names of options, and the advice that depends on what can be typed.
//!
//! The rules are about method; only their words differ between a job file and a command line. The defaults here are those of ioproof's own flags
//! ([`Flags`]); another language overrides what it says otherwise. Advice is a clause that begins with a verb and has no full stop.

use crate::units::binary_size;
use std::fmt::Display;

/// An option that titles and advice name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Directions and order: `--rw`.
    Pattern,
    /// Size of an I/O: `--bs`.
    Block,
    /// Queue depth of each worker: `--depth`.
    Depth,
    /// Number of workers: `--workers`.
    Workers,
    /// The way I/O is handed to the kernel: `--backend`.
    Backend,
    /// Time of a run: `--time`.
    Runtime,
}

/// Content of writes that can be shrunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Zeros,
    /// One pattern over and over.
    Pattern,
    /// A few buffers in turn.
    Buffers,
}

/// Phrases that stand by themselves.
#[derive(Debug)]
pub struct Phrases {
    pub load: &'static str,
    /// A thread or process of a load.
    pub worker: &'static str,
    /// The way past the page cache.
    pub direct: &'static str,
    /// The request for direct I/O, as a condition.
    pub is_direct: &'static str,
    /// That which reads all into the page cache first.
    pub fills_cache: &'static str,
    /// That which leaves the content of the page cache as it was.
    pub keeps_cache: &'static str,
    /// The way to make parts that overlap lie apart.
    pub wider_parts: &'static str,
    /// The way to use all of a target.
    pub whole_target: &'static str,
    /// The way to write data that do not compress.
    pub incompressible: &'static str,
    /// The way to write data that do not repeat.
    pub no_duplicates: &'static str,
    /// The request for the same offsets in every run.
    pub same_offsets: &'static str,
    /// The way to other offsets in every run.
    pub other_offsets: &'static str,
    pub end_sync: &'static str,
    /// That which makes a load last for all of its time.
    pub fills_runtime: &'static str,
    /// The way to make a load last for all of its time.
    pub fill_runtime: &'static str,
    /// The way to do more I/O where an amount ends a load.
    pub more_io: &'static str,
    pub averaged_logs: &'static str,
    /// The ramp that is missing, in brackets.
    pub no_ramp: &'static str,
    /// The way to leave the beginning out.
    pub ramp: &'static str,
    /// The way out of pauses beside a rate.
    pub pause_or_rate: &'static str,
    /// That which lets blocks repeat within a pass.
    pub repeating_blocks: &'static str,
    /// The way to write all of a file or device before it is read.
    pub write_first: &'static str,
    /// The way to write blocks between a load that trims and one that reads.
    pub write_between: &'static str,
}

impl Phrases {
    /// Of ioproof's own flags.
    const OF_FLAGS: Self = Self {
        load: "load",
        worker: "worker",
        direct: "use a file or a device that takes O_DIRECT",
        is_direct: "O_DIRECT",
        fills_cache: "reading it beforehand",
        keeps_cache: "a cache that is not dropped",
        wider_parts: "make the parts so small that they lie behind one another",
        whole_target: "--size 100%",
        incompressible: "leave out --compressible",
        no_duplicates: "leave out --duplicates",
        same_offsets: "--seed",
        other_offsets: "leave out --seed",
        end_sync: "set --end-fsync",
        fills_runtime: "a time that it is to last",
        fill_runtime: "leave out --bytes and --ios",
        more_io: "more with --ios, --bytes or a longer --time",
        averaged_logs: "keep averages in place of each I/O",
        no_ramp: "",
        ramp: "write for a while before what is measured",
        pause_or_rate: "keep one of the two",
        repeating_blocks: "--distribution free",
        write_first: "write all of it first (--overwrite FILE or --destroy SERIAL does)",
        write_between: "write the blocks between the two",
    };
}

/// The vocabulary of those who asked for the load.
pub trait Words {
    fn phrases(&self) -> &'static Phrases {
        &Phrases::OF_FLAGS
    }

    /// Name of an option.
    fn setting(&self, setting: Setting) -> &'static str {
        match setting {
            Setting::Pattern => "--rw",
            Setting::Block => "--bs",
            Setting::Depth => "--depth",
            Setting::Workers => "--workers",
            Setting::Backend => "--backend",
            Setting::Runtime => "--time",
        }
    }

    /// The option with a value, as it is typed.
    fn with(&self, setting: Setting, value: &dyn Display) -> String {
        format!("{} {value}", self.setting(setting))
    }

    /// Bytes as they are typed.
    fn size(&self, bytes: u64) -> String {
        binary_size(bytes)
    }

    /// Backends that keep a queue.
    fn queueing_backend(&self) -> String {
        format!("{} or libaio", self.with(Setting::Backend, &"io_uring"))
    }

    /// The way to give each of so many workers a part of its own.
    fn own_parts(&self, workers: u64) -> String {
        let _ = workers;
        "give each worker a part of its own with --worker-span".into()
    }

    /// The way to write data that nothing can shrink.
    fn fresh_data(&self, instead_of: Content) -> &'static str {
        let _ = instead_of;
        "set --data fresh"
    }

    /// The reason for buffers that are written unchanged, in brackets, or that a few bytes of them are changed.
    fn buffers_reused(&self, changed: bool) -> &'static str {
        if changed { "and only a few bytes of it are changed" } else { "unchanged" }
    }

    /// The option of a sync after every so many writes.
    fn sync_every(&self, fdatasync: bool, every: u32) -> String {
        format!("--sync {}:{every}", if fdatasync { "fdatasync" } else { "fsync" })
    }

    /// The way to so many runs that are each longer than this time.
    fn longer_runs(&self, ns: u64, repeats: u32) -> String {
        // A fifth of a run is ramp, and a third of all time may go into filling.
        let all_s = (ns as f64 / 1e9 * f64::from(repeats.max(1)) * 2.0).ceil();
        let fewer = if repeats > 1 { " for each workload, or fewer runs (--runs 1)" } else { "" };
        format!("give {} or more{fewer}, or a faster pace", self.with(Setting::Runtime, &format!("{all_s}s")))
    }

    /// A pause of so many microseconds.
    fn pause(&self, us: u64) -> String {
        format!("--think {us}us")
    }

    /// The way to run a load and those after it alone.
    fn alone(&self, name: &str) -> String {
        format!("run {name} and all after it by themselves")
    }
}

/// ioproof's own flags.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flags;

impl Words for Flags {}
