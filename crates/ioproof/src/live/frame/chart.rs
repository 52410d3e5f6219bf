//! A figure over the whole run as bars.

use super::{Paint, wrapped};
use crate::live::series::ChartSeries;
use crate::live::track::{Track, TrackStretch};
use ratatui_core::style::Color;
use ratatui_core::text::Line;

const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub struct ChartFigure {
    /// Its name: `IOPS`.
    pub title: &'static str,
    pub of: fn(&TrackStretch) -> &ChartSeries,
    pub show: fn(f64) -> String,
    /// True where the stretches are named below.
    pub has_names: bool,
}

const NAME_LINES: usize = 2;

/// A heading with the largest value, so many lines of bars from zero up to it, a gap between workloads, and below the bars their names where they are several;
/// nothing where there is no value.
pub fn lines(figure: &ChartFigure, track: &Track, width: usize, height: usize, paint: Paint) -> Vec<Line<'static>> {
    let stretches: Vec<(&TrackStretch, usize)> = track.within(width);
    let values: Vec<Vec<f64>> = stretches.iter().map(|(stretch, columns)| (figure.of)(stretch).in_columns(*columns)).collect();
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return Vec::new();
    }
    let time = if track.is_cut(width) { "the end of the run" } else { "the run" };
    let heading = Line::styled(format!("{} over {time}, 0 to {}", figure.title, (figure.show)(most)), paint.dim());
    let bars_of = |values: &Vec<f64>, row: usize| values.iter().map(|value| bar(value / most, row, height)).collect::<String>();
    let row = |row: usize| in_columns(values.iter().map(|values| bars_of(values, row)), &stretches);
    let bars = (0..height).rev().map(|at| Line::styled(row(at), paint.color(Color::Cyan)));
    let names = if figure.has_names { names(&stretches) } else { Vec::new() };
    std::iter::once(heading).chain(bars).chain(names.into_iter().map(|line| Line::styled(line, paint.dim()))).collect()
}

fn in_columns(texts: impl Iterator<Item = String>, stretches: &[(&TrackStretch, usize)]) -> String {
    let cells = texts.zip(stretches).map(|(text, (_, columns))| format!("{text:<columns$}"));
    cells.collect::<Vec<_>>().join(" ")
}

fn names(stretches: &[(&TrackStretch, usize)]) -> Vec<String> {
    if stretches.len() < 2 {
        return Vec::new();
    }
    let wrapped: Vec<Vec<String>> = stretches.iter().map(|(stretch, columns)| wrapped(&stretch.name, *columns)).collect();
    let high = wrapped.iter().map(Vec::len).max().unwrap_or(0).min(NAME_LINES);
    let line = |at: usize| wrapped.iter().map(move |lines| lines.get(at).cloned().unwrap_or_default());
    (0..high).map(|at| in_columns(line(at), stretches)).collect()
}

/// The character of a bar in a line, counted from below.
fn bar(share: f64, row: usize, height: usize) -> char {
    let eighths = (share * (height * 8) as f64).round() as usize;
    BARS[eighths.saturating_sub(row * 8).min(8)]
}
