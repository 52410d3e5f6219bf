//! `ioproof rules`: every rule by which ioproof explains a figure, doubts it or takes it away, with what it looks at.

use super::columns::columns;
use crate::cli::Rules;
use crate::complaint::complaint;
use crate::output::{self, print_json};
use anyhow::Result;
use ioproof_core::{findings, method};
use ioproof_pages::doctor;
use serde::Serialize;

/// A rule as it is shown.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    looks_at: &'static str,
    about: &'static str,
    /// True where it can be what limits a number.
    limits: bool,
}

/// The document of `rules --json`.
#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    rules: &'a [Row],
}

/// Runs the verb.
///
/// # Errors
/// When no rule has the word in it.
pub fn run(args: &Rules) -> Result<u8> {
    let word = args.word.as_deref().unwrap_or_default();
    let rows: Vec<Row> = all().filter(|row| row.name.contains(word) || row.about.contains(word)).collect();
    if rows.is_empty() {
        return Err(complaint(format!("no rule has `{word}` in its name or sentence"), "`ioproof rules` lists all"));
    }
    if args.json {
        print_json(&Document { schema_version: super::SCHEMA_VERSION, rules: &rows })?;
    } else {
        let cells: Vec<[String; 3]> = rows.iter().map(|row| [row.looks_at.to_owned(), row.name.to_owned(), row.about.to_owned()]).collect();
        output::print_lines(columns(&cells, None))?;
    }
    Ok(0)
}

/// Rules over what was measured, over a load before it runs, over fio's language and over the host; each table in its own order. Those over a drive's health
/// say how it is and not what a figure is worth.
fn all() -> impl Iterator<Item = Row> {
    let figures = findings::RULES.iter().map(|rule| Row { name: rule.name, looks_at: "figures", about: rule.about, limits: rule.limits() });
    let methods = method::rules().map(|rule| Row { name: rule.name, looks_at: "method", about: rule.about, limits: false });
    let language = ioproof_fio::audit::rules().map(|rule| Row { name: rule.name, looks_at: "job file", about: rule.about, limits: false });
    let hosts = doctor::RULES.iter().map(|rule| Row { name: rule.name, looks_at: "host", about: rule.about, limits: false });
    figures.chain(methods).chain(language).chain(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_says_what_it_looks_for() {
        assert!(all().count() > 90);
        assert!(all().all(|row| !row.name.is_empty() && row.about.len() > 10 && !row.about.ends_with('.')));
    }
}
