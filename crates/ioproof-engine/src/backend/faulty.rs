//! A backend that injects faults into another: for tests of what happens when a drive fails, stalls or disappears.

use super::{Backend, BackendSetup, Build, Io, IoOperation};
use crate::random::Draws;
use ioproof_core::faults::Faults;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

pub(crate) struct Faulty<B> {
    inner: B,
    faults: Faults,
    random: Draws,
    started: u64,
    /// The fate of the I/O of each slot.
    fate: Vec<Fate>,
    late: Late,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Good,
    Error(i32),
    Short,
    Lost,
    /// A write that was not done, of so many bytes.
    Dropped(u32),
}

impl Fate {
    /// Turns the inner backend's result into the one that the loop is to see; `None` when it is to see nothing.
    fn result(self, real: i32) -> Option<i32> {
        match self {
            Self::Good => Some(real),
            Self::Error(errno) => Some(-errno),
            Self::Short => Some(if real > 0 { real / 2 } else { real }),
            Self::Lost => None,
            Self::Dropped(bytes) => Some(if real < 0 { real } else { bytes.cast_signed() }),
        }
    }
}

/// Completions that are held back, in the order in which they came, which is also the order in which they are due.
#[derive(Debug)]
struct Late {
    delay: Duration,
    /// While it stalls: until when.
    stalls_until: Option<Instant>,
    held: VecDeque<(Instant, u32, i32)>,
}

impl Late {
    /// Holds everything back from now on and for so long, even completions that are due.
    fn stall(&mut self, length: Duration) {
        let end = Instant::now() + length;
        self.stalls_until = Some(end);
        self.held.iter_mut().for_each(|(due, ..)| *due = end.max(*due));
    }

    fn hold(&mut self, now: Instant, slot: u32, result: i32) {
        let due = now + self.delay;
        self.held.push_back((self.stalls_until.map_or(due, |end| end.max(due)), slot, result));
    }

    /// Time until the first that is held is due; `None` when nothing is.
    fn next_due(&self, now: Instant) -> Option<Duration> {
        self.held.front().map(|(due, ..)| due.saturating_duration_since(now))
    }
}

impl<B: Build> Build for Faulty<B> {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let (inner, faults, slots) = (B::new(setup)?, setup.faults, setup.depth as usize);
        let late = Late { delay: Duration::from_micros(faults.delay_us), stalls_until: None, held: VecDeque::with_capacity(slots) };
        Ok(Self { inner, random: Draws::new(faults.seed), faults, started: 0, fate: vec![Fate::Good; slots], late })
    }
}

impl<B: Backend> Faulty<B> {
    fn decide(&mut self, io: &Io) -> Fate {
        self.started += 1;
        let is_write = io.operation == IoOperation::Write;
        let draw = self.random.next() as f64 / u64::MAX as f64;
        match self.faults {
            f if f.hang_at.is_some_and(|n| self.started >= n) => Fate::Lost,
            f if f.gone_after.is_some_and(|n| self.started > n) => Fate::Error(libc::ENODEV),
            f if f.fail_after.is_some_and(|n| self.started > n) => Fate::Error(libc::EIO),
            f if draw < f.errors => Fate::Error(libc::EIO),
            f if draw < f.errors + f.short => Fate::Short,
            f if is_write && draw < f.errors + f.short + f.drop_writes => Fate::Dropped(io.bytes),
            _ => Fate::Good,
        }
    }

    fn is_ever_late(&self) -> bool {
        self.faults.delay_us > 0 || self.faults.stall_at.is_some()
    }

    /// Takes the inner backend's completions and holds them back; gives the time until the first is due.
    fn hold_back(&mut self) -> Option<Duration> {
        let Self { inner, fate, late, .. } = self;
        let now = Instant::now();
        inner.reap(|slot, real| {
            if let Some(result) = fate[slot as usize].result(real) {
                late.hold(now, slot, result);
            }
        });
        late.next_due(now)
    }
}

impl<B: Backend> Backend for Faulty<B> {
    fn push(&mut self, io: Io) {
        let fate = self.decide(&io);
        self.fate[io.slot as usize] = fate;
        if self.faults.stall_at == Some(self.started) {
            self.late.stall(Duration::from_millis(self.faults.stall_ms));
        }
        // In the place of a write that is dropped something is done that changes nothing.
        let operation = if matches!(fate, Fate::Dropped(_)) { IoOperation::RangeSync } else { io.operation };
        self.inner.push(Io { operation, ..io });
    }

    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        if !self.is_ever_late() {
            return self.inner.submit(wait_ns);
        }
        self.inner.submit(0)?;
        let end = Instant::now() + Duration::from_nanos(wait_ns);
        loop {
            let due = self.hold_back();
            let left = end.saturating_duration_since(Instant::now());
            let wait = due.map_or(left, |due| due.min(left));
            if wait.is_zero() {
                return Ok(());
            }
            self.inner.submit(wait.as_nanos() as u64)?;
        }
    }

    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        if !self.is_ever_late() {
            let fate = &self.fate;
            return self.inner.reap(|slot, real| {
                if let Some(result) = fate[slot as usize].result(real) {
                    done(slot, result);
                }
            });
        }
        let now = Instant::now();
        while self.late.next_due(now) == Some(Duration::ZERO) {
            if let Some((_, slot, result)) = self.late.held.pop_front() {
                done(slot, result);
            }
        }
    }

    fn features(&self) -> Vec<String> {
        let mut features = self.inner.features();
        features.push(format!("faults injected: {:?}", self.faults));
        features
    }

    fn fallbacks(&self) -> Vec<String> {
        self.inner.fallbacks()
    }
}
