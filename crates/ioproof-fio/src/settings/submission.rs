//! Filling and emptying the queue of a job.

settings! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Submission {
        pub depth: u32 = 1,
        /// `iodepth_batch`: I/Os that are handed over in one call; 0: all that there is room for; 1, the default: as is best.
        pub batch: u32 = 1,
        pub complete_min: u32 = 1,
        /// `iodepth_low`: the depth below which the queue is filled again; `None`: at once.
        pub low: Option<u32> = None,
        /// `io_submit_mode`: fio has other threads submit, which keep the depth with any engine.
        pub offload: bool = false,
    }
}

impl Submission {
    pub fn at_once(&self) -> Option<u32> {
        let depth = self.depth.max(1);
        match self.batch {
            0 => Some(depth),
            1 => (self.refill_at() + 1 < depth).then_some(1),
            batch => Some(batch.min(depth)),
        }
    }

    /// I/Os that a queue that was full falls to before it is filled again.
    pub fn refill_at(&self) -> u32 {
        let room = self.complete_min.clamp(1, self.depth.max(1));
        let left = self.depth.saturating_sub(room);
        self.low.filter(|low| *low > 0).map_or(left, |low| low.min(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_falls_to_the_lower_of_what_is_waited_for_and_the_low_mark() {
        let of = |change: fn(&mut Submission)| {
            let mut submission = Submission { depth: 16, ..Submission::default() };
            change(&mut submission);
            (submission.at_once(), submission.refill_at())
        };
        assert_eq!(of(|_| {}), (None, 15));
        assert_eq!(of(|s| s.batch = 8), (Some(8), 15));
        assert_eq!(of(|s| (s.batch, s.complete_min) = (0, 4)), (Some(16), 12));
        assert_eq!(of(|s| s.low = Some(8)), (Some(1), 8));
        assert_eq!(of(|s| (s.low, s.complete_min, s.batch) = (Some(14), 4, 99)), (Some(16), 12));
        assert_eq!(of(|s| (s.depth, s.complete_min) = (1, 4)), (None, 0));
    }
}
