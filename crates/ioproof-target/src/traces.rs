//! The signatures on a device, for whoever only wants to know what it holds: opened to read, through the same door as a measurement.

use crate::error::TargetError;
use crate::open::open_to_read;
use crate::resolve::resolve;
use crate::signs::image::{FdSource, Image};
use crate::signs::signature::{self, Trace};
use crate::system::System;
use std::os::fd::AsFd;
use std::path::Path;

/// Every known trace on the device or file at `path`. Reads both ends of it and a few places between.
///
/// # Errors
/// When it cannot be resolved, opened or read.
pub fn traces(system: &System, path: &Path) -> Result<Vec<Trace>, TargetError> {
    let target = resolve(system, path)?;
    let handle = open_to_read(&target)?;
    let source = FdSource::new(handle.as_fd(), target.facts.size_bytes, target.facts.alignment_bytes);
    let found = Image::new(&source).and_then(|image| signature::find(&image));
    found.map_err(|error| TargetError::io(path, "read its signatures", error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

    #[test]
    fn a_partition_table_in_a_file() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("image");
        let mut bytes = vec![0_u8; 1 << 20];
        bytes[512..520].copy_from_slice(b"EFI PART");
        std::fs::write(&path, bytes).unwrap();
        let names: Vec<_> = traces(&System::host(), &path).unwrap().iter().map(|trace| trace.name.clone()).collect();
        assert_eq!(names, ["GPT partition table"]);
        assert!(traces(&System::host(), &folder.path().join("absent")).is_err());
    }
}
