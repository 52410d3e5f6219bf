//! Which round comes next, decided from what has been measured so far.
//!
//! Reads are interleaved: every pass visits, in random order, each workload that still needs runs. Each write workload runs as one block, or, where the plan
//! has halves, as two: each workload gets half of its fewest runs, then all of them get the rest, so that no interval speaks for a few minutes only.
//! A workload is done when its interval is narrow enough, when it has had its most runs, or when its share of the time is spent; whatever
//! happens, each gets one run.

use super::Plan;
use crate::splitmix::shuffle;
use std::ops::Range;

/// Share of a workload's time that it may take beyond it to have its fewest runs, as one of so many.
const GRACE: u64 = 4;

/// Results of a workload so far.
#[derive(Debug, Clone, Default)]
struct PassProgress {
    /// One value per run that counts.
    values: Vec<f64>,
    /// Runs, counted or not.
    attempts: u32,
    /// No further run of it.
    closed: bool,
}

/// Orders the rounds of a plan. Workloads are named by their index in the order of [`Plan::all`].
#[derive(Debug, Clone)]
pub struct Scheduler {
    plan: Plan,
    progress: Vec<PassProgress>,
    /// Rest of the pass over the reads.
    pass: Vec<usize>,
    /// True in the first of two halves.
    is_early: bool,
    /// Time at which the first round began, of the second half where there are two.
    started_ns: Option<u64>,
    /// When the block of the current write workload began.
    block_started_ns: Option<u64>,
    random: u64,
}

impl Scheduler {
    /// A schedule for the plan; the same seed gives the same order.
    pub fn new(plan: Plan, seed: u64) -> Self {
        Self {
            progress: vec![PassProgress::default(); plan.all().count()],
            is_early: plan.halves,
            plan,
            pass: Vec::new(),
            started_ns: None,
            block_started_ns: None,
            random: seed,
        }
    }

    /// The workload to run next, `elapsed_ns` after the run began; `None` when nothing is left.
    pub fn next(&mut self, elapsed_ns: u64) -> Option<usize> {
        self.next_early(elapsed_ns).or_else(|| {
            self.started_ns.get_or_insert(elapsed_ns);
            self.next_read(elapsed_ns).or_else(|| self.next_write(elapsed_ns))
        })
    }

    /// Tells what a round showed: the value that the workload is about, or `None` where the round does not count.
    pub fn record(&mut self, workload: usize, value: Option<f64>) {
        let progress = &mut self.progress[workload];
        progress.attempts += 1;
        progress.values.extend(value);
    }

    /// Ends a workload, because it cannot be measured.
    pub fn give_up(&mut self, workload: usize) {
        self.progress[workload].closed = true;
    }

    /// Runs that a workload has had, counted or not.
    pub fn attempts(&self, workload: usize) -> u32 {
        self.progress[workload].attempts
    }

    /// Time that is still to come at most, as far as can be told. Nanoseconds.
    pub fn remaining_ns(&self, elapsed_ns: u64) -> u64 {
        let open = (0..self.progress.len()).filter(|w| self.wants_more(*w));
        let runs: u64 = open.map(|w| u64::from(self.plan.max_runs - self.progress[w].attempts)).sum();
        let by_runs = runs.saturating_mul(self.plan.round_ns());
        if self.plan.time_limited { by_runs.min(self.plan.time_ns.saturating_sub(elapsed_ns)) } else { by_runs }
    }

    /// The next of the first half, which ends when half of the time is over, at the latest.
    fn next_early(&mut self, elapsed_ns: u64) -> Option<usize> {
        let reads = self.plan.reads.len();
        self.is_early = self.is_early && !self.spent(self.plan.time_ns / 2, elapsed_ns);
        if !self.is_early {
            return None;
        }
        if self.pass.is_empty() {
            self.pass = (0..reads).filter(|w| self.wants_more_early(*w)).collect();
            shuffle(&mut self.pass, &mut self.random);
        }
        let next = self.pass.pop().or_else(|| (reads..self.progress.len()).find(|w| self.wants_more_early(*w)));
        self.is_early = next.is_some();
        // It may have been given up since the pass was laid out.
        next.and_then(|next| if self.progress[next].closed { self.next_early(elapsed_ns) } else { Some(next) })
    }

    fn wants_more_early(&self, workload: usize) -> bool {
        let progress = &self.progress[workload];
        !progress.closed && progress.attempts < self.plan.min_runs.div_ceil(2)
    }

    fn next_read(&mut self, elapsed_ns: u64) -> Option<usize> {
        let reads = self.plan.reads.len();
        let end_ns = self.with_grace(self.reads_end_ns(), 0..reads);
        let over = self.spent(end_ns, elapsed_ns) && self.progress[..reads].iter().all(|p| p.closed || p.attempts > 0);
        if over {
            self.pass.clear();
            return None;
        }
        if self.pass.is_empty() {
            self.pass = (0..reads).filter(|w| self.wants_more(*w)).collect();
            shuffle(&mut self.pass, &mut self.random);
        }
        let next = self.pass.pop()?;
        // It may have been given up since the pass was laid out.
        if self.progress[next].closed { self.next_read(elapsed_ns) } else { Some(next) }
    }

    /// The reads may use the time up to here; the rest is for the writes.
    fn reads_end_ns(&self) -> u64 {
        let started = self.started_ns.unwrap_or(0);
        let all = self.progress.len().max(1) as u64;
        started + self.plan.time_ns.saturating_sub(started) / all * self.plan.reads.len() as u64
    }

    fn next_write(&mut self, elapsed_ns: u64) -> Option<usize> {
        for current in self.plan.reads.len()..self.progress.len() {
            if self.progress[current].closed {
                continue;
            }
            let started = *self.block_started_ns.get_or_insert(elapsed_ns);
            let open = self.progress[current..].iter().filter(|p| !p.closed).count() as u64;
            let block_end = started + self.plan.time_ns.saturating_sub(started) / open;
            let spent = self.spent(self.with_grace(block_end, current..current + 1), elapsed_ns) && self.progress[current].attempts > 0;
            if !spent && self.wants_more(current) {
                return Some(current);
            }
            self.progress[current].closed = true;
            self.block_started_ns = None;
        }
        None
    }

    /// The end of workloads, later where one lacks runs of the fewest: without these there is no verdict, and what passes between rounds is only guessed.
    fn with_grace(&self, end_ns: u64, workloads: Range<usize>) -> u64 {
        let lacks = self.progress[workloads].iter().any(|p| !p.closed && p.attempts < self.plan.min_runs);
        let grace_ns = if lacks { self.plan.time_ns / self.progress.len().max(1) as u64 / GRACE } else { 0 };
        (end_ns + grace_ns).min(self.plan.time_ns + grace_ns)
    }

    fn spent(&self, end_ns: u64, elapsed_ns: u64) -> bool {
        // A round that would overrun by more than half its length is not begun.
        self.plan.time_limited && elapsed_ns + self.plan.round_ns() / 2 >= end_ns
    }

    fn wants_more(&self, workload: usize) -> bool {
        let progress = &self.progress[workload];
        if progress.closed || progress.attempts >= self.plan.max_runs {
            return false;
        }
        progress.attempts < self.plan.min_runs || !self.plan.is_precise(&progress.values)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Plan, Request, tests::request};
    use super::*;
    use crate::workload::{Pattern, Workload};

    /// Plays a plan through with a clock that advances by one round a step; gives the order of workloads.
    fn play(plan: &Plan, value: impl Fn(usize, u32) -> Option<f64>) -> Vec<usize> {
        let mut scheduler = Scheduler::new(plan.clone(), 7);
        let (mut order, mut now) = (Vec::new(), 0);
        while let Some(w) = scheduler.next(now) {
            scheduler.record(w, value(w, scheduler.attempts(w)));
            order.push(w);
            now += plan.round_ns();
            assert!(order.len() < 10_000, "never ends");
        }
        order
    }

    #[test]
    fn precise_workloads_get_their_fewest_runs() {
        let plan = Plan::make(&request());
        let order = play(&plan, |_, _| Some(1.0));
        for w in 0..plan.all().count() {
            assert_eq!(order.iter().filter(|o| **o == w).count(), 6, "workload {w}");
        }
    }

    #[test]
    fn reads_are_interleaved_and_writes_are_blocks() {
        let plan = Plan::make(&request());
        let order = play(&plan, |_, _| Some(1.0));
        let reads = plan.reads.len();
        let (first, rest) = order.split_at(reads * 6);
        for pass in first.chunks(reads) {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..reads).collect::<Vec<_>>(), "each pass visits each read once");
        }
        assert!(first.chunks(reads).any(|pass| pass != &first[..reads]), "in changing order");
        assert!(rest.is_sorted(), "each write workload is one block");
    }

    #[test]
    fn two_halves_run_every_workload_early_and_late() {
        let drive_bytes = Some(2_000_000_000_000);
        let plan = Plan::make(&Request { time_ns: 600_000_000_000, drive_bytes, ..request() });
        assert!(plan.halves);
        let order = play(&plan, |_, _| Some(1.0));
        let all = plan.all().count();
        let (early, late) = order.split_at(all * 3);
        for half in [early, late] {
            assert!((0..all).all(|w| half.iter().filter(|o| **o == w).count() == 3), "{half:?}");
            assert!(half[plan.reads.len() * 3..].is_sorted(), "a block each");
        }
    }

    #[test]
    fn a_first_half_that_takes_too_long_leaves_time_for_the_second() {
        let plan = Plan { halves: true, ..Plan::make(&request()) };
        let mut scheduler = Scheduler::new(plan.clone(), 7);
        let (first, second) = (scheduler.next(0).unwrap(), scheduler.next(plan.time_ns / 2).unwrap());
        assert!(first < plan.reads.len() && second < plan.reads.len());
        assert!(!scheduler.is_early);
    }

    #[test]
    fn noisy_workloads_use_the_time_and_no_more() {
        let plan = Plan::make(&request());
        let order = play(&plan, |_, n| Some(if n % 2 == 0 { 1.0 } else { 2.0 }));
        let used = order.len() as u64 * plan.round_ns();
        assert!(used <= plan.time_ns + plan.round_ns(), "{used} of {}", plan.time_ns);
        assert!(used >= plan.time_ns * 8 / 10, "{used} of {}", plan.time_ns);
    }

    #[test]
    fn time_lost_between_rounds_costs_none_of_the_fewest_runs() {
        let only = [Workload::plain(Pattern::Random, 100, 4096, 1, 4)];
        let plan = Plan::make(&Request { only: &only, fill: false, runs: Some(6), time_ns: 9_000_000_000, ..request() });
        let mut scheduler = Scheduler::new(plan.clone(), 7);
        let (mut now, mut runs) = (0, 0);
        while let Some(workload) = scheduler.next(now) {
            scheduler.record(workload, Some(f64::from(runs)));
            (now, runs) = (now + plan.round_ns() * 5 / 4, runs + 1);
        }
        assert_eq!(runs, 6, "a quarter of each round is lost after it");
        assert!(now <= plan.time_ns * 5 / 4, "{now}");
    }

    #[test]
    fn every_workload_gets_one_run_however_late_it_is() {
        let plan = Plan::make(&request());
        let mut scheduler = Scheduler::new(plan.clone(), 7);
        let mut seen = std::collections::BTreeSet::new();
        while let Some(w) = scheduler.next(plan.time_ns * 2) {
            scheduler.record(w, Some(1.0));
            assert!(seen.insert(w), "only one run of {w}");
        }
        assert_eq!(seen.len(), plan.all().count());
    }

    #[test]
    fn runs_asked_for_are_all_run() {
        let plan = Plan::make(&Request { runs: Some(3), time_limited: false, time_ns: 1, ..request() });
        let order = play(&plan, |_, n| Some(f64::from(n)));
        assert_eq!(order.len(), plan.all().count() * 3);
    }

    #[test]
    fn what_was_given_up_is_not_run_again() {
        let plan = Plan::make(&request());
        let mut scheduler = Scheduler::new(plan.clone(), 7);
        let first = scheduler.next(0).unwrap();
        scheduler.give_up(first);
        for step in 1..500 {
            match scheduler.next(step * 1000) {
                Some(w) => {
                    assert_ne!(w, first);
                    scheduler.record(w, Some(1.0));
                }
                None => return,
            }
        }
        panic!("never ends");
    }
}
