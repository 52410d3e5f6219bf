//! Rounds of databases: whoever runs them, and their length in the words of a job. A database makes its own I/O in its own files, so of a task's other fields only those count that
//! say when it begins.

use crate::failure::Failure;
use ioproof_core::database::{DatabaseControl, DatabaseLoad};
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::record::DatabaseRound;
use ioproof_core::workload::{Pattern, Workload};

/// The databases of a run.
pub trait DatabaseRunner: Sync {
    /// Runs a round to its end, or until it is stopped.
    ///
    /// # Errors
    /// When there is no such database. One that fails is part of what was measured.
    fn run(&self, load: &DatabaseLoad, control: DatabaseControl<'_>) -> Result<DatabaseRound, Failure>;
}

/// A description of a round's length for whoever goes by the load of the engine; of pages and bytes it says nothing true.
pub(crate) fn spec_of(load: &DatabaseLoad) -> JobSpec {
    let (workload, span) = (Workload::plain(Pattern::Random, 0, 4096, 1, 1), Span { offset_bytes: 0, length_bytes: 0 });
    let plain = JobSpec::plain(workload, span, Until::ElapsedNs(load.measure.as_nanos() as u64));
    JobSpec { ramp_ns: load.warm_up.as_nanos() as u64, seed: load.seed, error_limit: 0, ..plain }
}
