//! Places of a stream, a group after the other: where each block that is made durable by one sync is written.

use crate::plan::{Order, StreamPlan};
use ioproof_core::splitmix;

/// Groups without end.
pub(crate) struct Places {
    plan: StreamPlan,
    block_bytes: u64,
    blocks: u64,
    /// Blocks so far, over all groups.
    count: u64,
    random: u64,
}

impl Places {
    pub(crate) fn new(plan: StreamPlan, block_bytes: u32, session: u32) -> Self {
        let block_bytes = u64::from(block_bytes);
        let blocks = (plan.span.length_bytes / block_bytes).max(1);
        Self { plan, block_bytes, blocks, count: 0, random: u64::from(plan.stream) << 32 ^ u64::from(session) }
    }

    fn place(&self, number: u64) -> u64 {
        self.plan.span.offset_bytes + number % self.blocks * self.block_bytes
    }
}

impl Iterator for Places {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        let length = self.plan.writes_at_once();
        let first = match self.plan.order {
            Order::Sequential => self.count,
            // A run is trimmed as a whole, so it lies within the span and meets no half of another one.
            Order::Trim => splitmix::next(&mut self.random) % (self.blocks / length).max(1) * length,
            Order::Random => {
                let group = (0..length).map(|_| splitmix::next(&mut self.random)).collect::<Vec<u64>>();
                return Some(group.into_iter().map(|number| self.place(number)).collect());
            }
        };
        self.count += length;
        Some((first..first + length).map(|number| self.place(number)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::How;
    use ioproof_core::job::Span;

    fn groups(order: Order, sync: How) -> Vec<Vec<u64>> {
        let span = Span { offset_bytes: 8192, length_bytes: 16 * 512 };
        Places::new(StreamPlan { stream: 1, order, sync, writes_per_sync: 4, span }, 512, 1).take(50).collect()
    }

    #[test]
    fn groups_have_their_size_and_lie_in_their_span() {
        for order in [Order::Sequential, Order::Random, Order::Trim] {
            let all = groups(order, How::Fsync);
            assert!(all.iter().all(|group| group.len() == 4), "{order:?}");
            assert!(all.iter().flatten().all(|place| (8192..8192 + 16 * 512).contains(place) && place % 512 == 0), "{order:?}");
        }
        assert_eq!(groups(Order::Sequential, How::Fsync)[4], groups(Order::Sequential, How::Fsync)[0], "over and over");
        assert!(groups(Order::Random, How::Dsync).iter().all(|group| group.len() == 1), "each is durable by itself");
    }

    #[test]
    fn runs_that_are_trimmed_are_in_one_piece_and_never_overlap_by_half() {
        for run in groups(Order::Trim, How::Fsync) {
            assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 512) && (run[0] - 8192) % 2048 == 0, "{run:?}");
        }
    }
}
