//! The length that jobs can have given a file.

use crate::handle::Handle;

/// The lengths that a file may have after jobs wrote it.
#[derive(Debug, Default)]
pub(super) struct Bound {
    /// It had this length before any of them wrote. Bytes.
    begun_bytes: u64,
    /// The end of what they may write. Bytes.
    reach_bytes: u64,
    /// Unit of their writes, all of which end at a multiple of it. None before one begins. Bytes.
    unit_bytes: Option<u32>,
}

impl Bound {
    /// A job begins that uses a file by this handle; `length_bytes` is the length that it has then, where nobody writes it yet.
    pub(super) fn widen(&mut self, length_bytes: Option<u64>, handle: &Handle) {
        self.begun_bytes = self.begun_bytes.max(length_bytes.unwrap_or(0));
        self.reach_bytes = self.reach_bytes.max(handle.size_bytes());
        // Alignments are powers of two.
        let unit_bytes = if handle.direct() { handle.alignment_bytes() } else { 1 };
        self.unit_bytes = Some(self.unit_bytes.map_or(unit_bytes, |known| known.min(unit_bytes)));
    }

    /// True if jobs alone can have given it this length.
    pub(super) fn allows(&self, length_bytes: u64) -> bool {
        let is_whole = length_bytes.is_multiple_of(u64::from(self.unit_bytes.unwrap_or(1)));
        length_bytes <= self.begun_bytes || length_bytes <= self.reach_bytes && is_whole
    }
}
