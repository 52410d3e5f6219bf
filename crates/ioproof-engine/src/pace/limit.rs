//! The most that a worker does in one direction: "not before" for I/Os and for bytes, of which the later one counts.
//!
//! Each I/O moves the time before which none may follow by what it costs at the limit. That time is never left further behind than [`BURST_NS`]: a worker
//! that was held up makes up for at most so much, and then goes on at the limit. So in any time `t` no more is started than the limit allows in
//! `t` + 10 ms, and one I/O. (This is the generic cell rate algorithm, ITU-T I.371.) Where all is to be made up for, the time is left behind as far as it is, but never before
//! the beginning of the measurement.

use super::PaceShare;

/// Longest delay that may be made up for. Nanoseconds.
const BURST_NS: u64 = 10_000_000;

/// The limits of one worker in one direction.
#[derive(Debug)]
pub(super) struct Limit {
    ios: NotBefore,
    bytes: NotBefore,
    due_ns: u64,
    /// Longest delay that may be made up for. Nanoseconds.
    burst_ns: u64,
}

/// Nanoseconds with 64 bits of fraction, so that a rate is kept to far less than a nanosecond an hour.
#[derive(Debug)]
struct NotBefore {
    next: u128,
    /// Time that one I/O or one byte costs; 0 where there is no limit.
    cost: u128,
    /// Time between two I/Os of a usual size.
    period: u128,
}

impl Limit {
    /// I/Os and bytes per second, the latter in blocks of a usual size.
    pub(super) fn new(ios_per_s: Option<u64>, bytes_per_s: Option<u64>, block_bytes: u32, share: PaceShare, start_ns: u64) -> Self {
        let ios = NotBefore::new(ios_per_s, 1, share, start_ns);
        let bytes = NotBefore::new(bytes_per_s, block_bytes, share, start_ns);
        let due_ns = ios.due_ns().max(bytes.due_ns());
        Self { ios, bytes, due_ns, burst_ns: BURST_NS }
    }

    /// The same, where all that was missed is made up for if `catches_up`.
    pub(super) fn catches_up(self, catches_up: bool) -> Self {
        Self { burst_ns: if catches_up { u64::MAX } else { BURST_NS }, ..self }
    }

    /// True where there is no limit at all.
    pub(super) fn is_none(&self) -> bool {
        self.ios.cost == 0 && self.bytes.cost == 0
    }

    /// The earliest time of the next I/O. Nanoseconds.
    #[inline]
    pub(super) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Lets nothing be made up for that was missed before `now_ns`. A worker that missed its turn by more than the burst waits for its next one: many that each
    /// did one I/O more would exceed what they share.
    pub(super) fn begin(&mut self, now_ns: u64) {
        self.ios.begin(now_ns);
        self.bytes.begin(now_ns);
        self.due_ns = self.ios.due_ns().max(self.bytes.due_ns());
    }

    /// An I/O starts.
    #[inline]
    pub(super) fn start(&mut self, bytes: u32, now_ns: u64) {
        let earliest_ns = now_ns.saturating_sub(self.burst_ns);
        self.ios.start(1, earliest_ns);
        self.bytes.start(bytes, earliest_ns);
        self.due_ns = self.ios.due_ns().max(self.bytes.due_ns());
    }
}

impl NotBefore {
    /// `units`: of a usual I/O, by which the workers' phases are set apart.
    fn new(per_s: Option<u64>, units: u32, share: PaceShare, start_ns: u64) -> Self {
        let Some(per_s) = per_s else { return Self { next: 0, cost: 0, period: 0 } };
        // Rounded up, so that the limit is never exceeded.
        let cost = fixed(u64::from(share.workers) * 1_000_000_000).div_ceil(u128::from(per_s.max(1)));
        let phase = (cost / u128::from(share.workers)).saturating_mul(u128::from(units)).saturating_mul(u128::from(share.worker));
        Self { next: fixed(start_ns).saturating_add(phase), cost, period: cost.saturating_mul(units.into()) }
    }

    #[inline]
    fn due_ns(&self) -> u64 {
        (self.next.saturating_add(u128::from(u64::MAX)) >> 64) as u64
    }

    fn begin(&mut self, now_ns: u64) {
        if self.cost == 0 {
            return;
        }
        let behind = fixed(now_ns.saturating_sub(BURST_NS)).saturating_sub(self.next);
        let missed = behind.div_ceil(self.period).saturating_mul(self.period);
        self.next = self.next.saturating_add(missed).max(fixed(now_ns));
    }

    #[inline]
    fn start(&mut self, units: u32, earliest_ns: u64) {
        if self.cost > 0 {
            self.next = self.next.max(fixed(earliest_ns)).saturating_add(self.cost.saturating_mul(u128::from(units)));
        }
    }
}

#[inline]
fn fixed(ns: u64) -> u128 {
    u128::from(ns) << 64
}
