//! Layers as bars: what each is of the layer below it, and what each of its commits costs.

use super::{Account, AccountBar, FilesystemVerdict, LayerKind, LayerRow, Whole};
use crate::results::bars::{Bar, BarChart, BarGroup};
use crate::results::table::{share_with_ends, with_ends};
use crate::stats::Estimate;
use crate::text::visible;
use crate::units::{rate, three_digits};

/// A figure of each commit that has a chart: its title, its meaning, where it stands in a row, the unit that it is drawn in, and how it is shown.
type Cost = (&'static str, &'static str, fn(&LayerRow) -> Option<Estimate>, f64, fn(f64) -> String);

const COSTS: [Cost; 4] = [
    ("Flushes for each commit", "sent to the drive", |row| row.flushes_per_commit, 1.0, |n| format!("{n:.2}")),
    ("KiB for each commit", "written at the drive", |row| row.drive_bytes_per_commit, 1024.0, three_digits),
    ("Bytes for each byte", "at the drive, for a byte that the layer handed down", |row| row.drive_bytes_per_byte, 1.0, three_digits),
    ("CPU time for each commit (µs)", "of the layer and of the kernel", |row| row.cpu_ns_each, 1e3, three_digits),
];

/// A label for the bars, their account, and the verdict on its filesystem.
pub type Placed<'a> = (String, &'a Account, Option<&'a FilesystemVerdict>);

/// The shares of all accounts: reads in one chart, commits in the other, what is alike of several places one below the other.
pub fn shares(accounts: &[Placed]) -> Vec<BarChart> {
    let chart = |(title, about, of_reads): (&'static str, &'static str, bool)| BarChart {
        title,
        about,
        is_of_shares: true,
        groups: beside_its_like(accounts).filter(|(_, account, _)| account.whole.is_of_reads() == of_reads).filter_map(group).collect(),
    };
    let charts = [
        ("Reads", "through the filesystem, of those of what is below it", true),
        ("Commits", "of databases, of the durable writes of their filesystem", false),
    ];
    charts.map(chart).into_iter().filter(|chart| !chart.groups.is_empty()).collect()
}

/// Costs of a commit, a chart for each figure that was counted; `place` names the target of a row where there are several.
pub(super) fn costs(rows: &[LayerRow], place: impl Fn(u32) -> String) -> Vec<BarChart> {
    let chart = |cost: Cost| BarChart { title: cost.0, about: cost.1, is_of_shares: false, groups: groups_of_cost(rows, &place, cost) };
    COSTS.map(chart).into_iter().filter(|chart| !chart.groups.is_empty()).collect()
}

/// A sentence on the layers that have no bar, as their share does not stand.
pub fn without_bar(accounts: &[Placed]) -> Option<String> {
    let of_account = |(place, account, _): &Placed| {
        let on = if place.is_empty() { String::new() } else { format!(" on {place}") };
        let told = account.left_out.iter().map(move |left| format!("{}{on} ({})", visible(&left.title), visible(&left.rules.join(", "))));
        told.collect::<Vec<_>>()
    };
    let all: Vec<String> = accounts.iter().flat_map(of_account).collect();
    (!all.is_empty()).then(|| format!("Without a bar, by what was found of them: {}.", all.join("; ")))
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
    Bar::new(name, bar.share, share_with_ends(bar.share))
}

fn groups_of_cost(rows: &[LayerRow], place: &impl Fn(u32) -> String, (_, _, value, unit, show): Cost) -> Vec<BarGroup> {
    let mut groups: Vec<(u32, BarGroup)> = Vec::new();
    for row in rows.iter().filter(|row| row.commits_per_s.is_some()) {
        let Some(of) = value(row) else { continue };
        let of = Estimate { median: of.median / unit, low: of.low / unit, high: of.high / unit, ..of };
        let bar = Bar::new(visible(&row.title), of, with_ends(of, show));
        match groups.last_mut().filter(|(target, _)| *target == row.target) {
            _ if !bar.is_drawable() => {}
            Some((_, group)) => group.bars.push(bar),
            None => groups.push((row.target, BarGroup { place: place(row.target), bars: vec![bar], mark: None, verdict: None })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
