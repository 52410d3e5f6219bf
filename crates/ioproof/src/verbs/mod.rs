//! The verbs, one file each. README.md says how to add one.

mod columns;
mod compare;
mod datasheet;
mod doctor;
mod identify;
mod list;
mod powercut;
mod report;
mod rules;
mod runs;

use crate::cli::Verb;
use anyhow::Result;

/// Version of the documents that verbs print as JSON, other than records of runs.
pub const SCHEMA_VERSION: u32 = 1;

/// Runs a verb and gives the exit status.
///
/// # Errors
/// When nothing could be done; the status is then 2.
pub fn run(verb: Verb) -> Result<u8> {
    match verb {
        Verb::Verify(args) => crate::verify::run(*args),
        Verb::Sweep(args) => crate::sweep::run(*args),
        Verb::Sync(args) => crate::sync::run(*args),
        Verb::Layers(args) => crate::layers::run(*args),
        Verb::Run { arguments } => crate::job_files::run(&arguments),
        Verb::List(args) => list::run(&args),
        Verb::Identify(args) => identify::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Rules(args) => rules::run(&args),
        Verb::Report(args) => report::run(&args),
        Verb::Compare(args) => compare::run(&args),
        Verb::Runs { action } => runs::run(&action),
        Verb::Powercut { action } => powercut::run(&action),
        Verb::Datasheet { action } => datasheet::run(&action),
    }
}
