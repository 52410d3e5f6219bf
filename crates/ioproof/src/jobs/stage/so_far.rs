//! Results while jobs run: every `--status-interval`, and when the program gets SIGUSR1. Each is a whole report, in every format that was asked for.

use super::steady::Watch;
use crate::jobs::ask::Asked;
use crate::jobs::clone::Clone;
use crate::jobs::gather;
use crate::jobs::one::End;
use crate::jobs::status::Live;
use crate::jobs::write::formats;
use crate::plain::plain;
use signal_hook::consts::SIGUSR1;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long clones that run are waited for; they answer ten times a second.
const PATIENCE: Duration = Duration::from_millis(400);

/// When results so far are written, and where.
pub struct SoFar<'a> {
    asked: &'a Asked,
    signal: Arc<AtomicBool>,
    every: Option<Duration>,
    next: Instant,
    /// The answers that are waited for, and until when.
    waits: Option<(u64, Instant)>,
}

impl<'a> SoFar<'a> {
    /// From now on SIGUSR1 asks for results.
    pub fn new(asked: &'a Asked) -> Self {
        let signal = Arc::new(AtomicBool::new(false));
        // Where the kernel refuses a handler, the signal ends the program, as it does any that knows nothing of it.
        let _ = signal_hook::flag::register(SIGUSR1, Arc::clone(&signal));
        let every = asked.line.general.status_interval_ms.map(Duration::from_millis);
        Self { asked, signal, every, next: Instant::now() + every.unwrap_or_default(), waits: None }
    }

    /// Asks the clones for their results when it is time, and writes them when they have come.
    pub fn look(&mut self, clones: &[Clone], live: &[Live], wanted: &AtomicU64, started: Instant, steady: &[Watch]) {
        if self.waits.is_none() && self.is_due() {
            self.waits = Some((wanted.fetch_add(1, Relaxed) + 1, Instant::now() + PATIENCE));
        }
        let Some((number, until)) = self.waits else { return };
        if live.iter().all(|one| one.has_answered(number)) || Instant::now() >= until {
            self.waits = None;
            self.write(clones, live, started, steady);
        }
    }

    fn is_due(&mut self) -> bool {
        let by_time = self.every.filter(|_| Instant::now() >= self.next);
        if let Some(every) = by_time {
            self.next += every;
        }
        self.signal.swap(false, Relaxed) || by_time.is_some()
    }

    fn write(&self, clones: &[Clone], live: &[Live], started: Instant, steady: &[Watch]) {
        let mut ends: Vec<End> = live.iter().map(Live::so_far).collect();
        for end in ends.iter_mut().filter(|end| end.round.is_some() && end.elapsed.is_zero()) {
            end.elapsed = started.elapsed();
        }
        for watch in steady {
            watch.places.iter().for_each(|place| ends[*place].steady = Some(watch.found()));
        }
        let results = gather::results(self.asked, clones, &ends, Vec::new(), Vec::new());
        if let Err(error) = self.asked.sink.put(&formats(self.asked, &results)) {
            eprintln!("note: {}", plain(&error.to_string()));
        }
    }
}
