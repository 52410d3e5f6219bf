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

/// The vocabulary of those who asked for the load.
pub trait Words {
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

    fn load(&self) -> &'static str {
        "load"
    }

    /// A thread or process of a load.
    fn worker(&self) -> &'static str {
        "worker"
    }

    /// The way past the page cache.
    fn direct(&self) -> &'static str {
        "use a file or a device that takes O_DIRECT"
    }

    /// The request for direct I/O, as a condition.
    fn is_direct(&self) -> &'static str {
        "O_DIRECT"
    }

    /// That which reads all into the page cache first.
    fn fills_cache(&self) -> &'static str {
        "reading it beforehand"
    }

    /// That which leaves the content of the page cache as it was.
    fn keeps_cache(&self) -> &'static str {
        "a cache that is not dropped"
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

    /// The way to make parts that overlap lie apart.
    fn wider_parts(&self) -> &'static str {
        "make the parts so small that they lie behind one another"
    }

    /// The way to use all of a target.
    fn whole_target(&self) -> &'static str {
        "--size 100%"
    }

    /// The way to write data that nothing can shrink.
    fn fresh_data(&self, instead_of: Content) -> &'static str {
        let _ = instead_of;
        "set --data fresh"
    }

    /// The way to write data that do not compress.
    fn incompressible(&self) -> &'static str {
        "leave out --compressible"
    }

    /// The way to write data that do not repeat.
    fn no_duplicates(&self) -> &'static str {
        "leave out --duplicates"
    }

    /// The reason for buffers that are written unchanged, in brackets, or that a few bytes of them are changed.
    fn buffers_reused(&self, changed: bool) -> &'static str {
        if changed { "and only a few bytes of it are changed" } else { "unchanged" }
    }

    /// The request for the same offsets in every run.
    fn same_offsets(&self) -> &'static str {
        "--seed"
    }

    /// The way to other offsets in every run.
    fn other_offsets(&self) -> &'static str {
        "leave out --seed"
    }

    fn end_sync(&self) -> &'static str {
        "set --end-fsync"
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

    /// That which makes a load last for all of its time.
    fn fills_runtime(&self) -> &'static str {
        "a time that it is to last"
    }

    /// The way to make a load last for all of its time.
    fn fill_runtime(&self) -> &'static str {
        "leave out --bytes and --ios"
    }

    /// The way to do more I/O where an amount ends a load.
    fn more_io(&self) -> &'static str {
        "more with --ios, --bytes or a longer --time"
    }

    fn averaged_logs(&self) -> &'static str {
        "keep averages in place of each I/O"
    }

    /// The ramp that is missing, in brackets.
    fn no_ramp(&self) -> &'static str {
        ""
    }

    /// The way to leave the beginning out.
    fn ramp(&self) -> &'static str {
        "write for a while before what is measured"
    }

    /// A pause of so many microseconds.
    fn pause(&self, us: u64) -> String {
        format!("--think {us}us")
    }

    /// The way out of pauses beside a rate.
    fn pause_or_rate(&self) -> &'static str {
        "keep one of the two"
    }

    /// That which lets blocks repeat within a pass.
    fn repeating_blocks(&self) -> &'static str {
        "--distribution free"
    }

    /// The way to run a load and those after it alone.
    fn alone(&self, name: &str) -> String {
        format!("run {name} and all after it by themselves")
    }

    /// The way to write all of a file or device before it is read.
    fn write_first(&self) -> &'static str {
        "write all of it first (--overwrite FILE or --destroy SERIAL does)"
    }

    /// The way to write blocks between a load that trims and one that reads.
    fn write_between(&self) -> &'static str {
        "write the blocks between the two"
    }
}

/// ioproof's own flags.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flags;

impl Words for Flags {}
