//! Further runs that tell what limits a number, while time is left: the same reads with twice the depth, one alone, or with one more worker. What writes is left alone, since writing changes the drive.

use super::load::{Lengths, Tasks};
use ioproof_core::judge::judge;
use ioproof_core::plan::Plan;
use ioproof_core::record::{Purpose, RunRecord};
use ioproof_core::workload::Workload;
use ioproof_runner::{Failure, Source, StageSpec};
use std::collections::VecDeque;
use std::time::Duration;

const ROUNDS: u32 = 3;

pub struct DiagnosticRuns<'a> {
    tasks: Tasks<'a>,
    /// Loads that are to be run, each with the number of its next round; none before the first stage is asked for.
    left: Option<VecDeque<(Workload, u32)>>,
    /// Length of each round with its ramp. Nanoseconds.
    round_ns: u64,
}

/// The ramp's part of a round, as in a plan.
const RAMP: u64 = 5;

/// Shortest round with its ramp: the shortest of a plan.
const SHORTEST_NS: u64 = 250_000_000;

impl<'a> DiagnosticRuns<'a> {
    /// Nothing is known yet.
    pub fn new(tasks: Tasks<'a>) -> Self {
        Self { tasks, left: None, round_ns: 0 }
    }

    /// Loads that would tell, each once, as far as there is time for them in rounds as long as the plan's, or shorter ones.
    fn want(&mut self, record: &RunRecord, plan: &Plan, elapsed_ns: u64) -> VecDeque<(Workload, u32)> {
        let left_ns = plan.time_ns.saturating_sub(elapsed_ns) / u64::from(ROUNDS);
        let most = (left_ns / SHORTEST_NS) as usize;
        let mut wanted: Vec<Workload> = Vec::new();
        let told = judge(record).rows.into_iter().filter_map(|row| row.limit?.telling_run?.workload);
        for workload in told.filter(|workload| !workload.writes()) {
            if !wanted.contains(&workload) && !record.jobs.iter().any(|job| job.workload == workload) {
                wanted.push(workload);
            }
        }
        wanted.truncate(most);
        self.round_ns = (left_ns / (wanted.len() as u64).max(1)).min(plan.round_ns());
        wanted.into_iter().map(|workload| (workload, 0)).collect()
    }
}

impl Source for DiagnosticRuns<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        // Where only the runs end it, nobody said how long it may take.
        let Some(plan) = record.plan.clone().filter(|plan| plan.time_limited) else { return Ok(None) };
        if self.left.is_none() {
            self.left = Some(self.want(record, &plan, elapsed_ns));
        }
        let Some(left) = &mut self.left else { return Ok(None) };
        let Some((workload, number)) = left.pop_front() else { return Ok(None) };
        if number + 1 < ROUNDS {
            left.push_back((workload.clone(), number + 1));
        }
        let job = self.tasks.job(record, &workload);
        let ramp_ns = self.round_ns / RAMP;
        let lengths = Lengths { ramp_ns, measure_ns: self.round_ns - ramp_ns };
        let task = self.tasks.measured(job, &workload, record.stages.len() as u32, lengths);
        let title = format!("{} (queue depth {}), to tell what limits", workload.title(), workload.concurrency());
        let time = Duration::from_nanos(plan.time_ns.saturating_sub(elapsed_ns));
        Ok(Some(StageSpec::of(task, Purpose::Tell, number, title, Some(time))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::plan::PlanSource;
    use crate::sources::testing;
    use ioproof_core::limited_by::Place;
    use ioproof_runner::{Script, Sequence};

    /// A drive that does this much at each depth, by random reads at depth 4, and what limits them in the end.
    fn run(rate: impl Fn(u32) -> f64 + Send + Sync, flags: &str) -> RunRecord {
        let load = testing::load(flags);
        let mut record = testing::record(&load);
        record.config.command = ["ioproof", "verify", "x"].map(str::to_owned).to_vec();
        record.verb = "verify".into();
        let script = Script::new(move |task, _| {
            let rate = rate(task.spec.workload.depth);
            let latency_ns = f64::from(task.spec.workload.depth) / rate * 1e9;
            Ok(Script::outcome(task, (rate / 10.0) as u64, latency_ns as u64, 100_000_000))
        });
        let tasks = testing::tasks(&load);
        let mut source = Sequence::new(vec![Box::new(PlanSource::new(tasks)), Box::new(DiagnosticRuns::new(tasks))]);
        testing::play(&mut record, &script, &mut source).unwrap();
        record
    }

    fn place(record: &RunRecord) -> Place {
        judge(record).rows[0].limit.clone().unwrap().place
    }

    #[test]
    fn twice_the_depth_tells_concurrency_from_a_busy_drive() {
        let reads = "--rw randread --workers 1 --depth 4";
        let more = run(|depth| f64::from(depth) * 10_000.0, reads);
        assert_eq!((place(&more), more.jobs.len()), (Place::Concurrency, 2));
        assert_eq!(more.stages.iter().filter(|stage| stage.purpose == Purpose::Tell).count(), ROUNDS as usize);
        let busy = run(|_| 40_000.0, reads);
        assert!(place(&busy) != Place::Concurrency && busy.jobs.len() == 2);
        let row = &judge(&busy).rows[0];
        assert!(row.limited_by.contains("twice the depth does no more"), "{}", row.limited_by);
        assert_eq!(judge(&busy).rows.len(), 1, "what tells is no result");
    }

    #[test]
    fn a_short_rest_of_the_time_is_enough_to_tell() {
        let load = testing::load("--rw randread --workers 1 --depth 4");
        let (mut telling, plan) = (DiagnosticRuns::new(testing::tasks(&load)), testing::record(&load).plan.unwrap());
        let busy = run(|_| 40_000.0, "--rw randread --workers 1 --depth 4");
        let measured = RunRecord { jobs: busy.jobs[..1].to_vec(), stages: busy.stages[..6].to_vec(), ..busy };
        let mut wanted = |left_ns: u64| (telling.want(&measured, &plan, plan.time_ns - left_ns).len(), telling.round_ns);
        assert_eq!(wanted(plan.time_ns), (1, plan.round_ns()));
        assert_eq!(wanted(3_000_000_000), (1, 1_000_000_000));
        assert_eq!(wanted(740_000_000).0, 0, "no round is shorter than a plan's");
    }

    #[test]
    fn nothing_is_written_to_tell() {
        let writes = run(|depth| f64::from(depth) * 10_000.0, "--rw randwrite --workers 1 --depth 4");
        assert!(writes.stages.iter().all(|stage| stage.purpose == Purpose::Measure));
    }
}
