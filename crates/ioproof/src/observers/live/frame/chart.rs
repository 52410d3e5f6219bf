//! A figure over the whole run as bars.

use super::Paint;
use crate::observers::live::series::Series;
use ratatui::style::Color;
use ratatui::text::Line;

/// Eighths of a line.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A heading with the largest value, and so many lines of bars from zero up to it; nothing where there is no value.
pub fn lines(title: &str, series: &Series, show: fn(f64) -> String, width: usize, height: usize, paint: Paint) -> Vec<Line<'static>> {
    let columns = series.in_columns(width);
    let most = columns.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return Vec::new();
    }
    let heading = Line::styled(format!("{title}, 0 to {}", show(most)), paint.dim());
    let row = |row: usize| columns.iter().map(|value| bar(value / most, row, height)).collect::<String>();
    let bars = (0..height).rev().map(|at| Line::styled(row(at), paint.color(Color::Cyan)));
    std::iter::once(heading).chain(bars).collect()
}

/// The character of a bar in a line, counted from below.
fn bar(share: f64, row: usize, height: usize) -> char {
    let eighths = (share * (height * 8) as f64).round() as usize;
    BARS[eighths.saturating_sub(row * 8).min(8)]
}
