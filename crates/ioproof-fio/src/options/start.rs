//! Clones, groups, and the order in which jobs run.

use super::kind::{COUNT, Kind, MOST};
use super::row::{Row, honoured, no_effect, put, put_some, refused_unless_off};
use crate::settings::ExitWhat;

const FLOW: &str = "jobs do not wait for each other's I/O; give each a rate of its own with rate_iops";

pub(super) const ROWS: &[Row] = &[
    honoured("numjobs", Kind::Whole(1, MOST), "Clones of the job that run side by side; 1 by default.", |s, v| {
        put(&mut s.start.clones, v.whole_as())
    }),
    honoured("thread", Kind::Flag, "Clones are threads; they always are here, where fio makes processes without it.", |s, v| {
        put(&mut s.start.thread, v.flag())
    }),
    honoured("stonewall", Kind::Flag, "The job starts when all jobs before it have ended, in a group of its own.", |s, v| {
        put(&mut s.start.stonewall, v.flag())
    })
    .or(&["wait_for_previous"]),
    honoured("wait_for", Kind::Text, "The job starts when all clones of this one have ended, which must come before it.", |s, v| {
        put_some(&mut s.start.wait_for, v.owned())
    }),
    honoured("new_group", Kind::Flag, "The job begins a group of the report.", |s, v| put(&mut s.start.new_group, v.flag())),
    honoured("exitall", Kind::Flag, "When the job ends it ends others too.", |s, v| put(&mut s.start.exit_all, v.flag())),
    honoured(
        "exit_what",
        Kind::Word(&["group", "stonewall", "all"]),
        "Whom exitall ends: its group, all that run, or all; `group` by default.",
        |s, v| {
            s.start.exit_what = match v.text()? {
                "stonewall" => ExitWhat::Stonewall,
                "all" => ExitWhat::All,
                _ => ExitWhat::Group,
            };
            Ok(())
        },
    ),
    honoured("exitall_on_error", Kind::Flag, "When the job fails it ends the others too.", |s, v| {
        put(&mut s.start.exit_all_on_error, v.flag())
    }),
    no_effect("flow_id", COUNT, "it names what flow= bears on, which is refused", "The flow that the job belongs to; 0 by default."),
    refused_unless_off("flow", Kind::Whole(0, 1000), FLOW, "The job's part of the I/Os of its flow; 0, no flow, by default."),
    no_effect(
        "flow_sleep",
        COUNT,
        "it bears on flow= only, which is refused",
        "How long a job waits whose flow is ahead, microseconds; 0 by default.",
    ),
];
