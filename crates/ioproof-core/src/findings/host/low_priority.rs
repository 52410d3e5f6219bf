//! This process stands back behind others that want the same: it is nice on CPUs that others use up, or its I/O has a low priority on a drive that others use.
//!
//! Niceness: sched(7). Priorities of I/O: ioprio_set(2); they are kept by the schedulers bfq and mq-deadline (`block/bfq-iosched.c`, `block/mq-deadline.c`) and by
//! no other. Without others who want the same a low priority holds nothing back.

use crate::findings::bytes::foreign_io;
use crate::findings::host::busy_host;
use crate::findings::prelude::*;
use crate::job::IoPriority;

rule! {
    name: "low-priority",
    about: "this process has a low priority on CPUs or on a drive that others use",
    check: Check::EachJob(of_job),
    limit: RuleLimit::of_host(Place::Priority, LimitConfidence::Likely, describe).looked_at(look),
}

/// `IOPRIO_CLASS_IDLE`, and the class between it and real time, whose levels go from 0 to 7 with 4 in the middle.
const IDLE: u8 = 3;
const BEST_EFFORT: u8 = 2;
const MIDDLE: u8 = 4;
/// Schedulers that keep priorities of I/O.
const KEEPERS: [&str; 2] = ["bfq", "mq-deadline"];

/// The low priority of a job, where others want the same, by what is found of them.
fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let bears = |found: &Finding| found.effect != Effect::None;
    let on_cpu = niceness(context).and_then(|figure| Some((figure, busy_host::of_job(measured).filter(bears)?)));
    let on_drive =
        || io_priority(context, measured).and_then(|figure| Some((figure, foreign_io::of_job(context, measured).filter(bears)?)));
    let (figure, found) = on_cpu.or_else(on_drive)?;
    Some(standing_back(measured, figure, &found))
}

fn standing_back(measured: &Measured, figure: Evidence, found: &Finding) -> Finding {
    let title = format!("this process stands back behind others: its {} is {}, and {}", figure.name, figure.describe(), found.title);
    let figures = std::iter::once(figure).chain(found.evidence.iter().cloned()).collect();
    let remedy = "measure without nice, chrt and ionice, or while nothing else runs";
    finding_on(measured, &RULE, Severity::Warn, Effect::HeldBack, title, figures, remedy)
}

/// The niceness, where it is more than that of others, or the policy that runs it only where nothing else wants the CPU.
fn niceness(context: &Context) -> Option<Evidence> {
    if context.record.host.runs_when_idle {
        return Some(Evidence::text("scheduling policy", "SCHED_IDLE").read_at("/proc/self/stat"));
    }
    let nice = context.record.host.nice.filter(|nice| *nice > 0)?;
    Some(Evidence::number("niceness", nice.into(), Unit::Count).read_at("/proc/self/stat"))
}

/// The priority of the I/O, where it is low and a scheduler on the way keeps it.
fn io_priority(context: &Context, measured: &Measured) -> Option<Evidence> {
    let IoPriority { class, level } = context.record.host.io_priority?;
    let words = match class {
        IDLE => "idle".to_owned(),
        BEST_EFFORT if level > MIDDLE => format!("best effort, level {level}"),
        _ => return None,
    };
    let schedulers = context.record.drives_of(measured.job).into_iter().filter_map(|drive| drive.scheduler.as_ref());
    let keeper = schedulers.map(|scheduler| scheduler.value.as_str()).find(|scheduler| KEEPERS.contains(scheduler))?;
    Some(Evidence::text("priority of I/O", format!("{words} (kept by {keeper})")).read_at("ioprio_get(2)"))
}

fn describe(context: &Context, measured: &Measured) -> String {
    let figure = niceness(context).or_else(|| io_priority(context, measured));
    figure.map_or_else(|| "its own low priority".into(), |figure| format!("its own low priority: {} {}", figure.name, figure.describe()))
}

/// Only a low priority is asked for; that nobody else wanted the same is `busy-host` and `foreign-io`.
fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let low = niceness(context).or_else(|| io_priority(context, measured));
    let is_alone = || of_job(context, measured).is_none();
    low.map_or(LimitCheck::Absent, |figure| {
        LimitCheck::by(
            is_alone()
                .then(|| Evidence::text("others that want the same", format!("none, beside a {} of {}", figure.name, figure.describe()))),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: nice_on(10, 0.99), silent: nice_on(10, 0.5) }

    fn nice_on(nice: i32, busy: f64) -> RunRecord {
        record().with_host(cpu_load(busy, 400_000_000, 2)).with(|record| record.host.nice = Some(nice))
    }

    #[test]
    fn who_is_as_nice_as_others_stands_behind_nobody() {
        RULE.silent_on([nice_on(0, 0.99)]);
        RULE.says(&fires(), Effect::HeldBack, |title| title.contains("its niceness is 10 (/proc"));
    }

    #[test]
    fn who_runs_only_where_nothing_else_does_stands_behind_all() {
        let titles = RULE.titles(&nice_on(0, 0.99).with(|record| record.host.runs_when_idle = true));
        assert!(titles[0].contains("its scheduling policy is SCHED_IDLE"), "{titles:?}");
    }

    #[test]
    fn idle_io_stands_back_where_the_scheduler_keeps_it_and_others_use_the_drive() {
        let with = |scheduler: &str, class, foreign: u64| {
            let mut record = record();
            record.host.io_priority = Some(IoPriority { class, level: 0 });
            record.targets[0].drives[0].scheduler = Some(Fact::new(scheduler.into(), "test"));
            record.counters_mut().for_each(|drive| drive.read_bytes *= foreign);
            record
        };
        assert!(!RULE.found(&with("bfq", IDLE, 2)).is_empty());
        RULE.silent_on([with("none", IDLE, 2), with("bfq", BEST_EFFORT, 2), with("bfq", IDLE, 1)]);
    }
}
