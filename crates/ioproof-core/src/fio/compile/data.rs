//! What is written, and whether it is known again.

use crate::fio::settings::{Checksum, Settings};
use crate::fio::values::{Mode, Pattern};
use crate::shape::{Data, Fill};

/// The data of a job.
pub(super) fn data(settings: &Settings, notes: &mut Vec<String>) -> Result<Data, String> {
    if matches!(settings.access.rw.mode, Mode::Read | Mode::Trim) {
        return verified_reads(settings);
    }
    match settings.verify.method {
        Some(Checksum::Header(_)) => return Ok(checked(settings, notes)),
        Some(Checksum::Pattern) => return of_pattern(settings.verify.pattern.as_ref()),
        Some(Checksum::Null) | None => {}
    }
    let buffers = &settings.buffers;
    let shares = [buffers.compressible_percent, buffers.duplicate_percent].map(|share| share.unwrap_or(0).min(99));
    match &buffers.pattern {
        Some(pattern) => of_pattern(Some(pattern)),
        None if buffers.zero => Ok(Data { fill: Fill::Zero, ..Data::default() }),
        None => {
            let fill = if buffers.refill { Fill::Fresh } else { Fill::Random };
            Ok(Data { fill, compressible_percent: shares[0], duplicate_percent: shares[1], checked: false })
        }
    }
}

/// What was written before this run bears headers that nobody here knows.
fn verified_reads(settings: &Settings) -> Result<Data, String> {
    match settings.verify.method {
        Some(Checksum::Header(_)) if settings.access.rw.mode == Mode::Read => {
            Err("data that an earlier run wrote cannot be verified: write and verify in one job".into())
        }
        Some(Checksum::Pattern) if settings.access.rw.mode == Mode::Read => {
            Err("a pattern that an earlier run wrote cannot be verified: write and verify in one job".into())
        }
        _ => Ok(Data::default()),
    }
}

fn checked(settings: &Settings, notes: &mut Vec<String>) -> Data {
    let buffers = &settings.buffers;
    if buffers.pattern.is_some() || buffers.zero || buffers.compressible_percent.is_some() || buffers.duplicate_percent.is_some() {
        notes.push("what is verified bears headers and random data, not what the buffer options ask for".into());
    }
    Data { checked: true, ..Data::default() }
}

fn of_pattern(pattern: Option<&Pattern>) -> Result<Data, String> {
    match pattern {
        None => Err("verify=pattern needs verify_pattern".into()),
        Some(pattern) if !pattern.offsets.is_empty() => Err("a pattern with %o is not written".into()),
        Some(pattern) => Ok(Data { fill: Fill::Pattern(pattern.bytes.clone()), ..Data::default() }),
    }
}
