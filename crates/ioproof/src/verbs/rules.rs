//! `ioproof rules`: every rule by which ioproof explains a figure, doubts it or takes it away, with what it looks at; and the page of one of them.

mod pages;

use crate::columns::columns;
use anyhow::Result;
use clap::Args;
use ioproof_core::{findings, method};
use ioproof_pages::doctor;
use ioproof_process::complaint::complaint;
use ioproof_process::output;
use serde::Serialize;

pub const EXAMPLES: &str = "Examples:
  ioproof rules                           every rule, by what it looks at
  ioproof rules page-cache                one of them, as findings name it, explained
  ioproof rules cpu                       all whose name or sentence has this in it";

/// Flags of `rules`.
#[derive(Debug, Args)]
pub struct RulesFlags {
    /// A rule by its name, which is explained; else only rules whose name or sentence has this in it
    #[arg(value_name = "WORD")]
    pub word: Option<String>,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct RuleRow {
    name: &'static str,
    looks_at: &'static str,
    about: &'static str,
    /// True where it can be what limits a number.
    limits: bool,
    /// Its page in docs/rules, where it was asked for by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'static str>,
}

/// Runs the verb.
///
/// # Errors
/// When no rule has the word in it.
pub fn run(args: &RulesFlags) -> Result<u8> {
    let word = args.word.as_deref().unwrap_or_default();
    let rows = asked_for(word);
    if rows.is_empty() {
        return Err(complaint(format!("no rule has `{word}` in its name or sentence"), "`ioproof rules` lists all"));
    }
    if args.json {
        output::print_field("rules", &rows)?;
    } else if let Some(page) = rows.iter().find_map(|row| row.page) {
        output::print(page)?;
    } else {
        let cells: Vec<[String; 3]> = rows.iter().map(|row| [row.looks_at.to_owned(), row.name.to_owned(), row.about.to_owned()]).collect();
        output::print_lines(columns(&cells, None))?;
    }
    Ok(0)
}

/// The rule of this name with its page, else all that have the word in their name or sentence.
fn asked_for(word: &str) -> Vec<RuleRow> {
    match all().find(|row| row.name == word) {
        Some(row) => vec![RuleRow { page: pages::page_of(word), ..row }],
        None => all().filter(|row| row.name.contains(word) || row.about.contains(word)).collect(),
    }
}

/// Rules over what was measured, over a load before it runs, over fio's language and over the host; each table in its own order. Those over a drive's health
/// say how it is and not what a figure is worth.
fn all() -> impl Iterator<Item = RuleRow> {
    let row = |looks_at, name, about| RuleRow { name, looks_at, about, limits: false, page: None };
    let figures = findings::RULES.iter().map(move |rule| RuleRow { limits: rule.limits(), ..row("figures", rule.name, rule.about) });
    let methods = method::rules().map(move |rule| row("method", rule.name, rule.about));
    let language = ioproof_fio::audit::rules().map(move |rule| row("job file", rule.name, rule.about));
    let hosts = doctor::RULES.iter().map(move |rule| row("host", rule.name, rule.about));
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

    #[test]
    fn a_name_gives_its_page_and_any_other_word_a_list() {
        let named = asked_for("steal");
        assert_eq!((named.len(), named[0].name), (1, "steal"), "other rules have the word in their name or sentence");
        assert!(named[0].page.is_some_and(|page| page.starts_with("# steal\n")));
        let listed = asked_for("page-cach");
        assert!(!listed.is_empty() && listed.iter().all(|row| row.page.is_none()));
        assert_eq!(asked_for("").len(), all().count());
    }
}
