//! The basis of a judgement: the figures that a drive of its kind tells when all of its health is asked for, and which of them the pages lack.
//!
//! A text that was cut, or a drive that answers half of the questions, must not pass for a healthy one only because what speaks against it is not there.

use super::TELLING;
use crate::field::{Page, find};

#[derive(Debug, Clone, Copy)]
pub(super) struct FieldNeed {
    title: &'static str,
    keys: &'static [&'static str],
}

const fn need(title: &'static str, keys: &'static [&'static str]) -> FieldNeed {
    FieldNeed { title, keys }
}

/// SMART / Health Information log (NVM Express Base Specification 2.0c, clause 5.16.1.3).
const NVME: &[FieldNeed] = &[
    need("critical warnings", &["critical_warnings"]),
    need("spare", &["available_spare_percent"]),
    need("wear", &["percentage_used_percent"]),
    need("media errors", &["media_errors"]),
];

/// SMART RETURN STATUS, and SMART READ DATA against its thresholds.
const ATA: &[FieldNeed] =
    &[need("the drive's own verdict", &["smart_passed"]), need("SMART attributes against their thresholds", &["attributes_failing"])];

const SCSI: &[FieldNeed] = &[
    need("the drive's own verdict", &["smart_passed"]),
    need("errors that were not corrected, or grown defects", &["media_errors", "reallocated_sectors"]),
];

/// A controller counts errors of its own and passes on the alert; the drive's counters stay behind it.
const RAID: &[FieldNeed] = &[
    need("the drive's own verdict", &["smart_passed"]),
    need("errors of the medium", &["media_errors"]),
    need("the drive's own counters", &["reallocated_sectors", "attributes_failing"]),
];

pub(crate) const ENDS_EARLY: &str = "the text ends early";

const REST: &str = "the rest of a text that ends early";

pub(super) fn needs(pages: &[Page]) -> &'static [FieldNeed] {
    let protocol = pages.iter().find_map(|page| page.text("protocol"));
    if is_by_controller(pages) {
        return RAID;
    }
    let has_page = |names: &[&str]| pages.iter().any(|page| names.iter().any(|name| page.name.starts_with(name)));
    match protocol {
        Some("NVMe") => NVME,
        Some("ATA") => ATA,
        Some("SCSI") => SCSI,
        _ if has_page(&["smart-log", "identify-controller"]) => NVME,
        _ if has_page(&["identify-device", "smart-data", "smart-status"]) => ATA,
        _ if has_page(&["log-", "vpd-", "inquiry"]) => SCSI,
        _ if ["critical_warnings", "available_spare_percent"].iter().any(|key| find(pages, key).is_some()) => NVME,
        _ => ATA,
    }
}

/// True where a RAID controller alone tells of the drive's health.
fn is_by_controller(pages: &[Page]) -> bool {
    let is_raid = |page: &Page| page.name.starts_with("raid-");
    let tells = |page: &Page| TELLING.iter().any(|key| page.field(key).is_some());
    pages.iter().any(is_raid) && pages.iter().all(|page| is_raid(page) || !tells(page))
}

pub(super) fn told_and_missing(pages: &[Page]) -> (Vec<String>, Vec<String>) {
    let is_told = |need: &&FieldNeed| need.keys.iter().any(|key| find(pages, key).is_some());
    let titles = |needs: Vec<&FieldNeed>| needs.into_iter().map(|need| need.title.to_owned()).collect::<Vec<_>>();
    let (told, missing) = needs(pages).iter().partition(is_told);
    let (told, mut missing) = (titles(told), titles(missing));
    let is_cut = pages.iter().any(|page| page.problems.iter().any(|problem| problem.contains(ENDS_EARLY)));
    missing.extend(is_cut.then(|| REST.to_owned()));
    (told, missing)
}
