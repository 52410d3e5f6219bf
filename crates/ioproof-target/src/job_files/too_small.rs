//! A file that is only read and is smaller than the job wants it.

use crate::error::{Refusal, TargetError};
use ioproof_core::units::binary_size;
use std::path::Path;

/// It may not be made larger.
pub(super) fn too_small(path: &Path, has_bytes: u64, needs_bytes: u64) -> TargetError {
    let what = format!("{}; it is only read, so it cannot be made larger", sizes(has_bytes, needs_bytes));
    TargetError::unsuitable_hint(path, what, "make size= smaller, or name it with --overwrite")
}

/// A refusal of the write rule told to somebody who wants to read: why the file would be written at all.
pub(super) fn to_grow(path: &Path, needs_bytes: u64, error: TargetError) -> TargetError {
    let TargetError::Refused(refusals) = error else { return error };
    let has_bytes = path.metadata().map_or(0, |meta| meta.len());
    let grown = |refusal: Refusal| match refusal.clause {
        "overwrite" => Refusal {
            reason: format!("{} {}, so the job would make it larger; {}", path.display(), sizes(has_bytes, needs_bytes), refusal.reason),
            hint: Some(format!("make size= smaller, or add --overwrite {}", path.display())),
            ..refusal
        },
        _ => refusal,
    };
    TargetError::Refused(refusals.into_iter().map(grown).collect())
}

fn sizes(has_bytes: u64, needs_bytes: u64) -> String {
    format!("has {} and the job needs {} (size=)", binary_size(has_bytes), binary_size(needs_bytes))
}
