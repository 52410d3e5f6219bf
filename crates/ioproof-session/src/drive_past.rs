//! The past of the drives of a run: looked up before the first stage, so that it stands in the record, and gone on with after the last one. Only a target with one drive
//! below it that has a serial number has one.

use crate::drive_health::silent;
use ioproof_core::course::Course;
use ioproof_core::preconditioning::Preconditioning;
use ioproof_core::record::{DriveBracket, RunRecord, SteadyState, TargetRecord};
use ioproof_process::messages;
use ioproof_runner::now;
use ioproof_store::drives;

/// Puts the past of each drive into the record.
pub fn before(record: &mut RunRecord) {
    let at = now().rfc3339;
    let mut damages = Vec::new();
    for target in &mut record.targets {
        let Some((name, serial)) = drive(target) else { continue };
        let state = bracket(&record.health, &name).map_or_else(silent, |drive| drive.before.clone());
        // That it cannot be kept is said of the run as well (`observers::stored`).
        let past = drives::update(&serial, |history| history.look(&state, &at));
        damages.extend(past.damage);
        target.history = Some(past.history);
    }
    damages.iter().for_each(|damage| messages::warning(damage));
    record.notes.extend(damages);
}

/// Keeps what the run did to each drive.
pub fn after(record: &RunRecord) {
    let at = now().rfc3339;
    let steady = steady(record);
    for (number, target) in (0..).zip(&record.targets) {
        let Some((name, serial)) = drive(target).filter(|_| target.history.is_some()) else { continue };
        let state = bracket(&record.health, &name).map_or_else(silent, |drive| drive.after.clone());
        drives::update(&serial, |history| {
            // A purge in the middle of the run begins anew.
            let purge = history.purge.as_ref().filter(|purge| purge.at > record.started_at);
            let (bytes, span_bytes) = record.written_to(number, purge.map(|purge| purge.at.as_str()));
            history.end_run(bytes, span_bytes, &state, &at);
            if let Some((_, steady)) = steady.as_ref().filter(|(target, _)| *target == number) {
                history.steady = Some(steady.clone());
            }
        });
    }
}

/// The target that reached a steady state, and that state.
fn steady(record: &RunRecord) -> Option<(u32, SteadyState)> {
    // The passes of a standard are no rounds of one load.
    if let Some(course) = Course::of(record) {
        return Some((0, course.steady_state(record)?));
    }
    let done = Preconditioning::of(record)?;
    Some((done.job.targets.first().copied()?, done.reached(record)?))
}

/// Kernel name and serial number of the one drive below a target.
fn drive(target: &TargetRecord) -> Option<(String, String)> {
    let drive = target.drive()?;
    Some((drive.name.clone(), drive.serial.as_ref().map(|serial| serial.value.clone())?))
}

fn bracket<'a>(health: &'a [DriveBracket], name: &str) -> Option<&'a DriveBracket> {
    health.iter().find(|drive| drive.name == name)
}
