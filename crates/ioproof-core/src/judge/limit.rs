//! The limit of a number in a few words, with the figure that shows it. The first that applies is named; the order goes from what invalidates to what is left.
//!
//! A finding that also limits says so in its rule's row ([`crate::findings`]); here are the limits that need no finding.

use crate::claim::Metric;
use crate::facts::Layer;
use crate::finding::{Effect, Finding, Severity};
use crate::findings::{Context, LimitRank, Measured, RULES, queueing};
use crate::units::percent;

/// From this share of the link's limit on, the link is what limits.
const LINK_FULL: f64 = 0.9;

pub(super) fn limited_by(context: &Context, measured: &Measured, findings: &[Finding]) -> String {
    if measured.rounds.is_empty() {
        return "not measured".into();
    }
    let found = |rank: LimitRank| found(context, measured, findings, rank);
    let no_drive = || no_drive(context, measured).then(|| "the generator itself: no drive takes part".to_owned());
    let held_back = || measured.workload().shape.is_held_back().then(|| "the pace that was asked for".to_owned());
    found(LimitRank::NotTheDrive)
        .or_else(no_drive)
        .or_else(|| found(LimitRank::Pace))
        .or_else(held_back)
        .or_else(|| found(LimitRank::Host))
        .or_else(|| link(context, measured))
        .or_else(|| found(LimitRank::Drive))
        .unwrap_or_else(|| queueing(context, measured))
}

/// The words of the first rule of a rank that found something that bears on the job.
fn found(context: &Context, measured: &Measured, findings: &[Finding], rank: LimitRank) -> Option<String> {
    // What the drive did may limit a number without a bearing on the verdict, which is about the drive with all that it does.
    let bears = |f: &Finding| if rank == LimitRank::Drive { f.severity < Severity::Info } else { f.effect != Effect::None };
    let spoke = |rule: &str| findings.iter().any(|f| f.rule == rule && bears(f) && f.subject.concerns(measured.index));
    let limits = RULES.iter().filter(|rule| spoke(rule.name)).filter_map(|rule| rule.limit);
    limits.filter(|limit| limit.rank == rank).map(|limit| (limit.words)(context, measured)).next()
}

/// True where only that which makes the load was measured.
fn no_drive(context: &Context, measured: &Measured) -> bool {
    let null = measured.rounds.iter().any(|round| round.engine.backend == "null");
    null || context.record.layer_of(measured.job) == Layer::Generator
}

fn link(context: &Context, measured: &Measured) -> Option<String> {
    let limit = crate::findings::link_limit(context, measured)?;
    let got = measured.estimate(Metric::Throughput, None)?.median;
    (got >= LINK_FULL * limit).then(|| format!("the link: {} of what it carries", percent(got / limit)))
}
