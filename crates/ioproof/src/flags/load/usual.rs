//! Loads that presets are made of: flags as one would type them, which fill in what was left open.

use super::LoadFlags;
use clap::{Args, Command, FromArgMatches};

impl LoadFlags {
    /// A load by its flags; none where they cannot be read, which a test of each preset rules out.
    pub fn of_flags(flags: &str) -> Option<Self> {
        let words = std::iter::once("load").chain(flags.split(' '));
        let matches = Self::augment_args(Command::new("load")).try_get_matches_from(words).ok()?;
        Self::from_arg_matches(&matches).ok()
    }

    /// Fills in what was left open; what was typed goes before it.
    pub fn fill_in(&mut self, usual: Self) {
        or(&mut self.rw, usual.rw);
        or(&mut self.bs, usual.bs);
        or(&mut self.depth, usual.depth);
        or(&mut self.workers, usual.workers);
        or(&mut self.sync, usual.sync);
        or(&mut self.write_to, usual.write_to);
        self.files = self.files.or(usual.files);
        self.buffered |= usual.buffered;
        self.distribution = self.distribution.take().or(usual.distribution);
        self.pin = self.pin.take().or(usual.pin);
    }
}

fn or<T>(typed: &mut Vec<T>, usual: Vec<T>) {
    if typed.is_empty() {
        *typed = usual;
    }
}
