//! Ways of making writes durable on two drives side by side: commits of each with their ratio, the time of a sync, and the flushes that reached the drive. The
//! answers, with intervals, stand with the figures.

use super::view::letter;
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::compare::{Durable, Row};
use ioproof_core::syncs::title as way_title;
use ioproof_core::units::{block_size, latency, rate};
use ioproof_core::workload::{Durability, Workload};

/// A table of them.
pub(crate) struct Ways {
    /// Words that all ways share: `Durable writes side by side (random, 16 KiB, 16 writers)`.
    pub caption: String,
    /// `way`, then a column each.
    pub columns: Vec<String>,
    /// A cell for each column.
    pub lines: Vec<Vec<String>>,
}

/// Those that both the first run and this one measured; none where there is none, as in runs of other verbs.
pub(super) fn ways(rows: &[Row], run: usize) -> Option<Ways> {
    if rows.iter().any(|row| row.layer.is_some()) {
        return super::layers::layers(rows, run);
    }
    let has_both = |row: &&Row| [0, run].iter().all(|at| row.measured[*at].is_some());
    let rates: Vec<&Row> = rows.iter().filter(|row| is_rate(row, rows)).filter(has_both).collect();
    let titles: Vec<Vec<String>> = rates.iter().map(|row| title(&row.workload)).collect();
    let shared = shared(&titles);
    let own = |title: &[String]| title.iter().filter(|word| !shared.contains(word)).cloned().collect::<Vec<_>>().join(", ");
    let lines = rates.iter().zip(&titles).map(|(row, title)| line(rows, row, run, own(title))).collect();
    let of_all = if shared.is_empty() { String::new() } else { format!(" ({})", shared.join(", ")) };
    let caption = format!("Durable writes side by side{of_all}");
    rows.iter().any(|row| row.durable.is_some()).then(|| Ways { caption, columns: columns(run), lines })
}

/// The words behind the first that every way has; of a single way none.
fn shared(titles: &[Vec<String>]) -> Vec<String> {
    let Some((first, others)) = titles.split_first().filter(|(_, others)| !others.is_empty()) else { return Vec::new() };
    first.iter().skip(1).filter(|word| others.iter().all(|title| title[1..].contains(word))).cloned().collect()
}

fn columns(run: usize) -> Vec<String> {
    let both = |name: &str| [0, run].map(|at| format!("{} {name}", letter(at)));
    let [first, this] = both("commits/s");
    let ratio = format!("{}/{}", letter(run), letter(0));
    ["way".to_owned(), first, this, ratio].into_iter().chain(both("sync p50")).chain(both("flushes")).collect()
}

/// The commits of a way; where nothing is made durable its writes, or with reads among them its I/Os.
fn is_rate(row: &Row, rows: &[Row]) -> bool {
    let has_commits = || rows.iter().any(|other| other.durable == Some(Durable::Commits) && is_same(other, row));
    row.durable == Some(Durable::Commits) || row.durable.is_none() && row.metric == Metric::Iops && !has_commits()
}

fn is_same(one: &Row, other: &Row) -> bool {
    (&one.name, &one.workload) == (&other.name, &other.workload)
}

fn line(rows: &[Row], row: &Row, run: usize, title: String) -> Vec<String> {
    let median = |of: &Row, at: usize| of.measured[at].map(|estimate| estimate.median);
    let is_sync = |other: &&Row| (other.durable, other.statistic) == (Some(Durable::Sync), Some(Statistic::P50)) && is_same(other, row);
    let sync = rows.iter().find(is_sync);
    let of = |at: usize| {
        let flushes = row.flushes_per_commit.get(at).copied().flatten();
        let cells = [median(row, at).map(rate), sync.and_then(|sync| median(sync, at)).map(latency), flushes.map(|n| format!("{n:.2}"))];
        cells.map(|cell| cell.unwrap_or_else(|| "-".to_owned()))
    };
    let ([first, first_sync, first_flushes], [this, this_sync, this_flushes]) = (of(0), of(run));
    vec![title, first, this, ratio(row, run), first_sync, this_sync, first_flushes, this_flushes]
}

/// The figure of a run for that of the first.
pub(super) fn ratio(row: &Row, run: usize) -> String {
    let median = |at: usize| row.measured[at].map(|estimate| estimate.median);
    let ratio = median(run).zip(median(0)).filter(|(_, first)| *first > 0.0);
    ratio.map_or_else(|| "-".to_owned(), |(this, first)| format!("{:.2}", this / first))
}

/// `fdatasync`, `4 KiB`, `16 writers`.
fn title(workload: &Workload) -> Vec<String> {
    let what = if workload.durability != Durability::None {
        ""
    } else if workload.read_percent > 0 {
        " (I/Os)"
    } else {
        " (writes)"
    };
    let mut words: Vec<String> = way_title(workload).split(", ").map(str::to_owned).collect();
    words[0] += what;
    words.push(block_size(workload.block_bytes.into()));
    words.push(if workload.workers == 1 { "1 writer".into() } else { format!("{} writers", workload.workers) });
    words
}
