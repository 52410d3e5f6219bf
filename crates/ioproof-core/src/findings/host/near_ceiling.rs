//! The rate is close to the most that the load generator can do here where the kernel completes every I/O at once, so the number may be the generator's.
//!
//! That most comes from the self-test, which measures it as t/io_uring's `-N1` does: with no-ops through io_uring. It is taken for every worker, but not for
//! more workers than there are CPUs. Where the generator's CPU is saturated, `generator-cpu` has said so already.

use crate::findings::host::generator_cpu;
use crate::findings::prelude::*;

rule! {
    name: "near-ceiling",
    about: "the rate is close to the most that the generator can do",
    check: Check::Run(check),
    limit: RuleLimit::of_host(Place::Generator, LimitConfidence::Likely, |_, _| {
        "the load generator: close to the most that it can do here".into()
    })
    .looked_at(look),
}

/// Share of the ceiling from which on the generator may be what limits.
const NEAR: f64 = 0.8;

fn check(context: &Context) -> Vec<Finding> {
    let Some(test) = &context.record.self_test else { return Vec::new() };
    let told = generator_cpu::RULE.find(context);
    let untold = context.measured.iter().filter(|m| told.iter().all(|f| f.subject.job() != Some(m.index)));
    untold.filter_map(|m| of_workload(m, test, context.record.host.cpus_usable)).collect()
}

/// A worker's rate, and the most that one can do here.
fn rates(measured: &Measured, test: &SelfTest, cpus: u32) -> Option<(f64, f64)> {
    // The ceiling is io_uring's; of another backend it says nothing.
    let by_io_uring = |r: &Part| r.engine.backend == "io_uring";
    if !measured.rounds.iter().all(by_io_uring) {
        return None;
    }
    let ceiling = test.ceiling_ios_per_s.filter(|c| *c > 0.0)?;
    let workers = measured.workload().workers.max(1);
    let ceiling = ceiling * f64::from(workers.min(cpus.max(1))) / f64::from(workers);
    Some((measured.median_of(|r| r.iops())? / f64::from(workers), ceiling))
}

/// Where nothing is known of its most, its use of the CPU tells.
fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let rates = context.record.self_test.as_ref().and_then(|test| rates(measured, test, context.record.host.cpus_usable));
    rates.map_or(LimitCheck::Absent, |(rate, ceiling)| {
        let figure = Evidence::number("rate of a worker", rate, Unit::IosPerSecond).against(NEAR * ceiling);
        LimitCheck::by((rate < NEAR * ceiling).then_some(figure))
    })
}

fn of_workload(measured: &Measured, test: &SelfTest, cpus: u32) -> Option<Finding> {
    let (rate, ceiling) = rates(measured, test, cpus).filter(|(rate, ceiling)| *rate >= NEAR * ceiling)?;
    let workers = measured.workload().workers.max(1);
    let title = format!("a worker's {} are {} of the most that the generator can do here", iops(rate), percent(rate / ceiling));
    let figures = vec![
        Evidence::number("rate of a worker", rate, Unit::IosPerSecond).against(NEAR * ceiling),
        Evidence::number("most that a worker can do, without a drive", ceiling, Unit::IosPerSecond),
        Evidence::number("the loop alone, for each I/O", test.loop_ns_per_io, Unit::Nanoseconds),
        Evidence::number("workers", workers.into(), Unit::Count),
        Evidence::number("CPUs", cpus.into(), Unit::Count),
    ];
    let remedy = "more workers, or a faster host; the drive may be faster than this host can ask";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: with_ceiling(31_000.0), silent: with_ceiling(1e9) }

    /// 100 kIOPS by what queues, with workers of a quarter of it where there are four.
    fn with_ceiling(ios_per_s: f64) -> RunRecord {
        let mut record = record();
        record.rounds_mut().for_each(|round| round.engine.backend = "io_uring".into());
        record.self_test = Some(SelfTest { ceiling_ios_per_s: Some(ios_per_s), loop_ns_per_io: 40.0, ..SelfTest::default() });
        record
    }

    fn fires_on_four_workers(record: &RunRecord) -> bool {
        let job = record.job_of("rand-read-4k-4x32") as u32;
        RULE.found(record).iter().any(|finding| finding.subject.job() == Some(job))
    }

    #[test]
    fn fires_from_four_fifths_of_the_ceiling_of_a_worker() {
        // Four workers do 25 kIOPS each.
        assert!(fires_on_four_workers(&with_ceiling(31_000.0)) && !fires_on_four_workers(&with_ceiling(32_000.0)));
        let record = with_ceiling(25_000.0);
        let found = RULE.found(&record);
        let of_four = found.iter().find(|f| f.subject.job().is_some_and(|job| record.jobs[job as usize].workload.workers == 4)).unwrap();
        assert!(of_four.title.contains("25 kIOPS are 100 %") && of_four.effect == Effect::Harder, "{}", of_four.title);
    }

    #[test]
    fn more_workers_than_cpus_share_what_the_cpus_can_do() {
        let record = with_ceiling(60_000.0);
        assert!(!fires_on_four_workers(&record));
        assert!(fires_on_four_workers(&record.with(|record| record.host.cpus_usable = 2)));
    }

    #[test]
    fn silent_where_nothing_is_known_or_the_cpu_has_said_it() {
        let near = || with_ceiling(1.0);
        assert!(!RULE.found(&near()).is_empty());
        RULE.silent_on([
            near().with(|record| record.rounds_mut().for_each(|round| round.engine.backend = "psync".into())),
            near().with(|record| record.self_test = Some(SelfTest::default())),
            near().with(|record| record.self_test = None),
        ]);
        let whole = WorkerUsage { cpu_user_ns: 500, cpu_system_ns: 500, wall_ns: 1000, ..WorkerUsage::default() };
        let busy = near().with(|record| record.rounds_mut().for_each(|round| round.workers.fill(whole)));
        let told = generator_cpu::RULE.found(&busy);
        assert!(!told.is_empty());
        assert!(RULE.found(&busy).iter().all(|f| told.iter().all(|t| t.subject != f.subject)));
    }
}
