//! How far the clones are, where the watching thread sees it; and the line that says so, on standard error.

mod line;

use self::line::Look;
use super::ask::Asked;
use super::clone::Clone;
use super::one::{End, now_ms};
use ioproof_fio::command_line::Eta;
use ioproof_fio::settings::Settings;
use ioproof_fio::values::Mode;
use ioproof_core::job::Until;
use ioproof_engine::Snapshot;
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a clone had done at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Since it started, ramp included. Nanoseconds.
    pub elapsed_ns: u64,
    /// I/Os and bytes of reads, writes and trims since then.
    pub done: [(u64, u64); 3],
}

impl Counts {
    /// All I/Os.
    pub fn ios(&self) -> u64 {
        self.done.iter().map(|(ios, _)| ios).sum()
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.done.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// How far one clone is.
#[derive(Debug, Default)]
pub struct Live {
    state: AtomicU8,
    started_ms: AtomicU64,
    counts: Mutex<Counts>,
    /// Its results so far, and the request that they answer.
    answer: Mutex<(u64, End)>,
}

const WAITS: u8 = 0;
const RUNS: u8 = 1;
const ENDED: u8 = 2;

impl Live {
    /// So far. The first look says that it has started.
    pub fn now(&self, now: &Snapshot<'_>) {
        if self.state.swap(RUNS, Relaxed) == WAITS {
            self.started_ms.store(now_ms().saturating_sub(now.elapsed_ns / 1_000_000), Relaxed);
        }
        *held(&self.counts) = Counts { elapsed_ns: now.elapsed_ns, done: now.counted() };
    }

    /// When it started. Milliseconds since 1970; 0 where it has not.
    pub fn started_ms(&self) -> u64 {
        self.started_ms.load(Relaxed)
    }

    /// What it has done.
    pub fn counts(&self) -> Counts {
        *held(&self.counts)
    }

    /// Its results so far, for a request.
    pub fn answer(&self, number: u64, end: End) {
        *held(&self.answer) = (number, end);
    }

    /// Whether there is nothing to wait for from it.
    pub fn has_answered(&self, number: u64) -> bool {
        self.state.load(Relaxed) != RUNS || held(&self.answer).0 >= number
    }

    /// Its results as it last gave them.
    pub fn so_far(&self) -> End {
        held(&self.answer).1.summary()
    }

    /// It has ended.
    pub fn end(&self, end: End) {
        self.answer(u64::MAX, end);
        self.state.store(ENDED, Relaxed);
    }
}

/// What a thread that panicked left behind is still a count.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows the line as often as `--eta-interval` says.
pub struct Status<'a> {
    asked: &'a Asked,
    clones: &'a [Clone],
    shown: bool,
    terminal: bool,
    interval: Duration,
    newline: Option<Duration>,
    last: Option<(Instant, [(u64, u64); 3])>,
    newline_at: Instant,
}

impl<'a> Status<'a> {
    /// As the command line asks for.
    pub fn new(asked: &'a Asked, clones: &'a [Clone]) -> Self {
        let general = &asked.line.general;
        let terminal = stderr().is_terminal();
        let shown = match general.eta {
            Eta::Auto => terminal,
            Eta::Always => true,
            Eta::Never => false,
        };
        let interval = Duration::from_millis(general.eta_interval_ms.max(100));
        let newline = general.eta_newline_ms.map(Duration::from_millis);
        Self { asked, clones, shown, terminal, interval, newline, last: None, newline_at: Instant::now() }
    }

    /// Draws the line if it is time.
    pub fn show(&mut self, live: &[Live], elapsed: Duration) {
        let due = self.last.is_none_or(|(at, ..)| at.elapsed() >= self.interval);
        if !self.shown || !due {
            return;
        }
        let mut done = [(0, 0); 3];
        for counts in live.iter().map(Live::counts) {
            done.iter_mut().zip(counts.done).for_each(|(sum, one)| *sum = (sum.0 + one.0, sum.1 + one.1));
        }
        if let Some((at, before)) = self.last {
            let seconds = at.elapsed().as_secs_f64().max(1e-3);
            let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
            let rates = [0, 1, 2].map(|n| (rate(done[n].0, before[n].0), rate(done[n].1, before[n].1)));
            self.draw(&self.look(live, elapsed, rates).line());
        }
        self.last = Some((Instant::now(), done));
    }

    fn look(&self, live: &[Live], elapsed: Duration, rates: [(f64, f64); 3]) -> Look {
        let running: Vec<&Clone> =
            self.clones.iter().zip(live).filter(|(_, live)| live.state.load(Relaxed) == RUNS).map(|(c, _)| c).collect();
        let share = self.share(live);
        let left = (share > 0.0).then(|| elapsed.mul_f64((1.0 - share) / share));
        let letters: Vec<char> = self.clones.iter().zip(live).map(|(clone, live)| self.letter(clone, live)).collect();
        Look {
            running: running.len(),
            files: running.iter().map(|clone| clone.files.len().max(1)).sum(),
            limit: line::limit(running.iter().map(|clone| &self.asked.job(clone).settings)),
            ramps: running.len() == letters.iter().filter(|letter| **letter == '/').count(),
            letters,
            share,
            left,
            rates,
        }
    }

    /// fio's letter for what a clone does.
    fn letter(&self, clone: &Clone, live: &Live) -> char {
        match live.state.load(Relaxed) {
            WAITS => 'P',
            ENDED => '_',
            _ if live.counts().elapsed_ns < clone.compiled.spec.ramp_ns => '/',
            _ => of_access(&self.asked.job(clone).settings),
        }
    }

    /// How much of all is done, 0 to 1.
    fn share(&self, live: &[Live]) -> f64 {
        let of = |(clone, live): (&Clone, &Live)| match live.state.load(Relaxed) {
            WAITS => 0.0,
            ENDED => 1.0,
            _ => progress(clone, live.counts()),
        };
        self.clones.iter().zip(live).map(of).sum::<f64>() / self.clones.len().max(1) as f64
    }

    fn draw(&mut self, line: &str) {
        let newline = !self.terminal || self.newline.is_some_and(|every| self.newline_at.elapsed() >= every);
        if newline {
            self.newline_at = Instant::now();
        }
        let end = if newline { "\n" } else { "" };
        let start = if self.terminal { "\r\x1b[K" } else { "" };
        let _ = write!(stderr(), "{start}{line}{end}");
        let _ = stderr().flush();
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.shown && self.terminal {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

/// The letter of a clone that runs: small for random offsets.
fn of_access(settings: &Settings) -> char {
    let rw = &settings.access.rw;
    let letter = match rw.mode {
        Mode::Read => 'R',
        Mode::Write => 'W',
        Mode::ReadWrite => 'M',
        Mode::Trim | Mode::TrimWrite => 'D',
    };
    if rw.random { letter.to_ascii_lowercase() } else { letter }
}

/// How much of one clone's work or time is done.
fn progress(clone: &Clone, now: Counts) -> f64 {
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
