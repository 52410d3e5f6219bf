//! Purges of drives (`ioproof_target::purge`), each noted in what is kept of the drive: before it begins, so that one whose end nobody saw is known, and when it has ended.

use crate::drive_health;
use anyhow::Result;
use ioproof_inventory::drives::KnownDrive;
use ioproof_process::messages;
use ioproof_runner::now;
use ioproof_store::drives;
use ioproof_target::purge::{PurgeOrder, PurgeProgress, Purged, find, purge};
use ioproof_target::{Consent, System, named, serial};

/// Purges the drive of a path or a serial number.
///
/// # Errors
/// As [`purge`].
pub fn by_name(system: &System, given: &str, consent: &Consent, order: &PurgeOrder, tell: &mut PurgeProgress<'_>) -> Result<Purged> {
    let targets = find(system, given)?;
    let device = targets.first().and_then(|target| named(system, target.path()).ok()?.devices.into_iter().next());
    // One without a serial number is purged and not noted.
    let number = device.as_deref().and_then(|name| serial::serial(system, name));
    let mut is_begun = false;
    let purged = purge(system, &targets, consent, order, &mut |method, share| {
        if !std::mem::replace(&mut is_begun, true)
            && let Some(number) = &number
        {
            drives::update(&number.value, |history| history.begin_purge(method, &now().rfc3339));
        }
        tell(method, share);
    })?;
    if let Some((number, device)) = number.zip(device) {
        let pages = KnownDrive::look(system, &device, None).pages;
        let state = drive_health::told(&device, &pages);
        let past = drives::update(&number.value, |history| history.end_purge(&state, &now().rfc3339));
        past.damage.iter().chain(&past.unkept).for_each(|text| messages::warning(&format!("the state of the drive: {text}")));
    }
    Ok(purged)
}
