//! Results: the judgement's rows, and what results of other kinds have beyond them.

use super::Lines;
use super::line::Line;
use crate::view::{Conditions, ReasonView, RowView, View, each_once};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::layers::{PoolShare, PoolWay};
use ioproof_core::results::{Column, Figure, OF_ROUNDS, ResultRow, ResultTable, Tidy};
use ioproof_core::syncs::{GoalResult, Way};
use ioproof_core::text::visible;
use ioproof_core::verdict::Verdict;

/// All completions over all measured time.
const OVERALL: &str = "overall";

pub(super) fn lines<'a>(lines: &Lines<'a>) -> Vec<Line<'a>> {
    let (view, judgement) = (lines.view, lines.view.judgement);
    let rows = view.rows.iter().flat_map(|row| of_row(lines, row));
    let results = view.results.iter().flat_map(|results| of_results(lines, results));
    let limits = judgement.results.syncs.iter().flat_map(|syncs| syncs.goals.iter().map(|limit| of_limit(lines, limit, &syncs.ways)));
    let pools = judgement.results.layers.iter().flat_map(|layers| &layers.pool).map(|share| of_pool(lines, share));
    let found: Vec<Line> = rows.chain(results).chain(limits).chain(pools).collect();
    // Whoever reads this table alone learns from a row without a figure why there is none.
    if found.is_empty() { vec![lines.of_job(None)] } else { found }
}

pub(super) fn figure(metric: Metric, statistic: &'static str) -> Tidy {
    Tidy { metric: metric.name(), statistic, unit: metric.unit() }
}

fn of_row<'a>(lines: &Lines<'a>, row: &RowView) -> Vec<Line<'a>> {
    let start = lines.of_job(row.job).conditions(&row.conditions).put("doubt", doubts([row]).join("; "));
    let statistic = row.statistic.map_or(OF_ROUNDS, Statistic::title);
    let averaged = row.averaged.map(|average| start.clone().figure(figure(row.metric, OVERALL), Some(average)));
    let line = start
        .estimate(figure(row.metric, statistic), row.measured.as_ref())
        .put("claimed", row.claimed)
        .put("threshold", row.claimed.map(|_| lines.view.judgement.threshold))
        .put("match", row.matched.map(|m| m.share))
        .put("match_low", row.matched.map(|m| m.low))
        .put("match_high", row.matched.map(|m| m.high))
        .put("verdict", row.verdict.map(Verdict::title))
        .put("reasons", row.sentences().join("; "))
        .put("limited_by", row.limited_by.as_str())
        .put("claim", row.claim.as_str())
        .put("curve", curve(lines.view, row.job));
    std::iter::once(line).chain(averaged).collect()
}

/// Figures that no row of the judgement has.
fn of_results<'a>(lines: &Lines<'a>, results: &ResultTable) -> Vec<Line<'a>> {
    let of_row = |row: &ResultRow| -> Vec<Line<'a>> {
        let start = weighed(lines, row.job).put("targets", row.target.as_str()).put("curve", row.note.as_str());
        let start = match &row.workload {
            Some(workload) => start.conditions(&Conditions::new(workload)),
            None => start.put("workload", row.title.as_str()),
        };
        let cell = |(column, figure): (&Column, &Figure)| {
            let (name, start) = (column.tidy.filter(|tidy| !is_told(lines.view, row, tidy))?, start.clone());
            match figure {
                Figure::Number(number) => Some(start.figure(name, Some(*number))),
                Figure::Estimate(estimate) => Some(start.estimate(name, Some(estimate))),
                Figure::None | Figure::Text(_) => None,
            }
        };
        results.columns.iter().zip(&row.figures).filter_map(cell).collect()
    };
    results.rows.iter().flat_map(of_row).collect()
}

/// Reads through a filesystem against those of its drives, before it was made on them.
fn of_pool<'a>(lines: &Lines<'a>, share: &PoolShare) -> Line<'a> {
    let statistic = match share.way {
        PoolWay::OneDrive => "of one drive alone",
        PoolWay::AddedUp => "of each alone, added up",
        PoolWay::AtOnce => "of all at once",
    };
    let figure = Tidy { metric: "share_of_drives", statistic, unit: "" };
    weighed(lines, Some(share.job)).figure(figure, Some(share.share)).put("low", share.low).put("high", share.high)
}

/// A limit on the syncs of a program, and its answer.
fn of_limit<'a>(lines: &Lines<'a>, limit: &GoalResult, ways: &[Way]) -> Line<'a> {
    let goal = &limit.goal;
    let job = ways.iter().find(|way| way.workload == goal.workload).map(|way| way.job);
    let sync = Tidy { metric: "sync_latency", statistic: goal.statistic.title(), unit: "ns" };
    lines
        .of_job(job)
        .conditions(&Conditions::new(&goal.workload))
        .put("doubt", doubts(rows_of(lines.view, job)).join("; "))
        .figure(sync, limit.measured_ns.map(|ns| ns as f64))
        .put("claimed", goal.most_ns as f64)
        .put("verdict", limit.verdict.title())
        .put("reasons", visible(&limit.bearing()))
        .put("claim", visible(&format!("{}: {}", goal.name, goal.source)))
}

fn rows_of<'v>(view: &'v View, job: Option<u32>) -> impl Iterator<Item = &'v RowView<'v>> {
    view.rows.iter().filter(move |row| row.job.is_some() && row.job == job)
}

/// A line of a job with the doubts and reasons of all its rows: what takes weight from one figure of its rounds takes it from every other of them.
fn weighed<'a>(lines: &Lines<'a>, job: Option<u32>) -> Line<'a> {
    let bearing = rows_of(lines.view, job).flat_map(|row| &row.reasons).filter(|reason| !reason.effect_text().is_empty());
    let reasons = each_once(bearing.map(ReasonView::sentence)).join("; ");
    lines.of_job(job).put("doubt", doubts(rows_of(lines.view, job)).join("; ")).put("reasons", reasons)
}

/// The ways in which the reasons of rows take weight from their figures, each once.
fn doubts<'v>(rows: impl IntoIterator<Item = &'v RowView<'v>>) -> Vec<&'static str> {
    let effects = rows.into_iter().flat_map(|row| &row.reasons).map(|reason| reason.effect_text());
    each_once(effects.filter(|effect| !effect.is_empty()))
}

/// The words of a cell's place on its curve: `knee`, `ceiling`.
fn curve<'v>(view: &'v View, job: Option<u32>) -> Option<&'v str> {
    let mut rows = view.results.iter().flat_map(|results| &results.rows);
    rows.find(|row| row.job.is_some() && row.job == job).map(|row| row.note.as_str())
}

/// True where a row of the judgement has the figure.
fn is_told(view: &View, of: &ResultRow, tidy: &Tidy) -> bool {
    let id = of.workload.as_ref().map(|workload| Conditions::new(workload).id);
    let is_its = |known: &&RowView| known.job == of.job && Some(&known.conditions.id) == id.as_ref() && known.measured.is_some();
    let is_same = |known: &RowView| known.metric.name() == tidy.metric && known.statistic.is_none_or(|of| of == Statistic::Mean);
    view.rows.iter().filter(is_its).any(is_same)
}
