//! I/O that was recorded and is issued again, in its order. Workers of one job take the next one from a common place.

use super::Request;
use ioproof_core::io_log::RecordedIo;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The recorded I/O of a job, shared by its workers.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    ios: Arc<[RecordedIo]>,
    next: Arc<AtomicUsize>,
    /// Taken from the common place, and held back until its time has come.
    held: Option<usize>,
}

impl Replay {
    pub(crate) fn new(ios: &Arc<[RecordedIo]>) -> Self {
        Self { ios: Arc::clone(ios), next: Arc::default(), held: None }
    }

    /// The next one, which stays the next until it is taken; its time counts from the start of the job. Nanoseconds.
    pub(super) fn peek(&mut self) -> Option<(u64, Request)> {
        let at = *self.held.get_or_insert_with(|| self.next.fetch_add(1, Relaxed));
        let io = self.ios.get(at)?;
        let request = Request { operation: io.kind.into(), target: io.target, bytes: io.bytes, offset: io.offset_bytes };
        Some((io.at_ns, request))
    }

    pub(super) fn next(&mut self) -> Option<Request> {
        let (_, request) = self.peek()?;
        self.held = None;
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::io_log::RecordedKind;

    #[test]
    fn workers_share_what_was_recorded_and_each_is_issued_once() {
        let io = |n: u64| RecordedIo { at_ns: n, offset_bytes: n * 512, bytes: 512, target: 0, kind: RecordedKind::Read };
        let all: Arc<[RecordedIo]> = (0..5).map(io).collect();
        let mut first = Replay::new(&all);
        let mut second = first.clone();
        assert_eq!(first.peek().map(|(at_ns, _)| at_ns), Some(0));
        let offsets: Vec<u64> = [second.next(), first.next(), first.next(), second.next(), second.next(), first.next(), second.next()]
            .into_iter()
            .flatten()
            .map(|request| request.offset / 512)
            .collect();
        assert_eq!(offsets, [1, 0, 2, 3, 4]);
    }
}
