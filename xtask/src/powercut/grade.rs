//! Right or wrong: what was found of a drive, held against the truth about it.

use super::layer::{Ground, Layer};
use crate::cached::behaviours::Behaviour;

/// Name of what a drive shows of which nothing was found.
pub const NOTHING: &str = "nothing";

/// Answer that is right for a drive on a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// This name: of no failure at all, or of a lie.
    Named(&'static str),
    /// Any failure: what a filesystem makes of a drive that lies does not say how it lied.
    Anything,
}

impl Right {
    pub fn of(behaviour: &Behaviour, layer: &Layer) -> Self {
        let on_filesystem = matches!(layer.ground, Ground::Filesystem(_));
        // A cache that outlives the cut needs no flushes.
        if layer.keeps_flushes && !behaviour.habits.is_protected {
            return Self::Anything;
        }
        match behaviour.lie {
            None => Self::Named(NOTHING),
            // A hole in a file is the filesystem's own, and no trim reaches the drive.
            Some("trims_return") if on_filesystem => Self::Named(NOTHING),
            Some(_) if on_filesystem => Self::Anything,
            // No FUA passes through a loop device (`served.rs`).
            Some("flushes_ignored_but_direct") if layer.has_device() => Self::Named("flushes_ignored"),
            Some(lie) => Self::Named(lie),
        }
    }

    pub fn is(self, named: &str) -> bool {
        match self {
            Self::Named(name) => named == name,
            Self::Anything => named != NOTHING,
        }
    }
}
