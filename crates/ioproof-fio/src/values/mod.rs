//! Kinds of values: text -> number, size, duration, list and so on, exactly as fio reads them.
//!
//! Every function takes the text after `=` and gives the value, or a sentence that says what was expected. Where fio 3.33 reads only the beginning of a
//! value and drops the rest in silence (`1.5k` is 1, `60sec` is 60 microseconds), the value is refused and the sentence says what fio would have read.

mod cpus;
mod distribution;
mod duration;
mod expression;
mod files;
mod flag;
mod float;
mod keywords;
mod number;
mod pattern;
mod per_direction;
mod range;
mod rw;
mod size;
mod splits;
#[cfg(test)]
mod tests;
mod units;
mod word;

pub use cpus::{Present, cpu_mask, cpus};
pub use distribution::{Distribution, Zone, ZoneAbs, distribution};
pub use duration::{duration_ns, duration_range_ns, loses_fraction};
pub use files::files;
pub use flag::{boolean, flag};
pub use float::{float, floats};
pub use keywords::replace as keywords;
pub use number::integer;
pub use pattern::{Pattern, pattern};
pub use per_direction::{PerDirection, per_direction, ranges_per_direction};
pub use range::range;
pub use rw::{Mode, RW_WORDS, Rw, Suffix, rw};
pub use size::{amount, size};
pub use splits::{Split, splits};
pub use units::surprises;
pub use word::{nearest, word};

/// Settings that some values depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// 1000 or 1024: bytes of `k`, as the option `kb_base` says.
    pub kb_base: u32,
    /// Processors of this machine: `$ncpus`.
    pub cpus: u64,
    /// Memory of this machine, bytes; `$mb_memory` is this in MiB.
    pub memory_bytes: u64,
    /// Bytes of a page of memory: `$pagesize`.
    pub page_bytes: u64,
    /// Processors that jobs may be put on; `None`: not known, and then any number is one.
    pub online_cpus: Option<Present>,
    /// Memory nodes, likewise.
    pub online_nodes: Option<Present>,
}

impl Default for Context {
    fn default() -> Self {
        Self { kb_base: 1024, cpus: 1, memory_bytes: 1 << 30, page_bytes: 4096, online_cpus: None, online_nodes: None }
    }
}

/// An amount of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// So many percent of the file or device.
    Percent(u8),
    /// So many zones of a zoned device (`5z`).
    Blocks(u64),
}

/// The unit of a time where none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// 10^-9 s.
    Nanoseconds,
    /// 10^-6 s.
    Microseconds,
    /// 10^-3 s.
    Milliseconds,
    /// One second.
    Seconds,
}
