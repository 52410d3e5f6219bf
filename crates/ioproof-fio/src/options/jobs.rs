//! The job, its clones, and commands around it.

use super::kind::{COUNT, MOST, ValueKind};
use super::row::{OptionRow, approximated, flag, honoured, no_effect, put, put_some, refused};
use crate::settings::ExitWhat;

pub(super) const JOB: &[OptionRow] = &[
    honoured("name", ValueKind::Text, |s, v| put_some(&mut s.name, v.owned()))
        .says("Name of the job in reports. On the command line it begins a job."),
    honoured("description", ValueKind::Text, |s, v| put_some(&mut s.description, v.owned())).says("Text that is shown with the job."),
    honoured("kb_base", ValueKind::Word(&["1024", "1000"]), |s, v| put(&mut s.thousands, v.text().map(|n| n == "1000"))).says(
        "Bytes of `k` in values and the prefixes that the report prefers; 1024 by default, where `4Ki` is 4096 but `4KiB` is 4000 bytes.",
    ),
    honoured("unit_base", ValueKind::Word(&["0", "8", "1"]), |s, v| put(&mut s.unit_base, v.whole_as()))
        .says("Whether rates in text are in bytes (8) or bits (1); 0, the default, is bytes."),
    refused("profile", ValueKind::Text, "fio's built-in benchmarks are not included; write what they do as jobs")
        .says("A benchmark that is built into fio."),
];

pub(super) const START: &[OptionRow] = &[
    honoured("numjobs", ValueKind::Whole(1, MOST), |s, v| put(&mut s.start.clones, v.whole_as()))
        .says("Clones of the job that run side by side; 1 by default."),
    flag("thread", |s| &mut s.start.thread).says("Clones are threads; they always are here, where fio makes processes without it."),
    no_effect("threads", ValueKind::Whole(0, MOST), "fio takes it and does nothing with it; numjobs makes clones")
        .says("Nothing: fio takes it and does nothing with it."),
    flag("stonewall", |s| &mut s.start.stonewall)
        .says("The job starts when all jobs before it have ended, in a group of its own.")
        .or(&["wait_for_previous"]),
    honoured("wait_for", ValueKind::Text, |s, v| put_some(&mut s.start.wait_for, v.owned()))
        .says("The job starts when all clones of this one have ended, which must come before it."),
    flag("new_group", |s| &mut s.start.new_group).says("The job begins a group of the report."),
    flag("exitall", |s| &mut s.start.exit_all).says("When the job ends it ends others too."),
    honoured("exit_what", ValueKind::Word(&["group", "stonewall", "all"]), |s, v| {
        s.start.exit_what = match v.text()? {
            "stonewall" => ExitWhat::Stonewall,
            "all" => ExitWhat::All,
            _ => ExitWhat::Group,
        };
        Ok(())
    })
    .says("Whom exitall ends: its group, all that run, or all; `group` by default."),
    flag("exitall_on_error", |s| &mut s.start.exit_all_on_error).says("When the job fails it ends the others too."),
    honoured("flow_id", COUNT, |s, v| put(&mut s.start.flow_id, v.whole_as()))
        .says("The flow that the job belongs to, where flow gives it a part; 0 by default."),
    approximated("flow", ValueKind::Whole(-1000, 1000), |s, v| put(&mut s.start.flow_weight, v.whole_as()))
        .differs("a clone may be ahead of its part by a round of each clone's parts, and by up to a hundredth of what was done, at most 64 rounds; one that starts later is given no I/Os for the time before. With a number below 0 in a flow all its numbers mean what they did in fio 3.5, where fio 3.33 holds back all jobs but that one")
        .says("The part of each clone in the I/Os of its flow: of two that run, one with 3 starts three times as many as one with 1, and waits for it. Latencies do not hold such waits. \
         Where one is below 0, of two the one with 8 starts an eighth of the other's, which has -1. 0, no flow, by default."),
    approximated("flow_sleep", COUNT, |s, v| put(&mut s.start.flow_sleep_ns, v.whole_as::<u64>().map(|us| us.saturating_mul(1000))))
        .differs("a clone that is ahead goes on taking completions, and looks again after each of them too; the time is at least 200 us")
        .says("How long a clone waits that is ahead of its part, before it looks again, microseconds; 0 by default."),
    no_effect("flow_watermark", ValueKind::Text, "fio 3.33 takes it and does nothing with it; no clone is ahead by more than flow says")
        .says("Nothing: how far a clone could be ahead of its part in fio 3.5."),
];

const ASKED: &str = "commands are run only with --allow-exec, those before all jobs at the start and those after at the end, and what they print is dropped";

pub(super) const HOOKS: &[OptionRow] = &[
    approximated("exec_prerun", ValueKind::Text, |s, v| put_some(&mut s.hooks.before, v.owned()))
        .differs(ASKED)
        .says("A command of the shell before the job."),
    approximated("exec_postrun", ValueKind::Text, |s, v| put_some(&mut s.hooks.after, v.owned()))
        .differs(ASKED)
        .says("A command of the shell after the job."),
];
