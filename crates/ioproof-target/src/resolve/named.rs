//! Describes a path to somebody who only wants to know: also character nodes, empty drives and files that nobody could measure.
//!
//! Looser than [`resolve`](crate::resolve()), since nothing follows from it but reading. Nothing is opened.

use crate::block;
use crate::block::character;
use crate::block::stack;
use crate::error::TargetError;
use crate::system::System;
use crate::system::filesystem;
use crate::system::pin::Pin;
use ioproof_core::facts::FilesystemFacts;
use rustix::fs::FileType;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A path, described.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The path after links were followed.
    pub resolved: PathBuf,
    /// Its kind in words: `block device`, `character device`, `file`, `directory`.
    pub kind: &'static str,
    /// Kernel names of the block devices that it is or lies on: all namespaces of an NVMe controller, all members of a ZFS pool, else
    /// at most one.
    pub devices: Vec<String>,
    /// The very node that was given, where it is a device: commands can go through it even where sysfs knows nothing.
    pub node: Option<PathBuf>,
    /// The kernel's name of a character node: `nvme0`, `ng0n1`, `sg2`.
    pub character: Option<String>,
    /// The filesystem of a file or directory.
    pub filesystem: Option<FilesystemFacts>,
    /// Facts that could not be told, in sentences.
    pub notes: Vec<String>,
}

/// Finds out what a path stands for. A bare kernel name (`sda`) means the node in `/dev`, where no such file is here.
///
/// # Errors
/// When nothing is there, it may not be looked at, or it can have nothing to do with a drive.
pub fn named(system: &System, given: &Path) -> Result<Named, TargetError> {
    let path = std::fs::canonicalize(given).or_else(|error| bare_name(given).ok_or(error));
    let path = path.map_err(|error| TargetError::io(given, "follow it", error))?;
    let pin = Pin::new(&path)?;
    let number = (rustix::fs::major(pin.stat.st_rdev), rustix::fs::minor(pin.stat.st_rdev));
    match FileType::from_raw_mode(pin.stat.st_mode) {
        FileType::BlockDevice => Ok(block_device(system, path, number)),
        FileType::CharacterDevice => character(system, given, path, number),
        FileType::RegularFile => on_filesystem(system, given, path, &pin, "file"),
        FileType::Directory => on_filesystem(system, given, path, &pin, "directory"),
        FileType::Fifo => Err(TargetError::unsuitable(given, "is a pipe")),
        FileType::Socket => Err(TargetError::unsuitable(given, "is a socket")),
        _ => Err(TargetError::unsuitable(given, "is neither a device nor a file nor a directory")),
    }
}

/// The node of a block device by kernel name, where there is one and it is that device.
#[must_use]
pub fn node_of(system: &System, name: &str) -> Option<PathBuf> {
    let path = Path::new("/dev").join(name.replace('!', "/"));
    let meta = std::fs::metadata(&path).ok()?;
    let number = (rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev()));
    (meta.file_type().is_block_device() && block::number(system, name) == Some(number)).then_some(path)
}

/// The disk that a partition is part of; any other device is its own.
#[must_use]
pub fn disk_of(system: &System, name: &str) -> String {
    block::disk_of(system, name).unwrap_or_else(|| name.to_owned())
}

fn bare_name(given: &Path) -> Option<PathBuf> {
    let single = given.components().count() == 1 && given.is_relative();
    let node = Path::new("/dev").join(given);
    (single && std::fs::metadata(&node).is_ok_and(|m| m.file_type().is_block_device() || m.file_type().is_char_device())).then_some(node)
}

fn device(path: PathBuf, kind: &'static str, devices: Vec<String>) -> Named {
    Named { node: Some(path.clone()), resolved: path, kind, devices, character: None, filesystem: None, notes: Vec::new() }
}

fn block_device(system: &System, path: PathBuf, (major, minor): (u32, u32)) -> Named {
    let name = block::name_of(system, major, minor);
    let unknown = format!("sysfs does not know block device {major}:{minor}: only what the device itself answers can be told");
    let notes = if name.is_some() { Vec::new() } else { vec![unknown] };
    Named { notes, ..device(path, "block device", name.into_iter().collect()) }
}

fn character(system: &System, given: &Path, path: PathBuf, (major, minor): (u32, u32)) -> Result<Named, TargetError> {
    let link = std::fs::read_link(system.sys(&format!("dev/char/{major}:{minor}"))).unwrap_or_default();
    let known = link.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    // The kernel numbers these nodes dynamically; where sysfs is hidden, the node's own name is all there is.
    let name = known.or_else(|| Some(path.file_name()?.to_str()?.to_owned())).unwrap_or_default();
    match devices_of_character(system, &name) {
        Some(devices) => {
            let notes = if devices.is_empty() { vec![format!("{name} has no block device here")] } else { Vec::new() };
            Ok(Named { character: Some(name), notes, ..device(path, "character device", devices) })
        }
        None => Err(TargetError::unsuitable_hint(given, "is a character device of no drive", "`ioproof list` shows the drives here")),
    }
}

/// The block devices behind a character node of a drive; `None` where it is none of a drive.
fn devices_of_character(system: &System, name: &str) -> Option<Vec<String>> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if name.strip_prefix("ng").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        return Some(character::block_name(system, name).into_iter().collect());
    }
    if name.strip_prefix("nvme").is_some_and(digits) {
        let namespaces = block::disks(system).into_iter().filter(|disk| disk.starts_with(&format!("{name}n")));
        return Some(namespaces.collect());
    }
    let class = if name.strip_prefix("sg").is_some_and(digits) { "scsi_generic" } else { "bsg" };
    let folder = format!("class/{class}/{name}");
    system.sys(&folder).exists().then(|| system.sys_list(&format!("{folder}/device/block")))
}

fn on_filesystem(system: &System, given: &Path, path: PathBuf, pin: &Pin, kind: &'static str) -> Result<Named, TargetError> {
    if let Some(filesystem) = filesystem::without_drive(pin).map_err(|error| TargetError::io(given, "ask for its filesystem", error))? {
        let filesystem = filesystem::known_better(system, pin, &path).unwrap_or(filesystem);
        return Err(TargetError::NoDrive { path: given.to_path_buf(), filesystem });
    }
    let room = filesystem::room(pin).map_err(|error| TargetError::io(given, "ask for free space", error))?;
    let mount = filesystem::mount(system, pin, &path);
    let pool = mount.as_ref().map(|mount| stack::pool_members(system, mount)).unwrap_or_default();
    let stack = stack::of_file(system, pin.stat.st_dev, mount.as_ref());
    let fs_type = mount.as_ref().map_or("an unknown filesystem", |mount| mount.fs_type.as_str());
    let notes = if stack.is_none() { vec![format!("lies on {fs_type}, the drive cannot be told")] } else { Vec::new() };
    Ok(Named {
        resolved: path,
        kind,
        devices: if pool.is_empty() { stack.map(|node| node.name).into_iter().collect() } else { pool },
        node: None,
        character: None,
        filesystem: mount.map(|mount| filesystem::facts(system, &mount, room)),
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::{Tree, folder_on_a_drive};

    #[test]
    fn character_nodes_lead_to_the_block_devices() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1), ("nvme0n2", "259:1", 2)], "S1");
        tree.folder("sys/class/scsi_generic/sg2/device/block/sdc");
        let of = |name| devices_of_character(&tree.system(), name);
        assert_eq!(of("nvme0"), Some(vec!["nvme0n1".to_owned(), "nvme0n2".to_owned()]));
        assert_eq!(of("ng0n2"), Some(vec!["nvme0n2".to_owned()]));
        assert_eq!(of("sg2"), Some(vec!["sdc".to_owned()]));
        assert_eq!([of("nvme1"), of("ng9n9")], [Some(vec![]), Some(vec![])]);
        assert_eq!([of("tty0"), of("sg3"), of("nvme")], [None, None, None]);
    }

    #[test]
    fn an_empty_file_has_a_drive_and_a_pipe_has_none() {
        let folder = folder_on_a_drive();
        let empty = folder.path().join("empty");
        std::fs::write(&empty, "").unwrap();
        let named = super::named(&System::host(), &empty).unwrap();
        assert_eq!((named.kind, named.node.clone()), ("file", None));
        assert!(named.filesystem.is_some() && (!named.devices.is_empty() || !named.notes.is_empty()));
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(super::named(&System::host(), &pipe).is_err());
        assert!(super::named(&System::host(), Path::new("/dev/zero")).unwrap_err().to_string().contains("no drive"));
    }

    #[test]
    fn a_filesystem_of_nodes_bears_its_own_name() {
        let tree = Tree::new();
        let pin = Pin::new(Path::new("/dev")).unwrap();
        assert_eq!(filesystem::known_better(&tree.system(), &pin, Path::new("/dev")), None);
        for (fs_type, said) in [("tmpfs", None), ("devtmpfs", Some("devtmpfs"))] {
            tree.write("proc/self/mountinfo", &format!("1 1 0:6 / /dev rw - {fs_type} dev rw\n"));
            assert_eq!(filesystem::known_better(&tree.system(), &pin, Path::new("/dev")), said);
        }
    }

    #[test]
    fn a_block_device_that_sysfs_does_not_know_is_still_a_device() {
        let tree = Tree::new();
        let named = block_device(&tree.system(), "/dev/x".into(), (8, 3));
        assert!(named.devices.is_empty() && named.notes[0].contains("8:3"));
        assert_eq!(named.node.as_deref(), Some(Path::new("/dev/x")));
    }
}
