//! Scheduling of a worker by the kernel beside its CPUs: the priority of its I/O, the nodes of its memory, the order in which it goes through files.

use serde::{Deserialize, Serialize};

/// Priority of a thread's I/O, as ioprio_set(2) has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IoPriority {
    /// 0 none set, 1 real time, 2 best effort, 3 idle.
    pub class: u8,
    /// Within the class, 0 (first) to 7.
    pub level: u8,
}

/// Which nodes a thread's memory is taken from, as set_mempolicy(2) has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryNodes {
    /// The one where the thread runs.
    Local,
    /// This one while it has free memory.
    Preferred(u32),
    /// These only.
    Bind(Vec<u32>),
    /// These in turn.
    Interleave(Vec<u32>),
}

/// Order in which a job goes through files, in the terms of posix_fadvise(2) and madvise(2): what the page cache reads ahead depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderHint {
    /// From the first byte to the last.
    Sequential,
    /// Anywhere.
    Random,
}
