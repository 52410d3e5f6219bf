//! Medians, spreads, ratios and the cells of a table.

use super::Row;
use anyhow::Result;

const TITLE_WIDTH: usize = 50;
const CELL_WIDTH: usize = 20;

pub fn heading(name: &str, columns: &[&str]) -> String {
    let cells: String = columns.iter().map(|c| format!(" {c:>CELL_WIDTH$} |")).collect();
    let rule = format!("{}:|", "-".repeat(CELL_WIDTH + 1)).repeat(columns.len());
    format!("| {name:<TITLE_WIDTH$} |{cells}\n|{}|{rule}", "-".repeat(TITLE_WIDTH + 2))
}

pub fn row(title: &str, row: &Row) -> String {
    let cells = match row {
        Row::Cells(cells) => cells.iter().map(|c| format!(" {c:>CELL_WIDTH$} |")).collect(),
        Row::Without(reason) => format!(" left out: {} |", reason.lines().next().unwrap_or_default()),
    };
    format!("| {title:<TITLE_WIDTH$} |{cells}")
}

fn aim(limit: Option<f64>, digits: usize, is_reached: impl Fn(f64) -> bool) -> String {
    limit.map_or("-".into(), |limit| format!("{limit:.digits$} {}", if is_reached(limit) { "reached" } else { "missed" }))
}

/// An upper limit and whether the value keeps it: `50 reached`; `-` without one.
pub fn most(value: f64, limit: Option<f64>, digits: usize) -> String {
    aim(limit, digits, |limit| value <= limit)
}

/// A lower limit and whether the value keeps it; `-` without one.
pub fn least(value: f64, limit: Option<f64>, digits: usize) -> String {
    aim(limit, digits, |limit| value >= limit)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

pub fn median(values: &[f64]) -> f64 {
    sorted(values).get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// `2059 (1988-2110)`: median, smallest and largest.
pub fn spread(values: &[f64]) -> String {
    match sorted(values).as_slice() {
        [] => "-".into(),
        all @ [first, ..] => format!("{:.0} ({first:.0}-{:.0})", median(values), all[all.len() - 1]),
    }
}

const CONFIDENCE: f64 = 0.95;

/// The ratio of two contestants in alternation: that of each pair of runs, so that a slow minute of the machine weighs on both sides of it.
pub struct Ratio {
    pub median: f64,
    /// Both ends; none of fewer than six pairs.
    pub ends: Option<(f64, f64)>,
}

impl Ratio {
    pub fn of(ours: &[f64], theirs: &[f64]) -> Self {
        let mut ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        ratios.sort_by(f64::total_cmp);
        let ends = cut(ratios.len()).map(|cut| (ratios[cut], ratios[ratios.len() - 1 - cut]));
        Self { median: median(&ratios), ends }
    }

    /// `1.02 (0.97 to 1.06)`.
    pub fn words(&self) -> String {
        match self.ends {
            Some((low, high)) => format!("{:.2} ({low:.2} to {high:.2})", self.median),
            None => format!("{:.2} (few pairs)", self.median),
        }
    }
}

/// Rates of both, their ratio, and if 1 is in its interval.
pub fn rates(ours: &[f64], theirs: &[f64]) -> [String; 4] {
    let ratio = Ratio::of(ours, theirs);
    let same = ratio.ends.map_or("-", |(low, high)| if (low..=high).contains(&1.0) { "yes" } else { "no" });
    [spread(ours), spread(theirs), ratio.words(), same.to_owned()]
}

/// Runs two in turn; each goes first as often as the other.
pub fn in_turn<T>(rounds: usize, ours: impl Fn() -> Result<T>, theirs: impl Fn() -> Result<T>) -> Result<(Vec<T>, Vec<T>)> {
    let mut pairs = Vec::new();
    for round in 0..rounds {
        let early = (round % 2 == 0).then(&ours).transpose()?;
        let their = theirs()?;
        pairs.push((early.map_or_else(&ours, Ok)?, their));
    }
    Ok(pairs.into_iter().unzip())
}

/// Number of values to leave out at each end, as many as the confidence allows: the median of all lies between two order statistics with the
/// probability that a fair coin falls so (sign test).
fn cut(values: usize) -> Option<usize> {
    let n = values as f64;
    let mut at_most_this_many = 0.5_f64.powf(n);
    let mut term = at_most_this_many;
    let mut cut = None;
    for next in 0..values / 2 {
        if 1.0 - 2.0 * at_most_this_many < CONFIDENCE {
            break;
        }
        cut = Some(next);
        term *= (n - next as f64) / (next as f64 + 1.0);
        at_most_this_many += term;
    }
    cut
}
