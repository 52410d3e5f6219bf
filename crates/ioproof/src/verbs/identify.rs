//! `ioproof identify`: everything known about one drive, device or file, each fact with its source.

mod attributes;
mod paste;
mod summary;
mod tree;
mod values;
mod view;
mod wrapped;

use crate::cli::Identify;
use anyhow::Result;
use ioproof_inventory::inventory::Inventory;
use ioproof_inventory::{capture, replay};
use ioproof_process::complaint::complaint;
use ioproof_process::output::print_json;
use ioproof_target::System;
use std::path::PathBuf;

/// Runs the verb.
///
/// # Errors
/// When nothing could be learned, or a capture could not be written.
pub fn run(args: &Identify) -> Result<u8> {
    if !args.from.is_empty() {
        return from(args);
    }
    let system = System::host();
    let target = args.target.clone().unwrap_or_else(|| PathBuf::from("."));
    let inventory = Inventory::about(&system, &target)?;
    show(&inventory, args)?;
    if let Some(folder) = &args.capture {
        capture::capture(&system, &inventory, folder, args.anonymise)?;
    }
    Ok(0)
}

/// Shows output of other tools, or one captured folder.
fn from(args: &Identify) -> Result<u8> {
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

fn show(inventory: &Inventory, args: &Identify) -> Result<u8> {
    if args.json {
        print_json(&inventory.json(args.raw))?;
    } else {
        view::print(inventory, args.raw)?;
    }
    Ok(0)
}
