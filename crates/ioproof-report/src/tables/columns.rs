//! The columns of each table, in their order.

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

/// Which run, and what takes weight from all of its figures. Here and below a `#` ends the names of whole numbers, a `.` those of other numbers.
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
    let column = |name: &'static str| match (name.strip_suffix('#'), name.strip_suffix('.')) {
        (Some(name), _) => Column { name, kind: Kind::Count },
        (_, Some(name)) => Column { name, kind: Kind::Number },
        _ => Column { name, kind: Kind::Text },
    };
    parts.iter().flat_map(|part| part.split_whitespace()).map(column).collect()
}

pub(super) fn results() -> Vec<Column> {
    columns(&[RUN, JOB, CONDITIONS, FIGURE, INTERVAL, JUDGED])
}

pub(super) fn latency() -> Vec<Column> {
    columns(&[RUN, JOB, CONDITIONS, FIGURE, INTERVAL, "timed samples# backend"])
}

pub(super) fn rounds() -> Vec<Column> {
    columns(&[RUN, JOB, CONDITIONS, FIGURE, OF_ROUND])
}

pub(super) fn notes() -> Vec<Column> {
    columns(&[RUN, "kind severity subject rule text evidence effect remedy"])
}

/// A drive of a fleet and one of its figures.
const FLEET: &str = "node run_id run_status started_at version model firmware serial capacity_bytes# link link_bytes_per_s. link_capable_bytes_per_s. \
                     used_percent. health exit_status# faults workload metric statistic value. unit low. high. runs# claimed. match. verdict doubt \
                     median. share_of_median.";

/// Those of a table that is one day's have no column for it: the name of its folder is the column.
pub(crate) fn fleet(has_day: bool) -> Vec<Column> {
    if has_day { columns(&["day", FLEET]) } else { columns(&[FLEET]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_unique_and_shared_ones_stand_first() {
        for table in [results(), latency(), rounds(), notes()] {
            let names: Vec<&str> = table.iter().map(|column| column.name).collect();
            assert!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)), "{names:?}");
            assert!(names.join(" ").starts_with(RUN));
        }
    }
}
