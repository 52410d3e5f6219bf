//! The state of every clone of a run while it goes on, as its watchers see it: those that wait, those that run, those that have ended.

use ioproof_runner::{Counts, Event, StageTick, TaskEnd};

#[derive(Debug, Default)]
pub struct Seat {
    pub state: CloneState,
    pub counts: Counts,
    /// When it started. Milliseconds since 1970; 0 where it has not.
    pub started_ms: u64,
    /// Its end, without I/Os one by one.
    pub end: Option<TaskEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CloneState {
    /// It has not begun.
    #[default]
    Waits,
    /// It does its I/O.
    Runs,
    Ended,
}

#[derive(Debug)]
pub struct Board(Vec<Seat>);

impl Board {
    /// None of so many has begun.
    pub fn new(clones: usize) -> Self {
        Self((0..clones).map(|_| Seat::default()).collect())
    }

    pub fn seats(&self) -> &[Seat] {
        &self.0
    }

    pub fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Tick(tick) => self.look(tick),
            Event::StageEnded { spec, ends, .. } => {
                for (task, end) in spec.tasks.iter().zip(*ends) {
                    let seat = &mut self.0[task.id];
                    (seat.state, seat.end) = (CloneState::Ended, Some(end.summary()));
                }
            }
            _ => {}
        }
    }

    fn look(&mut self, tick: &StageTick<'_>) {
        for (task, live) in tick.spec.tasks.iter().zip(tick.live) {
            let seat = &mut self.0[task.id];
            seat.counts = live.counts();
            seat.started_ms = live.started_ms();
            seat.state = match () {
                () if live.has_ended() => CloneState::Ended,
                () if live.runs() => CloneState::Runs,
                () => CloneState::Waits,
            };
        }
    }
}
