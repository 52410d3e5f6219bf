//! Room below a filesystem or a device: a loop device whose file has holes, or is written elsewhere than where it lies, takes new room of the filesystem that holds the file,
//! which belongs to others too.
//!
//! Only what is seen counts: thin volumes of the device mapper and the storage of virtual machines do not tell theirs.

use crate::block;
use crate::error::TargetError;
use crate::filesystem::{self, Lower, lower};
use crate::free_space::overwriting::kept_bytes;
use crate::stack;
use crate::system::System;
use ioproof_core::facts::StackNode;
use ioproof_core::units::binary_size;
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Refuses to write so much to a file, into a folder or to a block device where files below it would fill their own filesystem.
///
/// # Errors
/// When one would; the error names it.
pub(crate) fn check(system: &System, path: &Path, bytes: u64) -> Result<(), TargetError> {
    let Some(stack) = path.metadata().ok().and_then(|meta| stack_of(system, path, &meta)) else { return Ok(()) };
    check_node(path, &stack, bytes)
}

fn stack_of(system: &System, path: &Path, meta: &Metadata) -> Option<StackNode> {
    if meta.file_type().is_block_device() {
        let name = block::name_of(system, rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev()))?;
        return stack::of_device(system, &name);
    }
    let fd = rustix::fs::open(path, rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC, rustix::fs::Mode::empty()).ok()?;
    if let Some(Lower::Seen(lower)) = lower(&fd) {
        return stack::all_of_file(
            system,
            rustix::fs::fstat(&lower).ok()?.st_dev,
            filesystem::mount(system, &lower, Path::new("")).as_ref(),
        );
    }
    stack::all_of_file(system, meta.dev(), filesystem::mount(system, &fd, path).as_ref())
}

fn check_node(path: &Path, node: &StackNode, bytes: u64) -> Result<(), TargetError> {
    if let Some(file) = &node.backing_file {
        check_file(path, &node.name, Path::new(file), bytes)?;
    }
    node.under.iter().try_for_each(|under| check_node(path, under, bytes))
}

/// A file that cannot be looked at, as one that has no name any more, is left to whoever made it.
fn check_file(path: &Path, name: &str, file: &Path, bytes: u64) -> Result<(), TargetError> {
    let known = file.metadata().ok().filter(Metadata::is_file).zip(filesystem::room_at(file).ok());
    let Some((meta, room)) = known else { return Ok(()) };
    let has_bytes = meta.blocks().saturating_mul(512);
    let kept_bytes = if bytes > 0 { kept_bytes(file, has_bytes) } else { has_bytes };
    let needs_bytes = meta.len().saturating_sub(kept_bytes).min(bytes);
    if needs_bytes == 0 || room.total_bytes == 0 || room.has(needs_bytes) {
        return Ok(());
    }
    let why = if kept_bytes < has_bytes { "is not written in place" } else { "has holes" };
    let what = format!(
        "lies on {name}, whose file {} {why}: what is to be written takes up to {} more there, beside the {} that are left to others; {} are free",
        file.display(),
        binary_size(needs_bytes),
        binary_size(room.keep_bytes()),
        binary_size(room.free_bytes)
    );
    let hint = "make room where that file lies, or choose a smaller size";
    Err(TargetError::unsuitable_hint(path, what, hint))
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
        let said = check_node(Path::new("/srv"), &on(&file), 1 << 42).unwrap_err().to_string();
        assert!(said.contains("lies on loop7, whose file") && said.contains("4 TiB more there"), "{said}");
        assert!(check_node(Path::new("/srv"), &on(&file), 4096).is_ok(), "of a small write little is taken");
        made.set_len(0).unwrap();
        assert!(check_node(Path::new("/srv"), &on(&file), 1 << 42).is_ok(), "no holes");
        assert!(check_node(Path::new("/srv"), &on(Path::new("/nowhere (deleted)")), 1 << 42).is_ok());
    }
}
