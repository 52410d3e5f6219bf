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

const fn text(name: &'static str) -> Column {
    Column { name, kind: Kind::Text }
}

const fn count(name: &'static str) -> Column {
    Column { name, kind: Kind::Count }
}

const fn number(name: &'static str) -> Column {
    Column { name, kind: Kind::Number }
}

/// Which run, and what takes weight from all of its figures.
const RUN: [Column; 6] = [text("run_id"), text("run_status"), text("started_at"), text("verb"), text("host"), text("warnings")];

/// Targets and drives under load.
const JOB: [Column; 6] = [text("job"), text("targets"), text("drive"), text("serial"), text("firmware"), text("datasheet")];

/// The load.
const CONDITIONS: [Column; 11] = [
    text("workload"),
    text("op"),
    text("pattern"),
    count("read_percent"),
    count("trim_percent"),
    count("block_size_bytes"),
    count("workers"),
    count("queue_depth_per_worker"),
    count("queue_depth_total"),
    text("sync"),
    text("special"),
];

/// One figure.
const FIGURE: [Column; 6] = [text("metric"), text("statistic"), number("value"), text("unit"), number("low"), number("high")];

/// The rounds behind a figure, and the way to its ends.
const INTERVAL: [Column; 3] = [count("runs"), text("interval_method"), number("interval_coverage")];

pub(super) fn results() -> Vec<Column> {
    let judged = [
        number("claimed"),
        number("match"),
        number("match_low"),
        number("match_high"),
        number("threshold"),
        text("verdict"),
        text("doubt"),
        text("reasons"),
        text("limited_by"),
        text("claim"),
        text("curve"),
        text("backend"),
    ];
    [&RUN[..], &JOB, &CONDITIONS, &FIGURE, &INTERVAL, &judged].concat()
}

pub(super) fn latency() -> Vec<Column> {
    [&RUN[..], &JOB, &CONDITIONS, &FIGURE, &INTERVAL, &[text("timed"), count("samples"), text("backend")]].concat()
}

pub(super) fn rounds() -> Vec<Column> {
    let of_round = [
        count("round"),
        count("stage"),
        text("purpose"),
        count("repetition"),
        text("round_started_at"),
        text("outcome"),
        text("device"),
        text("device_jobs"),
        text("text"),
        text("backend"),
        count("slice_end_ns"),
    ];
    [&RUN[..], &JOB, &CONDITIONS, &FIGURE, &of_round].concat()
}

pub(super) fn notes() -> Vec<Column> {
    let of_note =
        [text("kind"), text("severity"), text("subject"), text("rule"), text("text"), text("evidence"), text("effect"), text("remedy")];
    [&RUN[..], &of_note].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_unique_and_shared_ones_stand_first() {
        for columns in [results(), latency(), rounds(), notes()] {
            let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
            assert!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)), "{names:?}");
            assert_eq!(names[..RUN.len()], RUN.map(|column| column.name));
        }
    }
}
