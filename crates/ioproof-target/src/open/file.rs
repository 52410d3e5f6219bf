//! Opens of regular files. To be written, a file is looked at with nothing open for writing, then opened through the same inode, and looked at again through
//! the descriptor that becomes the handle.

use super::{ground, same};
use crate::block::loops::backings;
use crate::block::users::{Found, Wanted};
use crate::error::{Refusal, TargetError};
use crate::guard::Claim;
use crate::guard::{self, Consent, FileSubject, Ground, Reason};
use crate::owned::handle::Handle;
use crate::owned::ownership::OwnFiles;
use crate::resolve::target::Target;
use crate::resolve::twin::may_have_twin;
use crate::system::System;
use crate::system::filesystem;
use crate::system::kernel::{self, OtherUsers};
use crate::system::pin::Pin;
use rustix::fs::OFlags;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// The one who asks to write a file.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    pub system: &'a System,
    pub consent: &'a Consent,
    /// The ledger of files that need no consent.
    pub own: Option<&'a OwnFiles>,
}

pub(super) fn read(target: &Target, id: (u64, u64)) -> Result<Handle, TargetError> {
    let pin = pin(target, id)?;
    let (fd, direct) = open(target, &pin, OFlags::RDONLY).map_err(|e| TargetError::io(&target.path, "open it for reading", e))?;
    handle(target, fd, false, direct)
}

fn pin(target: &Target, id: (u64, u64)) -> Result<Pin, TargetError> {
    let pin = Pin::new(&target.path)?;
    let text = format!("{} is another file than a moment ago", target.path.display());
    let changed = (pin.id() != id).then(|| Reason::new(text));
    same(guard::refusals("identity", changed.into_iter().collect()))?;
    Ok(pin)
}

fn open(target: &Target, pin: &Pin, mode: OFlags) -> io::Result<(OwnedFd, bool)> {
    if target.facts.direct {
        match pin.open(mode | OFlags::DIRECT) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
            other => return other.map(|fd| (fd, true)),
        }
    }
    pin.open(mode).map(|fd| (fd, false))
}

fn handle(target: &Target, fd: OwnedFd, may_write: bool, direct: bool) -> Result<Handle, TargetError> {
    let stat = rustix::fs::fstat(&fd).map_err(|error| TargetError::io(&target.path, "look at it", error))?;
    let size_bytes = u64::try_from(stat.st_size).unwrap_or(0);
    Ok(Handle::new(fd, true, may_write, direct, size_bytes, target.facts.alignment_bytes))
}

/// Sees all that can be seen of a file without opening it for writing.
pub(super) fn look(asker: Asker<'_>, target: &Target, id: (u64, u64)) -> Result<Pin, TargetError> {
    let pin = pin(target, id)?;
    let users = pin.open(OFlags::RDONLY).map_or(OtherUsers::Unknown, kernel::other_users);
    same(refusals(asker, target, &pin, users)?).map(|()| pin)
}

/// Opens it for writing, if nothing speaks against it before and after.
pub(super) fn write(asker: Asker<'_>, target: &Target, id: (u64, u64)) -> Result<Handle, TargetError> {
    let pin = look(asker, target, id)?;
    crate::owned::held_folder::race::moment();
    let (fd, direct) = open(target, &pin, OFlags::RDWR).map_err(|error| not_opened(target, error))?;
    let users = kernel::other_users(&fd);
    let now = Pin::of(&fd).map_err(|error| TargetError::io(&target.path, "look at it", error))?;
    same(refusals(asker, target, &now, users)?)?;
    same(untold_loops(asker.system, target, users))?;
    Ok(handle(target, fd, true, direct)?.with_notes(lease_notes(users)))
}

/// Every reason against writing the file that is held.
fn refusals(asker: Asker<'_>, target: &Target, pin: &Pin, users: OtherUsers) -> Result<Vec<Refusal>, TargetError> {
    let room = filesystem::room(pin).map_err(|error| TargetError::io(&target.path, "ask for its filesystem", error))?;
    let ground = ground(asker.system)?;
    let claim = asker.own.zip(pin.open(OFlags::RDONLY).ok()).map_or(Claim::Foreign, |(own, fd)| own.claim(fd));
    let found = if users != OtherUsers::None || may_have_twin(&ground.mounts, pin) { find(&ground, pin) } else { Found::default() };
    let user = found.users.first().map(String::as_str);
    let (path, consent) = (target.path.as_path(), asker.consent);
    let subject = FileSubject { ground: &ground, path, pin, read_only: room.read_only, claim, user, consent };
    let mut refusals = guard::existing_file(&subject);
    let is_said = refusals.iter().any(|refusal| Some(refusal.reason.as_str()) == user);
    refusals.extend(held(path, users, user).into_iter().filter(|_| !is_said));
    if claim != Claim::Ours && !consent.in_use_unseen {
        refusals.extend(guard::refusals("unseen-users", unseen(path, pin, users, &found).into_iter().collect()));
    }
    Ok(refusals)
}

/// The reason that lies in users who could not be looked for.
fn unseen(path: &Path, pin: &Pin, users: OtherUsers, found: &Found) -> Option<Reason> {
    let name = path.display().to_string();
    if let Some(filesystem) = filesystem::hides_users(pin) {
        let text =
            format!("whether something writes to {name} cannot be told: {filesystem} does not say who has it open where it really lies");
        let hint = "name the file where it lies, or, if you know that nothing else uses it, add --destroy-unseen-users";
        return Some(Reason::new(text).hint(hint));
    }
    (users == OtherUsers::Unknown).then(|| guard::unseen(&name, found)).flatten()
}

fn find(ground: &Ground<'_>, pin: &Pin) -> Found {
    Wanted::file(ground.system, pin.id(), &ground.mounts).find(Some(std::process::id()))
}

/// A running program and an active swap file cannot be opened for writing (ETXTBSY); somebody's lease answers with EWOULDBLOCK.
fn not_opened(target: &Target, error: io::Error) -> TargetError {
    match error.raw_os_error() {
        Some(libc::ETXTBSY | libc::EWOULDBLOCK) => TargetError::Refused(held(&target.path, OtherUsers::Some, None)),
        _ => TargetError::io(&target.path, "open it for writing", error),
    }
}

fn held(path: &Path, users: OtherUsers, user: Option<&str>) -> Vec<Refusal> {
    let text = || match user {
        Some(user) => Reason::new(user).hint("wait until that has ended"),
        None => Reason::new(format!("{} is open elsewhere", path.display())).hint("fuser shows who has it open"),
    };
    let reasons = (users == OtherUsers::Some || user.is_some()).then(text);
    guard::refusals("open-elsewhere", reasons.into_iter().collect())
}

/// While no lease tells who else has the file open, every loop device must say what it lies on.
fn untold_loops(system: &System, target: &Target, users: OtherUsers) -> Vec<Refusal> {
    let untold = users == OtherUsers::Unknown && backings(system).iter().any(|(_, backing)| backing.is_err());
    let text = || Reason::new(format!("whether a loop device lies on {} cannot be told", target.path.display())).hint("run it as root");
    guard::refusals("loop-backing", untold.then(text).into_iter().collect())
}

fn lease_notes(users: OtherUsers) -> Vec<String> {
    let unknown = users == OtherUsers::Unknown;
    let note = "no lease is given here, so only processes that have the file open at the start could be looked for";
    unknown.then(|| note.to_owned()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::{Tree, folder_on_a_drive};
    use crate::open_to_write;
    use crate::owned::held_folder::race;
    use crate::resolve::resolve;
    use crate::resolve::target::What;
    use std::path::PathBuf;

    fn data(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, vec![7u8; 8192]).unwrap();
        path
    }

    #[test]
    fn without_the_tables_of_the_system_nothing_is_written() {
        let folder = folder_on_a_drive();
        let path = data(folder.path(), "data");
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

    #[test]
    fn a_file_that_leaves_the_directory_between_look_and_open_is_not_written() {
        let folder = folder_on_a_drive();
        std::fs::create_dir(folder.path().join("own")).unwrap();
        let path = data(&folder.path().join("own"), "data");
        let target = resolve(&System::host(), &path).unwrap();
        let consent = Consent { overwrite_all_in: vec![folder.path().join("own")], ..Consent::default() };
        let (from, to) = (path, folder.path().join("moved"));
        race::then(move || std::fs::rename(from, to).unwrap());
        let error = open_to_write(&System::host(), &target, &consent).unwrap_err();
        assert!(matches!(&error, TargetError::Refused(refusals) if refusals[0].clause == "overwrite"), "{error}");
    }

    #[test]
    fn a_path_that_leads_outside_for_a_moment_gives_no_consent() {
        let folder = folder_on_a_drive();
        std::fs::create_dir(folder.path().join("own")).unwrap();
        let (inside, outside) = (data(&folder.path().join("own"), "data"), data(folder.path(), "outside"));
        let link = folder.path().join("own/link");
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        // As if the link had stood at the name while it was resolved, and the file stands there since.
        let resolved = resolve(&System::host(), &link).unwrap();
        let target = Target { path: inside.clone(), ..resolved };
        std::fs::rename(&outside, folder.path().join("own/gone")).unwrap();
        std::fs::rename(folder.path().join("own/gone"), &outside).unwrap();
        let What::File { id } = target.what else { panic!("a file") };
        let consent = Consent { overwrite_all_in: vec![folder.path().join("own")], ..Consent::default() };
        let system = System::host();
        let asker = Asker { system: &system, consent: &consent, own: None };
        let pinned = Pin::new(&outside).unwrap();
        assert_eq!(pinned.id(), id);
        assert_eq!(refusals(asker, &target, &pinned, OtherUsers::None).unwrap()[0].clause, "overwrite");
        assert!(refusals(asker, &target, &Pin::new(&inside).unwrap(), OtherUsers::None).unwrap().is_empty());
    }
}
