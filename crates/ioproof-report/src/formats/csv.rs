//! CSV (RFC 4180): one table of raw numbers in base units, told apart by its first column. `README.md` beside this file lists the columns.

use crate::ReportError;
use crate::view::{Banner, Conditions, LatencyView, RoundView, RowView, View};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::record::{CheckResult, RunRecord};
use ioproof_core::stats::{Estimate, IntervalMethod};
use ioproof_core::verdict::Judgement;
use std::io::Write;

/// The columns in their order. Stable: new ones are added at the end.
const COLUMNS: [&str; 56] = [
    "kind",
    "run_id",
    "run_status",
    "target",
    "workload",
    "pattern",
    "read_percent",
    "block_bytes",
    "workers",
    "depth_per_worker",
    "depth_total",
    "durability",
    "operation",
    "metric",
    "statistic",
    "claimed_iops",
    "claimed_bytes_per_s",
    "claimed_latency_ns",
    "iops",
    "iops_low",
    "iops_high",
    "bytes_per_s",
    "bytes_per_s_low",
    "bytes_per_s_high",
    "latency_ns",
    "latency_low_ns",
    "latency_high_ns",
    "runs",
    "interval_method",
    "interval_coverage",
    "match",
    "match_low",
    "match_high",
    "threshold",
    "verdict",
    "reasons",
    "limited_by",
    "samples",
    "round",
    "repetition",
    "started_at",
    "outcome",
    "elapsed_ns",
    "errors",
    "temperature_celsius",
    "text",
    "special",
    "depth_mean",
    "sync_ios",
    "trim_ios",
    "check_good",
    "check_unwritten",
    "check_corrupt",
    "check_misplaced",
    "check_stale",
    "check_torn",
];

pub(crate) fn write(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    let view = View::new(record, judgement);
    let mut lines = vec![Line::head()];
    lines.extend(view.banners.iter().map(|banner| note(&view, banner)));
    lines.extend(view.rows.iter().map(|row| result(&view, row)));
    lines.extend(view.latencies.iter().flat_map(|row| latency(&view, row)));
    lines.extend(view.rounds.iter().map(|row| round(&view, row)));
    for line in lines {
        out.write_all(line.0.join(",").as_bytes())?;
        out.write_all(b"\r\n")?;
    }
    Ok(())
}

/// One line, a cell for every column.
struct Line(Vec<String>);

impl Line {
    fn head() -> Self {
        Line(COLUMNS.map(str::to_owned).to_vec())
    }

    fn new(view: &View, kind: &str) -> Self {
        let mut line = Line(vec![String::new(); COLUMNS.len()]);
        line.text("kind", kind);
        line.text("run_id", &view.run_id);
        line.text("run_status", &view.status);
        line.text("target", &view.target);
        line
    }

    fn put(&mut self, column: &str, cell: String) {
        let at = COLUMNS.iter().position(|name| *name == column);
        debug_assert!(at.is_some(), "no column {column}");
        if let Some(at) = at {
            self.0[at] = cell;
        }
    }

    fn text(&mut self, column: &str, text: &str) {
        self.put(column, quoted(text));
    }

    /// A number as it is stored; nothing for one that is none.
    fn number(&mut self, column: &str, value: f64) {
        if value.is_finite() {
            self.put(column, value.to_string());
        }
    }

    fn count(&mut self, column: &str, value: impl Into<u64>) {
        self.put(column, value.into().to_string());
    }

    fn conditions(&mut self, c: &Conditions) {
        self.text("workload", &c.id);
        self.text("pattern", c.pattern);
        self.count("read_percent", c.read_percent);
        self.count("block_bytes", c.block_bytes);
        self.count("workers", c.workers);
        self.count("depth_per_worker", c.depth);
        self.count("depth_total", c.outstanding);
        self.text("durability", &c.durability);
        self.text("special", &c.special);
    }

    fn check(&mut self, check: &CheckResult) {
        self.count("check_good", check.good);
        self.count("check_unwritten", check.unwritten);
        self.count("check_corrupt", check.corrupt);
        self.count("check_misplaced", check.misplaced);
        self.count("check_stale", check.stale);
        self.count("check_torn", check.torn);
    }

    fn estimate(&mut self, metric: Metric, e: &Estimate) {
        let [median, low, high] = match metric {
            Metric::Iops => ["iops", "iops_low", "iops_high"],
            Metric::Throughput => ["bytes_per_s", "bytes_per_s_low", "bytes_per_s_high"],
            Metric::Latency => ["latency_ns", "latency_low_ns", "latency_high_ns"],
        };
        self.number(median, e.median);
        self.number(low, e.low);
        self.number(high, e.high);
        self.count("runs", e.runs);
        match e.method {
            IntervalMethod::Rank { coverage, .. } => {
                self.text("interval_method", "rank");
                self.number("interval_coverage", coverage);
            }
            IntervalMethod::Spread => self.text("interval_method", "spread"),
        }
    }
}

/// A text cell: quoted where RFC 4180 asks for it, and with an apostrophe before what a spreadsheet would run as a formula.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
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

/// One line for the mean, each percentile that could be told, and the largest.
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
    line.count("round", row.index);
    line.count("repetition", row.repetition);
    line.text("started_at", &row.started_at);
    line.text("outcome", row.outcome);
    line.count("elapsed_ns", row.elapsed_ns);
    line.count("errors", row.errors);
    if let Some(celsius) = row.temperature_celsius {
        line.number("temperature_celsius", celsius);
    }
    line.text("text", &row.error);
    if let Some(depth) = row.depth_mean {
        line.number("depth_mean", depth);
    }
    line.count("sync_ios", row.sync_ios);
    line.count("trim_ios", row.trim_ios);
    if let Some(check) = &row.check {
        line.check(check);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_disarmed() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
    }

    #[test]
    fn column_names_are_unique() {
        let mut names = COLUMNS.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COLUMNS.len());
    }
}
