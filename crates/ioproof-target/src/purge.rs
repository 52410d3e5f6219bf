//! Purges: commands after which a drive holds nothing and writes as a new one. NVMe drives are sanitized or formatted; any drive that takes them is discarded whole.
//!
//! A purge passes the write rule as writing the whole drive does, and works on the descriptors that this gives out: their holders keep all others away until
//! it has ended. A sanitize goes over all namespaces of a drive, so all of them must be permitted; so does a format where the drive says so. ATA and SCSI have
//! commands of their own, which are not sent: such a drive is discarded.
//!
//! Deliberately absent: what is remembered of it (`ioproof-store`), and looking whether the drive did what it says.

mod abilities;
mod admin;
mod command;
mod discard;
mod find;
mod format;
mod sanitize;
mod status;

pub use find::find;

use crate::block;
use crate::error::TargetError;
use crate::guard::Consent;
use crate::open::{open_to_read, open_to_write};
use crate::owned::handle::Handle;
use crate::resolve::target::Target;
use crate::system::System;
use abilities::Abilities;
use ioproof_core::units::{binary_size, duration};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Way of purging a drive, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeMethod {
    /// NVMe Sanitize, by block erase or crypto erase.
    Sanitize,
    /// NVMe Format with a secure erase.
    Format,
    /// A discard of all blocks.
    Discard,
}

impl PurgeMethod {
    /// The word by which it is asked for.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sanitize => "sanitize",
            Self::Format => "format",
            Self::Discard => "discard",
        }
    }
}

/// A purge as it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct PurgeOrder {
    /// Method; `None`: the strongest that the drive has and that reaches only what was named.
    pub method: Option<PurgeMethod>,
    /// Time after which it is given up.
    pub at_most: Duration,
}

/// A purge that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purged {
    /// Method in words: `sanitize (block erase)`.
    pub method: &'static str,
    /// Time from the command to its end.
    pub elapsed: Duration,
    /// Sentences that the user must read: a capacity that changed.
    pub notes: Vec<String>,
}

/// Told how far it is: the method in words when it begins, and then the share that is done, 0 to 1.
pub type PurgeProgress<'a> = dyn FnMut(&'static str, f64) + 'a;

/// A namespace or another disk that is open for it.
#[derive(Debug)]
struct OpenDisk<'a> {
    name: String,
    path: PathBuf,
    handle: &'a Handle,
}

/// Purges drives that are named, each a disk or a namespace of one and the same drive. A sanitize that is under way already is waited for, which needs no consent.
///
/// # Errors
/// A refusal of the write rule; a method that the drive does not have or refuses; a purge that does not end in time.
pub fn purge(
    system: &System,
    targets: &[Target],
    consent: &Consent,
    order: &PurgeOrder,
    tell: &mut PurgeProgress<'_>,
) -> Result<Purged, TargetError> {
    if let Some(purged) = join(system, targets, order, tell)? {
        return Ok(purged);
    }
    let open = |target: &Target| open_to_write(system, target, &find::consent_to(system, targets, target, consent));
    let handles = targets.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    purge_open(system, &handles.iter().collect::<Vec<_>>(), order, tell)
}

/// The method by which what is open to be written can be purged: the one that is asked for, else the strongest that reaches nothing else. Only looks.
///
/// # Errors
/// When there is none, or what is open is no whole disk that the kernel drives.
pub fn method_of(system: &System, handle: &Handle, asked: Option<PurgeMethod>) -> Result<PurgeMethod, TargetError> {
    let disk = open_disk(system, handle)?;
    let path = disk.path.clone();
    Abilities::of(system, &[disk])?.choose(asked).map_err(|refused| refused.of(&path))
}

/// Purges what is open to be written.
///
/// # Errors
/// As [`purge`]; also where something else than whole disks of one drive is open.
pub fn purge_open(system: &System, handles: &[&Handle], order: &PurgeOrder, tell: &mut PurgeProgress<'_>) -> Result<Purged, TargetError> {
    let disks = handles.iter().map(|handle| open_disk(system, handle)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = disks.first() else { return Err(TargetError::unsuitable(Path::new("purge"), "names no drive")) };
    let abilities = Abilities::of(system, &disks)?;
    let method = abilities.choose(order.method).map_err(|refused| refused.of(&first.path))?;
    let sizes = sizes(system, &disks);
    let began = Instant::now();
    let method = match method {
        PurgeMethod::Sanitize => sanitize::run(first, abilities.sanitize, order.at_most, tell)?,
        PurgeMethod::Format => format::run(&disks, abilities.format_reaches_all, order.at_most, tell)?,
        PurgeMethod::Discard => discard::run(&disks, order.at_most, tell)?,
    };
    let notes = sizes.iter().filter_map(|size| changed(system, size)).collect();
    Ok(Purged { method, elapsed: began.elapsed(), notes })
}

/// Waits for a sanitize that somebody began before: until it has ended the drive answers no I/O, so nothing of the write rule could be looked at.
fn join(system: &System, targets: &[Target], order: &PurgeOrder, tell: &mut PurgeProgress<'_>) -> Result<Option<Purged>, TargetError> {
    let is_namespace = |target: &&Target| target.device_name().is_some_and(|name| block::is_nvme_namespace(system, name));
    let Some(target) = targets.iter().find(is_namespace) else { return Ok(None) };
    let handle = open_to_read(target)?;
    let began = Instant::now();
    let joined = sanitize::join(&target.path, handle.as_fd(), order.at_most, tell)?;
    Ok(joined.map(|method| Purged { method, elapsed: began.elapsed(), notes: Vec::new() }))
}

fn open_disk<'a>(system: &System, handle: &'a Handle) -> Result<OpenDisk<'a>, TargetError> {
    let number = rustix::fs::fstat(handle).map(|stat| stat.st_rdev).unwrap_or(0);
    let name = block::name_of(system, rustix::fs::major(number), rustix::fs::minor(number)).filter(|_| handle.drive().is_none());
    let whole = name.filter(|name| handle.may_write() && block::disk_of(system, name).is_none());
    match whole {
        Some(name) => Ok(OpenDisk { path: Path::new("/dev").join(&name), name, handle }),
        None => Err(TargetError::unsuitable(Path::new("purge"), "takes whole disks that the kernel drives and that may be written")),
    }
}

/// Name, size and block of a disk. Bytes.
type Size = (String, Option<u64>, Option<u32>);

fn sizes(system: &System, disks: &[OpenDisk<'_>]) -> Vec<Size> {
    disks.iter().map(|disk| size(system, &disk.name)).collect()
}

fn size(system: &System, name: &str) -> Size {
    (name.to_owned(), block::size_bytes(system, name), block::logical_block_bytes(system, name))
}

/// A sentence where a disk has another size or block now, or has gone.
fn changed(system: &System, before: &Size) -> Option<String> {
    let now = size(system, &before.0);
    let shown = |size: &Size| match (size.1, size.2) {
        (Some(bytes), Some(block)) => format!("{} in blocks of {}", binary_size(bytes), binary_size(block.into())),
        (Some(bytes), None) => binary_size(bytes),
        (None, _) => "none: the kernel has no such disk any more".to_owned(),
    };
    (now != *before).then(|| format!("the capacity of {} was {} and is {}", before.0, shown(before), shown(&now)))
}

fn timed_out(path: &Path, what: String, hint: &str, at_most: Duration) -> TargetError {
    TargetError::unsuitable_hint(path, format!("{what} after {}", duration(at_most)), hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;

    #[test]
    fn another_capacity_is_told() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1)], "S1");
        let before = size(&tree.system(), "nvme0n1");
        assert_eq!(changed(&tree.system(), &before), None);
        tree.write("sys/block/nvme0n1/queue/logical_block_size", "4096\n");
        tree.write("sys/block/nvme0n1/size", "8\n");
        let text = "the capacity of nvme0n1 was 1 GiB in blocks of 512 B and is 4 KiB in blocks of 4 KiB";
        assert_eq!(changed(&tree.system(), &before).unwrap(), text);
        std::fs::remove_file(tree.path("sys/block/nvme0n1/size")).unwrap();
        assert!(changed(&tree.system(), &before).unwrap().contains("no such disk any more"));
    }
}
