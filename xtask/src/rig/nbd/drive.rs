//! One drive between those who use it and the one who tells it how to behave: each request is counted, kept waiting, failed or
//! carried out, as the drive is told at that moment. A machine that is to lose its power with its drive waits for the drive's end here.

use super::behaviour::{Behaviour, Kind, Order};
use crate::cached::behaviours::Habits;
use crate::cached::{Action, CachedDrive, Failed, dark};
use anyhow::Result;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Requests so far.
#[derive(Debug, Default)]
struct Counts {
    reads: u64,
    writes: u64,
    flushes: u64,
    trims: u64,
    /// Those with FUA among writes and trims.
    fua: u64,
    /// Requests that wait now, because the drive hangs.
    waiting: u64,
}

#[derive(Debug)]
struct State {
    drive: CachedDrive,
    behaviour: Behaviour,
    counts: Counts,
}

/// A drive that several threads use.
#[derive(Debug)]
pub struct FaultyDrive {
    state: Mutex<State>,
    /// The behaviour changed, or the power has failed.
    changed: Condvar,
}

impl FaultyDrive {
    pub fn new(size_bytes: usize) -> Self {
        Self::of(CachedDrive::new(size_bytes, Habits::HONEST, 1))
    }

    /// A drive with habits of its own, which it keeps until it is told others.
    pub fn of(drive: CachedDrive) -> Self {
        let state = State { drive, behaviour: Behaviour::default(), counts: Counts::default() };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub fn size_bytes(&self) -> usize {
        self.state().drive.size_bytes()
    }

    /// Obeys the words of a command; gives what is to be told.
    pub fn command(&self, words: &[&str]) -> Result<String> {
        let mut state = self.state();
        let order = state.behaviour.command(words, Instant::now())?;
        let habits = state.behaviour.habits;
        state.drive.set_habits(habits);
        let told = match order {
            Order::Behave => String::new(),
            Order::Cut(seed, cut) => format!("{} writes were not flushed", state.drive.cut(seed, cut)),
            Order::Count => state.counts.text(),
        };
        self.changed.notify_all();
        Ok(told)
    }

    /// Carries out one request; gives what was read.
    pub fn carry_out(&self, action: Action) -> Result<Vec<u8>, Failed> {
        let kind = action.kind();
        let delay = self.state().behaviour.delay(kind);
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
        let mut state = self.awake();
        state.counts.add(&action);
        let (offset, length) = action.place();
        if state.behaviour.fails(kind, offset as u64, length as u64) {
            return Err(Failed);
        }
        let answer = state.drive.carry_out(action);
        if !state.drive.is_on() {
            self.changed.notify_all();
        }
        answer
    }

    /// From now on the drive has nothing in its cache, and its power fails in so many requests that are no reads.
    pub fn cut_after(&self, requests: u64) {
        let mut state = self.state();
        state.drive.settle();
        state.drive.cut_after(requests);
    }

    /// Waits until the power has failed.
    ///
    /// # Errors
    /// When it has not in this time.
    pub fn wait_for_cut(&self, limit: Duration) -> Result<()> {
        dark::wait(self.state(), |state| &state.drive, &self.changed, limit)
    }

    pub fn power_on(&self) {
        self.state().drive.power_on();
    }

    pub fn is_on(&self) -> bool {
        self.state().drive.is_on()
    }

    /// The state, once the drive does not hang, or no longer.
    fn awake(&self) -> MutexGuard<'_, State> {
        let mut state = self.state();
        while let Some(left) = state.behaviour.hangs_until.and_then(|until| until.checked_duration_since(Instant::now())) {
            state.counts.waiting += 1;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            state.counts.waiting -= 1;
        }
        state
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Action {
    fn kind(&self) -> Kind {
        match self {
            Self::Read { .. } => Kind::Read,
            Self::Write { .. } | Self::Clear { .. } => Kind::Write,
            Self::Flush => Kind::Flush,
        }
    }

    /// Offset and length.
    fn place(&self) -> (usize, usize) {
        match self {
            Self::Read { offset, length } | Self::Clear { offset, length, .. } => (*offset, *length),
            Self::Write { offset, data, .. } => (*offset, data.len()),
            Self::Flush => (0, 0),
        }
    }
}

impl Counts {
    fn add(&mut self, action: &Action) {
        match action {
            Action::Read { .. } => self.reads += 1,
            Action::Write { .. } | Action::Clear { trim: false, .. } => self.writes += 1,
            Action::Clear { trim: true, .. } => self.trims += 1,
            Action::Flush => self.flushes += 1,
        }
        self.fua += u64::from(matches!(action, Action::Write { fua: true, .. } | Action::Clear { fua: true, .. }));
    }

    fn text(&self) -> String {
        let Self { reads, writes, flushes, trims, fua, waiting } = self;
        format!("reads {reads} writes {writes} flushes {flushes} trims {trims} fua {fua} waiting {waiting}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(drive: &FaultyDrive, fua: bool) {
        assert_eq!(drive.carry_out(Action::Write { offset: 0, data: vec![7; 512], fua }), Ok(Vec::new()));
    }

    fn survives(drive: &FaultyDrive) -> bool {
        drive.command(&["cut", "1", "all"]).unwrap();
        drive.carry_out(Action::Read { offset: 0, length: 1 }) == Ok(vec![7])
    }

    #[test]
    fn a_flush_is_kept_or_ignored_as_told() {
        for (told, kept) in [("honest", true), ("lie", false)] {
            let drive = FaultyDrive::new(4096);
            drive.command(&[told]).unwrap();
            write(&drive, false);
            drive.carry_out(Action::Flush).unwrap();
            assert_eq!(survives(&drive), kept, "{told}");
        }
    }

    #[test]
    fn fua_is_kept_or_ignored_as_told() {
        for (told, kept) in [("honest", true), ("lie", false)] {
            let drive = FaultyDrive::new(4096);
            drive.command(&[told]).unwrap();
            write(&drive, true);
            assert_eq!(survives(&drive), kept, "{told}");
        }
    }

    #[test]
    fn without_a_flush_it_is_lost_and_zeros_are_as_volatile_as_data() {
        let drive = FaultyDrive::new(4096);
        write(&drive, false);
        assert!(!survives(&drive));
        write(&drive, true);
        drive.carry_out(Action::Clear { offset: 0, length: 512, fua: false, trim: true }).unwrap();
        assert_eq!(drive.carry_out(Action::Read { offset: 0, length: 1 }), Ok(vec![0]));
        assert!(survives(&drive));
    }

    #[test]
    fn what_came_is_counted() {
        let drive = FaultyDrive::new(4096);
        write(&drive, true);
        drive.carry_out(Action::Clear { offset: 0, length: 512, fua: false, trim: true }).unwrap();
        drive.carry_out(Action::Flush).unwrap();
        assert_eq!(drive.command(&["count"]).unwrap(), "reads 0 writes 1 flushes 1 trims 1 fua 1 waiting 0");
    }

    #[test]
    fn a_drive_that_hangs_answers_when_told_otherwise() {
        let drive = FaultyDrive::new(4096);
        drive.command(&["hang", "600"]).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drive.carry_out(Action::Flush));
            while !drive.command(&["count"]).unwrap().ends_with("flushes 0 trims 0 fua 0 waiting 1") {
                assert!(!waiting.is_finished(), "it was answered");
                std::thread::yield_now();
            }
            drive.command(&["honest"]).unwrap();
            assert_eq!(waiting.join().unwrap(), Ok(Vec::new()));
        });
    }
}
