//! The arrivals of an open loop: a schedule of its own, which goes on whether or not anything completes.
//!
//! Even distances are kept as whole nanoseconds and a remainder over the rate, so they are exact for ever. Random distances are exponential and keep
//! their fractions of a nanosecond; workers of equal rates that know nothing of one another are together a Poisson process of the sum.

use super::PaceShare;
use crate::random::Draws;
use ioproof_core::shape::Pace;

const SECOND_NS: u64 = 1_000_000_000;
/// Beyond a thousand arrivals a nanosecond no clock tells rates apart.
const MOST_PER_S: u64 = 1000 * SECOND_NS;

/// The arrivals of one worker.
#[derive(Debug)]
pub(super) struct Arrivals {
    /// The next one; 0 in a closed loop.
    next_ns: u64,
    gaps: Gaps,
}

/// From one arrival to the next.
#[derive(Debug)]
enum Gaps {
    None,
    Even(Even),
    Random(Exponential),
}

/// Always `(whole_ns + rest / per)` nanoseconds.
#[derive(Debug)]
struct Even {
    whole_ns: u64,
    rest: u64,
    /// Remainder of the arrivals so far, in parts of `per`.
    left: u64,
    per: u64,
}

/// Exponentially distributed.
#[derive(Debug)]
struct Exponential {
    mean_ns: f64,
    /// Distance of the exact arrival beyond the whole nanosecond. 0 to 1.
    fraction_ns: f64,
    random: Draws,
}

impl Arrivals {
    pub(super) fn new(pace: Pace, share: PaceShare, seed: u64, start_ns: u64) -> Self {
        match pace {
            Pace::Closed => Self { next_ns: 0, gaps: Gaps::None },
            Pace::Fixed { ios_per_s } => Self::even(ios_per_s.clamp(1, MOST_PER_S), share, start_ns),
            Pace::Poisson { ios_per_s } => Self::random(ios_per_s.clamp(1, MOST_PER_S), share, seed, start_ns),
        }
    }

    /// Arrival `n` of all workers lies `n` distances after the start and belongs to worker `n` modulo their number.
    fn even(per: u64, share: PaceShare, start_ns: u64) -> Self {
        let phase = u64::from(share.worker) * SECOND_NS;
        let distance = u64::from(share.workers) * SECOND_NS;
        let even = Even { whole_ns: distance / per, rest: distance % per, left: phase % per, per };
        Self { next_ns: start_ns + phase / per, gaps: Gaps::Even(even) }
    }

    fn random(per: u64, share: PaceShare, seed: u64, start_ns: u64) -> Self {
        // Hashed twice, so that neither another worker nor another generator of this job with the same seed draws the same numbers.
        let stream = Draws::new(seed).next() ^ u64::from(share.worker);
        let mean_ns = f64::from(share.workers) * SECOND_NS as f64 / per as f64;
        let mut gaps = Exponential { mean_ns, fraction_ns: 0.0, random: Draws::new(Draws::new(stream).next()) };
        Self { next_ns: start_ns + gaps.next_ns(), gaps: Gaps::Random(gaps) }
    }

    /// When the next one is. Nanoseconds.
    #[inline]
    pub(super) fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Leaves out what arrives before `now_ns` and has not been taken; those that follow keep to the schedule.
    pub(super) fn begin(&mut self, now_ns: u64) {
        let late_ns = now_ns.saturating_sub(self.next_ns);
        if late_ns == 0 {
            return;
        }
        self.next_ns = match &mut self.gaps {
            Gaps::None => return,
            Gaps::Even(even) => self.next_ns.saturating_add(even.skip_ns(late_ns)),
            // They know nothing of one another, so that the time to the next is the same from any moment.
            Gaps::Random(exponential) => now_ns.saturating_add(exponential.next_ns()),
        };
    }

    /// Takes the next one: when it was; `None` in a closed loop.
    #[inline]
    pub(super) fn take(&mut self) -> Option<u64> {
        let arrived_ns = self.next_ns;
        let gap_ns = match &mut self.gaps {
            Gaps::None => return None,
            Gaps::Even(even) => even.next_ns(),
            Gaps::Random(exponential) => exponential.next_ns(),
        };
        self.next_ns = arrived_ns.saturating_add(gap_ns);
        Some(arrived_ns)
    }
}

impl Even {
    /// From one arrival to the first that is at least so much later. Nanoseconds.
    fn skip_ns(&mut self, late_ns: u64) -> u64 {
        let (per, left) = (u128::from(self.per), u128::from(self.left));
        let distance = u128::from(self.whole_ns) * per + u128::from(self.rest);
        let arrivals = (u128::from(late_ns) * per).saturating_sub(left).div_ceil(distance.max(1));
        let parts = arrivals * distance + left;
        self.left = (parts % per) as u64;
        u64::try_from(parts / per).unwrap_or(u64::MAX)
    }

    #[inline]
    fn next_ns(&mut self) -> u64 {
        self.left += self.rest;
        if self.left < self.per {
            return self.whole_ns;
        }
        self.left -= self.per;
        self.whole_ns + 1
    }
}

impl Exponential {
    #[inline]
    fn next_ns(&mut self) -> u64 {
        // 52 random bits and a half: never 0, whose logarithm is infinite, and never 1.
        let uniform = ((self.random.next() >> 12) as f64 + 0.5) / (1u64 << 52) as f64;
        let exact_ns = self.fraction_ns - self.mean_ns * uniform.ln();
        let whole_ns = exact_ns as u64;
        self.fraction_ns = exact_ns - whole_ns as f64;
        whole_ns
    }
}
