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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cached::behaviours::find;
    use crate::powercut::layer;

    fn right(behaviour: &str, layer: &str) -> Right {
        let layer = layer::LAYERS.iter().find(|other| other.name == layer).unwrap();
        Right::of(find(behaviour).unwrap(), layer)
    }

    #[test]
    fn truth_depends_on_the_way_to_the_drive() {
        assert_eq!(right("honest", "ext4"), Right::Named(NOTHING));
        assert_eq!(right("honest", "ext4-nobarrier"), Right::Anything);
        assert_eq!(right("protected", "ext4-nobarrier"), Right::Named(NOTHING));
        assert_eq!(right("fua-only", "file"), Right::Named("flushes_ignored_but_direct"));
        assert_eq!(right("fua-only", "raw"), Right::Named("flushes_ignored"));
        assert_eq!(right("trim-returns", "xfs"), Right::Named(NOTHING));
        assert_eq!(right("flushed-torn-512", "ext4"), Right::Anything);
    }
}
