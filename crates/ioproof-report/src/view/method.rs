//! The way in which a run was measured: command, span, content, plan, engine, time and self-test.

use super::facts::MOST_LISTED;
use super::section::{Fact, fact};
use super::targets;
use ioproof_core::plan::Plan;
use ioproof_core::record::{Config, JobRecord, RunRecord, SelfTest, TargetRecord};
use ioproof_core::units::{decimal_size, duration, iops, latency, percent};
use std::time::Duration;

pub(super) fn facts(record: &RunRecord) -> Vec<Fact> {
    let mut facts = vec![fact("command", record.config.command.join(" "), "")];
    facts.extend(span_facts(record));
    facts.extend(content_facts(record));
    facts.extend(record.plan.iter().flat_map(plan_facts));
    facts.push(fact("engine", engine_words(record), ""));
    facts.push(fact("time asked for", time_words(&record.config), ""));
    facts.push(fact("seed", record.config.seed.to_string(), ""));
    facts.extend(record.self_test.as_ref().map(|test| fact("self-test", self_test_words(test), "")));
    let datasheets = record.targets.iter().filter_map(|target| target.datasheet.as_ref());
    facts.extend(datasheets.map(|used| fact("datasheet chosen by", &used.chosen_by, "")));
    facts
}

fn time(ns: u64) -> String {
    duration(Duration::from_nanos(ns))
}

fn time_words(config: &Config) -> String {
    let time = Duration::try_from_secs_f64(config.time_s).map_or_else(|_| "unknown".to_owned(), duration);
    if config.quick { format!("{time}, --quick") } else { time }
}

/// The part of the target that is used; once where all jobs use the same, else for each job.
fn span_facts(record: &RunRecord) -> Vec<Fact> {
    let mut spans: Vec<(String, String)> = Vec::new();
    for job in &record.jobs {
        let words = span_words(record, job);
        if !spans.iter().any(|(_, known)| *known == words) {
            spans.push((job.title(), words));
        }
    }
    match spans.as_slice() {
        [(_, words)] => vec![fact("span", words, "")],
        _ => spans.iter().map(|(job, words)| fact("span", format!("{job}: {words}"), "")).collect(),
    }
}

fn span_words(record: &RunRecord, job: &JobRecord) -> String {
    let size_bytes = record.targets_of(job).next().map_or(0, |target| target.facts.size_bytes);
    let of = if size_bytes == 0 { 1.0 } else { job.span.length_bytes as f64 / size_bytes as f64 };
    format!("{} from byte {}, {} of the target", decimal_size(job.span.length_bytes), job.span.offset_bytes, percent(of))
}

/// The content of each target; with its name where there are several.
fn content_facts(record: &RunRecord) -> Vec<Fact> {
    let words = |target: &TargetRecord| match record.targets.len() {
        1 => targets::content_words(target),
        _ => format!("{}: {}", target.facts.given, targets::content_words(target)),
    };
    record.targets.iter().take(MOST_LISTED).map(|target| fact("content", words(target), "")).collect()
}

fn plan_facts(plan: &Plan) -> Vec<Fact> {
    vec![
        fact("a round", format!("{} measured after a ramp of {}", time(plan.measure_ns), time(plan.ramp_ns)), ""),
        fact("runs", runs_words(plan), ""),
        fact("order", "reads interleaved at random, then each write workload as one block", ""),
    ]
}

fn runs_words(plan: &Plan) -> String {
    let goal = format!("until the {} interval is within {} of the median", percent(plan.confidence), percent(plan.precision));
    if plan.min_runs == plan.max_runs {
        format!("{} of each workload", plan.min_runs)
    } else {
        format!("{} to {}, {goal}", plan.min_runs, plan.max_runs)
    }
}

fn engine_words(record: &RunRecord) -> String {
    let Some(engine) = record.parts().next().map(|part| &part.round.engine) else {
        return record.config.backend.clone();
    };
    let mut words = vec![engine.backend.clone()];
    words.extend(engine.features.iter().cloned());
    words.extend(engine.fallbacks.iter().map(|fallback| format!("not {fallback}")));
    format!("{}; clock {} at {:.0} ns a reading", words.join(", "), engine.clock, engine.clock_cost_ns)
}

/// What generator and host are capable of: what an I/O costs in the loop, the most that one worker can ask for, and how still the host is.
fn self_test_words(test: &SelfTest) -> String {
    let mut words = vec![format!("an I/O costs {} in the loop without the kernel", latency(test.loop_ns_per_io))];
    words.extend(test.ceiling_ios_per_s.map(|most| format!("one worker asks for at most {}", iops(most))));
    words.push(format!(
        "the CPU was taken away for {} at the longest and {} of {}",
        latency(test.jitter_ns_max as f64),
        percent(test.jitter_share),
        time(test.looked_ns)
    ));
    words.extend(test.punts.map(|punts| match punts {
        true => "this target makes io_uring hand I/O to kernel threads, which lengthens every latency".to_owned(),
        false => "io_uring hands no I/O of this target to kernel threads".to_owned(),
    }));
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_self_test_in_words() {
        let test =
            SelfTest { loop_ns_per_io: 80.0, jitter_ns_max: 40_000, jitter_share: 0.001, looked_ns: 500_000_000, ..SelfTest::default() };
        let words = self_test_words(&test);
        assert_eq!(
            words,
            "an I/O costs 80 ns in the loop without the kernel; the CPU was taken away for 40 µs at the longest and 0.1 % of 0.5 s"
        );
        let more = self_test_words(&SelfTest { ceiling_ios_per_s: Some(2.5e6), punts: Some(true), ..test });
        assert!(more.contains("at most 2500 kIOPS") && more.contains("kernel threads"), "{more}");
    }
}
