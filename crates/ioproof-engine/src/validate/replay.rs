//! Recorded I/O against the job that issues it again: each must be one that the job was permitted, and must fit its target and the buffers.

use super::TargetLimits;
use crate::api::{EngineError, Options};
use ioproof_core::io_log::{RecordedIo, RecordedKind};
use ioproof_core::job::JobSpec;
use ioproof_core::shape::Order;

/// Refuses recorded I/O that the job does not cover.
pub(super) fn check(spec: &JobSpec, targets: &[TargetLimits], options: &Options) -> Result<(), EngineError> {
    let bad = |reason: &str| Err(EngineError::BadJob(reason.to_owned()));
    match options.replay {
        None if spec.workload.shape.order == Order::Recorded => bad("recorded I/O is to be replayed, and there is none"),
        None => Ok(()),
        Some(_) if spec.workload.shape.order != Order::Recorded || options.ledger.is_some() => bad("recorded I/O has an order of its own"),
        Some(ios) if !spec.workload.writes() && ios.iter().any(changes) => Err(EngineError::NotPermitted),
        Some(ios) => match ios.iter().position(|io| !fits(spec, targets, io)) {
            Some(at) => bad(&format!("recorded I/O {} does not fit the job or its target", at + 1)),
            None => Ok(()),
        },
    }
}

fn changes(io: &RecordedIo) -> bool {
    matches!(io.kind, RecordedKind::Write | RecordedKind::Trim)
}

fn fits(spec: &JobSpec, targets: &[TargetLimits], io: &RecordedIo) -> bool {
    let workload = &spec.workload;
    let Some(target) = targets.get(io.target as usize) else { return false };
    let is_covered = match io.kind {
        RecordedKind::Read => workload.read_percent > 0,
        RecordedKind::Write => workload.write_percent() > 0,
        RecordedKind::Trim => return workload.trims() && ends_within(io, target),
        RecordedKind::Fsync | RecordedKind::Datasync | RecordedKind::RangeSync => return io.bytes == 0,
    };
    is_covered && (1..=workload.block_bytes).contains(&io.bytes) && ends_within(io, target)
}

fn ends_within(io: &RecordedIo, target: &TargetLimits) -> bool {
    io.offset_bytes.checked_add(io.bytes.into()).is_some_and(|end| end <= target.size_bytes)
}
