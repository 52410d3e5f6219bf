//! Values of many things on one scale, a dot each: dots of one place stand on each other, so that their shape is seen.

use super::plot::WIDTH;
use super::{charts, escape};
use ioproof_core::results::{DotStrip, StripDot};
use std::fmt::Write;

const SIDE: f64 = 6.0;
/// Distance of dots that stand on each other, where there is room.
const PITCH: f64 = 3.2;
/// The highest column.
const MOST_HEIGHT: f64 = 110.0;
/// Room below for the labels.
const LABELS: f64 = 18.0;
/// Letters are about so wide.
const LETTER: f64 = 5.8;

pub(super) fn strips(strips: &[DotStrip]) -> String {
    let figures: String = strips.iter().filter_map(figure).collect();
    charts(&figures)
}

fn figure(strip: &DotStrip) -> Option<String> {
    let (low, high) = strip.ends()?;
    let x = |at: f64| if high > low { SIDE + (at - low) / (high - low) * (WIDTH - 2.0 * SIDE) } else { WIDTH / 2.0 };
    let dots = placed(strip, &x);
    let most = dots.iter().map(|(_, level, _)| *level + 1).max().unwrap_or(1) as f64;
    let pitch = PITCH.min(MOST_HEIGHT / most);
    let height = (most * pitch).max(20.0) + 8.0;
    let (mut plain, mut named) = (String::new(), String::new());
    for (x, level, dot) in &dots {
        let y = height - 4.0 - *level as f64 * pitch;
        let _ = match &dot.named {
            None => write!(plain, "M{x:.1} {y:.1}h0"),
            Some(name) => write!(named, "<circle class=\"odd\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" data-tip=\"{}\"/>", escape(name)),
        };
    }
    let limit = strip.limit.map_or_else(String::new, |at| format!("<path class=\"claim\" d=\"M{0:.1} 2V{height:.1}\"/>", x(at)));
    let axis = format!("<path class=\"axis\" d=\"M{SIDE} {height:.1}H{:.1}\"/>", WIDTH - SIDE);
    let labels = labels(strip, &x, height + 13.0);
    Some(format!(
        "<figure><figcaption><strong>{}</strong> <span>{}</span></figcaption><svg class=\"dots\" viewBox=\"0 0 {WIDTH} {:.1}\" role=\"img\" aria-label=\"{}\">\
         {limit}<path class=\"swarm\" d=\"{plain}\"/>{named}{axis}{labels}</svg></figure>\n",
        escape(&strip.title),
        escape(&strip.about),
        height + LABELS,
        escape(&format!("{}: {}", strip.title, strip.about)),
    ))
}

/// Each dot with its place from the left and its level above the axis; those with names come last, on top.
fn placed<'a>(strip: &'a DotStrip, x: &dyn Fn(f64) -> f64) -> Vec<(f64, usize, &'a StripDot)> {
    let mut levels = vec![0_usize; (WIDTH / PITCH) as usize + 1];
    let finite = || strip.dots.iter().filter(|dot| dot.at.is_finite());
    let ordered = finite().filter(|dot| dot.named.is_none()).chain(finite().filter(|dot| dot.named.is_some()));
    let place = |dot: &'a StripDot| {
        let column = ((x(dot.at) / PITCH).round() as usize).min(levels.len() - 1);
        let level = levels[column];
        levels[column] += 1;
        (x(dot.at), level, dot)
    };
    ordered.map(place).collect()
}

/// Labels that do not run into each other, the ends first.
fn labels(strip: &DotStrip, x: &dyn Fn(f64) -> f64, y: f64) -> String {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let mut text = String::new();
    let ends_first = strip.ticks.first().into_iter().chain(strip.ticks.last()).chain(strip.ticks.iter().skip(1));
    for (at, label) in ends_first {
        let half = label.chars().count() as f64 * LETTER / 2.0;
        let middle = x(*at).clamp(half + 1.0, WIDTH - half - 1.0);
        if taken.iter().all(|(low, high)| middle + half < *low || middle - half > *high) {
            taken.push((middle - half, middle + half));
            let _ = write!(text, "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", escape(label));
        }
    }
    text
}
