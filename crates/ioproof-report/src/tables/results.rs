//! Results: the judgement's rows, and of a sweep what its cells have beyond them.

use super::Lines;
use super::line::{Figure, Line};
use crate::view::{Conditions, GoalView, LayerView, LineView, MatrixRow, ReasonView, RowView, View, WorkloadView};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::layers::{PoolShare, PoolWay};
use ioproof_core::stats::Estimate;
use ioproof_core::syncs::Way;
use ioproof_core::text::visible;
use ioproof_core::together::Rates;

/// The statistic of a rate: each round has one, and the value is their median.
const OF_ROUNDS: &str = "median of rounds";
/// All completions over all measured time.
const OVERALL: &str = "overall";

pub(super) fn lines<'a>(lines: &Lines<'a>, view: &View) -> Vec<Line<'a>> {
    let rows = view.rows.iter().flat_map(|row| of_row(lines, view, row));
    let cells = view.matrices.iter().flat_map(|matrix| &matrix.rows).flat_map(|cell| of_cell(lines, view, cell));
    let ways = view.syncs.iter().flat_map(|syncs| &syncs.ways).flat_map(|way| of_way(lines, view, way));
    let limits = view.syncs.iter().flat_map(|syncs| &syncs.judged).map(|limit| of_limit(lines, view, limit));
    let layers = view.layers.iter().flat_map(|layers| &layers.rows).flat_map(|layer| of_layer(lines, view, layer));
    let pools = view.layers.iter().flat_map(|layers| &layers.pool).map(|share| of_pool(lines, view, share));
    let at_once = view.together.iter().flat_map(|together| &together.workloads).flat_map(|workload| of_several(lines, view, workload));
    let found: Vec<Line> = rows.chain(cells).chain(ways).chain(limits).chain(layers).chain(pools).chain(at_once).collect();
    // Whoever reads this table alone learns from a row without a figure why there is none.
    if found.is_empty() { vec![lines.of_job(view, None)] } else { found }
}

pub(super) fn figure<'a>(metric: Metric, statistic: &'a str) -> Figure<'a> {
    Figure { metric: metric.name(), statistic, unit: metric.unit() }
}

fn of_row<'a>(lines: &Lines<'a>, view: &View, row: &RowView) -> Vec<Line<'a>> {
    let start = || lines.of_job(view, row.job).conditions(&row.conditions);
    let statistic = row.statistic.map_or(OF_ROUNDS, Statistic::title);
    let reasons: Vec<String> = row.reasons.iter().map(|reason| reason.sentence()).collect();
    let line = start()
        .estimate(figure(row.metric, statistic), row.measured.as_ref())
        .optional("claimed", row.claimed)
        .optional("threshold", row.claimed.map(|_| view.threshold))
        .optional("match", row.matched.map(|m| m.share))
        .optional("match_low", row.matched.map(|m| m.low))
        .optional("match_high", row.matched.map(|m| m.high))
        .text("verdict", row.verdict.map_or("", |verdict| verdict.title()))
        .text("doubt", &doubts([row]).join("; "))
        .text("reasons", &reasons.join("; "))
        .text("limited_by", &row.limited_by)
        .text("claim", &row.claim)
        .text("curve", curve(view, row.job).unwrap_or_default());
    let averaged =
        row.averaged.map(|average| start().figure(figure(row.metric, OVERALL), Some(average)).text("doubt", &doubts([row]).join("; ")));
    [Some(line), averaged].into_iter().flatten().collect()
}

/// Commits of a way of making writes durable, and what of them reached the drive.
fn of_way<'a>(lines: &Lines<'a>, view: &View, way: &Way) -> Vec<Line<'a>> {
    let start = || weighed(lines.of_job(view, Some(way.job)), view, Some(way.job)).conditions(&Conditions::new(&way.workload));
    let commits = Figure { metric: "commits", statistic: OF_ROUNDS, unit: "1/s" };
    let flushes = Figure { metric: "flushes_per_commit", statistic: OF_ROUNDS, unit: "" };
    let commits = way.commits_per_s.as_ref().map(|rate| start().estimate(commits, Some(rate)));
    let flushes = way.flushes_per_commit.map(|count| start().figure(flushes, Some(count)));
    [commits, flushes].into_iter().flatten().collect()
}

/// Figures of a layer that no row of the judgement has.
fn of_layer<'a>(lines: &Lines<'a>, view: &View, layer: &LayerView) -> Vec<Line<'a>> {
    let row = &layer.row;
    let start = || weighed(lines.of_job(view, row.job), view, row.job).text("targets", &layer.target).text("workload", &layer.title);
    let of = |metric, unit| Figure { metric, statistic: OF_ROUNDS, unit };
    let transactions = row.database.map(|_| row.per_s);
    let figures = [
        (of("transactions", "1/s"), transactions),
        (of("commits", "1/s"), row.commits_per_s),
        (of("share_of_layer_below", ""), row.share),
        (of("flushes_per_commit", ""), row.flushes_per_commit),
        (of("drive_bytes_per_commit", "B"), row.drive_bytes_per_commit),
        (of("drive_bytes_per_byte", ""), row.drive_bytes_per_byte),
        (of("cpu_time_of_each", "ns"), row.cpu_ns_each),
    ];
    figures.into_iter().filter_map(|(figure, estimate)| Some(start().estimate(figure, Some(&estimate?)))).collect()
}

/// Reads through a filesystem against those of its drives, before it was made on them.
fn of_pool<'a>(lines: &Lines<'a>, view: &View, share: &PoolShare) -> Line<'a> {
    let statistic = match share.way {
        PoolWay::OneDrive => "of one drive alone",
        PoolWay::AddedUp => "of each alone, added up",
        PoolWay::AtOnce => "of all at once",
    };
    let figure = Figure { metric: "share_of_drives", statistic, unit: "" };
    let line = weighed(lines.of_job(view, Some(share.job)), view, Some(share.job)).figure(figure, Some(share.share));
    line.number("low", share.low).number("high", share.high)
}

/// Rates of targets at once, and of all of them also those of each alone, added up.
fn of_several<'a>(lines: &Lines<'a>, view: &View, workload: &WorkloadView) -> Vec<Line<'a>> {
    let share = Figure { metric: "share_at_once", statistic: OF_ROUNDS, unit: "" };
    let of_line = |line: &LineView| {
        let start = || weighed(lines.of_job(view, line.job), view, line.job).text("workload", &workload.title);
        let rate = |statistic, rates: Rates| start().estimate(figure(workload.metric, statistic), Some(&rates.by(workload.metric)));
        let apart = line.job.is_none().then(|| rate("each alone, added up", line.alone));
        apart.into_iter().chain([rate("all at once", line.together), start().estimate(share, Some(&line.share))]).collect::<Vec<_>>()
    };
    workload.lines.iter().flat_map(of_line).collect()
}

/// A limit on the syncs of a program, and its answer.
fn of_limit<'a>(lines: &Lines<'a>, view: &View, limit: &GoalView) -> Line<'a> {
    let goal = &limit.result.goal;
    let sync = Figure { metric: "sync_latency", statistic: goal.statistic.title(), unit: "ns" };
    let doubt = weighing(view, limit.job).0;
    lines
        .of_job(view, limit.job)
        .conditions(&Conditions::new(&goal.workload))
        .text("doubt", &doubt)
        .figure(sync, limit.result.measured_ns.map(|ns| ns as f64))
        .number("claimed", goal.most_ns as f64)
        .text("verdict", limit.result.verdict.title())
        .text("reasons", &limit.reasons)
        .text("claim", &visible(&format!("{}: {}", goal.name, goal.source)))
}

/// The doubts and reasons of all rows of a job: what takes weight from one figure of its rounds takes it from every other of them.
fn weighing(view: &View, job: Option<u32>) -> (String, String) {
    let of_job: Vec<&RowView> = view.rows.iter().filter(|row| row.job.is_some() && row.job == job).collect();
    let mut reasons: Vec<String> = Vec::new();
    let bearing = of_job.iter().flat_map(|row| &row.reasons).filter(|reason| !reason.effect_text().is_empty());
    for sentence in bearing.map(ReasonView::sentence) {
        if !reasons.contains(&sentence) {
            reasons.push(sentence);
        }
    }
    (doubts(of_job).join("; "), reasons.join("; "))
}

/// A line with them.
fn weighed<'a>(line: Line<'a>, view: &View, job: Option<u32>) -> Line<'a> {
    let (doubt, reasons) = weighing(view, job);
    line.text("doubt", &doubt).text("reasons", &reasons)
}

/// The ways in which the reasons of rows take weight from their figures, each once.
fn doubts<'v>(rows: impl IntoIterator<Item = &'v RowView>) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for effect in rows.into_iter().flat_map(|row| &row.reasons).map(|reason| reason.effect_text()) {
        if !effect.is_empty() && !found.contains(&effect) {
            found.push(effect);
        }
    }
    found
}

/// The words of a cell's place on its curve: `knee`, `ceiling`.
fn curve(view: &View, job: Option<u32>) -> Option<&str> {
    let mut cells = view.matrices.iter().flat_map(|matrix| &matrix.rows);
    cells.find(|cell| Some(cell.cell.job) == job).map(|cell| cell.note.as_str())
}

/// The figures that no row of the judgement has.
fn of_cell<'a>(lines: &Lines<'a>, view: &View, row: &MatrixRow) -> Vec<Line<'a>> {
    let cell = &row.cell;
    let conditions = Conditions::new(&cell.workload);
    let is_told = |metric: Metric| {
        let is_its = |known: &&RowView| known.job == Some(cell.job) && known.conditions.id == conditions.id;
        let is_it = |known: &&RowView| is_its(known) && known.metric == metric && known.measured.is_some();
        view.rows.iter().find(is_it).is_some_and(|known| known.statistic.is_none_or(|statistic| statistic == Statistic::Mean))
    };
    let (doubt, _) = weighing(view, Some(cell.job));
    let start = || lines.of_job(view, Some(cell.job)).conditions(&conditions).text("curve", &row.note).text("doubt", &doubt);
    let all: [(Metric, &str, &Estimate); 3] = [
        (Metric::Iops, OF_ROUNDS, &cell.iops),
        (Metric::Throughput, OF_ROUNDS, &cell.bytes_per_s),
        (Metric::Latency, Statistic::Mean.title(), &cell.latency_ns),
    ];
    let further = all.into_iter().filter(|(metric, ..)| !is_told(*metric));
    let mut found: Vec<Line> =
        further.map(|(metric, statistic, estimate)| start().estimate(figure(metric, statistic), Some(estimate))).collect();
    let cpu = Figure { metric: "cpu_time_per_io", statistic: "mean", unit: "ns" };
    found.extend(cell.cpu_ns_per_io.map(|ns| start().figure(cpu, Some(ns))));
    found
}
