//! Keeps a run while it goes on: every stage as it ends, the record whenever it changes. What cannot be kept ends nothing.

use crate::complaint;
use crate::store::Writer;
use anyhow::Result;
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Judgement;
use ioproof_runner::{Event, Observer};
use std::path::Path;

/// The store as an observer.
#[derive(Debug)]
pub struct Stored {
    writer: Writer,
    /// True once something could not be kept; it is said once.
    failed: bool,
}

impl Stored {
    /// Begins to keep a run. Where nothing can be kept, that is said and the run goes on.
    pub fn begin(record: &RunRecord) -> Self {
        let mut stored = Self { writer: Writer::nowhere(), failed: false };
        match Writer::create(record) {
            Ok(writer) => stored.writer = writer,
            Err(error) => stored.give_up(&error),
        }
        stored
    }

    /// Where the run is, if all of it is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.writer.folder().filter(|_| !self.failed)
    }

    /// Keeps the record with its judgement. What failed before is tried once more: room may have been made.
    pub fn finish(&mut self, record: &RunRecord, judgement: &Judgement) {
        let again = std::mem::take(&mut self.failed);
        let stages = || record.stages.iter().filter(|_| again).try_for_each(|stage| self.writer.save_stage(stage));
        let all = stages().and_then(|()| self.writer.save(record)).and_then(|()| self.writer.save_judgement(judgement));
        self.keep(all);
    }

    fn keep(&mut self, kept: Result<()>) {
        if let Err(error) = kept
            && !self.failed
        {
            self.give_up(&error);
        }
    }

    fn give_up(&mut self, error: &anyhow::Error) {
        self.failed = true;
        complaint::warn("the run is not stored", error);
    }
}

impl Observer for Stored {
    fn observe(&mut self, event: &Event<'_>) {
        let kept = match event {
            Event::Changed(record) => self.writer.save(record),
            Event::StageEnded { stage, record, .. } => self.writer.save_stage(stage).and_then(|()| self.writer.save(record)),
            _ => return,
        };
        self.keep(kept);
    }
}
