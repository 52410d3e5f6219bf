//! Devices with data: loop devices by what is on them and by what uses them.
//!
//! The promise of the search for unknown content is kept to: up to 64 MiB all of a device is read, so one byte anywhere must be found.

use super::Place;
use crate::attack::Setting;
use crate::attack::attempt::Attempt;
use crate::command::{locked, tool};
use anyhow::Result;
use rustix::fs::FlockOperation;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

const MIB: u64 = 1 << 20;

/// Content without a tool of its own: offset and bytes of a signature that the program must know.
const SIGNATURES: &[(&str, u64, &[u8])] = &[
    ("luks", 0, b"LUKS\xba\xbe\x00\x02"),
    ("lvm", 512, b"LABELONE"),
    ("qcow2", 0, b"QFI\xfb\x00\x00\x00\x03"),
    ("vhdx", 0, b"vhdxfile"),
    ("iso9660", 32_769, b"CD001"),
    ("squashfs", 0, b"hsqs"),
    ("gpt-copy", 0, b""),
];

/// Users of a device for which it must be refused, whatever is on it.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Nothing,
    Mounted,
    Held,
    Locked,
    Mapped,
    UnderLoop,
    ReadOnly,
    TwinMounted,
}

const USES: [Use; 6] = [Use::Nothing, Use::Held, Use::Locked, Use::Mapped, Use::UnderLoop, Use::ReadOnly];
const USES_OF_FILESYSTEMS: [Use; 8] =
    [Use::Nothing, Use::Mounted, Use::Mounted, Use::TwinMounted, Use::Held, Use::Mapped, Use::UnderLoop, Use::ReadOnly];

struct Content {
    /// True where a signature explains it, so that no consent is enough.
    firm: bool,
    mounts: Option<(&'static str, &'static str)>,
    partitioned: bool,
}

/// A loop device with data, in use or not; sometimes on a file in memory, or one of its partitions.
pub fn make(attempt: &mut Attempt) -> Result<Place> {
    if attempt.random.once_in(8) {
        let disks = attempt.folder.join("disks");
        attempt.kept.mount(&["-t", "tmpfs", "-o", "size=400m", "none"], &disks)?;
    }
    let disk = attempt.folder.join("disks/disk");
    let content = fill(attempt, &disk)?;
    let uses: &[Use] = if content.mounts.is_some() { &USES_OF_FILESYSTEMS } else { &USES };
    let takes_partition = content.partitioned && attempt.random.once_in(2);
    let used = if takes_partition { Use::Nothing } else { *attempt.random.pick(uses) };
    let device = attempt.kept.attach(&disk, if used == Use::ReadOnly { &["--read-only"] } else { &[] })?;
    if takes_partition {
        return partition(attempt, &device);
    }
    put_to_use(attempt, &device, &disk, used, &content)?;
    Ok(Place { consent: kernel_name(&device), path: device, is_device: true, firm: content.firm || used != Use::Nothing })
}

fn kernel_name(device: &Path) -> String {
    device.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

const UNKNOWN: Content = Content { firm: false, mounts: None, partitioned: false };

fn fill(attempt: &mut Attempt, disk: &Path) -> Result<Content> {
    let kind = attempt.random.below(10);
    let sized = |bytes: u64| -> Result<File> {
        let file = File::create(disk)?;
        file.set_len(bytes)?;
        Ok(file)
    };
    match kind {
        0..=4 => {
            let image = *attempt.random.pick(IMAGES);
            copy(attempt.setting, image, disk)?;
            return Ok(Content { firm: true, mounts: image.4, partitioned: matches!(image.0, "gpt" | "mbr") });
        }
        5 => {
            let file = sized((1 + attempt.random.below(16)) * MIB)?;
            match *attempt.random.pick(SIGNATURES) {
                // The copy of a table in the last sector alone, as wiping the beginning leaves it.
                ("gpt-copy", ..) => file.write_all_at(b"EFI PART\x00\x00\x01\x00\x5c\x00\x00\x00", file.metadata()?.len() - 512)?,
                (_, at, bytes) => file.write_all_at(bytes, at)?,
            }
        }
        // Random data on 4 per cent of the device, anywhere.
        6 => {
            let blocks = 256 * (4 + attempt.random.below(60));
            let file = sized(blocks * 4096)?;
            for _ in 0..blocks / 25 {
                let (bytes, at) = (attempt.random.bytes(4096), attempt.random.below(blocks) * 4096);
                file.write_all_at(&bytes, at)?;
            }
        }
        7 => {
            let size = (1 + attempt.random.below(64)) * MIB;
            let at = *attempt.random.pick(&[0, 511, size / 2 + 17, size - 1]);
            let at = if attempt.random.once_in(2) { attempt.random.below(size) } else { at };
            sized(size)?.write_all_at(b"x", at)?;
        }
        // Somebody's data behind bytes with which the program's own blocks begin.
        8 => {
            let file = sized(4 * MIB)?;
            (0..1024).try_for_each(|block| file.write_all_at(b"IOPROOF", block * 4096))?;
            let (bytes, at) = (attempt.random.bytes(512), attempt.random.below(1024) * 4096 + 512 * (1 + attempt.random.below(7)));
            file.write_all_at(&bytes, at)?;
        }
        _ => std::fs::write(disk, attempt.random.bytes(4 << 20))?,
    }
    Ok(UNKNOWN)
}

fn partition(attempt: &mut Attempt, device: &Path) -> Result<Place> {
    let path = attempt.kept.partition(device, "2048", "16384")?;
    let bytes = attempt.random.bytes(64 << 10);
    File::options().write(true).open(&path)?.write_all_at(&bytes, attempt.random.below(64) * 4096)?;
    let consent = if attempt.random.once_in(2) { kernel_name(&path) } else { kernel_name(device) };
    Ok(Place { path, consent, is_device: true, firm: false })
}

fn put_to_use(attempt: &mut Attempt, device: &Path, disk: &Path, used: Use, content: &Content) -> Result<()> {
    let to_write = || File::options().read(true).write(true).open(device);
    match used {
        Use::Nothing | Use::ReadOnly => {}
        Use::Mounted => mount(attempt, device, content)?,
        Use::TwinMounted => {
            let twin = attempt.kept.attach(disk, &[])?;
            mount(attempt, &twin, content)?;
        }
        Use::Held => attempt.kept.keep(to_write()?),
        Use::Locked => {
            let file = to_write()?;
            rustix::fs::flock(&file, FlockOperation::LockExclusive)?;
            attempt.kept.keep(file);
        }
        Use::Mapped => attempt.kept.map(device)?,
        Use::UnderLoop => drop(attempt.kept.attach(device, &[])?),
    }
    Ok(())
}

fn mount(attempt: &mut Attempt, device: &Path, content: &Content) -> Result<()> {
    let point = attempt.folder.join("mounted");
    let (kind, options) = content.mounts.unwrap_or(("auto", "ro"));
    attempt.kept.mount(&["-t", kind, "-o", options, &device.display().to_string()], &point)
}

/// An image of a filesystem or a partition table, made once by a tool and copied for every attempt: name, size, program and words in front of the path, and type
/// and options for mount(8), where it can be mounted. Only to be read, so that the kernel itself changes nothing.
type Image = (&'static str, u64, &'static str, &'static [&'static str], Option<(&'static str, &'static str)>);

/// Nothing of it is left to the kernel, which would write it in the background.
const EXT: &[&str] = &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
const MBR: &str = "export PATH=$PATH:/usr/sbin:/sbin; echo 'start=2048, size=16384, type=83' | sfdisk --quiet \"$0\"";

const IMAGES: &[Image] = &[
    ("ext4", 8 * MIB, "mkfs.ext4", EXT, Some(("ext4", "ro"))),
    ("ext2", 4 * MIB, "mkfs.ext2", EXT, Some(("ext2", "ro"))),
    ("xfs", 300 * MIB, "mkfs.xfs", &["-q", "-f"], Some(("xfs", "ro,nouuid"))),
    ("btrfs", 128 * MIB, "mkfs.btrfs", &["-q", "-f"], Some(("btrfs", "ro"))),
    ("swap", 4 * MIB, "mkswap", &[], None),
    ("gpt", 16 * MIB, "sgdisk", &["--new=1:2048:18431"], None),
    ("mbr", 16 * MIB, "sh", &["-c", MBR], None),
];

/// Puts a copy of the image at this path. Btrfs is made anew, because the kernel takes two with one identity for parts of one.
fn copy(setting: &Setting, (name, size_bytes, program, words, _): Image, to: &Path) -> Result<()> {
    let create = |path: &Path| {
        File::create(path)?.set_len(size_bytes)?;
        tool(program, &[words, &[&path.display().to_string()]].concat()).map(drop)
    };
    if name == "btrfs" {
        return create(to);
    }
    let original = setting.folder.join(format!("{name}.image"));
    let mut made = locked(&setting.images);
    if !made.contains(name) {
        create(&original)?;
        made.insert(name);
    }
    drop(made);
    tool("cp", &["--sparse=always", "--reflink=auto", &original.display().to_string(), &to.display().to_string()]).map(drop)
}
