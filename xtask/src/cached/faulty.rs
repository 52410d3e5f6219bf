//! A drive that several threads use, and that is told how to behave: slow, failing, lying, hanging, without power.
//!
//! Each part holds until it is told otherwise, beside the others; `honest` ends all of it.

use super::behaviours::{self, Habits};
use super::medium::{Cut, SECTOR_BYTES};
use super::{Action, CachedDrive, Failed};
use crate::command::locked;
use anyhow::{Context, Result, bail, ensure};
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A drive that hangs goes on by itself after this time. The kernel resets a drive that is silent for 30 s, QEMU then waits for
/// the request, and nothing in the guest moves any more, not even the command that would end it.
const HANG_DEFAULT_S: u64 = 20;

/// Kinds of requests that are slowed down or fail. Trims and writes of zeros are writes.
const KINDS: [&str; 3] = ["read", "write", "flush"];

/// Requests that are counted; those that wait do so now, because the drive hangs.
const COUNTED: [&str; 6] = ["reads", "writes", "flushes", "trims", "fua", "waiting"];
const WAITING: usize = 5;

struct State {
    drive: CachedDrive,
    delays: [Duration; 3],
    /// Bytes that cannot be touched, by reads and by writes.
    errors: [Range<usize>; 2],
    hangs_until: Option<Instant>,
    counts: [u64; 6],
}

pub struct FaultyDrive {
    state: Mutex<State>,
    changed: Condvar,
}

impl FaultyDrive {
    pub fn new(size_bytes: usize) -> Self {
        Self::of(CachedDrive::new(size_bytes, Habits::HONEST, 1))
    }

    pub fn of(drive: CachedDrive) -> Self {
        let state = State { drive, delays: Default::default(), errors: [0..0, 0..0], hangs_until: None, counts: [0; 6] };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub fn with<T>(&self, act: impl FnOnce(&mut CachedDrive) -> T) -> T {
        act(&mut locked(&self.state).drive)
    }

    pub fn size_bytes(&self) -> usize {
        self.with(|drive| drive.size_bytes())
    }

    pub fn command(&self, words: &[&str]) -> Result<String> {
        let told = locked(&self.state).obey(words);
        self.changed.notify_all();
        told
    }

    pub fn carry_out(&self, action: Action) -> Result<Vec<u8>, Failed> {
        let kind = action.kind();
        let delay = locked(&self.state).delays[kind];
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
        let mut state = self.awake();
        state.count(&action);
        let touched = action.range();
        let is_bad = |bad: &Range<usize>| touched.start < bad.end && bad.start < touched.end;
        if state.errors.get(kind).is_some_and(is_bad) {
            return Err(Failed);
        }
        let answer = state.drive.carry_out(action);
        if !state.drive.is_on() {
            self.changed.notify_all();
        }
        answer
    }

    pub fn wait_for_cut(&self, limit: Duration) -> Result<()> {
        let (state, _) = self
            .changed
            .wait_timeout_while(locked(&self.state), limit, |state| state.drive.is_on())
            .unwrap_or_else(PoisonError::into_inner);
        ensure!(!state.drive.is_on(), "so little was asked of the drive that its power did not fail in {} s", limit.as_secs());
        Ok(())
    }

    fn awake(&self) -> MutexGuard<'_, State> {
        let mut state = locked(&self.state);
        while let Some(left) = state.hangs_until.and_then(|until| until.checked_duration_since(Instant::now())) {
            state.counts[WAITING] += 1;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            state.counts[WAITING] -= 1;
        }
        state
    }
}

impl State {
    fn obey(&mut self, words: &[&str]) -> Result<String> {
        match words {
            ["honest"] => {
                (self.delays, self.errors, self.hangs_until) = (Default::default(), [0..0, 0..0], None);
                self.drive.habits = Habits::HONEST;
            }
            ["slow", kind, milliseconds] => {
                let delay = Duration::from_millis(number(milliseconds)?);
                kinds(kind)?.for_each(|kind| self.delays[kind] = delay);
            }
            ["errors", kind, from, length] => {
                let from = number(from)? as usize;
                let bytes = from..from.saturating_add(number(length)? as usize);
                // A flush has no bytes.
                kinds(kind)?.filter(|kind| *kind < 2).for_each(|kind| self.errors[kind] = bytes.clone());
            }
            ["lie", name @ ..] => {
                let name = name.first().unwrap_or(&"flush-ignored");
                self.drive.habits = behaviours::find(name).with_context(|| format!("no drive lies so: {name}"))?.habits;
            }
            ["hang", seconds @ ..] => {
                let seconds = seconds.first().map_or(Ok(HANG_DEFAULT_S), |seconds| number(seconds))?;
                self.hangs_until = Some(Instant::now() + Duration::from_secs(seconds));
            }
            ["cut", seed, how @ ..] => {
                let cut = match how {
                    [] => Cut::Whole,
                    ["torn"] => Cut::Torn(SECTOR_BYTES),
                    ["all"] => Cut::All,
                    _ => bail!("no power is cut so: {}", how.join(" ")),
                };
                return Ok(format!("{} writes were not flushed", self.drive.cut(number(seed)?, cut)));
            }
            ["count"] => {
                let counts = COUNTED.iter().zip(self.counts).map(|(name, count)| format!("{name} {count}"));
                return Ok(counts.collect::<Vec<_>>().join(" "));
            }
            _ => bail!("a drive cannot be told: {}", words.join(" ")),
        }
        Ok(String::new())
    }

    fn count(&mut self, action: &Action) {
        let column = match action {
            Action::Read { .. } => 0,
            Action::Write { .. } | Action::Clear { trim: false, .. } => 1,
            Action::Flush => 2,
            Action::Clear { trim: true, .. } => 3,
        };
        self.counts[column] += 1;
        self.counts[4] += u64::from(matches!(action, Action::Write { fua: true, .. } | Action::Clear { fua: true, .. }));
    }
}

fn kinds(word: &str) -> Result<impl Iterator<Item = usize>> {
    ensure!(word == "all" || KINDS.contains(&word), "{word} is none of read, write, flush and all");
    Ok((0..KINDS.len()).filter(move |kind| word == "all" || KINDS[*kind] == word))
}

fn number(word: &str) -> Result<u64> {
    word.parse().with_context(|| format!("{word} is no number"))
}
