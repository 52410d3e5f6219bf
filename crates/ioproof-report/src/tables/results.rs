//! Results: the judgement's rows, and what results of other kinds have beyond them.

use super::Lines;
use super::line::{Figure, Line};
use crate::view::{Conditions, ReasonView, RowView, View};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::layers::{PoolShare, PoolWay};
use ioproof_core::results::{self, Column, OF_ROUNDS, ResultRow, ResultTable, Tidy};
use ioproof_core::syncs::{GoalResult, Way};
use ioproof_core::text::visible;

/// All completions over all measured time.
const OVERALL: &str = "overall";

pub(super) fn lines<'a>(lines: &Lines<'a>, view: &View) -> Vec<Line<'a>> {
    let rows = view.rows.iter().flat_map(|row| of_row(lines, view, row));
    let results = view.results.iter().flat_map(|results| of_results(lines, view, results));
    let limits = lines.judgement.syncs.iter().flat_map(|syncs| syncs.goals.iter().map(|limit| of_limit(lines, view, limit, &syncs.ways)));
    let pools = lines.judgement.layers.iter().flat_map(|layers| &layers.pool).map(|share| of_pool(lines, view, share));
    let found: Vec<Line> = rows.chain(results).chain(limits).chain(pools).collect();
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

/// Figures that no row of the judgement has.
fn of_results<'a>(lines: &Lines<'a>, view: &View, results: &ResultTable) -> Vec<Line<'a>> {
    let of_row = |row: &ResultRow| -> Vec<Line<'a>> {
        let start = weighed(lines.of_job(view, row.job), view, row.job).text("targets", &row.target).text("curve", &row.note);
        let start = match &row.workload {
            Some(workload) => start.conditions(&Conditions::new(workload)),
            None => start.text("workload", &row.title),
        };
        let cell = |(column, figure): (&Column, &results::Figure)| {
            let Tidy { metric, statistic, unit } = column.tidy.filter(|tidy| !is_told(view, row, tidy))?;
            let (name, start) = (Figure { metric, statistic, unit }, start.clone());
            match figure {
                results::Figure::Number(number) => Some(start.figure(name, Some(*number))),
                results::Figure::Estimate(estimate) => Some(start.estimate(name, Some(estimate))),
                results::Figure::None | results::Figure::Text(_) => None,
            }
        };
        results.columns.iter().zip(&row.figures).filter_map(cell).collect()
    };
    results.rows.iter().flat_map(of_row).collect()
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

/// A limit on the syncs of a program, and its answer.
fn of_limit<'a>(lines: &Lines<'a>, view: &View, limit: &GoalResult, ways: &[Way]) -> Line<'a> {
    let goal = &limit.goal;
    let job = ways.iter().find(|way| way.workload == goal.workload).map(|way| way.job);
    let sync = Figure { metric: "sync_latency", statistic: goal.statistic.title(), unit: "ns" };
    let doubt = weighing(view, job).0;
    lines
        .of_job(view, job)
        .conditions(&Conditions::new(&goal.workload))
        .text("doubt", &doubt)
        .figure(sync, limit.measured_ns.map(|ns| ns as f64))
        .number("claimed", goal.most_ns as f64)
        .text("verdict", limit.verdict.title())
        .text("reasons", &visible(&limit.bearing()))
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
