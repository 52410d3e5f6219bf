//! The formats of a namespace as outputs list them.

/// One of the formats of a namespace: the size of its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockFormat {
    /// Its number.
    pub index: u64,
    /// Data of a block. Bytes.
    pub data_bytes: u64,
    /// Metadata of a block. Bytes.
    pub metadata_bytes: u64,
    /// Line of the file.
    pub line: usize,
}
