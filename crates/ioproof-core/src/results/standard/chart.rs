//! The plots of rounds: writes of every block size on their way to a steady state, and the tracked variable with its window, fit and bounds.

use super::TestResult;
use crate::results::chart::{ChartLine, LineChart};
use crate::standard::Segment;
use crate::units::block_size;

impl LineChart {
    /// The plots of a test; none before its second round.
    pub(super) fn of_test(of: &TestResult) -> Vec<Self> {
        if of.rounds.len() < 2 {
            return Vec::new();
        }
        if !of.segments.is_empty() {
            return vec![segments(of)];
        }
        let all = of.convergence.iter().filter(|_| of.convergence.len() > 1);
        let writes = all.map(|series| line(block_size(series.block_bytes.into()), &series.rounds)).collect::<Vec<_>>();
        let whole = (!writes.is_empty()).then(|| Self {
            about: "writes (R/W 0/100) of every block size, round by round; shaded: the measurement window",
            lines: writes,
            ..plot(of, "convergence", "steady state convergence")
        });
        [whole, Some(window(of))].into_iter().flatten().collect()
    }
}

fn plot(of: &TestResult, id: &str, title: &str) -> LineChart {
    LineChart {
        id: format!("{}-{id}", of.test.title().to_lowercase().replace(' ', "-")),
        title: format!("{}: {title}", of.test.title()),
        about: "",
        metric: of.metric,
        rounds: of.rounds.len() as u32,
        names: None,
        lines: Vec::new(),
        window: of.window.map(|window| (window.first_round, window.last_round)),
        levels: Vec::new(),
    }
}

/// The cells of a test in segments, a line a segment.
fn segments(of: &TestResult) -> LineChart {
    let segment = |(segment, cells): (&Segment, std::ops::Range<usize>)| {
        let points = of.rounds.iter().enumerate().skip(cells.start).take(cells.len()).map(|(at, value)| (at as f64 + 1.0, *value));
        ChartLine { name: segment.name.into(), points: points.collect() }
    };
    LineChart {
        about: "each cell in its turn",
        lines: of.test.segment_cells().map(segment).filter(|line| !line.points.is_empty()).collect(),
        ..plot(of, "segments", "each segment")
    }
}

/// The tracked variable; the line of least squares; 110 % and 90 % of the average, between which all values of a steady window lie where they lie evenly about it.
fn window(of: &TestResult) -> LineChart {
    let fit = of.window.map(|window| ChartLine {
        name: "least squares linear fit".into(),
        points: [window.first_round, window.last_round]
            .map(f64::from)
            .map(|round| (round, window.intercept + window.slope * round))
            .to_vec(),
    });
    let levels = of.window.map(|window| {
        let half = window.allowed_range / 2.0;
        vec![(window.average + half, "average ± 10 %"), (window.average - half, "")]
    });
    LineChart {
        about: "the tracked variable, round by round; shaded: the measurement window; dashed: the bounds of its data excursion",
        lines: std::iter::once(line(of.tracking_variable.clone(), &of.rounds)).chain(fit).collect(),
        levels: levels.unwrap_or_default(),
        ..plot(of, "window", "steady state measurement window")
    }
}

fn line(name: String, rounds: &[f64]) -> ChartLine {
    ChartLine { name, points: (1..).zip(rounds).map(|(round, value)| (f64::from(round), *value)).collect() }
}
