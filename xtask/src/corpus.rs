//! `cargo xtask corpus`: files that other people wrote, read by ioproof and by the program that they were written for.
//!
//! Nothing here is a test: a corpus lies outside of the tree, and what it shows is a table.

mod audit;
mod cut;
mod fio;
mod jobfile;
mod paste;
mod ran;
mod table;

use crate::debian::{self, Package};
use crate::{Verb, command, kept};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub const VERB: Verb = Verb {
    name: "corpus",
    usage: "fio|paste|audit DIR [--run]",
    about: "files that other people wrote in a folder: fio's job files, outputs about drives, published measurements, read by ioproof",
    help: "
fio: builds ioproof, looks for job files in DIR and below it (*.fio, and files with sections and options of fio), and has fio and ioproof read each of them
(--parse-only; --showcmd where both accept it). No job is run without --run, no file or device is opened for I/O. Prints

    how many files both accept, neither, fio only, ioproof only
    how many of those that both accept are shown as the same command line
    the reasons of ioproof where fio alone accepts, and of fio where ioproof alone does or none, each with the number of its files and one file
    of command lines that differ the first word that does, likewise

--run   runs what both accept, cut small: options that shape the load stay, files are a few MiB in a fresh folder, times, rates, places
        and programs go. Prints where one ends with zero and the other does not, and where the numbers of I/Os differ.

paste: builds ioproof and has `ioproof identify --from` read every file in DIR and below it. Prints

    how many files are recognised, and how many drives of each health
    each file with the facts of its drives, what speaks against them, and what is wrong with the text
    the lines that were not understood, by frequency

audit: builds ioproof and has `ioproof audit` read every file in DIR and below it. Prints

    how many files are recognised, and the measurements of each tool
    each file with what is said of it
    the lines that were not understood, by frequency

Variables of job files (${SIZE}) are those of the environment, the same for both. An unset one is empty. Ends with 0 whatever the table says.
",
    run: main,
};

const FIO: Package = Package { name: "fio", provides: "fio", why: "to read the job files as it does" };

fn main(args: &[String]) -> Result<ExitCode> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let text = match words[..] {
        ["fio", folder] => job_files(folder, false)?,
        ["fio", folder, "--run"] => job_files(folder, true)?,
        ["paste", folder] => {
            let (folder, files) = found(folder, |folder| files_below(folder, paste::MOST_BYTES, |_| true))?;
            let program = command::ioproof(false)?;
            let all: Vec<_> = files.into_iter().map(|file| paste::read(&program, file)).collect::<Result<_>>()?;
            paste::table(&folder, &all)
        }
        ["audit", folder] => {
            let (folder, files) = found(folder, |folder| files_below(folder, audit::MOST_BYTES, |_| true))?;
            let program = command::ioproof(false)?;
            let all: Vec<_> = files.into_iter().map(|file| audit::read(&program, file)).collect::<Result<_>>()?;
            audit::table(&folder, &all)
        }
        _ => bail!("usage: cargo xtask corpus {}", VERB.usage),
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

/// The folder, and the files in it, of which there must be some.
fn found(folder: &str, find: impl Fn(&Path) -> Result<Vec<PathBuf>>) -> Result<(PathBuf, Vec<PathBuf>)> {
    let folder = std::fs::canonicalize(folder).with_context(|| format!("there is no folder {folder}"))?;
    let files = find(&folder)?;
    if files.is_empty() {
        bail!("{} has no such files", folder.display());
    }
    Ok((folder, files))
}

/// The wanted files of a folder and below it that have at most so many bytes, sorted; links are not followed.
fn files_below(folder: &Path, most_bytes: u64, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && entry.metadata()?.len() <= most_bytes && is_wanted(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn job_files(folder: &str, runs: bool) -> Result<String> {
    if !debian::ensure(&[&FIO])?.is_empty() {
        bail!("fio is missing");
    }
    let (folder, files) = found(folder, jobfile::find)?;
    let program = command::ioproof(false)?;
    let empty = kept::fresh_folder("corpus", |left| drop(std::fs::remove_dir_all(left)))?;
    let all = fio::read_all(&program, &files, &empty)?;
    let mut text = table::table(&folder, &all);
    if runs {
        let accepted: Vec<_> = all.iter().filter(|file| file.outcome.is_accepted_by_both()).map(|file| file.path.as_path()).collect();
        text += &table::runs(&folder, &ran::run_all(&program, &accepted, &empty)?);
    }
    std::fs::remove_dir_all(&empty)?;
    Ok(text)
}
