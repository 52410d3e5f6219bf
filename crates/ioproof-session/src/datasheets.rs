//! All datasheets: those in the program and the user's own.

use anyhow::{Context, Result};
use ioproof_core::claim::Datasheet;
use ioproof_core::datasheet::{Catalogue, Problem, parse_beside};
use ioproof_core::text::shell_word;
use ioproof_process::complaint::{complaint, describe};
use ioproof_process::{folders, messages};
use std::path::{Path, PathBuf};

/// No datasheet is larger. Bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The catalogue. A user's file with mistakes is left out, with its problems told.
pub fn catalogue() -> Catalogue {
    let own = own_files().into_iter().filter_map(|file| match check(&file) {
        Ok(Ok(datasheet)) => Some(datasheet),
        Ok(Err(problems)) => left_out(&file, &lines(&problems)),
        Err(e) => left_out(&file, &describe(&e)),
    });
    Catalogue::shipped().with_user(own.collect::<Vec<_>>())
}

fn left_out(file: &Path, why: &str) -> Option<Datasheet> {
    let mut why = why.lines();
    messages::warning(&format!("left out {}: {}", file.display(), why.next().unwrap_or_default()));
    why.for_each(messages::say);
    None
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

pub fn own_files() -> Vec<PathBuf> {
    let entries = folders::datasheets().and_then(|f| std::fs::read_dir(f).ok()).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

pub fn find(name: &str) -> Result<Datasheet> {
    if name.ends_with(".toml") || name.contains('/') {
        return read(Path::new(name));
    }
    let catalogue = catalogue();
    catalogue.find_by_name(name).cloned().ok_or_else(|| {
        let near: Vec<&str> = catalogue.iter().map(|d| d.name.as_str()).filter(|n| n.contains(name) || name.contains(*n)).collect();
        let hint =
            if near.is_empty() { "`ioproof datasheet list` shows them".to_owned() } else { format!("did you mean {}?", near.join(", ")) };
        complaint(format!("there is no datasheet `{name}`"), hint)
    })
}

/// Reads one file.
///
/// # Errors
/// When it cannot be read or has mistakes; the message has the first of them.
pub fn read(path: &Path) -> Result<Datasheet> {
    let all = || format!("`ioproof datasheet check {}` shows each on a line of its own", shell_word(&path.to_string_lossy()));
    check(path)?.map_err(|problems| complaint(in_one_line(&problems), all()))
}

/// The first problems in the one line that an error has, each with its hint in parentheses.
fn in_one_line(problems: &[Problem]) -> String {
    const MOST: usize = 5;
    let without_hint = |problem: &Problem| Problem { hint: None, ..problem.clone() }.to_string();
    let hint = |problem: &Problem| problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    let told = problems.iter().take(MOST).map(|problem| without_hint(problem) + &hint(problem));
    let more = problems.len().checked_sub(MOST).filter(|more| *more > 0).map(|more| format!("{more} more"));
    told.chain(more).collect::<Vec<_>>().join("; ")
}

/// Reads one file and gives it or what is wrong with it.
pub fn check(path: &Path) -> Result<Result<Datasheet, Vec<Problem>>> {
    check_beside(path, &Catalogue::default())
}

/// Reads one file that is to stand beside others, whose models it may not share.
pub fn check_beside(path: &Path, others: &Catalogue) -> Result<Result<Datasheet, Vec<Problem>>> {
    let bytes = ioproof_target::read_input(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8(bytes).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(parse_beside(&path.to_string_lossy(), &text, others))
}
