//! Every open of what is under test. Reading is plain; writing goes through the guard.
//!
//! For a device the order is the rule: the clauses that need no descriptor, then identity and content through a descriptor that can only
//! read, so that a refusal never opens anything for writing. Then `O_RDWR|O_EXCL`, which the kernel grants to one user only, and
//! everything once more through that very descriptor, which becomes the handle: nothing can change between check and use. Files are in `open/file.rs`.

mod bound;
mod file;

pub use self::bound::scripted_drive;
use self::file::Asker;
use crate::block::map;
use crate::block::seen::Seen;
use crate::error::{CONSENT, Refusal, TargetError};
use crate::guard::{self, Consent, Content, Look, Reason, clauses, ground};
use crate::owned::handle::Handle;
use crate::owned::ownership::OwnFiles;
use crate::owned::passthrough;
use crate::resolve::target::{Target, What};
use crate::signs::image::FdSource;
use crate::system::System;
use crate::system::pin::Pin;
use rustix::fs::OFlags;
use std::os::fd::{AsFd, OwnedFd};

/// Opens a target to be read, with `O_DIRECT` where it can be.
///
/// # Errors
/// When it cannot be opened, was exchanged since it was resolved, or has nothing to read (`/dev/null`, a directory).
pub fn open_to_read(target: &Target) -> Result<Handle, TargetError> {
    match &target.what {
        What::Device { name, seen } => read_device(&System::host(), target, name, seen),
        What::Bound { drive, namespace } => bound::open(&System::host(), drive, *namespace, false),
        What::File { id } => file::read(target, *id),
        What::Zero => generator(target, OFlags::RDONLY),
        What::Null => Err(TargetError::unsuitable_hint(&target.path, "cannot be read", "read /dev/zero instead")),
        What::Directory | What::Scratch => Err(no_path(target)),
    }
}

/// Opens a target to be read and written, if nothing speaks against it and the user has consented.
///
/// The caller must not hold another handle of the same file: it would count as somebody else's.
///
/// # Errors
/// [`TargetError::Refused`] with every reason that holds; other errors where it cannot be opened at all.
pub fn open_to_write(system: &System, target: &Target, consent: &Consent) -> Result<Handle, TargetError> {
    open_to_write_or_again(system, target, consent, None)
}

/// As [`open_to_write`]; a file in the ledger `made` needs no consent.
pub(crate) fn open_to_write_or_again(
    system: &System,
    target: &Target,
    consent: &Consent,
    own: Option<&OwnFiles>,
) -> Result<Handle, TargetError> {
    match &target.what {
        What::Device { name, seen } => write_device(system, target, name, seen, consent),
        What::Bound { drive, namespace } => {
            bound::look(drive, *namespace, consent)?;
            bound::open(system, drive, *namespace, true)
        }
        What::File { id } => file::write(Asker { system, consent, own }, target, *id),
        What::Null => generator(target, OFlags::WRONLY),
        What::Zero => Err(zero(target)),
        What::Directory | What::Scratch => Err(no_path(target)),
    }
}

/// Every reason of the write rule against a drive that needs neither consent nor a look at its content: it is in use, or part of something. None for a file.
///
/// # Errors
/// When the tables of the system cannot be read.
pub fn reasons_against(system: &System, target: &Target, consent: &Consent) -> Result<Vec<Refusal>, TargetError> {
    let What::Device { name, .. } = &target.what else { return Ok(Vec::new()) };
    let mut reasons = clauses(system, name, consent, false)?;
    reasons.retain(|refusal| refusal.clause != CONSENT);
    Ok(reasons)
}

/// Foretells [`open_to_write_or_again`] as far as that can be done with nothing open for writing.
pub(crate) fn may_be_written(system: &System, target: &Target, consent: &Consent, own: Option<&OwnFiles>) -> Result<(), TargetError> {
    match &target.what {
        What::Device { name, seen } => may_be_claimed(target, &look_at_device(system, target, name, seen, consent)?),
        What::Bound { drive, namespace } => bound::look(drive, *namespace, consent),
        What::File { id } => file::look(Asker { system, consent, own }, target, *id).map(drop),
        What::Null => Ok(()),
        What::Zero => Err(zero(target)),
        What::Directory | What::Scratch => Err(no_path(target)),
    }
}

fn zero(target: &Target) -> TargetError {
    TargetError::unsuitable_hint(&target.path, "is only read", "write to /dev/null instead")
}

fn zoned(target: &Target) -> TargetError {
    let hint = "read it, or write it with a program that follows write pointers (fio --zonemode=zbd)";
    TargetError::unsuitable_hint(&target.path, "is a zoned drive, which takes writes at the write pointer of each zone only", hint)
}

fn no_path(target: &Target) -> TargetError {
    TargetError::unsuitable_hint(
        &target.path,
        "is a directory",
        "name a file in it; a job takes directory= for a folder in which it makes its files",
    )
}

fn generator(target: &Target, mode: OFlags) -> Result<Handle, TargetError> {
    let fd = Pin::new(&target.path)?.open(mode).map_err(|error| TargetError::io(&target.path, "open it", error))?;
    let facts = &target.facts;
    Ok(Handle::new(fd, mode == OFlags::RDONLY, mode == OFlags::WRONLY, false, facts.size_bytes, facts.alignment_bytes))
}

fn read_device(system: &System, target: &Target, name: &str, seen: &Seen) -> Result<Handle, TargetError> {
    let fail = |error| TargetError::io(&target.path, "open it for reading", error);
    let fd = match Pin::new(&target.path)?.open(OFlags::RDONLY | OFlags::DIRECT) {
        Ok(fd) => fd,
        Err(error) => return read_character(target, error).map_err(fail),
    };
    let open = Seen { loop_on_device: false, ..Seen::through(fd.as_fd(), crate::block::is_loop(name)).map_err(fail)? };
    same(guard::refusals("identity", guard::identity(seen, &open)))?;
    let block = rustix::fs::ioctl_blksszget(&fd).map_err(|error| fail(error.into()))?;
    let handle = Handle::new(fd, true, false, true, open.size_bytes, block).with_character(target.character.clone());
    Ok(handle.of_scsi_disk(crate::block::is_scsi_disk(system, name)))
}

/// A namespace that was named by its character device, for a user who may open that and not the block device.
fn read_character(target: &Target, refused: std::io::Error) -> std::io::Result<Handle> {
    let given = target.character.as_ref().filter(|character| character.is_given);
    let Some(character) = given.filter(|_| refused.kind() == std::io::ErrorKind::PermissionDenied) else { return Err(refused) };
    let fd = passthrough::open(character, false)?;
    Ok(Handle::new(fd, true, false, true, target.facts.size_bytes, character.block_bytes).with_character(Some(character.clone())))
}

fn same(refusals: Vec<Refusal>) -> Result<(), TargetError> {
    if refusals.is_empty() { Ok(()) } else { Err(TargetError::Refused(refusals)) }
}

/// All that can be seen of a device without opening it for writing.
fn look_at_device(system: &System, target: &Target, name: &str, seen: &Seen, consent: &Consent) -> Result<Pin, TargetError> {
    if crate::block::is_zoned(system, name) {
        return Err(zoned(target));
    }
    let pin = Pin::new(&target.path)?;
    let mut refusals = clauses(system, name, consent, false)?;
    match pin.open(OFlags::RDONLY | OFlags::DIRECT) {
        Ok(fd) => refusals.extend(through(system, &fd, name, seen, consent, 0).refusals),
        Err(error) if refusals.is_empty() => return Err(TargetError::io(&target.path, "open it for reading", error)),
        Err(_) => {}
    }
    same(refusals).map(|()| pin)
}

fn write_device(system: &System, target: &Target, name: &str, seen: &Seen, consent: &Consent) -> Result<Handle, TargetError> {
    let pin = look_at_device(system, target, name, seen, consent)?;
    let fd = open_exclusively(target, &pin, OFlags::RDWR)?;
    let mut refusals = clauses(system, name, consent, true)?;
    let content = through(system, &fd, name, seen, consent, 1);
    refusals.extend(content.refusals);
    refusals.extend(identified(&fd, name, seen));
    same(refusals)?;
    let block = rustix::fs::ioctl_blksszget(&fd).map_err(|error| TargetError::io(&target.path, "ask for its block", error))?;
    let notes = content.searched.map(|searched| format!("before it was written: {searched}"));
    let handle = Handle::new(fd, true, true, true, seen.size_bytes, block).of_namespace(crate::block::is_nvme_namespace(system, name));
    let handle = handle.with_character(target.character.clone()).of_scsi_disk(crate::block::is_scsi_disk(system, name));
    Ok(handle.with_notes(notes.into_iter().collect()))
}

/// Identity and content through an open descriptor.
fn through(system: &System, fd: &OwnedFd, name: &str, seen: &Seen, consent: &Consent, seed: u64) -> Content {
    let refusals = identified(fd, name, seen);
    // Content of another device than the one that was meant says nothing.
    if !refusals.is_empty() {
        return Content { refusals, searched: None };
    }
    let block = rustix::fs::ioctl_blksszget(fd).unwrap_or(4096);
    let look = Look::new(block, seed).with_data(map::data(system, fd, name, seen.size_bytes));
    guard::content(&FdSource::new(fd.as_fd(), seen.size_bytes, block), look, consent)
}

fn identified(fd: &OwnedFd, name: &str, seen: &Seen) -> Vec<Refusal> {
    let reasons = match Seen::through(fd.as_fd(), crate::block::is_loop(name)) {
        Ok(open) => guard::identity(seen, &open),
        Err(error) => vec![Reason::new(format!("whether it is the device that was meant cannot be told: {error}"))],
    };
    guard::refusals("identity", reasons)
}

/// Asks the kernel if somebody holds a device, of whom the tables need not tell: a mount in another namespace, or one that was detached with files open.
fn may_be_claimed(target: &Target, pin: &Pin) -> Result<(), TargetError> {
    open_exclusively(target, pin, OFlags::RDONLY).map(drop)
}

fn open_exclusively(target: &Target, pin: &Pin, mode: OFlags) -> Result<OwnedFd, TargetError> {
    pin.open(mode | OFlags::EXCL | OFlags::DIRECT).map_err(|error| match error.raw_os_error() {
        Some(libc::EBUSY) => {
            let reason =
                Reason::new(format!("{} is in use: something in the kernel or a program holds it exclusively", target.path.display()));
            TargetError::Refused(guard::refusals("exclusive", vec![reason.hint("`ioproof identify` and fuser show what uses it")]))
        }
        _ => TargetError::io(&target.path, "open it for writing", error),
    })
}
