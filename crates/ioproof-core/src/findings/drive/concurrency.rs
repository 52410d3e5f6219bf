//! Too little was outstanding for the claim: by Little's law, N I/Os outstanding cannot give more than N / (latency of one I/O alone) a second.
//!
//! So claim x unloaded latency is the concurrency that the claim needs at least. The law: J. D. C. Little, Operations Research 9(3), 1961.

use crate::claim::{Claim, Metric};
use crate::findings::host::busy_host;
use crate::findings::prelude::*;
use crate::units::{iops, latency};

rule! {
    name: "concurrency",
    about: "too little I/O was outstanding for the claim",
    check: Check::Run(check),
    limit: None,
}

/// Multiple of what was offered up to which the need is none: the latency of one I/O alone is known no better.
const NEARLY: f64 = 1.05;

fn check(context: &Context) -> Vec<Finding> {
    // What is claimed for one I/O at a time is a latency by another name.
    let loaded = context.measured.iter().filter(|m| !m.workload().is_unloaded());
    let of = |m: &Measured| {
        let claims = &context.record.datasheet_of(m.job)?.datasheet.claims;
        of_workload(context, m, m.job.claims.iter().filter_map(|i| claims.get(*i)))
    };
    loaded.filter_map(of).collect()
}

/// The claim that asks most of a workload decides.
fn of_workload<'a>(context: &Context, measured: &Measured, claims: impl Iterator<Item = &'a Claim>) -> Option<Finding> {
    let most = claims.filter(|c| c.metric != Metric::Latency).max_by(|a, b| claimed_iops(a).total_cmp(&claimed_iops(b)))?;
    of_claim(context, measured, most)
}

fn claimed_iops(claim: &Claim) -> f64 {
    match claim.metric {
        Metric::Throughput => claim.value / f64::from(claim.block_bytes.max(1)),
        Metric::Iops | Metric::Latency => claim.value,
    }
}

fn of_claim(context: &Context, measured: &Measured, claim: &Claim) -> Option<Finding> {
    let claimed_iops = claimed_iops(claim);
    let unloaded_ns = unloaded_ns(context, measured)?;
    let needed = claimed_iops * unloaded_ns / 1e9;
    let offered = f64::from(measured.workload().outstanding());
    // Where others use the CPUs, one I/O alone is slower than this drive makes it.
    if needed <= offered * NEARLY || measured.rounds.is_empty() || busy_host::is_found(measured) {
        return None;
    }
    // Where the maker names the queue depth, the run offered just that, and the claim contradicts itself on this drive.
    let effect = if claim.queue_depth_total.is_some() { Effect::None } else { Effect::Harder };
    let title = format!("{} at {} an I/O needs {needed:.0} outstanding, {offered} were offered", iops(claimed_iops), latency(unloaded_ns));
    let figures = vec![
        Evidence::number("claim", claimed_iops, Unit::IosPerSecond),
        Evidence::number("mean latency at queue depth 1", unloaded_ns, Unit::Nanoseconds),
        Evidence::number("outstanding", offered, Unit::Count).against(needed),
        Evidence::text("offered", measured.workload().concurrency()),
    ];
    let remedy = "more workers or a higher queue depth, if the maker's conditions allow it";
    Some(finding_on(measured, &RULE, Severity::Warn, effect, title, figures, remedy))
}

/// Latency of one I/O alone for the workload's mix, where both of its directions were measured.
fn unloaded_ns(context: &Context, measured: &Measured) -> Option<f64> {
    let workload = measured.workload();
    let (read, write) = context.unloaded_latency_ns(measured, workload.pattern);
    let share = f64::from(workload.read_percent) / 100.0;
    match workload.read_percent {
        100 => read,
        0 => write,
        _ => Some(read? * share + write? * (1.0 - share)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::HostLoad;
    use crate::testing::{record_with, with_claim};

    records! { fires: with_claim(slow(), 450_000.0, None), silent: with_claim(slow(), 100_000.0, None) }

    /// Reads alone take 1 ms, so 128 outstanding give 128 kIOPS at most.
    fn slow() -> crate::record::RunRecord {
        record_with(|w, _| if w.is_unloaded() { 1000.0 } else { 100_000.0 })
    }

    #[test]
    fn fires_when_the_claim_needs_more() {
        let record = with_claim(slow(), 450_000.0, None);
        let found = RULE.found(&record);
        assert_eq!(found.len(), 1);
        assert!(found[0].title.contains("needs 450 outstanding, 128 were offered"), "{}", found[0].title);
        assert_eq!(found[0].effect, Effect::Harder);
    }

    #[test]
    fn silent_where_others_on_the_cpus_slow_down_one_alone() {
        let mut record = with_claim(slow(), 450_000.0, None);
        let busy = HostLoad { cpu_busy: Some(0.99), own_cpu_ns: Some(400_000_000), cpus: Some(2), ..HostLoad::default() };
        record.stages.iter_mut().for_each(|stage| (stage.host, stage.elapsed_ns) = (Some(busy.clone()), 1_000_000_000));
        assert!(RULE.found(&record).is_empty());
    }

    #[test]
    fn silent_where_it_suffices_nearly() {
        assert!(RULE.found(&with_claim(slow(), 130_000.0, None)).is_empty());
    }

    #[test]
    fn silent_when_it_suffices_and_plain_when_the_maker_names_the_depth() {
        assert!(RULE.found(&with_claim(slow(), 100_000.0, None)).is_empty());
        let named = with_claim(slow(), 450_000.0, Some(128));
        assert_eq!(RULE.found(&named)[0].effect, Effect::None);
    }
}
