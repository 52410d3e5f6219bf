//! Rounds: the figures of each, and the counters of each stage with its devices. Counts that nobody made have no row; 0 was counted.

use super::Lines;
use super::line::{Figure, Line};
use crate::view::{DatabaseRoundView, DeviceView, RoundView, StageView, View};
use ioproof_core::layers::Figured;
use ioproof_core::record::DatabaseSlice;

pub(super) fn lines<'a>(lines: &Lines<'a>, view: &View) -> Vec<Line<'a>> {
    let rounds = view.rounds.iter().flat_map(|round| of_round(lines, view, round));
    let databases = view.database_rounds.iter().flat_map(|round| of_database(lines, view, round));
    rounds.chain(databases).chain(view.stages.iter().flat_map(|stage| of_stage(lines, view, stage))).collect()
}

/// A line for each figure that there is.
fn each<'a>(start: &Line<'a>, figures: impl IntoIterator<Item = Figured>) -> Vec<Line<'a>> {
    let line = |(metric, statistic, unit, value): Figured| {
        value.map(|value| start.clone().figure(Figure { metric, statistic, unit }, Some(value)))
    };
    figures.into_iter().filter_map(line).collect()
}

fn counted(n: u64) -> Option<f64> {
    Some(n as f64)
}

fn of_round<'a>(lines: &Lines<'a>, view: &View, round: &RoundView) -> Vec<Line<'a>> {
    let start = lines
        .of_job(view, Some(round.job))
        .conditions(&round.conditions)
        .count("round", round.number as u64)
        .count("stage", round.stage)
        .text("purpose", round.purpose_text())
        .count("repetition", round.repetition)
        .text("round_started_at", &round.started_at)
        .text("outcome", round.outcome)
        .text("text", &round.error);
    let mut found = each(&start, figures(round));
    found.extend(each(&start, checks(round)));
    found
}

/// Figures of a round of a database, and of each second of it.
fn of_database<'a>(lines: &Lines<'a>, view: &View, round: &DatabaseRoundView) -> Vec<Line<'a>> {
    let start = lines
        .of_run(view)
        .text("targets", &round.target)
        .text("workload", &round.title)
        .count("workers", round.clients)
        .count("stage", round.stage)
        .text("purpose", round.purpose)
        .count("repetition", round.repetition)
        .text("round_started_at", &round.started_at)
        .text("outcome", round.outcome)
        .text("text", &round.error);
    let of_slice = |slice: &DatabaseSlice| {
        let per_s = (slice.length_ns > 0).then(|| slice.transactions as f64 * 1e9 / slice.length_ns as f64);
        let some = slice.transactions > 0;
        let figures = [
            ("transactions", "mean", "1/s", per_s),
            ("transaction_latency", "mean", "ns", counted(slice.latency_ns_mean).filter(|_| some)),
            ("transaction_latency", "max", "ns", counted(slice.latency_ns_max).filter(|_| some)),
        ];
        each(&start.clone().count("slice_end_ns", slice.end_ns), figures)
    };
    let slices = round.slices.iter().flat_map(of_slice);
    each(&start, round.figures.iter().copied()).into_iter().chain(slices).collect()
}

fn figures(round: &RoundView) -> [Figured; 14] {
    [
        ("iops", "mean", "IOPS", Some(round.iops)),
        ("throughput", "mean", "B/s", Some(round.bytes_per_s)),
        ("latency", "mean", "ns", round.latency_mean_ns),
        ("latency", "p99", "ns", round.latency_p99_ns.map(|ns| ns as f64)),
        ("latency", "max", "ns", round.latency_max_ns.map(|ns| ns as f64)),
        ("latency", "count", "I/Os", counted(round.latency_samples)),
        ("outstanding", "mean", "I/Os", round.depth_mean),
        ("ios", "count", "I/Os", counted(round.ios)),
        ("syncs", "count", "I/Os", counted(round.sync_ios)),
        ("trims", "count", "I/Os", counted(round.trim_ios)),
        ("errors", "count", "I/Os", counted(round.errors)),
        ("elapsed", "sum", "ns", counted(round.elapsed_ns)),
        ("warm_up", "sum", "ns", round.warm_up_ns.map(|ns| ns as f64)),
        ("temperature", "after", "°C", round.temperature_celsius),
    ]
}

/// Results of reading back, in pieces of 512 B; torn ones are counted as whole I/Os.
fn checks(round: &RoundView) -> Vec<Figured> {
    let of = |check: &ioproof_core::record::CheckResult| {
        vec![
            ("check_good", "count", "512 B", counted(check.good)),
            ("check_unwritten", "count", "512 B", counted(check.unwritten)),
            ("check_corrupt", "count", "512 B", counted(check.corrupt)),
            ("check_misplaced", "count", "512 B", counted(check.misplaced)),
            ("check_stale", "count", "512 B", counted(check.stale)),
            ("check_unreadable", "count", "512 B", counted(check.unreadable)),
            ("check_torn", "count", "I/Os", counted(check.torn)),
        ]
    };
    round.check.as_ref().map(of).unwrap_or_default()
}

fn of_stage<'a>(lines: &Lines<'a>, view: &View, stage: &StageView) -> Vec<Line<'a>> {
    let start = lines.of_run(view).count("stage", stage.index).text("purpose", stage.purpose);
    let [cpu, io, memory] = stage.waited;
    let of_host = [
        ("cpu_busy", "mean", "share", stage.cpu_busy),
        ("cpu_steal", "mean", "share", stage.cpu_steal),
        ("cpu_waited", "mean", "share", cpu),
        ("io_waited", "mean", "share", io),
        ("memory_waited", "mean", "share", memory),
    ];
    let mut found = each(&start, of_host);
    if let Some(interrupted) = stage.interrupted {
        let of_cpu = start.clone().text("device", &format!("cpu{}", interrupted.cpu));
        found.extend(each(&of_cpu, [("interrupts", "mean", "share", Some(interrupted.interrupts))]));
    }
    found.extend(stage.devices.iter().flat_map(|device| of_device(&start, device)));
    found
}

fn of_device<'a>(start: &Line<'a>, device: &DeviceView) -> Vec<Line<'a>> {
    let start =
        start.clone().text("device", &device.name).text("device_jobs", &device.jobs.join("; ")).text("text", &device.changes.join("; "));
    let temperatures = [("temperature", "before", "°C", device.celsius.0), ("temperature", "after", "°C", device.celsius.1)];
    let mut found = each(&start, temperatures);
    if let Some(counters) = &device.counters {
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
