//! The verbs, one file each. README.md says how to add one.

mod audit;
mod check;
mod compare;
mod completions;
mod datasheet;
mod device;
mod doctor;
mod fleet;
mod identify;
mod list;
mod measure;
mod powercut;
mod report;
mod rules;
mod runs;

use crate::flags::help::{brief, short};
use anyhow::Result;
use clap::Subcommand;
use ioproof_process::complaint::complaint;
pub use measure::layers::options::makes_filesystem;
use std::ffi::OsString;

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Measure a drive against its datasheet, explain the numbers, and report
    #[command(after_help = brief(measure::verify::EXAMPLES), after_long_help = measure::verify::EXAMPLES, mut_args = short)]
    Verify(Box<measure::standard::VerifyVerb>),
    /// Measure workers x queue depth: the floor, the knee, the ceiling, and where more only queues
    #[command(after_help = brief(measure::sweep::EXAMPLES), after_long_help = measure::sweep::EXAMPLES, mut_args = |arg| short(measure::sweep::presets::in_help(arg)))]
    Sweep(Box<measure::sweep::SweepFlags>),
    /// Measure what durable writes cost: fsync, fdatasync, O_DSYNC, and what of them reaches the drive
    #[command(after_help = brief(measure::sync::EXAMPLES), after_long_help = measure::sync::EXAMPLES, mut_args = |arg| short(measure::sync::presets::in_help(arg)))]
    Sync(Box<measure::sync::SyncFlags>),
    /// Hold a filesystem's reads and durable writes against the commits of a database on it, and say what is lost where
    #[command(after_help = brief(measure::layers::options::EXAMPLES), after_long_help = measure::layers::options::EXAMPLES, mut_args = short)]
    Layers(Box<measure::layers::options::LayersFlags>),
    /// Run fio job files, and fio's own options, unchanged
    #[command(disable_help_flag = true)]
    Run {
        /// Arguments of fio; `ioproof run --help` says more
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FIO'S ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// One line a drive: model, serial, size, firmware, health, link, and what uses it
    #[command(after_help = list::EXAMPLES)]
    List(list::ListFlags),
    /// Everything known about one drive, device or file, with the source of each fact
    #[command(after_help = brief(identify::EXAMPLES), after_long_help = identify::EXAMPLES)]
    Identify(identify::IdentifyFlags),
    /// Find the mistakes in published measurements: outputs of other tools, job files, and the words about them
    #[command(after_help = brief(audit::EXAMPLES), after_long_help = audit::EXAMPLES, mut_args = audit::in_help)]
    Audit(audit::AuditFlags),
    /// Say what of this host would distort a measurement, and how to mend it
    #[command(after_help = brief(doctor::EXAMPLES), after_long_help = doctor::EXAMPLES)]
    Doctor(doctor::DoctorFlags),
    /// List the rules that explain a figure, doubt it or take it away, or explain one
    #[command(after_help = rules::EXAMPLES)]
    Rules(rules::RulesFlags),
    /// Write a stored run as text, JSON, Markdown, CSV, HTML and more
    #[command(after_help = brief(report::EXAMPLES), after_long_help = report::EXAMPLES)]
    Report(report::ReportFlags),
    /// A quick look at drives without load, for monitoring and schedulers: health, link, last verdict
    #[command(after_help = brief(check::EXAMPLES), after_long_help = check::EXAMPLES)]
    Check(check::CheckFlags),
    /// Hold stored runs against the first of them: better, worse, or cannot tell
    #[command(after_help = brief(compare::EXAMPLES), after_long_help = compare::EXAMPLES, mut_args = compare::in_help)]
    Compare(compare::CompareFlags),
    /// List, show, find, name, export, import and remove stored runs
    #[command(after_help = brief(runs::flags::RUNS_EXAMPLES), after_long_help = runs::flags::RUNS_EXAMPLES)]
    Runs {
        #[command(subcommand)]
        action: runs::flags::RunsAction,
    },
    /// Prove whether an acknowledged write survives a power cut: the witness, on another machine
    #[command(after_help = powercut::flags::EXAMPLES)]
    Powercut {
        #[command(subcommand)]
        action: powercut::flags::PowercutAction,
    },
    /// Measure many machines the same way, through Slurm, SSH or processes here
    #[command(after_help = fleet::EXAMPLES)]
    Fleet {
        #[command(subcommand)]
        action: fleet::FleetAction,
    },
    /// Take NVMe drives from the kernel for ioproof's own driver (--backend polled), give them back, and purge drives
    #[command(after_help = device::EXAMPLES)]
    Device {
        #[command(subcommand)]
        action: device::DeviceAction,
    },
    /// Print what completes verbs and flags in a shell
    #[command(after_help = completions::EXAMPLES)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages into a folder
    #[command(hide = true)]
    Manual {
        /// The folder
        folder: std::path::PathBuf,
    },
    /// List, show and check datasheets
    #[command(after_help = datasheet::EXAMPLES)]
    Datasheet {
        #[command(subcommand)]
        action: datasheet::DatasheetAction,
    },
}

/// The command line, for completions and manual pages.
fn line() -> clap::Command {
    let bare = clap::Command::new("ioproof").about("Proves what a drive really does").version(env!("CARGO_PKG_VERSION"));
    Verb::augment_subcommands(bare)
}

pub fn run(verb: Verb) -> Result<u8> {
    if !matches!(
        verb,
        Verb::List(_) | Verb::Completions { .. } | Verb::Manual { .. } | Verb::Audit(_) | Verb::Rules(_) | Verb::Datasheet { .. }
    ) {
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
        Verb::Audit(args) => audit::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Rules(args) => rules::run(&args),
        Verb::Report(args) => report::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Compare(args) => compare::run(&args),
        Verb::Runs { action } => runs::run(&action),
        Verb::Powercut { action } => powercut::run(&action),
        Verb::Completions { shell } => completions::run(shell, line()),
        Verb::Manual { folder } => completions::manual(&folder, line()),
        Verb::Fleet { action } => fleet::run(&action),
        Verb::Device { action } => device::run(&action),
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
