//! Too little was outstanding for the claim: by Little's law, N I/Os outstanding cannot give more than N / (latency of one I/O alone) a second.
//!
//! So claim x unloaded latency is the concurrency that the claim needs at least. The law: J. D. C. Little, Operations Research 9(3), 1961.

use crate::findings::host::busy_host;
use crate::findings::prelude::*;

rule! {
    name: "concurrency",
    about: "too little I/O was outstanding for the claim",
    check: Check::Run(check),
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

    records! { fires: claimed(450_000.0, None), silent: claimed(100_000.0, None) }

    /// Reads alone take 1 ms, so 128 outstanding give 128 kIOPS at most.
    fn claimed(iops: f64, queue_depth_total: Option<u32>) -> RunRecord {
        with_claim(record_with(|w, _| if w.is_unloaded() { 1000.0 } else { 100_000.0 }), iops, queue_depth_total)
    }

    #[test]
    fn fires_when_the_claim_needs_more() {
        RULE.says(&fires(), Effect::Harder, |title| title.contains("needs 450 outstanding, 128 were offered"));
        assert_eq!(RULE.found(&fires()).len(), 1);
        RULE.says(&claimed(450_000.0, Some(128)), Effect::None, |_| true);
    }

    #[test]
    fn silent_where_it_suffices_nearly_and_where_others_on_the_cpus_slow_down_one_alone() {
        let crowded = fires().with_host(cpu_load(0.99, 400_000_000, 2));
        let crowded = crowded.with(|record| record.stages.iter_mut().for_each(|stage| stage.elapsed_ns = 1_000_000_000));
        RULE.silent_on([claimed(130_000.0, None), crowded]);
    }
}
