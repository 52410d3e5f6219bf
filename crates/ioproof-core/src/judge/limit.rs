//! The limit of a number: the first that applies is named, in an order from what invalidates to what is left; beside it what was ruled out, and what was not.
//!
//! A finding that also limits says so in its rule's row ([`crate::findings`]); here are the limits that need no finding. `telling` gives the run that would
//! tell more, and `told` what such a run has told.

mod telling;
#[cfg(test)]
mod tests;
mod told;

use crate::base::distinct::distinct;
use crate::claim::Metric;
use crate::facts::Layer;
use crate::finding::{Effect, Evidence, Finding, Severity, Unit, Value};
use crate::findings::{
    LINK_FULL, LimitCheck, LimitRank, NamedLimit, RULES, RuleLimit, elsewhere, fits_its_counters, has_fixed_rate, link_limit,
    outside_of_the_drive, queueing, stolen_explains_most, tells_where,
};
use crate::limited_by::{LimitConfidence, LimitedBy, Place, RuledOut};
use crate::measured::{Context, Measured};
use crate::record::Part;
use crate::shape::Pace;
use crate::units::percent;
use telling::TellingCase;

/// The limit of a job's numbers in a few words, and as data; no data where nothing was measured.
pub(super) fn limited_by(context: &Context, measured: &Measured, findings: &[Finding]) -> (String, Option<LimitedBy>) {
    if measured.rounds.is_empty() {
        return ("not measured".into(), None);
    }
    let outside = outside_of_the_drive(context, measured);
    let found = |rank: LimitRank| found(context, measured, findings, rank, outside.is_some());
    let plainly = found(LimitRank::NotTheDrive).or_else(|| no_drive(context, measured));
    if let Some(NamedLimit { place, confidence, words, evidence }) = plainly {
        return (words, Some(LimitedBy::plainly(place, confidence, evidence)));
    }
    let by_its_own_figure = found(LimitRank::Pace)
        .or_else(|| pace(measured))
        .or_else(|| found(LimitRank::Host))
        .or_else(|| link(context, measured))
        .or_else(|| found(LimitRank::Drive));
    let is_by_time = by_its_own_figure.is_none();
    let named = by_its_own_figure.map_or_else(|| queueing(context, measured), |named| or_where_the_time_goes(context, measured, named));
    let (ruled_out, left) = others(context, measured, named.place, outside);
    let confidence = match named.confidence {
        LimitConfidence::Likely if left.is_empty() && fits_its_counters(context, measured) => LimitConfidence::Certain,
        other => other,
    };
    let words = if named.place == Place::NotTold { untold(&named.words, &ruled_out) } else { named.words };
    let telling_run = telling::run(&TellingCase { record: context.record, measured, place: named.place, left: &left }, confidence);
    let limit = LimitedBy { place: named.place, confidence, evidence: named.evidence, ruled_out, left, telling_run };
    let (words, limit) = told::told(context.record, measured, words, limit);
    let (words, limit) = if is_by_time { or_concurrency(measured, words, limit) } else { (words, limit) };
    (words, Some(limit))
}

/// Places at which no more I/Os may be under way at once than there are, though each takes no longer for that.
const MAY_BE_FULL: [Place; 3] = [Place::Drive, Place::Layer, Place::Path];

/// Outstanding I/Os from which on the words do not mention too little concurrency.
const MANY: u32 = 32;

/// A drive that has requests all the time looks the same whether it is busy or could take more: where nothing tells which, both are said, and neither is likely.
/// So does one that is just full.
fn or_concurrency(measured: &Measured, words: String, limit: LimitedBy) -> (String, LimitedBy) {
    if limit.place == Place::NotTold || !limit.is_depth_open() {
        return (words, limit);
    }
    let telling = limit.telling_run.as_ref().and_then(|run| run.workload.as_ref());
    let run = telling.map_or(String::new(), |workload| format!("; a run at queue depth {} would tell", workload.concurrency()));
    if limit.place == Place::Concurrency {
        let may_be_full = MAY_BE_FULL.iter().any(|place| limit.left.contains(place));
        return if may_be_full { (format!("{words}, or the drive takes no more at once{run}"), limit) } else { (words, limit) };
    }
    let limit = LimitedBy { confidence: LimitConfidence::NotTold, ..limit };
    if measured.workload().outstanding() >= MANY {
        return (words, limit);
    }
    (format!("{words}, or too little concurrency{run}"), limit)
}

/// Others on the CPUs slow down what serves a drive by software as well, and then the time is spent at the drive: where the time goes is said beside them, or that
/// nothing tells, and neither is likely.
fn or_where_the_time_goes(context: &Context, measured: &Measured, named: NamedLimit) -> NamedLimit {
    let may_explain_less = match named.place {
        Place::OthersOnCpu => true,
        Place::Hypervisor => !stolen_explains_most(measured),
        _ => false,
    };
    if !may_explain_less {
        return named;
    }
    let passes = queueing(context, measured);
    let words = match passes.place {
        Place::NotTold if tells_where(context, measured) => return named,
        Place::NotTold => "the drive or its path (no counters tell)".into(),
        _ => passes.words,
    };
    let evidence = named.evidence.into_iter().chain(passes.evidence).collect();
    NamedLimit { words: format!("{}, or {words}", named.words), confidence: LimitConfidence::NotTold, evidence, ..named }
}

/// Places at which a process waits for a CPU, in no time of an I/O that a busy drive takes.
const WANT_A_CPU: [Place; 2] = [Place::OthersOnCpu, Place::Generator];

/// Places at which others take CPU time.
const OF_OTHERS: [Place; 2] = [Place::OthersOnCpu, Place::Hypervisor];

/// The first rule of a rank that found something that bears on the job.
fn found(context: &Context, measured: &Measured, findings: &[Finding], rank: LimitRank, is_busy_drive: bool) -> Option<NamedLimit> {
    // What the drive did may limit a number without a bearing on the verdict, which is about the drive with all that it does.
    let bears = |f: &&Finding| if rank == LimitRank::Drive { f.severity < Severity::Info } else { f.effect != Effect::None };
    let of_rule = |rule: &str| findings.iter().filter(bears).find(|f| f.rule == rule && f.subject.concerns(measured.index));
    let is_ruled_out = |place: Option<Place>| is_busy_drive && place.is_some_and(|place| WANT_A_CPU.contains(&place));
    let of_rank = RULES.iter().filter_map(|rule| Some((rule.name, rule.limit.filter(|limit| limit.rank == rank)?)));
    // A host may bear on a number and still explain too little of an I/O's time to be its limit.
    let explains_little = |limit: &RuleLimit| {
        rank == LimitRank::Host && limit.look.is_some_and(|look| matches!(look(context, measured), LimitCheck::RuledOut(_)))
    };
    // What others do on the CPUs changes from run to run.
    let is_of_others = |limit: &RuleLimit| limit.place.is_some_and(|place| OF_OTHERS.contains(&place));
    let is_fixed = |limit: &RuleLimit| is_of_others(limit) && has_fixed_rate(context, measured);
    let may_limit = of_rank.filter(|(_, limit)| !is_ruled_out(limit.place) && !explains_little(limit) && !is_fixed(limit));
    let ranked = may_limit.filter_map(|(name, limit)| Some((limit, of_rule(name)?)));
    let (limit, finding) = ranked.into_iter().next()?;
    let mut evidence = finding.evidence.clone();
    let (place, confidence) = limit.place.map_or_else(
        || {
            let passes = queueing(context, measured);
            evidence.extend(passes.evidence);
            (passes.place, passes.confidence)
        },
        |place| (place, limit.confidence),
    );
    Some(NamedLimit { place, confidence, words: (limit.words)(context, measured), evidence })
}

/// Only that which makes the load was measured.
fn no_drive(context: &Context, measured: &Measured) -> Option<NamedLimit> {
    let evidence = || vec![Evidence::text("drives under the load", "none")];
    (measured.is_without_io() || context.record.layer_of(measured.job) == Layer::Generator).then(|| NamedLimit {
        place: Place::Generator,
        confidence: LimitConfidence::Certain,
        words: "the generator itself: no drive takes part".into(),
        evidence: evidence(),
    })
}

fn pace(measured: &Measured) -> Option<NamedLimit> {
    let workload = measured.workload();
    let asked = workload.shape.pace.ios_per_s().map(|asked| Evidence::number("asked for", asked as f64, Unit::IosPerSecond));
    let done = measured.median_of(|part| part.iops()).map(|done| Evidence::number("done", done, Unit::IosPerSecond));
    // Of an open loop `pace-not-kept` has said where it does not hold back.
    let holds_back = workload.shape.pace != Pace::Closed || is_in_force(measured);
    (workload.shape.is_held_back() && holds_back).then(|| NamedLimit {
        place: Place::Pace,
        confidence: LimitConfidence::Certain,
        words: "the pace that was asked for".into(),
        evidence: done.into_iter().chain(asked).collect(),
    })
}

/// Share of a limit from which on it is one.
const AT_LIMIT: f64 = 0.9;

/// True where the limits or pauses of a closed loop leave places of its queue empty, and what was done comes near to one of the limits.
fn is_in_force(measured: &Measured) -> bool {
    let shape = &measured.workload().shape;
    let limits = &shape.limits;
    let near = |limit: Option<u64>, done: fn(&Part) -> f64| {
        limit.zip(measured.median_of(done)).is_some_and(|(limit, done)| done >= AT_LIMIT * limit as f64)
    };
    let is_near = near(limits.read_ios_per_s, |part| part.per_second(part.read.ios))
        || near(limits.read_bytes_per_s, |part| part.per_second(part.read.bytes))
        || near(limits.write_ios_per_s, |part| part.per_second(part.write.ios.saturating_add(part.trim.ios)))
        || near(limits.write_bytes_per_s, |part| part.per_second(part.write.bytes.saturating_add(part.trim.bytes)));
    !measured.keeps_queue_full() && (shape.think.is_some() || is_near)
}

fn link(context: &Context, measured: &Measured) -> Option<NamedLimit> {
    let limit = link_limit(context, measured)?;
    let got = measured.estimate(Metric::Throughput, None)?.median;
    (got >= LINK_FULL * limit).then(|| NamedLimit {
        place: Place::Link,
        confidence: LimitConfidence::Likely,
        words: format!("the link: {} of what it carries", percent(got / limit)),
        evidence: vec![Evidence::number("throughput", got, Unit::BytesPerSecond).against(limit)],
    })
}

/// The places that figures rule out, and those that none does; a place that one look leaves open is not ruled out by another.
fn others(context: &Context, measured: &Measured, named: Place, outside: Option<Evidence>) -> (Vec<RuledOut>, Vec<Place>) {
    let by_rules = RULES.iter().filter_map(|rule| rule.limit).filter_map(|limit| Some((limit.place?, limit.look?(context, measured))));
    let with_outside = |(place, look): (Place, LimitCheck)| match (&look, &outside) {
        (LimitCheck::Open, Some(figure)) if WANT_A_CPU.contains(&place) => (place, LimitCheck::RuledOut(figure.clone())),
        _ => (place, look),
    };
    let looks = by_rules.chain(elsewhere(context, measured)).filter(|(place, _)| *place != named).map(with_outside);
    let (mut ruled_out, mut left): (Vec<RuledOut>, Vec<Place>) = (Vec::new(), Vec::new());
    for (place, look) in looks {
        match look {
            LimitCheck::RuledOut(by) => ruled_out.push(RuledOut { place, by }),
            LimitCheck::Open if !left.contains(&place) => left.push(place),
            LimitCheck::Open | LimitCheck::Absent => {}
        }
    }
    ruled_out.retain(|out| !left.contains(&out.place));
    (ruled_out, left)
}

/// Places that are named where the limit itself is not told.
const MOST_NAMED: usize = 4;

/// Where the place is not told, those that it is not. That nothing is set needs no saying, and a cache would have taken the figure away.
fn untold(words: &str, ruled_out: &[RuledOut]) -> String {
    let is_worth_it = |out: &&RuledOut| out.place != Place::Memory && matches!(out.by.value, Value::Number { .. });
    let mut titles = distinct(ruled_out.iter().filter(is_worth_it).map(|out| out.place.title()));
    titles.truncate(MOST_NAMED);
    if titles.is_empty() { words.to_owned() } else { format!("{words}; ruled out: {}", titles.join(", ")) }
}
