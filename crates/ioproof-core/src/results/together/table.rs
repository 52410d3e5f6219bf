//! Targets alone and all at once as a table: of each workload a row for each target and one for their sum.

use super::{Rates, Together, TogetherRow};
use crate::claim::Metric;
use crate::record::RunRecord;
use crate::results::scale::Scale;
use crate::results::table::{Column, Figure, Part, ResultRow, ResultTable, Unit, column};
use crate::stats::Estimate;
use crate::text::visible;
use crate::units::three_digits;

const APART: &str = "each alone, added up";
const AT_ONCE: &str = "all at once";

fn columns() -> Vec<Column> {
    vec![
        column("", "workload", Unit::Text),
        column("target", "target", Unit::Text),
        column("alone", "", Unit::Text),
        column("or alone", "", Unit::Text),
        column("at once", "", Unit::Text),
        column("or at once", "", Unit::Text),
        column("", "IOPS alone", Unit::PerSecond).with_ends("low", "high"),
        column("", "MB/s alone", Unit::Throughput).with_ends("low", "high"),
        column("", "IOPS at once", Unit::PerSecond).with_ends("low", "high"),
        column("", "MB/s at once", Unit::Throughput).with_ends("low", "high"),
        column("at once / alone", "", Unit::Text),
        column("", "", Unit::PerSecond).tidy_as("iops", APART, "IOPS"),
        column("", "", Unit::Throughput).tidy_as("throughput", APART, "B/s"),
        column("", "", Unit::PerSecond).tidy_as("iops", AT_ONCE, "IOPS"),
        column("", "", Unit::Throughput).tidy_as("throughput", AT_ONCE, "B/s"),
        column("", "at once / alone", Unit::Share).with_ends("low", "high").tidy("share_at_once", ""),
        column("n", "turns", Unit::Count),
    ]
}

const LEGEND: &str = "Each target by itself, and while all are asked at once: median of n turns with its interval (of fewer than \
                      six turns the smallest and the largest), or the same in the other unit. A turn has each alone and all at once; the \
                      share is taken of the rounds of one turn, in the last line of the sum.";

impl Together {
    pub fn table(&self, record: &RunRecord) -> ResultTable {
        let mut table = ResultTable {
            id: "At once",
            title: "Each alone and all at once".into(),
            row_name: "target",
            columns: columns(),
            legend: LEGEND,
            says: self.says.iter().map(|text| visible(text)).collect(),
            ..ResultTable::default()
        };
        for workload in &self.rows {
            let first = table.rows.len();
            table.rows.extend(rows(workload, record));
            table.parts.push(Part {
                caption: visible(&workload.title),
                heading: visible(&workload.title),
                columns: vec![1, 2, 3, 4, 5, 10, 16],
                first_to_go: vec![3, 5, 16, 4],
                rows: first..table.rows.len(),
                ..Part::default()
            });
        }
        table
    }
}

/// Each target, and their sum behind them.
fn rows(of: &TogetherRow, record: &RunRecord) -> impl Iterator<Item = ResultRow> {
    let row = |name: String, job, alone, together, share| ResultRow {
        job,
        title: visible(&of.title),
        figures: figures(of, name, job.is_none(), alone, together, share),
        ..ResultRow::default()
    };
    let member = |member: &super::Member| row(record.given(member.target), Some(member.job), member.alone, member.together, member.share);
    let members: Vec<ResultRow> = of.members.iter().map(member).collect();
    members.into_iter().chain([row(format!("all {}, added up", of.members.len()), None, of.apart, of.together, of.share)])
}

fn figures(of: &TogetherRow, name: String, is_sum: bool, alone: Rates, together: Rates, share: Estimate) -> Vec<Figure> {
    let other = if of.metric == Metric::Throughput { Metric::Iops } else { Metric::Throughput };
    let scale = Scale::of(of.metric, alone.by(of.metric).median.max(together.by(of.metric).median));
    let main = |rates: Rates| scale.with_interval(&rates.by(of.metric)).into();
    let in_other = |rates: Rates| other.show(rates.by(other).median).into();
    let only = |metric: Metric, rates: Rates| Some(rates.by(metric)).filter(|_| metric == of.metric);
    let of_sum = |metric: Metric| only(metric, alone).filter(|_| is_sum);
    vec![
        visible(&of.title).into(),
        name.into(),
        main(alone),
        in_other(alone),
        main(together),
        in_other(together),
        alone.iops.into(),
        alone.bytes_per_s.into(),
        together.iops.into(),
        together.bytes_per_s.into(),
        in_percent(share).into(),
        of_sum(Metric::Iops).into(),
        of_sum(Metric::Throughput).into(),
        only(Metric::Iops, together).into(),
        only(Metric::Throughput, together).into(),
        share.into(),
        share.runs.into(),
    ]
}

/// `62.8 % (51.7 to 81.1)`.
fn in_percent(share: Estimate) -> String {
    let digits = |share: f64| three_digits(share * 100.0);
    let ends = if share.runs > 1 { format!(" ({} to {})", digits(share.low), digits(share.high)) } else { String::new() };
    format!("{} %{ends}", digits(share.median))
}
