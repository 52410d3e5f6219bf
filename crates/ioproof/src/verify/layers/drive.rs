//! The drive on which a filesystem is made for a run: the same permit as for every other write to a device, and what is told of it before.

use super::{Found, with_lengths};
use crate::complaint::complaint;
use crate::layers::LayersRequest;
use crate::messages;
use crate::plain::plain;
use crate::request::VerifyRequest;
use crate::verify::target::{self, Chosen, whole_units};
use crate::verify::{identify, record};
use anyhow::{Context, Result};
use ioproof_core::facts::TargetKind;
use ioproof_target::{Handle, OwnFilesystem, Recipe, System, Target, TargetError, private_mounts};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// A drive that may be written.
pub(super) struct Permitted<'a> {
    layers: &'a LayersRequest,
    request: &'a VerifyRequest,
    target: Target,
    handle: Handle,
    /// Size of the scratch file. Bytes.
    size_bytes: u64,
}

/// Asks the write rule for the drive, and refuses what is known to fail. Nothing is written.
///
/// # Errors
/// When mounts cannot be kept from others; a refusal of the write rule; no program; a kernel without the filesystem; too small a drive.
pub(super) fn permit<'a>(system: &System, layers: &'a LayersRequest, recipe: &Recipe) -> Result<Permitted<'a>> {
    let request = layers.sides.first().context("there is no drive")?;
    let given = request.target.as_ref().context("there is no drive")?;
    let target = ioproof_target::resolve(system, given)?;
    if target.facts.kind != TargetKind::BlockDevice {
        let text = format!("{} is no drive", plain(&given.to_string_lossy()));
        return Err(complaint(text, "--drive names a block device; --dir measures in a directory that is there"));
    }
    private_mounts::check().map_err(|why| {
        let text =
            format!("a filesystem on {} must be mounted where nobody else sees it, and that is refused: {why}", plain(&target.facts.given));
        complaint(text, "run as root; in a container, one that may mount")
    })?;
    let handle = ioproof_target::open_to_write(system, &target, &target::consent(request))?;
    let size_bytes = whole_units(request.size.map_or(0, |size| size.of(target.facts.size_bytes)));
    let databases = layers.databases.iter().map(|db| layers.server.room_bytes(*db, size_bytes));
    let files_bytes = databases.fold(size_bytes, u64::saturating_add);
    ioproof_target::check_filesystem(&target, recipe, files_bytes)?;
    Ok(Permitted { layers, request, target, handle, size_bytes })
}

impl Permitted<'_> {
    /// Everything that comes before files are made, in words.
    pub(super) fn steps(&self, recipe: &Recipe) -> Vec<String> {
        let given = plain(&self.target.facts.given);
        let looked = self.handle.notes().iter().map(|note| format!("{given}: {note}"));
        let make = format!("{given}: all data on it would be lost: {}", recipe.command(self.target.path()));
        let mount = format!(
            "{given}: its new {} would be mounted with {}, where nobody else sees it, and unmounted at the end; it stays there, empty",
            recipe.kind.name,
            recipe.mount_options()
        );
        looked.chain([make, mount]).collect()
    }

    /// The work on the filesystem as it is planned while there is none.
    pub(super) fn planned(&self, system: &System, recipe: &Recipe) -> Result<Found> {
        let mut directory = self.target.clone();
        directory.facts.given = format!("{} on {}", recipe.kind.name, self.target.facts.given);
        let chosen = Chosen::Scratch { directory, path: PathBuf::new(), size_bytes: self.size_bytes };
        let facts = identify::identify(system, &chosen, self.request)?;
        let plan = with_lengths(record::plan(self.request, &chosen, &facts)?, self.layers);
        Ok(Found { request: self.request.clone(), chosen, directory: PathBuf::new(), facts, plan })
    }

    /// Makes the filesystem and mounts it.
    ///
    /// # Errors
    /// When that fails; nothing stays mounted then.
    pub(super) fn make(self, system: &System, recipe: &Recipe, stop: &AtomicBool) -> Result<OwnFilesystem, TargetError> {
        messages::say(&format!("making {} on {}, of which all data is lost", recipe.kind.name, plain(&self.target.facts.given)));
        OwnFilesystem::make(system, &self.target, self.handle, recipe, stop)
    }
}
