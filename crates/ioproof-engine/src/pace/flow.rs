//! Shares of I/Os between jobs that run side by side: whoever is ahead of its share waits for the others.
//!
//! In a round each member does as many I/Os as its weight. A member that is ahead by more than a few rounds starts nothing until the others have come up. The
//! member that is furthest behind never waits, so the flow never stops. Nobody waits for a member that has ended. The state is two counts, without a lock.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A member may be ahead by one part in so many of the rounds so far, so that shares are kept to a percent.
const LEAD_PART: u128 = 128;

/// Most rounds by which a member may be ahead; they outlast a wait on a fast drive.
const LEAD_MOST: u128 = 64;

/// Shortest time after which a member that waits looks again. Nanoseconds.
const PAUSE_LEAST_NS: u64 = 200_000;

/// I/Os of the members of a flow together, and their weights.
#[derive(Debug, Default)]
struct Flow {
    /// I/Os that were started by those that run.
    ios: AtomicU64,
    /// Sum of their weights.
    weight: AtomicU64,
}

/// The part of one job in a flow. Clones of a share belong to the same flow.
#[derive(Debug, Clone, Default)]
pub struct FlowShare {
    flow: Arc<Flow>,
    weight: u32,
    pause_ns: u64,
}

impl FlowShare {
    /// A share in the same flow. `weight`: I/Os of each round, at least 1. `pause_ns`: time after which a member that is ahead looks again, raised to what
    /// a wait needs.
    #[must_use]
    pub fn sharing(&self, weight: u32, pause_ns: u64) -> Self {
        Self { flow: Arc::clone(&self.flow), weight: weight.max(1), pause_ns: pause_ns.max(PAUSE_LEAST_NS) }
    }

    /// A worker joins. It counts as if it had done its share of all that the others have done.
    pub(crate) fn join(&self) -> FlowMember {
        let weight = u64::from(self.weight.max(1));
        let before = self.flow.weight.fetch_add(weight, Relaxed);
        let done = u128::from(self.flow.ios.load(Relaxed)) * u128::from(weight);
        let ios = done.checked_div(before.into()).map_or(0, |ios| u64::try_from(ios).unwrap_or(u64::MAX));
        self.flow.ios.fetch_add(ios, Relaxed);
        FlowMember { share: self.clone(), weight, ios, next_ns: 0 }
    }
}

/// A worker that is in a flow, until this is dropped.
#[derive(Debug)]
pub(crate) struct FlowMember {
    share: FlowShare,
    weight: u64,
    /// I/Os that it has started.
    ios: u64,
    /// When it looks again; 0 while it is not ahead. Nanoseconds.
    next_ns: u64,
}

impl FlowMember {
    /// Looks at the others.
    #[inline]
    pub(super) fn look(&mut self, now_ns: u64) {
        self.next_ns = if self.is_ahead() { now_ns.saturating_add(self.share.pause_ns) } else { 0 };
    }

    /// The earliest time of its next I/O as it was when it looked. Nanoseconds.
    #[inline]
    pub(super) fn due_ns(&self) -> u64 {
        self.next_ns
    }

    /// An I/O starts.
    #[inline]
    pub(super) fn start(&mut self) {
        self.ios += 1;
        self.share.flow.ios.fetch_add(1, Relaxed);
    }

    fn is_ahead(&self) -> bool {
        let of_all = u128::from(self.share.flow.ios.load(Relaxed));
        let weights = u128::from(self.share.flow.weight.load(Relaxed)).max(1);
        let (own, weight) = (u128::from(self.ios), u128::from(self.weight));
        let lead = (of_all / weights / LEAD_PART).clamp(1, LEAD_MOST);
        own * weights >= of_all * weight + lead * weight * weights
    }
}

impl Drop for FlowMember {
    fn drop(&mut self) {
        self.share.flow.ios.fetch_sub(self.ios, Relaxed);
        self.share.flow.weight.fetch_sub(self.weight, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members<const N: usize>(weights: [u32; N]) -> [FlowMember; N] {
        let flow = FlowShare::default();
        weights.map(|weight| flow.sharing(weight, 0).join())
    }

    /// Each member in turn starts as many I/Os as it may, at most `at_once`.
    fn turn(members: &mut [FlowMember], at_once: u64) {
        for member in members {
            for _ in 0..at_once {
                member.look(1000);
                if member.due_ns() > 0 {
                    break;
                }
                member.start();
            }
        }
    }

    #[test]
    fn members_keep_their_shares_whoever_is_faster() {
        for at_once in [1, 7, 1000] {
            let mut members = members([1, 2, 3]);
            (0..10_000).for_each(|_| turn(&mut members, at_once));
            let rounds = members.each_ref().map(|member| member.ios / member.weight);
            let [least, most] = [rounds.iter().min().unwrap(), rounds.iter().max().unwrap()];
            assert!(*least >= 3000 && most - least <= most / 50, "{at_once} at once: {rounds:?}");
        }
    }

    #[test]
    fn the_first_rounds_are_even_too() {
        let mut members = members([3, 1]);
        (0..40).for_each(|_| turn(&mut members[..1], 1));
        assert_eq!(members.each_ref().map(|member| member.ios), [12, 0], "ahead of a fourth of 12 by a round of three");
        assert_eq!(members[0].due_ns(), 1000 + PAUSE_LEAST_NS);
        turn(&mut members[1..], 100);
        assert_eq!(members[1].ios, 6, "no less than a round ahead of a fourth of 18");
    }

    #[test]
    fn who_has_ended_is_waited_for_by_nobody() {
        let [mut fast, slow] = members([1, 100]);
        turn(std::slice::from_mut(&mut fast), 1000);
        assert!(fast.ios < 10, "it waits for the other: {}", fast.ios);
        drop(slow);
        turn(std::slice::from_mut(&mut fast), 1000);
        assert!(fast.ios >= 1000, "{}", fast.ios);
    }

    #[test]
    fn who_comes_later_makes_up_for_nothing() {
        let flow = FlowShare::default();
        let mut first = flow.sharing(2, 0).join();
        turn(std::slice::from_mut(&mut first), 1000);
        let mut later = flow.sharing(1, 0).join();
        assert_eq!((first.ios, later.ios), (1000, 500));
        turn(std::slice::from_mut(&mut later), 1000);
        assert!(later.ios < 520, "{}", later.ios);
        drop((first, later));
        assert_eq!((flow.flow.ios.load(Relaxed), flow.flow.weight.load(Relaxed)), (0, 0));
    }
}
