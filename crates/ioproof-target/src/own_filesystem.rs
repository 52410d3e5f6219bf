//! A filesystem that is made on a whole drive under the permit to write it, and mounted where nobody but this process sees it.
//!
//! The order is the rule again. The permit is a descriptor that holds the device exclusively ([`crate::open_to_write`], with all that this looks at). A program that makes
//! a filesystem wants to hold it so itself, thus the exclusive hold must be given up for it. In between stands a second descriptor, which only reads and holds nothing
//! exclusively: while it is open, the kernel gives the number of this device to no other, so the node that is handed to the program means this very medium. That
//! node is ours, of the number of the permitted descriptor, compared with it, and out of everybody else's reach (`place`). Until the program has the device, a mount
//! or another program may be faster: then the program's own `O_EXCL` is refused by the kernel and nothing is written, since no row of `kinds` forces it. What comes
//! in between with neither (somebody who writes to the bare device in these milliseconds) is not seen, as while any run writes a device.
//!
//! Mounted is what bears this device's number. Nothing is wiped at the end: the drive keeps an empty filesystem.

mod kinds;
mod place;
mod program;
mod recipe;

pub use kinds::{FILESYSTEMS, FilesystemKind};
pub use recipe::Recipe;

use crate::error::TargetError;
use crate::filesystem;
use crate::guard::{self, Seen};
use crate::handle::Handle;
use crate::private_mounts;
use crate::system::System;
use crate::target::{Pin, Target, What};
use ioproof_core::facts::{FilesystemFacts, TargetFacts};
use ioproof_core::units::binary_size;
use place::Place;
use program::End;
use rustix::fs::OFlags;
use rustix::mount::{FsOpenFlags, fsopen};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The filesystem; dropped, it is unmounted.
#[derive(Debug)]
pub struct OwnFilesystem {
    place: Place,
    /// Keeps the number of the device from any other.
    _hold: OwnedFd,
    given: String,
    device: PathBuf,
    notes: Vec<String>,
}

/// Refuses what can be told before anything is made: no program, a kernel that does not know the filesystem, a device that is too small for files of so many bytes.
///
/// # Errors
/// The first of these reasons.
pub fn check(target: &Target, recipe: &Recipe, files_bytes: u64) -> Result<(), TargetError> {
    let kind = recipe.kind;
    let refused = |what: String, hint: String| Err(TargetError::unsuitable_hint(&target.path, what, hint));
    if program::find(kind.program).is_none() {
        return refused(
            format!("{} is not found on this machine, so no {} can be made on it", kind.program, kind.name),
            format!("install it (Debian: {})", kind.package),
        );
    }
    // Asking loads the module where there is one. A kernel before 5.2 cannot be asked, and one that refuses says so when it mounts.
    if fsopen(kind.name, FsOpenFlags::FSOPEN_CLOEXEC).is_err_and(|error| error == rustix::io::Errno::NODEV) {
        return refused(
            format!("this kernel knows no {}", kind.name),
            format!("load its module (modprobe {}), or name another --fs", kind.name),
        );
    }
    let (has, needs) = (target.facts.size_bytes, kind.device_bytes(files_bytes));
    if has < needs {
        let what = format!(
            "has {}, and {} is needed: {} of files, and what {} takes for itself",
            binary_size(has),
            binary_size(needs),
            binary_size(files_bytes),
            kind.name
        );
        return refused(what, "choose a smaller --size, fewer databases (--db), or a larger drive".to_owned());
    }
    Ok(())
}

impl OwnFilesystem {
    /// Makes it on the device that `permitted` holds under a permit to write, whose content is gone then, and mounts it.
    ///
    /// # Errors
    /// When the mounts of this process are not its own, the device is not the one that was permitted, or the filesystem cannot be made or mounted; nothing stays
    /// mounted then.
    pub fn make(system: &System, target: &Target, permitted: Handle, recipe: &Recipe, stop: &AtomicBool) -> Result<Self, TargetError> {
        let making = Making { target, recipe };
        let What::Device { name, seen } = &target.what else {
            return Err(making.failed("is no device, and a filesystem is made on one".to_owned(), "name a whole drive"));
        };
        if !permitted.may_write() {
            return Err(making.failed("is open to be read alone".to_owned(), "it is written only with --destroy"));
        }
        private_mounts::check().map_err(|why| making.failed(format!("mounts cannot be kept from others here: {why}"), AS_ROOT))?;
        let is_loop = crate::block::is_loop(name);
        let same = |fd: &dyn AsFd, what: &str| making.is_same(seen, fd.as_fd(), is_loop, what);
        same(&permitted, "what was permitted")?;
        let program =
            program::find(recipe.kind.program).ok_or_else(|| making.failed(format!("{} is gone", recipe.kind.program), "install it"))?;
        let mut place =
            Place::make(seen.rdev).map_err(|error| making.failed(format!("no place for its filesystem can be made: {error}"), AS_ROOT))?;
        let hold = Pin::of(&permitted)
            .and_then(|pin| pin.open(OFlags::RDONLY))
            .map_err(|error| TargetError::io(&target.path, "hold it", error))?;
        same(&hold, "what is held")?;
        same(&opened(&place.device()).map_err(|error| TargetError::io(&target.path, "open its node", error))?, "the node of it")?;
        let notes = permitted.notes().to_vec();
        // From here to the program's own O_EXCL nobody holds it exclusively; see above.
        drop(permitted);
        let end = program::run(&program, &recipe.arguments(&place.device()), place.path(), stop);
        making.ended(end)?;
        same(&hold, "what was written")?;
        let (flags, options) = recipe.for_mount();
        let (node, root) = (place.device(), place.root());
        let mounted = place.mount(&node, root, recipe.kind.name, flags, &options);
        mounted.map_err(|error| {
            making.failed(format!("its new {} cannot be mounted: {error}", recipe.kind.name), "the kernel's log may say more (dmesg)")
        })?;
        making.is_mounted(system, &place, seen)?;
        let given = format!("{} on {}", recipe.kind.name, target.facts.given);
        Ok(Self { place, _hold: hold, given, device: target.path.clone(), notes: [vec![making.note()], notes].concat() })
    }

    /// The folder at which it is mounted, for this process and those that it begins.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.place.root()
    }

    /// Puts into the facts of a target on it what a reader understands: filesystem and drive for a folder that is gone afterwards.
    pub fn tell(&self, facts: &mut TargetFacts) {
        facts.given.clone_from(&self.given);
        let node = self.place.device().display().to_string();
        let of_node = |filesystem: &&mut FilesystemFacts| filesystem.source == node;
        if let Some(filesystem) = facts.filesystem.as_mut().filter(of_node) {
            filesystem.source = self.device.display().to_string();
        }
        let new = self.notes.iter().filter(|note| !facts.notes.contains(note)).cloned().collect::<Vec<_>>();
        facts.notes.extend(new);
    }
}

/// A remedy for whoever may not.
const AS_ROOT: &str = "run as root, and outside of containers that may not mount";

fn opened(node: &Path) -> io::Result<OwnedFd> {
    Pin::following(node)?.open(OFlags::RDONLY)
}

/// A filesystem that is being made.
struct Making<'a> {
    target: &'a Target,
    recipe: &'a Recipe,
}

impl Making<'_> {
    fn failed(&self, what: String, hint: &str) -> TargetError {
        TargetError::unsuitable_hint(&self.target.path, what, hint)
    }

    /// Refuses another device or medium than the one that was looked at.
    fn is_same(&self, seen: &Seen, fd: std::os::fd::BorrowedFd<'_>, is_loop: bool, what: &str) -> Result<(), TargetError> {
        let now = Seen::through(fd, is_loop).map_err(|error| TargetError::io(&self.target.path, "look at it", error))?;
        let reasons: Vec<String> = guard::identity(seen, &now).into_iter().map(|reason| reason.text).collect();
        if reasons.is_empty() {
            Ok(())
        } else {
            Err(self.failed(format!("{what} is another device: {}", reasons.join("; ")), "nothing more is done"))
        }
    }

    fn ended(&self, end: io::Result<End>) -> Result<(), TargetError> {
        let program = self.recipe.kind.program;
        match end {
            Ok(End::Well) => Ok(()),
            Ok(End::Stopped) => {
                Err(self.failed(format!("{program} was ended before it was done"), "the drive may have a part of a filesystem"))
            }
            Ok(End::Failed(said)) => {
                Err(self.failed(format!("{program} fails: {said}"), "--mkfs-opt and the drive's own errors (dmesg) are usual causes"))
            }
            Err(error) => Err(self.failed(format!("{program} cannot be run: {error}"), "install it again")),
        }
    }

    /// Refuses a mount that is not of this filesystem on this device.
    fn is_mounted(&self, system: &System, place: &Place, seen: &Seen) -> Result<(), TargetError> {
        let root = place.root();
        let pin = Pin::new(&root)?;
        let mount = filesystem::mount(system, &pin, &root);
        let is_own = mount.is_some_and(|mount| {
            let number = rustix::fs::makedev(mount.major, mount.minor);
            let is_source = mount.source == place.device().display().to_string();
            Path::new(&mount.mount_point) == root
                && mount.fs_type == self.recipe.kind.name
                && is_source
                && (mount.major == 0 || number == seen.rdev)
        });
        if is_own { Ok(()) } else { Err(self.failed("its new filesystem is not what is mounted".to_owned(), "nothing more is done")) }
    }

    /// A note on the filesystem, for the record.
    fn note(&self) -> String {
        let (command, options) = (self.recipe.command(&self.target.path), self.recipe.mount_options());
        format!("made for this run and empty at its end: {command}; mounted with {options}, where nobody else sees it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::folder_on_a_drive;

    const fn kind(program: &'static str) -> FilesystemKind {
        let (quiet, makes, options) = (&[], &[], &[]);
        FilesystemKind {
            name: "nosuchfs",
            program,
            package: "nosuch",
            quiet,
            mounted: options,
            least_bytes: 1 << 20,
            own_bytes: 0,
            makes,
            mounts: options,
        }
    }
    static WITHOUT_PROGRAM: FilesystemKind = kind("mkfs.nosuchfs");
    static WITH_PROGRAM: FilesystemKind = kind("sh");

    fn refused(kind: &'static FilesystemKind) -> (String, String) {
        let folder = folder_on_a_drive();
        let target = crate::resolve(&System::host(), folder.path()).unwrap();
        let error = check(&target, &Recipe::read(kind, &[], &[]).unwrap(), 4 << 20).unwrap_err();
        (error.to_string(), error.hint().unwrap())
    }

    #[test]
    fn what_is_known_to_fail_is_refused_with_a_remedy() {
        let (text, hint) = refused(&WITHOUT_PROGRAM);
        assert!(text.contains("mkfs.nosuchfs is not found") && hint.contains("Debian: nosuch"), "{text}: {hint}");
        let (text, hint) = refused(&WITH_PROGRAM);
        if fsopen("nosuchfs", FsOpenFlags::FSOPEN_CLOEXEC).is_err_and(|error| error == rustix::io::Errno::NODEV) {
            assert!(text.contains("this kernel knows no nosuchfs") && hint.contains("modprobe nosuchfs"), "{text}: {hint}");
        } else {
            assert!(text.contains("is needed"), "a kernel that may not be asked: {text}");
        }
    }

    #[test]
    fn a_row_takes_the_room_of_files_and_its_own() {
        let bytes = |name: &str, files| FilesystemKind::named(name).unwrap().device_bytes(files);
        assert_eq!((bytes("ext4", 800 << 20), bytes("xfs", 0)), (948 << 20, 300 << 20));
        assert_eq!(bytes("btrfs", u64::MAX), u64::MAX);
    }

    #[test]
    fn nothing_is_made_on_what_is_no_device_or_only_read() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![1; 8192]).unwrap();
        let target = crate::resolve(&System::host(), &path).unwrap();
        let handle = crate::open_to_read(&target).unwrap();
        let recipe = Recipe::read(&WITH_PROGRAM, &[], &[]).unwrap();
        let error = OwnFilesystem::make(&System::host(), &target, handle, &recipe, &AtomicBool::new(false)).unwrap_err();
        assert!(error.to_string().contains("is no device"), "{error}");
        assert!(std::fs::read(&path).unwrap() == [1; 8192]);
    }
}
