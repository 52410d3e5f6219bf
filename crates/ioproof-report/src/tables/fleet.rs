//! A fleet as a tidy table: a row for each figure of each drive; a drive without figures has one row. Some drives at a time, so that memory does not grow with all.

use super::columns::{self, Column};
use super::line::Line;
use super::{Content, results};
use crate::fleet::FleetReport;
use ioproof_core::claim::Statistic;
use ioproof_core::fleet::{DriveFigure, DriveRun, FaultyDrive, Group};
use ioproof_core::text::visible;
use ioproof_core::verdict::Verdict;
use std::collections::HashMap;

/// Drives of one piece.
const DRIVES: usize = 2000;

/// Medians of a drive's group, by name and metric of the figure.
type Medians<'a> = HashMap<(&'a str, &'a str), f64>;

impl<'a> FleetReport<'a> {
    /// The table in pieces, at least one.
    pub(crate) fn contents(&self) -> impl Iterator<Item = Content> {
        let faults = self.faults();
        let medians =
            |group: &'a Group| group.figures.iter().map(|figure| ((figure.name.as_str(), figure.metric.name()), figure.median)).collect();
        let groups = self.fleet.groups.iter().map(|group| ((group.model.as_str(), group.capacity_bytes), medians(group)));
        let groups: HashMap<(&str, u64), Medians> = groups.collect();
        let pieces = self.runs.len().div_ceil(DRIVES).max(1);
        (0..pieces).map(move |piece| {
            let columns = columns::fleet(self.day.is_none());
            let first = piece * DRIVES;
            let runs = self.runs.iter().enumerate().skip(first).take(DRIVES).filter(|(_, run)| self.day.is_none_or(|day| run.day() == day));
            let rows = runs.flat_map(|(at, run)| {
                let medians = groups.get(&(run.model.as_str(), run.capacity_bytes));
                let median = |figure: &DriveFigure| medians?.get(&(figure.name.as_str(), figure.metric.name())).copied();
                let line = of_run(&columns, run, faults.get(&at).map_or("", String::as_str));
                let line = if self.day.is_none() { line.put("day", run.day()) } else { line };
                let rows: Vec<_> = run.figures.iter().map(|figure| of_figure(line.clone(), figure, median(figure)).into_cells()).collect();
                if rows.is_empty() { vec![line.into_cells()] } else { rows }
            });
            let rows = rows.collect();
            Content { columns, rows }
        })
    }

    /// Kinds of faults of each drive that has any.
    fn faults(&self) -> HashMap<usize, String> {
        let words = |drive: &FaultyDrive| drive.faults.iter().map(|fault| fault.kind.title()).collect::<Vec<_>>().join("; ");
        self.fleet.faulty.iter().map(|drive| (drive.run, words(drive))).collect()
    }
}

fn of_run<'a>(columns: &'a [Column], run: &DriveRun, faults: &str) -> Line<'a> {
    let link = run.link.as_ref();
    Line::new(columns)
        .put("node", run.node.as_str())
        .put("run_id", run.run_id.as_str())
        .put("run_status", run.broken.as_deref().unwrap_or("complete"))
        .put("started_at", run.started_at.as_str())
        .put("version", run.program_version.as_str())
        .put("model", run.model.as_str())
        .put("firmware", run.firmware.as_str())
        .put("serial", run.name())
        .put("capacity_bytes", run.capacity_bytes)
        .put("link", link.map(|link| visible(&link.title)))
        .put("link_bytes_per_s", link.map(|link| link.limit_bytes_per_s))
        .put("link_capable_bytes_per_s", link.and_then(|link| link.capable_bytes_per_s))
        .put("used_percent", run.used_percent)
        .put("health", run.health.as_str())
        .put("exit_status", u32::from(run.exit_status))
        .put("faults", faults)
}

fn of_figure<'a>(line: Line<'a>, figure: &DriveFigure, median: Option<f64>) -> Line<'a> {
    let name = results::figure(figure.metric, figure.statistic.map_or("", Statistic::title));
    let value = figure.measured.map(|measured| measured.median);
    let ends = figure.measured.filter(|measured| measured.runs > 1);
    line.put("workload", figure.name.as_str())
        .figure(name, value)
        .put("low", ends.map(|measured| measured.low))
        .put("high", ends.map(|measured| measured.high))
        .put("runs", figure.measured.map(|measured| measured.runs))
        .put("claimed", figure.claimed)
        .put("match", figure.matched.map(|matched| matched.share))
        .put("verdict", figure.verdict.map(Verdict::title))
        .put("doubt", figure.doubts.join("; "))
        .put("median", median)
        .put("share_of_median", value.zip(median).map(|(value, median)| value / median))
}
