//! One place for an I/O: what is under way in it and since when.

use crate::backend::Operation;

/// One outstanding I/O.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) operation: Operation,
    pub(crate) offset: u64,
    pub(crate) submitted_ns: u64,
    /// When the whole began: the I/O, or the write that a sync makes durable.
    pub(crate) began_ns: u64,
}
