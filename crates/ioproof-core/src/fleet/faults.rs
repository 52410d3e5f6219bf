//! Faults of drives that need no comparison, or one with the most usual value: claims missed, health, links, runs that broke off.

use super::drive::DriveRun;
use super::groups::Group;
use crate::units::{percent, throughput};
use crate::verdict::Verdict;
use serde::Serialize;
use std::collections::BTreeMap;

/// The kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The drive says that it fails.
    Failing,
    /// Its run hung or failed.
    Broken,
    /// A claim is missed, or data was lost.
    Misses,
    /// Its link carries less than it could, or than those of drives like it.
    SlowLink,
    /// It is slower than drives like it.
    Slow,
}

impl FaultKind {
    pub fn title(self) -> &'static str {
        match self {
            Self::Failing => "health failing",
            Self::Broken => "run broken off",
            Self::Misses => "misses",
            Self::SlowLink => "slow link",
            Self::Slow => "slow",
        }
    }
}

/// A fault of a drive, in a sentence with its figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    pub kind: FaultKind,
    pub text: String,
}

/// Rows that a sentence names.
const MOST_NAMED: usize = 3;

/// Texts as one, the first few of many.
pub(super) fn first_few(texts: &[String]) -> String {
    let more = texts.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    texts[..texts.len().min(MOST_NAMED)].join("; ") + &more
}

/// The faults of one drive by its own run.
pub(super) fn by_itself(run: &DriveRun) -> Vec<Fault> {
    let failing = run.is_failing().then(|| {
        let why = if run.failing.is_empty() { "by its own account".to_owned() } else { first_few(&run.failing) };
        Fault { kind: FaultKind::Failing, text: why }
    });
    let broken = run.broken.iter().map(|why| Fault { kind: FaultKind::Broken, text: why.clone() });
    let missed: Vec<String> = run.with_verdict(Verdict::Misses).map(missed).collect();
    let misses = (run.exit_status == 1 || !missed.is_empty()).then(|| {
        let text = if missed.is_empty() { run.exit_reason.clone() } else { first_few(&missed) };
        Fault { kind: FaultKind::Misses, text }
    });
    failing.into_iter().chain(broken).chain(misses).collect()
}

fn missed(figure: &super::drive::DriveFigure) -> String {
    let share = figure.matched.map(|matched| format!(" at {} of the claim", percent(matched.share)));
    format!("{}{}", figure.name, share.unwrap_or_default())
}

/// Links of a group that carry less than they could, and less than the most usual one. Where all are alike, the host sets it: that is a note.
pub(super) fn slow_links(runs: &[DriveRun], group: &Group) -> (Vec<(usize, Fault)>, Option<String>) {
    /// Rates of one link are computed from its generation and width, and differ by nothing else.
    const ALIKE: f64 = 0.98;
    let links = || group.members.iter().filter_map(|run| Some((*run, runs[*run].link.as_ref()?)));
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    links().for_each(|(_, link)| *counts.entry(link.limit_bytes_per_s as u64).or_default() += 1);
    // Of two that are as usual, the faster one.
    let Some((usual, _)) = counts.into_iter().max_by_key(|(rate, count)| (*count, *rate)) else { return (Vec::new(), None) };
    let expected = |capable: Option<f64>| if links().count() < 3 { capable.unwrap_or(usual as f64) } else { usual as f64 };
    let fault = |(run, link): (usize, &crate::facts::Link)| {
        let expected = expected(link.capable_bytes_per_s);
        let text = format!("{}, {} of the {} that is usual here", link.title, throughput(link.limit_bytes_per_s), throughput(expected));
        (link.limit_bytes_per_s < expected * ALIKE).then_some((run, Fault { kind: FaultKind::SlowLink, text }))
    };
    let faults: Vec<(usize, Fault)> = links().filter_map(fault).collect();
    let held = links().filter(|(_, link)| link.capable_bytes_per_s.is_some_and(|capable| link.limit_bytes_per_s < capable * ALIKE)).count();
    let held = held.saturating_sub(faults.len());
    let note = (held > 0).then(|| {
        format!(
            "{}: {held} of {} drives have a link that carries less than they could; it is the usual one here, so the hosts set it",
            group.model,
            group.members.len()
        )
    });
    (faults, note)
}
