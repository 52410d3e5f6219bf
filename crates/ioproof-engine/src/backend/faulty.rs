//! A backend that injects faults into another: for tests of what happens when a drive fails, stalls or disappears.

use super::{Backend, Operation};
use crate::offsets::Random;
use ioproof_core::faults::Faults;
use std::io;

pub(crate) struct Faulty<B> {
    inner: B,
    faults: Faults,
    random: Random,
    started: u64,
    /// What is to happen to the I/O of each slot.
    fate: Vec<Fate>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Good,
    Error(i32),
    Short,
    Lost,
}

impl<B: Backend> Faulty<B> {
    pub(crate) fn new(inner: B, faults: Faults, slots: u32) -> Self {
        Self { inner, random: Random::new(faults.seed), faults, started: 0, fate: vec![Fate::Good; slots as usize] }
    }

    fn decide(&mut self) -> Fate {
        self.started += 1;
        let draw = self.random.next() as f64 / u64::MAX as f64;
        match self.faults {
            f if f.hang_at.is_some_and(|n| self.started >= n) => Fate::Lost,
            f if f.gone_after.is_some_and(|n| self.started > n) => Fate::Error(libc::ENODEV),
            f if f.fail_after.is_some_and(|n| self.started > n) => Fate::Error(libc::EIO),
            f if draw < f.errors => Fate::Error(libc::EIO),
            f if draw < f.errors + f.short => Fate::Short,
            _ => Fate::Good,
        }
    }
}

impl<B: Backend> Backend for Faulty<B> {
    fn push(&mut self, operation: Operation, slot: u32, offset: u64) {
        self.fate[slot as usize] = self.decide();
        self.inner.push(operation, slot, offset);
    }

    fn submit(&mut self, wait: bool) -> io::Result<()> {
        if wait && self.fate.iter().all(|f| *f == Fate::Lost) {
            // Nothing will ever complete: wait as the kernel would.
            std::thread::sleep(std::time::Duration::from_millis(100));
            return Ok(());
        }
        self.inner.submit(wait)
    }

    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        let fate = &self.fate;
        self.inner.reap(|slot, result| match fate[slot as usize] {
            Fate::Good => done(slot, result),
            Fate::Error(errno) => done(slot, -errno),
            Fate::Short => done(slot, result / 2),
            Fate::Lost => {}
        });
    }

    fn name(&self) -> &'static str {
        self.inner.name()
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
