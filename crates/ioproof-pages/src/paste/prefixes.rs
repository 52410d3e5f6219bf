//! Reads outputs whose lines stand behind the prefix of a log, and those of a patch.
//!
//! A prefix is taken off where nothing of the run was read with it, and the rest is an output with several facts.
//! Other lines of the log are passed over. Where two programs wrote at once, each is read by itself.

use super::error::PasteError;
use super::reader;
use super::text::lines::PastedLine;
use super::text::prefixed::{self, PrefixedRun};
use crate::field::Page;
use std::collections::HashSet;

/// Lines before a run that may begin its output, such as a command.
const CONTEXT_LINES: usize = 3;
/// Facts by which the rest of the lines is known as an output.
const FACTS_MIN: usize = 2;
/// Most lines that are read to try a prefix; a text that somebody made up may have any number of runs.
const TRIED_LINES_MAX: usize = 60_000;

type ReadPages = (Vec<Page>, Option<PasteError>);

/// The pages of the lines without their prefixes; those that were read with them where there are no others.
pub(super) fn read(lines: &[PastedLine], found: ReadPages) -> ReadPages {
    if matches!(found.1, Some(PasteError::TooMany { .. })) {
        return found;
    }
    let known: HashSet<usize> = found.0.iter().flat_map(|page| &page.fields).flat_map(|field| numbers(&field.source)).collect();
    let runs = proven(lines, &known, found.0.is_empty());
    if runs.is_empty() {
        return found;
    }
    let (own, asides) = without_prefixes(lines, &runs, &known);
    let (mut pages, mut barren) = reader::pages(&own);
    for aside in asides {
        let (more, error) = reader::pages(&aside);
        pages.extend(more);
        barren = barren.or(error);
    }
    let facts = |pages: &[Page]| pages.iter().map(|page| page.fields.len()).sum::<usize>();
    if facts(&pages) > facts(&found.0) { (pages, barren) } else { found }
}

/// The lines that a source names: `smartctl, lines 5 and 7`.
fn numbers(source: &str) -> impl Iterator<Item = usize> {
    let place = source.rsplit_once(", line").map_or("", |(_, place)| place.trim_start_matches('s'));
    place.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok())
}

/// Runs that are outputs without their beginnings, no line in two.
fn proven(lines: &[PastedLine], known: &HashSet<usize>, is_nothing_known: bool) -> Vec<PrefixedRun> {
    let mut tried = 0;
    let mut proven: Vec<(usize, PrefixedRun)> = Vec::new();
    let is_free = |at: usize| !known.contains(&lines[at].number);
    prefixed::each_run(lines, is_free, |run| {
        // The strings of a list may be part of an object that was read.
        let is_part = run.is_quoted && !is_nothing_known;
        let facts = if is_part { 0 } else { facts(lines, &run, TRIED_LINES_MAX - tried) };
        tried += if is_part { 0 } else { run.at.len() + CONTEXT_LINES };
        if facts >= FACTS_MIN {
            proven.push((facts, run));
        }
        tried < TRIED_LINES_MAX
    });
    proven.sort_by_key(|(facts, run)| std::cmp::Reverse((*facts, run.at.len())));
    let mut taken: HashSet<usize> = HashSet::new();
    proven.retain(|(_, run)| {
        let is_free = !run.at.iter().any(|at| taken.contains(at));
        taken.extend(run.at.iter().filter(|_| is_free));
        is_free
    });
    proven.sort_by_key(|(_, run)| run.at[0]);
    proven.into_iter().map(|(_, run)| run).collect()
}

/// Facts in the rests of so many lines.
fn facts(lines: &[PastedLine], run: &PrefixedRun, most: usize) -> usize {
    let first = run.at[0];
    let mut tried = lines[first.saturating_sub(CONTEXT_LINES)..first].to_vec();
    let begins = lines[first].number;
    tried.extend(run.plain.iter().take(most).filter(|line| !line.text.is_empty()).cloned());
    let (pages, _) = reader::pages(&tried);
    let own = |source: &str| numbers(source).any(|number| number >= begins);
    pages.iter().flat_map(|page| &page.fields).filter(|field| field.key != "device_name" && own(&field.source)).count()
}

/// The text with the runs in their places, and texts that are read by themselves: runs within others, and lines between those
/// of a run that were read before.
fn without_prefixes(lines: &[PastedLine], runs: &[PrefixedRun], known: &HashSet<usize>) -> (Vec<PastedLine>, Vec<Vec<PastedLine>>) {
    let taken: HashSet<usize> = runs.iter().flat_map(|run| run.at.iter().copied()).collect();
    let mut asides: Vec<Vec<PastedLine>> = Vec::new();
    let mut own = Vec::new();
    let mut at = 0;
    for run in runs {
        let (first, last) = (run.at[0], run.at[run.at.len() - 1]);
        if first < at {
            asides.push(filled(&run.plain));
            continue;
        }
        own.extend((at..first).filter(|line| !taken.contains(line)).map(|line| lines[line].clone()));
        let mut within = Vec::new();
        let mut plain = run.at.iter().zip(&run.plain).peekable();
        let mut all = Vec::new();
        for (between, line) in lines.iter().enumerate().take(last + 1).skip(first) {
            if let Some((_, line)) = plain.next_if(|(next, _)| **next == between) {
                all.push(line.clone());
            } else if known.contains(&line.number) {
                within.push(line.clone());
            } else if !taken.contains(&between) && !prefixed::is_log(&line.text, &lines[first].text) {
                all.push(line.clone());
            }
        }
        own.extend(filled(&all));
        if !within.is_empty() {
            asides.push(within);
        }
        at = last + 1;
    }
    own.extend((at..lines.len()).filter(|line| !taken.contains(line)).map(|line| lines[line].clone()));
    (own, asides)
}

/// Without the empty lines.
fn filled(lines: &[PastedLine]) -> Vec<PastedLine> {
    let mut after_gap = false;
    let mut found = Vec::with_capacity(lines.len());
    for line in lines {
        if line.text.is_empty() {
            after_gap = true;
        } else {
            found.push(PastedLine { after_gap: line.after_gap || std::mem::take(&mut after_gap), ..line.clone() });
        }
    }
    found
}
