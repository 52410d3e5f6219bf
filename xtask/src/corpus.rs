//! `cargo xtask corpus`: files that other people wrote, read by ioproof and by the program that they were written for.
//!
//! Nothing here is a test: a corpus lies outside of the tree, and what it shows is a table.

mod cut;
mod fio;
mod jobfile;
mod ran;
mod table;

use crate::debian::{self, Package};
use crate::{Verb, command, kept};
use anyhow::{Context, Result, bail};
use std::process::ExitCode;

pub const VERB: Verb = Verb {
    name: "corpus",
    usage: "fio DIR [--run]",
    about: "fio's job files in a folder, read by fio and by ioproof; what is read otherwise",
    help: "
Builds ioproof, looks for job files in DIR and below it (*.fio, and files with sections and options of fio), and has fio and ioproof read each of them
(--parse-only; --showcmd where both accept it). No job is run without --run, no file or device is opened for I/O. Prints

    how many files both accept, neither, fio only, ioproof only
    how many of those that both accept are shown as the same command line
    the reasons of ioproof where fio alone accepts, and of fio where ioproof alone does or none, each with the number of its files and one file
    of command lines that differ the first word that does, likewise

--run   runs what both accept, cut small: options that shape the load stay, files are a few MiB in a fresh folder, times, rates, places
        and programs go. Prints where one ends with zero and the other does not, and where the numbers of I/Os differ.

Variables of job files (${SIZE}) are those of the environment, the same for both. An unset one is empty. Ends with 0 whatever the table says.
",
    run: main,
};

const FIO: Package = Package { name: "fio", provides: "fio", why: "to read the job files as it does" };

fn main(args: &[String]) -> Result<ExitCode> {
    let (kind, folder, runs) = match args {
        [kind, folder] => (kind, folder, false),
        [kind, folder, run] if run == "--run" => (kind, folder, true),
        _ => bail!("usage: cargo xtask corpus {}", VERB.usage),
    };
    if kind != "fio" {
        bail!("there is no corpus `{kind}`; usage: cargo xtask corpus {}", VERB.usage);
    }
    if !debian::ensure(&[&FIO])?.is_empty() {
        bail!("fio is missing");
    }
    let folder = std::fs::canonicalize(folder).with_context(|| format!("there is no folder {folder}"))?;
    let files = jobfile::find(&folder)?;
    if files.is_empty() {
        bail!("{} has no job files", folder.display());
    }
    let program = command::ioproof(false)?;
    let empty = kept::fresh_folder("corpus", |left| drop(std::fs::remove_dir_all(left)))?;
    let all = fio::read_all(&program, &files, &empty)?;
    print!("{}", table::table(&folder, &all));
    if runs {
        let accepted: Vec<_> = all.iter().filter(|file| file.outcome.is_accepted_by_both()).map(|file| file.path.as_path()).collect();
        print!("{}", table::runs(&folder, &ran::run_all(&program, &accepted, &empty)?));
    }
    std::fs::remove_dir_all(&empty)?;
    Ok(ExitCode::SUCCESS)
}
