//! Follows the clones while they run: fio's status line, results so far, and steady-state detection, which ends clones.

pub mod so_far;
pub mod status;

use super::request::FioRequest;
use super::subjob::Subjob;
use crate::board::Board;
use crate::steady::{self, Steady, SteadyWatch};
use crate::watching::so_far::ResultsSoFar;
use crate::watching::status::StatusLine;
use ioproof_process::messages;
use ioproof_runner::{Event, Observer, StageTick};

/// The watcher of a run of job files.
pub struct Watching<'a> {
    request: &'a FioRequest,
    subjobs: &'a [Subjob],
    board: Board,
    status: StatusLine<'a>,
    so_far: ResultsSoFar<'a>,
    watches: Vec<SteadyWatch>,
    steady: Steady,
}

impl<'a> Watching<'a> {
    /// Nothing runs yet.
    pub fn new(request: &'a FioRequest, subjobs: &'a [Subjob]) -> Self {
        Self {
            request,
            subjobs,
            board: Board::new(subjobs.len()),
            status: StatusLine::new(request, subjobs),
            so_far: ResultsSoFar::new(request, subjobs),
            watches: Vec::new(),
            steady: Steady::new(),
        }
    }

    /// Removes the line; gives what steady-state detection has found.
    pub fn end(mut self) -> Steady {
        self.status.clear();
        self.steady
    }

    fn tick(&mut self, tick: &StageTick<'_>) {
        for watch in &mut self.watches {
            if watch.look(self.board.seats()) {
                let meant = tick.spec.tasks.iter().enumerate().filter(|(_, task)| watch.places.contains(&task.id));
                meant.for_each(|(position, _)| tick.end_task(position));
            }
            watch.places.iter().for_each(|place| drop(self.steady.insert(*place, watch.found())));
        }
        self.status.show(&self.board, tick.elapsed);
        self.so_far.look(tick, &self.board, &self.steady);
    }
}

impl Observer for Watching<'_> {
    fn observe(&mut self, event: &Event<'_>) {
        self.board.see(event);
        match event {
            Event::StageBegan(spec) => {
                let places: Vec<usize> = spec.tasks.iter().map(|task| task.id).collect();
                self.watches = steady::watches(self.request, self.subjobs, &places);
            }
            Event::Tick(tick) => self.tick(tick),
            Event::Note(text) => {
                self.status.clear();
                messages::say(text);
            }
            _ => {}
        }
    }
}
