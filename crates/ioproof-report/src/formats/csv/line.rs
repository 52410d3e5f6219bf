//! A line of the table: a cell for every column, quoted.

use crate::view::{Conditions, View};
use ioproof_core::claim::Metric;
use ioproof_core::record::CheckResult;
use ioproof_core::stats::{Estimate, IntervalMethod};

/// The columns in their order. Stable: new ones are added at the end.
const COLUMNS: [&str; 78] = [
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
    "job",
    "job_targets",
    "purpose",
    "stage",
    "device",
    "device_jobs",
    "device_read_ios",
    "device_read_bytes",
    "device_write_ios",
    "device_write_bytes",
    "device_flush_ios",
    "device_busy_ns",
    "temperature_before_celsius",
    "cpu_busy",
    "cpu_steal",
    "cpu_waited",
    "io_waited",
    "memory_waited",
    "interrupted_cpu",
    "interrupted_share",
    "iops_averaged",
    "bytes_per_s_averaged",
];

/// One line, a cell for every column.
pub(super) struct Line(Vec<String>);

impl Line {
    pub(super) fn head() -> Self {
        Line(COLUMNS.map(str::to_owned).to_vec())
    }

    pub(super) fn new(view: &View, kind: &str) -> Self {
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

    pub(super) fn text(&mut self, column: &str, text: &str) {
        self.put(column, quoted(text));
    }

    /// The cells with a comma between them.
    pub(super) fn joined(&self) -> String {
        self.0.join(",")
    }

    /// A number as it is stored; nothing for one that is none.
    pub(super) fn number(&mut self, column: &str, value: f64) {
        if value.is_finite() {
            self.put(column, value.to_string());
        }
    }

    /// A number that may not be known.
    pub(super) fn optional(&mut self, column: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.number(column, value);
        }
    }

    pub(super) fn count(&mut self, column: &str, value: impl Into<u64>) {
        self.put(column, value.into().to_string());
    }

    pub(super) fn conditions(&mut self, c: &Conditions) {
        self.text("workload", &c.id);
        self.text("pattern", c.pattern);
        self.count("read_percent", c.read_percent);
        self.count("block_bytes", c.block_bytes);
        self.count("workers", c.workers);
        self.count("depth_per_worker", c.depth);
        self.count("depth_total", c.outstanding);
        self.text("durability", &c.durability);
        self.text("special", &c.special);
        self.text("job", c.job.as_deref().unwrap_or_default());
        self.text("job_targets", c.targets.as_deref().unwrap_or_default());
    }

    pub(super) fn check(&mut self, check: &CheckResult) {
        self.count("check_good", check.good);
        self.count("check_unwritten", check.unwritten);
        self.count("check_corrupt", check.corrupt);
        self.count("check_misplaced", check.misplaced);
        self.count("check_stale", check.stale);
        self.count("check_torn", check.torn);
    }

    pub(super) fn estimate(&mut self, metric: Metric, e: &Estimate) {
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
            IntervalMethod::Worst => self.text("interval_method", "worst"),
        }
    }
}

/// A text cell: quoted where RFC 4180 asks for it, and with an apostrophe before text that a spreadsheet would run as a formula.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
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
