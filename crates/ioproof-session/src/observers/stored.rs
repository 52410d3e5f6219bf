//! Keeps a run while it goes on: every stage as it ends, the record whenever it changes. What cannot be kept ends nothing: the run goes on in memory, which
//! is said once, and all of it is tried again in the end.

use anyhow::Result;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_process::complaint::describe;
use ioproof_process::messages;
use ioproof_runner::{Event, Observer};
use ioproof_store::RunWriter;
use std::path::{Path, PathBuf};

const MEND: &str = "make room there, or set XDG_STATE_HOME to a folder that can be written";

#[derive(Debug)]
pub struct RunRecorder {
    writer: RunWriter,
    place: Option<PathBuf>,
    /// True once something could not be kept; it is said once.
    failed: bool,
}

impl RunRecorder {
    /// Begins to keep a run. Where nothing can be kept, that is said and the run goes on.
    pub fn begin(record: &RunRecord) -> Self {
        let mut stored = Self { writer: RunWriter::nowhere(), place: ioproof_store::place(&record.id).ok(), failed: false };
        match RunWriter::create(record) {
            Ok(writer) => stored.writer = writer,
            Err(error) => stored.give_up(&error),
        }
        // Those of a run that goes on.
        let taken_over = record.stages.iter().try_for_each(|stage| stored.writer.save_stage(stage));
        stored.keep(taken_over);
        stored
    }

    /// Where the run is, if all of it is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.writer.folder().filter(|_| !self.failed)
    }

    /// Keeps the record with its judgement. What failed before is tried once more, since room may have been made, and so is all of it where something of it is not there any more.
    pub fn finish(&mut self, record: &RunRecord, judgement: &Judgement) {
        let mut all = self.save_all(record, judgement, self.failed);
        if all.is_err() && !self.failed {
            all = self.save_all(record, judgement, true);
        }
        self.failed &= all.is_err();
        self.keep(all);
    }

    /// Keeps the record and its judgement, and its stages anew where they are to be.
    fn save_all(&mut self, record: &RunRecord, judgement: &Judgement, anew: bool) -> Result<()> {
        if self.writer.folder().is_none() {
            self.writer = RunWriter::create(record)?;
        }
        record.stages.iter().filter(|_| anew).try_for_each(|stage| self.writer.save_stage(stage))?;
        self.writer.save(record)?;
        self.writer.save_judgement(judgement)?;
        self.writer.save_summary(record, Some(judgement))?;
        self.writer.seal()
    }

    /// Says in the end that this run is kept nowhere, and what keeps the next one.
    pub fn say_how_to_keep(&self) {
        messages::warning(&format!("the run is not stored{}", self.would_be()));
        messages::hint(&format!("{MEND}; with -o run.json all of a run is in that file, and `ioproof report run.json` shows it"));
    }

    fn would_be(&self) -> String {
        self.place.as_ref().map(|place| format!("; it would be in {}", place.display())).unwrap_or_default()
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
        messages::warning(&format!("the run is not stored: {}{}", describe(error), self.would_be()));
        messages::hint(&format!("it goes on, and its results are shown in the end; {MEND}"));
    }
}

impl Observer for RunRecorder {
    fn observe(&mut self, event: &Event<'_>) {
        let kept = match event {
            Event::Changed(record) => self.writer.save(record),
            Event::StageEnded { stage, record, .. } => self.writer.save_stage(stage).and_then(|()| self.writer.save(record)),
            _ => return,
        };
        self.keep(kept);
    }
}
