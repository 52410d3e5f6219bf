//! What limits a number, in a few words with the figure that shows it. The first that applies is named; the order goes from what invalidates to what is left.

use crate::claim::Metric;
use crate::facts::Layer;
use crate::finding::{Effect, Finding};
use crate::findings::{Context, Measured};
use crate::units::{latency, percent};

/// From this share of the link's limit on, the link is what limits.
const LINK_FULL: f64 = 0.9;
/// Up to this multiple of the unloaded latency the drive is not queueing yet.
const NOT_QUEUEING: f64 = 1.5;

pub(super) fn limited_by(context: &Context, measured: &Measured, findings: &[Finding]) -> String {
    let found = |rule: &str| findings.iter().any(|f| f.rule == rule && f.effect != Effect::None && f.subject.concerns(measured.index));
    match () {
        () if measured.rounds.is_empty() => "not measured".into(),
        () if found("faults-injected") => "injected faults".into(),
        () if found("io-errors") => "failed I/O".into(),
        () if found("page-cache") => "memory: a cache answered instead of the drive".into(),
        () if no_drive(context, measured) => "the generator itself: no drive takes part".into(),
        () if found("pace-not-kept") => queueing(context, measured),
        () if measured.workload().shape.is_held_back() => "the pace that was asked for".into(),
        () if found("generator-cpu") => cpu(context, measured),
        () if found("near-ceiling") => "the load generator: close to the most that it can do here".into(),
        () if found("foreign-io") => "somebody else's I/O on the drive".into(),
        () => link(context, measured).unwrap_or_else(|| queueing(context, measured)),
    }
}

/// Whether what was measured is only what makes the load.
fn no_drive(context: &Context, measured: &Measured) -> bool {
    let null = measured.rounds.iter().any(|round| round.engine.backend == "null");
    null || context.record.layer_of(measured.job) == Layer::Generator
}

fn cpu(context: &Context, measured: &Measured) -> String {
    let used = measured.median_of(|r| crate::findings::cores_used(r)).unwrap_or(0.0).min(f64::from(context.record.host.cpus_usable.max(1)));
    format!("the host's CPU: the generator uses {used:.1} of {}", context.record.host.cpus_usable)
}

fn link(context: &Context, measured: &Measured) -> Option<String> {
    let limit = crate::findings::link_limit(context, measured)?;
    let got = measured.estimate(Metric::Throughput, None)?.median;
    (got >= LINK_FULL * limit).then(|| format!("the link: {} of what it carries", percent(got / limit)))
}

/// Whether latency has risen with the depth tells a drive that is busy from one that could take more.
fn queueing(context: &Context, measured: &Measured) -> String {
    let workload = measured.workload();
    let mean = measured.median_of(|r| r.latency().mean_ns().unwrap_or(0.0)).unwrap_or(0.0);
    if workload.is_unloaded() {
        return "latency: one I/O at a time".into();
    }
    let (read, write) = context.unloaded_latency_ns(measured, workload.pattern);
    let alone = match workload.read_percent {
        100 => read,
        0 => write,
        _ => read.zip(write).map(|(r, w)| r.max(w)),
    };
    match alone {
        Some(alone) if mean <= NOT_QUEUEING * alone => format!("concurrency: {} an I/O, hardly more than one alone", latency(mean)),
        Some(alone) => format!("the drive or its path: it queues ({} an I/O, {} alone)", latency(mean), latency(alone)),
        None => "the drive or its path".into(),
    }
}
