//! A control group's limit on I/O is what was measured: the number is the limit's, not the drive's.
//!
//! `io.max` of version 2 and `blkio.throttle.*` of version 1 hold back what is above them, so the drive itself looks idle.

use crate::findings::prelude::*;

rule! {
    name: "own-limit",
    about: "a limit of a control group holds this process's I/O back",
    check: Check::EachJob(of_job),
    limit: RuleLimit::of_host(Place::IoLimit, LimitConfidence::Certain, describe).looked_at(look),
}

/// From this share of a limit on, it is what limits. Splitting and merging below the limit move the count by some percent.
pub(crate) const REACHED: f64 = 0.85;
/// Beyond this multiple of it the limit is not in force here, whatever its file says: another group is looked at, or nobody keeps it.
pub(crate) const EXCEEDED: f64 = 1.2;

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let (limit, rate) = reached(context, measured)?;
    let show = |value: f64| unit(limit).show(value);
    let own = self::rate(measured, limit.resource).unwrap_or(0.0);
    let neighbours = if own < REACHED * rate { format!(", {} of them by others in the group", show(rate - own)) } else { String::new() };
    let title = format!("a control group's limit holds it back: {} of {} allowed{neighbours}", show(rate), show(limit.value));
    let figures = vec![
        Evidence::number("limit", limit.value, unit(limit)).read_at(limit.source.clone()),
        Evidence::number("measured", own, unit(limit)).against(limit.value),
        Evidence::number("all of the group", rate, unit(limit)).against(limit.value),
        Evidence::number("share of the limit", rate / limit.value, Unit::Share).against(REACHED),
    ];
    let remedy = format!("measure outside of that control group, or take the limit out of {}", limit.source);
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::HeldBack, title, figures, &remedy))
}

fn describe(context: &Context, measured: &Measured) -> String {
    let of = |(limit, rate): (&OwnLimit, f64)| {
        format!("a limit of this process's control group: {} of it ({})", percent(rate / limit.value), limit.source)
    };
    reached(context, measured).map_or_else(|| "a limit of this process's control group".into(), of)
}

/// The limit that a job comes closest to, where it reaches it, with the rate that it has.
fn reached<'a>(context: &'a Context, measured: &Measured) -> Option<(&'a OwnLimit, f64)> {
    let reached = rates(context, measured)?.into_iter().filter(|(limit, rate)| *rate >= REACHED * limit.value);
    closest(reached.filter(|(limit, _)| exceeding(context, limit).is_none()))
}

/// The highest rate of any job far above a limit, which is not in force then.
fn exceeding(context: &Context, limit: &OwnLimit) -> Option<f64> {
    // The rate first, since there may be thousands of jobs, each of which is held against all others here.
    let far_above = |m: &Measured| rate(m, limit.resource).filter(|rate| *rate > EXCEEDED * limit.value);
    let of_job =
        |m: &Measured| far_above(m).filter(|_| rates(context, m).is_some_and(|rates| rates.iter().any(|(other, _)| *other == limit)));
    context.measured.iter().filter_map(of_job).reduce(f64::max)
}

fn closest<'a>(rates: impl Iterator<Item = (&'a OwnLimit, f64)>) -> Option<(&'a OwnLimit, f64)> {
    rates.max_by(|(a, x), (b, y)| (x / a.value).total_cmp(&(y / b.value)))
}

/// The limits on the devices of a job, each with the rate that it is held against; none where its devices are not known.
fn rates<'a>(context: &'a Context, measured: &Measured) -> Option<Vec<(&'a OwnLimit, f64)>> {
    let stacks: Option<Vec<&StackNode>> = context.record.targets_of(measured.job).map(|target| target.facts.stack.as_ref()).collect();
    let nodes = stacks?.into_iter().flat_map(StackNode::nodes);
    let numbers: Vec<String> = nodes.map(|node| format!("{}:{}", node.major, node.minor)).collect();
    let concerns = |limit: &&OwnLimit| limit.value > 0.0 && limit.device.as_ref().is_some_and(|device| numbers.contains(device));
    let limits = context.record.host.limits.iter().filter(concerns);
    Some(limits.filter_map(|limit| Some((limit, rate(measured, limit.resource)?.max(group_rate(measured, limit))))).collect())
}

/// The rate of all processes of a limit's group together, this one among them; 0 where nobody counts it.
fn group_rate(measured: &Measured, limit: &OwnLimit) -> f64 {
    let of = |part: &Part| {
        let uses = &part.stage.host.as_ref()?.limit_uses;
        uses.iter().find(|used| used.limit == *limit).map(|used| used.per_second)
    };
    measured.median_counted(of).unwrap_or(0.0)
}

fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let Some(rates) = rates(context, measured) else { return LimitCheck::Open };
    if rates.is_empty() && !context.record.host.limits_are_known() {
        return LimitCheck::Open;
    }
    if rates.is_empty() {
        return LimitCheck::RuledOut(Evidence::text("limit on I/O of these devices", "none is set"));
    }
    let (void, in_force): (Vec<_>, Vec<_>) = rates.into_iter().partition(|(limit, _)| exceeding(context, limit).is_some());
    let figure = |name: &str, rate: f64, share: f64, limit: &OwnLimit| {
        Evidence::number(name, rate, unit(limit)).against(share * limit.value).read_at(limit.source.clone())
    };
    LimitCheck::by(match (closest(in_force.into_iter()), closest(void.into_iter())) {
        (Some((limit, rate)), _) => (rate < REACHED * limit.value).then(|| figure("rate under the closest limit", rate, REACHED, limit)),
        (None, void) => void.and_then(|(limit, _)| {
            let name = "rate in this run far above what is allowed, so that the limit is not in force";
            Some(figure(name, exceeding(context, limit)?, EXCEEDED, limit))
        }),
    })
}

fn rate(measured: &Measured, resource: LimitedResource) -> Option<f64> {
    measured.median_counted(|part| rate_of(part, resource))
}

/// The rate of a round that a limit on this resource is held against; none where it is not on I/O.
pub(crate) fn rate_of(round: &Round, resource: LimitedResource) -> Option<f64> {
    let per_second = |count: u64| Some(count as f64 * 1e9 / round.elapsed_ns.max(1) as f64);
    match resource {
        LimitedResource::ReadIops => per_second(round.read.ios),
        LimitedResource::WriteIops => per_second(round.write.ios),
        LimitedResource::ReadBytes => per_second(round.read.bytes),
        LimitedResource::WriteBytes => per_second(round.write.bytes),
        LimitedResource::Cpus | LimitedResource::CpuSet | LimitedResource::Memory => None,
    }
}

fn unit(limit: &OwnLimit) -> Unit {
    match limit.resource {
        LimitedResource::ReadIops | LimitedResource::WriteIops => Unit::IosPerSecond,
        LimitedResource::ReadBytes | LimitedResource::WriteBytes => Unit::BytesPerSecond,
        LimitedResource::Cpus | LimitedResource::CpuSet => Unit::Cpus,
        LimitedResource::Memory => Unit::BinaryBytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: limited(100_000.0, "8:0"), silent: limited(200_000.0, "8:0") }

    /// 100 kIOPS on the drive 8:0, and a limit on reads.
    fn limited(value: f64, device: &str) -> RunRecord {
        let record = record().with_limit(LimitedResource::ReadIops, Some(device), value);
        record.with(|record| record.targets[0].facts.stack = Some(node("nvme0n1", 0)))
    }

    #[test]
    fn a_limit_that_is_far_exceeded_is_not_in_force() {
        let found = |value| RULE.found(&limited(value, "8:0")).len();
        assert!(found(84_000.0) > 0, "19 % above it");
        assert_eq!(found(83_000.0), 0, "20.5 % above it");
        let record = limited(40_000.0, "8:0");
        let context = Context::new(&record);
        let queued = context.measured.iter().find(|m| m.workload().id() == "rand-read-4k-4x32").unwrap();
        let LimitCheck::RuledOut(by) = look(&context, queued) else { panic!("not ruled out") };
        assert!(by.name.contains("not in force") && by.describe().starts_with("100 kIOPS (limit 48 kIOPS)"), "{by:?}");
    }

    #[test]
    fn of_two_limits_the_one_that_is_in_force_is_named() {
        let mut record = limited(100_000.0, "8:0");
        let other = OwnLimit { value: 10_000.0, ..record.host.limits[0].clone() };
        record.host.limits.push(other);
        // Single reads come to 10 kIOPS too, but others exceed that.
        RULE.says(&record, Effect::HeldBack, |title| title.contains("100 kIOPS allowed"));
    }

    #[test]
    fn what_neighbours_use_of_a_limit_counts_too() {
        let mut record = silent();
        let limit = record.host.limits[0].clone();
        for stage in &mut record.stages {
            stage.host.get_or_insert_default().limit_uses = vec![LimitUse { limit: limit.clone(), per_second: 198_000.0 }];
        }
        let context = Context::new(&record);
        let found = RULE.find(&context);
        let said = "198 kIOPS of 200 kIOPS allowed, 98 kIOPS of them by others in the group";
        assert!(found.iter().any(|f| f.title.ends_with(said)), "{found:?}");
        let queued = context.measured.iter().find(|m| m.workload().id() == "rand-read-4k-4x32").unwrap();
        assert_eq!(look(&context, queued), LimitCheck::Open);
    }

    #[test]
    fn another_drives_limit_is_not_ours() {
        RULE.silent_on([limited(100_000.0, "8:16")]);
        RULE.says(&fires(), Effect::HeldBack, |title| title.contains("100 kIOPS of 100 kIOPS allowed"));
    }
}
