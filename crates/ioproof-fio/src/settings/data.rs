//! Content of writes, placement of buffers, and checks of data.

use crate::values::BytePattern;

settings! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct BufferSettings {
        pub zero: bool = false,
        pub refill: bool = false,
        pub scramble: bool = true,
        pub pattern: Option<BytePattern> = None,
        /// `buffer_compress_percentage`: share that a compressor can remove; `None`: not asked for. Percent.
        pub compressible_percent: Option<u8> = None,
        /// `dedupe_percentage`: share of the writes that repeat another one; `None`: not asked for. Percent.
        pub duplicate_percent: Option<u8> = None,
    }
}

impl BufferSettings {
    /// True where a part of the data is to be compressible, or repeated, and a part is not.
    pub fn is_mixed(&self) -> bool {
        let compressible = self.compressible_percent.is_some_and(|share| (1..100).contains(&share));
        compressible || self.duplicate_percent.is_some_and(|share| share > 0)
    }
}

settings! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MemorySettings {
        pub kind: MemoryKind = MemoryKind::Plain,
        pub locked_bytes: u64 = 0,
        /// `mmapshared:FILE`: the file in which buffers lie.
        pub file: Option<String> = None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryKind {
    /// Pages of the usual size (malloc, shm, mmap, mmapshared).
    Plain,
    /// Huge pages (shmhuge, mmaphuge).
    Huge,
}

settings! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct Verify {
        /// `verify`; `None`: nothing is verified.
        pub method: Option<Checksum> = None,
        /// True where `verify` is there, if only as 0.
        pub is_named: bool = false,
        pub after_writing: bool = true,
        pub only: bool = false,
        pub pattern: Option<BytePattern> = None,
        /// `verify_interval`: distance between two headers; `None`: the block. Bytes.
        pub interval_bytes: Option<u64> = None,
        pub header_offset_bytes: u64 = 0,
        pub fatal: bool = false,
        pub dump: bool = false,
        /// `verify_backlog`: reads back after so many writes; `None`: at the end.
        pub backlog: Option<u64> = None,
        /// `verify_backlog_batch`: how many of them are read; `None`: all.
        pub backlog_batch: Option<u32> = None,
        pub state_save: bool = true,
        pub state_load: bool = false,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// A header with a checksum; which one fio would have used.
    Header(&'static str),
    Pattern,
    Null,
}
