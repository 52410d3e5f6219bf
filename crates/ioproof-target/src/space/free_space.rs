//! Refuses before anything is made where the files do not fit: on each filesystem all of them together, those behind loop devices included.
//!
//! Only what must still be allocated counts, and only what filesystems say of themselves (statvfs(2)): quotas, thin volumes, compression and copies on write are
//! not guessed. Whoever meets one of them gets the system's answer when the space is reserved or written.

mod growth;

pub use growth::Growth;

use crate::block;
use crate::block::stack;
use crate::error::TargetError;
use crate::system::System;
use crate::system::filesystem::{self, Room};
use crate::system::folder::folder_of;
use ioproof_core::facts::StackNode;
use ioproof_core::units::binary_size;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Refuses where the files do not fit, or what is written does not where the files of loop devices below them lie. Files that cannot be looked at are left to whoever
/// opens them.
///
/// # Errors
/// When more is needed than is free; the error says both.
pub fn check_free_space<'a>(files: impl Iterator<Item = (&'a Path, Growth)>) -> Result<(), TargetError> {
    let system = System::host();
    let mut needs = Needs::default();
    let mut folders = HashMap::new();
    let (mut seen, mut to_make) = (HashSet::new(), HashSet::new());
    for (path, growth) in files {
        if let Some(meta) = path.metadata().ok().filter(|meta| meta.file_type().is_block_device()) {
            needs.below_device(&system, &meta, growth.written_in_blocks(0));
            continue;
        }
        let Some((filesystem, place, there)) = place(path, &mut folders) else { continue };
        if !seen.insert(there.as_ref().map_or(Known::New(place.clone()), |meta| Known::File(meta.dev(), meta.ino()))) {
            continue;
        }
        let at = if there.is_some() { place.clone() } else { there_of(&place) };
        let on = needs.on(filesystem, &at);
        let unit_bytes = on.room.as_ref().map_or(0, |room| room.unit_bytes);
        on.bytes = on.bytes.saturating_add(missing_bytes(growth, there.as_ref(), unit_bytes));
        on.files += if there.is_none() { 1 + new_folders(&place, &mut to_make) } else { 0 };
        needs.below_file(&system, filesystem, &at, growth.written_in_blocks(unit_bytes).max(growth.laid_out_bytes));
    }
    needs.check()
}

/// Refuses a directory without so much room.
///
/// # Errors
/// When it has not, or is read-only.
pub(crate) fn check_folder(directory: &Path, bytes: u64) -> Result<(), TargetError> {
    let (system, mut needs) = (System::host(), Needs::default());
    let Ok(meta) = directory.metadata() else { return Ok(()) };
    needs.on(meta.dev(), directory).bytes = bytes;
    needs.below_file(&system, meta.dev(), directory, bytes);
    needs.check()
}

/// Needs on all filesystems, by their numbers.
#[derive(Default)]
struct Needs {
    on: BTreeMap<u64, Need>,
    /// Bytes that are written by way of the file behind a loop device.
    behind: BTreeMap<PathBuf, Behind>,
    /// Stacks of filesystems that were looked for.
    stacks: HashMap<u64, Option<StackNode>>,
}

/// Needs on one filesystem.
struct Need {
    /// A folder or a file on it.
    path: PathBuf,
    /// None of a filesystem that does not answer: whoever writes is told then.
    room: Option<Room>,
    bytes: u64,
    files: u64,
    /// The loop device whose file takes some of it.
    by: Option<String>,
}

struct Behind {
    device: String,
    bytes: u64,
}

impl Needs {
    fn on(&mut self, filesystem: u64, path: &Path) -> &mut Need {
        let new = || Need { path: path.to_path_buf(), room: filesystem::room_at(path).ok(), bytes: 0, files: 0, by: None };
        self.on.entry(filesystem).or_insert_with(new)
    }

    fn below_device(&mut self, system: &System, meta: &Metadata, bytes: u64) {
        let name = block::name_of(system, rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev()));
        if let Some(stack) = name.and_then(|name| stack::of_device(system, &name)) {
            self.below(&stack, bytes);
        }
    }

    fn below_file(&mut self, system: &System, filesystem: u64, path: &Path, bytes: u64) {
        let found = self.stacks.remove(&filesystem).unwrap_or_else(|| {
            let fd = rustix::fs::open(path, rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC, rustix::fs::Mode::empty()).ok()?;
            stack::all_of_file(system, filesystem, filesystem::mount(system, fd, Path::new("")).as_ref())
        });
        found.iter().for_each(|stack| self.below(stack, bytes));
        self.stacks.insert(filesystem, found);
    }

    /// Adds what is written to all files behind loop devices of a stack.
    fn below(&mut self, node: &StackNode, bytes: u64) {
        if let Some(file) = &node.backing_file {
            let behind = self.behind.entry(file.into()).or_insert_with(|| Behind { device: node.name.clone(), bytes: 0 });
            behind.bytes = behind.bytes.saturating_add(bytes);
        }
        node.under.iter().for_each(|under| self.below(under, bytes));
    }

    /// Holes of files behind loop devices take room where these lie; a file that cannot be looked at, as one without a name, is left to whoever made it.
    fn check(mut self) -> Result<(), TargetError> {
        for (file, behind) in std::mem::take(&mut self.behind) {
            let Some(meta) = file.metadata().ok().filter(Metadata::is_file) else { continue };
            let holes_bytes = meta.len().saturating_sub(meta.blocks().saturating_mul(512));
            let on = self.on(meta.dev(), &file);
            on.bytes = on.bytes.saturating_add(holes_bytes.min(behind.bytes));
            on.by = (holes_bytes > 0).then_some(behind.device).or(on.by.take());
        }
        self.on.values().try_for_each(Need::check)
    }
}

impl Need {
    fn check(&self) -> Result<(), TargetError> {
        // A filesystem that does not answer, or knows no end, is asked by whoever writes.
        let Some(room) = &self.room else { return Ok(()) };
        if room.read_only && (self.bytes > 0 || self.files > 0) && self.by.is_none() {
            return Err(TargetError::ReadOnly(self.path.clone()));
        }
        let what = match room.files {
            _ if room.total_bytes > 0 && self.bytes > 0 && !room.has(self.bytes) => {
                let by = self.by.as_ref().map_or_else(String::new, |device| format!(" (the file behind {device} has holes)"));
                format!(
                    "what is to be written needs {} more on this filesystem{by}, beside the {} that are left to others; {} are free",
                    rounded(self.bytes),
                    rounded(room.keep_bytes()),
                    rounded(room.free_bytes)
                )
            }
            Some((free, _)) if self.files > 0 && !room.has_files(self.files) => {
                let kept = room.keep_files();
                format!(
                    "{} files are to be made on this filesystem beside the {kept} that are left to others, and it has room for {free} more",
                    self.files
                )
            }
            _ => return Ok(()),
        };
        Err(TargetError::unsuitable_hint(&self.path, what, "make room, or choose another folder, a smaller size or fewer files"))
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
fn missing_bytes(growth: Growth, there: Option<&Metadata>, block_bytes: u64) -> u64 {
    let has_bytes = there.map_or(0, |meta| meta.blocks().saturating_mul(512));
    let grows = there.is_none_or(|meta| meta.len() < growth.size_bytes);
    let laid_out = if grows { growth.laid_out_bytes } else { 0 };
    let in_blocks = |bytes: u64| bytes.div_ceil(block_bytes.max(1)).saturating_mul(block_bytes.max(1));
    in_blocks(laid_out).max(in_blocks(growth.written_in_blocks(block_bytes))).saturating_sub(has_bytes)
}

/// Two digits or more are enough to choose another size by.
fn rounded(bytes: u64) -> String {
    let unit = [50, 40, 30, 20].map(|bits| 1u64 << bits).into_iter().find(|unit| bytes / unit >= 10).unwrap_or(1);
    binary_size(bytes / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

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
        let missing = |growth, there: Option<&Metadata>| missing_bytes(growth, there, 4096);
        let meta = path.metadata().unwrap();
        assert!(missing(all(3 << 20), Some(&meta)) <= 2 << 20);
        assert_eq!(missing(all(3 << 20), None), 3 << 20);
        assert_eq!(missing(all(1 << 20), Some(&meta)), 0);
        assert_eq!(missing(all(1), None), 4096, "a file takes whole blocks");
        let sparse = folder.path().join("sparse");
        std::fs::File::create(&sparse).unwrap().set_len(1 << 20).unwrap();
        let meta = sparse.metadata().unwrap();
        assert_eq!(missing(all(1 << 20), Some(&meta)), 0, "nobody fills the holes of a file that is there");
        assert_eq!(missing(Growth::of_all(1 << 20, 4096), Some(&meta)), 4096);
    }

    #[test]
    fn holes_behind_loop_devices_are_held_against_what_is_free_there() {
        let folder = folder_on_a_drive();
        let file = folder.path().join("image");
        let made = std::fs::File::create(&file).unwrap();
        // No filesystem of today has so much.
        made.set_len(1 << 42).unwrap();
        let lowest = StackNode { backing_file: Some(file.to_string_lossy().into()), ..StackNode::disk("loop7") };
        let stack = StackNode { under: vec![StackNode { under: vec![lowest], ..StackNode::disk("loop7p1") }], ..StackNode::disk("dm-0") };
        let writing = |bytes: &[u64]| {
            let mut needs = Needs::default();
            bytes.iter().for_each(|bytes| needs.below(&stack, *bytes));
            needs.check()
        };
        let said = writing(&[1 << 41, 1 << 41]).unwrap_err().to_string();
        assert!(said.contains("GiB more") || said.contains("TiB more"));
        assert!(said.contains("behind loop7"), "{said}");
        assert!(writing(&[4096]).is_ok(), "of a small write little is taken");
        made.set_len(0).unwrap();
        assert!(writing(&[1 << 42]).is_ok(), "no holes");
    }
}
