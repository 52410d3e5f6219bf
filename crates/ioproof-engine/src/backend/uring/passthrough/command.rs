//! The NVMe commands of I/O, as the kernel takes them through a ring (`struct nvme_uring_cmd`, include/uapi/linux/nvme_ioctl.h).

use ioproof_core::shape::DataCommand;

/// `NVME_URING_CMD_IO`, `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
pub(super) const CALL: u64 = 3 << 30 | COMMAND_BYTES << 16 | 0x4E << 8 | 0x80;

/// Length of the structure; an entry has room for 8 bytes more.
const COMMAND_BYTES: u64 = 72;
/// Opcodes of the NVM Command Set Specification 1.0, figure 18.
const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const COMPARE: u8 = 0x05;
const WRITE_ZEROES: u8 = 0x08;
const DATASET_MANAGEMENT: u8 = 0x09;
const VERIFY: u8 = 0x0C;
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

/// A command to a range of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Transfer {
    opcode: u8,
    /// Bits of command dword 12.
    control: u32,
    /// False for a command without a buffer.
    pub(super) has_data: bool,
}

impl Transfer {
    /// The command of a read.
    pub(super) fn read(command: DataCommand) -> Self {
        Self { opcode: if command == DataCommand::Compare { COMPARE } else { READ }, control: 0, has_data: true }
    }

    /// The command of a write; with `fua` it is durable when it is done.
    pub(super) fn write(command: DataCommand, fua: bool) -> Self {
        let (opcode, has_data) = match command {
            DataCommand::Transfer | DataCommand::Compare => (WRITE, true),
            DataCommand::WriteZeroes => (WRITE_ZEROES, false),
            DataCommand::Verify => (VERIFY, false),
        };
        Self { opcode, control: if fua && opcode != VERIFY { FUA } else { 0 }, has_data }
    }
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

    /// A command to `bytes` at `offset`, both whole blocks.
    #[inline]
    pub(super) fn transfer(self, transfer: Transfer, offset: u64, bytes: u32, address: u64) -> Command {
        let first_block = offset >> self.block_shift;
        // The number of blocks is told as one less than there are.
        let blocks = (bytes >> self.block_shift) - 1;
        let dwords = [first_block as u32, (first_block >> 32) as u32, blocks | transfer.control, 0, 0, 0];
        let (address, data_bytes) = if transfer.has_data { (address, bytes) } else { (0, 0) };
        Command { opcode: transfer.opcode, namespace: self.id, address, data_bytes, dwords, ..Command::default() }
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
        let [read, write] = [Transfer::read(DataCommand::Transfer), Transfer::write(DataCommand::Transfer, false)];
        let command = NAMESPACE.transfer(Transfer::write(DataCommand::Transfer, true), (1 << 42) + 512, 4096, 0x1000);
        assert_eq!((command.opcode, command.namespace, command.address, command.data_bytes), (1, 7, 0x1000, 4096));
        assert_eq!(command.dwords, [1, 2, 1 << 30 | 7, 0, 0, 0]);
        let read = Namespace { id: 1, block_shift: 12 }.transfer(read, 8192, 4096, 0);
        assert_eq!((read.opcode, read.dwords), (2, [2, 0, 0, 0, 0, 0]));
        assert_eq!(NAMESPACE.transfer(write, 0, 512, 0).dwords, [0; 6]);
    }

    #[test]
    fn other_commands_go_to_the_same_blocks_with_and_without_data() {
        let of = |transfer| {
            let command = NAMESPACE.transfer(transfer, 1024, 4096, 0x1000);
            assert_eq!(command.dwords[..2], [2, 0]);
            (command.opcode, command.address, command.data_bytes, command.dwords[2])
        };
        assert_eq!(of(Transfer::read(DataCommand::Compare)), (0x05, 0x1000, 4096, 7));
        assert_eq!(of(Transfer::write(DataCommand::Compare, false)), (0x01, 0x1000, 4096, 7), "what it writes before it compares");
        assert_eq!(of(Transfer::write(DataCommand::WriteZeroes, true)), (0x08, 0, 0, 1 << 30 | 7));
        assert_eq!(of(Transfer::write(DataCommand::Verify, true)), (0x0C, 0, 0, 7), "nothing is written that could be durable");
        assert_eq!(of(Transfer::read(DataCommand::Verify)), (0x02, 0x1000, 4096, 7));
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
