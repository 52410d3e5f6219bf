//! Settings that some values depend on, and kinds of amounts.

use super::cpus::Present;

/// Settings that some values depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// 1000 or 1024: bytes of `k`, as the option `kb_base` says.
    pub kb_base: u32,
    /// Processors of this machine: `$ncpus`.
    pub cpus: u64,
    /// Memory of this machine, bytes; `$mb_memory` is this in MiB.
    pub memory_bytes: u64,
    /// Bytes of a page of memory: `$pagesize`.
    pub page_bytes: u64,
    /// Processors that jobs may be put on; `None`: not known, and then any number is one.
    pub online_cpus: Option<Present>,
    /// Memory nodes, likewise.
    pub online_nodes: Option<Present>,
}

impl Default for Context {
    fn default() -> Self {
        Self { kb_base: 1024, cpus: 1, memory_bytes: 1 << 30, page_bytes: 4096, online_cpus: None, online_nodes: None }
    }
}

/// An amount of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// So many percent of the file or device.
    Percent(u8),
    /// So many zones of a zoned device (`5z`).
    Blocks(u64),
}

/// The unit of a time where none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// 10^-9 s.
    Nanoseconds,
    /// 10^-6 s.
    Microseconds,
    /// 10^-3 s.
    Milliseconds,
    /// One second.
    Seconds,
}
