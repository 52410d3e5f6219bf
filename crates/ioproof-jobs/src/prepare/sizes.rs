//! Sizes of files as they are, or will be once the jobs before have made them.

use ioproof_fio::region::Existing;
use ioproof_target::System;
use std::collections::BTreeMap;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Sizes of files, each looked up once.
pub(crate) struct FileSizes<'a> {
    system: &'a System,
    known: BTreeMap<PathBuf, Existing>,
}

impl<'a> FileSizes<'a> {
    pub(crate) fn new(system: &'a System) -> Self {
        Self { system, known: BTreeMap::new() }
    }

    /// The file as it exists, or as an earlier job will make it.
    pub(crate) fn size_of(&mut self, path: &Path) -> Existing {
        let system = self.system;
        *self.known.entry(path.to_path_buf()).or_insert_with(|| existing(system, path))
    }

    /// Notes that a file is made so large; gives true where it is smaller so far.
    pub(crate) fn will_be(&mut self, path: &Path, bytes: u64) -> bool {
        let Some(file) = self.known.get_mut(path).filter(|file| !file.is_device && !file.is_endless) else { return false };
        let grows = file.bytes < bytes;
        file.bytes = file.bytes.max(bytes);
        grows
    }
}

fn existing(system: &System, path: &Path) -> Existing {
    if ioproof_target::is_drive_name(path) {
        let bytes = ioproof_target::resolve(system, path).map_or(0, |target| target.facts.size_bytes);
        return Existing { bytes, is_device: true, is_endless: false };
    }
    let Ok(meta) = std::fs::metadata(path) else { return Existing::default() };
    let kind = meta.file_type();
    match () {
        () if kind.is_block_device() => {
            let bytes = ioproof_target::resolve(system, path).map_or(0, |target| target.facts.size_bytes);
            Existing { bytes, is_device: true, is_endless: false }
        }
        () if kind.is_char_device() => Existing { is_endless: true, ..Existing::default() },
        () => Existing { bytes: meta.len(), ..Existing::default() },
    }
}
