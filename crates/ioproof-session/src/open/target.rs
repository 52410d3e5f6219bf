//! Target and permit: what the path is, and the open handle or a refusal.

use crate::request::{LoadRequest, TargetExtent, TargetRequest};
use anyhow::Result;
use ioproof_core::facts::{DeviceFacts, DriveKind, Fact, TargetFacts, TargetKind};
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use ioproof_target::{Consent, Handle, System, Target, TargetError};
use std::path::{Path, PathBuf};

/// Size of a scratch file where none is asked for.
const SCRATCH_BYTES: u64 = 1 << 30;

/// Source of facts about a drive that was taken from the kernel.
const BOUND: &str = "sysfs, before the drive was bound";

/// Target that was chosen, before anything is opened for it.
#[derive(Debug)]
pub enum Chosen {
    /// A file to be made in this directory.
    Scratch {
        directory: Target,
        path: PathBuf,
        /// Size of the file in bytes.
        size_bytes: u64,
    },
    Existing {
        target: Target,
        consent: Consent,
    },
}

impl Chosen {
    pub fn facts(&self) -> &TargetFacts {
        match self {
            Self::Scratch { directory, .. } => &directory.facts,
            Self::Existing { target, .. } => &target.facts,
        }
    }

    /// The same, to be told in other words.
    pub fn facts_mut(&mut self) -> &mut TargetFacts {
        match self {
            Self::Scratch { directory, .. } => &mut directory.facts,
            Self::Existing { target, .. } => &mut target.facts,
        }
    }

    /// The directory of scratch files, where it is one.
    pub fn directory(&self) -> Option<PathBuf> {
        match self {
            Self::Scratch { path, .. } => Some(path.clone()),
            Self::Existing { .. } => None,
        }
    }

    /// Facts about a drive that was taken from the kernel, of which sysfs has none.
    pub fn bound(&self) -> Option<DeviceFacts> {
        let Self::Existing { target, .. } = self else { return None };
        let (drive, namespace) = target.bound()?;
        let fact = |value: &String| Some(Fact::new(value.clone(), BOUND));
        let capacity = Fact::new(namespace.size_bytes, BOUND);
        Some(DeviceFacts {
            model: fact(&drive.model),
            serial: fact(&drive.serial),
            firmware: fact(&drive.firmware),
            logical_block_bytes: Some(Fact::new(namespace.block_bytes, BOUND)),
            ..DeviceFacts::named(&drive.address, DriveKind::Nvme, capacity)
        })
    }

    /// Bytes that can be used of it.
    pub fn size_bytes(&self) -> u64 {
        match self {
            Self::Scratch { size_bytes, .. } => *size_bytes,
            Self::Existing { target, .. } => target.facts.size_bytes,
        }
    }

    /// True where the command line asks to write to it.
    pub fn is_written(&self) -> bool {
        match self {
            Self::Scratch { .. } => true,
            Self::Existing { target, consent } => names_something(consent) || is_sink(target),
        }
    }

    pub fn is_scratch(&self) -> bool {
        matches!(self, Self::Scratch { .. })
    }
}

/// Looks at what the command line names.
///
/// # Errors
/// When there is no such target, or it cannot be measured.
pub fn choose(system: &System, request: &TargetRequest, size: Option<TargetExtent>) -> Result<Chosen> {
    let given: PathBuf = request.path.clone().or_else(|| request.dir.clone()).unwrap_or_else(|| ".".into());
    check_consent(request, &given)?;
    check_no_device(system, &given)?;
    let target = ioproof_target::resolve(system, &given)?;
    if target.is_directory() {
        scratch(target, given, &request.consent, size)
    } else {
        Ok(Chosen::Existing { target, consent: request.consent.clone() })
    }
}

/// Opens what was chosen, as far as the write rule allows.
///
/// # Errors
/// A refusal of the write rule, or what the kernel says.
pub fn permit(system: &System, load: &LoadRequest, chosen: Chosen) -> Result<(Target, Handle)> {
    match chosen {
        Chosen::Scratch { path, size_bytes, .. } => Ok(scratch_file(system, load, &path, size_bytes)?),
        Chosen::Existing { target, consent } => {
            let is_written = names_something(&consent) || is_sink(&target);
            let opened =
                if is_written { ioproof_target::open_to_write(system, &target, &consent) } else { ioproof_target::open_to_read(&target) };
            Ok((target, opened?))
        }
    }
}

/// Everything that the load needs open, `first` foremost: in `scratch_in` its further files, each of its share of the size, one that grows, and all of them through the page cache as well.
///
/// # Errors
/// When a file cannot be made, or descriptors run out.
pub fn open_rest(system: &System, load: &LoadRequest, scratch_in: Option<&Path>, first: Handle) -> Result<Vec<Handle>> {
    let (openings, size_bytes) = (load.openings(), first.size_bytes());
    let mut handles = vec![first];
    while let Some(folder) = scratch_in.filter(|_| handles.len() < openings.all_files()) {
        let files = if handles.len() < openings.files { openings.files as u64 } else { 1 };
        // No smaller than its share of the part that is used.
        handles.push(scratch_file(system, load, folder, (size_bytes / files).next_multiple_of(4 << 10))?.1);
    }
    if openings.buffered {
        let cached: Vec<Handle> = handles.iter().map(|handle| handle.again(false)).collect::<std::io::Result<_>>()?;
        handles.extend(cached);
    }
    Ok(handles)
}

fn scratch_file(system: &System, load: &LoadRequest, folder: &Path, size_bytes: u64) -> Result<(Target, Handle), TargetError> {
    let make = if load.syncs() { ioproof_target::synced_scratch } else { ioproof_target::scratch };
    make(system, folder, size_bytes)
}

/// True where a consent to write names a file or a device.
fn names_something(consent: &Consent) -> bool {
    consent.destroy.is_some() || !consent.overwrite.is_empty()
}

fn scratch(directory: Target, path: PathBuf, consent: &Consent, size: Option<TargetExtent>) -> Result<Chosen> {
    if names_something(consent) {
        let text = format!("{} is a place for a scratch file, which needs no consent to write", directory.facts.given);
        return Err(complaint(text, "--overwrite and --destroy are for a file or a device that exists and is the target"));
    }
    let size = size.unwrap_or(TargetExtent::Bytes(SCRATCH_BYTES));
    let free = directory.facts.filesystem.as_ref().map_or(0, |f| f.free_bytes);
    Ok(Chosen::Scratch { directory, path, size_bytes: whole_units(size.in_bytes(free)) })
}

/// A scratch file is a whole number of MiB; one that was asked to be smaller is of whole blocks of 4 KiB.
pub fn whole_units(bytes: u64) -> u64 {
    let unit = if bytes >= 1 << 20 { 1 << 20 } else { 4 << 10 };
    bytes / unit * unit
}

/// A name without a folder that a device here bears means the device, most likely.
fn check_no_device(system: &System, given: &Path) -> Result<()> {
    let name = given.to_str().filter(|name| !name.contains('/') && !given.exists());
    let Some(node) = name.and_then(|name| ioproof_target::node_of(system, name)) else { return Ok(()) };
    let (name, node) = (visible(&given.to_string_lossy()), node.display());
    Err(complaint(format!("{name} is no file here, and the name of a block device"), format!("write {node} for the device")))
}

/// Consent for something that is not the target is a mistake that must not pass in silence.
fn check_consent(request: &TargetRequest, given: &Path) -> Result<()> {
    match (&request.path, &request.consent.destroy, request.consent.overwrite.first()) {
        (None, Some(_), _) => Err(complaint("--destroy needs the device as the target", "ioproof verify /dev/X --destroy SERIAL")),
        (None, _, Some(_)) => Err(complaint("--overwrite needs the file as the target", "ioproof verify FILE --overwrite FILE")),
        (Some(_), Some(_), Some(_)) => Err(complaint(
            format!("--destroy and --overwrite exclude each other ({})", given.display()),
            "--destroy is for devices, --overwrite for files",
        )),
        _ => Ok(()),
    }
}

fn is_sink(target: &Target) -> bool {
    target.facts.kind == TargetKind::Generator && target.facts.resolved == "/dev/null"
}
