//! A ratio of two outputs that measured different things: random by sequential, reads by writes.

use super::bind::outputs;
use super::ratio::{Ratio, ratios};
use crate::checks::{Findings, Measured, Order, Reading, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for ratio in ratios(reading) {
        let (above, below) = (outputs(reading, &ratio.above), outputs(reading, &ratio.below));
        let (Some(a), Some(b)) = (above.first(), below.first()) else { continue };
        let Some((is_a, is_b)) = differs(&above, &below) else { continue };
        let title = format!("{} compares a {is_a} run with a {is_b} one", ratio.stated.text);
        let because = format!(
            "{} (line {}, rw={}) / {} (line {}, rw={}) = {:.3}{}",
            ratio.above.text,
            a.first,
            a.load.word,
            ratio.below.text,
            b.first,
            b.load.word,
            ratio.above.number.value / ratio.below.number.value,
            alike(reading, &ratio, a, b)
        );
        findings.wrong("unlike-runs", reading.at(ratio.stated.line), title, because);
    }
}

/// The orders of both, where no output of one side has the order of the other.
fn differs(above: &[&Measured], below: &[&Measured]) -> Option<(&'static str, &'static str)> {
    let order = |all: &[&Measured]| all.first().and_then(|measured| measured.load.order);
    let (a, b) = (order(above)?, order(below)?);
    let apart = above.iter().all(|above| below.iter().all(|below| above.load.order != below.load.order));
    (apart && a != b).then(|| (a.word(), b.word()))
}

/// The ratio with outputs of the same load on the other's target.
fn alike(reading: &Reading, ratio: &Ratio, a: &Measured, b: &Measured) -> String {
    let fits = |measured: &&Measured, target: &str, load: &Measured| {
        measured.target == target
            && measured.load.order == Some(Order::Random)
            && measured.load.engine == load.load.engine
            && measured.load.block_bytes == load.load.block_bytes
    };
    let other = reading.measured.iter().find(|measured| fits(measured, &b.target, a) && measured.load.word == a.load.word);
    let Some((value, words)) = other.and_then(show::quoted) else { return String::new() };
    let line = other.map_or(0, |other| other.first);
    format!("; like for like: {} / {words} (line {line}) = {:.2}", ratio.above.text, ratio.above.number.value / value)
}
