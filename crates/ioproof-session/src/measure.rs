//! The one line from open targets to a judgement, on one screen. `verify`, `sweep`, `sync` and `run` differ before it (what is to be run, and on what) and after it (how the
//! result is told); a further verb is one more source of stages.
//!
//! ```text
//! ask the drives how they are, and who has files behind loop devices open -> test the generator -> write what is to be read -> look at it -> stages
//! -> ask both again, and the limits of this process -> judge; an error in between leaves what was measured until then
//! ```

use crate::clock::clock_choice;
use crate::observers::lost::Lost;
use crate::observers::status_on_signal::StatusOnSignal;
use crate::observers::stored::RunRecorder;
use crate::sources::staggered_start::StaggeredStart;
use crate::{changed_size, drive_health, drive_past, self_test};
use anyhow::Result;
use ioproof_core::facts::StackNode;
use ioproof_core::history::differences;
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, RunStatus, Stage};
use ioproof_device::limits;
use ioproof_process::complaint::describe;
use ioproof_process::interrupt;
use ioproof_runner::{DatabaseRunner, Engine, Event, Observer, RunEnding, Runner, Source, close};
use ioproof_store::earlier;
use ioproof_target::{Handle, System, openers};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Everything that is open and decided when a measurement begins.
pub struct Measurement<'a> {
    /// Where the kernel's files are.
    pub system: &'a System,
    /// The open targets, in the order by which tasks name them.
    pub handles: Vec<&'a Handle>,
    pub databases: Option<&'a dyn DatabaseRunner>,
    /// The record so far: targets, jobs, plan, request.
    pub record: RunRecord,
    /// Set by Ctrl-C.
    pub stop: &'a AtomicBool,
    /// Since when the time of the run counts.
    pub started: Instant,
}

/// A step between the self-test and the first stage: filling, laying out, looking at content.
pub type Prepare<'a> = dyn FnMut(&Engine<'_>, &mut RunRecord, &mut dyn Observer) -> Result<()> + 'a;

pub struct MeasuredRun {
    pub record: RunRecord,
    /// Its judgement, which decides the exit status.
    pub judgement: Judgement,
    pub stored: RunRecorder,
    /// The way in which it ended: what is said of it goes by this, not by a signal that came later.
    pub ending: RunEnding,
    /// The error that ended it before its end. What was measured until then counts.
    pub failure: Option<anyhow::Error>,
}

pub struct RanStages {
    pub record: RunRecord,
    pub ending: RunEnding,
    /// The error that ended them before their end. What was measured until then counts.
    pub failure: Option<anyhow::Error>,
}

/// Measures what the source asks for and judges it. Every stage is stored as it ends.
///
/// # Errors
/// When nothing could be measured; the record is kept as failed. What goes wrong with a drive is part of the record.
pub fn measure(
    measurement: Measurement<'_>,
    prepare: &mut Prepare<'_>,
    source: &mut dyn Source,
    observers: Vec<&mut dyn Observer>,
) -> Result<MeasuredRun> {
    // Before the store: whoever sees the run in it may ask.
    let status = StatusOnSignal::begin();
    let mut stored = RunRecorder::begin(&measurement.record);
    let mut all: Vec<&mut dyn Observer> = vec![&mut stored];
    all.extend(observers.into_iter().map(|observer| -> &mut dyn Observer { observer }));
    let RanStages { mut record, ending, failure } = run_stages(measurement, prepare, source, all, status)?;
    let judgement = judge(&record);
    record.notes.extend(differences(&record, &judgement, &earlier(&record)));
    stored.finish(&record, &judgement);
    Ok(MeasuredRun { record, judgement, stored, ending, failure })
}

/// Runs the stages that the source asks for.
///
/// # Errors
/// When nothing could be measured; observers have the record as failed then.
pub fn run_stages(
    measurement: Measurement<'_>,
    prepare: &mut Prepare<'_>,
    source: &mut dyn Source,
    observers: Vec<&mut dyn Observer>,
    status: StatusOnSignal,
) -> Result<RanStages> {
    let Measurement { system, handles, databases, mut record, stop, started } = measurement;
    // Reading through the page cache would change what a job finds in it.
    let moves_data = record.jobs.iter().any(|job| !job.targets.is_empty());
    let tested = handles.first().copied().filter(|handle| moves_data && handle.direct());
    let engine = Engine::new(handles, clock_choice(system), started).with_databases(databases);
    let mut seen = Fanout { observers, status, lost: Lost::default() };
    let measured = (|| -> Result<RunEnding> {
        drive_health::before(system, &mut record);
        drive_past::before(&mut record);
        look_for_openers(system, &mut record);
        record.self_test = Some(self_test::run(system, &record, tested));
        prepare(&engine, &mut record, &mut seen)?;
        seen.observe(&Event::Changed(&record));
        match record.status {
            RunStatus::Running => {
                let mut source = StaggeredStart(source);
                Ok(Runner { system, execute: &engine, stop, observers: vec![&mut seen] }.run(&mut record, &mut source)?)
            }
            RunStatus::Interrupted => Ok(RunEnding::CutShort),
            _ => Ok(RunEnding::ByItself),
        }
    })();
    let (ending, failure) = match measured {
        Ok(ending) => (ending, None),
        Err(error) => {
            record.status = RunStatus::Failed { reason: describe(&error) };
            if record.stages.iter().all(Stage::is_empty) {
                seen.observe(&Event::Changed(&record));
                return Err(error);
            }
            (RunEnding::ByItself, Some(error))
        }
    };
    drive_health::after(system, &mut record);
    drive_past::after(&record);
    look_for_openers(system, &mut record);
    look_for_limits(system, &mut record);
    let resized = changed_size::notes(system, &record);
    record.notes.extend(resized);
    close(&mut record, &engine, ending);
    record.notes.extend(interrupt::limit_note().filter(|_| ending == RunEnding::CutShort));
    seen.observe(&Event::Ended(&record));
    Ok(RanStages { record, ending, failure })
}

/// Adds the limits that came into force while the run went on: a container's may be set, or a process moved, at any time.
fn look_for_limits(system: &System, record: &mut RunRecord) {
    let known = &mut record.host.limits;
    let new: Vec<_> = limits(system).into_iter().filter(|limit| !known.contains(limit)).collect();
    known.extend(new);
}

/// Puts into the record who else has the files behind loop devices open.
fn look_for_openers(system: &System, record: &mut RunRecord) {
    for target in &mut record.targets {
        let nodes = target.facts.stack.iter().flat_map(StackNode::nodes);
        let found: Vec<String> =
            nodes.filter_map(|node| node.backing_file.as_ref()).flat_map(|file| openers(system, Path::new(file))).collect();
        let is_new = |user: &String| !target.opened_by.contains(user);
        let new: Vec<String> = found.into_iter().filter(is_new).collect();
        target.opened_by.extend(new);
    }
}

/// All observers as one, which are told the answer to whoever asks by a signal, and that data was lost.
struct Fanout<'o> {
    observers: Vec<&'o mut dyn Observer>,
    status: StatusOnSignal,
    lost: Lost,
}

impl Observer for Fanout<'_> {
    fn observe(&mut self, event: &Event<'_>) {
        self.observers.iter_mut().for_each(|observer| observer.observe(event));
        let lost = self.lost.observe(event);
        for line in self.status.observe(event).into_iter().chain(lost) {
            self.observers.iter_mut().for_each(|observer| observer.observe(&Event::Note(&line)));
        }
    }
}
