//! A fleet as tables of results: faults, verdicts by model and firmware, figures with every drive as a dot, and all drives.

use super::drive::DriveRun;
use super::groups::{Group, GroupFigure};
use super::limit::share_below;
use super::{FaultyDrive, Fleet};
use crate::results::{Column, DotStrip, Figure, Part, ResultRow, ResultTable, StripDot, Unit, column, spark};
use crate::units::{decimal_size, percent};
use crate::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// The tables of a page; `all` adds those with a row for each drive.
pub fn tables(fleet: &Fleet, runs: &[DriveRun], all: bool) -> Vec<ResultTable> {
    let mut tables = vec![faults(fleet), verdicts(fleet, runs), figures(fleet, runs)];
    tables.extend(all.then(|| drives(fleet, runs)));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn row(figures: Vec<Figure>) -> ResultRow {
    ResultRow { figures, ..ResultRow::default() }
}

/// A table of one part, which shows the columns that have names for text.
fn table(id: &'static str, title: &str, row_name: &'static str, columns: Vec<Column>, rows: Vec<ResultRow>) -> ResultTable {
    let shown = (0..columns.len()).filter(|at| !columns[*at].name.is_empty()).collect();
    let part = Part { columns: shown, rows: 0..rows.len(), ..Part::default() };
    ResultTable { id, title: title.to_owned(), row_name, columns, rows, parts: vec![part], ..ResultTable::default() }
}

fn faults(fleet: &Fleet) -> ResultTable {
    let columns = vec![
        column("drive", "drive", Unit::Text),
        column("node", "node", Unit::Note),
        column("model", "model", Unit::Note),
        column("fault", "fault", Unit::Note),
        column("because", "because", Unit::Note),
    ];
    let of_drive = |drive: &FaultyDrive| {
        let each = drive.faults.iter().map(|fault| (fault.kind.title(), fault.text.clone())).collect::<Vec<_>>();
        let kinds: Vec<&str> = each.iter().map(|(kind, _)| *kind).collect();
        let texts: Vec<String> = each.iter().map(|(_, text)| text.clone()).collect();
        row(vec![
            drive.drive.clone().into(),
            drive.node.clone().into(),
            drive.model.clone().into(),
            kinds.join(", ").into(),
            texts.join("; ").into(),
        ])
    };
    let mut table = table("Faults", "Drives with a fault", "drive", columns, fleet.faulty.iter().map(of_drive).collect());
    table.parts[0].narrower = vec![vec![0, 1, 3, 4], vec![0, 1, 3]];
    table.parts[0].first_to_go = vec![2, 4, 3];
    table
}

/// Counts of drives of one model and firmware.
#[derive(Default)]
struct Counts {
    drives: u64,
    by_verdict: [u64; 4],
    faulty: u64,
}

/// Verdicts of drives, the worst of each first.
const VERDICTS: [Verdict; 4] = [Verdict::Misses, Verdict::CannotTell, Verdict::Meets, Verdict::Indicative];

fn verdicts(fleet: &Fleet, runs: &[DriveRun]) -> ResultTable {
    let columns = vec![
        column("model", "model", Unit::Text),
        column("size", "capacity (bytes)", Unit::Note),
        column("firmware", "firmware", Unit::Note),
        column("drives", "drives", Unit::Count),
        column("meet", "meet", Unit::Count),
        column("miss", "miss", Unit::Count),
        column("cannot tell", "cannot tell", Unit::Count),
        column("no verdict", "no verdict", Unit::Count),
        column("at fault", "at fault", Unit::Count),
    ];
    let faulty: BTreeSet<usize> = fleet.faulty.iter().map(|drive| drive.run).collect();
    let mut counts: BTreeMap<(&str, u64, &str), Counts> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        let count = counts.entry((&run.model, run.capacity_bytes, &run.firmware)).or_default();
        count.drives += 1;
        count.faulty += u64::from(faulty.contains(&at));
        let worst = VERDICTS.iter().position(|verdict| run.with_verdict(*verdict).next().is_some());
        count.by_verdict[worst.unwrap_or(3)] += 1;
    }
    let of_counts = |((model, capacity_bytes, firmware), counts): ((&str, u64, &str), Counts)| {
        let [miss, open, meet, none] = counts.by_verdict;
        let numbers = [counts.drives, meet, miss, open, none, counts.faulty].map(Figure::from);
        let names = [
            model.into(),
            decimal_size(capacity_bytes).into(),
            Figure::Text(if firmware.is_empty() { "-".into() } else { firmware.into() }),
        ];
        row(names.into_iter().chain(numbers).collect())
    };
    let mut table = table("Verdicts", "Verdicts by model and firmware", "model", columns, counts.into_iter().map(of_counts).collect());
    table.legend = "A drive misses where one of its claims is missed, else cannot be told where one cannot, else meets where one is met.";
    table.parts[0].first_to_go = vec![7, 1, 6];
    table
}

fn figures(fleet: &Fleet, runs: &[DriveRun]) -> ResultTable {
    let columns = vec![
        column("figure", "figure", Unit::Text),
        column("", "model", Unit::Note),
        column("drives", "drives", Unit::Count),
        column("median", "median", Unit::Text),
        column("slowest", "slowest", Unit::Text),
        column("fastest", "fastest", Unit::Text),
        column("slow below", "slow below", Unit::Text),
        column("spread, slow to fast", "", Unit::Note),
    ];
    let named: BTreeSet<usize> = fleet.faulty.iter().map(|drive| drive.run).collect();
    let mut table = ResultTable {
        id: "Figures",
        title: "Figures of drives of one model".into(),
        row_name: "figure",
        columns,
        ..ResultTable::default()
    };
    for group in fleet.groups.iter().filter(|group| !group.figures.is_empty()) {
        let first = table.rows.len();
        table.rows.extend(group.figures.iter().map(|figure| of_figure(group, figure)));
        let title = format!("{} {}", group.model, decimal_size(group.capacity_bytes));
        table.parts.push(Part {
            caption: title.clone(),
            heading: title.clone(),
            columns: vec![0, 2, 3, 4, 5, 6, 7],
            narrower: vec![vec![0, 2, 3, 4, 6, 7], vec![0, 3, 4, 6, 7], vec![0, 3, 4, 6]],
            first_to_go: vec![4, 6],
            rows: first..table.rows.len(),
            strips: group.figures.iter().map(|figure| strip(runs, &title, figure, &named)).collect(),
            ..Part::default()
        });
    }
    table.is_parted = true;
    table.legend =
        "A dot is a drive. Slower is on the left; those at fault are marked, and the dashed line is the limit below which a drive is slow.";
    table
}

fn of_figure(group: &Group, figure: &GroupFigure) -> ResultRow {
    let show = |deviation: f64| figure.metric.show(figure.value_at(deviation));
    let ends = |pick: fn(f64, f64) -> f64| figure.deviations.iter().copied().reduce(pick).map_or_else(String::new, show);
    let limit = figure.limit.map_or_else(|| "-".to_owned(), |limit| format!("{} (-{})", show(limit), percent(share_below(limit))));
    row(vec![
        figure.name.clone().into(),
        format!("{} {}", group.model, decimal_size(group.capacity_bytes)).into(),
        (figure.values.len() as u64).into(),
        figure.metric.show(figure.median).into(),
        ends(f64::min).into(),
        ends(f64::max).into(),
        limit.into(),
        spark(&figure.deviations).into(),
    ])
}

/// Every drive of a figure as a dot, by its deviation from the median.
fn strip(runs: &[DriveRun], group: &str, figure: &GroupFigure, named: &BTreeSet<usize>) -> DotStrip {
    let dot = |((run, value), deviation): (&(usize, f64), &f64)| StripDot {
        at: *deviation,
        named: named.contains(run).then(|| format!("{} on {}: {}", runs[*run].name(), runs[*run].node, figure.metric.show(*value))),
    };
    let tick = |at: f64| (at, figure.metric.show(figure.value_at(at)));
    let ends = |pick: fn(f64, f64) -> f64| figure.deviations.iter().copied().reduce(pick);
    DotStrip {
        title: figure.name.clone(),
        about: format!("{group}: {} drives, median {}", figure.values.len(), figure.metric.show(figure.median)),
        dots: figure.values.iter().zip(&figure.deviations).map(dot).collect(),
        ticks: [ends(f64::min), Some(0.0), ends(f64::max)].into_iter().flatten().map(tick).collect(),
        limit: figure.limit,
    }
}

fn drives(fleet: &Fleet, runs: &[DriveRun]) -> ResultTable {
    let columns = vec![
        column("drive", "drive", Unit::Text),
        column("", "node", Unit::Note),
        column("", "model", Unit::Note),
        column("", "firmware", Unit::Note),
        column("", "capacity (bytes)", Unit::Count),
        column("", "link", Unit::Note),
        column("", "link (MB/s)", Unit::Throughput),
        column("", "link could (MB/s)", Unit::Throughput),
        column("", "endurance used (%)", Unit::Factor),
        column("", "health", Unit::Note),
        column("", "exit status", Unit::Count),
        column("", "faults", Unit::Text),
        column("", "run", Unit::Note),
        column("", "started", Unit::Note),
    ];
    let faults: BTreeMap<usize, &FaultyDrive> = fleet.faulty.iter().map(|drive| (drive.run, drive)).collect();
    let of_run = |(at, run): (usize, &DriveRun)| {
        let faults = faults.get(&at).map(|drive| drive.faults.iter().map(|fault| fault.kind.title()).collect::<Vec<_>>().join(", "));
        let link = run.link.as_ref();
        row(vec![
            run.name().into(),
            run.node.as_str().into(),
            run.model.as_str().into(),
            run.firmware.as_str().into(),
            run.capacity_bytes.into(),
            link.map(|link| link.title.clone()).into(),
            link.map(|link| link.limit_bytes_per_s).into(),
            link.and_then(|link| link.capable_bytes_per_s).into(),
            run.used_percent.into(),
            run.health.as_str().into(),
            u64::from(run.exit_status).into(),
            faults.into(),
            run.run_id.as_str().into(),
            run.started_at.as_str().into(),
        ])
    };
    let mut table = table("Drives", "All drives", "drive", columns, runs.iter().enumerate().map(of_run).collect());
    table.parts.clear();
    table
}
