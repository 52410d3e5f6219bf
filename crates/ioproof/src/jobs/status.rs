//! The line that says how far the jobs are, in the shape of fio's, on standard error.

use super::ask::Asked;
use super::prepare::Clone;
use ioproof_core::fio::command_line::Eta;
use ioproof_core::job::Until;
use ioproof_core::units::{duration, throughput};
use ioproof_engine::Snapshot;
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How far one clone is.
#[derive(Debug, Default)]
pub struct Live {
    state: AtomicU8,
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
    elapsed_ns: AtomicU64,
}

const WAITS: u8 = 0;
const RUNS: u8 = 1;
const ENDED: u8 = 2;

impl Live {
    /// It starts.
    pub fn start(&self) {
        self.state.store(RUNS, Relaxed);
    }

    /// So far.
    pub fn now(&self, now: Snapshot) {
        self.read_bytes.store(now.read_bytes, Relaxed);
        self.written_bytes.store(now.written_bytes, Relaxed);
        self.elapsed_ns.store(now.elapsed_ns, Relaxed);
    }

    /// It has ended.
    pub fn end(&self) {
        self.state.store(ENDED, Relaxed);
    }

    fn is_running(&self) -> bool {
        self.state.load(Relaxed) == RUNS
    }
}

/// Shows the line as often as `--eta-interval` says.
pub struct Status<'a> {
    clones: &'a [Clone],
    shown: bool,
    terminal: bool,
    interval: Duration,
    newline: Option<Duration>,
    last: Option<(Instant, u64, u64)>,
    newline_at: Instant,
}

impl<'a> Status<'a> {
    /// As the command line asks for.
    pub fn new(asked: &Asked, clones: &'a [Clone]) -> Self {
        let general = &asked.line.general;
        let terminal = stderr().is_terminal();
        let shown = match general.eta {
            Eta::Auto => terminal,
            Eta::Always => true,
            Eta::Never => false,
        };
        let interval = Duration::from_millis(general.eta_interval_ms.max(100));
        let newline = general.eta_newline_ms.map(Duration::from_millis);
        Self { clones, shown, terminal, interval, newline, last: None, newline_at: Instant::now() }
    }

    /// Draws the line if it is time.
    pub fn show(&mut self, live: &[Live], elapsed: Duration) {
        let due = self.last.is_none_or(|(at, ..)| at.elapsed() >= self.interval);
        if !self.shown || !due {
            return;
        }
        let sum = |of: fn(&Live) -> &AtomicU64| live.iter().map(|one| of(one).load(Relaxed)).sum::<u64>();
        let (read, written) = (sum(|l| &l.read_bytes), sum(|l| &l.written_bytes));
        if let Some((at, read_before, written_before)) = self.last {
            let seconds = at.elapsed().as_secs_f64().max(1e-3);
            let rate = |now: u64, before: u64| throughput(now.saturating_sub(before) as f64 / seconds);
            self.draw(&self.line(live, elapsed, &rate(read, read_before), &rate(written, written_before)));
        }
        self.last = Some((Instant::now(), read, written));
    }

    fn line(&self, live: &[Live], elapsed: Duration, read: &str, written: &str) -> String {
        let running = live.iter().filter(|one| one.is_running()).count();
        let done = self.share(live);
        let left = if done > 0.0 { Duration::from_secs_f64(elapsed.as_secs_f64() * (1.0 - done) / done) } else { Duration::ZERO };
        format!("Jobs: {running} (f={running}): [{:.1}%][r={read},w={written}][eta {}]", done * 100.0, duration(left))
    }

    /// How much of all is done, 0 to 1.
    fn share(&self, live: &[Live]) -> f64 {
        let of = |(clone, live): (&Clone, &Live)| match live.state.load(Relaxed) {
            WAITS => 0.0,
            ENDED => 1.0,
            _ => progress(clone, live),
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

/// How much of one clone's work or time is done.
fn progress(clone: &Clone, live: &Live) -> f64 {
    let spec = &clone.compiled.spec;
    let bytes = (live.read_bytes.load(Relaxed) + live.written_bytes.load(Relaxed)) as f64;
    let of_time = |ns: u64| live.elapsed_ns.load(Relaxed) as f64 / (spec.ramp_ns + ns).max(1) as f64;
    let of_work = match spec.until {
        Until::ElapsedNs(ns) => of_time(ns),
        Until::Bytes(all) => bytes / all.max(1) as f64,
        Until::Ios(ios) => bytes / f64::from(spec.workload.block_bytes) / ios.max(1) as f64,
        Until::SpanCovered => bytes / spec.span.length_bytes.max(1) as f64,
    };
    of_work.max(spec.at_most_ns.map_or(0.0, of_time)).min(1.0)
}
