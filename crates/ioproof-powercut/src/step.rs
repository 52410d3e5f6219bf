//! Steps of a stream as they are acknowledged: a write, or a trim with what was read behind it.
//!
//! A witness keeps three numbers of each: stream, place and sequence. Places are multiples of 512, so what was done there fits into the bits below.

/// Content of a place that was trimmed, as it was read after the trim was synced and before it was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum After {
    /// Zeros.
    Zeros,
    /// Neither zeros nor anything of ours.
    Other,
    /// The data that was trimmed: nothing was promised, and nothing can be told later.
    #[default]
    Still,
}

/// Deed at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum StepAction {
    /// It was written.
    #[default]
    Written,
    /// It was trimmed.
    Trimmed(After),
}

/// A durable step of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Offset of the block in bytes, a multiple of 512.
    pub place: u64,
    /// Its number in its stream and session, from 1.
    pub sequence: u64,
    /// Deed at the place.
    pub deed: StepAction,
}

const DEEDS: [StepAction; 4] =
    [StepAction::Written, StepAction::Trimmed(After::Zeros), StepAction::Trimmed(After::Other), StepAction::Trimmed(After::Still)];
/// Places are multiples of it.
const UNIT: u64 = 512;

impl Step {
    /// A write.
    #[must_use]
    pub fn written(place: u64, sequence: u64) -> Self {
        Self { place, sequence, deed: StepAction::Written }
    }

    /// Place and deed as one number for the witness.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.place + DEEDS.iter().position(|deed| *deed == self.deed).unwrap_or(0) as u64
    }

    /// The step of such a number; none where no writer of ours made it.
    #[must_use]
    pub fn of(mark: u64, sequence: u64) -> Option<Self> {
        let deed = *DEEDS.get((mark % UNIT) as usize)?;
        Some(Self { place: mark - mark % UNIT, sequence, deed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_of_no_deed_is_no_step() {
        assert_eq!((Step::of(4096, 1), Step::of(4100, 1)), (Some(Step::written(4096, 1)), None));
    }

    proptest! {
        #[test]
        fn a_step_comes_back(place in 0_u64..1 << 50, sequence: u64, deed in 0_usize..4) {
            let step = Step { place: place * UNIT, sequence, deed: DEEDS[deed] };
            prop_assert_eq!(Step::of(step.mark(), sequence), Some(step));
        }
    }
}
