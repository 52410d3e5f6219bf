//! Failed I/O.

use serde::{Deserialize, Serialize};

/// Failed I/O.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IoErrors {
    /// I/Os that returned an error.
    pub failed: u64,
    /// I/Os that moved fewer bytes than asked.
    pub short: u64,
    /// I/Os that never returned.
    pub lost: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<IoError>,
}

impl IoErrors {
    pub fn total(&self) -> u64 {
        self.failed.saturating_add(self.short).saturating_add(self.lost)
    }

    /// Adds another's counts; the first error stays.
    #[inline]
    pub fn merge(&mut self, other: &IoErrors) {
        self.failed = self.failed.saturating_add(other.failed);
        self.short = self.short.saturating_add(other.short);
        self.lost = self.lost.saturating_add(other.lost);
        self.first = self.first.take().or_else(|| other.first.clone());
    }
}

/// One failed I/O.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IoError {
    /// `read`, `write` or `fdatasync`; [`Self::HANDING_OVER`] for the call by which I/O is handed to the kernel.
    pub operation: String,
    /// Place at which it was to happen. Bytes.
    pub offset_bytes: u64,
    /// errno, or 0 for a short transfer.
    pub errno: i32,
    /// In words: `Input/output error (EIO)`.
    pub message: String,
}

impl IoError {
    /// The operation of an error that is of no single I/O.
    pub const HANDING_OVER: &'static str = "handing I/O over";

    /// True of the call by which I/O is handed to the kernel.
    pub fn is_of_handing_over(&self) -> bool {
        self.operation == Self::HANDING_OVER
    }

    /// Words for it, with its place and its reason: `read at byte 4096: Input/output error (EIO)`.
    pub fn sentence(&self) -> String {
        let Self { operation, offset_bytes, message, .. } = self;
        if self.is_of_handing_over() { format!("{operation}: {message}") } else { format!("{operation} at byte {offset_bytes}: {message}") }
    }
}
