//! Which round comes next, decided from what has been measured so far.
//!
//! Reads are interleaved: every pass visits, in random order, each workload that still needs runs. Each write workload runs as one block.
//! A workload is done when its interval is narrow enough, when it has had its most runs, or when its share of the time is spent.

use super::{Plan, Planned};
use crate::stats::Estimate;

/// What a workload has shown so far: one value per counted run, and how many runs were spent in vain.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    values: Vec<f64>,
    attempts: u32,
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Run this workload (an index in the order of [`Plan::all`]).
    Run(usize),
    /// Nothing is left to run.
    Done,
}

/// Orders the rounds of a plan.
#[derive(Debug, Clone)]
pub struct Scheduler {
    progress: Vec<Progress>,
    given_up: Vec<bool>,
    reads: usize,
    queue: Vec<usize>,
    block_started_ns: Option<u64>,
    random: u64,
}

impl Scheduler {
    /// A schedule for the plan; the same seed gives the same order.
    #[must_use]
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let workloads = plan.all().count();
        Self {
            progress: vec![Progress::default(); workloads],
            given_up: vec![false; workloads],
            reads: plan.reads.len(),
            queue: Vec::new(),
            block_started_ns: None,
            random: seed | 1,
        }
    }

    /// The next round, `elapsed_ns` after the run began.
    pub fn next(&mut self, plan: &Plan, elapsed_ns: u64) -> Next {
        if let Some(read) = self.next_read(plan, elapsed_ns) {
            return Next::Run(read);
        }
        self.next_write(plan, elapsed_ns).map_or(Next::Done, Next::Run)
    }

    /// Tells what a round showed: the value that the workload is about, or `None` where the round does not count.
    pub fn record(&mut self, workload: usize, value: Option<f64>) {
        let progress = &mut self.progress[workload];
        progress.attempts += 1;
        progress.values.extend(value);
    }

    /// Ends a workload, because it cannot be measured.
    pub fn give_up(&mut self, workload: usize) {
        self.given_up[workload] = true;
    }

    /// Runs that a workload has had, counted or not.
    #[must_use]
    pub fn attempts(&self, workload: usize) -> u32 {
        self.progress[workload].attempts
    }

    /// Time that is still to come, as far as can be told. Nanoseconds.
    #[must_use]
    pub fn remaining_ns(&self, plan: &Plan, elapsed_ns: u64) -> u64 {
        let least: u32 = (0..self.progress.len()).filter(|w| !self.given_up[*w]).map(|w| plan.min_runs.saturating_sub(self.progress[w].attempts)).sum();
        let by_clock = plan.time_ns.saturating_sub(elapsed_ns);
        let open = (0..self.progress.len()).any(|w| self.wants_more(plan, w));
        match open {
            true => by_clock.max(u64::from(least.min(1)) * round_ns(plan)),
            false => 0,
        }
    }

    fn next_read(&mut self, plan: &Plan, elapsed_ns: u64) -> Option<usize> {
        let deadline = share_of_time(plan, elapsed_ns, 0, self.reads, self.reads, self.progress.len());
        if self.queue.is_empty() && (self.reads > 0) {
            let reads_over = self.reads_over_ns(plan) <= elapsed_ns && self.had_a_first_pass();
            if reads_over || deadline == 0 {
                return None;
            }
            self.queue = (0..self.reads).filter(|w| self.wants_more(plan, *w)).collect();
            self.shuffle();
        }
        self.queue.pop()
    }

    /// Reads may use the time up to here; what they leave goes to the writes.
    fn reads_over_ns(&self, plan: &Plan) -> u64 {
        let all = self.progress.len().max(1) as u64;
        let fill = if plan.fill { plan.time_ns / 4 } else { 0 };
        fill + (plan.time_ns - fill) / all * self.reads as u64
    }

    fn had_a_first_pass(&self) -> bool {
        self.progress[..self.reads].iter().all(|p| p.attempts > 0)
    }

    fn next_write(&mut self, plan: &Plan, elapsed_ns: u64) -> Option<usize> {
        loop {
            let current = (self.reads..self.progress.len()).find(|w| !self.given_up[*w])?;
            let started = *self.block_started_ns.get_or_insert(elapsed_ns);
            let left = self.given_up[self.reads..].iter().filter(|g| !**g).count() as u64;
            let share = plan.time_ns.saturating_sub(started) / left;
            let spent = elapsed_ns - started >= share && self.progress[current].attempts > 0;
            if !spent && self.wants_more(plan, current) {
                return Some(current);
            }
            self.given_up[current] = true;
            self.block_started_ns = None;
        }
    }

    fn wants_more(&self, plan: &Plan, workload: usize) -> bool {
        let progress = &self.progress[workload];
        if self.given_up[workload] || progress.attempts >= plan.max_runs {
            return false;
        }
        if progress.attempts < plan.min_runs {
            return true;
        }
        Estimate::of(&progress.values, plan.confidence).is_none_or(|e| !e.is_interval() || e.relative_half_width() > plan.precision)
    }

    /// Fisher-Yates with a xorshift generator: enough to decouple the order from time.
    fn shuffle(&mut self) {
        for i in (1..self.queue.len()).rev() {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            self.queue.swap(i, (self.random % (i as u64 + 1)) as usize);
        }
    }
}
