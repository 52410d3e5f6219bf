//! The generator loses its CPU: to interrupts and other threads of this machine, or to a hypervisor, which counts as steal. The self-test looks at the clock without a pause
//! and counts the gaps; an I/O that completes within one is seen only after it, so the longest latencies may be the host's.

use crate::findings::prelude::*;

rule! {
    name: "host-jitter",
    about: "the generator loses its CPU to others",
    check: Check::Run(check),
}

/// Longest gap that passes without a word. Nanoseconds.
const MOST_NS: u64 = 1_000_000;
/// Largest share of the time in gaps that does.
const MOST_SHARE: f64 = 0.01;

fn check(context: &Context) -> Vec<Finding> {
    let Some(test) = &context.record.self_test else { return Vec::new() };
    if test.jitter_ns_max <= MOST_NS && test.jitter_share <= MOST_SHARE {
        return Vec::new();
    }
    let (longest, share) = (latency(test.jitter_ns_max as f64), percent(test.jitter_share));
    let title =
        format!("before the run, ioproof's own test lost its CPU for up to {longest} at a time, {share} of the time: {}", culprit(context));
    let mut figures = vec![
        Evidence::number("longest gap", test.jitter_ns_max as f64, Unit::Nanoseconds).against(MOST_NS as f64),
        Evidence::number("share of the time in gaps over 1 µs", test.jitter_share, Unit::Share).against(MOST_SHARE),
        Evidence::number("looked for", test.looked_ns as f64, Unit::Nanoseconds),
    ];
    figures.extend(steal(context).map(|share| Evidence::number("steal during the run", share, Unit::Share)));
    let remedy = match steal(context) {
        Some(share) if share > 0.0 => "the longest latencies may be the hypervisor's: no command in this machine mends that",
        _ => "the longest latencies may not be the drive's: keep the machine free of other work, or pin the workers to CPUs of their own",
    };
    vec![finding(&RULE, Severity::Info, Effect::None, title, figures, remedy)]
}

/// The largest share of the CPU time that a hypervisor took in a round; none where the kernel does not count it.
fn steal(context: &Context) -> Option<f64> {
    context.record.stages.iter().filter_map(|stage| stage.host.as_ref()?.cpu_steal).reduce(f64::max)
}

fn culprit(context: &Context) -> String {
    match steal(context) {
        Some(share) if share > 0.0 => format!("also to a hypervisor (up to {} steal during the run)", percent(share)),
        Some(_) => "to other processes or interrupts of this machine (no steal was counted)".to_owned(),
        None => "to other work of this machine or to a hypervisor, which cannot be told".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: looked(3_200_000, 0.001), silent: looked(1_000_000, 0.01) }

    fn looked(jitter_ns_max: u64, jitter_share: f64) -> RunRecord {
        let test = SelfTest { jitter_ns_max, jitter_share, looked_ns: 50_000_000, ..SelfTest::default() };
        record().with(|record| record.self_test = Some(test))
    }

    #[test]
    fn steal_is_told_apart_from_this_machines_own_work() {
        let title = |cpu_steal| {
            let record = looked(5_000_000, 0.0).with_host(HostLoad { cpu_steal, ..HostLoad::default() });
            RULE.titles(&record).remove(0)
        };
        assert!(title(Some(0.0)).contains("this machine (no steal was counted)"));
        assert!(title(Some(0.02)).contains("up to 2.0 % steal"));
        assert!(title(None).contains("cannot be told"));
    }

    #[test]
    fn tells_long_gaps_and_many_gaps() {
        // Nothing is said where nobody looked.
        RULE.silent_on([looked(1_000_000, 0.01), record()]);
        RULE.says(&looked(1_000_000, 0.011), Effect::None, |title| title.contains("up to 1 ms at a time, 1.1 %"));
        let long = RULE.found(&looked(3_200_000, 0.001)).remove(0);
        assert!(long.title.contains("3.2 ms") && long.subject == Subject::Run, "{long:?}");
        assert_eq!((long.severity, long.effect), (Severity::Info, Effect::None));
    }
}
