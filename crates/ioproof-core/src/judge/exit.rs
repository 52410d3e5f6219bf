//! The exit status of a run, decided here for every verb and stored with the judgement.
//!
//! 1 when data was lost, or a claim, the limit of a program or the share of a filesystem is missed; else 2 when a job failed or nothing could be judged; else 3 when something cannot be told, a figure is not the
//! drive's, or the run ended early or is not steady; else 0. A job file without claims judges nothing: figures of a cache or unsteady ones are said and end
//! it with 0, because its author may want just that, unless it was to be strict.

use crate::finding::Effect;
use crate::findings;
use crate::judgement::Judgement;
use crate::measured::Context;
use crate::record::{Purpose, RoundOutcome, RunRecord, RunStatus};
use crate::search::{Answer, Ending, Searched};
use crate::standard::MOST_ROUNDS;
use crate::units::{iops, latency};
use crate::verdict::{Row, Verdict};

/// The status and the reason for it in a few words, of a judgement that has all but these.
pub(super) fn status(context: &Context, judged: &Judgement) -> (u8, String) {
    let record = context.record;
    if let Some(lost) = findings::lost(record) {
        return (1, findings::describe_loss(record, &lost));
    }
    let nothing = !judged.rows.iter().any(|r| r.measured.is_some()) && context.measured.iter().all(|m| m.rounds.is_empty());
    let is_job_file = record.plan.is_none();
    let missed = goals(judged, Verdict::Misses);
    match &record.status {
        RunStatus::Failed { reason } | RunStatus::Hung { reason } if nothing || is_job_file => (2, reason.clone()),
        RunStatus::Interrupted if nothing => (3, in_its_first_round(record)),
        RunStatus::Complete if nothing && is_job_file => (0, "nothing was measured: no job moved data of its own".into()),
        _ if nothing && finds_no_rate(record) => without_rate(record),
        _ if nothing => (2, "nothing was measured".into()),
        _ if judged.count(Verdict::Misses) > 0 => (1, format!("{} missed", claims(judged.count(Verdict::Misses)))),
        _ if !missed.is_empty() => (1, format!("{missed} missed")),
        RunStatus::Interrupted | RunStatus::Running => (3, "interrupted".into()),
        RunStatus::Hung { reason } | RunStatus::Failed { reason } => (3, reason.clone()),
        RunStatus::Complete => complete(context, judged),
    }
}

/// Words for a run that was interrupted before a round of it came to its end.
fn in_its_first_round(record: &RunRecord) -> String {
    let of = |purpose: Purpose| {
        let stages = record.stages.iter().filter(move |stage| stage.purpose == purpose);
        stages.flat_map(|stage| &stage.rounds).filter(|round| round.ios() > 0)
    };
    if let Some(round) = of(Purpose::Measure).max_by_key(|round| round.elapsed_ns) {
        let (time, rate) = (latency(round.elapsed_ns as f64), iops(round.iops()));
        return format!("interrupted in the first run, after {time} at {rate}, so that no run is complete");
    }
    match of(Purpose::Search).next_back() {
        Some(last) => {
            let (steps, rate) = (of(Purpose::Search).count(), iops(last.iops()));
            format!("interrupted in the search for a rate, in step {steps} at {rate}, so that nothing was measured at a rate that holds")
        }
        None => "interrupted before anything was measured".into(),
    }
}

/// True where a rate was searched for that keeps a latency, and none was found.
fn finds_no_rate(record: &RunRecord) -> bool {
    !record.searches.is_empty() && record.searches.iter().all(|search| search.found.is_none())
}

/// Says why. A rate that the drive did not deliver, and one with too few I/Os for the percentile, are no misses.
fn without_rate(record: &RunRecord) -> (u8, String) {
    let misses = |search: &Searched| search.steps.iter().any(|step| step.answer == Answer::TooSlow);
    let is_all = |search: &Searched| search.ending == Ending::NothingHolds;
    match () {
        () if record.searches.iter().all(is_all) => (2, "the latency target was missed at every rate that was tried".into()),
        () if record.searches.iter().all(misses) => (2, "the latency target was missed at every rate that could be told".into()),
        () => (3, "the latency target cannot be told: at the rates that were delivered there were too few I/Os for its percentile; give it longer (--time)".into()),
    }
}

/// A run that went through to its end, with no claim missed.
fn complete(context: &Context, judged: &Judgement) -> (u8, String) {
    let (record, Judgement { rows, findings, .. }) = (context.record, judged);
    let is_invalid = |row: &&Row| row.measured.is_some() && row.reasons.iter().any(|r| r.effect == Effect::Invalid && r.about != "runs");
    let invalid = rows.iter().filter(is_invalid).count();
    // Several findings may be of one job.
    let measured = || context.measured.iter().filter(|m| !m.all.is_empty());
    let is_unsteady = |job: u32| findings.iter().any(|f| f.effect == Effect::Unsteady && f.subject.concerns(job));
    let unsteady: Vec<String> = measured().filter(|m| is_unsteady(m.index)).map(|m| m.job.title_with_depth()).collect();
    // Of a single one the finding says what is the matter.
    let only = findings.iter().find(|f| f.effect == Effect::Unsteady).filter(|_| measured().count() == 1);
    let failed = record.stages.iter().flat_map(|stage| &stage.rounds).any(|r| r.outcome == RoundOutcome::Failed);
    let database = record.stages.iter().flat_map(|stage| &stage.databases).find_map(|round| round.error.as_ref());
    let (open, met) = (goals(judged, Verdict::CannotTell), goals(judged, Verdict::Meets));
    let doubt = if record.plan.is_none() && !record.config.strict && !record.has_datasheet() { 0 } else { 3 };
    if let Some(error) = database {
        return (3, format!("a database failed: {error}"));
    }
    let unsettled: Vec<&str> = judged.results.standard.iter().flat_map(|of| of.unsteady()).map(|of| of.test.title()).collect();
    match () {
        () if failed => (3, "I/O failed".into()),
        () if !unsettled.is_empty() => (3, format!("not steady in {MOST_ROUNDS} rounds: {}", unsettled.join(", "))),
        () if judged.count(Verdict::CannotTell) > 0 => (3, format!("{} cannot be told", claims(judged.count(Verdict::CannotTell)))),
        () if !open.is_empty() => (3, format!("{open} cannot be told")),
        () if invalid > 0 => (doubt, format!("{invalid} of {} figures are not the drive's", rows.len())),
        () if !unsteady.is_empty() => {
            let all = || format!("{} of {} {} not steady: {}", unsteady.len(), measured().count(), loads(record), first_of(&unsteady));
            (doubt, only.map_or_else(all, |f| f.title.clone()))
        }
        () if !met.is_empty() => (0, format!("{met} met")),
        () if record.verb == crate::layers::VERB => (0, "measured; no share of a filesystem was judged".into()),
        () if !record.has_datasheet() => (0, "measured without a datasheet".into()),
        () if judged.count(Verdict::Meets) > 0 => (0, format!("{} met, none missed", claims(judged.count(Verdict::Meets)))),
        () => match findings.iter().find(|f| f.effect == Effect::Incomparable) {
            Some(found) => (3, format!("no claim was judged: {}", found.title)),
            None => (0, "indicative only: no claim was run under its own conditions".into()),
        },
    }
}

/// The limits of programs and the shares of filesystems with this answer: `the limit of etcd`; empty where none has it.
fn goals(judged: &Judgement, verdict: Verdict) -> String {
    if judged.results.layers.as_ref().is_some_and(|layers| layers.verdicts.iter().any(|told| told.verdict == verdict)) {
        return "the filesystem's share of reads past it".to_owned();
    }
    let all = judged.results.syncs.iter().flat_map(|syncs| &syncs.goals).filter(|goal| goal.verdict == verdict);
    let names: Vec<&str> = all.map(|goal| goal.goal.name.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("the limit of {}", names.join(", ")) }
}

/// The first name and how many more there are.
fn first_of(names: &[String]) -> String {
    let more = names.len().saturating_sub(1);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.first().map_or_else(String::new, |first| format!("{first}{more}"))
}

/// The rows of a run, as its author calls them.
fn loads(record: &RunRecord) -> &'static str {
    if record.plan.is_some() { "workloads" } else { "jobs" }
}

fn claims(n: usize) -> String {
    if n == 1 { "1 claim".into() } else { format!("{n} claims") }
}
