//! The answer to "is this drive worth it for the database?": its commits on both, the durable writes of both filesystems, and which of them makes the difference.

use super::super::{Against, Answer, Row, named};
use super::LayerRemark;
use crate::layers::LayerKind;
use crate::record::RunRecord;
use crate::units::three_digits;
use std::collections::BTreeSet;

/// The sentences on each run and the first, a database each.
pub(in super::super) fn says(rows: &[Row], records: &[&RunRecord]) -> Vec<LayerRemark> {
    let of_run = |run: usize| {
        let databases = rows.iter().filter(|row| row.is_of_database() && row.statistic.is_none());
        databases.filter_map(move |row| Some(LayerRemark { run, text: sentence(row, rows, records, run)? }))
    };
    (1..records.len()).flat_map(of_run).collect()
}

fn sentence(row: &Row, rows: &[Row], records: &[&RunRecord], run: usize) -> Option<String> {
    let against = against(row, run)?;
    let commits = if row.durable.is_some() { "commits" } else { "transactions" };
    let (here, there) = (place(records, run, run), place(records, 0, run));
    let name = format!("{commits} of {}", row.title());
    let told = match against.answer {
        Answer::CannotTell => format!("{name} {here} and {there} cannot be told apart{}", why(against)),
        _ => format!("{name} {here} are {} times those {there}", ratio(against)),
    };
    // A server whose files may lie anywhere has nothing below it that was measured.
    let is_apart = [0, run].iter().any(|at| records[*at].databases.iter().any(|of| of.apart().is_some()));
    let below = rows.iter().find(|below| !is_apart && is_below(below, row)).and_then(|below| self::against(below, run));
    let of_below = below.map_or_else(String::new, |below| of_below(row, against, below, has_one_version(records, run)));
    Some(format!("{told}{of_below}{}", doubts(against, below)))
}

/// True where these are the rates of the filesystem that the database is held against: durable writes for commits, reads for transactions that only read, of as many at a time.
fn is_below(below: &Row, row: &Row) -> bool {
    let kind = if row.durable.is_some() { LayerKind::FilesystemWrites } else { LayerKind::FilesystemReads };
    let is_as_many = below.workload.workers == row.workload.workers;
    is_as_many && below.statistic.is_none() && below.layer.as_ref().is_some_and(|layer| layer.kind == kind)
}

fn of_below(row: &Row, against: &Against, below: &Against, has_one_version: bool) -> String {
    let name = if row.durable.is_some() { "durable writes of the filesystem" } else { "reads of the file" };
    let told = match below.answer {
        Answer::CannotTell => format!("; {name} cannot be told apart{}", why(below)),
        _ => format!("; {name} {}", ratio(below)),
    };
    let meaning = match (against.answer, below.answer) {
        (Answer::CannotTell, Answer::CannotTell) => "",
        (Answer::CannotTell, _) => ": the database makes nothing of it that can be told",
        (_, Answer::CannotTell) => ": what makes the difference cannot be told",
        (one, other) if one == other && overlap(against, below) && has_one_version => {
            ": so what is below the database makes the difference, not the database"
        }
        (one, other) if one == other && overlap(against, below) => {
            ": the version of the database is another one, and may have its part in it"
        }
        _ => ": the database does not follow them in the same measure",
    };
    told + meaning
}

/// True where both may be one ratio.
fn overlap(one: &Against, other: &Against) -> bool {
    let (Some((low, high)), Some((other_low, other_high))) = (one.interval, other.interval) else { return false };
    low <= other_high && other_low <= high
}

/// `3.1 (2.84 to 3.41)`.
fn ratio(against: &Against) -> String {
    let of = |change: f64| three_digits(1.0 + change);
    let ends = against.interval.map_or_else(String::new, |(low, high)| format!(" ({} to {})", of(low), of(high)));
    of(against.change) + &ends
}

/// ` (fewer than six runs of each; 1.02 (0.97 to 1.08) times)`.
fn why(against: &Against) -> String {
    let why = against.why.map_or_else(String::new, |why| format!("{}; ", why.title()));
    format!(" ({why}{} times)", ratio(against))
}

fn doubts(against: &Against, below: Option<&Against>) -> String {
    let all: BTreeSet<&str> = against.doubts.iter().chain(below.iter().flat_map(|below| &below.doubts)).map(String::as_str).collect();
    if all.is_empty() { String::new() } else { format!(" (doubted: {})", all.into_iter().collect::<Vec<_>>().join(", ")) }
}

fn against(row: &Row, run: usize) -> Option<&Against> {
    row.against.get(run - 1)?.as_ref()
}

/// `on /mnt/data`, or where both are on a directory of one name, `in 20261206-101500-ab`.
fn place(records: &[&RunRecord], at: usize, other: usize) -> String {
    let directory = |at: usize| records[at].target().map(|target| named(&target.facts));
    let (own, first) = (directory(at), directory(if at == 0 { other } else { 0 }));
    own.filter(|own| Some(own) != first.as_ref()).map_or_else(|| format!("in {}", records[at].id), |own| format!("on {own}"))
}

fn has_one_version(records: &[&RunRecord], run: usize) -> bool {
    let versions = |record: &RunRecord| record.databases.iter().map(|of| (of.kind.title(), of.version.clone())).collect::<Vec<_>>();
    let first = versions(records[0]);
    versions(records[run]).iter().all(|own| first.contains(own))
}
