//! `cargo xtask corpus`: files that other people wrote, read by ioproof and by the program that they were written for.
//!
//! Nothing here is a test: a corpus lies outside of the tree, and what it shows is a table.

mod fio;
mod told;

use crate::Verb;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub const VERB: Verb = Verb {
    name: "corpus",
    usage: "fio|paste|audit DIR",
    about: "files that other people wrote in a folder: fio's job files, outputs about drives, published measurements, read by ioproof",
    help: include_str!("corpus/README.md"),
    run: main,
};

fn main(args: &[String]) -> Result<ExitCode> {
    let [kind, folder] = args else { bail!("usage: cargo xtask corpus {}", VERB.usage) };
    let folder = std::fs::canonicalize(folder).with_context(|| format!("there is no folder {folder}"))?;
    let text = match kind.as_str() {
        "fio" => fio::table(&folder)?,
        "paste" => told::table(&folder, &told::PASTE)?,
        "audit" => told::table(&folder, &told::AUDIT)?,
        _ => bail!("usage: cargo xtask corpus {}", VERB.usage),
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
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
    ensure!(!found.is_empty(), "{} has no such files", folder.display());
    Ok(found)
}

/// Each text with how often it is there, the most frequent first.
fn frequent<T: Ord>(texts: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    rows
}
