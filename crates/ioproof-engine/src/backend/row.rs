//! The columns of the table of backends: the facts by which all else decides what a backend can do, and how it is made.

use super::Implementation;
use std::io;

/// One backend.
pub(crate) struct Row {
    /// As the command line and the record have it.
    pub(super) name: &'static str,
    /// fio's engines that it stands in for, by their names.
    pub(super) fio_engines: &'static [&'static str],
    /// Does an I/O while it is submitted, one at a time: its latency cannot be split, and queue depth is made of threads.
    pub(super) synchronous: bool,
    pub(super) polling: Polling,
    /// A thread of the kernel can submit.
    pub(super) kernel_submits: bool,
    /// Can discard blocks.
    pub(super) trims: bool,
    /// Writes durably by a command of the drive (FUA), without a flush.
    pub(super) fua: bool,
    /// Sends commands to an NVMe namespace, past the kernel's block layer.
    pub(super) passthrough: bool,
    /// Sends commands to a SCSI disk, past the kernel's block layer.
    pub(super) scsi: bool,
    /// Drives an NVMe controller by itself, without the kernel.
    pub(super) driver: bool,
    /// Moves data between memory and target at all.
    pub(super) moves_data: bool,
    /// Changes its targets whatever the direction, so that it takes permission to write even for reads.
    pub(super) changes_files: bool,
    /// Goes through the page cache whatever the target was opened with.
    pub(super) page_cache: bool,
    /// Requirements on target and host, as a sentence for whoever cannot use it.
    pub(super) needs: &'static str,
    /// Errors of the kernel with their remedies.
    pub(super) refusals: &'static [Refusal],
    /// Answers whether the kernel has it and lets this process use it.
    pub(super) probe: fn() -> io::Result<()>,
    /// Takes injected faults.
    pub(super) takes_faults: bool,
    /// Type that implements it.
    pub(super) implementation: Implementation,
}

/// Waiting for completions by polling the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Polling {
    /// It cannot.
    Never,
    /// It can, on targets that pass the page cache by.
    Direct,
    /// It asks for it with each I/O, and the kernel may do otherwise.
    Wish,
}

/// An errno with its meaning and its remedy.
pub(crate) type Refusal = (i32, &'static str);

impl Row {
    /// A backend that moves data, works with any kernel, and has nothing special.
    pub(super) const fn plain(name: &'static str, implementation: Implementation) -> Self {
        Self {
            name,
            fio_engines: &[],
            synchronous: false,
            polling: Polling::Never,
            kernel_submits: false,
            trims: false,
            fua: false,
            passthrough: false,
            scsi: false,
            driver: false,
            moves_data: true,
            changes_files: false,
            page_cache: false,
            needs: "it works on every target",
            refusals: &[],
            probe: || Ok(()),
            takes_faults: false,
            implementation,
        }
    }
}
