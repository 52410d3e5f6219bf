//! The NVMe commands of I/O, as the kernel takes them through a ring (`struct nvme_uring_cmd`, include/uapi/linux/nvme_ioctl.h).

/// `NVME_URING_CMD_IO`, `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
pub(super) const CALL: u64 = 3 << 30 | COMMAND_BYTES << 16 | 0x4E << 8 | 0x80;

/// Length of the structure; an entry has room for 8 bytes more.
const COMMAND_BYTES: u64 = 72;
/// Opcodes of the NVM Command Set Specification 1.0, figure 18.
const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const DATASET_MANAGEMENT: u8 = 0x09;
/// Force Unit Access: bit 30 of command dword 12 (3.2.6).
const FUA: u32 = 1 << 30;
/// Deallocate: bit 2 of command dword 11 (3.2.3, AD).
const DEALLOCATE: u32 = 1 << 2;

/// `struct nvme_uring_cmd`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(in crate::backend::uring) struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    /// Dwords 2 and 3.
    low_dwords: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    /// Dwords 10 to 15.
    dwords: [u32; 6],
    timeout_ms: u32,
    reserved_too: u32,
    /// Rest of an entry of 128 bytes.
    padding: u64,
}

const _: () = assert!(size_of::<Command>() == 80);

/// One range of a Dataset Management command (3.2.3, figure 40).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Range {
    attributes: u32,
    blocks: u32,
    first_block: u64,
}

/// Direction and durability of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    Read,
    Write,
    /// Durable when it is done.
    WriteFua,
}

/// A namespace to which commands go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Namespace {
    pub(super) id: u32,
    /// Logical block as a power of two. Bytes.
    pub(super) block_shift: u32,
}

impl Namespace {
    /// True where an I/O is a whole number of blocks, and one at least.
    #[inline]
    pub(super) fn is_whole(self, offset: u64, bytes: u32) -> bool {
        bytes > 0 && (offset | u64::from(bytes)) & ((1 << self.block_shift) - 1) == 0
    }

    /// A read or write of `bytes` at `offset`, both whole blocks.
    #[inline]
    pub(super) fn transfer(self, transfer: Transfer, offset: u64, bytes: u32, address: u64) -> Command {
        let first_block = offset >> self.block_shift;
        let (opcode, control) = match transfer {
            Transfer::Read => (READ, 0),
            Transfer::Write => (WRITE, 0),
            Transfer::WriteFua => (WRITE, FUA),
        };
        // The number of blocks is told as one less than there are.
        let blocks = (bytes >> self.block_shift) - 1;
        let dwords = [first_block as u32, (first_block >> 32) as u32, blocks | control, 0, 0, 0];
        Command { opcode, namespace: self.id, address, data_bytes: bytes, dwords, ..Command::default() }
    }

    /// Makes all that was written durable.
    pub(super) fn flush(self) -> Command {
        Command { opcode: FLUSH, namespace: self.id, ..Command::default() }
    }

    /// The range of a trim.
    pub(super) fn range(self, offset: u64, bytes: u32) -> Range {
        Range { attributes: 0, blocks: bytes >> self.block_shift, first_block: offset >> self.block_shift }
    }

    /// Deallocates the one range at `address`.
    pub(super) fn deallocate(self, address: u64) -> Command {
        let dwords = [0, DEALLOCATE, 0, 0, 0, 0];
        Command {
            opcode: DATASET_MANAGEMENT,
            namespace: self.id,
            address,
            data_bytes: size_of::<Range>() as u32,
            dwords,
            ..Command::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMESPACE: Namespace = Namespace { id: 7, block_shift: 9 };

    #[test]
    fn a_call_is_as_the_header_has_it() {
        assert_eq!(CALL, 0xC048_4E80);
        assert_eq!(std::mem::offset_of!(Command, address), 24);
        assert_eq!(std::mem::offset_of!(Command, dwords), 40);
        assert_eq!(size_of::<Range>(), 16);
    }

    #[test]
    fn a_transfer_counts_in_blocks() {
        let command = NAMESPACE.transfer(Transfer::WriteFua, (1 << 42) + 512, 4096, 0x1000);
        assert_eq!((command.opcode, command.namespace, command.address, command.data_bytes), (1, 7, 0x1000, 4096));
        assert_eq!(command.dwords, [1, 2, 1 << 30 | 7, 0, 0, 0]);
        let read = Namespace { id: 1, block_shift: 12 }.transfer(Transfer::Read, 8192, 4096, 0);
        assert_eq!((read.opcode, read.dwords), (2, [2, 0, 0, 0, 0, 0]));
        assert_eq!(NAMESPACE.transfer(Transfer::Write, 0, 512, 0).dwords, [0; 6]);
    }

    #[test]
    fn only_whole_blocks_are_transferred() {
        for (offset, bytes, whole) in [(0, 512, true), (512, 1024, true), (0, 0, false), (1, 512, false), (512, 513, false)] {
            assert_eq!(NAMESPACE.is_whole(offset, bytes), whole, "{offset} {bytes}");
        }
    }

    #[test]
    fn flush_and_deallocate_are_commands_of_their_own() {
        assert_eq!(NAMESPACE.flush(), Command { namespace: 7, ..Command::default() });
        assert_eq!(NAMESPACE.range(1024, 4096), Range { attributes: 0, blocks: 8, first_block: 2 });
        let command = NAMESPACE.deallocate(0x2000);
        assert_eq!((command.opcode, command.data_bytes, command.dwords[..2].to_vec()), (9, 16, vec![0, 4]));
    }
}
