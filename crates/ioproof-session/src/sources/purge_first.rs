//! A purge before each test of a standard, between the stages of another source. It is no stage: it moves no data, and no counter of it says anything.
//!
//! A test has begun once its first pass or cell is in the record. So a run that was interrupted before that purges anew, and one that goes on in the middle of a
//! test does not.

use ioproof_core::course::Course;
use ioproof_core::record::RunRecord;
use ioproof_runner::{Failure, Source, StageSpec, TaskEnd};
use ioproof_store::config_hash::rehash;

pub struct PurgeFirst<'s> {
    pub source: &'s mut dyn Source,
    /// Purges the drive, and says in words by what: `sanitize (block erase)`.
    pub purge: &'s mut dyn FnMut() -> Result<&'static str, Failure>,
}

impl Source for PurgeFirst<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        if Course::of(record).is_some_and(|course| course.begins_a_test()) {
            let way = (self.purge)()?;
            if let Some(standard) = record.plan.as_mut().and_then(|plan| plan.standard.as_mut()) {
                standard.purge = Some(way.to_owned());
            }
            rehash(record);
        }
        self.source.next(record, elapsed_ns)
    }

    fn take(&mut self, ends: Vec<TaskEnd>) {
        self.source.take(ends);
    }

    fn is_over(&self) -> bool {
        self.source.is_over()
    }

    fn close(&mut self, record: &mut RunRecord) {
        self.source.close(record);
    }
}
