//! Purges of drives (`ioproof_target::purge`), each noted in what is kept of the drive: before it begins, so that one whose end nobody saw is known, and when it has ended.

use crate::drive_health;
use anyhow::Result;
use ioproof_core::units::percent;
use ioproof_inventory::drives::KnownDrive;
use ioproof_process::messages;
use ioproof_runner::now;
use ioproof_store::drives;
use ioproof_target::purge::{PurgeMethod, PurgeOrder, PurgeProgress, Purged, find, purge, purge_open};
use ioproof_target::{Consent, Handle, System, Target, TargetError, named, serial};
use std::time::Duration;

/// Time after which a purge is given up, where none is asked for.
pub const AT_MOST: Duration = Duration::from_secs(3600);

/// Purges the drive of a path or a serial number, and says how far it is.
///
/// # Errors
/// As [`purge`].
pub fn by_name(system: &System, given: &str, consent: &Consent, order: &PurgeOrder) -> Result<Purged> {
    let targets = find(system, given)?;
    let device = targets.first().and_then(|target| device_of(system, target));
    Ok(noted(system, device.as_deref(), |tell| purge(system, &targets, consent, order, tell))?)
}

/// Purges a disk that is open to be written, and says how far it is.
///
/// # Errors
/// As [`purge_open`].
pub fn of_open(system: &System, target: &Target, handle: &Handle, method: PurgeMethod) -> Result<Purged, TargetError> {
    let order = PurgeOrder { method: Some(method), at_most: AT_MOST };
    noted(system, device_of(system, target).as_deref(), |tell| purge_open(system, &[handle], &order, tell))
}

/// Kernel name of a target that is a disk.
fn device_of(system: &System, target: &Target) -> Option<String> {
    named(system, target.path()).ok()?.devices.into_iter().next()
}

/// Notes a purge of the drive with this kernel name. One without a serial number is purged and not noted.
fn noted(
    system: &System,
    device: Option<&str>,
    run: impl FnOnce(&mut PurgeProgress<'_>) -> Result<Purged, TargetError>,
) -> Result<Purged, TargetError> {
    let number = device.and_then(|name| serial::serial(system, name));
    let mut said = None;
    let purged = run(&mut |method, share| {
        if said.is_none()
            && let Some(number) = &number
        {
            drives::update(&number.value, |history| history.begin_purge(method, &now().rfc3339));
        }
        let tenth = (share * 10.0) as u32;
        if said.replace(tenth) != Some(tenth) {
            messages::say(&format!("{method}: {}", percent(share)));
        }
    })?;
    if let Some((number, device)) = number.zip(device) {
        let pages = KnownDrive::look(system, device, None).pages;
        let state = drive_health::told(device, &pages);
        let past = drives::update(&number.value, |history| history.end_purge(&state, &now().rfc3339));
        past.damage.iter().chain(&past.unkept).for_each(|text| messages::warning(&format!("the state of the drive: {text}")));
    }
    Ok(purged)
}
