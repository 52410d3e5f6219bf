//! Files that lack what a clone needs and that it may not make: a clone that only verifies writes nothing, and one with `allow_file_create=0` makes nothing.

use ioproof_core::text::visible;
use ioproof_fio::compile::Compiled;
use ioproof_fio::jobs::FioJob;
use ioproof_fio::region::Existing;
use std::io;
use std::path::{Path, PathBuf};

/// Looks at the files of a clone as they are, or as earlier jobs will have made them.
pub(crate) fn check(job: &FioJob, compiled: &Compiled, paths: &[PathBuf], existing: &[Existing]) -> Result<(), String> {
    let mut files = paths.iter().zip(existing).zip(&compiled.needs_bytes);
    files.try_for_each(|((path, file), needs_bytes)| of_file(job, compiled, path, *file, *needs_bytes))
}

fn of_file(job: &FioJob, compiled: &Compiled, path: &Path, file: Existing, needs_bytes: u64) -> Result<(), String> {
    let name = visible(&path.to_string_lossy());
    if !job.settings.files.may_create && file.bytes == 0 && is_missing(path) {
        return Err(format!("{name} is not there, and allow_file_create=0 has it not made"));
    }
    let grows = !file.is_device && !file.is_endless && file.bytes < needs_bytes;
    if compiled.spec.workload.shape.data.checked && job.settings.verify.only && grows {
        let has = if is_missing(path) { "is not there".to_owned() } else { format!("has {} of {needs_bytes} bytes", file.bytes) };
        return Err(format!(
            "{name} {has}, so there is nothing to verify: verify_only=1 reads back what an earlier job or run wrote, and writes nothing"
        ));
    }
    Ok(())
}

fn is_missing(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}
