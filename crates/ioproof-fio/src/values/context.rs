//! Settings that some values depend on, and kinds of amounts.

use super::cpus::Present;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueContext {
    pub kb_base: u32,
    /// Processors of this machine: `$ncpus`.
    pub cpus: u64,
    /// Memory of this machine, bytes; `$mb_memory` is this in MiB.
    pub memory_bytes: u64,
    /// Bytes of a page of memory: `$pagesize`.
    pub page_bytes: u64,
    /// Processors that jobs may be put on; `None`: not known, and then any number is one.
    pub online_cpus: Option<Present>,
    pub online_nodes: Option<Present>,
}

impl Default for ValueContext {
    fn default() -> Self {
        Self { kb_base: 1024, cpus: 1, memory_bytes: 1 << 30, page_bytes: 4096, online_cpus: None, online_nodes: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    Bytes(u64),
    Percent(u8),
    /// So many zones of a zoned device (`5z`).
    Blocks(u64),
}

/// The unit of a time where none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
}
