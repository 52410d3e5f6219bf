//! The order in which campaigns had their sessions begun, whatever any clock said: a file with the campaign of each session, one behind the other. An entry is there before its session is, so one whose
//! session never came about is the worst that a crash leaves; the bytes of a torn one are written over.

use super::folder::Folder;
use crate::id::CampaignId;
use rustix::fs::OFlags;
use std::collections::HashMap;
use std::io;
use std::os::unix::fs::FileExt;

const FILE: &str = "order";
/// Bytes of an entry.
const ENTRY: usize = 16;

/// Puts a campaign behind all others; `syncs` has it on the disk.
pub(super) fn add(folder: &Folder, campaign: CampaignId, syncs: bool) -> io::Result<()> {
    let file = folder.file(FILE, OFlags::RDWR | OFlags::CREATE)?;
    let whole = file.metadata()?.len() / ENTRY as u64 * ENTRY as u64;
    let mut last = [0; ENTRY];
    if whole > 0 {
        file.read_exact_at(&mut last, whole - ENTRY as u64)?;
    }
    if whole > 0 && last == campaign.0 {
        return Ok(());
    }
    file.write_all_at(&campaign.0, whole)?;
    if syncs { file.sync_data() } else { Ok(()) }
}

/// Place of each campaign by its last session, from 1; one of an older version of the folder has none.
pub(super) fn places(folder: &Folder) -> io::Result<HashMap<CampaignId, u64>> {
    let file = match folder.file(FILE, OFlags::RDONLY) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        opened => opened?,
    };
    let mut bytes = vec![0; usize::try_from(file.metadata()?.len()).unwrap_or(0)];
    file.read_exact_at(&mut bytes, 0)?;
    let entries = bytes.as_chunks::<ENTRY>().0.iter().zip(1..);
    Ok(entries.map(|(entry, place)| (CampaignId(*entry), place)).collect())
}
