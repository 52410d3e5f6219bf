//! The order in which campaigns had their sessions begun, whatever any clock said: a file with the campaign of each session, one behind the other. An entry is there before its session is, so one whose
//! session never came about is the worst that a crash leaves; the bytes of a torn one are written over.

use super::folder::Folder;
use crate::id::CampaignId;
use rustix::fs::OFlags;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

const FILE: &str = "order";

/// Beginning of the file, by which it is known as ours; as long as an entry.
const MARK: [u8; ENTRY] = *b"ioproof's order\n";

/// Bytes of an entry.
const ENTRY: usize = 16;

/// Makes sure that nobody else's file stands at the name.
pub(super) fn check(folder: &Folder) -> io::Result<()> {
    marked(folder).map(drop)
}

/// Puts a campaign behind all others; `syncs` has it on the disk.
pub(super) fn add(folder: &Folder, campaign: CampaignId, syncs: bool) -> io::Result<()> {
    let (file, length) = match marked(folder)? {
        Some(file) => {
            let length = file.metadata()?.len() / ENTRY as u64 * ENTRY as u64;
            (file, length)
        }
        None => (make(folder)?, ENTRY as u64),
    };
    let mut last = [0; ENTRY];
    file.read_exact_at(&mut last, length - ENTRY as u64)?;
    if last == campaign.0 {
        return Ok(());
    }
    file.write_all_at(&campaign.0, length)?;
    if syncs { file.sync_data() } else { Ok(()) }
}

/// Place of each campaign by its last session, from 1; one of an older version of the folder has none.
pub(super) fn places(folder: &Folder) -> io::Result<HashMap<CampaignId, u64>> {
    let Some(file) = marked(folder)? else { return Ok(HashMap::new()) };
    let mut bytes = vec![0; usize::try_from(file.metadata()?.len()).unwrap_or(0)];
    file.read_exact_at(&mut bytes, 0)?;
    let entries = bytes.as_chunks::<ENTRY>().0.iter().skip(1).zip(1..);
    Ok(entries.map(|(entry, place)| (CampaignId(*entry), place)).collect())
}

/// Makes the file whole under another name first, so that a kill never leaves one without its mark.
fn make(folder: &Folder) -> io::Result<File> {
    let aside = format!("{FILE}-{}", CampaignId::draw()?);
    let file = folder.file(&aside, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)?;
    file.write_all_at(&MARK, 0)?;
    folder.rename(&aside, FILE).inspect_err(|_| drop(folder.remove(&aside)))?;
    Ok(file)
}

/// The file, where there is one.
///
/// # Errors
/// When it is none of ours, or the system refuses.
fn marked(folder: &Folder) -> io::Result<Option<File>> {
    let file = match folder.file(FILE, OFlags::RDWR) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut mark = [0; ENTRY];
    let is_ours = file.read_exact_at(&mut mark, 0).is_ok() && mark == MARK && file.metadata()?.nlink() == 1;
    if is_ours { Ok(Some(file)) } else { Err(io::Error::other(format!("{FILE} is there and none of ioproof's: give a folder of its own"))) }
}
