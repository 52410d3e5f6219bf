//! A filesystem that is made on whole drives under the permits to write them, and mounted where nobody but this process sees it.
//!
//! Every drive has its permit before the first is written. A permit is a descriptor that holds the device exclusively ([`crate::open_to_write`], with all that this looks
//! at). A program that makes a filesystem wants to hold it so itself, thus the exclusive hold must be given up for it. In between stands a second descriptor, which only reads and holds nothing
//! exclusively: while it is open, the kernel gives the number of this device to no other, so the node that is handed to the program means this very medium. That
//! node is ours, of the number of the permitted descriptor, compared with it, and out of everybody else's reach (`place`). Until the program has the device, a mount
//! or another program may be faster: then the program's own `O_EXCL` is refused by the kernel and nothing is written, since no row of `kinds` forces it. What comes
//! in between with neither (somebody who writes to the bare device in these milliseconds) is not seen, as while any run writes a device.
//!
//! Mounted is what bears the number of one of these devices, or the name of the pool that was made on them. Nothing is wiped at the end: the drives keep an empty
//! filesystem. Only a pool is destroyed, with its labels, since it would stay in use (`pool`).

mod before;
mod kinds;
mod place;
mod pool;
mod program;
mod recipe;

pub use before::{check, check_layout};
pub use kinds::{FILESYSTEMS, FilesystemKind, Layout};
pub use place::remove_left_filesystems;
pub use recipe::{FilesystemChoice, Recipe};

use crate::block::seen::Seen;
use crate::block::stack;
use crate::error::TargetError;
use crate::guard;
use crate::owned::handle::Handle;
use crate::owned::held_folder::HeldFolder;
use crate::resolve;
use crate::resolve::target::{Target, What};
use crate::system::System;
use crate::system::filesystem;
use crate::system::mounts::Mount;
use crate::system::pin::Pin;
use crate::system::private_mounts;
use ioproof_core::facts::{FilesystemFacts, StackNode, TargetFacts};
use place::Place;
use program::End;
use rustix::fs::OFlags;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A drive with the permit to write it.
#[derive(Debug)]
pub struct PermittedDrive {
    /// The drive.
    pub target: Target,
    /// Its permit.
    pub handle: Handle,
}

/// The filesystem; dropped, it is unmounted.
#[derive(Debug)]
pub struct OwnFilesystem {
    place: Place,
    /// Keep the numbers of the devices from all others.
    _holds: Vec<OwnedFd>,
    given: String,
    devices: Vec<PathBuf>,
    stack: Option<StackNode>,
    notes: Vec<String>,
}

impl OwnFilesystem {
    /// Makes it on devices that are held under permits to write, whose content is gone then, and mounts it.
    ///
    /// # Errors
    /// When the mounts of this process are not its own, a device is not the one that was permitted, or the filesystem cannot be made or mounted; nothing stays
    /// mounted then.
    pub fn make(system: &System, drives: Vec<PermittedDrive>, recipe: &Recipe, stop: &AtomicBool) -> Result<Self, TargetError> {
        let (targets, handles): (Vec<Target>, Vec<Handle>) = drives.into_iter().map(|drive| (drive.target, drive.handle)).unzip();
        let making = Making::of(&targets, recipe)?;
        if let Some((member, _)) = making.members.iter().zip(&handles).find(|(_, handle)| !handle.may_write()) {
            return Err(member.failed("is open to be read alone".to_owned(), "it is written only with --destroy"));
        }
        private_mounts::check().map_err(|why| making.failed(format!("mounts cannot be kept from others here: {why}"), AS_ROOT))?;
        making.are_same(&handles, "what was permitted")?;
        let program =
            program::find(recipe.kind.program).ok_or_else(|| making.failed(format!("{} is gone", recipe.kind.program), "install it"))?;
        let mut place = Place::make(&making.numbers())
            .map_err(|error| making.failed(format!("no place for its filesystem can be made: {error}"), AS_ROOT))?;
        let holds = making.held(&handles)?;
        making.are_same(&holds, "what is held")?;
        making.are_same(&making.opened(&place.devices())?, "the node of it")?;
        let notes = handles.iter().flat_map(Handle::notes).cloned().collect::<Vec<_>>();
        let arguments = making.arguments(system, &mut place, &handles)?;
        let lock = place.lock().map_err(|error| making.failed(format!("its place cannot be kept: {error}"), AS_ROOT))?;
        // From here to the program's own O_EXCL, or the kernel's for a pool, nobody holds them exclusively; see above.
        drop(handles);
        making.ended(program::run(&program, &arguments, place.path(), lock, stop))?;
        making.are_same(&holds, "what was written")?;
        making.mount(&mut place)?;
        making.is_mounted(system, &place)?;
        making.is_empty(&place)?;
        let given = format!("{} on {}", recipe.title(), names(&targets));
        let notes = [vec![making.note()], notes].concat();
        let devices = targets.iter().map(|target| target.path.clone()).collect();
        Ok(Self { place, _holds: holds, given, devices, stack: stack_of(recipe, &targets), notes })
    }

    /// The folder at which it is mounted, for this process and those that it begins.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.place.root()
    }

    /// Puts into the facts of a target on it what a reader understands: filesystem and drives for a folder that is gone afterwards.
    pub fn tell(&self, facts: &mut TargetFacts) {
        facts.given.clone_from(&self.given);
        let untrue = resolve::stack_note(facts.filesystem.as_ref(), facts.stack.as_ref());
        facts.stack.clone_from(&self.stack);
        facts.notes.retain(|note| Some(note) != untrue.as_ref());
        let nodes = self.place.devices();
        let device_of = |filesystem: &FilesystemFacts| nodes.iter().position(|node| node.display().to_string() == filesystem.source);
        if let Some(filesystem) = &mut facts.filesystem
            && let Some(device) = device_of(filesystem).and_then(|at| self.devices.get(at))
        {
            filesystem.source = device.display().to_string();
        }
        let new = self.notes.iter().filter(|note| !facts.notes.contains(note)).cloned().collect::<Vec<_>>();
        facts.notes.extend(new);
    }
}

/// The devices under a filesystem that will be made on these drives.
#[must_use]
pub fn stack_of(recipe: &Recipe, drives: &[Target]) -> Option<StackNode> {
    let nodes: Vec<StackNode> = drives.iter().filter_map(|drive| drive.facts.stack.clone()).collect();
    stack::joined(recipe.kind.name, nodes)
}

/// Drives in words: `/dev/sda and /dev/sdb`.
fn names(drives: &[Target]) -> String {
    drives.iter().map(|drive| drive.facts.given.as_str()).collect::<Vec<_>>().join(" and ")
}

/// The folder that a new ext4 has.
const OF_EXT: &str = "lost+found";

/// A remedy for whoever may not.
const AS_ROOT: &str = "run as root, and outside of containers that may not mount";

/// A filesystem that is being made.
struct Making<'a> {
    first: &'a Target,
    members: Vec<Member<'a>>,
    recipe: &'a Recipe,
}

/// One of its drives.
struct Member<'a> {
    target: &'a Target,
    seen: &'a Seen,
    is_loop: bool,
}

impl<'a> Making<'a> {
    fn of(targets: &'a [Target], recipe: &'a Recipe) -> Result<Self, TargetError> {
        let members = targets.iter().map(Member::of).collect::<Result<Vec<_>, _>>()?;
        let none = || TargetError::unsuitable_hint(Path::new("--drive"), "names no drive", "name a whole drive");
        Ok(Self { first: targets.first().ok_or_else(none)?, members, recipe })
    }

    fn failed(&self, what: String, hint: &str) -> TargetError {
        TargetError::unsuitable_hint(&self.first.path, what, hint)
    }

    fn numbers(&self) -> Vec<u64> {
        self.members.iter().map(|member| member.seen.rdev).collect()
    }

    /// Descriptors that only read and hold nothing exclusively.
    fn held(&self, handles: &[Handle]) -> Result<Vec<OwnedFd>, TargetError> {
        let hold = |(member, handle): (&Member<'_>, &Handle)| {
            let fd = Pin::of(handle).and_then(|pin| pin.open(OFlags::RDONLY));
            fd.map_err(|error| TargetError::io(&member.target.path, "hold it", error))
        };
        self.members.iter().zip(handles).map(hold).collect()
    }

    fn opened(&self, nodes: &[PathBuf]) -> Result<Vec<OwnedFd>, TargetError> {
        let open = |(member, node): (&Member<'_>, &PathBuf)| {
            let fd = Pin::following(node).and_then(|pin| pin.open(OFlags::RDONLY));
            fd.map_err(|error| TargetError::io(&member.target.path, "open its node", error))
        };
        self.members.iter().zip(nodes).map(open).collect()
    }

    /// Refuses other devices or media than those that were looked at.
    fn are_same<F: AsFd>(&self, fds: &[F], what: &str) -> Result<(), TargetError> {
        self.members.iter().zip(fds).try_for_each(|(member, fd)| member.is_same(fd.as_fd(), what))
    }

    /// Arguments of the program. A pool has a name from here on, and is looked for where the first process of the machine sees the devices.
    fn arguments(&self, system: &System, place: &mut Place, handles: &[Handle]) -> Result<Vec<String>, TargetError> {
        let nodes = place.devices();
        if !self.recipe.kind.is_pool {
            return Ok(self.recipe.arguments(&[], &nodes));
        }
        let nodes: Vec<PathBuf> = nodes.iter().map(|node| pool::from_outside(node)).collect();
        match place.name_pool(system, self.held(handles)?) {
            Some(pool) => Ok(self.recipe.arguments(&pool.words(), &nodes)),
            None => {
                Err(self.failed("the name of its pool is taken".to_owned(), "begin again, which takes another; `zpool list` shows them"))
            }
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

    fn mount(&self, place: &mut Place) -> Result<(), TargetError> {
        let nodes = place.devices();
        let (flags, options) = self.recipe.for_mount(&nodes);
        let root = place.root();
        let source = place.pool().map_or_else(|| nodes[0].clone(), |pool| pool.name().into());
        let mounted = place.mount(&source, root, self.recipe.kind.name, flags, &options);
        mounted.map_err(|error| {
            self.failed(format!("its new {} cannot be mounted: {error}", self.recipe.kind.name), "the kernel's log may say more (dmesg)")
        })
    }

    /// Refuses a mount that is not of this filesystem on these devices.
    fn is_mounted(&self, system: &System, place: &Place) -> Result<(), TargetError> {
        let root = place.root();
        let pin = Pin::new(&root)?;
        let numbers = self.numbers();
        let is_of_devices = |mount: &Mount| {
            // Of several devices a Btrfs names one, by the path under which the kernel heard of it last.
            let source = Pin::following(Path::new(&mount.source)).map(|pin| pin.stat.st_rdev);
            let number = rustix::fs::makedev(mount.major, mount.minor);
            source.is_ok_and(|source| numbers.contains(&source)) && (mount.major == 0 || numbers.contains(&number))
        };
        let is_own = filesystem::mount(system, &pin, &root).is_some_and(|mount| {
            Path::new(&mount.mount_point) == root
                && mount.fs_type == self.recipe.kind.name
                && place.pool().map_or_else(|| is_of_devices(&mount), |pool| mount.source == pool.name())
        });
        if is_own { Ok(()) } else { Err(self.failed("its new filesystem is not what is mounted".to_owned(), "nothing more is done")) }
    }

    /// Refuses a filesystem that has files: it is another one than was to be made.
    fn is_empty(&self, place: &Place) -> Result<(), TargetError> {
        let names = HeldFolder::open(&place.root()).and_then(|root| root.names());
        match names.map(|names| names.into_iter().find(|name| name != OF_EXT)) {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(self.failed("its new filesystem has files, so it is another one".to_owned(), "nothing more is done")),
            Err(error) => Err(self.failed(format!("its new filesystem cannot be read: {error}"), "nothing more is done")),
        }
    }

    /// A note on the filesystem, for the record.
    fn note(&self) -> String {
        let paths: Vec<&Path> = self.members.iter().map(|member| member.target.path()).collect();
        let (command, options) = (self.recipe.command(&paths), self.recipe.mount_options());
        let end = if self.recipe.kind.is_pool { "destroyed" } else { "empty" };
        format!("made for this run, to be {end} at its end: {command}; mounted with {options}, where nobody else sees it")
    }
}

impl<'a> Member<'a> {
    fn of(target: &'a Target) -> Result<Self, TargetError> {
        match &target.what {
            What::Device { name, seen } => Ok(Self { target, seen, is_loop: crate::block::is_loop(name) }),
            _ => {
                let what = "is no device, and a filesystem is made on one";
                Err(TargetError::unsuitable_hint(&target.path, what, "name a whole drive"))
            }
        }
    }

    fn failed(&self, what: String, hint: &str) -> TargetError {
        TargetError::unsuitable_hint(&self.target.path, what, hint)
    }

    /// Refuses another device or medium than the one that was looked at.
    fn is_same(&self, fd: BorrowedFd<'_>, what: &str) -> Result<(), TargetError> {
        let now = Seen::through(fd, self.is_loop).map_err(|error| TargetError::io(&self.target.path, "look at it", error))?;
        let reasons: Vec<String> = guard::identity(self.seen, &now).into_iter().map(|reason| reason.text).collect();
        if reasons.is_empty() {
            Ok(())
        } else {
            Err(self.failed(format!("{what} is another device: {}", reasons.join("; ")), "nothing more is done"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

    #[test]
    fn nothing_is_made_on_what_is_no_device_or_only_read() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![1; 8192]).unwrap();
        let target = crate::resolve(&System::host(), &path).unwrap();
        let handle = crate::open_to_read(&target).unwrap();
        let recipe = Recipe::read(&"ext4".parse().unwrap(), &[], &[]).unwrap();
        let drives = vec![PermittedDrive { target, handle }];
        let error = OwnFilesystem::make(&System::host(), drives, &recipe, &AtomicBool::new(false)).unwrap_err();
        assert!(error.to_string().contains("is no device"), "{error}");
        assert!(std::fs::read(&path).unwrap() == [1; 8192]);
        assert!(OwnFilesystem::make(&System::host(), Vec::new(), &recipe, &AtomicBool::new(false)).is_err());
    }
}
