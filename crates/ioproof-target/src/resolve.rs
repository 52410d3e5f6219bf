//! From a path as typed to a [`Target`]: what it is, what it lies on, and why it cannot be measured where it cannot. Nothing is
//! written and, apart from a file's test for `O_DIRECT`, nothing is opened.

pub(crate) mod identity;
pub(crate) mod named;
pub(crate) mod target;
pub(crate) mod twin;
use crate::block;
use crate::block::character::{self, Character};
use crate::block::seen::Seen;
use crate::block::stack;
use crate::bound;
use crate::error::TargetError;
use crate::resolve::named::node_of;
use crate::resolve::target::{Target, What};
use crate::system::System;
use crate::system::filesystem;
use crate::system::filesystem::known_better;
use crate::system::mounts::Mount;
use crate::system::pin::Pin;
use ioproof_core::facts::{FilesystemFacts, Layer, StackNode, TargetFacts, TargetKind};
use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// Generators have no end; a span must have one. Bytes.
const GENERATOR_SPAN_BYTES: u64 = 1 << 40;
/// The alignment taken where nothing says what O_DIRECT wants: the block of most filesystems, which suits every drive. Bytes.
const SAFE_ALIGNMENT_BYTES: u32 = 4096;
/// The smallest block there is. Bytes.
const SECTOR_BYTES: u32 = 512;

/// Finds out what an existing path is. Links are followed.
///
/// # Errors
/// When nothing is there, it may not be looked at, or it is nothing that can be measured: each with its own message and hint.
pub fn resolve(system: &System, given: &Path) -> Result<Target, TargetError> {
    resolve_as(system, given, false)
}

/// As [`resolve`], for a file of a job: it may be empty and lie in memory, and the note about that stands where the error would.
///
/// # Errors
/// As [`resolve`], but for these two.
pub fn resolve_any(system: &System, given: &Path) -> Result<Target, TargetError> {
    resolve_as(system, given, true)
}

fn resolve_as(system: &System, given: &Path, any_file: bool) -> Result<Target, TargetError> {
    if let Some(named) = bound::named(given) {
        return of_bound(system, given, &named?);
    }
    let path = std::fs::canonicalize(given).map_err(|error| TargetError::io(given, "follow it", error))?;
    let pin = Pin::new(&path)?;
    match FileType::from_raw_mode(pin.stat.st_mode) {
        FileType::BlockDevice => device(system, given, path, &pin),
        FileType::RegularFile => file(system, given, path, &pin, any_file),
        FileType::Directory => directory(system, given, path, &pin),
        FileType::CharacterDevice => character(system, given, path, &pin),
        FileType::Fifo => Err(TargetError::unsuitable(given, "is a pipe")),
        FileType::Socket => Err(TargetError::unsuitable(given, "is a socket")),
        _ => Err(TargetError::unsuitable(given, "is neither a device nor a file nor a directory")),
    }
}

fn facts(given: &Path, path: &Path, kind: TargetKind, layer: Layer) -> TargetFacts {
    TargetFacts {
        given: given.display().to_string(),
        resolved: path.display().to_string(),
        kind,
        layer,
        size_bytes: 0,
        filesystem: None,
        stack: None,
        identity: None,
        direct: false,
        alignment_bytes: SECTOR_BYTES,
        notes: Vec::new(),
    }
}

fn device(system: &System, given: &Path, path: PathBuf, pin: &Pin) -> Result<Target, TargetError> {
    let rdev = pin.stat.st_rdev;
    let (major, minor) = (rustix::fs::major(rdev), rustix::fs::minor(rdev));
    let name = block::name_of(system, major, minor)
        .ok_or_else(|| TargetError::unsuitable(given, format!("is block device {major}:{minor}, which sysfs does not know")))?;
    let size_bytes = block::size_bytes(system, &name).unwrap_or(0);
    let alignment_bytes = block::logical_block_bytes(system, &name).unwrap_or(SAFE_ALIGNMENT_BYTES);
    if size_bytes < u64::from(alignment_bytes) {
        return Err(TargetError::unsuitable(given, "is a block device without a medium (its size is zero)"));
    }
    let disk = block::disk_of(system, &name).unwrap_or_else(|| name.clone());
    let seen = Seen { rdev, diskseq: block::diskseq(system, &disk), size_bytes, loop_on_device: false };
    let mut facts = facts(given, &path, TargetKind::BlockDevice, Layer::Block);
    facts.stack = stack::of_device(system, &name);
    facts.identity = Some(identity::of_device(system, &name));
    facts.notes = device_notes(&name, facts.stack.as_ref());
    if block::is_zoned(system, &name) {
        facts.notes.push(format!("{name} is a zoned drive: reads beyond the write pointer of a zone reach no medium"));
    }
    facts = TargetFacts { size_bytes, direct: true, alignment_bytes, ..facts };
    let character = character::of_namespace(system, &name);
    Ok(Target { facts, path, what: What::Device { name, seen }, character })
}

/// A drive that was taken from the kernel, by its address.
fn of_bound(system: &System, given: &Path, named: &bound::Named) -> Result<Target, TargetError> {
    let (drive, namespace) = bound::find(system, given, named)?;
    let path = PathBuf::from(format!("trtype:PCIe traddr:{} ns:{}", drive.address, namespace.number));
    let facts = facts(given, &path, TargetKind::BlockDevice, Layer::Block);
    let (size_bytes, alignment_bytes) = (namespace.size_bytes, namespace.block_bytes);
    let facts = TargetFacts { size_bytes, direct: true, alignment_bytes, ..facts };
    Ok(Target { facts, path, what: What::Bound { drive, namespace }, character: None })
}

fn device_notes(name: &str, stack: Option<&StackNode>) -> Vec<String> {
    let in_memory = name.starts_with("zram") || name.starts_with("ram");
    let memory = in_memory.then(|| format!("{name} is memory, not a drive: the figures are those of CPU and memory"));
    let backing = stack.and_then(|node| node.backing_file.as_ref());
    let looped = backing.map(|file| format!("{name} is a loop device on {file}: the figures include the filesystem that holds the file"));
    memory.into_iter().chain(looped).collect()
}

fn file(system: &System, given: &Path, path: PathBuf, pin: &Pin, any_file: bool) -> Result<Target, TargetError> {
    let in_memory = match on_a_drive(system, given, pin) {
        Err(TargetError::NoDrive { filesystem, .. }) if any_file && filesystem::is_memory(filesystem) => {
            Some(format!("lies on {filesystem}, which is no drive"))
        }
        other => other.map(|()| None)?,
    };
    let size_bytes = u64::try_from(pin.stat.st_size).unwrap_or(0);
    if size_bytes == 0 && !any_file {
        return Err(TargetError::unsuitable_hint(
            given,
            "is empty, so there is nothing to read",
            "give a directory, or a name that does not exist with --size: ioproof then makes a scratch file",
        ));
    }
    let mut facts = facts(given, &path, TargetKind::File, Layer::Filesystem);
    facts.size_bytes = size_bytes;
    add_filesystem(system, &mut facts, &path, pin)?;
    facts.identity = Some(identity::of_file(system, &facts, pin));
    let (direct, alignment_bytes) = direct(system, pin, facts.stack.as_ref())?;
    facts = TargetFacts { direct, alignment_bytes, ..facts };
    facts.notes.extend(in_memory);
    if size_bytes < u64::from(alignment_bytes) && !any_file {
        let what = format!("has {size_bytes} bytes, less than one block of {alignment_bytes}");
        return Err(TargetError::unsuitable(given, what));
    }
    facts.notes.extend((!direct).then(not_direct));
    Ok(Target { facts, path, what: What::File { id: pin.id() }, character: None })
}

fn directory(system: &System, given: &Path, path: PathBuf, pin: &Pin) -> Result<Target, TargetError> {
    on_a_drive(system, given, pin)?;
    let mut facts = facts(given, &path, TargetKind::Scratch, Layer::Filesystem);
    let mount = add_filesystem(system, &mut facts, &path, pin)?;
    // Through an overlay it is the upper layer that is written to.
    if mount.as_ref().and_then(twin::upper_layer).is_some_and(|upper| filesystem::is_kept_in_memory(&upper)) {
        return Err(TargetError::NoDrive { path: given.to_path_buf(), filesystem: "tmpfs" });
    }
    facts.identity = Some(identity::of_filesystem(system, &facts, mount.as_ref(), pin));
    let alignment_bytes = direct_by_kind(system, &facts);
    facts = TargetFacts { direct: true, alignment_bytes, ..facts };
    Ok(Target { facts, path, what: What::Directory, character: None })
}

/// Refuses what lies in memory or is made up by the kernel.
fn on_a_drive(system: &System, given: &Path, pin: &Pin) -> Result<(), TargetError> {
    match filesystem::without_drive(pin).map_err(|error| TargetError::io(given, "ask for its filesystem", error))? {
        Some(filesystem) => {
            let path = std::fs::canonicalize(given).unwrap_or_else(|_| given.to_path_buf());
            let filesystem = known_better(system, pin, &path).unwrap_or(filesystem);
            Err(TargetError::NoDrive { path: given.to_path_buf(), filesystem })
        }
        None => Ok(()),
    }
}

/// The note for the user of a file without `O_DIRECT`.
pub(crate) fn not_direct() -> String {
    "the filesystem refuses O_DIRECT, so the page cache is measured as well".to_owned()
}

/// Fills in filesystem, stack and the notes about them; gives the mount.
fn add_filesystem(system: &System, facts: &mut TargetFacts, path: &Path, pin: &Pin) -> Result<Option<Mount>, TargetError> {
    let room = filesystem::room(pin).map_err(|error| TargetError::io(path, "ask for free space", error))?;
    let mount = filesystem::mount(system, pin, path);
    facts.filesystem = mount.as_ref().map(|mount| filesystem::facts(system, mount, room));
    facts.stack = stack::all_of_file(system, pin.stat.st_dev, mount.as_ref());
    facts.notes.extend(stack_note(facts.filesystem.as_ref(), facts.stack.as_ref()));
    Ok(mount)
}

/// The note that the drives cannot be told.
pub(crate) fn stack_note(filesystem: Option<&FilesystemFacts>, stack: Option<&StackNode>) -> Option<String> {
    let fs_type = filesystem.map_or("an unknown filesystem", |f| f.fs_type.as_str());
    stack.is_none().then(|| format!("lies on {fs_type}, the drive cannot be told"))
}

/// Support for `O_DIRECT`, and the alignment that it wants. Bytes.
pub(crate) fn direct(system: &System, pin: &Pin, stack: Option<&StackNode>) -> Result<(bool, u32), TargetError> {
    match filesystem::direct_alignment(pin) {
        Some(0) => Ok((false, stack_block(system, stack))),
        Some(bytes) => Ok((true, bytes.max(SECTOR_BYTES).next_power_of_two())),
        None => Ok((accepts_direct(pin), SAFE_ALIGNMENT_BYTES)),
    }
}

/// A filesystem without direct I/O answers the open with EINVAL; any other answer is not about that.
fn accepts_direct(pin: &Pin) -> bool {
    !matches!(pin.open(OFlags::RDONLY | OFlags::DIRECT), Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()))
}

/// The filesystems that take direct I/O in blocks of the drives below them; others want their own.
const BY_DRIVES_BLOCK: [&str; 4] = ["ext2", "ext3", "ext4", "xfs"];

/// The alignment that `O_DIRECT` wants of a file that is not there yet, or of which the kernel does not say. Bytes.
fn direct_by_kind(system: &System, facts: &TargetFacts) -> u32 {
    let kind = facts.filesystem.as_ref().map_or("", |filesystem| filesystem.fs_type.as_str());
    let drives = stack_block(system, facts.stack.as_ref());
    if BY_DRIVES_BLOCK.contains(&kind) { drives } else { drives.max(SAFE_ALIGNMENT_BYTES) }
}

/// The largest logical block of the drives below. Bytes.
fn stack_block(system: &System, stack: Option<&StackNode>) -> u32 {
    let blocks = stack.into_iter().flat_map(StackNode::names).filter_map(|name| block::logical_block_bytes(system, &name));
    blocks.max().unwrap_or(SAFE_ALIGNMENT_BYTES)
}

/// Major and minor of `/dev/null` and `/dev/zero` (Linux, `Documentation/admin-guide/devices.txt`).
const NULL: (u32, u32) = (1, 3);
const ZERO: (u32, u32) = (1, 5);

fn character(system: &System, given: &Path, path: PathBuf, pin: &Pin) -> Result<Target, TargetError> {
    let number = (rustix::fs::major(pin.stat.st_rdev), rustix::fs::minor(pin.stat.st_rdev));
    let what = match number {
        NULL => What::Null,
        ZERO => What::Zero,
        _ => return of_character(system, given, number),
    };
    let mut facts = facts(given, &path, TargetKind::Generator, Layer::Generator);
    facts.size_bytes = GENERATOR_SPAN_BYTES;
    facts.notes.push(format!("{} is no drive: it shows what this program costs by itself", path.display()));
    Ok(Target { facts, path, what, character: None })
}

/// A character device that is no generator: that of an NVMe namespace is the drive of the block device beside it, with all that stands on that.
fn of_character(system: &System, given: &Path, number: (u32, u32)) -> Result<Target, TargetError> {
    let name = character_name(system, number);
    let Some(block) = character::block_name(system, &name) else { return Err(other_character(system, given, &name)) };
    let Some(path) = node_of(system, &block) else {
        return Err(TargetError::unsuitable(given, format!("belongs to the block device {block}, which has no node in /dev")));
    };
    let target = device(system, given, path.clone(), &Pin::new(&path)?)?;
    match target.character.as_ref().filter(|found| found.number == number) {
        Some(found) => Ok(Target { character: Some(Character { is_given: true, ..found.clone() }), ..target }),
        None => Err(TargetError::unsuitable(given, format!("is not known to be the character device of {block}"))),
    }
}

/// The kernel's name of a character device; empty where sysfs does not know it.
fn character_name(system: &System, (major, minor): (u32, u32)) -> String {
    let link = std::fs::read_link(system.sys(&format!("dev/char/{major}:{minor}"))).unwrap_or_default();
    link.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned()
}

fn other_character(system: &System, given: &Path, name: &str) -> TargetError {
    match first_namespace(system, name) {
        Some(block) => {
            let hint = format!("give a namespace of it: /dev/{block}, or its character device for commands past the block layer");
            TargetError::unsuitable_hint(given, "is the character device of an NVMe controller", hint)
        }
        None if name.starts_with("nvme") || name.starts_with("ng") => {
            TargetError::unsuitable(given, "is the character device of an NVMe drive that has no block device here")
        }
        None if name.starts_with("sg") => {
            let block = system.sys_list(&format!("class/scsi_generic/{name}/device/block"));
            let hint = block.first().map_or("give a block device".to_owned(), |block| {
                format!("give its block device, /dev/{block}, to which ioengine=sg sends the same commands")
            });
            TargetError::unsuitable_hint(given, "is the character device of a SCSI device", hint)
        }
        None => TargetError::unsuitable_hint(given, "is a character device", "give a block device, a file or a directory"),
    }
}

/// The first block device of the controller `nvme0`.
fn first_namespace(system: &System, name: &str) -> Option<String> {
    let digits = name.strip_prefix("nvme").filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))?;
    block::disks(system).into_iter().find(|disk| disk.starts_with(&format!("nvme{digits}n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::{Tree, folder_on_a_drive};
    use std::os::unix::fs::symlink;

    fn refused(path: &str) -> (String, Option<String>) {
        let error = resolve(&System::host(), Path::new(path)).unwrap_err();
        (error.to_string(), error.hint())
    }

    #[test]
    fn generators_are_known_by_number() {
        let zero = resolve(&System::host(), Path::new("/dev/zero")).unwrap();
        assert_eq!((zero.facts.kind, zero.facts.layer), (TargetKind::Generator, Layer::Generator));
        assert!(resolve(&System::host(), Path::new("/dev/null")).is_ok());
        assert!(refused("/dev/full").0.contains("is a character device"));
    }

    #[test]
    fn what_cannot_be_measured_says_why() {
        assert_eq!(refused("/nowhere/at/all").0, "/nowhere/at/all: no such target");
        let any = resolve_any(&System::host(), Path::new("/proc/sys/vm/swappiness")).unwrap_err();
        assert!(any.to_string().contains("made up by the kernel"), "a job's file neither: {any}");
        assert_eq!(refused("/proc/self/stat").0, "/proc/self/stat: lies on proc, which is made up by the kernel and no drive");
        assert_eq!(refused("/dev/shm").0, "/dev/shm: lies on tmpfs, which is memory and no drive");
        let folder = folder_on_a_drive();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(refused(pipe.to_str().unwrap()).0.ends_with("is a pipe"));
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(refused(socket.to_str().unwrap()).0.ends_with("is a socket"));
        let empty = folder.path().join("empty");
        std::fs::write(&empty, "").unwrap();
        let (text, hint) = refused(empty.to_str().unwrap());
        assert!(text.ends_with("is empty, so there is nothing to read") && hint.unwrap().contains("--size"), "{text}");
        let small = folder.path().join("small");
        std::fs::write(&small, "hello").unwrap();
        assert!(refused(small.to_str().unwrap()).0.contains("has 5 bytes, less than one block of"));
    }

    #[test]
    fn nvme_character_devices_lead_to_the_block_device_beside() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1)], "S1");
        tree.folder("sys/dev/char");
        tree.folder("sys/class/scsi_generic/sg2/device/block/sdc");
        for (number, name) in [("240:0", "nvme0"), ("241:0", "ng0n1"), ("241:9", "ng7n1"), ("21:2", "sg2")] {
            symlink(format!("../../devices/virtual/{name}"), tree.path(&format!("sys/dev/char/{number}"))).unwrap();
        }
        let error = |number| of_character(&tree.system(), Path::new("/dev/x"), number).unwrap_err();
        assert!(error((240, 0)).hint().unwrap().contains("/dev/nvme0n1"));
        assert!(error((21, 2)).hint().unwrap().contains("/dev/sdc"));
        // The node is the host's, which has no such drive with this number.
        assert!(error((241, 0)).to_string().contains("nvme0n1"));
        assert!(error((241, 9)).to_string().contains("no block device here"));
        assert!(error((5, 0)).to_string().contains("is a character device"));
    }

    #[test]
    fn a_file_and_a_directory_are_described() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("data");
        std::fs::write(&path, vec![1u8; 16_384]).unwrap();
        symlink("data", folder.path().join("link")).unwrap();
        let file = resolve(&System::host(), &folder.path().join("link")).unwrap();
        assert_eq!((file.facts.kind, file.facts.size_bytes), (TargetKind::File, 16_384));
        assert!(file.facts.resolved.ends_with("/data"));
        assert!(file.facts.alignment_bytes.is_power_of_two());
        let filesystem = file.facts.filesystem.unwrap();
        assert!(!filesystem.fs_type.is_empty() && filesystem.free_bytes > 0);
        let directory = resolve(&System::host(), folder.path()).unwrap();
        assert!(directory.is_directory() && !file.facts.given.is_empty());
    }

    #[test]
    fn what_lies_on_no_device_is_said() {
        let facts = FilesystemFacts {
            fs_type: "overlay".into(),
            mount_point: "/".into(),
            source: "overlay".into(),
            options: "rw".into(),
            free_bytes: 1,
            ..FilesystemFacts::default()
        };
        assert_eq!(stack_note(Some(&facts), None).unwrap(), "lies on overlay, the drive cannot be told");
        assert_eq!(stack_note(Some(&facts), Some(&StackNode::disk("sda"))), None);
    }

    #[test]
    fn memory_that_looks_like_a_drive_gets_a_note() {
        assert!(device_notes("zram0", None)[0].contains("memory"));
        assert_eq!(device_notes("sda", None), [] as [String; 0]);
    }
}
