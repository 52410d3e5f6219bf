//! The look itself: each drive in a thread, so that one that hangs costs its own answer and no other, and the last verdict of each from the store.

use crate::verbs::doctor::scope::DoctorScope;
use anyhow::Result;
use ioproof_core::drive_check::{DriveCheck, LastRun};
use ioproof_core::facts::DriveKind;
use ioproof_core::record::RunStatus;
use ioproof_core::text::visible;
use ioproof_inventory::drives::KnownDrive;
use ioproof_pages::field::{Value, find};
use ioproof_target::System;
use ioproof_target::threads::spawn;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Time for all drives to answer; a scheduler or a monitor waits.
const PATIENCE: Duration = Duration::from_secs(4);
/// Stored runs that are looked through for a verdict; the newest.
const RUNS: usize = 200;

/// Kernel names of the drives: those of the targets, else all.
pub fn names(system: &System, targets: &[PathBuf]) -> Result<Vec<String>> {
    let mut names = match targets {
        [] => DoctorScope::all(system).drives,
        _ => targets
            .iter()
            .map(|target| DoctorScope::under(system, target))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flat_map(|scope| scope.drives)
            .collect(),
    };
    names.sort_by_key(|name| crate::columns::natural(name));
    names.dedup();
    Ok(names)
}

/// Looks at all of them at once.
pub fn look(names: &[String]) -> Vec<DriveCheck> {
    let (sender, answers) = channel();
    let mut drives: Vec<Option<DriveCheck>> = vec![None; names.len()];
    for (at, name) in names.iter().enumerate() {
        let (sender, name_of_thread) = (sender.clone(), name.clone());
        let answer = move || drop(sender.send((at, check(&System::host(), &name_of_thread))));
        if spawn("look at a drive", answer).is_err() {
            drives[at] = Some(check(&System::host(), name));
        }
    }
    drop(sender);
    let begun = Instant::now();
    while let Ok((at, drive)) = answers.recv_timeout(PATIENCE.saturating_sub(begun.elapsed())) {
        drives[at] = Some(drive);
    }
    let mute = |name: &String| DriveCheck {
        name: visible(name),
        unanswered: Some(format!("no answer within {} s", PATIENCE.as_secs())),
        ..DriveCheck::default()
    };
    let mut drives: Vec<DriveCheck> = drives.into_iter().zip(names).map(|(drive, name)| drive.unwrap_or_else(|| mute(name))).collect();
    add_last_runs(&mut drives);
    drives
}

fn check(system: &System, name: &str) -> DriveCheck {
    let known = KnownDrive::look(system, name, None);
    let real = |key: &str| match &find(&known.pages, key)?.value {
        Value::Number(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        _ => None,
    };
    let health = known.health().filter(|health| health.word != "unknown");
    let facts = &known.facts;
    // Others have no health to tell.
    let answers = matches!(facts.kind, DriveKind::Nvme | DriveKind::Sata | DriveKind::Scsi);
    let unanswered = (answers && health.is_none()).then(|| match () {
        () if known.root_would_add => "root alone may ask it for its health".to_owned(),
        () => known.missing.first().map_or_else(|| "it tells nothing of its health".to_owned(), |why| visible(why)),
    });
    DriveCheck {
        name: visible(name),
        model: DriveCheck::told(facts.model.as_ref()),
        serial: DriveCheck::told(facts.serial.as_ref()),
        firmware: DriveCheck::told(facts.firmware.as_ref()),
        reasons: health
            .iter()
            .flat_map(|health| &health.findings)
            .filter(|finding| finding.severity < ioproof_core::finding::Severity::Info)
            .map(|finding| visible(&finding.title))
            .collect(),
        health: health.map(|health| health.word).unwrap_or_default(),
        unanswered,
        link: facts.link.clone(),
        used_percent: real("percentage_used_percent").or_else(|| real("life_left_percent").map(|left| 100.0 - left)),
        temperature_celsius: real("temperature_celsius"),
        media_errors: real("media_errors").map(|errors| errors as u64),
        last: None,
    }
}

/// The newest run of each drive that has a verdict, by the drive's serial number, else by its kernel name. A store that cannot be read has none.
fn add_last_runs(drives: &mut [DriveCheck]) {
    let Ok(runs) = ioproof_store::all_ids().and_then(|ids| Ok(ioproof_store::newest_first(&ids)?.take(RUNS).collect::<Vec<_>>())) else {
        return;
    };
    let judged = |run: &ioproof_store::ListedRun| {
        run.summary.as_ref().is_ok_and(|summary| summary.status == RunStatus::Complete && !summary.verdicts.is_empty())
    };
    for summary in runs.iter().filter(|run| judged(run)).filter_map(|run| run.summary.as_ref().ok()) {
        // Of several drives nobody knows which one missed.
        let Some(own_name) = &summary.drive else { continue };
        let is_of = |drive: &&mut DriveCheck| match drive.serial.is_empty() {
            true => *own_name == drive.name,
            false => summary.drives.contains(&drive.serial),
        };
        for drive in drives.iter_mut().filter(|drive| drive.last.is_none()).filter(is_of) {
            drive.last = Some(LastRun {
                id: summary.id.clone(),
                started_at: summary.started_at.clone(),
                exit_status: summary.exit_status,
                exit_reason: visible(&summary.exit_reason),
            });
        }
    }
}
