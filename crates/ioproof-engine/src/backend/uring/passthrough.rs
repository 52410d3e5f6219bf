//! NVMe passthrough (`--backend io_uring_cmd`): commands that go through a ring to the driver of the drive, past the kernel's block layer.
//!
//! `command` makes them, `pieces` puts I/Os together that take several, `status` reads the controller's answer, `arm` finds out by a first read if the kernel
//! and the user's rights let any through.

mod arm;
mod command;
mod pieces;
mod status;

use super::abi::{COMMAND_FIXED, CommandEntry, FIXED_FILE, Head, operation};
use super::build;
use super::ring::{Commands, Ring};
use crate::backend::row::Refusal;
use crate::backend::synchronous::Aside;
use crate::backend::{Backend, BackendSetup, Build, Io, IoOperation, OpenMedium};
use command::{CALL, Command, Namespace, Range, Transfer};
use pieces::{Pieces, split};
use std::io;

/// Errors of the kernel with their remedies.
pub(in crate::backend) const REFUSALS: &[Refusal] = &[
    (
        libc::EACCES,
        "the user may not send commands to the drive: before Linux 6.2 only root may (CAP_SYS_ADMIN), later whoever may open the character device for it \
         (`ls -l /dev/ng*`)",
    ),
    (libc::EINVAL, "this kernel has no rings with room for commands (Linux 5.19)"),
    (
        libc::EOPNOTSUPP,
        "the drive does not know this command, or the kernel has no NVMe passthrough (Linux 5.19), or, with polling, no queues for it: load the driver with \
         nvme.poll_queues=N",
    ),
];

/// A target as commands reach it.
#[derive(Debug, Clone, Copy)]
struct Target {
    head: Head,
    namespace: Namespace,
    most_bytes: u32,
}

/// The buffer of a slot.
#[derive(Debug, Clone, Copy)]
struct Part {
    address: u64,
    /// Index among the registered buffers.
    index: u64,
}

pub(crate) struct Passthrough {
    ring: Ring<Commands<Command>>,
    targets: Box<[Target]>,
    /// Parts that each slot reads into and writes from.
    parts: Box<[[Part; 2]]>,
    /// Ranges of trims, one a slot; the drive reads them there.
    ranges: Box<[Range]>,
    pieces: Pieces,
    read: Transfer,
    write: Transfer,
    /// Length of the I/Os whose buffers are used as they were registered; 0 for none. Bytes.
    fixed_bytes: u32,
    aside: Aside,
    /// Keeps the character devices open.
    _media: Box<[OpenMedium]>,
    registered_buffers: bool,
    registered_files: bool,
    features: Vec<String>,
    fallbacks: Vec<String>,
}

impl Passthrough {
    #[inline]
    fn transfer(&mut self, io: &Io, transfer: Transfer, part: Part) {
        let target = self.targets[io.target as usize];
        if !target.namespace.is_whole(io.offset, io.bytes) {
            return self.aside.refuse(io.slot, libc::EINVAL);
        }
        if io.bytes > target.most_bytes {
            return self.transfer_split(io, transfer, part, target);
        }
        self.pieces.begin(io.slot, 1, io.bytes.cast_signed());
        let fixed = if io.bytes == self.fixed_bytes && transfer.has_data { COMMAND_FIXED } else { 0 };
        let command = target.namespace.transfer(transfer, io.offset, io.bytes, part.address);
        self.push_command(target.head, command, fixed, part.index, io.slot);
    }

    #[cold]
    fn transfer_split(&mut self, io: &Io, transfer: Transfer, part: Part, target: Target) {
        self.pieces.begin(io.slot, io.bytes.div_ceil(target.most_bytes), io.bytes.cast_signed());
        for (at, bytes) in split(io.bytes, target.most_bytes) {
            let command = target.namespace.transfer(transfer, io.offset + u64::from(at), bytes, part.address + u64::from(at));
            self.push_command(target.head, command, 0, 0, io.slot);
        }
    }

    #[inline]
    fn push_command(&mut self, head: Head, command: Command, flags: u32, buffer: u64, slot: u32) {
        // Without the flag an index must be zero.
        let buffer = if flags == 0 { 0 } else { buffer };
        self.ring.push_command(CommandEntry { head, call: CALL, address: 0, length: 0, flags, user_data: slot.into(), buffer, command });
    }

    /// Trims and syncs.
    #[inline(never)]
    fn push_other(&mut self, io: Io) {
        let Target { head, namespace, .. } = self.targets[io.target as usize];
        let command = match io.operation {
            IoOperation::Trim if !namespace.is_whole(io.offset, io.bytes) => return self.aside.refuse(io.slot, libc::EINVAL),
            IoOperation::Trim => {
                let range = &mut self.ranges[io.slot as usize];
                *range = namespace.range(io.offset, io.bytes);
                namespace.deallocate((&raw const *range).addr() as u64)
            }
            IoOperation::Datasync | IoOperation::Fsync => namespace.flush(),
            // Nothing of these writes is in the page cache.
            _ => return self.aside.push(io),
        };
        self.pieces.begin(io.slot, 1, 0);
        self.push_command(head, command, 0, 0, io.slot);
    }
}

impl Drop for Passthrough {
    fn drop(&mut self) {
        self.ring.unregister(self.registered_buffers, self.registered_files);
    }
}

impl Backend for Passthrough {
    #[inline]
    fn push(&mut self, io: Io) {
        let [read_into, write_from] = self.parts[io.slot as usize];
        match io.operation {
            IoOperation::Read => self.transfer(&io, self.read, read_into),
            IoOperation::Write => self.transfer(&io, self.write, write_from),
            _ => self.push_other(io),
        }
    }

    #[inline]
    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        if wait_ns == 0 || self.aside.has_work() {
            self.ring.submit()?;
            self.aside.work();
            return Ok(());
        }
        self.ring.submit_and_wait(wait_ns)
    }

    #[inline]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        let pieces = &mut self.pieces;
        self.ring.reap(|slot, answer| {
            if let Some(result) = pieces.end(slot as u32, answer) {
                done(slot as u32, result);
            }
        });
        self.aside.reap(&mut done);
    }

    fn features(&self) -> Vec<String> {
        self.features.clone()
    }

    fn fallbacks(&self) -> Vec<String> {
        self.fallbacks.clone()
    }
}
