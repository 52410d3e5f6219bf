//! A control group's limit on CPU time stopped this process while it measured (`nr_throttled` and its time in `cpu.stat`).

use crate::findings::host::generator_cpu::own_cores;
use crate::findings::host::own_limit::EXCEEDED;
use crate::findings::prelude::*;

rule! {
    name: "cpu-quota",
    about: "a control group's limit on CPU time stopped the generator",
    check: Check::EachJob(of_job),
    limit: RuleLimit::of_host(Place::CpuLimit, LimitConfidence::Certain, |context, measured| {
        format!("a limit on CPU time: {}", quota(context, measured))
    })
    .looked_at(look),
}

/// Share of the time for which it may have been stopped without a word.
pub(crate) const MOST: f64 = 0.02;

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let share = stopped(measured).filter(|share| *share > MOST)?;
    let title = format!("a limit on CPU time ({}) stopped the generator for {} of the time", quota(context, measured), percent(share));
    let mut figures = vec![Evidence::number("time stopped / time", share, Unit::Share).against(MOST)];
    figures
        .extend(in_force(context, measured).map(|limit| Evidence::number("limit", limit.value, Unit::Cpus).read_at(limit.source.clone())));
    let remedy = "measure outside of that control group, or give it more CPUs";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::HeldBack, title, figures, remedy))
}

/// Share of the time for which it was stopped.
fn stopped(measured: &Measured) -> Option<f64> {
    measured.median_counted(|part| stopped_in(part.stage))
}

/// The same of a stage.
pub(crate) fn stopped_in(stage: &Stage) -> Option<f64> {
    Some(stage.host.as_ref()?.cpu_stopped_ns? as f64 / stage.elapsed_ns.max(1) as f64)
}

fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let little = stopped(measured).filter(|share| *share <= MOST);
    let is_unlimited = context.record.host.limits_are_known() && context.record.host.limits_on(LimitedResource::Cpus).next().is_none();
    let unlimited = || is_unlimited.then(|| Evidence::text("limit on CPU time", "none is set"));
    LimitCheck::by(little.map(|share| Evidence::number("time stopped / time", share, Unit::Share).against(MOST)).or_else(unlimited))
}

/// Those that are in force: the process used no more CPU time than they allow, give or take.
fn in_force<'a>(context: &'a Context, measured: &Measured) -> impl Iterator<Item = &'a OwnLimit> {
    let used = measured.median_counted(own_cores).unwrap_or(0.0);
    context.record.host.limits_on(LimitedResource::Cpus).filter(move |limit| used <= EXCEEDED * limit.value)
}

fn quota(context: &Context, measured: &Measured) -> String {
    let least = in_force(context, measured).map(|limit| limit.value).reduce(f64::min);
    least.map_or_else(|| "of a control group".into(), |cpus| format!("{} by a control group", Unit::Cpus.show(cpus)))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: stopped(300_000_000), silent: stopped(10_000_000) }

    /// Stages of a second.
    fn stopped(ns: u64) -> RunRecord {
        record().with_host(HostLoad { cpu_stopped_ns: Some(ns), ..HostLoad::default() })
    }

    #[test]
    fn a_quota_that_is_far_exceeded_is_not_named() {
        let quota = |used_ns| {
            let mut record = fires().with_limit(LimitedResource::Cpus, None, 1.0);
            record.stages.iter_mut().for_each(|stage| stage.host.as_mut().unwrap().own_cpu_ns = Some(used_ns));
            RULE.titles(&record).remove(0)
        };
        assert!(quota(1_000_000_000).contains("(1.00 CPUs by a control group)"));
        assert!(quota(1_900_000_000).contains("(of a control group)"));
    }
}
