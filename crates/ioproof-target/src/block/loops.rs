//! Finds the files and devices behind the loop devices of this machine.
//!
//! The path in sysfs is only a name: it need not be UTF-8, it may have been deleted or replaced since, and it may lead elsewhere in another
//! mount namespace. So the loop driver is asked for device and inode, through a descriptor that can only read; a captured tree has no driver,
//! and there the path is followed. What cannot be told is an error, for the guard must not take it for nothing.

use super::{attribute, disks, folder, has, is_loop, name_of, name_of_path, number};
use crate::system::System;
use crate::system::kernel;
use crate::system::mounts::Mount;
use rustix::fs::{FileType, Mode, OFlags};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A device or file by the numbers of stat(2).
pub(crate) type Id = (u64, u64);

/// The file or device behind a loop device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Backing {
    /// Device and inode of the file.
    pub id: Id,
    /// The block device behind, where it is one and no file.
    pub device: Option<(u32, u32)>,
    /// As the kernel spells it, for people.
    pub path: PathBuf,
}

impl Backing {
    /// The kernel name of the block device behind; `None` where a file is.
    pub(crate) fn device_name(&self, system: &System) -> Option<String> {
        self.device.and_then(|(major, minor)| name_of(system, major, minor))
    }

    /// True if it may be this file.
    pub(crate) fn may_be(&self, other: Id, mounts: &[Mount]) -> bool {
        self.device.is_none() && may_be_one(self.id, other, mounts)
    }
}

/// True if two files may be one. A file bears two device numbers where it is seen through an overlay and beside it, so an equal inode counts as well where
/// either number is of a filesystem without a device that the mount table does not explain.
pub(crate) fn may_be_one(one: Id, other: Id, mounts: &[Mount]) -> bool {
    let unclear = || [one.0, other.0].iter().any(|dev| may_be_a_view(*dev, mounts));
    one == other || (one.1 == other.1 && unclear())
}

fn may_be_a_view(dev: u64, mounts: &[Mount]) -> bool {
    let (major, minor) = (rustix::fs::major(dev), rustix::fs::minor(dev));
    let known = mounts.iter().find(|mount| (mount.major, mount.minor) == (major, minor));
    major == 0 && known.is_none_or(|mount| mount.fs_type == "overlay")
}

/// Every loop device in use with what is behind it, or why that cannot be told.
pub(crate) fn backings(system: &System) -> Vec<(String, Result<Backing, String>)> {
    let loops = disks(system).into_iter().filter(|name| is_loop(name));
    loops.filter_map(|name| backing(system, &name).map(|found| (name, found))).collect()
}

/// The backing of one loop device; `None` where it has none. One that is being detached is asked until it is clear.
pub(crate) fn backing(system: &System, name: &str) -> Option<Result<Backing, String>> {
    const TRIES: u32 = 10;
    for _ in 0..TRIES {
        if is_idle(system, name) {
            return None;
        }
        match ask(system, name) {
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => return (!is_idle(system, name)).then(|| Err(error.to_string())),
            Ok(found) => return Some(Ok(found)),
        }
    }
    Some(Err("the loop driver says that it has no file, and sysfs that it has a size".into()))
}

/// The same for whoever only shows it: where the driver may not be asked, the path is followed.
pub(crate) fn likely(system: &System, name: &str) -> Option<Backing> {
    let found = backing(system, name)?;
    found.ok().or_else(|| by_path(system, path_of(system, name).ok()?).ok())
}

/// True for a loop device that has a file.
pub(crate) fn is_loop_in_use(system: &System, name: &str) -> bool {
    is_loop(name) && !is_idle(system, name)
}

fn is_idle(system: &System, name: &str) -> bool {
    !has(system, name, "loop") && attribute(system, name, "size").as_deref() == Some("0")
}

fn ask(system: &System, name: &str) -> io::Result<Backing> {
    let path = path_of(system, name);
    if system.at("") != Path::new("/") {
        return by_path(system, path?);
    }
    let node = Path::new("/dev").join(name);
    let fd = rustix::fs::open(&node, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())?;
    let stat = rustix::fs::fstat(&fd)?;
    let found = (rustix::fs::major(stat.st_rdev), rustix::fs::minor(stat.st_rdev));
    if FileType::from_raw_mode(stat.st_mode) != FileType::BlockDevice || number(system, name) != Some(found) {
        return Err(io::Error::other(format!("{} is not its node", node.display())));
    }
    let status = kernel::loop_status(&fd)?;
    let split = |dev| (rustix::fs::major(dev), rustix::fs::minor(dev));
    let device = (status.rdevice != 0).then(|| split(status.rdevice));
    Ok(Backing { id: (status.device, status.inode), device, path: path.unwrap_or_else(|_| "a file".into()) })
}

/// The path in sysfs, byte by byte. The kernel ends it with one newline, and a name may end with another.
fn path_of(system: &System, name: &str) -> io::Result<PathBuf> {
    let folder = folder(system, name).ok_or(io::ErrorKind::NotFound)?;
    let mut bytes = std::fs::read(system.sys(&format!("{folder}/loop/backing_file")))?;
    bytes.pop_if(|last| *last == b'\n');
    Ok(OsString::from_vec(bytes).into())
}

fn by_path(system: &System, path: PathBuf) -> io::Result<Backing> {
    match std::fs::metadata(at(system, &path)) {
        Ok(meta) if meta.file_type().is_block_device() => {
            let device = Some((rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev())));
            Ok(Backing { id: (meta.dev(), meta.ino()), device, path })
        }
        Ok(meta) => Ok(Backing { id: (meta.dev(), meta.ino()), device: None, path }),
        Err(error) => {
            let device = path.to_str().and_then(|path| name_of_path(system, path)).and_then(|name| number(system, &name));
            device.map(|device| Backing { id: (0, 0), device: Some(device), path }).ok_or(error)
        }
    }
}

/// The place of an absolute path that the kernel has named, whatever its bytes.
pub(crate) fn at(system: &System, path: &Path) -> PathBuf {
    system.at("").join(path.strip_prefix("/").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    fn loops(tree: &Tree) -> Vec<(String, Result<Backing, String>)> {
        backings(&tree.system())
    }

    #[test]
    fn names_of_any_bytes_lead_to_their_file() {
        let tree = Tree::new();
        tree.disk("loop0", "7:0", 1 << 20);
        for name in [&b"non\xffutf8.img"[..], b"two\nlines", b"ends\n", b"blank "] {
            let path = tree.path("srv").join(OsStr::from_bytes(name));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "x").unwrap();
            tree.write_bytes("sys/block/loop0/loop/backing_file", &[b"/srv/", name, b"\n"].concat());
            let meta = std::fs::metadata(&path).unwrap();
            assert_eq!(loops(&tree)[0].1.as_ref().unwrap().id, (meta.dev(), meta.ino()), "{name:?}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_an_error_and_what_is_idle_is_nothing() {
        let tree = Tree::new();
        tree.disk("loop0", "7:0", 1 << 20);
        tree.write("sys/block/loop0/loop/backing_file", "/srv/a.img (deleted)\n");
        tree.disk("loop1", "7:1", 0);
        let found = loops(&tree);
        assert!(found.len() == 1 && found[0].0 == "loop0" && found[0].1.is_err(), "{found:?}");
        std::fs::remove_file(tree.path("sys/block/loop0/loop/backing_file")).unwrap();
        assert!(loops(&tree)[0].1.is_err());
        assert!(likely(&tree.system(), "loop0").is_none());
    }

    #[test]
    fn a_file_may_show_through_an_overlay() {
        let ext4 = rustix::fs::makedev(8, 1);
        let (overlay, memory, unknown) = (rustix::fs::makedev(0, 40), rustix::fs::makedev(0, 41), rustix::fs::makedev(0, 42));
        let tree = Tree::new();
        tree.write("proc/self/mountinfo", "1 1 0:40 / / rw - overlay o rw\n2 1 0:41 / /tmp rw - tmpfs t rw\n");
        let mounts = crate::system::mounts::mounts(&tree.system()).unwrap();
        let on = |dev| Backing { id: (dev, 12), device: None, path: "/x".into() };
        assert!(on(ext4).may_be((ext4, 12), &mounts) && !on(ext4).may_be((ext4, 13), &mounts));
        assert!(
            on(ext4).may_be((overlay, 12), &mounts) && on(overlay).may_be((ext4, 12), &mounts) && on(unknown).may_be((ext4, 12), &mounts)
        );
        assert!(!on(memory).may_be((ext4, 12), &mounts) && !on(ext4).may_be((rustix::fs::makedev(8, 2), 12), &mounts));
    }
}
