//! The structures and numbers of io_uring that a backend for files needs, as include/uapi/linux/io_uring.h of Linux has them.

use std::mem::size_of;

/// Bits of the set-up, `IORING_SETUP_*`.
pub(super) mod setup {
    pub(crate) const IOPOLL: u32 = 1 << 0;
    pub(crate) const SQPOLL: u32 = 1 << 1;
    pub(crate) const SUBMIT_ALL: u32 = 1 << 7;
    pub(crate) const COOP_TASKRUN: u32 = 1 << 8;
    pub(crate) const TASKRUN_FLAG: u32 = 1 << 9;
    pub(crate) const SQE128: u32 = 1 << 10;
    pub(crate) const CQE32: u32 = 1 << 11;
    pub(crate) const SINGLE_ISSUER: u32 = 1 << 12;
    pub(crate) const DEFER_TASKRUN: u32 = 1 << 13;
    pub(crate) const NO_SQARRAY: u32 = 1 << 16;
}

/// Abilities of the kernel, `IORING_FEAT_*`.
pub(super) mod feature {
    pub(crate) const SINGLE_MMAP: u32 = 1 << 0;
    pub(crate) const NODROP: u32 = 1 << 1;
    /// Came with plain reads and writes, in Linux 5.6.
    pub(crate) const RW_CUR_POS: u32 = 1 << 3;
    pub(crate) const EXT_ARG: u32 = 1 << 8;
}

/// Bits of io_uring_enter(2), `IORING_ENTER_*`.
pub(super) mod enter {
    pub(crate) const GETEVENTS: u32 = 1 << 0;
    pub(crate) const SQ_WAKEUP: u32 = 1 << 1;
    pub(crate) const EXT_ARG: u32 = 1 << 3;
    pub(crate) const REGISTERED_RING: u32 = 1 << 4;
}

/// Messages of the kernel in the submission ring, `IORING_SQ_*`.
pub(super) mod say {
    pub(crate) const NEED_WAKEUP: u32 = 1 << 0;
    pub(crate) const CQ_OVERFLOW: u32 = 1 << 1;
    pub(crate) const TASKRUN: u32 = 1 << 2;
}

/// Calls of io_uring_register(2), `IORING_REGISTER_*`.
pub(super) mod register {
    pub(crate) const BUFFERS: u32 = 0;
    pub(crate) const UNREGISTER_BUFFERS: u32 = 1;
    pub(crate) const FILES: u32 = 2;
    pub(crate) const UNREGISTER_FILES: u32 = 3;
    pub(crate) const RING_FDS: u32 = 20;
    pub(crate) const UNREGISTER_RING_FDS: u32 = 21;
}

/// Operations, `IORING_OP_*`.
pub(in crate::backend) mod operation {
    pub(crate) const FSYNC: u8 = 3;
    pub(crate) const READ_FIXED: u8 = 4;
    pub(crate) const WRITE_FIXED: u8 = 5;
    pub(crate) const SYNC_FILE_RANGE: u8 = 8;
    pub(crate) const READ: u8 = 22;
    pub(crate) const WRITE: u8 = 23;
    pub(crate) const URING_CMD: u8 = 46;
}

/// `IOSQE_FIXED_FILE`: the file is named by its registered index.
pub(in crate::backend) const FIXED_FILE: u8 = 1 << 0;
/// `IORING_FSYNC_DATASYNC`.
pub(in crate::backend) const FSYNC_DATASYNC: u32 = 1 << 0;
/// `IORING_URING_CMD_FIXED`: the command's data is in a registered buffer.
pub(super) const COMMAND_FIXED: u32 = 1 << 0;
/// Offsets at which the rings and the entries are mapped, `IORING_OFF_*`.
pub(in crate::backend) const OFFSET_OF_RINGS: u64 = 0;
pub(in crate::backend) const OFFSET_OF_ENTRIES: u64 = 0x1000_0000;
/// The most entries of a submission ring, `IORING_MAX_ENTRIES` of io_uring/io_uring.c.
pub(in crate::backend) const MOST_ENTRIES: u32 = 32768;

/// The first 8 bytes of an entry: the same for every I/O of one kind on one target.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(8))]
pub(in crate::backend) struct Head {
    pub(in crate::backend) operation: u8,
    pub(in crate::backend) flags: u8,
    pub(in crate::backend) priority: u16,
    pub(in crate::backend) fd: i32,
}

/// `struct io_uring_sqe`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(in crate::backend) struct Entry {
    pub(super) head: Head,
    pub(super) offset: u64,
    pub(super) address: u64,
    pub(super) length: u32,
    pub(super) operation_flags: u32,
    pub(super) user_data: u64,
    /// Index of the registered buffer, personality, and what reads, writes and syncs do not use: zero for all that is done here.
    pub(super) rest: [u64; 3],
}

/// `struct io_uring_sqe` with 128 bytes (`IORING_SETUP_SQE128`), of which the last 80 are a command to the driver.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(in crate::backend) struct CommandEntry<C> {
    pub(in crate::backend) head: Head,
    /// The kind of command, as a number of ioctl(2).
    pub(in crate::backend) call: u64,
    pub(in crate::backend) address: u64,
    pub(in crate::backend) length: u32,
    pub(in crate::backend) flags: u32,
    pub(in crate::backend) user_data: u64,
    /// Index of the registered buffer; the bytes above are zero.
    pub(in crate::backend) buffer: u64,
    pub(in crate::backend) command: C,
}

/// `struct io_uring_cqe` with 32 bytes (`IORING_SETUP_CQE32`).
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(in crate::backend) struct LongCompletion {
    pub(super) short: Completion,
    /// The first number is the command's own result, which no I/O command has.
    pub(super) more: [u64; 2],
}

/// `struct io_uring_cqe`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(in crate::backend) struct Completion {
    pub(super) user_data: u64,
    pub(super) result: i32,
    pub(super) flags: u32,
}

/// `struct io_sqring_offsets`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct SubmissionOffsets {
    pub(super) head: u32,
    pub(super) tail: u32,
    pub(super) mask: u32,
    pub(super) entries: u32,
    pub(super) flags: u32,
    pub(super) dropped: u32,
    pub(super) array: u32,
    reserved: u32,
    user_address: u64,
}

/// `struct io_cqring_offsets`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct CompletionOffsets {
    pub(super) head: u32,
    pub(super) tail: u32,
    pub(super) mask: u32,
    pub(super) entries: u32,
    pub(super) overflow: u32,
    pub(super) completions: u32,
    pub(super) flags: u32,
    reserved: u32,
    user_address: u64,
}

/// `struct io_uring_params`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Parameters {
    pub(super) submission_entries: u32,
    pub(super) completion_entries: u32,
    pub(super) flags: u32,
    pub(super) thread_cpu: u32,
    pub(super) thread_idle_ms: u32,
    pub(super) features: u32,
    pub(super) workers_fd: u32,
    pub(super) reserved: [u32; 3],
    pub(super) submission: SubmissionOffsets,
    pub(super) completion: CompletionOffsets,
}

/// `struct __kernel_timespec`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Time {
    pub(super) seconds: i64,
    pub(super) nanoseconds: i64,
}

/// `struct io_uring_getevents_arg`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Wait {
    pub(super) signals: u64,
    pub(super) signals_size: u32,
    pub(super) least_us: u32,
    /// Address of a [`Time`].
    pub(super) time: u64,
}

/// `struct io_uring_rsrc_update`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Update {
    pub(super) index: u32,
    pub(super) reserved: u32,
    pub(super) data: u64,
}

const _: () = assert!(size_of::<Head>() == 8 && size_of::<Entry>() == 64 && size_of::<Completion>() == 16);
const _: () = assert!(size_of::<CommandEntry<[u64; 10]>>() == 128 && size_of::<LongCompletion>() == 32);
const _: () = assert!(size_of::<SubmissionOffsets>() == 40 && size_of::<CompletionOffsets>() == 40 && size_of::<Parameters>() == 120);
const _: () = assert!(size_of::<Time>() == 16 && size_of::<Wait>() == 24 && size_of::<Update>() == 16);
