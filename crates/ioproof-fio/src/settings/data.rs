//! Content of writes, placement of buffers, and checks of data.

use crate::values::Pattern;

settings! {
    /// Content of buffers.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Buffers {
        /// `zero_buffers`: nothing but zeros.
        pub zero: bool = false,
        /// `refill_buffers`: new data for every write.
        pub refill: bool = false,
        /// `scramble_buffers`: a few bytes are changed for every write.
        pub scramble: bool = true,
        /// `buffer_pattern`: these bytes over and over.
        pub pattern: Option<Pattern> = None,
        /// `buffer_compress_percentage`: share that a compressor can remove; `None`: not asked for. Percent.
        pub compressible_percent: Option<u8> = None,
        /// `dedupe_percentage`: share of the writes that repeat another one; `None`: not asked for. Percent.
        pub duplicate_percent: Option<u8> = None,
    }
}

impl Buffers {
    /// True where a part of the data is to be compressible, or repeated, and a part is not.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        let compressible = self.compressible_percent.is_some_and(|share| (1..100).contains(&share));
        compressible || self.duplicate_percent.is_some_and(|share| share > 0)
    }
}

settings! {
    /// Where buffers lie.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Memory {
        /// `iomem`.
        pub kind: MemoryKind = MemoryKind::Plain,
        /// `lockmem`: memory of the machine that each clone locks away, bytes.
        pub locked_bytes: u64 = 0,
    }
}

/// Kinds of memory that make a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryKind {
    /// Pages of the usual size (malloc, shm, mmap, mmapshared).
    Plain,
    /// Huge pages (shmhuge, mmaphuge).
    Huge,
}

settings! {
    /// Reading back, and comparing with what was written.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Verify {
        /// `verify`; `None`: nothing is verified.
        pub method: Option<Checksum> = None,
        /// True where `verify` is there, if only as 0.
        pub is_named: bool = false,
        /// `do_verify`: reads back what the job wrote when it has ended.
        pub after_writing: bool = true,
        /// `verify_only`: nothing is written, what an earlier run wrote is read.
        pub only: bool = false,
        /// `verify_pattern`: what blocks are filled with.
        pub pattern: Option<Pattern> = None,
        /// `verify_interval`: distance between two headers; `None`: the block. Bytes.
        pub interval_bytes: Option<u64> = None,
        /// `verify_offset`: where in its block a header stands. Bytes.
        pub header_offset_bytes: u64 = 0,
        /// `verify_fatal`: the first difference ends the job.
        pub fatal: bool = false,
        /// `verify_dump`: blocks that differ are saved.
        pub dump: bool = false,
        /// `verify_backlog`: reads back after so many writes; `None`: at the end.
        pub backlog: Option<u64> = None,
        /// `verify_backlog_batch`: how many of them are read; `None`: all.
        pub backlog_batch: Option<u32> = None,
    }
}

/// The mark by which a block is known to be what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// A header with a checksum; which one fio would have used.
    Header(&'static str),
    /// The pattern and nothing else.
    Pattern,
    /// Nothing is looked at.
    Null,
}
