//! Knowledge of the cut that a check follows: by the drive's own count of power cycles where it has one, else by the start of the machine, or by the word of the user.

use ioproof_powercut::Description;

/// The cut between the writes and the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PowerCut {
    /// The drive counts more power cycles than when it was written.
    Counted,
    /// The user says that the drive lost its power.
    Said,
    /// The machine was started anew, and nobody counted whether its drive lost its power.
    Restarted,
    /// The machine runs since before the writes.
    RunsOn,
    /// It does, and its writer is still at the witness.
    StillWritten,
    /// The drive counts as many power cycles as when it was written.
    KeptPower { cycles: u64 },
}

impl PowerCut {
    /// By the description of the session, and what is so now.
    pub(super) fn judge(then: &Description, boot_id: Option<&str>, power_cycles: Option<u64>, is_said: bool, is_live: bool) -> Self {
        let is_same_boot = then.boot_id.is_some() && then.boot_id.as_deref() == boot_id;
        match then.power_cycles.zip(power_cycles) {
            Some((before, now)) if now == before => Self::KeptPower { cycles: now },
            Some((before, now)) if now > before => Self::Counted,
            _ if is_same_boot && is_live => Self::StillWritten,
            _ if is_said => Self::Said,
            _ if is_same_boot => Self::RunsOn,
            _ => Self::Restarted,
        }
    }

    pub(super) fn is_one(self) -> bool {
        !matches!(self, Self::RunsOn | Self::StillWritten | Self::KeptPower { .. })
    }

    /// Explanation of what is not known of it; none where all is.
    pub(super) fn says(self) -> Option<String> {
        match self {
            Self::Counted | Self::Said => None,
            Self::Restarted => Some(
                "the machine was started anew since; that its drive lost its power is not known, as it tells no count of power cycles".into(),
            ),
            Self::RunsOn => Some(
                "nothing was cut: this machine runs since before the writes, and what is there may be in a cache (--drive-alone says that the drive lost its power and the machine did not)"
                    .into(),
            ),
            Self::StillWritten => Some("nothing was cut: the campaign is still being written on this machine; end the writer, or cut the power, first".into()),
            Self::KeptPower { cycles } => Some(format!(
                "nothing was cut: the drive counts {cycles} power cycles, as many as when it was written, so it had its power all the time; cut it, as a restart alone does not"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_powercut::{TargetId, VERSION};

    fn written(power_cycles: Option<u64>) -> Description {
        Description {
            version: VERSION,
            target: TargetId { given: "cut".into(), size_bytes: 1, serial: None, identity: None },
            boot_id: Some("a".into()),
            host: None,
            write_cache: None,
            power_cycles,
            block_bytes: 512,
            streams: Vec::new(),
            names: Vec::new(),
        }
    }

    #[test]
    fn the_count_of_the_drive_goes_before_the_start_of_the_machine() {
        let of = |then: Option<u64>, boot: &str, now: Option<u64>| PowerCut::judge(&written(then), Some(boot), now, false, false);
        assert_eq!([of(None, "a", None), of(None, "b", None)], [PowerCut::RunsOn, PowerCut::Restarted]);
        assert_eq!([of(Some(7), "b", Some(7)), of(Some(7), "a", Some(8))], [PowerCut::KeptPower { cycles: 7 }, PowerCut::Counted]);
        assert_eq!(
            [of(Some(7), "b", None), of(Some(7), "b", Some(3))],
            [PowerCut::Restarted, PowerCut::Restarted],
            "a count that says nothing"
        );
        assert_eq!(PowerCut::judge(&written(None), Some("a"), None, true, false), PowerCut::Said);
        assert_eq!(PowerCut::judge(&written(None), Some("a"), None, true, true), PowerCut::StillWritten, "whatever the user says");
        assert_eq!(
            PowerCut::judge(&written(None), Some("b"), None, false, true),
            PowerCut::Restarted,
            "the witness waits for a machine that lost its power"
        );
        assert!(!PowerCut::judge(&written(Some(7)), Some("a"), Some(7), true, false).is_one(), "the drive knows better");
        assert!(PowerCut::KeptPower { cycles: 7 }.says().unwrap().contains("counts 7 power cycles"));
        assert_eq!(PowerCut::judge(&Description { boot_id: None, ..written(None) }, None, None, false, false), PowerCut::Restarted);
    }
}
