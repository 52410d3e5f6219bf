//! Results while jobs run: every `--status-interval`, and when the program gets SIGUSR1. Each is a whole report, in every format that was asked for.

use crate::board::Board;
use crate::outputs::formats;
use crate::request::FioRequest;
use crate::results;
use crate::steady::Steady;
use crate::subjob::Subjob;
use ioproof_process::{interrupt, messages};
use ioproof_runner::{StageTick, TaskEnd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time for which clones that run are waited for; they answer ten times a second.
const WAIT: Duration = Duration::from_millis(400);

/// When results so far are written, and where.
pub struct ResultsSoFar<'a> {
    request: &'a FioRequest,
    subjobs: &'a [Subjob],
    signal: Arc<AtomicBool>,
    every: Option<Duration>,
    next: Instant,
    /// The answers that are waited for, one a task of the stage, and until when.
    waits: Option<(Vec<u64>, Instant)>,
}

impl<'a> ResultsSoFar<'a> {
    /// From now on SIGUSR1 asks for results.
    pub fn new(request: &'a FioRequest, subjobs: &'a [Subjob]) -> Self {
        let every = request.line.general.status_interval_ms.map(Duration::from_millis);
        Self { request, subjobs, signal: interrupt::asked(), every, next: Instant::now() + every.unwrap_or_default(), waits: None }
    }

    /// Asks the clones for their results when it is time, and writes them when they have come.
    pub fn look(&mut self, tick: &StageTick<'_>, board: &Board, steady: &Steady) {
        if self.waits.is_none() && self.is_due() {
            self.waits = Some((tick.live.iter().map(|live| live.ask()).collect(), Instant::now() + WAIT));
        }
        let Some((numbers, until)) = &self.waits else { return };
        let answered = tick.live.iter().zip(numbers).all(|(live, number)| live.has_answered(*number));
        if answered || Instant::now() >= *until {
            self.waits = None;
            self.write(tick, board, steady);
        }
    }

    fn is_due(&mut self) -> bool {
        let by_time = self.every.filter(|_| Instant::now() >= self.next);
        if let Some(every) = by_time {
            self.next += every;
        }
        self.signal.swap(false, Relaxed) || by_time.is_some()
    }

    fn write(&self, tick: &StageTick<'_>, board: &Board, steady: &Steady) {
        let ended = board.seats().iter().map(|seat| seat.end.as_ref().map_or_else(TaskEnd::default, TaskEnd::summary));
        let mut ends: Vec<TaskEnd> = ended.collect();
        for (task, live) in tick.spec.tasks.iter().zip(tick.live) {
            ends[task.id] = live.so_far();
        }
        for end in ends.iter_mut().filter(|end| end.round.is_some() && end.elapsed.is_zero()) {
            end.elapsed = tick.elapsed;
        }
        let results = results::results(self.request, self.subjobs, &ends, steady, Vec::new(), Vec::new());
        if let Err(error) = self.request.results_file.put_so_far(&formats(self.request, &results)) {
            messages::note(&error.to_string());
        }
    }
}
