//! `cargo xtask causes`: known causes of bad numbers are made, and ioproof is asked what it thinks of the numbers.
//!
//! `causes/README.md` says how to add a cause. A row says what is true and is written without a look at ioproof's rules.

mod cause;
mod grade;
mod made;
mod matrix;
mod meddling;
mod said;
mod scene;
mod served;
mod table;
mod trial;

use crate::{Verb, command, debian, kept};
use anyhow::{Result, bail, ensure};
use cause::Cause;
use grade::Grade;
use matrix::{Row, Told};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

pub const VERB: Verb = Verb {
    name: "causes",
    usage: "[--full] [--short] [FILTER]",
    about: "known causes of bad numbers, and what ioproof says of them",
    help: include_str!("causes/README.md"),
    run: main,
};

/// The causes of the short form: each is told by what is there, not by how fast it is.
const SHORT: &str = "sparse-loop cached-loop errors faults-errors layers-data-journal layers-compressed
    layers-fsync-off control-layers-ext4 control-null control-stored";

/// Times: of a measurement where the row names none, and of waiting for a quiet host, which is then taken as it is.
type Patience = (&'static str, Duration);

const PATIENCE: Patience = ("9s", Duration::from_secs(10));
const PATIENCE_SHORT: Patience = ("2s", Duration::from_secs(1));

#[derive(Default)]
struct Options {
    full: bool,
    short: bool,
    filter: String,
}

pub struct Setting {
    patience: Patience,
    folder: PathBuf,
    program: PathBuf,
}

fn main(args: &[String]) -> Result<ExitCode> {
    let mut options = Options::default();
    for word in args {
        match word.as_str() {
            "--full" => options.full = true,
            "--short" => options.short = true,
            flag if flag.starts_with('-') => bail!("usage: cargo xtask causes {}", VERB.usage),
            filter => filter.clone_into(&mut options.filter),
        }
    }
    debian::ensure(&debian::LOOP_PACKAGES.iter().collect::<Vec<_>>())?;
    if let Some(reason) = obstacle() {
        bail!("causes cannot be made: {reason}");
    }
    let wanted = wanted(&options);
    ensure!(!wanted.is_empty(), "there is no cause `{}`", options.filter);
    let rows = try_all(&wanted, &options)?;
    println!("\n{}", matrix::counts(&rows));
    if options.full && !options.short && options.filter.is_empty() {
        std::fs::write(crate::workspace_root().join("docs/causes.md"), matrix::page(&rows))?;
    }
    let made = rows.iter().all(|row| !matches!(row.told, Told::Failed(_)));
    Ok(if made { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A few causes and controls, whose answers must be right, as a step of `cargo xtask test`.
pub fn short_form() -> Result<()> {
    if let Some(reason) = obstacle() {
        return command::leave_out("causes", &reason);
    }
    let options = Options { short: true, ..Options::default() };
    let rows = try_all(&wanted(&options), &options)?;
    let is_wrong = |row: &&Row| match &row.told {
        Told::Tried(trial) => trial.graded.grade != Grade::Right,
        Told::Without(_) => false,
        Told::Failed(_) => true,
    };
    let wrong: Vec<&str> = rows.iter().filter(is_wrong).map(|row| row.cause.name).collect();
    let left_out = rows.iter().filter(|row| matches!(row.told, Told::Without(_))).count();
    ensure!(!command::is_ci() || left_out == 0, "CI must try the causes, and {left_out} of them cannot be made here");
    ensure!(wrong.is_empty(), "not answered rightly: {}; hint: cargo xtask causes {}", wrong.join(", "), wrong[0]);
    Ok(())
}

fn wanted(options: &Options) -> Vec<&'static Cause> {
    let is_wanted = |cause: &&Cause| {
        cause.name.contains(&options.filter) && (!options.short || SHORT.split_whitespace().any(|name| name == cause.name))
    };
    table::all().filter(is_wanted).collect()
}

fn obstacle() -> Option<String> {
    debian::obstacle(&debian::LOOP_PACKAGES.iter().collect::<Vec<_>>(), true)
}

/// Tries one after another, since they would disturb each other, and prints each as soon as it is told.
fn try_all<'a>(causes: &[&'a Cause], options: &Options) -> Result<Vec<Row<'a>>> {
    let folder = kept::fresh_folder("causes", |dead| {
        let process = dead.file_name().unwrap_or_default().to_string_lossy().parse().unwrap_or(0);
        meddling::sweep(&scene::group_name(process));
        let _ = std::fs::remove_dir_all(dead);
    })?;
    let program = kept::program(&folder, options.full)?;
    let setting = Setting { patience: if options.short { PATIENCE_SHORT } else { PATIENCE }, folder, program };
    let tried = |cause: &'a Cause| {
        let tried = || trial::run(cause, &setting).map_or_else(|error| Told::Failed(format!("{error:#}")), Told::Tried);
        let row = Row { cause, told: trial::obstacle(cause).map_or_else(tried, Told::Without) };
        println!("{}", matrix::line(&row));
        row
    };
    let rows = causes.iter().map(|cause| tried(cause)).collect();
    let _ = std::fs::remove_dir_all(&setting.folder);
    Ok(rows)
}
