//! The open of a drive that was taken from the kernel: a driver of our own brings it up.

use crate::bound::{BoundDrive, BoundNamespace, device, unconfined};
use crate::error::{CONSENT, TargetError};
use crate::guard::{self, Consent, Reason};
use crate::owned::handle::Handle;
use crate::system::System;
use ioproof_nvme::physical::Physical;
use ioproof_nvme::scripted::{Script, Scripted};
use ioproof_nvme::vfio::{Vfio, group_of};
use ioproof_nvme::{Bus, Drive, Error};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

/// Refuses to write without the consent that names the drive. That nothing stands on it was seen when it was taken, and no other program reaches it since.
pub(super) fn look(drive: &BoundDrive, namespace: BoundNamespace, consent: &Consent) -> Result<(), TargetError> {
    let with_namespace = format!("{}:{}", drive.serial, namespace.number);
    let given = consent.destroy.as_deref();
    if given == Some(&with_namespace) || given == Some(&drive.serial) && drive.namespaces.len() == 1 {
        return Ok(());
    }
    let form = if drive.namespaces.len() > 1 { "SERIAL:NAMESPACE" } else { "SERIAL" };
    let reason = match given {
        Some(name) => Reason::new(format!("--destroy \"{name}\" does not name the drive at {}", drive.address)),
        None => Reason::new(format!("the drive at {} is written only with --destroy", drive.address)),
    };
    let hint = format!("the name is {form}; `ioproof list` shows the serial number: compare it with the label on the drive");
    Err(TargetError::Refused(guard::refusals(CONSENT, vec![reason.hint(hint)])))
}

/// Brings the drive up.
///
/// # Errors
/// When another program drives it, it does not come up, or is not the one of the note.
pub(super) fn open(system: &System, drive: &BoundDrive, namespace: BoundNamespace, may_write: bool) -> Result<Handle, TargetError> {
    let given = Path::new(&drive.address);
    let (bus, fd) = if drive.is_confined() { confined(system, drive)? } else { unconfined(system, drive)? };
    let driven = Drive::open(bus, namespace.number).map_err(|error| unfit(drive, &error))?;
    let seen = (&driven.controller().facts().page.serial, driven.namespace().size_bytes());
    if seen != (&drive.serial, namespace.size_bytes) {
        return Err(TargetError::unsuitable(given, "is another drive by now than the one that was taken"));
    }
    let handle = Handle::new(fd, true, may_write, true, namespace.size_bytes, namespace.block_bytes);
    Ok(handle.of_namespace(true).of_drive(driven))
}

/// The bus of a drive and the file that keeps others out.
type BusAndFile = (Arc<dyn Bus>, OwnedFd);

/// A drive that vfio-pci has.
fn confined(system: &System, drive: &BoundDrive) -> Result<BusAndFile, TargetError> {
    let number = group_of(&device(system, &drive.address)).map_err(|error| unfit(drive, &error))?;
    let container = open_file("/dev/vfio/vfio")?;
    let group = open_file(&format!("/dev/vfio/{number}"))?;
    let fd = held(drive, &group)?;
    let bus = Vfio::new(container, group, &drive.address).map_err(|error| unfit(drive, &error))?;
    Ok((Arc::new(bus), fd))
}

/// A drive that no driver has.
fn unconfined(system: &System, drive: &BoundDrive) -> Result<BusAndFile, TargetError> {
    let files = unconfined::files(system, drive)?.ok_or_else(|| in_use(&device(system, &drive.address).join("resource0")))?;
    unconfined::enable(system, drive)?;
    let fd = held(drive, &files.registers)?;
    let bus = Physical::new(files, &drive.address).map_err(|error| match unfit(drive, &error) {
        TargetError::Unsuitable { path, what, hint: None } if error.errno() == libc::EPERM => {
            let hint = "the kernel's lockdown, as with Secure Boot, may forbid it: `cat /sys/kernel/security/lockdown`";
            TargetError::unsuitable_hint(&path, what, hint)
        }
        other => other,
    })?;
    Ok((Arc::new(bus), fd))
}

fn held(drive: &BoundDrive, file: &OwnedFd) -> Result<OwnedFd, TargetError> {
    file.try_clone().map_err(|error| TargetError::io(Path::new(&drive.address), "hold it", error))
}

fn unfit(drive: &BoundDrive, error: &Error) -> TargetError {
    let what = format!("cannot be driven: {error}");
    TargetError::Unsuitable { path: drive.address.clone().into(), what, hint: error.hint().map(str::to_owned) }
}

fn in_use(path: &Path) -> TargetError {
    TargetError::unsuitable_hint(path, "is in use: another program drives the drive", "end it first")
}

/// A drive that exists in memory only and behaves as its script says, open to be read and written: for tests of what measures drives.
///
/// # Panics
/// When the script is of a drive that cannot be brought up, or there is no memory for it.
#[must_use]
pub fn scripted_drive(script: Script) -> Handle {
    let drive = Drive::open(Arc::new(Scripted::new(script)), 1).expect("a scripted drive that comes up");
    let fd = rustix::fs::memfd_create("scripted", rustix::fs::MemfdFlags::CLOEXEC).expect("memory for a scripted drive");
    let namespace = drive.namespace();
    Handle::new(fd, true, true, true, namespace.size_bytes(), namespace.block_bytes()).of_namespace(true).of_drive(drive)
}

fn open_file(path: &str) -> Result<OwnedFd, TargetError> {
    rustix::fs::open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).map_err(|error| match error {
        Errno::BUSY => in_use(Path::new(path)),
        error => TargetError::io(Path::new(path), "open it to drive the drive", error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::testing::drive;

    #[test]
    fn only_the_serial_number_is_consent() {
        let two = drive();
        let consent = |name: Option<&str>| Consent { destroy: name.map(str::to_owned), ..Consent::default() };
        let is_given = |drive: &BoundDrive, name| look(drive, drive.namespaces[0], &consent(name)).is_ok();
        assert!(is_given(&two, Some("S1:1")));
        for wrong in [None, Some("S1"), Some("S1:2"), Some("0000:04:00.0")] {
            assert!(!is_given(&two, wrong), "{wrong:?}");
        }
        let one = BoundDrive { namespaces: vec![two.namespaces[0]], ..two };
        assert!(is_given(&one, Some("S1")) && is_given(&one, Some("S1:1")) && !is_given(&one, Some("S2")));
    }
}
