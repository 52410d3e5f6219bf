//! The formats of a namespace as outputs list them.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockFormat {
    pub index: u64,
    pub data_bytes: u64,
    pub metadata_bytes: u64,
    pub line: usize,
}
