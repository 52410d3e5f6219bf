//! Estimates of the time that a run takes, as they are said before it: by its opening line, by `--dry-run`, and by a warning where `--time` is less than
//! the run can take.

use crate::request::PlanRequest;
use crate::sources::rate_search;
use ioproof_core::plan::Plan;
use ioproof_core::units::duration;
use ioproof_process::messages;
use std::time::Duration;

/// Time that the self-test and looking at the drives take. Nanoseconds.
const BEFORE_NS: u64 = 500_000_000;
/// Time that starting a run and its counters take. Nanoseconds.
const STAGE_NS: u64 = 50_000_000;
/// Rate at which a drive of today is filled, by and large. Bytes per second.
const FILL_BYTES_PER_S: f64 = 1e9;

/// Share of all time that measuring has where the target is filled first.
const MEASURED_SHARE: f64 = 0.65;

/// The least time that a plan takes, however little it was given, in whole seconds: the self-test, filling, searches for a rate, and one run of each workload.
fn least(plan: &Plan, searches: bool) -> Duration {
    let fill_s = if plan.fill { plan.span.length_bytes as f64 / FILL_BYTES_PER_S } else { 0.0 };
    let search_s = if searches { rate_search::least(plan).as_secs_f64() } else { 0.0 };
    Duration::from_secs_f64((BEFORE_NS as f64 / 1e9 + fill_s + search_s + runs_s(plan)).ceil())
}

/// Time that one run of each workload takes. Seconds.
fn runs_s(plan: &Plan) -> f64 {
    let rounds = plan.rounds();
    plan.all().map(|planned| rounds.round_ns_of(&planned.workload).saturating_add(STAGE_NS) as f64 / 1e9).sum()
}

/// `about 60 s`, also where rates are searched for first; of a run that no time ends `6 runs of each`.
pub fn describe(plan: &Plan, searches: bool) -> String {
    match plan.time_limited {
        true => format!("about {}", duration(least(plan, searches).max(Duration::from_nanos(plan.time_ns)))),
        false => format!("{} runs of each", plan.max_runs),
    }
}

/// `6 to 30 runs of each, 1.2 s a run, about 60 s in all`; of blocks of several sizes `1.2 s to 9.6 s a run`.
pub fn runs_in_words(plan: &Plan, searches: bool) -> String {
    let runs = match (plan.min_runs, plan.max_runs) {
        (1, 1) => "1 run".to_owned(),
        (least, most) if least == most => format!("{most} runs"),
        (least, most) => format!("{least} to {most} runs"),
    };
    let in_all = if plan.time_limited { describe(plan, searches) } else { format!("about {}", duration(all(plan, searches))) };
    let fitting = fitting(plan).map(|n| if n == 1 { "about 1 run".to_owned() } else { format!("about {n} runs") });
    let runs = fitting.map_or(format!("{runs} of each"), |fitting| format!("{fitting} of each in this time ({runs} are meant)"));
    format!("{runs}, {} a run, {in_all} in all", round(plan))
}

/// Runs of each workload that the time has room for, where those are fewer than the least that were asked for; at least one.
fn fitting(plan: &Plan) -> Option<u32> {
    let fill_s = if plan.fill { plan.span.length_bytes as f64 / FILL_BYTES_PER_S } else { 0.0 };
    let room_s = plan.time_ns as f64 / 1e9 - BEFORE_NS as f64 / 1e9 - fill_s;
    let runs = (room_s / runs_s(plan).max(f64::MIN_POSITIVE)).floor().max(1.0);
    (plan.time_limited && runs < f64::from(plan.min_runs)).then_some(runs as u32)
}

/// The length of a round, or the shortest and the longest.
fn round(plan: &Plan) -> String {
    let rounds = plan.rounds();
    let lengths = || plan.all().map(|planned| rounds.round_ns_of(&planned.workload));
    let words = |ns: Option<u64>| duration(Duration::from_nanos(ns.unwrap_or(plan.round_ns())));
    let (shortest, longest) = (words(lengths().min()), words(lengths().max()));
    if shortest == longest { longest } else { format!("{shortest} to {longest}") }
}

/// Time that all runs take where only their number is given, in whole seconds.
fn all(plan: &Plan, searches: bool) -> Duration {
    let further = plan.max_runs.saturating_sub(1);
    least(plan, searches) + Duration::from_secs_f64((runs_s(plan) * f64::from(further)).ceil())
}

/// Says that the time that was asked for is too short for what is to be done in it.
pub fn warn(request: &PlanRequest, plan: &Plan) {
    let fewer = request.kind.row().fewer;
    if let Some((text, hint)) = too_short(request.time, plan, request.load.latency_target.is_some(), fewer) {
        messages::warning(&text);
        messages::hint(&hint);
    } else if let Some((text, hint)) = few_runs(request, plan) {
        messages::warning(&text);
        messages::hint(&hint);
    }
}

/// Says of ways of writing, whose figures are held against each other, that the time has no room for an interval of each.
fn few_runs(request: &PlanRequest, plan: &Plan) -> Option<(String, String)> {
    let needed = request.kind.row().needs_intervals;
    let (asked, fitting) = (request.time.filter(|_| needed)?, fitting(plan)?);
    let text =
        format!("--time {} has room for about {fitting} of the {} runs that are meant for each workload", shown(asked), plan.min_runs);
    Some((text, format!("give --time {}s or more, or fewer ways (--sync, --bs, --workers)", enough_s(plan))))
}

/// Time that has room for the least runs of each workload. Whole seconds.
fn enough_s(plan: &Plan) -> f64 {
    let share = if plan.fill { MEASURED_SHARE } else { 1.0 };
    (BEFORE_NS as f64 / 1e9 + runs_s(plan) * f64::from(plan.min_runs) / share).ceil()
}

fn too_short(asked: Option<Duration>, plan: &Plan, searches: bool, fewer: &str) -> Option<(String, String)> {
    let (asked, least) = (asked?, least(plan, searches));
    if !plan.time_limited || asked >= least {
        return None;
    }
    let fill = if plan.fill { ", filling" } else { "" };
    let search = if searches { ", searching" } else { "" };
    let workloads = plan.all().count();
    let parts = format!("self-test{fill}{search} and one run of each workload ({workloads}) take about {}", duration(least));
    let search_s = if searches { rate_search::least(plan).as_secs_f64().ceil() } else { 0.0 };
    let all_s = enough_s(plan) + search_s;
    let hint = format!("give --time {all_s}s or more for {} runs of each, or {fewer}", plan.min_runs);
    Some((format!("--time {} is too short: {parts}", shown(asked)), hint))
}

/// A time below a second in its own unit.
fn shown(time: Duration) -> String {
    if time < Duration::from_secs(1) { ioproof_core::units::latency(time.as_nanos() as f64) } else { duration(time) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;

    fn plan(words: &str, time: Duration) -> Plan {
        let plan = testing::record(&testing::load(words)).plan.unwrap();
        Plan { time_ns: time.as_nanos() as u64, ramp_ns: 50_000_000, measure_ns: 200_000_000, ..plan }
    }

    #[test]
    fn what_cannot_be_done_in_the_time_is_said() {
        let ms = Duration::from_millis(1);
        let short = plan("--rw randread,randwrite --workers 1", ms);
        assert_eq!(least(&short, false), Duration::from_secs(2), "0.5 s before, and twice 0.3 s");
        let (text, _) = too_short(Some(ms), &short, false, "fewer workloads (--rw)").unwrap();
        assert_eq!(text, "--time 1 ms is too short: self-test and one run of each workload (2) take about 2 s");
        assert_eq!(describe(&short, false), "about 2 s");
        assert_eq!(describe(&short, true), "about 7 s", "and twice 14 steps of 0.2 s");
        let filled = Plan { fill: true, span: ioproof_core::job::Span { length_bytes: 3_000_000_000, ..short.span }, ..short };
        assert_eq!(describe(&filled, false), "about 5 s");
    }

    #[test]
    fn runs_that_the_time_has_no_room_for_are_not_promised() {
        let short = Plan { min_runs: 6, max_runs: 30, ..plan("--rw randread,randwrite --workers 1", Duration::from_secs(2)) };
        assert!(
            runs_in_words(&short, false).starts_with("about 2 runs of each in this time (6 to 30 runs are meant), "),
            "{}",
            runs_in_words(&short, false)
        );
        assert_eq!(enough_s(&short), 5.0, "0.5 s before, and six times 0.6 s");
        let long = Plan { time_ns: 60_000_000_000, ..short };
        assert!(runs_in_words(&long, false).starts_with("6 to 30 runs of each, "), "{}", runs_in_words(&long, false));
    }

    #[test]
    fn a_time_that_suffices_stands() {
        let time = Duration::from_secs(60);
        let plan = plan("--rw randread,randwrite --workers 1", time);
        assert_eq!((too_short(Some(time), &plan, false, ""), describe(&plan, false).as_str()), (None, "about 60 s"));
        assert_eq!(too_short(None, &Plan { time_ns: 1, ..plan }, false, ""), None, "nobody asked for it");
    }
}
