//! Trims while verifying.

use super::kind::{COUNT, Kind};
use super::row::{Row, no_effect, refused_unless_off};

const WHY: &str =
    "written blocks are not trimmed while they are verified; let jobs with rw=write, rw=trim and rw=read follow each other with stonewall";

pub(super) const ROWS: &[Row] = &[
    refused_unless_off("trim_percentage", Kind::Whole(0, 100), WHY, "Share of the written blocks that are trimmed, percent; 0 by default."),
    no_effect(
        "trim_verify_zero",
        Kind::Bool,
        "it bears on trim_percentage only, which is refused",
        "Whether trimmed blocks must read as zeros; 1 by default.",
    ),
    refused_unless_off("trim_backlog", COUNT, WHY, "Blocks are trimmed after so many writes."),
    refused_unless_off("trim_backlog_batch", COUNT, WHY, "How many blocks are trimmed at once."),
];
