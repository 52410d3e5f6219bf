//! The verbs, one file each. README.md says how to add one.

mod columns;
mod compare;
mod datasheet;
mod doctor;
mod identify;
mod list;
mod measure;
mod powercut;
mod report;
mod rules;
mod runs;

use crate::cli::Verb;
use anyhow::Result;
use ioproof_process::complaint::complaint;

/// Runs a verb and gives the exit status.
pub fn run(verb: Verb) -> Result<u8> {
    if !matches!(verb, Verb::List(_) | Verb::Rules(_) | Verb::Datasheet { .. }) {
        proc_is_there()?;
    }
    match verb {
        Verb::Verify(args) => measure::verify::run(*args),
        Verb::Sweep(args) => measure::sweep::run(*args),
        Verb::Sync(args) => measure::sync::run(*args),
        Verb::Layers(args) => measure::layers::run(*args),
        Verb::Run { arguments } => measure::run::run(&arguments),
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

/// Makes sure that open files can be found below `/proc` (proc(5)). A file of ours is known, named and removed by the descriptor that holds it, and its users
/// are seen there; a chroot without it would keep nothing and leave behind what was made.
fn proc_is_there() -> Result<()> {
    match std::fs::read_dir("/proc/self/fd") {
        Ok(_) => Ok(()),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Ok(()),
        Err(_) => Err(complaint("/proc is not mounted here, and by it open files are found again", "mount -t proc proc /proc")),
    }
}
