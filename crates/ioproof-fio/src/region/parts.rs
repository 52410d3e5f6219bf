//! Files before a job starts, and the parts of them that it uses.

use ioproof_core::job::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Existing {
    /// Its size; 0 where it is not there. Bytes.
    pub bytes: u64,
    /// True where its size is fixed: a device.
    pub is_device: bool,
    /// True where it has no end: `/dev/zero`, or no file at all.
    pub is_endless: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlaces {
    pub spans: Vec<Span>,
    pub needs_bytes: Vec<u64>,
    /// Bytes that the clone moves in all, passes of `loops` included.
    pub total_bytes: u64,
}
