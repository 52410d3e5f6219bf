//! Files in which the buffers of clones lie (`iomem=mmapshared:FILE`). They are written, so they come under the write rule as any other file of a job.

use super::by_name::place;
use crate::request::FioRequest;
use crate::subjob::Subjob;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use ioproof_target::{JobFiles, OpenRequest, Space};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The file for the buffers of a clone, where there is one.
fn file<'a>(request: &'a FioRequest, clone: &Subjob) -> Option<&'a str> {
    request.job(clone).settings.memory.file.as_deref().filter(|_| clone.impossible.is_none())
}

/// Refuses a file that is used twice, or is none.
pub(super) fn check(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    let files: Vec<&str> = clones.iter().filter_map(|clone| file(request, clone)).collect();
    if files.is_empty() {
        return Ok(());
    }
    let mut used: HashSet<PathBuf> = clones.iter().flat_map(|clone| &clone.instance.files).map(|file| place(file)).collect();
    for file in files {
        if !used.insert(place(file)) {
            let text = format!("buffers in {} (iomem=mmapshared): it is used more than once", visible(file));
            return Err(complaint(text, "give each clone a file of its own for its buffers, which is no file of a job: numjobs=1"));
        }
        if Path::new(file).metadata().is_ok_and(|meta| !meta.is_file()) {
            let text = format!("buffers in {} (iomem=mmapshared): it is no ordinary file", visible(file));
            return Err(complaint(text, "name a file, or leave it out: iomem=mmap"));
        }
    }
    Ok(())
}

/// The request of a clone for the file of its buffers.
pub fn wish(request: &FioRequest, clone: &Subjob) -> Option<(PathBuf, OpenRequest)> {
    let wish = OpenRequest {
        write: true,
        only_grows: false,
        direct: false,
        size_bytes: ioproof_engine::buffer_bytes(&clone.compiled.spec),
        space: Space::Reserved,
        whole: true,
        make: true,
    };
    file(request, clone).map(|file| (PathBuf::from(file), wish))
}

/// Opens them, and makes them where they are missing.
pub(super) fn open(request: &FioRequest, clones: &mut [Subjob], permit: &mut JobFiles<'_>) -> Result<()> {
    for clone in clones {
        if let Some((path, wish)) = wish(request, clone) {
            clone.buffers = Some(permit.open(&path, wish)?.handle);
        }
    }
    Ok(())
}
