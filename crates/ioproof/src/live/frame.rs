//! The picture of a state in a window of any size: a pure function, so that screens are tested as text.
//!
//! A part has a rank; where the window is too small for all of them, those of the lowest rank go first. Deliberately absent: terminals (`terminal`), and
//! what the figures are (`state`).

mod chart;
mod table;

use super::state::{LiveFinding, LiveState};
use crate::columns;
use chart::ChartFigure;
use ioproof_core::finding::Severity;
use ioproof_core::text::visible;
use ioproof_core::units::{duration, iops, latency};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use std::time::Duration;

const CHART_LINES: [(u16, usize); 3] = [(36, 4), (24, 2), (0, 1)];

/// Between two gauges on one line.
const GAP: &str = "   ";

const KEYS: &str = "q or Ctrl-C ends the run; it reports what was measured";

/// The charts; names below one of them stand for both.
const RATE: ChartFigure = ChartFigure { title: "IOPS", of: |stretch| &stretch.iops, show: iops, has_names: true };
const TAIL: ChartFigure = ChartFigure { title: "p99", of: |stretch| &stretch.p99_ns, show: latency, has_names: false };

struct FramePart {
    /// Its place among the others when room is scarce: 0 stays longest.
    rank: usize,
    /// Its lines; the first ones stay longest.
    lines: Vec<Line<'static>>,
    /// True where a piece of it says something else than all of it.
    is_whole: bool,
}

pub fn draw(state: &LiveState, area: Rect, is_colored: bool) -> Buffer {
    let mut buffer = Buffer::empty(area);
    let paint = Paint { is_colored };
    let mut lines = fitted(parts(state, area, paint), usize::from(area.height).saturating_sub(1));
    lines.resize(usize::from(area.height).saturating_sub(1), Line::default());
    lines.push(Line::styled(KEYS, paint.dim()));
    for (y, line) in (area.y..area.bottom()).zip(&lines) {
        buffer.set_line(area.x, y, line, area.width);
    }
    buffer
}

/// Styles; without colour only those that are none.
#[derive(Clone, Copy)]
struct Paint {
    is_colored: bool,
}

impl Paint {
    fn color(self, color: Color) -> Style {
        if self.is_colored { Style::new().fg(color) } else { Style::new() }
    }

    fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    fn style_of(self, severity: Option<Severity>) -> Style {
        match severity {
            Some(Severity::Block) => self.color(Color::Red).add_modifier(Modifier::BOLD),
            Some(Severity::Warn) => self.color(Color::Yellow),
            Some(Severity::Info) | None => self.color(Color::Cyan),
        }
    }
}

fn parts(state: &LiveState, area: Rect, paint: Paint) -> Vec<FramePart> {
    let width = usize::from(area.width);
    let high = CHART_LINES.iter().find(|(least, _)| area.height >= *least).map_or(1, |(_, lines)| *lines);
    let part = |rank, lines| FramePart { rank, lines, is_whole: false };
    let chart = |rank, lines| FramePart { rank, lines, is_whole: true };
    vec![
        part(1, vec![heading(state, width, paint)]),
        part(0, step(state, width, paint)),
        part(2, table::rows(state, width, paint)),
        part(3, gauges(state, width)),
        chart(5, chart::lines(&RATE, &state.track, width, high, paint)),
        chart(6, chart::lines(&TAIL, &state.track, width, high, paint)),
        part(4, findings(state, width, paint)),
        part(7, results(state, width, paint)),
    ]
}

/// As many lines as there is room for, with an empty one between parts where there is more.
fn fitted(mut parts: Vec<FramePart>, room: usize) -> Vec<Line<'static>> {
    let mut left = room;
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| parts[*at].rank);
    for at in order {
        let FramePart { lines, is_whole, .. } = &mut parts[at];
        lines.truncate(if *is_whole && lines.len() > left { 0 } else { left });
        left -= lines.len();
    }
    parts.retain(|part| !part.lines.is_empty());
    let last = parts.len().saturating_sub(1);
    for part in parts.iter_mut().take(last) {
        if left > 0 {
            part.lines.push(Line::default());
            left -= 1;
        }
    }
    parts.into_iter().flat_map(|part| part.lines).collect()
}

fn heading(state: &LiveState, width: usize, paint: Paint) -> Line<'static> {
    let in_words = |time: Duration| duration(Duration::from_secs(time.as_secs()));
    let left = state
        .left
        .map(|left| format!(", about {} left{}", in_words(left), if state.is_left_of_stage { " of this" } else { "" }))
        .unwrap_or_default();
    let time = format!("{}{left}", in_words(state.elapsed));
    let room = width.saturating_sub(time.chars().count() + 2);
    let name: String = state.heading.chars().take(room).collect();
    let gap = " ".repeat(width.saturating_sub(name.chars().count() + time.chars().count()));
    Line::from(vec![Span::styled(name, paint.bold()), Span::raw(gap), Span::raw(time)])
}

fn step(state: &LiveState, width: usize, paint: Paint) -> Vec<Line<'static>> {
    let detail = if state.in_ramp { "ramp: nothing counts yet" } else { &state.detail };
    let text = if detail.is_empty() { state.step.clone() } else { format!("{} · {detail}", state.step) };
    let mut lines: Vec<Line<'static>> =
        wrapped(&text, width).into_iter().map(|line| Line::styled(line, paint.color(Color::Green).add_modifier(Modifier::BOLD))).collect();
    if !state.why.is_empty() {
        lines.extend(wrapped(&format!("why: {}", state.why), width).into_iter().map(Line::from));
    }
    lines
}

/// Depth, CPU and temperature on as few lines as they need.
fn gauges(state: &LiveState, width: usize) -> Vec<Line<'static>> {
    let depth = state.depth.map(|(asked, now)| match now {
        Some(now) => format!("in flight {now:.1} of {asked}"),
        None => format!("in flight - of {asked}"),
    });
    let cpus = state.cpus.0.map(|used| format!("CPU of ioproof {used:.2} of {}", state.cpus.1));
    let hot = state.temperatures.iter().map(|(name, celsius)| format!("{name} {celsius:.0} °C"));
    let hot: Vec<String> = hot.collect();
    let hot = if hot.is_empty() { "temperature not told".to_owned() } else { format!("before this: {}", hot.join(", ")) };
    let mut lines: Vec<String> = Vec::new();
    for gauge in depth.into_iter().chain(cpus).chain([hot]) {
        match lines.last_mut().filter(|line| line.chars().count() + GAP.len() + gauge.chars().count() <= width) {
            Some(line) => line.extend([GAP, &gauge]),
            None => lines.push(gauge),
        }
    }
    lines.into_iter().map(Line::from).collect()
}

fn findings(state: &LiveState, width: usize, paint: Paint) -> Vec<Line<'static>> {
    let note = |text: &String| LiveFinding { severity: None, label: "note", text: text.clone() };
    let all: Vec<LiveFinding> = state.findings.iter().cloned().chain(state.notes.iter().map(note)).collect();
    let mut lines: Vec<Line<'static>> = all.iter().flat_map(|told| finding(told, width, paint)).collect();
    if !lines.is_empty() {
        lines.insert(0, Line::styled("findings so far", paint.dim()));
    }
    lines
}

fn finding(told: &LiveFinding, width: usize, paint: Paint) -> Vec<Line<'static>> {
    const LABEL: usize = 8;
    let text = wrapped(&visible(&told.text), width.saturating_sub(LABEL).max(1));
    let label = |first: bool| format!("{:<LABEL$}", if first { told.label } else { "" });
    let line = |(n, text): (usize, String)| Line::from(vec![Span::styled(label(n == 0), paint.style_of(told.severity)), Span::raw(text)]);
    text.into_iter().take(2).enumerate().map(line).collect()
}

fn results(state: &LiveState, width: usize, paint: Paint) -> Vec<Line<'static>> {
    let clipped = state.results.iter().map(|line| Line::from(line.chars().take(width).collect::<String>()));
    let heading = (!state.results.is_empty()).then(|| Line::styled("results so far", paint.dim()));
    heading.into_iter().chain(clipped).collect()
}

/// A text in lines of at most so many characters, cut between words where that goes.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    columns::wrapped(text, 0, Some(width)).iter().map(|line| line.chars().take(width).collect()).collect()
}

#[cfg(test)]
mod tests;
