//! Log of single I/Os, for outputs that show each of them.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoKind {
    Read,
    Write,
    Trim,
}

/// One completed I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoSample {
    /// When its completion was seen, since the measurement began. Nanoseconds.
    pub end_ns: u64,
    /// Service time: from just before the kernel was entered. Nanoseconds.
    pub latency_ns: u64,
    /// Until the kernel had accepted it, where submission is timed. Nanoseconds.
    pub submission_ns: u64,
    /// Where it began on its target. Bytes.
    pub offset_bytes: u64,
    /// Its size. Bytes.
    pub bytes: u32,
    /// On which of the targets.
    pub target: u16,
    pub kind: IoKind,
    /// Its priority as the kernel's number; 0: none set.
    pub priority: u16,
}

/// Kind of an I/O that was recorded when it was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedKind {
    Read,
    Write,
    Trim,
    /// fsync(2) of the whole target.
    Fsync,
    /// fdatasync(2) of the whole target.
    Datasync,
    /// sync_file_range(2) of the whole target.
    RangeSync,
}

/// One I/O as it was issued, so that it can be issued again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedIo {
    /// When it was issued, or is to be issued, since the job began. Nanoseconds.
    pub at_ns: u64,
    /// Where it begins on its target. Bytes.
    pub offset_bytes: u64,
    /// Its size; 0 for a sync. Bytes.
    pub bytes: u32,
    /// On which of the targets.
    pub target: u32,
    pub kind: RecordedKind,
}
