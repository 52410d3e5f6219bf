//! The rounds of two runs as dots on one scale, a row each, with a mark at the figure. The numbers beside them say the same, so readers skip it.

use super::look;
use ioproof_core::compare::words::ComparedLine as Line;

/// Size of the drawing, and room at its sides for half a dot.
const WIDTH: f64 = 170.0;
const HEIGHT: f64 = 22.0;
const SIDE: f64 = 4.0;

pub(super) fn dots(line: &Line) -> String {
    let runs = [0, line.run];
    let figure = |run: usize| line.row.measured[run].map(|estimate| estimate.median);
    let values =
        || runs.into_iter().flat_map(|run| line.row.rounds[run].iter().copied().chain(figure(run))).filter(|value| value.is_finite());
    let (Some(least), Some(most)) = (values().reduce(f64::min), values().reduce(f64::max)) else { return "-".into() };
    let x = |value: f64| if most > least { SIDE + (value - least) / (most - least) * (WIDTH - 2.0 * SIDE) } else { WIDTH / 2.0 };
    let row = |(at, run): (usize, usize)| {
        let y = HEIGHT * (0.25 + 0.5 * at as f64);
        let dots = line.row.rounds[run]
            .iter()
            .filter(|value| value.is_finite())
            .map(|value| format!("<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"2.2\"/>", x(*value)));
        let mark = figure(run).map(|value| format!("<path d=\"M{0:.1} {1:.1}V{2:.1}\"/>", x(value), y - 5.0, y + 5.0)).unwrap_or_default();
        format!("<g class=\"dots {}\">{}{mark}</g>", look(run), dots.collect::<String>())
    };
    let rows: String = runs.into_iter().enumerate().map(row).collect();
    format!(
        "<svg class=\"rounds-of\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" aria-hidden=\"true\">{rows}</svg>"
    )
}
