//! Rules that also limit a number: the place of each among all limits, the words that it gives, and the figure that rules it out.
//!
//! `judge::limit` goes through the ranks; within a rank the first rule of the table that found something is named. Places that no rule looks at are in
//! [`super::drive::elsewhere`].

use super::time_at::TimeAt;
use super::{Context, Measured};
use crate::finding::{Evidence, Unit};
use crate::limited_by::{LimitConfidence, Place};
use crate::record::{Direction, Round};
use crate::units::latency;

/// Up to this multiple of the unloaded latency the drive is not queueing yet.
const NOT_QUEUEING: f64 = 1.15;
/// Share of the time from which on syncs are what takes it.
const MOSTLY: f64 = 0.5;
/// From this multiple on it is; a drive that does several things at once slows down a little before.
pub(super) const QUEUEING: f64 = 1.5;

/// The place of a rule among that which limits a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitRank {
    /// The number is not the drive's at all.
    NotTheDrive,
    /// The pace, which says more than that there was one.
    Pace,
    /// The host, or others that use the drive.
    Host,
    /// Something that the drive or its path did, which says more than that it was busy.
    Drive,
}

/// A look at a place that may limit a number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LimitCheck {
    /// There is nothing of the kind here.
    Absent,
    /// No figure rules it out.
    Open,
    RuledOut(Evidence),
}

impl LimitCheck {
    /// Ruled out by a figure, where there is one.
    pub(super) fn by(figure: Option<Evidence>) -> Self {
        figure.map_or(Self::Open, Self::RuledOut)
    }
}

/// The way in which a rule that found something limits a number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleLimit {
    pub(crate) rank: LimitRank,
    /// The place; none: that in which the time of an I/O passes.
    pub(crate) place: Option<Place>,
    /// Sureness where the rule found something.
    pub(crate) confidence: LimitConfidence,
    /// The limit in a few words, with the figure that shows it.
    pub(crate) words: fn(&Context, &Measured) -> String,
    /// A look at it where the rule found nothing; none for what cannot be ruled out by a figure.
    pub(crate) look: Option<fn(&Context, &Measured) -> LimitCheck>,
}

impl RuleLimit {
    /// A limit that makes the number something else than the drive's, as it was counted.
    pub(super) const fn not_the_drive(place: Place, words: fn(&Context, &Measured) -> String) -> Self {
        Self { rank: LimitRank::NotTheDrive, place: Some(place), confidence: LimitConfidence::Certain, words, look: None }
    }

    /// A limit of the host, or of others that use the drive.
    pub(super) const fn of_host(place: Place, confidence: LimitConfidence, words: fn(&Context, &Measured) -> String) -> Self {
        Self { rank: LimitRank::Host, place: Some(place), confidence, words, look: None }
    }

    /// Something that the drive or its path did.
    pub(super) const fn on_the_way(rank: LimitRank, words: fn(&Context, &Measured) -> String) -> Self {
        Self { rank, place: None, confidence: LimitConfidence::Likely, words, look: None }
    }

    /// The same with less sureness.
    pub(super) const fn with(self, confidence: LimitConfidence) -> Self {
        Self { confidence, ..self }
    }

    /// The same with a look at it where the rule found nothing.
    pub(super) const fn looked_at(self, look: fn(&Context, &Measured) -> LimitCheck) -> Self {
        Self { look: Some(look), ..self }
    }
}

/// A limit with its words and the figures that it rests on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedLimit {
    pub(crate) place: Place,
    pub(crate) confidence: LimitConfidence,
    pub(crate) words: String,
    pub(crate) evidence: Vec<Evidence>,
}

/// The drive or its path as the limit, as far as counters tell them apart: latency that has risen with the depth tells a drive that is busy from one that could
/// take more.
pub(crate) fn queueing(context: &Context, measured: &Measured) -> NamedLimit {
    if let Some(flush) = flush(measured) {
        return flush;
    }
    let mean = measured.merged_latency().mean_ns().unwrap_or(0.0);
    let time = TimeAt::of(context, measured);
    let most = time.as_ref().and_then(|time| Some((time.most()?.place, time.describe()?)));
    let alone = alone_ns(context, measured);
    let mut evidence = vec![Evidence::number("mean latency", mean, Unit::Nanoseconds)];
    evidence.extend(alone.map(|alone| Evidence::number("mean latency of one I/O alone", alone, Unit::Nanoseconds)));
    evidence.extend(time.iter().flat_map(TimeAt::evidence));
    let (place, words) = place_and_words(measured, mean, alone, most);
    let confidence = if place == Place::NotTold { LimitConfidence::NotTold } else { LimitConfidence::Likely };
    NamedLimit { place, confidence, words, evidence }
}

/// The syncs as the limit, where they take most of the time that all I/O and all syncs took.
fn flush(measured: &Measured) -> Option<NamedLimit> {
    let sum = |of: fn(&Round) -> &Direction| measured.rounds.iter().map(|part| of(part.round).latency.sum_ns() as f64).sum::<f64>();
    let (syncs_ns, writes_ns) = (sum(|round| &round.sync), sum(|round| &round.write));
    let others_ns = sum(|round| &round.read) + sum(|round| &round.trim);
    let writes = measured.rounds.iter().map(|part| part.write.ios).fold(0, u64::saturating_add);
    if writes == 0 || syncs_ns < MOSTLY * (syncs_ns + writes_ns + others_ns) {
        return None;
    }
    let (sync_ns, both_ns) = (syncs_ns / writes as f64, (syncs_ns + writes_ns) / writes as f64);
    let words = format!("the flush: it takes {} of the {} of a write", latency(sync_ns), latency(both_ns));
    let figures = [("time of syncs a write", sync_ns), ("time of a write with its sync", both_ns)];
    let evidence = figures.map(|(name, ns)| Evidence::number(name, ns, Unit::Nanoseconds)).into();
    Some(NamedLimit { place: Place::Flush, confidence: LimitConfidence::Likely, words, evidence })
}

fn place_and_words(measured: &Measured, mean: f64, alone: Option<f64>, most: Option<(Place, String)>) -> (Place, String) {
    if measured.workload().is_unloaded() {
        let untold = || (Place::NotTold, "latency: one I/O at a time".into());
        return most.map_or_else(untold, |(place, words)| (place, format!("latency, one I/O at a time: {words}")));
    }
    let untold = || (Place::NotTold, format!("the drive or its path (counters do not tell which), {} an I/O", latency(mean)));
    match alone {
        Some(alone) if mean <= NOT_QUEUEING * alone => {
            (Place::Concurrency, format!("concurrency: an I/O takes {}, hardly more than one alone", latency(mean)))
        }
        Some(alone) if mean <= QUEUEING * alone => {
            let times = mean / alone;
            let words = format!("not told: an I/O takes {}, {times:.2} times what one alone takes", latency(mean));
            (Place::NotTold, format!("{words}; twice the depth would tell whether more can be had"))
        }
        Some(alone) => {
            let (place, words) = most.unwrap_or_else(untold);
            (place, format!("{words}; alone it takes {}", latency(alone)))
        }
        None => most.unwrap_or_else(untold),
    }
}

/// Mean latency of one I/O of the workload's kind alone, the slower direction of a mix; none for one that is alone itself, or where it was not measured.
pub(super) fn alone_ns(context: &Context, measured: &Measured) -> Option<f64> {
    let workload = measured.workload();
    if workload.is_unloaded() {
        return None;
    }
    let (read, write) = context.unloaded_latency_ns(measured, workload.pattern);
    match workload.read_percent {
        100 => read,
        0 => write,
        _ => read.zip(write).map(|(r, w)| r.max(w)),
    }
}
