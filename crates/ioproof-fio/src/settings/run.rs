//! Running a job: engine, queue, syncs, time, and its place among other jobs and on the machine.

use ioproof_core::shape::DataCommand;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineSettings {
    pub name: EngineName,
    pub polled: bool,
    pub kernel_thread: bool,
    pub priorities: PrioritySettings,
    /// `stat_type`: how filestat looks files up.
    pub stat: StatCall,
    /// `write_mode`.
    pub write_command: DataCommand,
    /// `verify_mode=compare`.
    pub compares: bool,
}

/// Priorities of single I/Os (`cmdprio_*`); of reads, and of writes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrioritySettings {
    /// `cmdprio_percentage`: share that has a priority of its own. Percent.
    pub percent: [u8; 2],
    /// `cmdprio_class`; `None`: real time.
    pub class: [Option<u8>; 2],
    /// `cmdprio`: level within the class, 0 (first) to 7.
    pub level: [u8; 2],
    /// `cmdprio_bssplit`; empty: shares do not go by size.
    pub splits: [Vec<PrioritySplit>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrioritySplit {
    pub bytes: u64,
    /// Share of the I/Os of this size. Percent.
    pub percent: u8,
    /// Class and level, where the entry has its own.
    pub own: Option<(u8, u8)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatCall {
    #[default]
    Stat,
    Lstat,
    Statx,
}

impl EngineSettings {
    pub fn named(name: EngineName) -> Self {
        Self { name, ..Self::default() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineName {
    /// pread(2) and pwrite(2).
    #[default]
    Psync,
    /// lseek(2), read(2) and write(2).
    Sync,
    /// readv(2) and writev(2).
    Vsync,
    /// preadv(2) and pwritev(2).
    Pvsync,
    /// preadv2(2) and pwritev2(2).
    Pvsync2,
    /// io_submit(2).
    Libaio,
    /// io_uring_enter(2).
    IoUring,
    /// Commands to an NVMe drive by io_uring_enter(2).
    IoUringCmd,
    /// An NVMe drive that was taken from the kernel.
    Spdk,
    /// aio_read(3) and aio_write(3).
    Posixaio,
    /// mmap(2).
    Mmap,
    Null,
    /// SCSI commands by `SG_IO`, past the page cache.
    Sg,
    /// fallocate(2), of which the direction is the mode.
    Falloc,
    /// ftruncate(2) to the offset.
    Ftruncate,
    /// open(2), which makes files.
    Filecreate,
    /// stat(2).
    Filestat,
    /// unlink(2).
    Filedelete,
}

impl EngineName {
    #[rustfmt::skip]
    pub const ALL: [(&str, Self); 18] = [
        ("psync", Self::Psync), ("sync", Self::Sync), ("vsync", Self::Vsync), ("pvsync", Self::Pvsync), ("pvsync2", Self::Pvsync2),
        ("libaio", Self::Libaio), ("io_uring", Self::IoUring), ("io_uring_cmd", Self::IoUringCmd), ("spdk", Self::Spdk), ("posixaio", Self::Posixaio),
        ("mmap", Self::Mmap), ("null", Self::Null), ("sg", Self::Sg), ("falloc", Self::Falloc), ("ftruncate", Self::Ftruncate),
        ("filecreate", Self::Filecreate), ("filestat", Self::Filestat), ("filedelete", Self::Filedelete),
    ];

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, engine)| *engine == self).map_or("", |(word, _)| word)
    }

    /// True where one call does one I/O, so that fio keeps one outstanding whatever `iodepth` says.
    pub fn is_synchronous(self) -> bool {
        !matches!(self, Self::Libaio | Self::IoUring | Self::IoUringCmd | Self::Spdk | Self::Posixaio | Self::Null)
    }

    /// True where commands go to a drive, past the page cache whatever `direct` says.
    pub fn sends_commands(self) -> bool {
        matches!(self, Self::IoUringCmd | Self::Spdk | Self::Sg)
    }

    /// True where a call changes what a file is and moves no data, so that reads change files too.
    pub fn changes_files(self) -> bool {
        matches!(self, Self::Falloc | Self::Ftruncate | Self::Filecreate | Self::Filedelete)
    }

    /// True where a call takes a name and no open file.
    pub fn is_by_name(self) -> bool {
        matches!(self, Self::Filecreate | Self::Filestat | Self::Filedelete)
    }

    /// True where I/O carries data, or only counts as if it did (null).
    pub fn has_data(self) -> bool {
        !self.changes_files() && !self.is_by_name()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncSettings {
    pub open: OpenSync,
    /// `fsync`: one after so many writes; 0: none.
    pub fsync_every: u32,
    /// `fdatasync`: one after so many writes; 0: none.
    pub fdatasync_every: u32,
    /// `sync_file_range`: one after so many writes; 0: none.
    pub range_every: u32,
    pub end_fsync: bool,
    pub fsync_on_close: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenSync {
    #[default]
    None,
    Sync,
    Dsync,
}

settings! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TimeSettings {
        /// `runtime`: the most, ramp not included; 0: no limit. Nanoseconds.
        pub runtime_ns: u64 = 0,
        pub time_based: bool = false,
        pub ramp_ns: u64 = 0,
        /// `startdelay`: from the start of the stage; drawn between the two. Nanoseconds.
        pub start_delay_ns: (u64, u64) = (0, 0),
        pub loops: u32 = 1,
    }
}

settings! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct StartSettings {
        pub clones: u32 = 1,
        pub stonewall: bool = false,
        pub new_group: bool = false,
        pub wait_for: Option<String> = None,
        pub thread: bool = false,
        pub exit_all: bool = false,
        pub exit_what: ExitWhat = ExitWhat::Group,
        pub exit_all_on_error: bool = false,
        /// `flow`: this clone's share of the I/Os of its `flow_id`. 0: no flow. Where one of a flow is below 0, shares are as in fio 3.5.
        pub flow_weight: i32 = 0,
        pub flow_id: u32 = 0,
        /// `flow_sleep`: time after which a clone that is ahead looks again. Nanoseconds.
        pub flow_sleep_ns: u64 = 0,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitWhat {
    Group,
    /// All that run; those after the next stonewall are started.
    Stonewall,
    All,
}

settings! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct HostSettings {
        /// `cpus_allowed`, `cpumask`: empty: wherever the kernel likes.
        pub cpus: Vec<u32> = Vec::new(),
        pub cpu_policy: CpuPolicy = CpuPolicy::Shared,
        /// `numa_cpu_nodes`: a list, or `all`.
        pub cpu_nodes: Option<String> = None,
        pub memory_policy: Option<MemoryPolicy> = None,
        /// `nice`: -20 to 19.
        pub nice: i8 = 0,
        /// `prio`: priority of I/O within its class, 0 (first) to 7.
        pub io_priority: Option<u8> = None,
        /// `prioclass`: 1 real time, 2 best effort, 3 idle; 0: none.
        pub io_priority_class: u8 = 0,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuPolicy {
    Shared,
    Split,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryPolicy {
    Default,
    Local,
    Prefer(String),
    Bind(String),
    Interleave(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hooks {
    pub before: Option<String>,
    pub after: Option<String>,
}
