//! Memory for a run that is named.

use crate::find::folder_of;
use crate::layout::{MOST_BYTES, RECORD, STAGES, files};
use crate::record_room::RecordRoom;
use anyhow::Result;
use ioproof_target::read_regular;
use std::path::PathBuf;

/// Looks whether a run, as [`crate::find()`] takes its name, has room in memory. Files that cannot be read are left to whoever reads them then.
///
/// # Errors
/// When it could take more than half of what is available.
pub fn check_room(name: &str) -> Result<()> {
    let of_folder = |folder: PathBuf| [vec![folder.join(RECORD)], files(&folder.join(STAGES))].concat();
    let files: Vec<PathBuf> = folder_of(name).map_or_else(|_| vec![PathBuf::from(name)], of_folder);
    let mut room = RecordRoom::of_host();
    for file in files {
        let size_bytes = file.metadata().map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
        room.has(size_bytes)?;
        room.take(&read_regular(&file, MOST_BYTES).unwrap_or_default())?;
    }
    Ok(())
}
