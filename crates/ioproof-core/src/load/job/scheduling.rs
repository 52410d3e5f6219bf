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

impl IoPriority {
    /// The number of the kernel: the class in the upper three of 16 bits.
    pub fn number(self) -> u16 {
        u16::from(self.class) << 13 | u16::from(self.level)
    }
}

/// Priorities of single I/Os, as io_uring and libaio take them. One without a priority of its own has that of the worker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandPriorities {
    pub reads: Vec<CommandPriority>,
    pub writes: Vec<CommandPriority>,
    /// True where latency by priority is the total one, else that of the completion.
    pub total_latency: bool,
}

impl CommandPriorities {
    /// True where no I/O has a priority of its own.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }
}

/// Share of the I/Os of a direction that have this priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandPriority {
    /// Only of I/Os of this size; `None`: of all. Bytes.
    pub bytes: Option<u32>,
    /// Share. Percent.
    pub percent: u8,
    pub priority: IoPriority,
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
