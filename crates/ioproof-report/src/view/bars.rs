//! Layers as bars, for every format that draws them: what each is of the layer below it, and what each of its commits costs. What has no figure has no bar.

use super::layers::LayerView;
use ioproof_core::layers::{Account, AccountBar, FilesystemVerdict, LayerKind, Whole};
use ioproof_core::results::with_ends;
use ioproof_core::stats::{Estimate, IntervalMethod};
use ioproof_core::text::visible;
use ioproof_core::units::{rate, three_digits};
use ioproof_core::verdict::Verdict;

/// The largest share at the end of a scale; a longer bar is cut off there.
const MOST_SHARE: f64 = 2.0;

/// One chart.
#[derive(Debug, Clone)]
pub(crate) struct BarChart {
    pub title: &'static str,
    /// The meaning of the bars, in a line below the title.
    pub about: &'static str,
    pub groups: Vec<BarGroup>,
}

/// Bars that stand together.
#[derive(Debug, Clone)]
pub(crate) struct BarGroup {
    /// The target or the run that they are of; empty where there is only one.
    pub place: String,
    pub bars: Vec<Bar>,
    /// The least share that policy asks of the filesystem.
    pub mark: Option<f64>,
    /// The answer of policy to it.
    pub verdict: Option<Verdict>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub name: String,
    /// A share, 0 to 1 or more, or a figure of each commit.
    pub value: f64,
    /// The ends of its interval; none of too few turns, and of 100 %.
    pub ends: Option<(f64, f64)>,
    /// True of what counts as 100 %.
    pub is_whole: bool,
    /// The figure in words, with its ends.
    pub text: String,
}

/// A figure of each commit that has a chart: its title, its meaning, where it stands in a row, and how it is shown.
type Cost = (&'static str, &'static str, fn(&LayerView) -> Option<Estimate>, fn(f64) -> String);

const COSTS: [Cost; 4] = [
    ("Flushes for each commit", "sent to the drive", |layer| layer.row.flushes_per_commit, |n| format!("{n:.2}")),
    (
        "KiB for each commit",
        "written at the drive",
        |layer| layer.row.drive_bytes_per_commit.map(|bytes| scaled(bytes, 1024.0)),
        three_digits,
    ),
    ("Bytes for each byte", "at the drive, for a byte that the layer handed down", |layer| layer.row.drive_bytes_per_byte, three_digits),
    (
        "CPU time for each commit (µs)",
        "of the layer and of the kernel",
        |layer| layer.row.cpu_ns_each.map(|ns| scaled(ns, 1000.0)),
        three_digits,
    ),
];

/// An account with the place that its bars are told apart by, and the answer of policy to it.
pub(crate) type Placed<'a> = (String, &'a Account, Option<&'a FilesystemVerdict>);

/// The shares of all accounts: reads in one chart, commits in the other, what is alike of several places one below the other.
pub(crate) fn shares(accounts: &[Placed]) -> Vec<BarChart> {
    let chart = |(title, about, of_reads): (&'static str, &'static str, bool)| BarChart {
        title,
        about,
        groups: beside_its_like(accounts).filter(|(_, account, _)| account.whole.is_of_reads() == of_reads).filter_map(group).collect(),
    };
    let charts = [
        ("Reads", "through the filesystem, of those of what is below it", true),
        ("Commits", "of databases, of the durable writes of their filesystem", false),
    ];
    charts.map(chart).into_iter().filter(|chart| !chart.groups.is_empty()).collect()
}

/// Costs of a commit, a chart for each figure that was counted.
pub(crate) fn costs(layers: &[LayerView], has_targets: bool) -> Vec<BarChart> {
    let chart = |(title, about, value, show): Cost| BarChart { title, about, groups: groups_of_cost(layers, has_targets, value, show) };
    COSTS.map(chart).into_iter().filter(|chart| !chart.groups.is_empty()).collect()
}

/// A sentence on the layers that have no bar, as their share does not stand.
pub(crate) fn left_out(accounts: &[Placed]) -> Option<String> {
    let of_account = |(place, account, _): &Placed| {
        let on = if place.is_empty() { String::new() } else { format!(" on {place}") };
        let told = account.left_out.iter().map(move |left| format!("{}{on} ({})", visible(&left.title), visible(&left.rules.join(", "))));
        told.collect::<Vec<_>>()
    };
    let all: Vec<String> = accounts.iter().flat_map(of_account).collect();
    (!all.is_empty()).then(|| format!("Without a bar, by what was found of them: {}.", all.join("; ")))
}

/// The end of the scale that charts of shares have in common.
pub(crate) fn top_of_shares(charts: &[BarChart]) -> f64 {
    let bars = charts.iter().flat_map(|chart| &chart.groups).flat_map(|group| &group.bars);
    (bars.map(Bar::reach).fold(1.0, f64::max) * 4.0).ceil().min(MOST_SHARE * 4.0) / 4.0
}

/// The accounts with those of the same layers next to one another, in the order of the first of each.
fn beside_its_like<'p, 'a>(accounts: &'p [Placed<'a>]) -> impl Iterator<Item = &'p Placed<'a>> {
    let are_alike =
        |one: &Account, other: &Account| one.whole == other.whole && (one.whole != Whole::DurableWrites || one.title == other.title);
    let first = move |of: &Account| accounts.iter().position(|(_, account, _)| are_alike(account, of));
    let mut all: Vec<&Placed> = accounts.iter().collect();
    all.sort_by_key(|(_, account, _)| first(account));
    all.into_iter()
}

/// The bars of an account below that of 100 %; none where nothing is left above it.
fn group((place, account, told): &Placed) -> Option<BarGroup> {
    let whole = Bar {
        name: if account.whole == Whole::DurableWrites { visible(&account.title) } else { account.whole.describe() },
        value: 1.0,
        ends: None,
        is_whole: true,
        text: format!("100 % = {}/s", rate(account.per_s.median)),
    };
    let bars: Vec<Bar> = account.bars.iter().map(of_share).filter(Bar::is_drawable).collect();
    (!bars.is_empty()).then(|| BarGroup {
        place: place.clone(),
        bars: std::iter::once(whole).chain(bars).collect(),
        mark: told.map(|told| told.threshold),
        verdict: told.map(|told| told.verdict),
    })
}

fn of_share(bar: &AccountBar) -> Bar {
    let title = visible(&bar.title);
    let name = if bar.kind == LayerKind::Database { title } else { format!("{title} through the filesystem") };
    let text = format!("{} %", with_ends(bar.share, |share| three_digits(share * 100.0)));
    Bar::new(name, bar.share, text)
}

/// The bars of one figure, target by target.
fn groups_of_cost(
    layers: &[LayerView],
    has_targets: bool,
    value: fn(&LayerView) -> Option<Estimate>,
    show: fn(f64) -> String,
) -> Vec<BarGroup> {
    let mut groups: Vec<(u32, BarGroup)> = Vec::new();
    for layer in layers.iter().filter(|layer| layer.row.commits_per_s.is_some()) {
        let Some(estimate) = value(layer) else { continue };
        let bar = Bar::new(layer.title.clone(), estimate, with_ends(estimate, show));
        match groups.last_mut().filter(|(target, _)| *target == layer.row.target) {
            _ if !bar.is_drawable() => {}
            Some((_, group)) => group.bars.push(bar),
            None => {
                let place = if has_targets { layer.target.clone() } else { String::new() };
                groups.push((layer.row.target, BarGroup { place, bars: vec![bar], mark: None, verdict: None }));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn scaled(of: Estimate, unit: f64) -> Estimate {
    Estimate { median: of.median / unit, low: of.low / unit, high: of.high / unit, ..of }
}

impl Bar {
    fn new(name: String, of: Estimate, text: String) -> Self {
        let ends = matches!(of.method, IntervalMethod::Rank { .. }).then_some((of.low, of.high));
        Self { name, value: of.median, ends, is_whole: false, text }
    }

    fn is_drawable(&self) -> bool {
        self.value.is_finite() && self.value >= 0.0
    }

    /// True where turns were too few for an interval.
    pub(crate) fn is_pale(&self) -> bool {
        self.ends.is_none() && !self.is_whole
    }

    /// The largest value that is drawn of it.
    pub(crate) fn reach(&self) -> f64 {
        self.ends.map_or(self.value, |(_, high)| high).max(self.value)
    }
}
