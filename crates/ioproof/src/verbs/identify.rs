//! `ioproof identify`: everything known about one drive, device or file, each fact with its source.

mod attributes;
mod datasheet;
mod paste;
mod summary;
mod tree;
mod values;
mod view;

use anyhow::Result;
use clap::Args;
use ioproof_inventory::drives::KnownDrive;
use ioproof_inventory::inventory::Inventory;
use ioproof_inventory::{capture, replay};
use ioproof_process::complaint::complaint;
use ioproof_process::output::print_json;
use ioproof_session::drive_health;
use ioproof_store::drives;
use ioproof_target::System;
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  ioproof identify /dev/nvme0             a drive, by any of its nodes: /dev/nvme0n1, /dev/ng0n1, /dev/sda, /dev/sg2
  ioproof identify /mnt/data              the drives under a directory or a file
  ioproof identify /dev/sda --json --raw  all of it for programs, with the pages as the drive gave them
  smartctl -j -x /dev/sda | ioproof identify --from -
                                          what another tool printed, on this machine or any other
  ioproof identify --from id-ctrl.txt --from smart-log.txt
                                          several of its outputs; each drive in them is shown by itself
  ioproof identify /dev/sda --capture sda-bug --anonymise
                                          a folder for a bug report, without serial numbers
Nothing is written to any drive, and nothing is opened for writing. Exit status: 2 when nothing could be learned; else 0.";

/// Flags of `identify`.
#[derive(Debug, Args)]
pub struct IdentifyFlags {
    /// A block device, a character node of a drive, a kernel name, a file or a directory
    #[arg(required_unless_present = "from")]
    pub target: Option<PathBuf>,
    /// Read a folder that --capture made, or what another tool printed (nvme, smartctl, CrystalDiskInfo, Get-PhysicalDisk, diskutil, ...), instead; - is standard input; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    pub from: Vec<PathBuf>,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Keep the pages as the drive gave them, in hexadecimal digits
    #[arg(long)]
    pub raw: bool,
    /// Write all that was read into this new folder, so that it can be replayed
    #[arg(long, value_name = "DIR")]
    pub capture: Option<PathBuf>,
    /// Replace serial numbers and other unique names in the capture
    #[arg(long, requires = "capture")]
    pub anonymise: bool,
}

/// Runs the verb.
///
/// # Errors
/// When nothing could be learned, or a capture could not be written.
pub fn run(args: &IdentifyFlags) -> Result<u8> {
    if !args.from.is_empty() {
        return from(args);
    }
    let system = System::host();
    let target = args.target.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut inventory = Inventory::about(&system, &target)?;
    inventory.drives.iter_mut().for_each(add_past);
    show(&inventory, args)?;
    if let Some(folder) = &args.capture {
        capture::capture(&system, &inventory, folder, args.anonymise)?;
    }
    Ok(0)
}

/// Adds what earlier runs and purges made of a drive, gone on with to this moment.
fn add_past(drive: &mut KnownDrive) {
    drive.history = drive.facts.serial.as_ref().and_then(|serial| drives::known(&serial.value));
    let state = drive_health::told(&drive.facts.name, &drive.pages);
    drive.history.iter_mut().for_each(|history| history.look(&state, &ioproof_runner::now().rfc3339));
}

/// Shows output of other tools, or one captured folder.
fn from(args: &IdentifyFlags) -> Result<u8> {
    if args.capture.is_some() {
        let hint = "`ioproof identify TARGET --capture DIR` captures; `ioproof identify --from FILE` reads";
        return Err(complaint("--capture writes what a drive here answers, and --from asks no drive here", hint));
    }
    match args.from.as_slice() {
        [folder] if folder.is_dir() => show(&replay::inventory(folder)?, args),
        files => match files.iter().find(|file| file.is_dir()) {
            Some(folder) => {
                Err(complaint(format!("--from: {} is a folder, which is shown alone", folder.display()), "give one folder, or files only"))
            }
            None => paste::run(files, args),
        },
    }
}

fn show(inventory: &Inventory, args: &IdentifyFlags) -> Result<u8> {
    if args.json {
        print_json(&inventory.json(args.raw))?;
    } else {
        view::print(inventory, args.raw)?;
    }
    Ok(0)
}
