//! Lateness of the thread that only watches: it sleeps for a tick at a time, so that whatever stops all of this process stops it too. What it waited for a CPU is
//! told apart from a stop.

use ioproof_core::record::{HostLoad, STOP_NS};
use ioproof_target::System;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The longest times of a stage. Nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    late_ns: AtomicU64,
    /// Lateness less the wait for a CPU.
    stopped_ns: AtomicU64,
    waited_ns: AtomicU64,
    /// Number of stops of at least [`STOP_NS`].
    stops: AtomicU64,
}

impl Watch {
    /// Notes that it woke up so late, and for how long it had been ready by then and waited for a CPU.
    pub fn woke(&self, late_ns: u64, waited_ns: u64) {
        self.late_ns.fetch_max(late_ns, Relaxed);
        self.waited_ns.fetch_max(waited_ns, Relaxed);
        let stopped_ns = late_ns.saturating_sub(waited_ns);
        self.stopped_ns.fetch_max(stopped_ns, Relaxed);
        self.stops.fetch_add(u64::from(stopped_ns >= STOP_NS), Relaxed);
    }

    /// Puts what was noted into the load; of waiting for a CPU only where the kernel tells.
    pub fn put(&self, system: &System, host: &mut HostLoad) {
        let is_told = run_delay_ns(system).is_some();
        host.watch_late_ns = Some(self.late_ns.load(Relaxed));
        host.watch_stopped_ns = is_told.then(|| self.stopped_ns.load(Relaxed));
        host.watch_waited_ns = is_told.then(|| self.waited_ns.load(Relaxed));
        host.watch_stops = is_told.then(|| self.stops.load(Relaxed));
    }
}

/// Time for which this thread has been ready and waited for a CPU so far; none where the kernel does not count it.
pub(crate) fn run_delay_ns(system: &System) -> Option<u64> {
    second(&system.proc_text("thread-self/schedstat")?)
}

/// The second number of a schedstat file (Documentation/scheduler/sched-stats.rst).
fn second(text: &str) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_file() {
        assert_eq!([second("71324 560 3"), second("71324"), second("")], [Some(560), None, None]);
    }

    #[test]
    fn a_wait_for_a_cpu_is_not_a_stop_and_hides_none() {
        let (watch, mut host) = (Watch::default(), HostLoad::default());
        for (late_ns, waited_ns) in [(400, 390), (300, 0), (5, 7)] {
            watch.woke(late_ns * 1_000_000, waited_ns * 1_000_000);
        }
        watch.put(&System::host(), &mut host);
        assert_eq!(host.watch_late_ns, Some(400_000_000));
        let is_told = run_delay_ns(&System::host()).is_some();
        assert_eq!((host.watch_stopped_ns, host.watch_waited_ns), (is_told.then_some(300_000_000), is_told.then_some(390_000_000)));
        assert_eq!(host.watch_stops, is_told.then_some(1));
    }

    #[test]
    fn a_kernel_that_does_not_count_says_neither() {
        let (nowhere, mut host) = (System::captured(std::path::Path::new("/proc/self/nowhere")), HostLoad::default());
        Watch::default().put(&nowhere, &mut host);
        assert_eq!((host.watch_late_ns, host.watch_stopped_ns, host.watch_waited_ns), (Some(0), None, None));
    }
}
