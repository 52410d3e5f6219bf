//! The truth about a served drive: how long it takes for what, as plain data and a pure function of time, bytes and numbers.
//!
//! There are no clocks here and no chance, so that a drive does the same in every run.

use crate::cached::Action;
use std::time::Duration;

/// Habits of a served drive. The default is an honest drive of one slot that takes no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behaviour {
    /// I/Os that are served at once; further ones wait.
    pub slots: usize,
    /// Time in a slot. Microseconds.
    pub service_us: u64,
    /// Nothing is served for the second time in every first. Milliseconds.
    pub stall_ms: Option<(u64, u64)>,
    /// After so many MiB were written, a write takes so many microseconds.
    pub cliff: Option<(u64, u64)>,
    /// So many of 1000 I/Os take so many milliseconds.
    pub tail: Option<(u64, u64)>,
    /// So many of 1000 I/Os fail with EIO.
    pub errors: u64,
    /// So many of 1000 writes are acknowledged and forgotten.
    pub drops: u64,
    /// A flush takes so long. Microseconds.
    pub flush_us: u64,
    /// Reads of so many MiB at the start take a twentieth of the time, as from a cache.
    pub cache_mib: u64,
    /// Time that a gate before all slots lets pass between two I/Os, and for each MiB, as a provider's limit does. Microseconds.
    pub gate_us: (u64, u64),
    /// From so many MiB on the time in a slot is so many times as long.
    pub slow_from: Option<(u64, u64)>,
    /// The time in a slot grows by so much in every second. Microseconds.
    pub fading_us: u64,
}

impl Behaviour {
    /// So many slots, and the time of an I/O in one. Microseconds.
    pub const fn new(slots: usize, service_us: u64) -> Self {
        Self {
            slots,
            service_us,
            stall_ms: None,
            cliff: None,
            tail: None,
            errors: 0,
            drops: 0,
            flush_us: 0,
            cache_mib: 0,
            gate_us: (0, 0),
            slow_from: None,
            fading_us: 0,
        }
    }
}

/// State of the drive when an I/O gets a slot.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub since_start: Duration,
    pub written: u64,
    /// Number of the I/O, from 0.
    pub number: u64,
}

impl Behaviour {
    pub fn time_of(&self, io: &Action, at: Moment) -> Duration {
        self.stalled(at.since_start) + self.in_slot(io, at)
    }

    /// The gate is closed for so long behind an I/O.
    pub fn gate(&self, io: &Action) -> Duration {
        let (each, of_a_mib) = self.gate_us;
        Duration::from_micros(each + ((of_a_mib * bytes_of(io) as u64) >> 20))
    }

    pub fn fails(&self, number: u64) -> bool {
        is_one_of(number, self.errors)
    }

    pub fn drops(&self, number: u64) -> bool {
        is_one_of(number, self.drops)
    }

    fn in_slot(&self, io: &Action, at: Moment) -> Duration {
        if let Some((of_1000, ms)) = self.tail
            && is_one_of(at.number, of_1000)
        {
            return Duration::from_millis(ms);
        }
        let us = match (io, self.cliff) {
            (Action::Flush, _) => self.flush_us,
            (Action::Write { .. }, Some((mib, us))) if at.written >= mib << 20 => us,
            (Action::Read { offset, .. }, _) if (*offset as u64) < self.cache_mib << 20 => self.service_us / 20,
            _ => self.service_us + self.fading_us * at.since_start.as_millis() as u64 / 1000,
        };
        let us = match (self.slow_from, io) {
            (Some((mib, times)), Action::Read { offset, .. }) if *offset as u64 >= mib << 20 => us * times,
            _ => us,
        };
        Duration::from_micros(us)
    }

    /// Rest of a stall. One lasts to the end of each period, so that a drive begins without.
    fn stalled(&self, since_start: Duration) -> Duration {
        let Some((period_ms, stall_ms)) = self.stall_ms else { return Duration::ZERO };
        let into_us = since_start.as_micros() as u64 % (period_ms * 1000);
        if into_us < (period_ms - stall_ms) * 1000 { Duration::ZERO } else { Duration::from_micros(period_ms * 1000 - into_us) }
    }
}

fn bytes_of(io: &Action) -> usize {
    match io {
        Action::Read { length, .. } => *length,
        Action::Write { data, .. } => data.len(),
        Action::Clear { .. } | Action::Flush => 0,
    }
}

/// True for so many of 1000 numbers, spread out: a multiplication by a prime goes through all remainders.
fn is_one_of(number: u64, of_1000: u64) -> bool {
    (number % 1000) * 619 % 1000 < of_1000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, written: u64, number: u64) -> Moment {
        Moment { since_start: Duration::from_millis(ms), written, number }
    }

    const READ: Action = Action::Read { offset: 0, length: 1 };

    #[test]
    fn shares_of_a_thousand_are_kept() {
        let drive = Behaviour { tail: Some((20, 100)), errors: 5, drops: 2, ..Behaviour::new(1, 10) };
        let slow = (0..3000).filter(|n| drive.time_of(&READ, at(0, 0, *n)).as_millis() == 100).count();
        let count = |holds: fn(&Behaviour, u64) -> bool| (0..3000).filter(|n| holds(&drive, *n)).count();
        assert_eq!((slow, count(Behaviour::fails), count(Behaviour::drops)), (60, 15, 6));
    }
}
