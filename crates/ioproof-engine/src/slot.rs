//! One place for an I/O: what is under way in it and since when.

use ioproof_core::io_log::RecordedKind;

/// Result of a read by a Compare command whose bytes are others than those that it was given.
pub(crate) const DIFFERS: i32 = -libc::EBADMSG;

/// Kind of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IoOperation {
    Read,
    Write,
    /// Discards blocks: BLKDISCARD on a block device, a punched hole in a file.
    Trim,
    /// fdatasync(2) of the whole target.
    Datasync,
    /// fsync(2) of the whole target.
    Fsync,
    /// sync_file_range(2) of the whole target: starts writing back and waits for it.
    RangeSync,
}

impl IoOperation {
    /// Result of the kernel when it went well.
    #[inline]
    pub(crate) fn expects(self, bytes: u32) -> i32 {
        if matches!(self, Self::Read | Self::Write) { bytes.cast_signed() } else { 0 }
    }

    pub(crate) fn is_sync(self) -> bool {
        matches!(self, Self::Datasync | Self::Fsync | Self::RangeSync)
    }

    pub(crate) fn recorded(self) -> RecordedKind {
        match self {
            Self::Read => RecordedKind::Read,
            Self::Write => RecordedKind::Write,
            Self::Trim => RecordedKind::Trim,
            Self::Fsync => RecordedKind::Fsync,
            Self::Datasync => RecordedKind::Datasync,
            Self::RangeSync => RecordedKind::RangeSync,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Datasync => "fdatasync",
            Self::Fsync => "fsync",
            Self::RangeSync => "sync_file_range",
        }
    }
}

impl From<RecordedKind> for IoOperation {
    fn from(kind: RecordedKind) -> Self {
        match kind {
            RecordedKind::Read => Self::Read,
            RecordedKind::Write => Self::Write,
            RecordedKind::Trim => Self::Trim,
            RecordedKind::Fsync => Self::Fsync,
            RecordedKind::Datasync => Self::Datasync,
            RecordedKind::RangeSync => Self::RangeSync,
        }
    }
}

/// One outstanding I/O, on a cache line of its own: finding it by its number is then a shift.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Slot {
    pub(crate) operation: IoOperation,
    pub(crate) target: u32,
    pub(crate) bytes: u32,
    /// Which of the job's priorities it has.
    pub(crate) priority: u8,
    /// Of a write with headers, its number in the ledger; of a read of such data, the answer of [`WriteLedger::look`](crate::ledger::Ledger).
    pub(crate) sequence: u32,
    pub(crate) offset: u64,
    /// Just before the kernel was entered.
    pub(crate) submitted_ns: u64,
    /// When the kernel had accepted it, where that is recorded.
    pub(crate) accepted_ns: u64,
    /// When the whole was meant to begin: the I/O, or the write that a sync makes durable.
    pub(crate) began_ns: u64,
}

impl Slot {
    /// Of a slot that was never used.
    pub(crate) const EMPTY: Self = Self {
        operation: IoOperation::Read,
        target: 0,
        bytes: 0,
        priority: 0,
        sequence: 0,
        offset: 0,
        submitted_ns: 0,
        accepted_ns: 0,
        began_ns: 0,
    };
}
