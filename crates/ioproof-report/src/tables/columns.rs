//! The columns of each table, in their order.

use super::Table;

/// The type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A whole number from 0 on.
    Count,
    Number,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: Kind,
}

impl Column {
    /// The column of this name, at whose end a `#` marks whole numbers and a `.` other numbers.
    pub(super) fn new(name: &'static str) -> Self {
        match (name.strip_suffix('#'), name.strip_suffix('.')) {
            (Some(name), _) => Self { name, kind: Kind::Count },
            (_, Some(name)) => Self { name, kind: Kind::Number },
            _ => Self { name, kind: Kind::Text },
        }
    }
}

/// Which run, and what takes weight from all of its figures.
const RUN: &str = "run_id run_status started_at verb host warnings";
/// Targets and drives under load.
const JOB: &str = "job targets drive serial firmware datasheet";
/// The load.
const CONDITIONS: &str =
    "workload op pattern read_percent# trim_percent# block_size_bytes# workers# queue_depth_per_worker# queue_depth_total# sync special";
const FIGURE: &str = "metric statistic value. unit low. high.";
/// The rounds behind a figure, and the way to its ends.
const INTERVAL: &str = "runs# interval_method interval_coverage.";
const JUDGED: &str = "claimed. match. match_low. match_high. threshold. verdict doubt reasons limited_by claim curve backend";
const OF_ROUND: &str = "round# stage# purpose repetition# round_started_at outcome device device_jobs text backend slice_end_ns#";

fn columns(parts: &[&'static str]) -> Vec<Column> {
    parts.iter().flat_map(|part| part.split_whitespace()).map(Column::new).collect()
}

pub(super) fn of(table: Table) -> Vec<Column> {
    match table {
        Table::Results => columns(&[RUN, JOB, CONDITIONS, FIGURE, INTERVAL, JUDGED]),
        Table::Latency => columns(&[RUN, JOB, CONDITIONS, FIGURE, INTERVAL, "timed samples# backend"]),
        Table::Rounds => columns(&[RUN, JOB, CONDITIONS, FIGURE, OF_ROUND]),
        Table::Notes => columns(&[RUN, "kind severity subject rule text evidence effect remedy"]),
    }
}

/// A drive of a fleet and one of its figures.
const FLEET: &str = "node run_id run_status started_at version model firmware serial capacity_bytes# link link_bytes_per_s. link_capable_bytes_per_s. \
                     used_percent. health exit_status# faults workload metric statistic value. unit low. high. runs# claimed. match. verdict doubt \
                     median. share_of_median.";

/// Those of a table that is one day's have no column for it: the name of its folder is the column.
pub(super) fn fleet(has_day: bool) -> Vec<Column> {
    if has_day { columns(&["day", FLEET]) } else { columns(&[FLEET]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_unique_and_shared_ones_stand_first() {
        for table in Table::ALL.map(of) {
            let names: Vec<&str> = table.iter().map(|column| column.name).collect();
            assert!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)), "{names:?}");
            assert!(names.join(" ").starts_with(RUN));
        }
    }
}
