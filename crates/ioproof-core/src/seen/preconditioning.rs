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
    #[must_use]
    pub fn of(record: &'a RunRecord) -> Option<Self> {
        let rounds: Vec<Part> = record.parts().filter(|part| part.stage.purpose == Purpose::Precondition).collect();
        let last = rounds.last()?;
        let values = rounds.iter().filter(|part| part.round.job == last.round.job).map(Part::main_value).collect();
        Some(Self { job: last.job, values })
    }

    /// The last rounds; `None` where there were too few.
    #[must_use]
    pub fn window(&self) -> Option<Steadiness> {
        self.last().and_then(Steadiness::of)
    }

    /// True where the last rounds were steady.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        self.window().is_some_and(|window| window.is_preconditioned())
    }

    /// The steady state that it reached, to be kept for the drive.
    #[must_use]
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
