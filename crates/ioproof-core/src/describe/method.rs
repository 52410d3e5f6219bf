//! The way in which a run was measured: command, span, content, plan, engine, time and self-test.

use super::{Fact, MOST_LISTED, MOST_NAMED, fact, listed, targets};
use crate::plan::Plan;
use crate::record::{Config, EngineFacts, JobRecord, RunRecord, SelfTest, TargetRecord};
use crate::units::{binary_size, decimal_size, duration, iops, latency, percent};
use crate::{layers, sweep, syncs};
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) fn facts(record: &RunRecord) -> Vec<Fact> {
    let mut facts = vec![fact("command", record.config.command.join(" "), "")];
    facts.extend(by_job("span", record.jobs.iter().map(|job| (job, describe_span(record, job)))));
    facts.extend(content_facts(record));
    facts.extend(record.plan.iter().flat_map(|plan| plan_facts(plan, &record.verb)));
    facts.extend(engine_facts(record));
    facts.push(fact("time asked for", describe_time(&record.config), ""));
    facts.push(fact("seed", record.config.seed.to_string(), ""));
    facts.extend(record.self_test.as_ref().map(|test| fact("self-test", describe_self_test(test), "")));
    let datasheets = record.targets.iter().filter_map(|target| target.datasheet.as_ref());
    facts.extend(datasheets.map(|used| fact("datasheet chosen by", &used.chosen_by, "")));
    facts
}

fn time(ns: u64) -> String {
    duration(Duration::from_nanos(ns))
}

fn describe_time(config: &Config) -> String {
    let time = Duration::try_from_secs_f64(config.time_s).map_or_else(|_| "unknown".to_owned(), duration);
    if config.quick { format!("{time}, --quick") } else { time }
}

/// A fact that jobs have in common or not: once where all of them agree, else once for each value with the jobs of which it is true.
fn by_job<'a>(name: &str, values: impl Iterator<Item = (&'a JobRecord, String)>) -> Vec<Fact> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for (job, value) in values {
        let title = job.title();
        match found.iter_mut().find(|(known, _)| *known == value) {
            Some((_, jobs)) if jobs.contains(&title) => {}
            Some((_, jobs)) => jobs.push(title),
            None => found.push((value, vec![title])),
        }
    }
    let with_jobs = |(value, jobs): &(String, Vec<String>)| {
        let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
        fact(name, format!("{}: {value}", listed(&jobs, MOST_NAMED).unwrap_or_default()), "")
    };
    match found.as_slice() {
        [(value, _)] => vec![fact(name, value, "")],
        several => several.iter().take(MOST_LISTED).map(with_jobs).collect(),
    }
}

/// The part of the target that is used.
fn describe_span(record: &RunRecord, job: &JobRecord) -> String {
    let size_bytes = record.targets_of(job).next().map_or(0, |target| target.facts.size_bytes);
    let of = if size_bytes == 0 { 1.0 } else { job.span.length_bytes as f64 / size_bytes as f64 };
    format!("{} from byte {}, {} of the target", decimal_size(job.span.length_bytes), job.span.offset_bytes, percent(of))
}

/// The content of each target; with its name where there are several.
fn content_facts(record: &RunRecord) -> Vec<Fact> {
    let text = |target: &TargetRecord| match record.targets.len() {
        1 => targets::describe_content(target),
        _ => targets::describe_content(target).map(|content| format!("{}: {content}", target.facts.given)),
    };
    record.targets.iter().filter_map(text).take(MOST_LISTED).map(|content| fact("content", content, "")).collect()
}

/// The engine of each job; without a round the backend that was asked for.
fn engine_facts(record: &RunRecord) -> Vec<Fact> {
    let mut facts = by_job("engine", record.parts().map(|part| (part.job, describe_engine(&part.round.engine))));
    if facts.is_empty() {
        return vec![fact("engine", &record.config.backend, "")];
    }
    facts.extend(clock_fact(record));
    facts
}

/// The clock, whose cost differs a little from round to round.
fn clock_fact(record: &RunRecord) -> Option<Fact> {
    let costs = || record.parts().map(|part| part.round.engine.clock_cost_ns);
    let names: BTreeSet<&str> = record.parts().map(|part| part.round.engine.clock.as_str()).collect();
    let (least, most) = (costs().reduce(f64::min)?, costs().reduce(f64::max)?);
    let names: Vec<&str> = names.into_iter().collect();
    let cost = if format!("{least:.0}") == format!("{most:.0}") { format!("{least:.0}") } else { format!("{least:.0} to {most:.0}") };
    Some(fact("clock", format!("{} at {cost} ns a reading", listed(&names, MOST_NAMED)?), ""))
}

fn plan_facts(plan: &Plan, verb: &str) -> Vec<Fact> {
    vec![fact("a round", describe_round(plan), ""), fact("runs", describe_runs(plan), ""), fact("order", order(plan, verb), "")]
}

fn describe_round(plan: &Plan) -> String {
    match plan.measure_ns_range() {
        (least, most) if least == most => format!("{} measured after a ramp of {}", time(plan.measure_ns), time(plan.ramp_ns)),
        (least, most) => {
            format!("{} to {} measured, the longer the larger its blocks, after a ramp of a quarter of that", time(least), time(most))
        }
    }
}

fn order(plan: &Plan, verb: &str) -> &'static str {
    match plan.halves {
        _ if verb == syncs::VERB => "sequential ways, then random ones: each once, then again in passes of random order",
        _ if verb == layers::VERB => "layers in turns, forwards in one and backwards in the next",
        _ if verb == sweep::VERB => {
            "reads, then sequential writes, then random ones: of each the series are climbed, then repeated in passes of random order"
        }
        true => "in two halves, each: reads interleaved at random, then each write workload as one block",
        false => "reads interleaved at random, then each write workload as one block",
    }
}

fn describe_runs(plan: &Plan) -> String {
    let goal = format!("until the {} interval is within {} of the median", percent(plan.confidence), percent(plan.precision));
    if plan.min_runs == plan.max_runs {
        format!("{} of each workload", plan.min_runs)
    } else {
        format!("{} to {}, {goal}", plan.min_runs, plan.max_runs)
    }
}

fn describe_engine(engine: &EngineFacts) -> String {
    let mut parts = vec![engine.backend.clone()];
    parts.extend(engine.features.iter().cloned());
    parts.extend(engine.fallbacks.iter().map(|fallback| format!("not {fallback}")));
    let map = |bytes| format!("no map of visited blocks, which would take {}, so that blocks come with repetition", binary_size(bytes));
    parts.extend(engine.map_left_out_bytes.map(map));
    parts.extend(engine.ended_in_ramp.then(|| "no ramp: the job ended before it did, and all of it is measured".to_owned()));
    parts.join(", ")
}

/// The abilities of generator and host: cost of an I/O in the loop, the highest rate of one worker, and the share of time that was taken from it.
fn describe_self_test(test: &SelfTest) -> String {
    let mut parts = vec![format!("an I/O costs {} in the loop without the kernel", latency(test.loop_ns_per_io))];
    parts.extend(test.ceiling_ios_per_s.map(|most| format!("one worker asks for at most {}", iops(most))));
    parts.push(format!(
        "the generator lost its CPU for {} at the longest and {} of {}",
        latency(test.jitter_ns_max as f64),
        percent(test.jitter_share),
        time(test.looked_ns)
    ));
    parts.extend(test.punts.map(|punts| match punts {
        true => "this target makes io_uring hand I/O to kernel threads, which lengthens every latency".to_owned(),
        false => "io_uring hands no I/O of this target to kernel threads".to_owned(),
    }));
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_self_test_in_words() {
        let test =
            SelfTest { loop_ns_per_io: 80.0, jitter_ns_max: 40_000, jitter_share: 0.001, looked_ns: 500_000_000, ..SelfTest::default() };
        let words = describe_self_test(&test);
        assert_eq!(
            words,
            "an I/O costs 80 ns in the loop without the kernel; the generator lost its CPU for 40 µs at the longest and 0.1 % of 0.5 s"
        );
        let more = describe_self_test(&SelfTest { ceiling_ios_per_s: Some(2.5e6), punts: Some(true), ..test });
        assert!(more.contains("at most 2500 kIOPS") && more.contains("kernel threads"), "{more}");
    }
}
