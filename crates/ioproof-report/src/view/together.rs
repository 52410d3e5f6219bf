//! Targets alone and all at once: of each workload a line for each target and one for their sum.

use super::databases::given;
use super::number::Scale;
use ioproof_core::claim::Metric;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use ioproof_core::together::{Rates, Together, TogetherRow};
use ioproof_core::units::three_digits;

/// Everything about targets at once.
#[derive(Debug, Clone)]
pub(crate) struct TogetherView {
    pub workloads: Vec<WorkloadView>,
    pub says: Vec<String>,
}

/// One workload.
#[derive(Debug, Clone)]
pub(crate) struct WorkloadView {
    pub title: String,
    /// The metric that shares are taken of.
    pub metric: Metric,
    /// Each target, and their sum behind them.
    pub lines: Vec<LineView>,
}

/// One target, or all of them.
#[derive(Debug, Clone)]
pub(crate) struct LineView {
    pub name: String,
    /// Its job; none of the sum.
    pub job: Option<u32>,
    pub alone: Rates,
    pub together: Rates,
    pub share: Estimate,
    /// Cells behind the name, in the order of [`TOGETHER_COLUMNS`].
    pub cells: [String; TOGETHER_COLUMNS.len()],
}

/// Columns behind the target.
pub(crate) const TOGETHER_COLUMNS: [&str; 6] = ["alone", "or alone", "at once", "or at once", "at once / alone", "n"];

/// The meaning of the columns.
pub(crate) const TOGETHER_LEGEND: &str = "Each target by itself, and while all are asked at once: median of n turns with its interval (of fewer than \
                                          six turns the smallest and the largest), or the same in the other unit. A turn has each alone and all at once; the \
                                          share is taken of the rounds of one turn, in the last line of the sum.";

/// The targets of a run at once; none where they were not measured so.
pub(super) fn together(record: &RunRecord, judgement: &Judgement) -> Option<TogetherView> {
    let Together { rows, says } = judgement.together.as_ref()?;
    let workloads = rows.iter().map(|row| workload(row, record)).collect();
    Some(TogetherView { workloads, says: says.iter().map(|text| visible(text)).collect() })
}

fn workload(row: &TogetherRow, record: &RunRecord) -> WorkloadView {
    let of = |name: String, job, (alone, together, share): (Rates, Rates, Estimate)| LineView {
        name,
        job,
        alone,
        together,
        share,
        cells: cells(alone, together, share, row.metric),
    };
    let members = row.members.iter();
    let each = members.map(|member| of(given(record, member.target), Some(member.job), (member.alone, member.together, member.share)));
    let sum = of(format!("all {}, added up", row.members.len()), None, (row.apart, row.together, row.share));
    WorkloadView { title: visible(&row.title), metric: row.metric, lines: each.chain([sum]).collect() }
}

/// `62.8 % (51.7 to 81.1)`.
fn in_percent(share: Estimate) -> String {
    let digits = |share: f64| three_digits(share * 100.0);
    let ends = if share.runs > 1 { format!(" ({} to {})", digits(share.low), digits(share.high)) } else { String::new() };
    format!("{} %{ends}", digits(share.median))
}

fn cells(alone: Rates, together: Rates, share: Estimate, metric: Metric) -> [String; TOGETHER_COLUMNS.len()] {
    let scale = Scale::of(metric, alone.by(metric).median.max(together.by(metric).median));
    let other = if metric == Metric::Throughput { Metric::Iops } else { Metric::Throughput };
    let main = |rates: Rates| scale.with_interval(&rates.by(metric));
    let in_other = |rates: Rates| other.show(rates.by(other).median);
    [main(alone), in_other(alone), main(together), in_other(together), in_percent(share), share.runs.to_string()]
}
