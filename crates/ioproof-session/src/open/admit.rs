//! `--admit`: a drive that is not as it is said to be is not measured. What is demanded is decided in the core.

use crate::open::identify::Facts;
use anyhow::Result;
use ioproof_inventory::drives::{self, KnownDrive};
use ioproof_pages::health::Admission;
use ioproof_process::complaint::complaint;
use ioproof_target::System;

/// Asks every drive under the target, before anything is opened for the measurement.
///
/// # Errors
/// When a drive does not fulfil what is demanded, or does not say whether it does.
pub fn admit(system: &System, level: Option<Admission>, facts: &Facts) -> Result<()> {
    let Some(level) = level else { return Ok(()) };
    if facts.drives.is_empty() {
        return Err(complaint("--admit: no drive can be told under the target", "give the drive itself, or leave out --admit"));
    }
    let mut reasons = Vec::new();
    for drive in &facts.drives {
        let known = KnownDrive::look(system, &drive.name, None);
        let against = drives::admit(&known.pages, level);
        reasons.extend(against.iter().map(|reason| format!("{}: {reason}", drive.name)));
        if !against.is_empty() {
            reasons.extend(known.missing);
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let hint = "`ioproof identify` shows all that is known; without --admit it is measured all the same";
    Err(complaint(format!("not admitted: {}", reasons.join("; ")), hint))
}
