//! Checks of outputs: against their own lines, their job file, and each other.

mod cache;
mod empty_writes;
mod few;
mod intervals;
mod job_file;
mod little;
mod memory;
mod method;
mod name;
mod perftest;
mod plateau;
mod repeats;
mod saturated;
mod stall;
mod sums;
mod sweep;
mod tool_units;
mod unfinished;
mod written;

pub use sweep::{Point, Sweep, sweeps};

use super::{Check, all, one};

pub(super) const CHECKS: &[Check] = &[
    one("own-lines", sums::check),
    one("littles-law", little::check),
    one("name-against-order", name::check),
    one("not-this-job-file", job_file::check),
    one("method", method::check),
    all("same-output-twice", job_file::twice),
    all("repeats-differ", repeats::check),
    one("knee", sweep::check),
    one("plateau", plateau::check),
    one("generator-saturated", saturated::check),
    one("stall", stall::check),
    one("one-block", perftest::check),
    one("tool-units", tool_units::check),
    one("cache-figure", cache::check),
    one("cache-figure", memory::check),
    one("steady-trend", intervals::check),
    one("unfinished-run", unfinished::check),
    one("too-few", few::check),
    one("empty-writes", empty_writes::check),
    one("bytes-written", written::check),
];
