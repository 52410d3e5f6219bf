//! The mark that ioproof leaves in what it writes, by which it knows its own content again.

/// The first bytes of every 4 KiB that ioproof writes (and of every block, where blocks are smaller).
pub const MARK: [u8; 8] = *b"IOPROOF\x01";

/// Distance between marks in bytes.
pub const MARK_STRIDE: usize = 4096;
