//! Ways of making writes durable, or layers, of two runs side by side: the rate of each with its ratio, and what of it reached the drive. The answers, with
//! intervals, stand with the figures.

use super::words::letter;
use super::{Durable, Row};
use crate::claim::{Metric, Statistic};
use crate::results::{Column, Figure, Part, ResultRow, ResultTable, Unit, column};
use crate::syncs::title as way_title;
use crate::text::visible;
use crate::units::{block_size, percent};
use crate::workload::{Durability, Workload};

/// Durable writes or layers that both runs measured, side by side. `None` for other verbs.
pub(super) fn beside(rows: &[Row], run: usize) -> Option<ResultTable> {
    let has_both = |row: &&Row| [0, run].iter().all(|at| row.measured[*at].is_some());
    if rows.iter().any(|row| row.layer.is_some()) {
        let of = |row: &Row| vec![visible(&row.title()).into()].into_iter().chain(of_layer(row, run)).collect();
        let figures: Vec<Vec<Figure>> = rows.iter().filter(|row| row.metric != Metric::Latency).filter(has_both).map(of).collect();
        let figures = Some(figures).filter(|all| !all.is_empty())?;
        return Some(table("Layers side by side".into(), columns("layer", run, &LAYER), figures));
    }
    let rates: Vec<&Row> = rows.iter().filter(|row| is_rate(row, rows)).filter(has_both).collect();
    let titles: Vec<Vec<String>> = rates.iter().map(|row| title(&row.workload)).collect();
    let shared = shared(&titles);
    let own = |title: &[String]| title.iter().filter(|word| !shared.contains(word)).cloned().collect::<Vec<_>>().join(", ");
    let of = |(row, title): (&&Row, &Vec<String>)| vec![own(title).into()].into_iter().chain(of_way(rows, row, run)).collect();
    let figures = rates.iter().zip(&titles).map(of).collect();
    let of_all = if shared.is_empty() { String::new() } else { format!(" ({})", shared.join(", ")) };
    let caption = format!("Durable writes side by side{of_all}");
    rows.iter().any(|row| row.durable.is_some()).then(|| table(caption, columns("way", run, &WAY), figures))
}

const WAY: [(&str, Unit); 3] = [("commits/s", Unit::PerSecond), ("sync p50", Unit::Time), ("flushes", Unit::PerOne)];
const LAYER: [(&str, Unit); 4] =
    [("each second", Unit::PerSecond), ("of layer below", Unit::Text), ("flushes", Unit::PerOne), ("KiB", Unit::Kib)];

/// The name, then each figure of both runs; the ratio stands behind the first.
fn columns(name: &str, run: usize, figures: &[(&str, Unit)]) -> Vec<Column> {
    let both = |(name, unit): &(&str, Unit)| [0, run].map(|at| column(format!("{} {name}", letter(at)), "", *unit));
    let mut columns: Vec<Column> = std::iter::once(column(name, "", Unit::Text)).chain(figures.iter().flat_map(both)).collect();
    columns.insert(3, column(format!("{}/{}", letter(run), letter(0)), "", Unit::PerOne));
    columns
}

/// In a narrow terminal the columns behind the ratio go, the last one first.
fn table(caption: String, columns: Vec<Column>, figures: Vec<Vec<Figure>>) -> ResultTable {
    let part = Part {
        caption,
        columns: (0..columns.len()).collect(),
        first_to_go: (4..columns.len()).rev().collect(),
        rows: 0..figures.len(),
        ..Part::default()
    };
    let rows = figures.into_iter().map(|figures| ResultRow { figures, ..ResultRow::default() }).collect();
    ResultTable { columns, rows, parts: vec![part], ..ResultTable::default() }
}

fn median(row: &Row, run: usize) -> Option<f64> {
    row.measured[run].map(|estimate| estimate.median)
}

/// The rate of both runs, with that of this run for that of the first.
fn rates(row: &Row, run: usize) -> [Figure; 3] {
    let ratio = median(row, run).zip(median(row, 0)).filter(|(_, first)| *first > 0.0).map(|(this, first)| this / first);
    [median(row, 0).into(), median(row, run).into(), ratio.into()]
}

/// A figure of both runs that stands beside the rate.
fn both(all: &[Option<f64>], run: usize) -> [Figure; 2] {
    [0, run].map(|at| all.get(at).copied().flatten().into())
}

fn of_layer(row: &Row, run: usize) -> impl Iterator<Item = Figure> {
    let shares = [0, run].map(|at| row.shares.get(at).copied().flatten().map(|share| percent(share.median)).into());
    let behind = [shares, both(&row.flushes_per_commit, run), both(&row.drive_bytes_per_commit, run)];
    rates(row, run).into_iter().chain(behind.into_iter().flatten())
}

fn of_way(rows: &[Row], row: &Row, run: usize) -> impl Iterator<Item = Figure> {
    let is_sync = |other: &&Row| (other.durable, other.statistic) == (Some(Durable::Sync), Some(Statistic::P50)) && is_same(other, row);
    let sync = rows.iter().find(is_sync);
    let syncs = [0, run].map(|at| sync.and_then(|sync| median(sync, at)).into());
    rates(row, run).into_iter().chain(syncs).chain(both(&row.flushes_per_commit, run))
}

/// The words behind the first that every way has; of a single way none.
fn shared(titles: &[Vec<String>]) -> Vec<String> {
    let Some((first, others)) = titles.split_first().filter(|(_, others)| !others.is_empty()) else { return Vec::new() };
    first.iter().skip(1).filter(|word| others.iter().all(|title| title[1..].contains(word))).cloned().collect()
}

/// The commits of a way; where nothing is made durable its writes, or with reads among them its I/Os.
fn is_rate(row: &Row, rows: &[Row]) -> bool {
    let has_commits = || rows.iter().any(|other| other.durable == Some(Durable::Commits) && is_same(other, row));
    row.durable == Some(Durable::Commits) || row.durable.is_none() && row.metric == Metric::Iops && !has_commits()
}

fn is_same(one: &Row, other: &Row) -> bool {
    (&one.name, &one.workload) == (&other.name, &other.workload)
}

/// `fdatasync`, `4 KiB`, `16 writers`.
fn title(workload: &Workload) -> Vec<String> {
    let what = match workload.durability {
        Durability::None if workload.read_percent > 0 => " (I/Os)",
        Durability::None => " (writes)",
        _ => "",
    };
    let mut words: Vec<String> = way_title(workload).split(", ").map(str::to_owned).collect();
    words[0] += what;
    words.push(block_size(workload.block_bytes.into()));
    words.push(if workload.workers == 1 { "1 writer".into() } else { format!("{} writers", workload.workers) });
    words
}
