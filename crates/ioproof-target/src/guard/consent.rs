//! The consents of the user, as typed.
//!
//! A consent names a path, and what is written is an inode that was pinned; between the two the path may be led elsewhere. So the pinned inode is judged:
//! if it is the named one, and where the kernel says that it lies.

use super::naming::is_name_of;
use crate::resolve::target::Target;
use crate::system::System;
use crate::system::filesystem;
use crate::system::pin::Pin;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

/// The consents to write what would not be written by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Consent {
    /// `--overwrite FILE`: the files that may be written.
    pub overwrite: Vec<PathBuf>,
    /// `--overwrite-all-in DIRECTORY`: the directories in which every file may be written, below them too, but not beyond a mount.
    pub overwrite_all_in: Vec<PathBuf>,
    /// `--destroy SERIAL`: the drive that may be written, by serial number (`SERIAL:NSID`), or a loop device by name.
    pub destroy: Option<String>,
    /// `--destroy-unknown-content`: also where no signature is known and yet something is there.
    pub destroy_unknown_content: bool,
    /// `--destroy-unseen-users`: also where processes that may use it cannot be seen, as in a container.
    pub in_use_unseen: bool,
}

impl Consent {
    /// Gives each drive the one of several consents to destroy that names it, whatever their order. A drive that none names gets one that is left, with which it is refused.
    /// Also the first consent that is left over.
    #[must_use]
    pub fn shared_out(&self, system: &System, drives: &[Target], names: &[String]) -> (Vec<Self>, Option<String>) {
        let mut left: Vec<&String> = names.iter().collect();
        let mut take = |fits: &dyn Fn(&str) -> bool| left.iter().position(|name| fits(name)).map(|at| left.remove(at).clone());
        let is_of = |drive: &Target, name: &str| drive.device_name().is_some_and(|device| is_name_of(system, device, name));
        let mut taken: Vec<Option<String>> = drives.iter().map(|drive| take(&|name| is_of(drive, name))).collect();
        taken.iter_mut().filter(|name| name.is_none()).for_each(|name| *name = take(&|_| true));
        let unused = take(&|_| true);
        (taken.into_iter().map(|destroy| Self { destroy, ..self.clone() }).collect(), unused)
    }

    /// The name among these by which a drive may be destroyed.
    #[must_use]
    pub fn naming<'a>(system: &System, drive: &Target, names: &'a [String]) -> Option<&'a String> {
        let device = drive.device_name()?;
        names.iter().find(|name| is_name_of(system, device, name))
    }

    /// True if the pinned file was named, through whatever links, or lies in a directory that was.
    pub(crate) fn covers(&self, pin: &Pin) -> bool {
        let is = |given: &PathBuf| Pin::new(given).is_ok_and(|named| named.id() == pin.id());
        self.overwrite.iter().any(is) || self.overwrite_all_in.iter().any(|directory| place_in(pin, directory) == Place::In)
    }

    /// Words for a file that lies in a directory of `--overwrite-all-in` and yet is not covered.
    pub(crate) fn nearly(&self, pin: &Pin) -> Option<&'static str> {
        self.overwrite_all_in.iter().find_map(|directory| match place_in(pin, directory) {
            Place::OnOtherMount => Some("it lies below the directory that was named, but on another mount"),
            Place::ElsewhereAsWell => {
                Some("it lies in the directory that was named, and has another name as well, which may lie elsewhere")
            }
            Place::In | Place::Out => None,
        })
    }
}

/// The place of a file in relation to a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    In,
    /// Below it, beyond a mount: the file belongs to whatever was mounted there, which a bind mount can make of any folder.
    OnOtherMount,
    /// It has several names, or none any more.
    ElsewhereAsWell,
    Out,
}

/// Finds the place of the file itself, not of a link to it.
fn place_in(pin: &Pin, directory: &Path) -> Place {
    let Ok(directory) = Pin::new(directory) else { return Place::Out };
    let (Some(path), Some(folder)) = (kernel_path(pin), kernel_path(&directory)) else { return Place::Out };
    let is_folder = rustix::fs::FileType::from_raw_mode(directory.stat.st_mode) == rustix::fs::FileType::Directory;
    if !is_folder || path == folder || !path.starts_with(&folder) {
        return Place::Out;
    }
    let mount = filesystem::mount_id(pin);
    match rustix::fs::fstat(pin) {
        _ if mount.is_none() || mount != filesystem::mount_id(&directory) => Place::OnOtherMount,
        Ok(now) if now.st_nlink == 1 => Place::In,
        _ => Place::ElsewhereAsWell,
    }
}

/// The path of an inode that is held, as the kernel sees it at this moment: whatever path led to it, and however that was changed since.
fn kernel_path(pin: &Pin) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", pin.as_fd().as_raw_fd())).ok().filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn each_drive_gets_the_consent_that_names_it() {
        let tree = crate::block::tree::Tree::new();
        let mut target = crate::resolve(&System::host(), Path::new("/dev/zero")).unwrap();
        let mut drive = |name: &str| {
            let seen = crate::block::seen::Seen { rdev: 0, diskseq: None, size_bytes: 0, loop_on_device: false };
            target.what = crate::resolve::target::What::Device { name: name.into(), seen };
            target.clone()
        };
        let drives = [drive("loop1"), drive("loop2")];
        let shared = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let (each, unused) = Consent::default().shared_out(&tree.system(), &drives, &names);
            (each.into_iter().map(|consent| consent.destroy.unwrap_or_default()).collect::<Vec<_>>(), unused)
        };
        let all = |first: &str, second: &str| vec![first.to_owned(), second.to_owned()];
        assert_eq!(shared(&["loop2", "loop1"]), (all("loop1", "loop2"), None), "whatever their order");
        assert_eq!(shared(&["loop2"]), (all("", "loop2"), None));
        assert_eq!(shared(&["loop2", "loop2"]), (all("loop2", "loop2"), None), "which names the first wrongly");
        assert_eq!(shared(&["loop2", "loop1", "loop9"]), (all("loop1", "loop2"), Some("loop9".into())));
        assert_eq!(shared(&[]), (all("", ""), None));
    }

    /// Files in a directory of consent, beside it, and links between them.
    fn folders() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["own", "own/below", "other"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        for name in ["own/a", "own/below/b", "other/c", "own-like"] {
            std::fs::write(at(name), "something").unwrap();
        }
        symlink(at("other/c"), at("own/link")).unwrap();
        symlink(at("own"), at("way")).unwrap();
        folder
    }

    fn all_in(directory: PathBuf) -> Consent {
        Consent { overwrite_all_in: vec![directory], ..Consent::default() }
    }

    #[test]
    fn a_directory_covers_what_lies_in_it() {
        let folder = folders();
        let at = |name: &str| folder.path().join(name);
        let covers = |directory, name| all_in(at(directory)).covers(&Pin::new(&at(name)).unwrap());
        assert!(covers("own", "own/a") && covers("own", "own/below/b") && covers("way", "own/a") && covers("own", "way/a"));
        assert!(!covers("own", "other/c") && !covers("own", "own-like") && !covers("own/a", "own/a") && !covers("missing", "own/a"));
        assert!(!covers("own", "own/link"), "what a link leads to lies elsewhere");
        std::fs::hard_link(at("other/c"), at("own/hard")).unwrap();
        assert!(!covers("own", "own/hard"), "it lies elsewhere as well");
        assert!(all_in(at("own")).nearly(&Pin::new(&at("own/hard")).unwrap()).unwrap().contains("another name"));
    }

    #[test]
    fn the_file_that_is_held_is_judged_and_not_its_path() {
        let folder = folders();
        let at = |name: &str| folder.path().join(name);
        let outside = Pin::new(&at("own/link")).unwrap();
        std::fs::rename(at("own/a"), at("own/link")).unwrap();
        assert!(!all_in(at("own")).covers(&outside), "its path leads into the directory by now");
        let inside = Pin::new(&at("own/link")).unwrap();
        assert!(all_in(at("own")).covers(&inside));
        std::fs::rename(at("own/link"), at("other/moved")).unwrap();
        assert!(!all_in(at("own")).covers(&inside), "it was moved away");
        std::fs::remove_file(at("other/moved")).unwrap();
        assert!(!all_in(at("other")).covers(&inside), "it has no name any more");
    }
}
