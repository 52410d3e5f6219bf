//! Purges of loop devices, which take discards and nothing else.

use crate::common::*;
use ioproof_target::purge::{PurgeMethod, PurgeOrder, Purged, find, purge};
use ioproof_target::{Consent, System, TargetError};
use std::time::Duration;

/// A device full of content that no signature explains.
fn full() -> Loop {
    let device = Loop::new(8 * MIB);
    let content: Vec<u8> = (0..8 * MIB).map(|at| (at * 31 / 7) as u8 | 1).collect();
    put(&device.device, 0, &content);
    device
}

fn purged(device: &Loop, consent: &Consent, method: Option<PurgeMethod>) -> Result<(Purged, Vec<f64>), TargetError> {
    let (system, mut shares) = (System::host(), Vec::new());
    let targets = find(&system, device.path())?;
    let order = PurgeOrder { method, at_most: Duration::from_secs(3600) };
    let purged = purge(&system, &targets, consent, &order, &mut |_, share| shares.push(share))?;
    Ok((purged, shares))
}

#[test]
fn a_discard_leaves_nothing_of_a_device() {
    let device = full();
    let (purged, shares) = purged(&device, &destroy_unknown(&device.name()), None).unwrap();
    assert_eq!((purged.method, purged.notes, shares), ("discard", vec![], vec![0.0, 1.0]));
    let content = std::fs::read(&device.device).unwrap();
    assert!(content.len() as u64 == 8 * MIB && content.iter().all(|byte| *byte == 0));
}

#[test]
fn a_purge_keeps_the_write_rule() {
    let device = full();
    let before = checksum(&device.image);
    let said = |consent: &Consent, method| purged(&device, consent, method).unwrap_err().to_string();
    assert!(said(&Consent::default(), None).contains("only with --destroy"));
    assert!(said(&destroy("loop99999"), None).contains("does not name"));
    assert!(said(&destroy(&device.name()), None).starts_with("not written"), "unknown content");
    let all = destroy_unknown(&device.name());
    assert!(said(&all, Some(PurgeMethod::Sanitize)).contains("no NVMe drive"));
    assert!(said(&all, Some(PurgeMethod::Format)).contains("no NVMe drive"));
    assert_eq!(checksum(&device.image), before);
    put(&device.device, 512, b"EFI PART");
    let marked = checksum(&device.image);
    assert!(said(&all, None).starts_with("not written"), "a signature");
    assert_eq!(checksum(&device.image), marked);
}

#[test]
fn a_discard_that_takes_too_long_says_how_far_it_came() {
    let device = full();
    let system = System::host();
    let targets = find(&system, device.path()).unwrap();
    let order = PurgeOrder { method: Some(PurgeMethod::Discard), at_most: Duration::ZERO };
    let error = purge(&system, &targets, &destroy_unknown(&device.name()), &order, &mut |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("was discarded up to 0 B of 8 MiB after"), "{error}");
}
