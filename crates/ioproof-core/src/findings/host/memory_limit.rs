//! A control group's limit on memory took pages away from this process while it measured through the page cache, which holds less then than this machine's
//! memory would.
//!
//! `memory.events` of version 2 (Documentation/admin-guide/cgroup-v2.rst) and `memory.failcnt` of version 1 count it. With O_DIRECT all the way no page cache is
//! in play, and the limit says nothing.

use crate::findings::prelude::*;

rule! {
    name: "memory-limit",
    about: "a control group's limit on memory took pages of the page cache away",
    check: Check::EachJob(of_job),
    limit: RuleLimit::of_host(Place::MemoryLimit, LimitConfidence::Likely, |context, _| {
        format!("a limit on memory, and with it on the page cache: {}", least(context))
    })
    .looked_at(look),
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let hits = hits(measured).filter(|hits| *hits > 0.0 && uses_page_cache(context, measured))?;
    let title = format!("a limit on memory ({}) took pages away {hits:.0} times a run, and the page cache is in play", least(context));
    let mut figures = vec![Evidence::number("times that memory was taken away, in a run", hits, Unit::Count)];
    figures.extend(limits(context).map(|limit| Evidence::number("limit", limit.value, Unit::BinaryBytes).read_at(limit.source.clone())));
    figures.push(Evidence::number("bytes that are used of the target", measured.job.span.length_bytes as f64, Unit::BinaryBytes));
    let remedy = "measure outside of that control group, or with O_DIRECT (direct=1 in a job file)";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::HeldBack, title, figures, remedy))
}

/// Only what goes through the page cache is asked, and only where a limit is set or counted.
fn look(context: &Context, measured: &Measured) -> LimitCheck {
    if !uses_page_cache(context, measured) {
        return LimitCheck::Absent;
    }
    match hits(measured) {
        Some(0.0) => LimitCheck::RuledOut(Evidence::number("times that memory was taken away, in a run", 0.0, Unit::Count)),
        None if limits(context).next().is_none() => LimitCheck::Absent,
        _ => LimitCheck::Open,
    }
}

/// Median over the rounds of how often memory was taken away.
fn hits(measured: &Measured) -> Option<f64> {
    measured.median_counted(|part| part.stage.host.as_ref()?.memory_limit_hits.map(|hits| hits as f64))
}

fn uses_page_cache(context: &Context, measured: &Measured) -> bool {
    let is_cached = |stack: &StackNode| stack.nodes().iter().any(|node| node.is_cached);
    context.record.targets_of(measured.job).any(|target| !target.facts.direct || target.facts.stack.as_ref().is_some_and(is_cached))
}

fn limits<'a>(context: &'a Context) -> impl Iterator<Item = &'a OwnLimit> {
    context.record.host.limits_on(LimitedResource::Memory)
}

/// The smallest limit in words.
fn least(context: &Context) -> String {
    let least = limits(context).map(|limit| limit.value).reduce(f64::min);
    least.map_or_else(|| "of a control group".into(), |bytes| format!("{} by a control group", Unit::BinaryBytes.show(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: taken(5, false), silent: taken(5, true) }

    fn taken(times: u64, direct: bool) -> RunRecord {
        let record = record().with_host(HostLoad { memory_limit_hits: Some(times), ..HostLoad::default() });
        let record = record.with_limit(LimitedResource::Memory, None, 536_870_912.0);
        record.with(|record| record.targets[0].facts.direct = direct)
    }

    #[test]
    fn a_cached_layer_below_o_direct_counts_and_a_limit_that_took_nothing_does_not() {
        let stack = StackNode { is_cached: true, ..node("loop0", 0) };
        let cached = silent().with(|record| record.targets[0].facts.stack = Some(stack));
        RULE.says(&cached, Effect::HeldBack, |title| title.contains("512 MiB by a control group) took pages away 5 times"));
        RULE.silent_on([taken(0, false)]);
    }
}
