//! Events of a run. Progress, a status line, the store, a live view and a log are observers of them; none of them can disturb the run.

use crate::end::TaskEnd;
use crate::live::LiveTask;
use crate::source::StageSpec;
use ioproof_core::record::{RunRecord, SelfTest, Stage};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// One event.
#[derive(Debug)]
pub enum Event<'a> {
    /// Something that takes a while begins; `left` is the time until all is done, as far as it is known.
    Step {
        /// In words.
        text: &'a str,
        /// Time until all is done.
        left: Option<Duration>,
    },
    /// The step under way goes on.
    Progress {
        /// In words, such as a share and a rate.
        text: &'a str,
    },
    /// A sentence that a user must read now.
    Note(&'a str),
    /// The load generator was tested.
    SelfTested(&'a SelfTest),
    /// The record has changed in something else than its stages.
    Changed(&'a RunRecord),
    /// A stage begins.
    StageBegan(&'a StageSpec),
    /// About twenty times a second while a stage runs.
    Tick(StageTick<'a>),
    /// A stage has ended: as it is recorded, and the end of each of its tasks.
    StageEnded {
        /// The stage; it is the record's last.
        stage: &'a Stage,
        /// The tasks, as they were asked for.
        spec: &'a StageSpec,
        /// Their ends, in the same order.
        ends: &'a [TaskEnd],
        /// The record so far.
        record: &'a RunRecord,
    },
    /// All is measured.
    Ended(&'a RunRecord),
}

/// A look at the tasks of a stage while they run.
#[derive(Debug, Clone, Copy)]
pub struct StageTick<'a> {
    /// The stage.
    pub spec: &'a StageSpec,
    /// Its tasks as they are seen from outside, in the same order.
    pub live: &'a [LiveTask],
    /// Time since the run began to measure.
    pub elapsed: Duration,
    pub(crate) stops: &'a [AtomicBool],
}

impl StageTick<'_> {
    /// Ends a task, as complete.
    pub fn end_task(&self, position: usize) {
        if let Some(stop) = self.stops.get(position) {
            stop.store(true, Relaxed);
        }
    }
}

/// Whoever wants to know how a run goes.
pub trait Observer {
    /// Takes an event. What goes wrong here stays here.
    fn observe(&mut self, event: &Event<'_>);
}
