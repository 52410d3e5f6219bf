//! Every open of what is under test. Reading is plain; writing goes through the guard.
//!
//! For a device the order is the rule: the clauses that need no descriptor, then identity and content through a descriptor that can only
//! read, so that a refusal never opens anything for writing. Then `O_RDWR|O_EXCL`, which the kernel grants to one user only, and
//! everything once more through that very descriptor, which becomes the handle: nothing can change between check and use.

use crate::block::loops::backings;
use crate::error::{Refusal, TargetError};
use crate::filesystem;
use crate::guard::{self, Consent, FileSubject, Ground, Look, Reason, Seen, Subject};
use crate::handle::Handle;
use crate::image::FdSource;
use crate::kernel::{self, OtherUsers};
use crate::ownership::{Claim, OwnFiles};
use crate::system::System;
use crate::target::{Pin, Target, What};
use rustix::fs::OFlags;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// Opens a target to be read, with `O_DIRECT` where it can be.
///
/// # Errors
/// When it cannot be opened, was exchanged since it was resolved, or has nothing to read (`/dev/null`, a directory).
pub fn open_to_read(target: &Target) -> Result<Handle, TargetError> {
    match &target.what {
        What::Device { name, seen } => read_device(target, name, seen),
        What::File { id } => read_file(target, *id),
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
        What::File { id } => write_file(system, target, *id, consent, own),
        What::Null => generator(target, OFlags::WRONLY),
        What::Zero => Err(zero(target)),
        What::Directory | What::Scratch => Err(no_path(target)),
    }
}

/// Foretells [`open_to_write_or_again`] as far as that can be done with nothing open for writing.
pub(crate) fn may_be_written(system: &System, target: &Target, consent: &Consent, own: Option<&OwnFiles>) -> Result<(), TargetError> {
    match &target.what {
        What::Device { name, seen } => look_at_device(system, target, name, seen, consent).map(drop),
        What::File { id } => look_at_file(system, target, *id, consent, own).map(drop),
        What::Null => Ok(()),
        What::Zero => Err(zero(target)),
        What::Directory | What::Scratch => Err(no_path(target)),
    }
}

fn zero(target: &Target) -> TargetError {
    TargetError::unsuitable_hint(&target.path, "is only read", "write to /dev/null instead")
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

fn read_device(target: &Target, name: &str, seen: &Seen) -> Result<Handle, TargetError> {
    let fail = |error| TargetError::io(&target.path, "open it for reading", error);
    let fd = Pin::new(&target.path)?.open(OFlags::RDONLY | OFlags::DIRECT).map_err(fail)?;
    let open = Seen { loop_on_device: false, ..Seen::through(fd.as_fd(), crate::block::is_loop(name)).map_err(fail)? };
    same(guard::refusals("identity", guard::identity(seen, &open)))?;
    let block = rustix::fs::ioctl_blksszget(&fd).map_err(|error| fail(error.into()))?;
    Ok(Handle::new(fd, true, false, true, open.size_bytes, block))
}

fn read_file(target: &Target, id: (u64, u64)) -> Result<Handle, TargetError> {
    let pin = pin_file(target, id)?;
    let (fd, direct) = open_file(target, &pin, OFlags::RDONLY).map_err(|e| TargetError::io(&target.path, "open it for reading", e))?;
    file_handle(target, fd, false, direct)
}

fn pin_file(target: &Target, id: (u64, u64)) -> Result<Pin, TargetError> {
    let pin = Pin::new(&target.path)?;
    let text = format!("{} is another file than a moment ago", target.path.display());
    let changed = (pin.id() != id).then(|| Reason::new(text));
    same(guard::refusals("identity", changed.into_iter().collect()))?;
    Ok(pin)
}

fn open_file(target: &Target, pin: &Pin, mode: OFlags) -> io::Result<(OwnedFd, bool)> {
    if target.facts.direct {
        match pin.open(mode | OFlags::DIRECT) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
            other => return other.map(|fd| (fd, true)),
        }
    }
    pin.open(mode).map(|fd| (fd, false))
}

fn file_handle(target: &Target, fd: OwnedFd, may_write: bool, direct: bool) -> Result<Handle, TargetError> {
    let stat = rustix::fs::fstat(&fd).map_err(|error| TargetError::io(&target.path, "look at it", error))?;
    let size_bytes = u64::try_from(stat.st_size).unwrap_or(0);
    Ok(Handle::new(fd, true, may_write, direct, size_bytes, target.facts.alignment_bytes))
}

fn same(refusals: Vec<Refusal>) -> Result<(), TargetError> {
    if refusals.is_empty() { Ok(()) } else { Err(TargetError::Refused(refusals)) }
}

fn ground(system: &System) -> Result<Ground<'_>, TargetError> {
    Ground::new(system).map_err(|error| {
        let reason = Reason::new(format!("what is in use here cannot be told: {error}")).hint("mount /proc and /sys");
        TargetError::Refused(guard::refusals("tables", vec![reason]))
    })
}

/// All that can be seen of a device without opening it for writing.
fn look_at_device(system: &System, target: &Target, name: &str, seen: &Seen, consent: &Consent) -> Result<Pin, TargetError> {
    let pin = Pin::new(&target.path)?;
    let mut refusals = clauses(system, name, consent, false)?;
    match pin.open(OFlags::RDONLY | OFlags::DIRECT) {
        Ok(fd) => refusals.extend(through(system, &fd, name, seen, consent, 0)),
        Err(error) if refusals.is_empty() => return Err(TargetError::io(&target.path, "open it for reading", error)),
        Err(_) => {}
    }
    same(refusals).map(|()| pin)
}

fn write_device(system: &System, target: &Target, name: &str, seen: &Seen, consent: &Consent) -> Result<Handle, TargetError> {
    let pin = look_at_device(system, target, name, seen, consent)?;
    let fd = open_exclusively(target, &pin)?;
    let mut refusals = clauses(system, name, consent, true)?;
    refusals.extend(through(system, &fd, name, seen, consent, 1));
    refusals.extend(identified(&fd, name, seen));
    same(refusals)?;
    let block = rustix::fs::ioctl_blksszget(&fd).map_err(|error| TargetError::io(&target.path, "ask for its block", error))?;
    Ok(Handle::new(fd, true, true, true, seen.size_bytes, block))
}

fn clauses(system: &System, name: &str, consent: &Consent, opened: bool) -> Result<Vec<Refusal>, TargetError> {
    let ground = ground(system)?;
    Ok(guard::device(&Subject { ground: &ground, name: name.to_owned(), consent, opened }))
}

/// Identity and content through an open descriptor.
fn through(system: &System, fd: &OwnedFd, name: &str, seen: &Seen, consent: &Consent, seed: u64) -> Vec<Refusal> {
    let mut refusals = identified(fd, name, seen);
    // Content of another device than the one that was meant says nothing.
    if refusals.is_empty() {
        let block = rustix::fs::ioctl_blksszget(fd).unwrap_or(4096);
        let look = Look::at(system, name, block, seed);
        refusals.extend(guard::content(&FdSource::new(fd.as_fd(), seen.size_bytes, block), look, consent));
    }
    refusals
}

fn identified(fd: &OwnedFd, name: &str, seen: &Seen) -> Vec<Refusal> {
    let reasons = match Seen::through(fd.as_fd(), crate::block::is_loop(name)) {
        Ok(open) => guard::identity(seen, &open),
        Err(error) => vec![Reason::new(format!("whether it is the device that was meant cannot be told: {error}"))],
    };
    guard::refusals("identity", reasons)
}

fn open_exclusively(target: &Target, pin: &Pin) -> Result<OwnedFd, TargetError> {
    pin.open(OFlags::RDWR | OFlags::EXCL | OFlags::DIRECT).map_err(|error| match error.raw_os_error() {
        Some(libc::EBUSY) => {
            let reason =
                Reason::new(format!("{} is in use: something in the kernel or a program holds it exclusively", target.path.display()));
            TargetError::Refused(guard::refusals("exclusive", vec![reason.hint("`ioproof identify` and fuser show what uses it")]))
        }
        _ => TargetError::io(&target.path, "open it for writing", error),
    })
}

/// All that can be seen of a file without opening it for writing.
fn look_at_file(system: &System, target: &Target, id: (u64, u64), consent: &Consent, own: Option<&OwnFiles>) -> Result<Pin, TargetError> {
    let pin = pin_file(target, id)?;
    let room = filesystem::room(&pin).map_err(|error| TargetError::io(&target.path, "ask for its filesystem", error))?;
    let ground = ground(system)?;
    let claim = own.zip(pin.open(OFlags::RDONLY).ok()).map_or(Claim::Foreign, |(own, fd)| own.claim(fd));
    let users = pin.open(OFlags::RDONLY).map_or(OtherUsers::Unknown, kernel::other_users);
    let writer = if users == OtherUsers::None { None } else { guard::writer(system, id) };
    let subject =
        FileSubject { ground: &ground, path: &target.path, id, read_only: room.read_only, claim, writer: writer.as_deref(), consent };
    let mut refusals = guard::existing_file(&subject);
    let is_said = refusals.iter().any(|refusal| writer.as_ref().is_some_and(|writer| refusal.reason.ends_with(writer)));
    refusals.extend(held(target, users, writer).into_iter().filter(|_| !is_said));
    same(refusals).map(|()| pin)
}

fn write_file(system: &System, target: &Target, id: (u64, u64), consent: &Consent, own: Option<&OwnFiles>) -> Result<Handle, TargetError> {
    let pin = look_at_file(system, target, id, consent, own)?;
    let (fd, direct) = open_file(target, &pin, OFlags::RDWR).map_err(|error| not_opened(target, error))?;
    let users = kernel::other_users(&fd);
    same(held(target, users, None))?;
    same(untold_loops(system, target, users))?;
    Ok(file_handle(target, fd, true, direct)?.with_notes(lease_notes(users)))
}

/// A running program and an active swap file cannot be opened for writing (ETXTBSY); somebody's lease answers with EWOULDBLOCK.
fn not_opened(target: &Target, error: io::Error) -> TargetError {
    match error.raw_os_error() {
        Some(libc::ETXTBSY | libc::EWOULDBLOCK) => TargetError::Refused(held(target, OtherUsers::Some, None)),
        _ => TargetError::io(&target.path, "open it for writing", error),
    }
}

fn held(target: &Target, users: OtherUsers, writer: Option<String>) -> Vec<Refusal> {
    let path = target.path.display();
    let text = || match writer {
        Some(writer) => Reason::new(format!("{path} is open for writing in {writer}")).hint("wait until that has ended"),
        None => Reason::new(format!("{path} is open elsewhere")).hint("fuser shows who has it open"),
    };
    let reasons = (users == OtherUsers::Some).then(text);
    guard::refusals("open-elsewhere", reasons.into_iter().collect())
}

/// Refuses while a loop device does not say what it lies on, where no lease tells who else has the file open.
fn untold_loops(system: &System, target: &Target, users: OtherUsers) -> Vec<Refusal> {
    let untold = users == OtherUsers::Unknown && backings(system).iter().any(|(_, backing)| backing.is_err());
    let text = || Reason::new(format!("whether a loop device lies on {} cannot be told", target.path.display())).hint("run it as root");
    guard::refusals("loop-backing", untold.then(text).into_iter().collect())
}

fn lease_notes(users: OtherUsers) -> Vec<String> {
    let unknown = users == OtherUsers::Unknown;
    unknown.then(|| "whether somebody else has the file open could not be told: no lease is given here".to_owned()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::resolve;
    use crate::tree::{Tree, folder_on_a_drive};

    #[test]
    fn without_the_tables_of_the_system_nothing_is_written() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("data");
        std::fs::write(&path, [7u8; 8192]).unwrap();
        let target = resolve(&System::host(), &path).unwrap();
        let consent = Consent { overwrite: vec![path], ..Consent::default() };
        let tree = Tree::new();
        assert!(open_to_write(&tree.system(), &target, &consent).is_ok());
        for broken in ["nonsense\n", ""] {
            tree.write("proc/self/mountinfo", broken);
            if broken.is_empty() {
                std::fs::remove_file(tree.path("proc/self/mountinfo")).unwrap();
            }
            let Err(TargetError::Refused(refusals)) = open_to_write(&tree.system(), &target, &consent) else { panic!("{broken:?}") };
            assert_eq!(refusals[0].clause, "tables");
        }
    }
}
