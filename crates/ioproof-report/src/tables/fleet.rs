//! A fleet as a tidy table: a row for each figure of each drive; a drive without figures has one row. Some drives at a time, so that memory does not grow with all.

use super::columns::{self, Column};
use super::line::{Figure, Line};
use super::{Cell, Content};
use crate::fleet::FleetReport;
use ioproof_core::fleet::{DriveFigure, DriveRun, Group};
use std::collections::HashMap;

/// Drives of one piece.
const DRIVES: usize = 2000;

/// Medians of a drive's group, by name and metric of the figure.
type Medians<'a> = HashMap<(&'a str, &'a str), f64>;

impl<'a> FleetReport<'a> {
    pub(crate) fn columns(&self) -> Vec<Column> {
        columns::fleet(self.day.is_none())
    }

    /// The table in pieces, at least one.
    pub(crate) fn contents(&self) -> impl Iterator<Item = Content> {
        let faults = self.faults();
        let medians =
            |group: &'a Group| group.figures.iter().map(|figure| ((figure.name.as_str(), figure.metric.name()), figure.median)).collect();
        let groups = self.fleet.groups.iter().map(|group| ((group.model.as_str(), group.capacity_bytes), medians(group)));
        let groups: HashMap<(&str, u64), Medians> = groups.collect();
        let pieces = self.runs.len().div_ceil(DRIVES).max(1);
        (0..pieces).map(move |piece| {
            let columns = self.columns();
            let first = piece * DRIVES;
            let runs = self.runs.iter().enumerate().skip(first).take(DRIVES).filter(|(_, run)| self.day.is_none_or(|day| run.day() == day));
            let rows = runs.flat_map(|(at, run)| {
                let medians = groups.get(&(run.model.as_str(), run.capacity_bytes));
                rows(&columns, run, faults.get(&at).map_or("", String::as_str), medians, self.day.is_none())
            });
            let rows = rows.collect();
            Content { columns, rows }
        })
    }

    /// Kinds of faults of each drive that has any.
    fn faults(&self) -> HashMap<usize, String> {
        let words =
            |drive: &ioproof_core::fleet::FaultyDrive| drive.faults.iter().map(|fault| fault.kind.title()).collect::<Vec<_>>().join("; ");
        self.fleet.faulty.iter().map(|drive| (drive.run, words(drive))).collect()
    }
}

fn rows(columns: &[Column], run: &DriveRun, faults: &str, medians: Option<&Medians>, has_day: bool) -> Vec<Vec<Cell>> {
    let line = of_run(columns, run, faults);
    let line = if has_day { line.text("day", run.day()) } else { line };
    if run.figures.is_empty() {
        return vec![line.into_cells()];
    }
    let median = |figure: &DriveFigure| medians.and_then(|medians| medians.get(&(figure.name.as_str(), figure.metric.name()))).copied();
    run.figures.iter().map(|figure| of_figure(line.clone(), figure, median(figure)).into_cells()).collect()
}

fn of_run<'a>(columns: &'a [Column], run: &DriveRun, faults: &str) -> Line<'a> {
    let link = run.link.as_ref();
    Line::new(columns)
        .text("node", &run.node)
        .text("run_id", &run.run_id)
        .text("run_status", run.broken.as_deref().unwrap_or("complete"))
        .text("started_at", &run.started_at)
        .text("version", &run.program_version)
        .text("model", &run.model)
        .text("firmware", &run.firmware)
        .text("serial", run.name())
        .count("capacity_bytes", run.capacity_bytes)
        .text("link", &link.map(|link| ioproof_core::text::visible(&link.title)).unwrap_or_default())
        .optional("link_bytes_per_s", link.map(|link| link.limit_bytes_per_s))
        .optional("link_capable_bytes_per_s", link.and_then(|link| link.capable_bytes_per_s))
        .optional("used_percent", run.used_percent)
        .text("health", &run.health)
        .count("exit_status", run.exit_status)
        .text("faults", faults)
}

fn of_figure<'a>(line: Line<'a>, figure: &DriveFigure, median: Option<f64>) -> Line<'a> {
    let name = Figure {
        metric: figure.metric.name(),
        statistic: figure.statistic.map_or("", |statistic| statistic.title()),
        unit: figure.metric.unit(),
    };
    let value = figure.measured.map(|measured| measured.median);
    let line = line.text("workload", &figure.name).figure(name, value);
    let line = match figure.measured {
        Some(measured) if measured.runs > 1 => line.number("low", measured.low).number("high", measured.high).count("runs", measured.runs),
        Some(measured) => line.count("runs", measured.runs),
        None => line,
    };
    line.optional("claimed", figure.claimed)
        .optional("match", figure.matched.map(|matched| matched.share))
        .text("verdict", figure.verdict.map_or("", |verdict| verdict.title()))
        .text("doubt", &figure.doubts.join("; "))
        .optional("median", median)
        .optional("share_of_median", value.zip(median).map(|(value, median)| value / median))
}
