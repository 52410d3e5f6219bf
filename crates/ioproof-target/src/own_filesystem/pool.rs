//! A pool of ZFS that is made for a run. Unlike a mount it does not go with the process: it is destroyed at the end, and what a kill left is destroyed by the next run.
//!
//! It bears the name of the folder of its place, and a property that names this folder by its inode in this start of the machine, and the devices. The folder is locked
//! while its run works. A pool is ours if both say so, and every device of it stands under the path that only its run had: whoever imports it anew gives it other paths, and
//! it is his then. ZFS opens devices by path from within the kernel, in the mounts of the first process, so it is led through `/proc` into ours.

use super::program::ask;
use crate::block::zpool;
use crate::resolve::identity;
use crate::system::System;
use crate::system::pin::Pin;
use crate::{block, node_of};
use rustix::fs::{OFlags, Stat, fstat, major, makedev, minor};
use std::ffi::OsStr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The property of its filesystem, of a name as zfsprops(7) wants it of users.
const PROPERTY: &str = "org.ioproof:own";
/// Attempts to destroy it, a moment apart: a filesystem that was let go is in use a little longer.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(200);

/// A pool that was made, or is about to be.
#[derive(Debug)]
pub(super) struct Pool {
    name: String,
    owner: String,
    /// Its devices, which keep their numbers from all others.
    holds: Vec<OwnedFd>,
}

impl Pool {
    /// The pool of a folder on these devices.
    pub(super) fn new(system: &System, folder: &OsStr, of: &Stat, holds: Vec<OwnedFd>) -> Option<Self> {
        Some(Self { name: name_of(folder)?, owner: owner(system, of)?, holds })
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// True where a pool of its name is imported.
    pub(super) fn is_there(&self, system: &System) -> bool {
        zpool::imported(system).contains(&self.name)
    }

    /// The words of zpool that give it its property and its name.
    pub(super) fn words(&self) -> Vec<String> {
        let numbers =
            self.holds.iter().filter_map(|hold| fstat(hold).ok()).map(|stat| format!("{}:{}", major(stat.st_rdev), minor(stat.st_rdev)));
        let value = format!("{PROPERTY}={}/{}", self.owner, numbers.collect::<Vec<_>>().join(","));
        vec!["-O".to_owned(), value, self.name.clone()]
    }

    /// Destroys it, where there is one and it is ours, and takes its labels off the devices.
    ///
    /// # Errors
    /// What ZFS says; it stays then.
    pub(super) fn destroy(&self, system: &System) -> Result<(), String> {
        if !self.is_there(system) || own_devices(&self.name, &self.owner)?.is_none() {
            return Ok(());
        }
        destroyed(&self.name)?;
        self.holds.iter().try_for_each(clear)
    }
}

/// Destroys the pool that a killed run left, to which this folder belonged, by the lock that is held of it. A pool that is not ours stays.
///
/// # Errors
/// What ZFS says; it stays then.
pub(super) fn remove_left(system: &System, folder: &OsStr, lock: &OwnedFd) -> Result<(), String> {
    let pool = fstat(lock).ok().and_then(|of| Pool::new(system, folder, &of, Vec::new()));
    let Some(pool) = pool.filter(|pool| pool.is_there(system)) else { return Ok(()) };
    let numbers = own_devices(&pool.name, &pool.owner)?.unwrap_or_default();
    let holds = numbers.into_iter().filter_map(|number| hold(system, number)).collect();
    Pool { holds, ..pool }.destroy(system)
}

/// A device by its number, which it keeps while this is open.
fn hold(system: &System, (major, minor): (u32, u32)) -> Option<OwnedFd> {
    let node = node_of(system, &block::name_of(system, major, minor)?)?;
    let hold = Pin::following(&node).ok()?.open(OFlags::RDONLY).ok()?;
    (fstat(&hold).ok()?.st_rdev == makedev(major, minor)).then_some(hold)
}

fn destroyed(name: &str) -> Result<(), String> {
    let attempt = || ask("zpool", &["destroy", name]).map(drop);
    for _ in 0..ATTEMPTS {
        if attempt().is_ok() {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    attempt()
}

/// Takes the labels of a destroyed pool off a device. Of any other pool zpool refuses.
fn clear(device: &OwnedFd) -> Result<(), String> {
    let path = format!("/proc/{}/fd/{}", std::process::id(), device.as_raw_fd());
    ask("zpool", &["labelclear", &path]).map(drop)
}

/// The numbers of the devices of an imported pool, where it is this owner's.
fn own_devices(name: &str, owner: &str) -> Result<Option<Vec<(u32, u32)>>, String> {
    let value = ask("zfs", &["get", "-H", "-p", "-o", "value", PROPERTY, name])?;
    let listed = ask("zpool", &["list", "-v", "-H", "-P", name])?;
    Ok(numbers(value.trim_end(), owner).filter(|_| stands_in_its_place(&listed, name)))
}

/// Numbers in a property that this owner wrote.
fn numbers(value: &str, owner: &str) -> Option<Vec<(u32, u32)>> {
    let number = |text: &str| {
        let (major, minor) = text.split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    value.strip_prefix(owner)?.strip_prefix('/')?.split(',').map(number).collect()
}

/// True for a list of devices all of which have the paths by which the pool was made.
fn stands_in_its_place(listed: &str, name: &str) -> bool {
    let place = format!("/.{name}/device");
    let mut paths = listed.lines().filter_map(|line| line.split_whitespace().next()).filter(|word| word.starts_with('/')).peekable();
    paths.peek().is_some() && paths.all(|path| path.starts_with("/proc/") && path.contains(&place))
}

/// `.ioproof-fs-12-0` gives `ioproof-fs-12-0`: a name of a pool begins with a letter.
fn name_of(folder: &OsStr) -> Option<String> {
    Some(folder.to_str()?.strip_prefix('.')?.to_owned())
}

/// The owner in words: a start of the machine, and the inode of a folder.
fn owner(system: &System, folder: &Stat) -> Option<String> {
    Some(format!("{}/{}:{}", identity::boot_id(system)?, folder.st_dev, folder.st_ino))
}

/// The path of one of our nodes for whoever sees the mounts of the first process.
pub(super) fn from_outside(node: &Path) -> PathBuf {
    PathBuf::from(format!("/proc/{}/root{}", std::process::id(), node.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_of_ours_bears_the_words_of_its_folder_and_no_other() {
        let own = "b00t/25:1200";
        assert_eq!(numbers("b00t/25:1200/7:0,259:12", own), Some(vec![(7, 0), (259, 12)]));
        for other in
            ["-", "", "b00t/25:1200", "b00t/25:12001/7:0", "b00t/25:1200/", "b00t/25:1200/7:0,x", "b00t/25:120/7:0", "other/25:1200/7:0"]
        {
            assert_eq!(numbers(other, own), None, "{other}");
        }
        assert_eq!(name_of(OsStr::new(".ioproof-fs-12-0")).as_deref(), Some("ioproof-fs-12-0"));
    }

    #[test]
    fn a_pool_that_somebody_imported_anew_is_his() {
        let is_own = |listed: &str| stands_in_its_place(listed, "ioproof-fs-12-0");
        let path = "/proc/12/root/run/.ioproof-fs-12-0/device";
        let mirror = format!("ioproof-fs-12-0\t480M\n\tmirror-0\t480M\n\t{path}\t-\n\t{path}2\t-\n");
        assert!(is_own(&mirror));
        assert!(!is_own(&mirror.replace(&format!("{path}2"), "/dev/loop1")));
        assert!(!is_own("ioproof-fs-12-0\t480M\n\t/dev/loop0\t-\n"));
        assert!(!is_own(""), "nothing is told");
        assert!(!is_own(&mirror.replace("-12-0/", "-12-1/")));
    }
}
