//! Purges of drives (`ioproof_target::purge`), each noted in what is kept of the drive: before it begins, so that one whose end nobody saw is known, and when it has ended.

use crate::drive_health;
use anyhow::Result;
use ioproof_core::record::{DriveHistory, TargetRecord};
use ioproof_inventory::drives::KnownDrive;
use ioproof_process::messages;
use ioproof_runner::now;
use ioproof_store::drives;
use ioproof_target::purge::{PurgeOrder, PurgeProgress, Purged, find, purge, purge_open};
use ioproof_target::{Consent, Handle, System, named, serial};

/// Purges the drive of a path or a serial number.
///
/// # Errors
/// As [`purge`].
pub fn by_name(system: &System, given: &str, consent: &Consent, order: &PurgeOrder, tell: &mut PurgeProgress<'_>) -> Result<Purged> {
    let targets = find(system, given)?;
    let device = targets.first().and_then(|target| named(system, target.path()).ok()?.devices.into_iter().next());
    noted(system, device.as_deref(), tell, |tell| Ok(purge(system, &targets, consent, order, tell)?)).map(|(purged, _)| purged)
}

/// Purges a target of a run, which is open to be written, and puts the new past of the drive into its record.
///
/// # Errors
/// As [`purge_open`].
pub fn of_target(
    system: &System,
    target: &mut TargetRecord,
    handles: &[&Handle],
    order: &PurgeOrder,
    tell: &mut PurgeProgress<'_>,
) -> Result<Purged> {
    let device = target.drive().map(|drive| drive.name.clone());
    let (purged, history) = noted(system, device.as_deref(), tell, |tell| Ok(purge_open(system, handles, order, tell)?))?;
    target.history = history.or(target.history.take());
    Ok(purged)
}

/// Notes a purge of the drive with this kernel name. One without a serial number is purged and not noted.
fn noted(
    system: &System,
    device: Option<&str>,
    tell: &mut PurgeProgress<'_>,
    run: impl FnOnce(&mut PurgeProgress<'_>) -> Result<Purged>,
) -> Result<(Purged, Option<DriveHistory>)> {
    let number = device.and_then(|name| serial::serial(system, name));
    let mut is_begun = false;
    let purged = run(&mut |method, share| {
        if !std::mem::replace(&mut is_begun, true)
            && let Some(number) = &number
        {
            drives::update(&number.value, |history| history.begin_purge(method, &now().rfc3339));
        }
        tell(method, share);
    })?;
    let history = number.zip(device).map(|(number, device)| {
        let pages = KnownDrive::look(system, device, None).pages;
        let state = drive_health::told(device, &pages);
        let past = drives::update(&number.value, |history| history.end_purge(&state, &now().rfc3339));
        past.damage.iter().chain(&past.unkept).for_each(|text| messages::warning(&format!("the state of the drive: {text}")));
        past.history
    });
    Ok((purged, history))
}
