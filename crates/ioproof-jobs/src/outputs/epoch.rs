//! Zero of the times in logs: the start of the job, or the epoch of a clock.

use ioproof_fio::settings::{EpochClock, Logs};
use rustix::time::{ClockId, clock_gettime};

/// Offset added to times of a job that began at `started_ms` since 1970. Milliseconds.
pub fn epoch_ms(logs: &Logs, started_ms: u64) -> u64 {
    if !logs.unix_epoch && !logs.alternate_epoch {
        return 0;
    }
    let ago_ms = ioproof_runner::now().unix_ms.saturating_sub(started_ms);
    reads_ms(logs.epoch_clock).map_or(started_ms, |clock_ms| clock_ms.saturating_sub(ago_ms))
}

/// Time of the clock now; `None` for that which jobs are started by.
fn reads_ms(clock: EpochClock) -> Option<u64> {
    let id = match clock {
        EpochClock::RealTime => return None,
        EpochClock::Monotonic => ClockId::Monotonic,
        EpochClock::BootTime => ClockId::Boottime,
    };
    let time = clock_gettime(id);
    Some(time.tv_sec.cast_unsigned() * 1000 + time.tv_nsec.cast_unsigned() / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_began_when_its_clock_showed_less() {
        let of = |clock, ago_ms| {
            epoch_ms(&Logs { alternate_epoch: true, epoch_clock: clock, ..Logs::default() }, ioproof_runner::now().unix_ms - ago_ms)
        };
        let now = reads_ms(EpochClock::Monotonic).unwrap();
        let before = of(EpochClock::Monotonic, 5);
        assert!(before + 10_000 > now && before <= now + 10_000, "{before} and {now}");
        assert!(of(EpochClock::BootTime, 0) + 10_000 > before);
        assert_eq!(epoch_ms(&Logs { unix_epoch: true, ..Logs::default() }, 77), 77);
        assert_eq!(epoch_ms(&Logs { epoch_clock: EpochClock::Monotonic, ..Logs::default() }, 77), 0);
    }
}
