//! Rules that also limit a number: the place of each among all limits, and the words that it gives.
//!
//! `judge::limit` goes through the ranks; within a rank the first rule of the table that found something is named.

use super::{Context, Measured, time_at};
use crate::units::latency;

/// Up to this multiple of the unloaded latency the drive is not queueing yet.
const NOT_QUEUEING: f64 = 1.15;
/// From this multiple on it is; a drive that does several things at once slows down a little before.
const QUEUEING: f64 = 1.5;

/// The place of a rule among that which limits a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitRank {
    /// The number is not the drive's at all.
    NotTheDrive,
    /// The pace, which says more than that there was one.
    Pace,
    /// The host, or others that use the drive.
    Host,
    /// Something that the drive or its path did, which says more than that it was busy.
    Drive,
}

/// The way in which a rule that found something limits a number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    /// Its place.
    pub(crate) rank: LimitRank,
    /// The limit in a few words, with the figure that shows it.
    pub(crate) words: fn(&Context, &Measured) -> String,
}

impl Limit {
    /// A limit that makes the number something else than the drive's.
    pub(super) const fn not_the_drive(words: fn(&Context, &Measured) -> String) -> Self {
        Self { rank: LimitRank::NotTheDrive, words }
    }
}

/// The drive or its path as the limit, as far as counters tell them apart: latency that has risen with the depth tells a drive that is busy from one that could
/// take more.
pub(crate) fn queueing(context: &Context, measured: &Measured) -> String {
    let workload = measured.workload();
    let mean = measured.merged_latency().mean_ns().unwrap_or(0.0);
    let place = time_at::most_of_it(context, measured, mean);
    if workload.is_unloaded() {
        return place.map_or_else(|| "latency: one I/O at a time".into(), |place| format!("latency, one I/O at a time: {place}"));
    }
    let (read, write) = context.unloaded_latency_ns(measured, workload.pattern);
    let alone = match workload.read_percent {
        100 => read,
        0 => write,
        _ => read.zip(write).map(|(r, w)| r.max(w)),
    };
    let untold = || format!("the drive or its path (counters do not tell which), {} an I/O", latency(mean));
    let busy = place.unwrap_or_else(untold);
    match alone {
        Some(alone) if mean <= NOT_QUEUEING * alone => format!("concurrency: an I/O takes {}, hardly more than one alone", latency(mean)),
        Some(alone) if mean <= QUEUEING * alone => format!(
            "not told: an I/O takes {}, {:.2} times what one alone takes; twice the depth would tell whether more can be had",
            latency(mean),
            mean / alone
        ),
        Some(alone) => format!("{busy}; alone it takes {}", latency(alone)),
        None => busy,
    }
}
