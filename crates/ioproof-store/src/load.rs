//! A stored run as it is read. One that cannot be read in full says in its notes what is missing.

use crate::digests::CHANGED;
use crate::kept_files::{KeptFiles, kept_files, read};
use crate::layout::{JUDGEMENT, RECORD, STAGES, check_version, files};
use crate::locks::is_locked;
use crate::summary::{Summary, kept_of};
use anyhow::{Context, Result};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, RunStatus, Stage, version_of};
use ioproof_process::complaint::describe;
use std::path::Path;

#[derive(Debug)]
pub struct StoredRun {
    pub record: RunRecord,
    /// The judgement that was stored with it, if it got so far.
    pub judgement: Option<Judgement>,
}

/// Words of every note on stages that are not there or cannot be read.
const MISSING: &str = "missing here";

/// Words with which the note on a judgement begins that cannot be read.
const JUDGED_ANEW: &str = "it is judged anew";

pub(crate) fn load(folder: &Path) -> Result<StoredRun> {
    // Before all else: where they are, no other file is still to change.
    let (kept, unread) = kept_files(folder);
    let path = folder.join(RECORD);
    let run = read(&path)?;
    let no_record = || format!("{} is no record of this format", path.display());
    check_version(folder, version_of(&run).with_context(no_record)?)?;
    // serde_json names line and column.
    let mut record: RunRecord = serde_json::from_slice(&run).with_context(no_record)?;
    read_stages(&mut record, &kept);
    note_missing_at_end(&mut record, kept_of(folder));
    record.notes.extend(kept.note_removed(kept_of(folder)));
    if record.status == RunStatus::Running && !is_locked(folder) {
        record.status = RunStatus::Interrupted;
    }
    let changed = kept.check(RECORD, &run).err().map(|error| describe(&error));
    record.notes.extend(changed.into_iter().chain(unread.map(|why| format!("its files may have been {CHANGED}: {why}"))));
    let judgement = folder.join(JUDGEMENT).exists().then(|| kept.read_json(JUDGEMENT)).transpose();
    let judgement = judgement.unwrap_or_else(|error: anyhow::Error| {
        record.notes.push(format!("{JUDGED_ANEW}: {}", describe(&error)));
        None
    });
    Ok(StoredRun { record, judgement })
}

/// Adds the stages. One that cannot be read takes only itself away, which the record then says.
fn read_stages(record: &mut RunRecord, kept: &KeptFiles<'_>) {
    let number = |file: &Path| file.file_stem()?.to_str()?.parse::<u32>().ok();
    for (file, expected) in files(&kept.folder.join(STAGES)).iter().zip(0..) {
        match kept.read_json::<Stage>(&kept.name_of(file)) {
            Ok(stage) if Some(stage.index) == number(file) && !stage.started_at.is_empty() => record.stages.push(stage),
            Ok(_) => record.notes.push(format!("a stage is {MISSING}: {} holds none, or another", file.display())),
            Err(error) => record.notes.push(format!("a stage is {MISSING}: {}", describe(&error))),
        }
        let before = record.notes.iter().any(|note| note.starts_with("stages are missing"));
        if number(file) != Some(expected) && !before {
            record.notes.push(format!("stages are {MISSING} before {}", file.display()));
        }
    }
}

/// Says that stages are missing behind the last that is there: the summary of a run that has ended knows how many there were.
fn note_missing_at_end(record: &mut RunRecord, summary: Option<Summary>) {
    let known = summary.filter(|summary| summary.status != RunStatus::Running).map_or(0, |summary| summary.rounds);
    let missing = known.saturating_sub(record.stages.len());
    if missing > 0 && !record.notes.iter().any(|note| note.contains(MISSING)) {
        record.notes.push(format!("{missing} of the {known} stages are {MISSING} at the end"));
    }
}

/// Notes of a loaded record on what is missing of it or is not as it was stored, in so far as figures rest on it.
pub fn damage(record: &RunRecord) -> impl Iterator<Item = &String> {
    record.notes.iter().filter(|note| note.contains(MISSING) || note.contains(CHANGED) && !note.starts_with(JUDGED_ANEW))
}

/// The note of a loaded record that it is not as it was stored.
pub fn changed_record(record: &RunRecord) -> Option<&String> {
    record.notes.iter().find(|note| note.contains("run.json was") && note.contains(CHANGED))
}
