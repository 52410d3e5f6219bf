//! A task over time: from latencies that were asked for now and then to its figures of the moment and of the run under way.

use ioproof_core::histogram::Histogram;
use ioproof_core::record::{Direction, Round};
use ioproof_runner::Latencies;
use std::collections::VecDeque;

/// The moment is this long, where the run is. Nanoseconds.
const MOMENT_NS: u64 = 1_000_000_000;

/// Samples that must lie beyond a percentile of the screen, as of a slice of a run.
const BEYOND: u64 = 10;

#[derive(Debug)]
pub struct Meter {
    ramp_ns: u64,
    /// Of the last moment and the one before it, the newest at the end.
    looks: VecDeque<Latencies>,
}

struct MeterPiece {
    seconds: f64,
    done: [Direction; 3],
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeterFigures {
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Mean latency. Nanoseconds.
    pub mean_ns: Option<f64>,
    /// Percentiles p50, p99 and p99.9, each where enough samples lie beyond. Nanoseconds.
    pub percentiles_ns: [Option<u64>; 3],
    /// Largest latency. Nanoseconds.
    pub max_ns: Option<u64>,
}

pub const PERCENTILES: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)];

impl Meter {
    pub fn new(ramp_ns: u64) -> Self {
        Self { ramp_ns, looks: VecDeque::new() }
    }

    /// Takes a newer look. One that counted less is of a new piece of the task, as a search makes them.
    pub fn take(&mut self, look: Latencies) {
        if look.elapsed_ns < self.ramp_ns {
            return;
        }
        let all = |look: &Latencies| look.measured.iter().map(|one| one.ios).sum::<u64>();
        if self.looks.back().is_some_and(|last| all(&look) < all(last) || look.elapsed_ns <= last.elapsed_ns) {
            self.looks.clear();
        }
        while self.looks.get(1).is_some_and(|second| second.elapsed_ns + MOMENT_NS <= look.elapsed_ns) {
            self.looks.pop_front();
        }
        self.looks.push_back(look);
    }

    /// Of the moment, once there are two looks.
    fn moment(&self) -> Option<MeterPiece> {
        let (first, last) = (self.looks.front()?, self.looks.back()?);
        let since = |at: usize| Direction {
            ios: last.measured[at].ios.saturating_sub(first.measured[at].ios),
            bytes: last.measured[at].bytes.saturating_sub(first.measured[at].bytes),
            latency: last.measured[at].latency.since(&first.measured[at].latency),
            ..Direction::default()
        };
        (last.elapsed_ns > first.elapsed_ns)
            .then(|| MeterPiece { seconds: (last.elapsed_ns - first.elapsed_ns) as f64 / 1e9, done: [since(0), since(1), since(2)] })
    }

    fn whole(&self) -> Option<MeterPiece> {
        let last = self.looks.back()?;
        let seconds = last.elapsed_ns.saturating_sub(self.ramp_ns).max(1) as f64 / 1e9;
        Some(MeterPiece { seconds, done: last.measured.clone() })
    }
}

/// Figures of reads, writes and trims of the moment and of the run so far, and all directions of the moment together.
pub fn figures(meters: &[Meter]) -> ([MeterFigures; 3], [MeterFigures; 3], MeterFigures) {
    let moments: Vec<MeterPiece> = meters.iter().filter_map(Meter::moment).collect();
    let whole: Vec<MeterPiece> = meters.iter().filter_map(Meter::whole).collect();
    let of = |pieces: &[MeterPiece]| [0, 1, 2].map(|at| summed(pieces, &[at]));
    (of(&moments), of(&whole), summed(&moments, &[0, 1, 2]))
}

/// Figures of reads, writes and trims of rounds side by side, and of all directions together.
pub fn of_rounds(rounds: &[Round]) -> ([MeterFigures; 3], MeterFigures) {
    let piece = |round: &Round| MeterPiece {
        seconds: round.elapsed_ns.max(1) as f64 / 1e9,
        done: [&round.read, &round.write, &round.trim].map(Direction::clone),
    };
    let pieces: Vec<MeterPiece> = rounds.iter().filter(|round| round.elapsed_ns > 0).map(piece).collect();
    ([0, 1, 2].map(|at| summed(&pieces, &[at])), summed(&pieces, &[0, 1, 2]))
}

fn summed(pieces: &[MeterPiece], directions: &[usize]) -> MeterFigures {
    let (mut figures, mut latency) = (MeterFigures::default(), Histogram::default());
    for (piece, direction) in pieces.iter().flat_map(|piece| directions.iter().map(move |at| (piece, &piece.done[*at]))) {
        figures.iops += direction.ios as f64 / piece.seconds;
        figures.bytes_per_s += direction.bytes as f64 / piece.seconds;
        if direction.ios > 0 {
            latency.merge(&direction.latency);
        }
    }
    let told = |(_, q): (&str, f64)| latency.quantile_ns(q).filter(|_| latency.samples_beyond(q) >= BEYOND);
    figures.mean_ns = latency.mean_ns();
    figures.percentiles_ns = PERCENTILES.map(told);
    figures.max_ns = latency.quantile_ns(1.0);
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A look after so many seconds: so many reads of 4 KiB, the first half of them of 1 ms and the others of 2 ms.
    fn look(seconds: f64, reads: u64) -> Latencies {
        let mut latency = Histogram::default();
        (0..reads).for_each(|n| latency.record(if n < 1000 { 1_000_000 } else { 2_000_000 }));
        let read = Direction { ios: reads, bytes: reads * 4096, latency, ..Direction::default() };
        Latencies { elapsed_ns: (seconds * 1e9) as u64, measured: [read, Direction::default(), Direction::default()] }
    }

    #[test]
    fn the_moment_is_of_the_last_second_and_the_run_of_all_after_the_ramp() {
        let mut meter = Meter::new(500_000_000);
        for (seconds, reads) in [(0.4, 0), (0.5, 0), (1.5, 1000), (2.5, 3000)] {
            meter.take(look(seconds, reads));
        }
        let ([read, write, _], [run, ..], all) = figures(&[meter]);
        assert_eq!((read.iops, read.bytes_per_s, read.mean_ns), (2000.0, 2000.0 * 4096.0, Some(2e6)));
        assert_eq!((run.iops, run.mean_ns.map(|ns| ns.round())), (1500.0, Some(1_666_667.0)));
        assert_eq!((write, all), (MeterFigures::default(), read));
    }

    #[test]
    fn a_percentile_needs_samples_beyond_it() {
        let mut meter = Meter::new(0);
        meter.take(look(1.0, 1000));
        let (_, [run, ..], _) = figures(&[meter]);
        assert_eq!(run.percentiles_ns.map(|ns| ns.is_some()), [true, true, false]);
    }

    #[test]
    fn tasks_side_by_side_are_added_and_a_new_piece_begins_anew() {
        let two = [0, 1].map(|_| {
            let mut meter = Meter::new(0);
            [(1.0, 500), (2.0, 900), (3.0, 10), (4.0, 110)].into_iter().for_each(|(seconds, reads)| meter.take(look(seconds, reads)));
            meter
        });
        assert_eq!(figures(&two).0[0].iops, 200.0);
        assert_eq!(figures(&[Meter::new(0)]).0[0], MeterFigures::default());
    }
}
