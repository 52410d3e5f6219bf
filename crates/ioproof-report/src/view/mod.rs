//! One view of the numbers for all formats: a record and its judgement in the words and units in which they are printed.
//!
//! Built once a report, without loss of the raw numbers beside the words. Every string that came from outside (model names, paths,
//! reasons) is made harmless here by [`clean`]; escaping for a format is that format's own business.

mod charts;
mod conditions;
mod findings;
mod latencies;
mod lead;
mod rounds;
mod rows;
mod sections;
mod stages;

pub(crate) use charts::{Chart, DatabaseView, Databases};
pub(crate) use conditions::Conditions;
pub(crate) use findings::{FindingGroup, FindingView};
pub(crate) use latencies::LatencyView;
pub(crate) use lead::Lead;
pub(crate) use rounds::{RoundGroup, RoundView};
pub(crate) use rows::{OfRow, ReasonView, RowView, Shared, SkippedView};
pub(crate) use stages::{DeviceView, STAGE_COLUMNS, STAGE_LEGEND, STAGE_WORDS, StageView};

pub(crate) use ioproof_core::describe::{Banner, Fact, Section};
pub(crate) use ioproof_core::limited_by::LimitWords as LimitView;
pub(crate) use ioproof_core::results::{Scale, match_range, runs_text, share};
pub(crate) use ioproof_core::text::{counted, grouped};

use ioproof_core::describe::{self, Brief, Identity};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::results::ResultTable;
use ioproof_core::standard_results::StandardResults;
use ioproof_core::stats::Estimate;
use ioproof_core::sweep::{Cell, SeriesLine, Sweep};
use ioproof_core::text::visible;
use ioproof_core::units;
use ioproof_core::verdict::Verdict;

/// Everything that is printed.
pub(crate) struct View<'a> {
    pub record: &'a RunRecord,
    pub judgement: &'a Judgement,
    pub run_id: String,
    pub program_version: String,
    pub verb: String,
    pub started_at: String,
    /// The end of the run in words.
    pub status: &'static str,
    /// The drive and where it is, for the heading of a page.
    pub heading: String,
    /// The first sentences of a page.
    pub lead: Lead,
    pub banners: Vec<Banner>,
    pub brief: Brief,
    /// The machine in a line.
    pub host: String,
    /// Targets and drives of the run, and of each of its jobs.
    pub identity: Identity,
    pub identities: Vec<Identity>,
    pub sections: Vec<Section>,
    pub rows: Vec<RowView<'a>>,
    pub skipped: Vec<SkippedView>,
    pub latencies: Vec<LatencyView>,
    pub latency_table: ResultTable,
    /// The cells of a sweep and its series as lines; none of other runs.
    pub cells: Vec<Cell>,
    pub series: Vec<SeriesLine>,
    /// The curves of demand intensity; none of other runs.
    pub demand: Vec<SeriesLine>,
    /// Results of every kind.
    pub results: Vec<ResultTable>,
    pub databases: Databases,
    /// `96.9 % interval of the median`; none where nothing was run twice.
    pub interval_methods: Option<String>,
    pub findings: Vec<FindingView>,
    /// All rounds in the order of time.
    pub rounds: Vec<RoundView<'a>>,
    pub stages: Vec<StageView<'a>>,
    pub charts: Vec<Chart>,
    pub exit_reason: String,
    pub config_sha256: String,
}

/// The verdicts in the order in which they are counted out.
pub(crate) const VERDICTS: [Verdict; 4] = [Verdict::Meets, Verdict::Misses, Verdict::CannotTell, Verdict::Indicative];

/// Version of the rules since which intervals are widened.
const WIDENED_SINCE: u32 = 4;

impl<'a> View<'a> {
    pub(crate) fn new(record: &'a RunRecord, judgement: &'a Judgement) -> Self {
        let rows: Vec<RowView> = judgement.rows.iter().map(|row| RowView::new(row, record)).collect();
        let findings: Vec<FindingView> = judgement.findings.iter().map(|finding| FindingView::new(finding, record)).collect();
        let series = judgement.results.sweep.as_ref().map(Sweep::lines).unwrap_or_default();
        let demand = judgement.results.standard.as_ref().map(StandardResults::curves).unwrap_or_default();
        let cells: Vec<Cell> = judgement.results.sweep.iter().flat_map(Sweep::cells).cloned().collect();
        let latencies = latencies::latencies(record, judgement);
        let interval_methods = interval_methods(&rows, &cells, judgement.rules_version);
        Self {
            record,
            judgement,
            run_id: visible(&record.id),
            program_version: visible(&record.program_version),
            verb: visible(&record.verb),
            started_at: visible(&record.started_at),
            status: describe::status(&record.status),
            heading: describe::heading(record),
            banners: describe::banners(record),
            brief: describe::brief(record, judgement),
            host: describe::describe_host(&record.host),
            identity: Identity::of_run(record),
            identities: Identity::of_jobs(record),
            sections: sections::sections(record),
            skipped: rows::skipped(record, &judgement.rows),
            latency_table: latencies::table(&latencies, &cells, latency_legend(record, interval_methods.as_deref())),
            latencies,
            rounds: record.parts().enumerate().map(|(number, part)| RoundView::new(number, part, record)).collect(),
            stages: record.stages.iter().map(|stage| StageView::new(stage, record)).collect(),
            charts: charts::charts(record, &judgement.rows),
            lead: Lead::new(&rows, &series, record, judgement, &findings),
            rows,
            findings,
            results: judgement.results.tables(record, interval_methods.as_deref()),
            interval_methods,
            cells,
            series,
            demand,
            databases: Databases::new(record, judgement),
            exit_reason: visible(&judgement.exit_reason),
            config_sha256: visible(&record.config_sha256),
        }
    }

    /// True where a table of its own has what rows and latencies would say of each workload.
    pub(crate) fn has_own_table(&self) -> bool {
        self.results.iter().any(|results| results.replaces_rows)
    }

    /// True for a figure that nothing was promised of, of a run that has a table of its own: that shows it.
    pub(crate) fn is_in_own_table(&self, row: &RowView) -> bool {
        self.has_own_table() && row.claimed.is_none()
    }

    /// The latencies without the sides of mixes and the usual workloads of many I/Os at a time, which a screen has no room for.
    pub(crate) fn latencies_in_short(&self) -> impl Iterator<Item = &LatencyView> {
        self.latencies.iter().filter(|row| row.is_in_short())
    }

    /// The basis of the table of latencies, and the meaning of a dash in it.
    pub(crate) fn latency_dash(&self) -> String {
        format!(
            "All I/Os of all runs together, their IOPS too. A dash: too few I/Os for that percentile: fewer than {} lie beyond it.",
            self.record.policy.percentile_samples
        )
    }

    /// Rows with a claim, and rows that were measured without one.
    pub(crate) fn claimed_and_other(&self) -> (Vec<&RowView<'a>>, Vec<&RowView<'a>>) {
        self.rows.iter().partition(|row| row.claimed.is_some())
    }

    /// The method that gave the ends of the printed figures, in a sentence; with many numbers of runs their coverage is given as a range.
    pub(crate) fn interval_legend(&self) -> String {
        let is_measured = self.rows.iter().any(|row| row.measured.is_some());
        let once = || if is_measured { "Measured in one run each (n), so without an interval.".to_owned() } else { String::new() };
        self.interval_methods
            .as_ref()
            .map_or_else(once, |methods| format!("Measured: median of n runs (latency claims: all I/Os), in brackets the {methods}."))
    }

    /// `3 meets, 1 misses`; verdicts that did not occur are left out. Empty without a verdict.
    pub(crate) fn tally(&self) -> Vec<(Verdict, usize)> {
        let count = |v| self.rows.iter().filter(|row| row.verdict == Some(v)).count();
        VERDICTS.into_iter().map(|v| (v, count(v))).filter(|(_, n)| *n > 0).collect()
    }

    /// The meaning of the exit status in the manual.
    pub(crate) fn exit_meaning(&self) -> &'static str {
        let has_claims = self.rows.iter().any(|row| row.claimed.is_some());
        let has = |is_in_sentences: bool| {
            self.results.iter().flat_map(|results| &results.answers).any(|answer| answer.is_in_sentences == is_in_sentences)
        };
        let (has_limits, has_answers) = (has(false), has(true));
        match self.judgement.exit_status {
            0 if has_answers => "no filesystem falls short",
            0 if !has_claims && has_limits => "no limit was missed",
            0 if !has_claims => "no claim to judge",
            0 => "no claim was missed",
            1 if self.record.bears_no_headers() => "nothing could be verified",
            1 if self.rounds.iter().any(|round| round.check.as_ref().is_some_and(|check| check.bad() > 0)) => "data was lost",
            1 if has_answers => "a filesystem falls short",
            1 if !has_claims && has_limits => "a limit was missed",
            1 => "a claim was missed",
            2 if self.rows.iter().any(|row| row.measured.is_some()) => "something failed",
            2 => "nothing could be judged",
            _ => "something could not be told",
        }
    }

    /// Warnings that take weight from all figures.
    pub(crate) fn grave(&self) -> impl Iterator<Item = &str> {
        self.banners.iter().filter(|banner| banner.grave).map(|banner| banner.text.as_str())
    }

    /// `exit status 1, a claim was missed: ...`.
    pub(crate) fn exit_text(&self) -> String {
        format!("exit status {}, {}: {}", self.judgement.exit_status, self.exit_meaning(), self.exit_reason)
    }

    /// Curves over what rises: of a sweep, or of demand intensity.
    pub(crate) fn curves(&self) -> &[SeriesLine] {
        if self.series.is_empty() { &self.demand } else { &self.series }
    }
}

/// Each of them once, in the order in which they come.
pub(crate) fn each_once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = Vec::new();
    for one in all {
        if !known.contains(&one) {
            known.push(one);
        }
    }
    known
}

/// `96.9 % interval of the median`; none where nothing was run twice.
fn interval_methods(rows: &[RowView], cells: &[Cell], rules_version: u32) -> Option<String> {
    let cells = cells.iter().map(|cell| cell.iops);
    let estimates: Vec<Estimate> = rows.iter().filter_map(|row| row.measured).chain(cells).filter(|e| e.runs > 1).collect();
    let (intervals, spreads): (Vec<Estimate>, Vec<Estimate>) = estimates.into_iter().partition(Estimate::is_interval);
    let widened = if rules_version >= WIDENED_SINCE { ", widened to hold that of another run" } else { "" };
    let methods = [
        methods(&intervals, coverages(&intervals)).map(|method| method + widened),
        methods(&spreads, "smallest and largest of too few (n) runs".into()),
    ];
    let methods: Vec<String> = methods.into_iter().flatten().collect();
    (!methods.is_empty()).then(|| methods.join(", or the "))
}

fn latency_legend(record: &RunRecord, methods: Option<&str>) -> String {
    format!(
        "Mean: over all runs, with the ends of its interval ({}). Percentiles: of all runs together; empty where fewer than {} samples lie beyond, or where \
         nobody asked. CPU: time of the load generator.",
        methods.unwrap_or("no interval of a single run"),
        record.policy.percentile_samples
    )
}

/// One way to make ends: in full words where all figures share it, else in short.
fn methods(estimates: &[Estimate], short: String) -> Option<String> {
    let first = estimates.first()?.describe();
    Some(if estimates.iter().all(|e| e.describe() == first) { first } else { short })
}

/// `96.1 % to 97.9 % interval of the median`.
fn coverages(estimates: &[Estimate]) -> String {
    let covered = || estimates.iter().filter_map(ioproof_core::results::coverage);
    let (low, high) = (covered().fold(1.0, f64::min), covered().fold(0.0, f64::max));
    format!("{} to {} interval of the median", units::percent(low), units::percent(high))
}
