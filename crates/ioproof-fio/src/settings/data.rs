//! Content of writes, placement of buffers, and checks of data.

use crate::values::Pattern;

/// Content of buffers.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffers {
    /// `zero_buffers`: nothing but zeros.
    pub zero: bool,
    /// `refill_buffers`: new data for every write.
    pub refill: bool,
    /// `scramble_buffers`: a few bytes are changed for every write.
    pub scramble: bool,
    /// `buffer_pattern`: these bytes over and over.
    pub pattern: Option<Pattern>,
    /// `buffer_compress_percentage`: share that a compressor can remove; `None`: not asked for. Percent.
    pub compressible_percent: Option<u8>,
    /// `buffer_compress_chunk`: length of a piece that is compressible to this share; 0: the block. Bytes.
    pub compress_chunk_bytes: u64,
    /// `dedupe_percentage`: share of the writes that repeat another one; `None`: not asked for. Percent.
    pub duplicate_percent: Option<u8>,
    /// `dedupe_mode`: which one they repeat.
    pub dedupe: DedupeMode,
    /// `dedupe_working_set_percentage`: size of that set. Percent of the file.
    pub working_set_percent: u8,
}

impl Buffers {
    /// True where a part of the data is to be compressible, or repeated, and a part is not.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        let compressible = self.compressible_percent.is_some_and(|share| (1..100).contains(&share));
        compressible || self.duplicate_percent.is_some_and(|share| share > 0)
    }
}

impl Default for Buffers {
    fn default() -> Self {
        Self {
            zero: false,
            refill: false,
            scramble: true,
            pattern: None,
            compressible_percent: None,
            compress_chunk_bytes: 512,
            duplicate_percent: None,
            dedupe: DedupeMode::Repeat,
            working_set_percent: 5,
        }
    }
}

/// Which write a duplicate repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DedupeMode {
    /// The one before.
    Repeat,
    /// One of a set of a fixed size.
    WorkingSet,
}

/// Where buffers lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// `iomem`.
    pub kind: MemoryKind,
    /// `iomem_align`: alignment of buffers, bytes; 0: as the target needs.
    pub align_bytes: u64,
    /// `lockmem`: memory of the machine that each clone locks away, bytes.
    pub locked_bytes: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self { kind: MemoryKind::Plain, align_bytes: 0, locked_bytes: 0 }
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

/// Reading back, and comparing with what was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Verify {
    /// `verify`; `None`: nothing is verified.
    pub method: Option<Checksum>,
    /// True where `verify` is there, if only as 0.
    pub is_named: bool,
    /// `do_verify`: reads back what the job wrote when it has ended.
    pub after_writing: bool,
    /// `verify_only`: nothing is written, what an earlier run wrote is read.
    pub only: bool,
    /// `verify_pattern`: what blocks are filled with.
    pub pattern: Option<Pattern>,
    /// `verify_interval`: distance between two headers; `None`: the block. Bytes.
    pub interval_bytes: Option<u64>,
    /// `verify_offset`: where in its block a header stands. Bytes.
    pub header_offset_bytes: u64,
    /// `verify_fatal`: the first difference ends the job.
    pub fatal: bool,
    /// `verify_dump`: blocks that differ are saved.
    pub dump: bool,
    /// `verify_backlog`: reads back after so many writes; `None`: at the end.
    pub backlog: Option<u64>,
    /// `verify_backlog_batch`: how many of them are read; `None`: all.
    pub backlog_batch: Option<u32>,
}

impl Default for Verify {
    fn default() -> Self {
        Self {
            method: None,
            is_named: false,
            after_writing: true,
            only: false,
            pattern: None,
            interval_bytes: None,
            header_offset_bytes: 0,
            fatal: false,
            dump: false,
            backlog: None,
            backlog_batch: None,
        }
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
