//! Preconditioning of a run: the figures of its rounds, and the window by which it was steady or not.

use crate::record::{JobRecord, Part, Purpose, RunRecord, SteadyState};
use crate::stats::{PRECONDITION_WINDOW, Steadiness};

/// Rounds of the workload that brought the drive to steady state.
#[derive(Debug)]
pub struct Preconditioning<'a> {
    pub job: &'a JobRecord,
    /// The figure of each round, in the order of time.
    pub values: Vec<f64>,
}

impl<'a> Preconditioning<'a> {
    /// `None` where nothing was preconditioned. The passes before the rounds are another job.
    pub fn of(record: &'a RunRecord) -> Option<Self> {
        let rounds: Vec<Part> = record.parts().filter(|part| part.stage.purpose == Purpose::Precondition).collect();
        let last = rounds.last()?;
        let values = rounds.iter().filter(|part| part.round.job == last.round.job).map(Part::main_value).collect();
        Some(Self { job: last.job, values })
    }

    /// The last rounds; `None` where there were too few.
    pub fn window(&self) -> Option<Steadiness> {
        self.last().and_then(Steadiness::of)
    }

    pub fn is_steady(&self) -> bool {
        self.window().is_some_and(|window| window.is_preconditioned())
    }

    /// The steady state that it reached, to be kept for the drive.
    pub fn reached(&self, record: &RunRecord) -> Option<SteadyState> {
        let last = self.last().filter(|_| self.is_steady())?;
        let workload = &self.job.workload;
        Some(SteadyState {
            at: record.started_at.clone(),
            run: record.id.clone(),
            workload: workload.title(),
            block_bytes: workload.block_bytes,
            metric: workload.main_metric(),
            rate: last.iter().sum::<f64>() / last.len() as f64,
        })
    }

    fn last(&self) -> Option<&[f64]> {
        self.values.len().checked_sub(PRECONDITION_WINDOW).map(|from| &self.values[from..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    #[test]
    fn the_steady_state_is_that_of_the_last_rounds() {
        let mut record = record();
        assert!(Preconditioning::of(&record).is_none());
        let job = record.jobs.iter().position(|job| job.workload.writes() && !job.workload.is_unloaded()).unwrap() as u32;
        record.stages.retain(|stage| stage.rounds[0].job == job);
        record.stages.iter_mut().for_each(|stage| stage.purpose = Purpose::Precondition);
        record.stages[0].rounds[0].elapsed_ns *= 9;
        let done = Preconditioning::of(&record).unwrap();
        assert_eq!(done.values.len(), 6);
        let reached = done.reached(&record).unwrap();
        assert_eq!((reached.run.as_str(), reached.rate), (record.id.as_str(), done.values[5]), "the slow first round is none of them");
        let written: u64 = record.stages.iter().map(|stage| stage.rounds[0].total_bytes.1).sum();
        assert_eq!(record.written_to(0, None), (written, record.jobs[job as usize].span.length_bytes));
        assert_eq!(record.written_to(1, None), (0, 0));
        record.stages[5].rounds[0].elapsed_ns *= 2;
        assert!(Preconditioning::of(&record).unwrap().reached(&record).is_none());
    }
}
