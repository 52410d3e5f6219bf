//! Submission queue entries (4.2): 64 bytes, with a function for each command that the driver sends.

/// A submission queue entry (figure 105).
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Command {
    /// Opcode in bits 7:0, kind of the data pointer (`PSDT`) in bits 15:14, identifier in bits 31:16 (figure 104).
    pub dword0: u32,
    /// Namespace.
    pub namespace: u32,
    /// Dwords 2 and 3.
    pub reserved: u64,
    /// Metadata pointer.
    pub metadata: u64,
    /// First PRP entry; of an SGL the address.
    pub prp1: u64,
    /// Second PRP entry, or the address of a list of them; of an SGL length and type.
    pub prp2: u64,
    /// Dwords 10 and 11: of reads and writes the first block.
    pub dword10: u32,
    /// See `dword10`.
    pub dword11: u32,
    /// Dword 12.
    pub dword12: u32,
    /// Dword 13.
    pub dword13: u32,
    /// Dword 14.
    pub dword14: u32,
    /// Dword 15.
    pub dword15: u32,
}

const _: () = assert!(size_of::<Command>() == 64);

/// Opcodes of the admin command set (figure 139).
pub mod admin {
    /// Delete I/O Submission Queue (5.6).
    pub const DELETE_SUBMISSIONS: u8 = 0x00;
    /// Create I/O Submission Queue (5.4).
    pub const CREATE_SUBMISSIONS: u8 = 0x01;
    /// Delete I/O Completion Queue (5.5).
    pub const DELETE_COMPLETIONS: u8 = 0x04;
    /// Create I/O Completion Queue (5.3).
    pub const CREATE_COMPLETIONS: u8 = 0x05;
    /// Identify (5.15).
    pub const IDENTIFY: u8 = 0x06;
    /// Abort (5.1).
    pub const ABORT: u8 = 0x08;
    /// Set Features (5.21).
    pub const SET_FEATURES: u8 = 0x09;
    /// Doorbell Buffer Config (5.7).
    pub const DOORBELL_BUFFERS: u8 = 0x7c;
}

/// Opcodes of the NVM command set (figure 346).
pub mod nvm {
    /// Flush (6.8).
    pub const FLUSH: u8 = 0x00;
    /// Write (6.15).
    pub const WRITE: u8 = 0x01;
    /// Read (6.9).
    pub const READ: u8 = 0x02;
    /// Dataset Management (6.7).
    pub const DATASET_MANAGEMENT: u8 = 0x09;
}

/// The data pointer is an SGL; metadata, of which there are none, would be one buffer (`PSDT` 01b, figure 104).
const SGL: u32 = 1 << 14;
/// Force Unit Access of a read or write (dword 12, figures 387 and 402).
pub const FUA: u32 = 1 << 30;
/// Attribute Deallocate of Dataset Management (dword 11, figure 359).
const DEALLOCATE: u32 = 1 << 2;
/// Feature Number of Queues (5.21.1.7).
const NUMBER_OF_QUEUES: u32 = 0x07;
/// Physically contiguous (figures 150 and 155).
const CONTIGUOUS: u32 = 1;

/// One range of Dataset Management (figure 360).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Range {
    /// Context attributes; none are given.
    pub attributes: u32,
    /// Length. Blocks.
    pub blocks: u32,
    /// First block.
    pub first: u64,
}

const _: () = assert!(size_of::<Range>() == 16);

impl Command {
    #[inline]
    fn new(opcode: u8, namespace: u32) -> Self {
        Self { dword0: opcode.into(), namespace, ..Self::default() }
    }

    /// The same under an identifier.
    #[must_use]
    #[inline]
    pub fn identified(self, identifier: u16) -> Self {
        Self { dword0: self.dword0 & 0xffff | u32::from(identifier) << 16, ..self }
    }

    /// The same for `bytes` at `address`, which are contiguous: an SGL Data Block descriptor (type 0h, 4.4) in the command itself.
    #[must_use]
    pub fn with_data_block(self, address: u64, bytes: u32) -> Self {
        Self { dword0: self.dword0 | SGL, prp1: address, prp2: bytes.into(), ..self }
    }

    /// Address and length of the SGL Data Block of the command; `None` where it has PRPs or another descriptor.
    #[must_use]
    pub fn data_block(&self) -> Option<(u64, u32)> {
        let is_data_block = self.dword0 >> 14 & 3 == 1 && self.prp2 >> 32 == 0;
        is_data_block.then_some((self.prp1, self.prp2 as u32))
    }

    /// Opcode.
    #[must_use]
    pub fn opcode(&self) -> u8 {
        self.dword0 as u8
    }

    /// Identifier.
    #[must_use]
    pub fn identifier(&self) -> u16 {
        (self.dword0 >> 16) as u16
    }

    /// Number in dwords 10 and 11: the first block.
    #[must_use]
    pub fn first_block(&self) -> u64 {
        u64::from(self.dword11) << 32 | u64::from(self.dword10)
    }

    /// Read or Write of `blocks` (at least one) from block `first` on.
    #[must_use]
    #[inline]
    pub fn of_blocks(opcode: u8, namespace: u32, first: u64, blocks: u32) -> Self {
        Self {
            dword10: first as u32,
            dword11: (first >> 32) as u32,
            dword12: blocks.wrapping_sub(1) & 0xffff,
            ..Self::new(opcode, namespace)
        }
    }

    /// Flush.
    #[must_use]
    pub fn flush(namespace: u32) -> Self {
        Self::new(nvm::FLUSH, namespace)
    }

    /// Dataset Management that deallocates the one range at `prp1`.
    #[must_use]
    pub fn deallocate(namespace: u32, prp1: u64) -> Self {
        Self { prp1, dword11: DEALLOCATE, ..Self::new(nvm::DATASET_MANAGEMENT, namespace) }
    }

    /// Identify into the page at `prp1`; `cns` as in figure 241.
    #[must_use]
    pub fn identify(cns: u32, namespace: u32, prp1: u64) -> Self {
        Self { prp1, dword10: cns, ..Self::new(admin::IDENTIFY, namespace) }
    }

    /// Create I/O Completion Queue without interrupts.
    #[must_use]
    pub fn create_completions(queue: u16, entries: u32, prp1: u64) -> Self {
        Self { prp1, dword10: size_and_queue(queue, entries), dword11: CONTIGUOUS, ..Self::new(admin::CREATE_COMPLETIONS, 0) }
    }

    /// Create I/O Submission Queue that completes into the queue of the same number.
    #[must_use]
    pub fn create_submissions(queue: u16, entries: u32, prp1: u64) -> Self {
        let dword11 = u32::from(queue) << 16 | CONTIGUOUS;
        Self { prp1, dword10: size_and_queue(queue, entries), dword11, ..Self::new(admin::CREATE_SUBMISSIONS, 0) }
    }

    /// Delete I/O Submission Queue or Completion Queue.
    #[must_use]
    pub fn delete_queue(opcode: u8, queue: u16) -> Self {
        Self { dword10: queue.into(), ..Self::new(opcode, 0) }
    }

    /// Abort of a command of a submission queue.
    #[must_use]
    pub fn abort(queue: u16, identifier: u16) -> Self {
        Self { dword10: u32::from(identifier) << 16 | u32::from(queue), ..Self::new(admin::ABORT, 0) }
    }

    /// Set Features, Number of Queues: so many pairs are wanted.
    #[must_use]
    pub fn wants_queues(pairs: u16) -> Self {
        let most = u32::from(pairs - 1);
        Self { dword10: NUMBER_OF_QUEUES, dword11: most << 16 | most, ..Self::new(admin::SET_FEATURES, 0) }
    }

    /// Doorbell Buffer Config: the page of shadow doorbells and that of event indexes.
    #[must_use]
    pub fn doorbell_buffers(shadows: u64, events: u64) -> Self {
        Self { prp1: shadows, prp2: events, ..Self::new(admin::DOORBELL_BUFFERS, 0) }
    }
}

fn size_and_queue(queue: u16, entries: u32) -> u32 {
    (entries - 1) << 16 | u32::from(queue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_as_the_specification_has_it() {
        let read = Command::of_blocks(nvm::READ, 1, 0x1_2345_6789, 8).identified(7);
        assert_eq!((read.dword0, read.namespace), (7 << 16 | 2, 1));
        assert_eq!((read.dword10, read.dword11, read.dword12), (0x2345_6789, 1, 7));
        assert_eq!((read.opcode(), read.identifier(), read.first_block()), (2, 7, 0x1_2345_6789));
        assert_eq!(Command::of_blocks(nvm::WRITE, 1, 0, 65536).dword12, 0xffff);
    }

    #[test]
    fn a_data_block_stays_under_every_identifier() {
        let read = Command::of_blocks(nvm::READ, 1, 0, 256).with_data_block(0x12_3456_7000, 131_072).identified(9);
        assert_eq!((read.dword0, read.prp1, read.prp2), (9 << 16 | 1 << 14 | 2, 0x12_3456_7000, 131_072));
        assert_eq!((read.data_block(), read.opcode()), (Some((0x12_3456_7000, 131_072)), nvm::READ));
        assert_eq!(Command::of_blocks(nvm::READ, 1, 0, 8).data_block(), None);
    }

    #[test]
    fn admin_commands_have_their_fields() {
        let made = Command::create_submissions(3, 256, 0x1000);
        assert_eq!((made.opcode(), made.dword10, made.dword11, made.prp1), (1, 255 << 16 | 3, 3 << 16 | 1, 0x1000));
        assert_eq!(Command::create_completions(3, 256, 0).dword11, 1, "no interrupts");
        assert_eq!(Command::abort(2, 9).dword10, 9 << 16 | 2);
        assert_eq!((Command::wants_queues(4).dword10, Command::wants_queues(4).dword11), (7, 3 << 16 | 3));
        assert_eq!(Command::deallocate(1, 0x2000).dword11, 4);
    }
}
