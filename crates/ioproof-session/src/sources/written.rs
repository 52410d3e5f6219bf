//! `--check`: a record of what a workload has written where, kept over all of its rounds, and the stage that reads it back.

use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::{Purpose, RunRecord};
use ioproof_core::units::binary_size;
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::WriteLedger;
use ioproof_runner::{Failure, StageSpec, Task, unit_bytes};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// I/Os outstanding while data is read back.
const DEPTH: u32 = 32;

#[derive(Debug, Default)]
pub struct CheckedWrites(Option<(Workload, Arc<WriteLedger>)>);

impl CheckedWrites {
    /// The ledger for a workload, the same for all of its rounds; none for one that is not checked.
    ///
    /// # Errors
    /// When the span is too large to remember.
    pub fn ledger(&mut self, workload: &Workload, record: &RunRecord) -> Result<Option<Arc<WriteLedger>>, Failure> {
        let span = record.jobs.iter().find(|job| job.workload == *workload).map(|job| job.span);
        let Some(span) = span.or(record.plan.as_ref().map(|plan| plan.span)).filter(|_| workload.shape.data.checked) else {
            return Ok(None);
        };
        if !self.0.as_ref().is_some_and(|(known, _)| known == workload) {
            let ledger = WriteLedger::new(span, unit_bytes(workload), seed(record, workload));
            let ledger = ledger.map_err(|e| Failure::hinted(format!("--check: {e}"), "--size takes less of the target"))?;
            self.0 = Some((workload.clone(), Arc::new(ledger)));
        }
        Ok(self.0.as_ref().map(|(_, ledger)| Arc::clone(ledger)))
    }

    /// The workload that was written and its ledger, unless the next workload is still the same.
    pub fn done_with(&mut self, next: Option<&Workload>) -> Option<(Workload, Arc<WriteLedger>)> {
        self.0.take_if(|(workload, _)| next != Some(workload))
    }

    /// Tells what could not be read back because the run has ended.
    pub fn close(&mut self, record: &mut RunRecord) {
        if let Some((workload, _)) = self.0.take() {
            record.notes.push(format!("{}: the run ended before what was written could be read back", workload.title()));
        }
    }
}

/// The stage that reads back what a workload wrote, made of a plain task over the same span.
pub fn read_back(plain: Task, workload: &Workload, ledger: Arc<WriteLedger>) -> StageSpec {
    let title = format!("reading back {} that {} wrote", binary_size(plain.spec.span.length_bytes), workload.title());
    let pass = Workload { workers: 1, ..reads(workload) };
    let spec = JobSpec { workload: pass, ramp_ns: 0, until: Until::SpanCovered, error_limit: u64::MAX, ..plain.spec };
    let mut task = Task { spec, ..plain };
    task.check.ledger = Some(ledger);
    StageSpec::of(task, Purpose::ReadBack, 0, title, None)
}

/// One ascending pass in the smallest blocks, so that every write is seen whole or in parts.
fn reads(workload: &Workload) -> Workload {
    let mut reads = Workload::plain(Pattern::Sequential, 100, workload.smallest_block_bytes(), 1, DEPTH);
    reads.shape.data.checked = true;
    reads
}

/// Tells the data of this workload and run from all other data, also where `--seed` is the same.
fn seed(record: &RunRecord, workload: &Workload) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&record.id, record.config.seed, workload).hash(&mut hasher);
    hasher.finish()
}
