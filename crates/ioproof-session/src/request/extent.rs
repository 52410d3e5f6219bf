//! Part of a target that is used.

/// Bytes, or a share of all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TargetExtent {
    /// So many bytes.
    Bytes(u64),
    /// This share of all, 0 to 1.
    Share(f64),
}

impl TargetExtent {
    /// In bytes, of a whole of this size.
    pub fn in_bytes(self, whole_bytes: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Share(share) => (whole_bytes as f64 * share) as u64,
        }
    }
}
