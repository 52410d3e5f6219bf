//! Kinds of values: text -> number, size, duration, list and so on, exactly as fio reads them.
//!
//! Every function takes the text after `=` and gives the value, or a sentence that says what was expected. Where fio 3.33 reads only the beginning of a
//! value and drops the rest in silence (`1.5k` is 1, `60sec` is 60 microseconds), the value is refused and the sentence says what fio would have read.

mod context;
mod cpus;
mod distribution;
mod duration;
mod expression;
mod files;
mod keywords;
mod number;
mod pattern;
mod per_direction;
mod plain;
mod rw;
mod size;
mod splits;
#[cfg(test)]
mod tests;
mod units;
mod word;

pub use context::{Amount, TimeUnit, ValueContext};
pub use cpus::{Present, cpus};
pub use distribution::{Distribution, DistributionZone, ZoneAbs, distribution};
pub use duration::{duration_ns, duration_range_ns, loses_fraction};
pub use files::files;
pub use keywords::replace as keywords;
pub use number::{cpu_mask, integer};
pub use pattern::{BytePattern, pattern};
pub use per_direction::{PerDirection, per_direction, ranges_per_direction};
pub use plain::{boolean, flag, float, floats};
pub use rw::{Mode, RW_WORDS, Rw, Suffix, rw};
pub use size::{amount, range, size};
pub use splits::{BlockSplit, splits};
pub use units::surprises;
pub use word::{nearest, word};
