//! Filling a queue as a job says (fio's `iodepth_batch`, `iodepth_batch_complete_min`, `iodepth_low`): so many I/Os a call, and not again
//! before so few are left.

/// Number of I/Os that are handed over in one call, and the time for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batching {
    /// I/Os of one call; at least 1.
    pub at_once: u32,
    /// A queue that was full is filled again when no more than so many I/Os are outstanding.
    pub refill_at: u32,
}

/// The same while a worker runs.
#[derive(Debug)]
pub(crate) struct Filling {
    refill_at: usize,
    was_full: bool,
}

impl Filling {
    pub(crate) fn new(batching: Batching) -> Self {
        Self { refill_at: batching.refill_at as usize, was_full: false }
    }

    /// True where the queue is filled now that so many I/Os are outstanding.
    pub(crate) fn goes_on(&mut self, outstanding: usize, depth: usize) -> bool {
        self.was_full = if self.was_full { outstanding > self.refill_at } else { outstanding >= depth };
        !self.was_full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_is_filled_again_when_it_is_low() {
        let mut filling = Filling::new(Batching { at_once: 1, refill_at: 2 });
        let went_on = [0, 3, 4, 3, 2, 3, 4, 3, 0].map(|outstanding| filling.goes_on(outstanding, 4));
        assert_eq!(went_on, [true, true, false, false, true, true, false, false, true]);
    }
}
