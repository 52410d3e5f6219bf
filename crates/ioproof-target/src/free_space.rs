//! Refuses before anything is made where the files do not fit: on each filesystem all of them together.
//!
//! `growth` says what a job makes of a file, `overwriting` what of its room is kept when it is written over. Only what must still be
//! allocated counts, and only what the filesystem says of itself and files behind loop devices of theirs (`room_below`): quotas, other thin volumes, compression and the
//! filesystem's own needs are not guessed. Whoever meets one of them gets the system's answer when the space is reserved or written.

mod growth;
pub(crate) mod overwriting;

pub use growth::Growth;

use crate::error::TargetError;
use crate::filesystem::{self, Room};
use crate::folder::folder_of;
use crate::system::System;
use crate::{promised, room_below};
use ioproof_core::units::binary_size;
use overwriting::{Pool, kept_bytes};
use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The additional needs on one filesystem.
#[derive(Default)]
struct Wanted {
    /// A folder or a file on it.
    path: PathBuf,
    /// None of a filesystem that does not answer: whoever writes is told then.
    room: Option<Room>,
    bytes: u64,
    /// All that is written, also over what is there: a device below may have holes in its place.
    written_bytes: u64,
    files: u64,
    /// True where some of them are written over and take new room all the same.
    copies: bool,
}

/// Refuses where the files do not fit, or what is written to block devices does not where files lie below them. Files that cannot be looked at are left to whoever opens them.
///
/// # Errors
/// When more is needed than is free; the error says both.
pub fn check_free_space<'a>(files: impl Iterator<Item = (&'a Path, Growth)>) -> Result<(), TargetError> {
    let mut wanted: HashMap<Result<Pool, u64>, Wanted> = HashMap::new();
    let mut folders = HashMap::new();
    let (mut seen, mut to_make) = (HashSet::new(), HashSet::new());
    for (path, growth) in files {
        if path.metadata().is_ok_and(|meta| meta.file_type().is_block_device()) {
            room_below::check(&System::host(), path, growth.written_in_blocks(0))?;
            continue;
        }
        let Some((filesystem, place, there)) = place(path, &mut folders) else { continue };
        if !seen.insert(there.as_ref().map_or(Known::New(place.clone()), |meta| Known::File(meta.dev(), meta.ino()))) {
            continue;
        }
        let at = if there.is_some() { place.clone() } else { there_of(&place) };
        let pool = Pool::of(&at);
        let on = wanted.entry(pool.ok_or(filesystem)).or_insert_with(|| Wanted::on(at));
        let block_bytes = on.room.as_ref().map_or(0, |room| room.unit_bytes);
        let has_bytes = there.as_ref().map_or(0, |meta| meta.blocks().saturating_mul(512));
        let kept_bytes = if growth.written_bytes > 0 && has_bytes > 0 { kept_bytes(&place, has_bytes) } else { has_bytes };
        on.written_bytes = on.written_bytes.saturating_add(growth.written_in_blocks(block_bytes).max(growth.laid_out_bytes));
        on.copies |= kept_bytes < has_bytes;
        let copied_bytes = if growth.written_bytes > 0 && filesystem::is_copied_up(&place) { has_bytes } else { 0 };
        on.bytes = on.bytes.saturating_add(missing_bytes(growth, there.as_ref(), kept_bytes, block_bytes)).saturating_add(copied_bytes);
        on.files += if there.is_none() { 1 + new_folders(&place, &mut to_make) } else { 0 };
    }
    let below = |wanted: &Wanted| room_below::check(&System::host(), &wanted.path, wanted.written_bytes);
    wanted.values().try_for_each(fits)?;
    wanted.values().try_for_each(below)?;
    // What lies below may take room of one of the others.
    wanted.values().try_for_each(fits)
}

impl Wanted {
    fn on(path: PathBuf) -> Self {
        Self { room: filesystem::room_at(&path).ok(), path, ..Self::default() }
    }
}

/// A file that was counted, by whatever name.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Known {
    File(u64, u64),
    New(PathBuf),
}

/// The number of the filesystem, the path without links, and the file where it is there. `None` for what is no regular file.
fn place(path: &Path, folders: &mut HashMap<PathBuf, Option<(u64, PathBuf)>>) -> Option<(u64, PathBuf, Option<Metadata>)> {
    if let Ok(meta) = path.metadata() {
        return meta.is_file().then(|| (meta.dev(), path.to_path_buf(), Some(meta)));
    }
    let folder = folder_of(path);
    let found = folders.entry(folder.to_path_buf()).or_insert_with(|| place_of_folder(folder));
    let (filesystem, folder) = found.as_ref()?;
    Some((*filesystem, folder.join(path.file_name()?), None))
}

/// The same of a folder; one that is not there will lie on the filesystem of the one in which it is made.
fn place_of_folder(folder: &Path) -> Option<(u64, PathBuf)> {
    match folder.canonicalize() {
        Ok(folder) => Some((folder.metadata().ok()?.dev(), folder)),
        // A current folder that was removed is `.` all the way up.
        Err(error) if error.kind() == io::ErrorKind::NotFound && folder_of(folder) != folder => {
            let (filesystem, parent) = place_of_folder(folder_of(folder))?;
            Some((filesystem, parent.join(folder.file_name()?)))
        }
        Err(_) => None,
    }
}

/// The innermost folder of a place that is there.
fn there_of(place: &Path) -> PathBuf {
    place.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or_else(|| Path::new("/")).to_path_buf()
}

/// Number of folders that are made for a file and were not counted for another.
fn new_folders(place: &Path, to_make: &mut HashSet<PathBuf>) -> u64 {
    let missing = place.ancestors().skip(1).take_while(|folder| !folder.is_dir());
    missing.filter(|folder| to_make.insert(folder.to_path_buf())).count() as u64
}

/// The bytes that must still be allocated.
fn missing_bytes(growth: Growth, there: Option<&Metadata>, kept_bytes: u64, block_bytes: u64) -> u64 {
    let has_bytes = there.map_or(0, |meta| meta.blocks().saturating_mul(512));
    let grows = there.is_none_or(|meta| meta.len() < growth.size_bytes);
    let laid_out = if grows { growth.laid_out_bytes } else { 0 };
    let in_blocks = |bytes: u64| bytes.div_ceil(block_bytes.max(1)).saturating_mul(block_bytes.max(1));
    in_blocks(laid_out).saturating_sub(has_bytes).max(in_blocks(growth.written_in_blocks(block_bytes)).saturating_sub(kept_bytes))
}

fn fits(wanted: &Wanted) -> Result<(), TargetError> {
    // A filesystem that does not answer, or knows no end, is asked by whoever writes.
    let Some(room) = &wanted.room else { return Ok(()) };
    let below_bytes = wanted.path.metadata().map_or(0, |meta| promised::all().below_bytes(meta.dev()));
    let bytes = wanted.bytes.saturating_add(below_bytes);
    let below = if below_bytes > 0 { ", that of files behind loop devices in it" } else { "" };
    let copies = if wanted.copies { ", where what is written over takes new room" } else { "" };
    if room.read_only && (wanted.bytes > 0 || wanted.files > 0) {
        return Err(TargetError::ReadOnly(wanted.path.clone()));
    }
    let what = match room.files {
        _ if room.total_bytes > 0 && wanted.bytes > 0 && !room.has(bytes) => {
            format!(
                "what is to be written needs {} more on this filesystem{copies}{below}, beside the {} that are left to others; {} are free",
                rounded(bytes),
                rounded(room.keep_bytes()),
                rounded(room.free_bytes)
            )
        }
        Some((free, _)) if wanted.files > 0 && !room.has_files(wanted.files) => {
            let kept = room.keep_files();
            format!(
                "{} files are to be made on this filesystem beside the {kept} that are left to others, and it has room for {free} more",
                wanted.files
            )
        }
        _ => return Ok(()),
    };
    Err(TargetError::unsuitable_hint(&wanted.path, what, "make room, or choose another folder, a smaller size or fewer files"))
}

/// Two digits or more are enough to choose another size by.
fn rounded(bytes: u64) -> String {
    let unit = [50, 40, 30, 20].map(|bits| 1u64 << bits).into_iter().find(|unit| bytes / unit >= 10).unwrap_or(1);
    binary_size(bytes / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::folder_on_a_drive;

    fn all(bytes: u64) -> Growth {
        Growth { laid_out_bytes: bytes, ..Growth::of_all(bytes, 0) }
    }

    #[test]
    fn files_of_one_filesystem_are_held_against_it_together() {
        let folder = folder_on_a_drive();
        let free = {
            let room = rustix::fs::statvfs(folder.path()).unwrap();
            room.f_bavail * room.f_frsize
        };
        let [a, b, again] = ["a", "b", "./a"].map(|name| folder.path().join(name));
        let check = |files: &[(&Path, Growth)]| check_free_space(files.iter().copied());
        // Somebody else may make or free some while this runs.
        let most = free / 4 * 3;
        assert!(check(&[(&a, all(most))]).is_ok() && check(&[(&a, all(most)), (&again, all(most))]).is_ok());
        let error = check(&[(&a, all(most)), (&b, all(most))]).unwrap_err().to_string();
        assert!(error.contains(&rounded(most * 2)) && error.contains("are free"), "{error}");
        assert!(check(&[(&a, all(most)), (&b, Growth { laid_out_bytes: 0, ..all(most) })]).is_ok());
        assert!(check(&[(&a, Growth::of_all(1, free * 2))]).is_err());
        assert!(check(&[(Path::new("/dev/null"), all(u64::MAX)), (&a.join("below"), all(1))]).is_ok());
        assert!(check(&[(&folder.path().join("no/folder/a"), all(most))]).is_ok());
        assert!(check(&[(&folder.path().join("no/folder/a"), all(most)), (&a, all(most))]).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn folders_count_once_each() {
        let (folder, mut to_make) = (folder_on_a_drive(), HashSet::new());
        let mut of = |name: &str| new_folders(&folder.path().join(name), &mut to_make);
        assert_eq!([of("a"), of("b/c/d"), of("b/c/e"), of("b/f/g")], [0, 2, 0, 1]);
    }

    #[test]
    fn sizes_are_said_in_few_digits() {
        let sizes = [512, (9 << 20) + 4096, (59 << 30) + 12_345, 3 << 50].map(rounded);
        assert_eq!(sizes, ["512 B", "9220 KiB", "59 GiB", "3072 TiB"]);
    }

    #[test]
    fn what_is_allocated_already_does_not_count() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("data");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        std::fs::File::open(&path).unwrap().sync_all().unwrap();
        let missing = |growth, there: Option<&Metadata>| missing_bytes(growth, there, there.map_or(0, |meta| meta.blocks() * 512), 4096);
        let meta = path.metadata().unwrap();
        assert!(missing(all(3 << 20), Some(&meta)) <= 2 << 20);
        assert_eq!(missing(all(3 << 20), None), 3 << 20);
        assert_eq!(missing(all(1 << 20), Some(&meta)), 0);
        assert_eq!(missing(all(1), None), 4096, "a file takes whole blocks");
        assert_eq!(missing_bytes(Growth::of_all(1 << 20, 1 << 20), Some(&meta), 0, 4096), 1 << 20, "nothing is written in place");
        let sparse = folder.path().join("sparse");
        std::fs::File::create(&sparse).unwrap().set_len(1 << 20).unwrap();
        let meta = sparse.metadata().unwrap();
        assert_eq!(missing(all(1 << 20), Some(&meta)), 0, "nobody fills the holes of a file that is there");
        assert_eq!(missing(Growth::of_all(1 << 20, 4096), Some(&meta)), 4096);
    }
}
