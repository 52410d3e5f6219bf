//! Room below a filesystem or a device: a loop device whose file has holes, or is written elsewhere than where it lies, takes new room of the filesystem that holds the file,
//! which belongs to others too.
//!
//! Only what is seen counts: thin volumes of the device mapper and the storage of virtual machines do not tell theirs.

use crate::block;
use crate::error::TargetError;
use crate::filesystem::{self, Lower, Room, lower};
use crate::free_space::overwriting::kept_bytes;
use crate::promised::{self, Id};
use crate::stack;
use crate::system::System;
use ioproof_core::facts::StackNode;
use ioproof_core::units::binary_size;
use std::fs::Metadata;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Refuses to write so much to a file, into a folder or to a block device where files below it would fill their own filesystem.
///
/// # Errors
/// When one would; the error names it.
pub(crate) fn check(system: &System, path: &Path, bytes: u64) -> Result<(), TargetError> {
    let Some(meta) = path.metadata().ok() else { return Ok(()) };
    stack_of(system, path, &meta).map_or(Ok(()), |stack| check_node((path, promised::id(&meta)), &stack, bytes))
}

/// Refuses to write so much more to an open file where a file below would fill its filesystem. What only the page cache holds has no room there yet, so it is written out first;
/// whoever wrote it is told where this fails.
pub(crate) fn check_growing(system: &System, file: impl AsFd, more_bytes: u64) -> io::Result<()> {
    let Some(stack) = stack_of_open(system, &file).filter(has_file_below) else { return Ok(()) };
    let _ = rustix::fs::syncfs(&file);
    if has_room_for(&stack, more_bytes) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::StorageFull,
        "No space left on device: the file of a loop device below has no more room than what is left to others",
    ))
}

fn has_room_for(node: &StackNode, more_bytes: u64) -> bool {
    let has_room = |file: &Path| {
        let needs_bytes = lacks_bytes(file).min(more_bytes);
        needs_bytes == 0 || filesystem::room_at(file).map_or(true, |room| room.total_bytes == 0 || room.has(needs_bytes))
    };
    node.backing_file.as_ref().is_none_or(|file| has_room(Path::new(file)))
        && node.under.iter().all(|under| has_room_for(under, more_bytes))
}

fn has_file_below(node: &StackNode) -> bool {
    node.backing_file.is_some() || node.under.iter().any(has_file_below)
}

fn stack_of(system: &System, path: &Path, meta: &Metadata) -> Option<StackNode> {
    if meta.file_type().is_block_device() {
        let name = block::name_of(system, rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev()))?;
        return stack::of_device(system, &name);
    }
    stack_of_open(system, rustix::fs::open(path, rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC, rustix::fs::Mode::empty()).ok()?)
}

/// The devices below an open file or folder.
pub(crate) fn stack_of_open(system: &System, fd: impl AsFd) -> Option<StackNode> {
    let of = |fd: BorrowedFd<'_>| {
        let device = rustix::fs::fstat(fd).ok()?.st_dev;
        stack::all_of_file(system, device, filesystem::mount(system, fd, Path::new("")).as_ref())
    };
    match lower(&fd) {
        Some(Lower::Seen(lower)) => of(lower.as_fd()),
        _ => of(fd.as_fd()),
    }
}

/// `of`: what is written to.
fn check_node(of: (&Path, Id), node: &StackNode, bytes: u64) -> Result<(), TargetError> {
    if let Some(file) = &node.backing_file {
        check_file(of, &node.name, Path::new(file), bytes)?;
    }
    node.under.iter().try_for_each(|under| check_node(of, under, bytes))
}

/// A file that cannot be looked at, as one that has no name any more, is left to whoever made it.
fn check_file((path, target): (&Path, Id), name: &str, file: &Path, bytes: u64) -> Result<(), TargetError> {
    let known = file.metadata().ok().filter(Metadata::is_file).zip(filesystem::room_at(file).ok());
    let Some((meta, room)) = known.filter(|(_, room)| room.total_bytes > 0 && bytes > 0) else { return Ok(()) };
    let mut promised = promised::all();
    let others_bytes = promised.bytes(meta.dev());
    promised.put_below((promised::id(&meta), file), target, bytes);
    let all_bytes = promised.bytes(meta.dev());
    if all_bytes == others_bytes || room.has(all_bytes) {
        return Ok(());
    }
    promised.take_back(promised::id(&meta), target);
    Err(full(path, (name, file), lacks_bytes(file).min(bytes), all_bytes, room))
}

/// Bytes of a file that have no room, or take new room when they are written.
pub(crate) fn lacks_bytes(file: &Path) -> u64 {
    let Some(meta) = file.metadata().ok() else { return 0 };
    meta.len().saturating_sub(kept_bytes(file, meta.blocks().saturating_mul(512)))
}

fn full(path: &Path, (name, file): (&str, &Path), needs_bytes: u64, all_bytes: u64, room: Room) -> TargetError {
    let has_holes = file.metadata().is_ok_and(|meta| meta.len() > meta.blocks().saturating_mul(512));
    let why = if has_holes { "has holes" } else { "is not written in place" };
    let all = if all_bytes > needs_bytes { format!(", {} with all else of this run", binary_size(all_bytes)) } else { String::new() };
    let what = format!(
        "lies on {name}, whose file {} {why}: what is to be written takes up to {} more there{all}, beside the {} that are left to others; {} are free",
        file.display(),
        binary_size(needs_bytes),
        binary_size(room.keep_bytes()),
        binary_size(room.free_bytes)
    );
    let hint = "make room where that file lies, or choose a smaller size";
    TargetError::unsuitable_hint(path, what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::folder_on_a_drive;

    fn on(file: &Path) -> StackNode {
        let lowest = StackNode { backing_file: Some(file.to_string_lossy().into()), ..StackNode::disk("loop7") };
        StackNode { under: vec![StackNode { under: vec![lowest], ..StackNode::disk("loop7p1") }], ..StackNode::disk("dm-0") }
    }

    #[test]
    fn holes_are_held_against_what_is_free_below() {
        let folder = folder_on_a_drive();
        let file = folder.path().join("image");
        let made = std::fs::File::create(&file).unwrap();
        // No filesystem of today has so much.
        made.set_len(1 << 42).unwrap();
        let said = check_node((Path::new("/srv"), (0, 0, 0)), &on(&file), 1 << 42).unwrap_err().to_string();
        assert!(said.contains("lies on loop7, whose file") && said.contains("4 TiB more there"), "{said}");
        assert!(check_node((Path::new("/srv"), (0, 0, 0)), &on(&file), 4096).is_ok(), "of a small write little is taken");
        made.set_len(0).unwrap();
        assert!(check_node((Path::new("/srv"), (0, 0, 0)), &on(&file), 1 << 42).is_ok(), "no holes");
        assert!(check_node((Path::new("/srv"), (0, 0, 0)), &on(Path::new("/nowhere (deleted)")), 1 << 42).is_ok());
    }
}
