//! Waits until any further change of a file would show in its times.
//!
//! Times of files move in steps: of the kernel's tick, or of whole seconds where the filesystem keeps no more. What somebody writes in the step in which
//! a job left its file could not be told from what the job wrote.

use super::entry::Left;
use crate::system::pin::fresh;
use rustix::fs::Stat;
use rustix::time::{ClockId, clock_gettime};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

const SECOND_NS: i128 = 1_000_000_000;

/// A file with a time further ahead than this was written under another clock, whose time does not come soon. Nanoseconds.
const AHEAD_NS: i128 = 2 * SECOND_NS;

/// The longest wait for the end of a step.
const PATIENCE: Duration = Duration::from_millis(2200);

/// The files as they are, once the clock has left the step of their last change. What somebody goes on writing is left out.
pub(super) fn stats<F: AsFd>(files: &[F]) -> Vec<Stat> {
    let began = Instant::now();
    loop {
        let mut stats: Vec<Stat> = files.iter().filter_map(|file| fresh(file).ok()).collect();
        let all = stats.len();
        stats.retain(is_quiet);
        if stats.len() == all || began.elapsed() > PATIENCE {
            return stats;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// True if a change of a file from this moment on gets another time than its last one.
pub(super) fn is_quiet(stat: &Stat) -> bool {
    !is_in_step(&Left::of(stat), now_ns())
}

/// True if a change at the moment `now_ns` might get the time of the last one.
fn is_in_step(left: &Left, now_ns: i128) -> bool {
    let last = left.changed_ns;
    let now_ns = if has_whole_seconds(left) { now_ns - now_ns % SECOND_NS } else { now_ns };
    now_ns <= last && last - now_ns < AHEAD_NS
}

fn has_whole_seconds(left: &Left) -> bool {
    left.changed_ns % SECOND_NS == 0 && left.modified_ns % SECOND_NS == 0
}

/// The clock by which the kernel gives times to files. Nanoseconds since 1970.
fn now_ns() -> i128 {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    i128::from(now.tv_sec) * SECOND_NS + i128::from(now.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_when_the_clock_has_passed_it() {
        let left = |ns| Left { modified_ns: ns, changed_ns: ns, boot: 1 };
        let (fine, whole) = (7 * SECOND_NS + 4_000_000, 7 * SECOND_NS);
        assert!(is_in_step(&left(fine), fine) && !is_in_step(&left(fine), fine + 1));
        assert!(is_in_step(&left(whole), whole + SECOND_NS - 1) && !is_in_step(&left(whole), whole + SECOND_NS));
        assert!(!is_in_step(&left(fine + AHEAD_NS), fine), "it was written under another clock");
    }
}
