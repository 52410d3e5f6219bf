//! CSV (RFC 4180): one table of raw numbers in base units; its first column names the kind of each line. `README.md` beside this file lists the columns.

mod line;

use crate::ReportError;
use crate::view::{Banner, DeviceView, LatencyView, RoundView, RowView, StageView, View};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Judgement;
use line::Line;
use std::io::Write;

pub(crate) fn write(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    let view = View::new(record, judgement);
    let mut lines = vec![Line::head()];
    lines.extend(view.banners.iter().map(|banner| note(&view, banner)));
    lines.extend(view.rows.iter().map(|row| result(&view, row)));
    lines.extend(view.latencies.iter().flat_map(|row| latency(&view, row)));
    lines.extend(view.rounds.iter().map(|row| round(&view, row)));
    lines.extend(view.stages.iter().flat_map(|stage| devices(&view, stage)));
    for line in lines {
        out.write_all(line.joined().as_bytes())?;
        out.write_all(b"\r\n")?;
    }
    Ok(())
}

fn metric_name(metric: Metric) -> &'static str {
    match metric {
        Metric::Iops => "iops",
        Metric::Throughput => "throughput",
        Metric::Latency => "latency",
    }
}

fn note(view: &View, banner: &Banner) -> Line {
    let mut line = Line::new(view, if banner.grave { "warning" } else { "note" });
    line.text("text", &banner.text);
    line
}

fn result(view: &View, row: &RowView) -> Line {
    let mut line = Line::new(view, "result");
    line.conditions(&row.conditions);
    line.text("metric", metric_name(row.metric));
    line.text("statistic", row.statistic.map_or("", Statistic::title));
    if let Some(claimed) = row.claimed {
        let column = match row.metric {
            Metric::Iops => "claimed_iops",
            Metric::Throughput => "claimed_bytes_per_s",
            Metric::Latency => "claimed_latency_ns",
        };
        line.number(column, claimed);
        line.number("threshold", view.threshold);
    }
    if let Some(e) = &row.measured {
        line.estimate(row.metric, e);
    }
    match row.metric {
        Metric::Throughput => line.optional("bytes_per_s_averaged", row.averaged),
        _ => line.optional("iops_averaged", row.averaged),
    }
    if let Some(m) = row.matched {
        line.number("match", m.share);
        line.number("match_low", m.low);
        line.number("match_high", m.high);
    }
    line.text("verdict", row.verdict.map_or("", |verdict| verdict.title()));
    line.text("reasons", &row.reasons.iter().map(|r| r.sentence()).collect::<Vec<_>>().join("; "));
    line.text("limited_by", &row.limited_by);
    line.text("text", &row.claim);
    line
}

/// One line for the mean, each percentile with enough samples beyond it, and the largest.
fn latency(view: &View, row: &LatencyView) -> Vec<Line> {
    let line = |statistic: Statistic| {
        let mut line = Line::new(view, "latency");
        line.conditions(&row.conditions);
        line.text("operation", &row.operation);
        line.text("metric", "latency");
        line.text("statistic", statistic.title());
        line.count("samples", row.samples);
        line
    };
    let mean = row.mean_ns.map(|e| {
        let mut line = line(Statistic::Mean);
        line.estimate(Metric::Latency, &e);
        line
    });
    let single = row.percentiles_ns.iter().copied().chain([(Statistic::Max, row.max_ns)]);
    let single = single.filter_map(|(statistic, ns)| ns.map(|ns| (statistic, ns))).map(|(statistic, ns)| {
        let mut line = line(statistic);
        line.count("latency_ns", ns);
        line
    });
    mean.into_iter().chain(single).collect()
}

fn round(view: &View, row: &RoundView) -> Line {
    let mut line = Line::new(view, "round");
    line.conditions(&row.conditions);
    line.number("iops", row.iops);
    line.number("bytes_per_s", row.bytes_per_s);
    if let Some(mean) = row.latency_mean_ns {
        line.text("statistic", Statistic::Mean.title());
        line.number("latency_ns", mean);
    }
    line.count("samples", row.ios);
    line.count("round", row.number as u64);
    line.count("stage", row.stage);
    line.text("purpose", row.purpose_text());
    line.count("repetition", row.repetition);
    line.text("started_at", &row.started_at);
    line.text("outcome", row.outcome);
    line.count("elapsed_ns", row.elapsed_ns);
    line.count("errors", row.errors);
    line.optional("temperature_celsius", row.temperature_celsius);
    line.text("text", &row.error);
    line.optional("depth_mean", row.depth_mean);
    line.count("sync_ios", row.sync_ios);
    line.count("trim_ios", row.trim_ios);
    if let Some(check) = &row.check {
        line.check(check);
    }
    line
}

/// One line for each device of a stage; one that says so where nothing was counted.
fn devices(view: &View, stage: &StageView) -> Vec<Line> {
    let line = |device: Option<&DeviceView>| {
        let mut line = Line::new(view, "device");
        line.count("stage", stage.index);
        line.text("purpose", stage.purpose);
        line.optional("cpu_busy", stage.cpu_busy);
        line.optional("cpu_steal", stage.cpu_steal);
        for (name, share) in ["cpu_waited", "io_waited", "memory_waited"].into_iter().zip(stage.waited) {
            line.optional(name, share);
        }
        line.optional("interrupted_cpu", stage.interrupted.map(|interrupted| interrupted.cpu.into()));
        line.optional("interrupted_share", stage.interrupted.map(|interrupted| interrupted.interrupts));
        if let Some(device) = device {
            device_cells(&mut line, device);
        }
        if device.is_none_or(|device| device.counters.is_none()) {
            line.text("text", "not counted");
        }
        line
    };
    if stage.devices.is_empty() { vec![line(None)] } else { stage.devices.iter().map(|device| line(Some(device))).collect() }
}

fn device_cells(line: &mut Line, device: &DeviceView) {
    line.text("device", &device.name);
    line.text("device_jobs", &device.jobs.join(", "));
    line.optional("temperature_before_celsius", device.celsius.0);
    line.optional("temperature_celsius", device.celsius.1);
    line.text("text", &device.changes.join(", "));
    let Some(counters) = &device.counters else { return };
    line.count("device_read_ios", counters.read_ios);
    line.count("device_read_bytes", counters.read_bytes);
    line.count("device_write_ios", counters.write_ios);
    line.count("device_write_bytes", counters.write_bytes);
    line.count("device_flush_ios", counters.flush_ios);
    line.count("device_busy_ns", counters.busy_ns);
}
