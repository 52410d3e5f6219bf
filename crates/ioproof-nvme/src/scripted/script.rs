//! The properties and the faults of a scripted controller.

use crate::wire::Status;

/// A controller as a test wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Script {
    /// Logical block, as a power of two.
    pub block_shift: u8,
    /// Size of its one namespace. Blocks.
    pub blocks: u64,
    /// Metadata of each block. Bytes.
    pub metadata_bytes: u16,
    /// Largest transfer, as a power of two in pages; 0: no limit.
    pub mdts: u8,
    /// Boundary that an I/O should not cross; 0: none. Blocks.
    pub boundary_blocks: u16,
    /// Most entries of a queue.
    pub queue_entries: u32,
    /// Pairs of I/O queues.
    pub queues: u16,
    /// Distance of doorbells, as a power of two of four bytes.
    pub stride: u8,
    /// It takes shadow doorbells, and then looks at memory by itself.
    pub shadow_doorbells: bool,
    /// It takes SGLs, and says so.
    pub sgls: bool,
    /// It sees memory in pieces of 64 KiB, each at another place, as where no IOMMU joins them.
    pub scattered: bool,
    /// It completes what it gets at once in the opposite order.
    pub reverses: bool,
    /// Its misbehaviour.
    pub fault: Fault,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            block_shift: 9,
            blocks: 1 << 15,
            metadata_bytes: 0,
            mdts: 5,
            boundary_blocks: 0,
            queue_entries: 1024,
            queues: 4,
            stride: 0,
            shadow_doorbells: false,
            sgls: false,
            scattered: false,
            reverses: false,
            fault: Fault::None,
        }
    }
}

/// Misbehaviour. I/O commands count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It behaves.
    None,
    /// It never gets ready.
    NeverReady,
    /// It reports a fatal error instead of getting ready.
    FatalAtStart,
    /// It reports a fatal error with this I/O command.
    FatalAt(u64),
    /// It answers no admin command.
    NoAdmin,
    /// It keeps this I/O command until it is told to abort it.
    Holds(u64),
    /// It answers nothing from this I/O command on, until it is reset.
    StopsAt(u64),
    /// It completes this I/O command under an identifier that nobody uses.
    WrongIdentifier(u64),
    /// It writes this completion with the phase tag of the round before.
    WrongPhase(u64),
    /// It leaves the bus with this I/O command.
    GoneAt(u64),
    /// The same where reads of nothing give zeros, as in a virtual machine.
    ZerosAt(u64),
    /// Every I/O that touches this block fails.
    BadBlock(u64, Status),
}
