//! fio's status line on standard error: how far the clones are.

mod line;

use self::line::StatusFigures;
use crate::board::{Board, CloneState, Seat};
use crate::request::FioRequest;
use crate::subjob::Subjob;
use ioproof_core::job::Until;
use ioproof_fio::command_line::Eta;
use ioproof_fio::settings::JobSettings;
use ioproof_fio::values::Mode;
use ioproof_process::messages;
use ioproof_runner::Counts;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Shows the line as often as `--eta-interval` says.
pub struct StatusLine<'a> {
    request: &'a FioRequest,
    clones: &'a [Subjob],
    shown: bool,
    terminal: bool,
    interval: Duration,
    newline: Option<Duration>,
    last: Option<(Instant, [(u64, u64); 3])>,
    newline_at: Instant,
}

impl<'a> StatusLine<'a> {
    pub fn new(request: &'a FioRequest, clones: &'a [Subjob]) -> Self {
        let general = &request.line.general;
        let terminal = stderr().is_terminal();
        let shown = match general.eta {
            Eta::Auto => terminal,
            Eta::Always => true,
            Eta::Never => false,
        };
        let interval = Duration::from_millis(general.eta_interval_ms.max(100));
        let newline = general.eta_newline_ms.map(Duration::from_millis);
        Self { request, clones, shown, terminal, interval, newline, last: None, newline_at: Instant::now() }
    }

    /// Draws the line if it is time.
    pub fn show(&mut self, board: &Board, elapsed: Duration) {
        let due = self.last.is_none_or(|(at, ..)| at.elapsed() >= self.interval);
        if !self.shown || !due {
            return;
        }
        let mut done = [(0, 0); 3];
        for counts in board.seats().iter().map(|seat| seat.counts) {
            done.iter_mut().zip(counts.done).for_each(|(sum, one)| *sum = (sum.0 + one.0, sum.1 + one.1));
        }
        if let Some((at, before)) = self.last {
            let seconds = at.elapsed().as_secs_f64().max(1e-3);
            let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
            let rates = [0, 1, 2].map(|n| (rate(done[n].0, before[n].0), rate(done[n].1, before[n].1)));
            self.draw(&self.look(board.seats(), elapsed, rates).line());
        }
        self.last = Some((Instant::now(), done));
    }

    fn look(&self, seats: &[Seat], elapsed: Duration, rates: [(f64, f64); 3]) -> StatusFigures {
        let running: Vec<&Subjob> =
            self.clones.iter().zip(seats).filter(|(_, seat)| seat.state == CloneState::Runs).map(|(c, _)| c).collect();
        let share = self.share(seats);
        let left = (share > 0.0).then(|| elapsed.mul_f64((1.0 - share) / share));
        let letters: Vec<char> = self.clones.iter().zip(seats).map(|(clone, seat)| self.letter(clone, seat)).collect();
        StatusFigures {
            running: running.len(),
            files: running.iter().map(|clone| clone.files.len().max(1)).sum(),
            limit: line::limit(running.iter().map(|clone| &self.request.job(clone).settings)),
            ramps: running.len() == letters.iter().filter(|letter| **letter == '/').count(),
            letters,
            share,
            left,
            rates,
        }
    }

    /// fio's letter for what a clone does.
    fn letter(&self, clone: &Subjob, seat: &Seat) -> char {
        match seat.state {
            CloneState::Waits => 'P',
            CloneState::Ended => '_',
            CloneState::Runs if seat.counts.elapsed_ns < clone.compiled.spec.ramp_ns => '/',
            CloneState::Runs => of_access(&self.request.job(clone).settings),
        }
    }

    /// Share that is done, 0 to 1.
    fn share(&self, seats: &[Seat]) -> f64 {
        let of = |(clone, seat): (&Subjob, &Seat)| match seat.state {
            CloneState::Waits => 0.0,
            CloneState::Ended => 1.0,
            CloneState::Runs => progress(clone, seat.counts),
        };
        self.clones.iter().zip(seats).map(of).sum::<f64>() / self.clones.len().max(1) as f64
    }

    fn draw(&mut self, line: &str) {
        let newline = !self.terminal || self.newline.is_some_and(|every| self.newline_at.elapsed() >= every);
        if newline {
            self.newline_at = Instant::now();
        }
        let end = if newline { "\n" } else { "" };
        let start = if self.terminal { "\r\x1b[K" } else { "" };
        messages::draw(&format!("{start}{line}{end}"));
    }

    pub fn clear(&mut self) {
        if self.shown && self.terminal {
            messages::draw("\r\x1b[K");
        }
    }
}

/// The letter of a clone that runs: small for random offsets.
fn of_access(settings: &JobSettings) -> char {
    let rw = &settings.access.rw;
    let letter = match rw.mode {
        Mode::Read => 'R',
        Mode::Write => 'W',
        Mode::ReadWrite => 'M',
        Mode::Trim | Mode::TrimWrite => 'D',
    };
    if rw.random { letter.to_ascii_lowercase() } else { letter }
}

/// Share of one clone's work or time is done.
fn progress(clone: &Subjob, now: Counts) -> f64 {
    let spec = &clone.compiled.spec;
    let of_time = |ns: u64| now.elapsed_ns as f64 / spec.ramp_ns.saturating_add(ns).max(1) as f64;
    let of_work = match spec.until {
        Until::ElapsedNs(ns) => of_time(ns),
        Until::Bytes(all) => now.bytes() as f64 / all.max(1) as f64,
        Until::Ios(all) => now.ios() as f64 / all.max(1) as f64,
        Until::SpanCovered => now.bytes() as f64 / spec.span.length_bytes.max(1) as f64,
    };
    let of_bytes = spec.at_most_bytes.map_or(0.0, |all| now.bytes() as f64 / all.max(1) as f64);
    of_work.max(of_bytes).max(spec.at_most_ns.map_or(0.0, of_time)).min(1.0)
}
