//! The place of a filesystem of ours: a folder in which nothing is ever kept, and on it, in this process's own table of mounts, a filesystem in memory with a node of each
//! device and the mount point. Nobody else sees either, so nobody exchanges a node; and a kill leaves the empty folder alone, which the next run removes, with the pool of ZFS
//! that may belong to it.

use super::pool::{self, Pool};
use crate::owned::held_folder::{Act, HeldFolder, TEMPORARY};
use crate::owned::left_behind;
use crate::system::System;
use crate::system::pin::Pin;
use rustix::fs::{AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, chmodat, flock, fstat, mknodat};
use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::ffi::{CStr, OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of what programs keep while they run (FHS 3.0, 3.15), and another for machines without it.
const PARENTS: [&str; 2] = ["/run", "/tmp"];
/// Names that are tried.
const ATTEMPTS: usize = 100;
/// Everybody may enter it, as the account of a database must; in the folder below it are only files of ours.
const RIGHTS: Mode = Mode::from_raw_mode(0o755);
/// Looks for whoever still uses a filesystem that is taken down, a moment apart.
const LOOKS: usize = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// The place; dropped, all of it is gone.
#[derive(Debug)]
pub(super) struct Place {
    above: HeldFolder,
    name: OsString,
    path: PathBuf,
    /// Number of the nodes.
    devices: usize,
    /// Open mounts, the outermost first.
    mounts: Vec<PathBuf>,
    pool: Option<Pool>,
    /// Says to other runs that somebody works here.
    lock: OwnedFd,
}

impl Place {
    /// Makes one, with a node of each device.
    pub(super) fn make(devices: &[u64]) -> io::Result<Self> {
        let parent = parent().ok_or(io::ErrorKind::NotFound)?;
        let above = HeldFolder::open(parent)?;
        let (name, lock) = folder(&above)?;
        let path = parent.join(&name);
        let mut place = Self { above, name, path, devices: devices.len(), mounts: Vec::new(), pool: None, lock };
        place.mount(Path::new("ioproof"), place.path.clone(), "tmpfs", MountFlags::NOSUID | MountFlags::NOEXEC, c"mode=755,size=1m")?;
        for (node, device) in place.devices().iter().zip(devices) {
            mknodat(CWD, node, FileType::BlockDevice, Mode::RUSR | Mode::WUSR, *device)?;
        }
        std::fs::create_dir(place.root())?;
        Ok(place)
    }

    /// The folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The nodes of the devices: `device`, and from the second on `device2`.
    pub(super) fn devices(&self) -> Vec<PathBuf> {
        let name = |n: usize| if n == 1 { "device".to_owned() } else { format!("device{n}") };
        (1..=self.devices).map(|n| self.path.join(name(n))).collect()
    }

    /// The lock, which a program may keep beyond our own end.
    pub(super) fn lock(&self) -> io::Result<OwnedFd> {
        self.lock.try_clone()
    }

    /// Takes the name of a pool on these devices, which is destroyed with the place. None where such a pool is there.
    pub(super) fn name_pool(&mut self, system: &System, holds: Vec<OwnedFd>) -> Option<&Pool> {
        let pool = Pool::new(system, &self.name, &fstat(&self.lock).ok()?, holds)?;
        self.pool = Some(pool).filter(|pool| !pool.is_there(system));
        self.pool.as_ref()
    }

    /// The pool.
    pub(super) fn pool(&self) -> Option<&Pool> {
        self.pool.as_ref()
    }

    /// The folder on which the filesystem is mounted.
    pub(super) fn root(&self) -> PathBuf {
        self.path.join("fs")
    }

    /// Mounts something here.
    pub(super) fn mount(&mut self, source: &Path, at: PathBuf, kind: &str, flags: MountFlags, options: &CStr) -> io::Result<()> {
        mount(source, &at, kind, flags, options)?;
        self.mounts.push(at);
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        while let Some(at) = self.mounts.pop() {
            take_down(&at);
        }
        // Without its folder a pool is nobody's.
        let gone = self.pool.take().map_or(Ok(()), |pool| pool.destroy(&System::host()));
        let removed = gone.map_err(io::Error::other).and_then(|()| self.above.remove_folder(&self.name));
        left_behind::note(&self.above, &self.name, removed.map(|()| Act::Done));
    }
}

fn parent() -> Option<&'static Path> {
    PARENTS.iter().map(Path::new).find(|parent| parent.is_dir())
}

/// Removes what runs have left which were killed: their folders, and the pools of ZFS on drives that nobody could take before.
pub fn remove_left_filesystems(system: &System) {
    let Some(above) = parent().and_then(|parent| HeldFolder::open(parent).ok()) else { return };
    sweep(&above, |name, lock| {
        let removed = pool::remove_left(system, name, lock).map_err(io::Error::other);
        let is_gone = removed.is_ok();
        left_behind::note(&above, name, removed.map(|()| Act::Done));
        is_gone
    });
}

/// Takes a mount of ours down. One that is still in use is taken out of sight at least, and ends with its last user.
fn take_down(at: &Path) {
    for _ in 0..LOOKS {
        if unmount(at, UnmountFlags::NOFOLLOW) != Err(Errno::BUSY) {
            return;
        }
        std::thread::sleep(PAUSE);
    }
    // Where even that is refused, it ends with this process, in whose table alone it is.
    let _ = unmount(at, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW);
}

/// Makes the folder, held by a lock by which others know that somebody works there.
fn folder(above: &HeldFolder) -> io::Result<(OsString, OwnedFd)> {
    for attempt in 0..ATTEMPTS {
        let name = OsString::from(format!("{}{}-{attempt}", beginning(), std::process::id()));
        match above.make_folder(&name) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
        chmodat(above, &name, RIGHTS, AtFlags::empty())?;
        // Another run may take it for one that was left, until it is locked.
        if let Some(lock) = locked(above, &name) {
            return Ok((name, lock));
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The lock of a folder, where nobody has it and the folder still bears its name.
fn locked(above: &HeldFolder, name: &OsStr) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(above, name, flags, Mode::empty()).ok()?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    let id = |pin: io::Result<Pin>| pin.map(|pin| pin.id()).ok();
    (id(Pin::of(&folder)).is_some_and(|own| id(above.pin(name)) == Some(own))).then_some(folder)
}

/// Removes the folders that runs have left which were killed, and of which `may_go` is true. Only empty folders go: in none of them anything was ever kept.
fn sweep(above: &HeldFolder, may_go: impl Fn(&OsStr, &OwnedFd) -> bool) {
    for name in above.names_beginning(beginning().as_bytes()).unwrap_or_default() {
        if let Some(lock) = locked(above, &name)
            && may_go(&name, &lock)
        {
            // One that is not empty is somebody else's.
            let _ = above.remove_folder(&name);
        }
    }
}

fn beginning() -> String {
    format!("{TEMPORARY}fs-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_go_that_are_empty_and_in_nobodys_use() {
        let parent = tempfile::tempdir().unwrap();
        let above = HeldFolder::open(parent.path()).unwrap();
        let at = |name: &str| parent.path().join(name);
        for name in [".ioproof-fs-1-0", ".ioproof-fs-2-0", ".ioproof-other", "somebody"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        std::fs::write(at(".ioproof-fs-2-0/file"), "x").unwrap();
        std::os::unix::fs::symlink("somebody", at(".ioproof-fs-3-0")).unwrap();
        let (name, lock) = folder(&above).unwrap();
        assert!(locked(&above, &name).is_none(), "it is locked");
        sweep(&above, |_, _| true);
        assert!(!at(".ioproof-fs-1-0").exists() && at(".ioproof-fs-2-0/file").exists());
        assert!(
            at(".ioproof-other").exists()
                && at("somebody").exists()
                && at(".ioproof-fs-3-0").exists()
                && parent.path().join(&name).exists()
        );
        drop(lock);
        sweep(&above, |_, _| true);
        assert!(!parent.path().join(&name).exists());
    }
}
