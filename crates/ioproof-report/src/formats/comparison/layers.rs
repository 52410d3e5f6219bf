//! Layers of two runs side by side: the rate of each with its ratio, its share of the layer below, and the flushes and bytes of each commit. The answers, with intervals,
//! stand with the figures.

use super::view::letter;
use super::ways::{Ways, ratio};
use ioproof_core::claim::Metric;
use ioproof_core::compare::Row;
use ioproof_core::text::visible;
use ioproof_core::units::{percent, rate, three_digits};

/// The layers that both the first run and this one measured; none where there is none.
pub(super) fn layers(rows: &[Row], run: usize) -> Option<Ways> {
    let has_both = |row: &&Row| [0, run].iter().all(|at| row.measured[*at].is_some());
    let lines: Vec<Vec<String>> =
        rows.iter().filter(|row| row.metric != Metric::Latency).filter(has_both).map(|row| line(row, run)).collect();
    (!lines.is_empty()).then(|| Ways { caption: "Layers side by side".into(), columns: columns(run), lines })
}

fn columns(run: usize) -> Vec<String> {
    let both = |name: &str| [0, run].map(|at| format!("{} {name}", letter(at)));
    let [first, this] = both("each second");
    let ratio = format!("{}/{}", letter(run), letter(0));
    let beside = ["of layer below", "flushes", "KiB"].into_iter().flat_map(both);
    ["layer".to_owned(), first, this, ratio].into_iter().chain(beside).collect()
}

fn line(row: &Row, run: usize) -> Vec<String> {
    let both = |cell: &dyn Fn(usize) -> Option<String>| [0, run].map(|at| cell(at).unwrap_or_else(|| "-".to_owned()));
    let beside = |all: &[Option<f64>], at: usize| all.get(at).copied().flatten();
    let [first, this] = both(&|at| row.measured[at].map(|estimate| rate(estimate.median)));
    let shares = both(&|at| row.shares.get(at).copied().flatten().map(|share| percent(share.median)));
    let flushes = both(&|at| beside(&row.flushes_per_commit, at).map(|n| format!("{n:.2}")));
    let bytes = both(&|at| beside(&row.drive_bytes_per_commit, at).map(|bytes| three_digits(bytes / 1024.0)));
    let cells = [shares, flushes, bytes].into_iter().flatten();
    [visible(&row.title()), first, this, ratio(row, run)].into_iter().chain(cells).collect()
}
