//! Facts about a controller and its namespaces, as the driver uses them.

use crate::error::Error;
use crate::wire::{ControllerPage, NamespacePage};

/// Facts about a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its identify page.
    pub page: ControllerPage,
    /// Version of the specification: major, minor.
    pub version: (u16, u8),
    /// Most entries of a queue.
    pub queue_entries_max: u32,
    /// Most pairs of I/O queues.
    pub queues_max: u16,
    /// True where shadow doorbells are in use.
    pub shadow_doorbells: bool,
}

/// A namespace that the driver can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Namespace {
    /// Its number.
    pub number: u32,
    /// Logical block, as a power of two.
    pub block_shift: u8,
    /// Size. Blocks.
    pub blocks: u64,
    /// Boundary that the drive would rather not have crossed; 0 for none. Bytes.
    pub boundary_bytes: u64,
}

impl Namespace {
    /// Reads its page.
    ///
    /// # Errors
    /// When it has a format that this driver does not use.
    pub(super) fn new(number: u32, page: &NamespacePage) -> Result<Self, Error> {
        let unfit = |text: String| Err(Error::Unfit(format!("namespace {number} {text}")));
        match page {
            NamespacePage { blocks: 0, .. } => unfit("does not exist, or is not attached to this controller".into()),
            NamespacePage { block_shift: 9 | 12, metadata_bytes: 0, .. } => Ok(Self {
                number,
                block_shift: page.block_shift,
                blocks: page.blocks,
                boundary_bytes: u64::from(page.boundary_blocks) << page.block_shift,
            }),
            NamespacePage { block_shift: 9 | 12, metadata_bytes, .. } => {
                unfit(format!("has {metadata_bytes} bytes of metadata in each block; format it without, or use `--backend io_uring`"))
            }
            NamespacePage { block_shift, .. } => unfit(format!("has blocks of 2^{block_shift} bytes; 512 and 4096 are supported")),
        }
    }

    /// Logical block. Bytes.
    #[must_use]
    pub fn block_bytes(&self) -> u32 {
        1 << self.block_shift
    }

    /// Size. Bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.blocks << self.block_shift
    }
}
