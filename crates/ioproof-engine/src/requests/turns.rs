//! Which of several targets is next, and what happens when a pass over all of them is over.

use super::Requests;
use crate::offsets::Offsets;
use crate::slot::IoOperation;
use ioproof_core::job::{JobSpec, Turns};
use ioproof_core::shape::Order;

/// A target, and where on it an I/O goes with how many bytes.
pub(super) type Place = (usize, (u64, u32));

impl Requests {
    /// The next I/O that several targets share, by the writes' own sequences or those of all. A target that has no more is passed over; `None` when none has.
    pub(super) fn place(&mut self, operation: IoOperation, bytes: u32, own: bool) -> Option<Place> {
        let targets = self.others.len() + 1;
        if self.any_turn {
            self.turn = self.random.below(targets as u64) as usize;
        }
        for _ in 0..targets {
            let target = self.turn;
            let sizes = if operation == IoOperation::Read { &mut self.read_sizes } else { &mut self.write_sizes };
            let offsets = match target {
                _ if own => &mut self.of_writes[target],
                0 => &mut self.first,
                _ => &mut self.others[target - 1],
            };
            let over = self.passes.as_ref().is_some_and(|passes| passes.is_over(target));
            let place = if over { None } else { offsets.place(bytes, operation == IoOperation::Read, || sizes.next(&mut self.random)) };
            self.turn_ios -= 1;
            if self.turn_ios == 0 || place.is_none() {
                self.turn = if target + 1 == targets { 0 } else { target + 1 };
                self.turn_ios = self.ios_a_turn[self.turn];
            }
            if let Some(place) = place {
                return Some((target, place));
            }
        }
        None
    }

    /// The same after a pass that is over on all targets, where another one is begun; `None` where the job has no more. As in fio none is begun for less than the largest I/O.
    #[cold]
    pub(super) fn in_new_pass(&mut self, operation: IoOperation, bytes: u32, own: bool) -> Option<Place> {
        let begun = match own {
            _ if self.once || self.bytes_left < self.largest_bytes => false,
            true => begin(self.of_writes.iter_mut()),
            false => begin(std::iter::once(&mut self.first).chain(&mut self.others)),
        };
        if !begun {
            return None;
        }
        (self.turn, self.turn_ios) = (0, self.ios_a_turn[0]);
        self.place(operation, bytes, own)
    }
}

/// Begins another pass of each sequence that waits for it; tells whether any did.
fn begin<'a>(sequences: impl Iterator<Item = &'a mut Offsets>) -> bool {
    sequences.map(Offsets::begin_pass).filter(|begun| *begun).count() > 0
}

/// Number of I/Os that go to a target before it is the turn of the next.
pub(super) fn ios_a_turn(spec: &JobSpec, worker: u32, target: usize) -> u64 {
    match spec.placement.turns {
        Turns::InTurn | Turns::Random => 1,
        Turns::Each(ios) => u64::from(ios.max(1)),
        // A target that ends a pass by itself keeps its turn until then.
        Turns::Sequential if matches!(spec.workload.shape.order, Order::Skipping { passes: 1.., .. }) => u64::MAX,
        Turns::Sequential => Offsets::blocks(spec, worker, target).max(1),
    }
}
