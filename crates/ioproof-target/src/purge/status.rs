//! The sanitize status of a drive: log page 81h (Base Specification 2.0c, clause 5.16.1.25).

use super::command::SANITIZE_STATUS_BYTES;

/// Ways of sanitizing after which blocks are as new (SANACT of the command).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SanitizeAction {
    BlockErase = 2,
    CryptoErase = 4,
}

impl SanitizeAction {
    /// The method in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::BlockErase => "sanitize (block erase)",
            Self::CryptoErase => "sanitize (crypto erase)",
        }
    }
}

/// State of the last sanitize (SSTAT).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SanitizeState {
    /// There was none since the drive was made.
    Never,
    Done,
    InProgress,
    Failed,
    /// A state that is not known.
    Other(u8),
}

/// The page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SanitizeStatus {
    pub state: SanitizeState,
    /// Share that is done, 0 to 1 (SPROG).
    pub share: f64,
    /// Dword 10 of the command that began it (SCDW10).
    pub command: u32,
    /// Time that the drive expects of a block erase and of a crypto erase. Seconds; `None` where it does not say.
    pub expected_s: (Option<u32>, Option<u32>),
}

impl SanitizeStatus {
    pub(super) fn of(page: &[u8; SANITIZE_STATUS_BYTES]) -> Self {
        let half = |at: usize| u16::from_le_bytes([page[at], page[at + 1]]);
        let whole = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let expected = |at| Some(whole(at)).filter(|seconds| *seconds != u32::MAX);
        let state = match half(2) & 7 {
            0 => SanitizeState::Never,
            // 4: done, and blocks were deallocated although the command asked not to.
            1 | 4 => SanitizeState::Done,
            2 => SanitizeState::InProgress,
            3 => SanitizeState::Failed,
            other => SanitizeState::Other(other as u8),
        };
        Self { state, share: f64::from(half(0)) / 65536.0, command: whole(4), expected_s: (expected(12), expected(16)) }
    }

    /// The method that is under way or was last, in words.
    pub(super) fn method(&self) -> &'static str {
        match self.command & 7 {
            2 => SanitizeAction::BlockErase.words(),
            3 => "sanitize (overwrite)",
            4 => SanitizeAction::CryptoErase.words(),
            _ => "sanitize",
        }
    }

    /// Time that the drive expects of this one. Seconds.
    pub(super) fn expected_s_of(&self, action: SanitizeAction) -> Option<u32> {
        match action {
            SanitizeAction::BlockErase => self.expected_s.0,
            SanitizeAction::CryptoErase => self.expected_s.1,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A page of this state and progress.
    pub(in crate::purge) fn page(state: u16, progress: u16, command: u32) -> [u8; SANITIZE_STATUS_BYTES] {
        let mut page = [0; SANITIZE_STATUS_BYTES];
        page[0..2].copy_from_slice(&progress.to_le_bytes());
        page[2..4].copy_from_slice(&state.to_le_bytes());
        page[4..8].copy_from_slice(&command.to_le_bytes());
        page[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        page[12..16].copy_from_slice(&90u32.to_le_bytes());
        page[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
        page
    }

    #[test]
    fn a_page_is_read_by_its_fields() {
        // A quarter is done; bit 8 says that nothing was written since, bits 3 to 7 count passes.
        let status = SanitizeStatus::of(&page(0x0102, 0x4000, 0xa));
        assert_eq!((status.state, status.share, status.method()), (SanitizeState::InProgress, 0.25, "sanitize (block erase)"));
        assert_eq!(status.expected_s, (Some(90), None));
        assert_eq!(status.expected_s_of(SanitizeAction::CryptoErase), None);
        let states: Vec<SanitizeState> = (0..6).map(|state| SanitizeStatus::of(&page(state, 0xffff, 0)).state).collect();
        use SanitizeState::{Done, Failed, InProgress, Never, Other};
        assert_eq!(states, [Never, Done, InProgress, Failed, Done, Other(5)]);
        assert_eq!(SanitizeStatus::of(&page(1, 0xffff, 0xc)).method(), "sanitize (crypto erase)");
    }
}
