//! A drive with a volatile write cache that can lose its power.
//!
//! The rig serves such drives over NBD, where FUA is seen, and `powercut` over FUSE.

pub mod behaviours;
pub mod faulty;
pub mod medium;

use crate::random::Random;
use behaviours::{Flush, Habits};
use medium::{Cut, Medium};
use std::ops::Range;

/// Action that a request asks for. Offsets and lengths in bytes, inside the drive. Trims and writes of zeros are a *clear*: both leave zeros.
#[derive(Debug, PartialEq, Eq)]
pub enum Action {
    Read { offset: usize, length: usize },
    Write { offset: usize, data: Vec<u8>, fua: bool },
    Clear { offset: usize, length: usize, fua: bool, trim: bool },
    Flush,
}

impl Action {
    pub fn kind(&self) -> usize {
        match self {
            Self::Read { .. } => 0,
            Self::Write { .. } | Self::Clear { .. } => 1,
            Self::Flush => 2,
        }
    }

    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Read { offset, length } | Self::Clear { offset, length, .. } => *offset..offset.saturating_add(*length),
            Self::Write { offset, data, .. } => *offset..offset.saturating_add(data.len()),
            Self::Flush => 0..0,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Failed;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Power {
    On,
    /// On for so many requests more that are no reads; the one behind them is not answered.
    For(u64),
    Off,
}

pub struct CachedDrive {
    medium: Medium,
    pub habits: Habits,
    /// Draws of the drive, not of a cut that comes with a seed.
    random: Random,
    power: Power,
}

impl CachedDrive {
    pub fn new(size_bytes: usize, habits: Habits, seed: u64) -> Self {
        Self { medium: Medium::new(size_bytes), habits, random: Random::new(seed), power: Power::On }
    }

    pub fn size_bytes(&self) -> usize {
        self.medium.size_bytes()
    }

    pub fn is_on(&self) -> bool {
        self.power != Power::Off
    }

    /// From now on nothing is in the cache, and the power fails in so many requests that are no reads.
    pub fn cut_after(&mut self, requests: u64) {
        self.medium.flush();
        self.power = Power::For(requests);
    }

    pub fn power_on(&mut self) {
        self.power = Power::On;
    }

    /// The power fails and is back at once; gives the number of writes that were in the cache.
    pub fn cut(&mut self, seed: u64, cut: Cut) -> usize {
        self.medium.cut(seed, cut, self.habits.flushed_torn)
    }

    pub fn carry_out(&mut self, action: Action) -> Result<Vec<u8>, Failed> {
        match (&action, self.power) {
            (_, Power::Off) => return Err(Failed),
            (Action::Read { offset, length }, _) => return Ok(self.medium.read(*offset, *length).to_vec()),
            (_, Power::For(0)) => {
                self.fail_at(action);
                return Err(Failed);
            }
            (_, Power::For(requests)) => self.power = Power::For(requests - 1),
            (_, Power::On) => {}
        }
        self.change(action);
        Ok(Vec::new())
    }

    /// The power fails while this is under way: it is in the cache, and a flush has got as far as a draw says.
    fn fail_at(&mut self, action: Action) {
        if action != Action::Flush {
            self.change(action);
        }
        let seed = self.random.next();
        self.cut(seed, self.habits.unflushed);
        self.power = Power::Off;
    }

    fn change(&mut self, action: Action) {
        let is_fua = match action {
            Action::Read { .. } => return,
            Action::Flush => return self.flush(),
            Action::Write { offset, data, fua } => {
                self.medium.write(offset, data);
                fua
            }
            Action::Clear { offset, length, fua, trim } => {
                self.medium.clear(offset, length, trim);
                fua
            }
        };
        if self.habits.is_protected || is_fua && self.habits.honours_fua {
            self.medium.write_newest_through();
        }
    }

    fn flush(&mut self) {
        if self.habits.trims_return {
            self.medium.forget_trims();
        }
        match self.habits.flush {
            Flush::Ignored => {}
            Flush::IgnoredOnceIn(times) if self.random.once_in(times) => {}
            Flush::Newest => self.medium.flush_newest(&mut self.random),
            _ if self.habits.flushed_torn.is_some() => self.medium.flush_hastily(),
            Flush::Whole | Flush::IgnoredOnceIn(_) => self.medium.flush(),
        }
    }
}
