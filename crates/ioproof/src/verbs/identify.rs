//! `ioproof identify`: everything known about one drive, device or file, each fact with its source.

mod anonymise;
mod answers;
mod capture;
mod contents;
mod learned;
mod paste;
mod replay;
mod tree;
mod values;
mod view;

use crate::cli::Identify;
use crate::output::print_json;
use anyhow::Result;
use ioproof_target::System;
use learned::Learned;
use std::path::PathBuf;

/// Runs the verb.
///
/// # Errors
/// When nothing could be learned, or a capture could not be written.
pub fn run(args: &Identify) -> Result<u8> {
    if let Some(file) = &args.from {
        return if file.is_dir() { show(&replay::learned(file)?, args) } else { paste::run(file, args) };
    }
    let system = System::host();
    let target = args.target.clone().unwrap_or_else(|| PathBuf::from("."));
    let learned = Learned::about(&system, &target)?;
    show(&learned, args)?;
    if let Some(folder) = &args.capture {
        capture::capture(&system, &learned, folder, args.anonymise)?;
    }
    Ok(0)
}

fn show(learned: &Learned, args: &Identify) -> Result<u8> {
    if args.json {
        print_json(&learned.json(args.raw))?;
    } else {
        view::print(learned, args.raw)?;
    }
    Ok(0)
}
