//! Passes that are over before there was as much I/O as the job has: where gaps lead past the end. What then is over, and when all is.

use super::Request;
use crate::slot::IoOperation;
use ioproof_core::job::JobSpec;
use ioproof_core::shape::Order;

/// The passes of one worker.
#[derive(Debug)]
pub(super) struct Passes {
    /// Those that are not over.
    left: u32,
    skip: i64,
    wraps: bool,
    /// The smallest I/O. Bytes.
    least: u64,
    /// End of the span of each target, and whether its pass is over.
    targets: Box<[(u64, bool)]>,
}

impl Passes {
    /// `None` where the job does not end by them.
    pub(super) fn of(spec: &JobSpec, worker: u32, targets: usize) -> Option<Self> {
        let Order::Skipping { skip_bytes: skip, passes: left @ 1.., wraps } = spec.workload.shape.order else { return None };
        let end = |target| {
            let span = spec.span_on(worker, target);
            span.offset_bytes.saturating_add(span.length_bytes)
        };
        let least = spec.workload.smallest_block_bytes().into();
        Some(Self { left, skip, wraps, least, targets: (0..targets).map(|target| (end(target), false)).collect() })
    }

    /// True where all of them are over.
    pub(super) fn are_over(&self) -> bool {
        self.left == 0
    }

    /// True where a target has had its pass, while others have not.
    pub(super) fn is_over(&self, target: usize) -> bool {
        self.targets.get(target).is_some_and(|(_, over)| *over)
    }

    /// True where an I/O that ends there is the last of a pass over a span that ends at `end`.
    fn reaches(&self, after: u64, end: u64) -> bool {
        let Ok(gap) = u64::try_from(self.skip) else { return after == end };
        let next = after.saturating_add(gap);
        let no_room = next.saturating_add(self.least) > end;
        after == end || no_room && (!self.wraps || next < end)
    }

    /// An I/O is taken; gives whether the next pass begins.
    pub(super) fn taken(&mut self, request: &Request) -> bool {
        let is_io = matches!(request.operation, IoOperation::Read | IoOperation::Write | IoOperation::Trim);
        let Some((end, _)) = self.targets.get(request.target as usize).copied().filter(|_| is_io) else { return false };
        if !self.reaches(request.offset + u64::from(request.bytes), end) {
            return false;
        }
        self.targets[request.target as usize].1 = true;
        if !self.targets.iter().all(|(_, over)| *over) {
            return false;
        }
        self.targets.iter_mut().for_each(|(_, over)| *over = false);
        self.left = self.left.saturating_sub(1);
        true
    }
}
