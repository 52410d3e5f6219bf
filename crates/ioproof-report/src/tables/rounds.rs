//! Rounds: the figures of each, and the counters of each stage with its devices. Counts that nobody made have no row; 0 was counted.

use super::Lines;
use super::line::Line;
use crate::view::{DeviceView, RoundView, StageView};
use ioproof_core::layers::{self, Figured};
use ioproof_core::record::{CheckResult, DatabaseRound, DatabaseSlice, Stage};
use ioproof_core::results::Tidy;
use ioproof_core::text::visible;

pub(super) fn lines<'a>(lines: &Lines<'a>) -> Vec<Line<'a>> {
    let (view, record) = (lines.view, lines.view.record);
    let rounds = view.rounds.iter().flat_map(|round| of_round(lines, round));
    let databases = record.stages.iter().flat_map(|stage| stage.databases.iter().map(move |round| (round, stage)));
    let databases = databases.filter_map(|(round, stage)| of_database(lines, round, stage)).flatten();
    rounds.chain(databases).chain(view.stages.iter().flat_map(|stage| of_stage(lines, stage))).collect()
}

/// A line for each figure that there is.
fn each<'a>(start: &Line<'a>, figures: impl IntoIterator<Item = Figured>) -> Vec<Line<'a>> {
    let line =
        |(metric, statistic, unit, value): Figured| value.map(|value| start.clone().figure(Tidy { metric, statistic, unit }, Some(value)));
    figures.into_iter().filter_map(line).collect()
}

fn counted(n: u64) -> Option<f64> {
    Some(n as f64)
}

/// A line with its stage, and with how its round ended.
fn of_part<'a>(line: Line<'a>, stage: &Stage, outcome: &'static str, error: &str) -> Line<'a> {
    line.put("stage", stage.index)
        .put("purpose", stage.purpose.title())
        .put("repetition", stage.repetition)
        .put("round_started_at", visible(&stage.started_at))
        .put("outcome", outcome)
        .put("text", error)
}

fn of_round<'a>(lines: &Lines<'a>, round: &RoundView) -> Vec<Line<'a>> {
    let start = lines.of_job(Some(round.part.round.job)).conditions(&round.conditions).put("round", round.number as u64);
    let start = of_part(start, round.stage, round.outcome.title(), &round.error());
    [each(&start, figures(round)), each(&start, round.check.iter().flat_map(checks))].concat()
}

/// Figures of a round of a database, and of each slice of it.
fn of_database<'a>(lines: &Lines<'a>, round: &DatabaseRound, stage: &Stage) -> Option<Vec<Line<'a>>> {
    let record = lines.view.record;
    let database = record.databases.get(round.database as usize)?;
    let error = round.error.as_deref().map(visible).unwrap_or_default();
    let start = lines.of_run().put("targets", record.given(database.target)).put("workload", visible(&database.title));
    let start = of_part(start.put("workers", database.clients), stage, round.outcome.title(), &error);
    let of_slice = |slice: &DatabaseSlice| {
        let per_s = (slice.length_ns > 0).then(|| slice.transactions as f64 * 1e9 / slice.length_ns as f64);
        let some = slice.transactions > 0;
        let figures = [
            ("transactions", "mean", "1/s", per_s),
            ("transaction_latency", "mean", "ns", counted(slice.latency_ns_mean).filter(|_| some)),
            ("transaction_latency", "max", "ns", counted(slice.latency_ns_max).filter(|_| some)),
        ];
        each(&start.clone().put("slice_end_ns", slice.end_ns), figures)
    };
    let slices = round.intervals.iter().flat_map(of_slice);
    Some(each(&start, layers::figures(round, record)).into_iter().chain(slices).collect())
}

fn figures(round: &RoundView) -> [Figured; 14] {
    [
        ("iops", "mean", "IOPS", Some(round.iops())),
        ("throughput", "mean", "B/s", Some(round.bytes_per_s())),
        ("latency", "mean", "ns", round.latency_mean_ns),
        ("latency", "p99", "ns", round.latency_p99_ns),
        ("latency", "max", "ns", round.latency_max_ns),
        ("latency", "count", "I/Os", counted(round.latency_samples)),
        ("outstanding", "mean", "I/Os", round.depth_mean),
        ("ios", "count", "I/Os", counted(round.ios())),
        ("syncs", "count", "I/Os", counted(round.sync.ios)),
        ("trims", "count", "I/Os", counted(round.trim.ios)),
        ("errors", "count", "I/Os", counted(round.errors.total())),
        ("elapsed", "sum", "ns", counted(round.elapsed_ns)),
        ("warm_up", "sum", "ns", round.warm_up_ns().map(|ns| ns as f64)),
        ("temperature", "after", "°C", round.celsius()),
    ]
}

/// Results of reading back, in pieces of 512 B; torn ones are counted as whole I/Os.
fn checks(check: &CheckResult) -> [Figured; 7] {
    [
        ("check_good", "count", "512 B", counted(check.good)),
        ("check_unwritten", "count", "512 B", counted(check.unwritten)),
        ("check_corrupt", "count", "512 B", counted(check.corrupt)),
        ("check_misplaced", "count", "512 B", counted(check.misplaced)),
        ("check_stale", "count", "512 B", counted(check.stale)),
        ("check_unreadable", "count", "512 B", counted(check.unreadable)),
        ("check_torn", "count", "I/Os", counted(check.torn)),
    ]
}

fn of_stage<'a>(lines: &Lines<'a>, view: &StageView) -> Vec<Line<'a>> {
    let stage = view.stage;
    let start = lines.of_run().put("stage", stage.index).put("purpose", stage.purpose.title());
    let [cpu, io, memory] = view.waited();
    let of_host = [
        ("cpu_busy", "mean", "share", stage.cpu_busy()),
        ("cpu_steal", "mean", "share", stage.host.as_ref().and_then(|host| host.cpu_steal)),
        ("cpu_waited", "mean", "share", cpu),
        ("io_waited", "mean", "share", io),
        ("memory_waited", "mean", "share", memory),
    ];
    let mut found = each(&start, of_host);
    if let Some(interrupted) = stage.host.as_ref().and_then(|host| host.interrupted_cpu) {
        let of_cpu = start.clone().put("device", format!("cpu{}", interrupted.cpu));
        found.extend(each(&of_cpu, [("interrupts", "mean", "share", Some(interrupted.interrupts))]));
    }
    found.extend(view.devices.iter().flat_map(|device| of_device(&start, device)));
    found
}

fn of_device<'a>(start: &Line<'a>, device: &DeviceView) -> Vec<Line<'a>> {
    let start = start.clone().put("device", device.name.as_str()).put("device_jobs", device.jobs.join("; "));
    let start = start.put("text", device.changes.join("; "));
    let temperatures = [("temperature", "before", "°C", device.celsius.0), ("temperature", "after", "°C", device.celsius.1)];
    let mut found = each(&start, temperatures);
    if let Some(counters) = device.counters {
        let of_counters = [
            ("device_reads", "count", "I/Os", counted(counters.read_ios)),
            ("device_read", "sum", "B", counted(counters.read_bytes)),
            ("device_writes", "count", "I/Os", counted(counters.write_ios)),
            ("device_written", "sum", "B", counted(counters.write_bytes)),
            ("device_flushes", "count", "I/Os", counted(counters.flush_ios)),
            ("device_busy", "sum", "ns", counted(counters.busy_ns)),
        ];
        found.extend(each(&start, of_counters));
    }
    found
}
