//! A hold on a regular file while it is replaced or removed: whoever comes to write to it in that moment is noticed, so that the act can be taken back.
//!
//! Where the kernel gives leases it holds up whoever opens the file. Where it gives none (NFS, FUSE, other people's files) processes are looked at before and
//! after, which shows whoever is still at it and can be seen.

use crate::kernel::{AskedLease, Lease, read_lease};
use crate::mounts::mounts;
use crate::patience::lasting;
use crate::system::System;
use crate::target::Pin;
use crate::twin::may_have_twin;
use crate::users::Wanted;
use rustix::fs::OFlags;
use std::os::fd::OwnedFd;

/// A file that nobody else had open for writing when it was taken hold of.
#[derive(Debug)]
pub(crate) struct UnwrittenHold {
    lease: Option<Lease<OwnedFd>>,
    id: (u64, u64),
}

impl UnwrittenHold {
    /// Takes hold of a file; `None` if another process has it open for writing, and not for a moment only.
    pub(crate) fn of(pin: &Pin) -> Option<Self> {
        let in_use = || Self::attempt(pin).is_none().then_some(());
        lasting(in_use).is_none().then(|| Self::attempt(pin)).flatten()
    }

    fn attempt(pin: &Pin) -> Option<Self> {
        let id = pin.id();
        match pin.open(OFlags::RDONLY).map(read_lease) {
            Ok(AskedLease::Given(lease)) => (!is_used_as_twin(pin)).then_some(Self { lease: Some(lease), id }),
            Ok(AskedLease::Refused) => None,
            Ok(AskedLease::Unknown) | Err(_) => (!is_in_use(id)).then_some(Self { lease: None, id }),
        }
    }

    /// True while nobody has come to write to it.
    pub(crate) fn is_kept(&self) -> bool {
        self.lease.as_ref().map_or_else(|| !is_in_use(self.id), Lease::is_kept)
    }
}

/// True if somebody has a file open for writing by its other number, of which no lease tells.
fn is_used_as_twin(pin: &Pin) -> bool {
    // Without the table nothing is known of overlays.
    mounts(&System::host()).is_ok_and(|mounts| may_have_twin(&mounts, pin)) && is_in_use(pin.id())
}

fn is_in_use(id: (u64, u64)) -> bool {
    let system = System::host();
    let mounts = mounts(&system).unwrap_or_default();
    !Wanted::file(&system, id, &mounts).find(Some(std::process::id())).users.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::folder_on_a_drive;
    use std::fs::File;

    #[test]
    fn whoever_comes_to_write_is_noticed_and_gets_the_file_when_the_hold_ends() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("f");
        std::fs::write(&path, "x").unwrap();
        let hold = UnwrittenHold::of(&Pin::new(&path).unwrap()).unwrap();
        assert!(hold.is_kept());
        File::open(&path).unwrap();
        assert!(hold.is_kept(), "he only reads");
        let writer = std::thread::spawn({
            let path = path.clone();
            move || File::options().append(true).open(path).unwrap()
        });
        while hold.is_kept() {
            std::thread::yield_now();
        }
        drop(hold);
        let file = writer.join().unwrap();
        assert!(UnwrittenHold::of(&Pin::new(&path).unwrap()).is_none());
        drop(file);
        assert!(UnwrittenHold::of(&Pin::new(&path).unwrap()).is_some());
    }
}
