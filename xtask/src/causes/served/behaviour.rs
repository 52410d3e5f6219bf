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
    pub service_us: u64,
    /// Nothing is served for the second time in every first. Milliseconds.
    pub stall_ms: Option<(u64, u64)>,
    /// After so many MiB were written, a write takes so many microseconds.
    pub cliff: Option<(u64, u64)>,
    pub tail: Option<(u64, u64)>,
    pub errors: u64,
    /// So many of 1000 writes are acknowledged and forgotten.
    pub drops: u64,
    pub flush_us: u64,
    /// Reads of so many MiB at the start take a twentieth of the time, as from a cache, and pass no gate.
    pub cache_mib: u64,
    /// Time that a gate before all slots lets pass between two I/Os, and for each MiB, as a provider's limit does. Microseconds.
    pub gate_us: (u64, u64),
    /// From so many MiB to so many the time in a slot is so many times as long.
    pub slow_span: Option<(u64, u64, u64)>,
    /// Of stripes of so many KiB each so-manieth is on a channel that takes so many times as long.
    pub slow_channel: Option<(u64, u64, u64)>,
    /// The time in a slot grows by so much in every second. Microseconds.
    pub fading_us: u64,
    /// In the first milliseconds the time in a slot is so many times as long.
    pub slow_start: Option<(u64, u64)>,
    /// In the second half of each period of so many milliseconds the time in a slot is so many times as long.
    pub swing: Option<(u64, u64)>,
    /// After so many milliseconds without I/O the drive sleeps, and takes so many to wake up.
    pub sleep_ms: Option<(u64, u64)>,
    /// Longer time of an I/O that goes the other way than the one before it. Microseconds.
    pub turn_us: u64,
    pub piece_kib: Option<u64>,
    /// I/Os that the gate lets through at once, until it begins.
    pub credit: u64,
}

impl Behaviour {
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
            slow_span: None,
            slow_channel: None,
            fading_us: 0,
            slow_start: None,
            swing: None,
            sleep_ms: None,
            turn_us: 0,
            piece_kib: None,
            credit: 0,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub since_start: Duration,
    pub written: u64,
    pub number: u64,
    pub asleep: Duration,
    pub turns: bool,
}

impl Behaviour {
    pub fn time_of(&self, io: &Action, at: Moment) -> Duration {
        at.asleep + self.stalled(at.since_start) + self.in_slot(io, at)
    }

    /// The gate is closed for so long behind an I/O, before which so many have passed it.
    pub fn gate(&self, io: &Action, passed: u64) -> Duration {
        if passed < self.credit || !self.is_gated(io) {
            return Duration::ZERO;
        }
        let (each, of_a_mib) = self.gate_us;
        Duration::from_micros(each + ((of_a_mib * bytes_of(io) as u64) >> 20))
    }

    pub fn is_gated(&self, io: &Action) -> bool {
        !matches!(io, Action::Read { offset, .. } if (*offset as u64) < self.cache_mib << 20)
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
        let turn_us = if at.turns { self.turn_us } else { 0 };
        Duration::from_micros(us * self.times_of_place(io) * self.times_of_time(at.since_start) * self.pieces(io) + turn_us)
    }

    fn times_of_place(&self, io: &Action) -> u64 {
        let Some(offset) = offset_of(io) else { return 1 };
        let of_span = self.slow_span.filter(|(from, to, _)| (from << 20..to << 20).contains(&offset)).map_or(1, |(.., times)| times);
        let of_channel = self.slow_channel.filter(|(kib, channels, _)| offset / (kib << 10) % channels == channels - 1);
        of_span * of_channel.map_or(1, |(.., times)| times)
    }

    fn times_of_time(&self, since_start: Duration) -> u64 {
        let ms = since_start.as_millis() as u64;
        let of_start = self.slow_start.filter(|(until, _)| ms < *until).map_or(1, |(_, times)| times);
        let of_swing = self.swing.filter(|(period, _)| ms % period >= period / 2).map_or(1, |(_, times)| times);
        of_start * of_swing
    }

    fn pieces(&self, io: &Action) -> u64 {
        self.piece_kib.map_or(1, |kib| (bytes_of(io) as u64).div_ceil(kib << 10).max(1))
    }

    /// Rest of a stall. One lasts to the end of each period, so that a drive begins without.
    fn stalled(&self, since_start: Duration) -> Duration {
        let Some((period_ms, stall_ms)) = self.stall_ms else { return Duration::ZERO };
        let into_us = since_start.as_micros() as u64 % (period_ms * 1000);
        if into_us < (period_ms - stall_ms) * 1000 { Duration::ZERO } else { Duration::from_micros(period_ms * 1000 - into_us) }
    }
}

fn offset_of(io: &Action) -> Option<u64> {
    match io {
        Action::Read { offset, .. } | Action::Write { offset, .. } => Some(*offset as u64),
        Action::Clear { .. } | Action::Flush => None,
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
