//! One place for an I/O: what is under way in it and since when.

use crate::backend::Operation;

/// One outstanding I/O, on a cache line of its own: finding it by its number is then a shift.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Slot {
    pub(crate) operation: Operation,
    pub(crate) target: u32,
    pub(crate) bytes: u32,
    /// Of a write with headers, its number in the ledger; of a read of such data, the answer of [`Ledger::look`](crate::ledger::Ledger).
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
    pub(crate) const EMPTY: Self =
        Self { operation: Operation::Read, target: 0, bytes: 0, sequence: 0, offset: 0, submitted_ns: 0, accepted_ns: 0, began_ns: 0 };
}
