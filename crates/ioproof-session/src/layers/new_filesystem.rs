//! The drives on which a filesystem is made for a run: the same permit as for every other write to a device, asked for each before the first is written, and what is told
//! of them before.

use super::request::{LayersRequest, NewFilesystem};
use super::turns::with_lengths;
use crate::open::found::FoundTarget;
use crate::open::target::{Chosen, whole_units};
use anyhow::{Context, Result};
use ioproof_core::facts::TargetKind;
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use ioproof_process::messages;
use ioproof_target::{Consent, Growth, OwnFilesystem, PermittedDrive, Recipe, System, Target, TargetError, private_mounts};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Drives that may be written.
pub struct Permitted<'a> {
    pub layers: &'a LayersRequest,
    recipe: &'a Recipe,
    pub drives: Vec<PermittedDrive>,
    /// Size of the scratch file. Bytes.
    pub size_bytes: u64,
}

/// Asks the write rule for each drive, and refuses what is known to fail. Nothing is written.
///
/// # Errors
/// When drives do not go together; mounts cannot be kept from others; a refusal of the write rule; no program; a kernel without the filesystem; too little room.
pub fn permit<'a>(system: &System, layers: &'a LayersRequest, new: &'a NewFilesystem) -> Result<Permitted<'a>> {
    let request = &layers.session;
    let targets = new.drives.iter().map(|given| whole_drive(system, given)).collect::<Result<Vec<_>>>()?;
    let first = targets.first().context("there is no drive")?;
    ioproof_target::check_layout(&targets, &new.choice)?;
    private_mounts::check().map_err(|why| {
        let text = format!(
            "a filesystem on {} must be mounted where nobody else sees it, and that is refused: {why}",
            visible(&first.facts.given)
        );
        complaint(text, "run as root; in a container, one that may mount")
    })?;
    let smallest = targets.iter().map(|target| target.facts.size_bytes).min().unwrap_or(0);
    let size_bytes = whole_units(request.plan.size.map_or(0, |size| size.in_bytes(smallest)));
    let drives = permits(system, &request.targets[0].consent, new, targets.clone())?;
    let databases = layers.databases.iter().map(|db| layers.server.room_bytes(*db, size_bytes));
    let files_bytes = databases.fold(size_bytes, u64::saturating_add);
    ioproof_target::check_filesystem(&targets, &new.recipe, files_bytes)?;
    // A drive that is a file below takes new room where that lies.
    let taken = targets.iter().map(|target| (Path::new(&target.facts.resolved), Growth::of_all(target.facts.size_bytes, files_bytes)));
    ioproof_target::check_free_space(taken)?;
    Ok(Permitted { layers, recipe: &new.recipe, drives, size_bytes })
}

fn whole_drive(system: &System, given: &Path) -> Result<Target> {
    let target = ioproof_target::resolve(system, given)?;
    if target.facts.kind != TargetKind::BlockDevice {
        let text = format!("{} is no drive", visible(&given.to_string_lossy()));
        return Err(complaint(text, "--drive names a block device; --dir measures in a directory that is there"));
    }
    Ok(target)
}

fn permits(system: &System, consent: &Consent, new: &NewFilesystem, targets: Vec<Target>) -> Result<Vec<PermittedDrive>> {
    let (consents, unused) = consent.shared_out(system, &targets, &new.destroy);
    let permit = |(target, consent): (Target, _)| -> Result<PermittedDrive> {
        let given = visible(&target.facts.given).to_string();
        let handle = ioproof_target::open_to_write(system, &target, &consent).context(given)?;
        Ok(PermittedDrive { target, handle })
    };
    let drives = targets.into_iter().zip(consents).map(permit).collect::<Result<Vec<_>>>()?;
    match unused {
        Some(name) => {
            Err(complaint(format!("--destroy \"{}\" names none of the drives", visible(&name)), "name each drive of --drive once"))
        }
        None => Ok(drives),
    }
}

impl Permitted<'_> {
    fn targets(&self) -> Vec<Target> {
        self.drives.iter().map(|drive| drive.target.clone()).collect()
    }

    pub fn consent(&self) -> Option<String> {
        self.layers.new.as_ref()?.destroy.first().cloned()
    }

    /// The drives in words: `/dev/sda and /dev/sdb`.
    pub fn names(&self) -> String {
        let names: Vec<String> = self.drives.iter().map(|drive| visible(&drive.target.facts.given).to_string()).collect();
        names.join(" and ")
    }

    /// Everything that comes before files are made, in words.
    pub fn steps(&self) -> Vec<String> {
        let (recipe, given) = (self.recipe, self.names());
        let of_drive = |drive: &PermittedDrive| {
            let name = visible(&drive.target.facts.given).to_string();
            drive.handle.notes().iter().map(|note| format!("{name}: {note}")).collect::<Vec<_>>()
        };
        let paths: Vec<&Path> = self.drives.iter().map(|drive| drive.target.path()).collect();
        let on_it = if paths.len() == 1 { "it" } else { "them" };
        let before =
            format!("{given}: a part of each would be written, and read alone and all at once, before a filesystem is made on them");
        let before = (paths.len() > 1).then_some(before);
        let make = format!("{given}: all data on {on_it} would be lost: {}", recipe.command(&paths));
        let end = if recipe.kind.is_pool { "it is destroyed then, and its labels are removed" } else { "it stays there, empty" };
        let mount = format!(
            "{given}: its new {} would be mounted with {}, where nobody else sees it, and unmounted at the end; {end}",
            recipe.title(),
            recipe.mount_options()
        );
        self.drives.iter().flat_map(of_drive).chain(before).chain([make, mount]).collect()
    }

    /// The work on the filesystem as it is planned while there is none.
    pub fn planned(&self, system: &System) -> Result<FoundTarget> {
        let targets = self.targets();
        let mut directory = targets.first().cloned().context("there is no drive")?;
        directory.facts.given = format!("{} on {}", self.recipe.title(), self.names());
        directory.facts.stack = ioproof_target::stack_of_filesystem(self.recipe, &targets);
        let chosen = Chosen::Scratch { directory, path: PathBuf::new(), size_bytes: self.size_bytes };
        let request = &self.layers.session;
        let found = FoundTarget::new(system, &request.plan, chosen, 1)?;
        Ok(FoundTarget { plan: with_lengths(found.plan, self.layers), ..found })
    }

    pub fn make(self, system: &System, stop: &AtomicBool) -> Result<OwnFilesystem, TargetError> {
        messages::say(&format!("making {} on {}, of which all data is lost", self.recipe.title(), self.names()));
        OwnFilesystem::make(system, self.drives, self.recipe, stop)
    }
}
