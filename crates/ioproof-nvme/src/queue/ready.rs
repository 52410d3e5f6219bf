//! Commands that are made but for their place: from one I/O of a slot to the next often nothing else changes.

use crate::wire::Command;

/// Of each slot a read and a write of the length that it had last.
#[derive(Debug)]
pub(super) struct Ready(Box<[[Command; 2]]>);

impl Ready {
    pub(super) fn new(slots: usize) -> Self {
        // No command has all flags.
        let none = Command { dword12: u32::MAX, ..Command::default() };
        Self(vec![[none; 2]; slots].into())
    }

    /// The read (0) and the write (1) of each slot; dword 12 tells its length and flags.
    #[inline(always)]
    pub(super) fn all(&mut self) -> &mut [[Command; 2]] {
        &mut self.0
    }
}
