//! Sources of stages: the plan of a datasheet, a job file, a search, preconditioning. A sweep is one more source and nothing else.

use crate::end::TaskEnd;
use crate::failure::Failure;
use crate::task::Task;
use ioproof_core::record::{Purpose, RunRecord};
use std::time::Duration;

/// Decides the next stage from what has been recorded so far.
pub trait Source {
    /// The next stage; `None` when there is none. The last stage, if it was this source's, is the record's last. Jobs that the stage needs are added to the
    /// record here. `elapsed_ns` is the time since the run began, by the clock of whoever executes.
    ///
    /// # Errors
    /// When the run cannot go on.
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure>;

    /// Takes the ends of the tasks of its last stage, which the record has only as rounds.
    fn take(&mut self, _ends: Vec<TaskEnd>) {}

    /// True where it surely asks for nothing more, so that a signal that comes now cuts nothing short.
    fn is_over(&self) -> bool {
        false
    }

    /// Called once when no further stage will be asked for, also after an interruption.
    fn close(&mut self, _record: &mut RunRecord) {}
}

/// A stage that is to be run.
#[derive(Debug, Clone)]
pub struct StageSpec {
    /// The reason for which it is run.
    pub purpose: Purpose,
    /// Repetition of the same tasks, from 0.
    pub repetition: u32,
    /// In words, for whoever watches.
    pub title: String,
    /// Time until all is done, as far as it is known.
    pub left: Option<Duration>,
    /// The tasks, which start together.
    pub tasks: Vec<Task>,
    /// True where the run goes on to the next stage after a task has failed, as a job file does; and where a task that was ended early counts for the time that
    /// it ran.
    pub is_job_file: bool,
}

impl StageSpec {
    /// A stage of one task that is measured.
    #[must_use]
    pub fn of(task: Task, purpose: Purpose, repetition: u32, title: String, left: Option<Duration>) -> Self {
        Self { purpose, repetition, title, left, tasks: vec![task], is_job_file: false }
    }
}

/// Sources one after the other, such as a search and then the plan.
pub struct Sequence<'a> {
    sources: Vec<Box<dyn Source + 'a>>,
    at: usize,
}

impl<'a> Sequence<'a> {
    /// In this order.
    #[must_use]
    pub fn new(sources: Vec<Box<dyn Source + 'a>>) -> Self {
        Self { sources, at: 0 }
    }
}

impl Source for Sequence<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        while let Some(source) = self.sources.get_mut(self.at) {
            if let Some(stage) = source.next(record, elapsed_ns)? {
                return Ok(Some(stage));
            }
            source.close(record);
            self.at += 1;
        }
        Ok(None)
    }

    fn take(&mut self, ends: Vec<TaskEnd>) {
        if let Some(source) = self.sources.get_mut(self.at) {
            source.take(ends);
        }
    }

    fn close(&mut self, record: &mut RunRecord) {
        self.sources.iter_mut().skip(self.at).for_each(|source| source.close(record));
    }
}
