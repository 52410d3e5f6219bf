//! The digest of everything that a judgement depends on beside the measurements.

use ioproof_core::record::RunRecord;
use ioproof_process::digest::sha256;

/// Takes the digest anew, after what it covers has changed.
pub fn rehash(record: &mut RunRecord) {
    let datasheets: Vec<_> = record.targets.iter().map(|target| &target.datasheet).collect();
    let judged_by = (&record.config, &record.policy, &record.plan, &record.jobs, datasheets);
    let bytes = serde_json::to_vec(&judged_by).unwrap_or_default();
    record.config_sha256 = sha256(&[&bytes]);
}
