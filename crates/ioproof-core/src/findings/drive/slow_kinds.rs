//! Slow I/Os that are told by their place, their kind or the pause before them are no stalls and no tail: one home for that.

use super::{slow_channel, slow_places, slow_wake, two_times};
use crate::findings::prelude::*;

/// An I/O that takes more than so many times as long as a slow one of a kind is of no kind.
const BEYOND: f64 = 10.0;

/// True where a rule of its own tells why so many I/Os of a job took at least so much, and at most so much. Nanoseconds.
pub(super) fn are_told(measured: &Measured, ios: u64, least_ns: u64, longest_ns: u64) -> bool {
    let fits = |slow_ns: f64| 2.0 * slow_ns >= least_ns as f64 && longest_ns as f64 <= BEYOND * slow_ns;
    let by_place = slow_places::slow_ns(measured).or_else(|| slow_channel::found(measured).map(|found| found.slow_ns));
    by_place.is_some_and(fits) || slow_wake::first_ns(measured, ios).is_some_and(fits) || two_times::slow_ns(measured).is_some_and(fits)
}
