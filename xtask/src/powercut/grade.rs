//! Right or wrong: what was found of a drive, held against the truth about it.

use super::layer::{Ground, Layer};
use super::naming::Named;
use crate::cached::behaviours::{Behaviour, Lie};

/// Answer that is right for a drive on a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// No failure at all.
    Nothing,
    /// This lie, by its name.
    Named(Lie),
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
            None => Self::Nothing,
            // A hole in a file is the filesystem's own, and no trim reaches the drive.
            Some(Lie::TrimReturns) if on_filesystem => Self::Nothing,
            Some(_) if on_filesystem => Self::Anything,
            // No FUA passes through a loop device (`served.rs`).
            Some(Lie::FlushIgnoredButFua) if layer.has_device() => Self::Named(Lie::FlushIgnored),
            Some(lie) => Self::Named(lie),
        }
    }

    pub fn is(self, named: Named) -> bool {
        match self {
            Self::Nothing => named == Named::Nothing,
            Self::Named(lie) => named == Named::Lie(lie),
            Self::Anything => named != Named::Nothing,
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
        assert_eq!(right("honest", "ext4"), Right::Nothing);
        assert_eq!(right("honest", "ext4-nobarrier"), Right::Anything);
        assert_eq!(right("protected", "ext4-nobarrier"), Right::Nothing);
        assert_eq!(right("fua-only", "file"), Right::Named(Lie::FlushIgnoredButFua));
        assert_eq!(right("fua-only", "raw"), Right::Named(Lie::FlushIgnored));
        assert_eq!(right("trim-returns", "xfs"), Right::Nothing);
        assert_eq!(right("flushed-torn-512", "ext4"), Right::Anything);
    }
}
