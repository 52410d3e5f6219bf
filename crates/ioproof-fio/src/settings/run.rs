//! Running a job: engine, queue, syncs, time, and its place among other jobs and on the machine.

/// The I/O engine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Engine {
    /// `ioengine`.
    pub name: EngineName,
    /// `hipri`: completions are polled for.
    pub polled: bool,
    /// `fixedbufs`: buffers are registered with the kernel.
    pub fixed_buffers: bool,
    /// `registerfiles`: files are registered with the kernel.
    pub registered_files: bool,
    /// `sqthread_poll`: a thread of the kernel submits.
    pub kernel_thread: bool,
    /// `sqthread_poll_cpu`: where that thread stands.
    pub kernel_thread_cpu: Option<u32>,
    /// `force_async`: every so many I/Os one is handed to a thread of the kernel at once; 0: none.
    pub forced_async_every: u32,
}

impl Engine {
    /// An engine whose own options are at their defaults.
    pub fn named(name: EngineName) -> Self {
        Self { name, ..Self::default() }
    }
}

/// I/O engines of fio that ioproof stands in for.
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
    /// aio_read(3) and aio_write(3).
    Posixaio,
    /// mmap(2).
    Mmap,
    /// Nothing is transferred.
    Null,
}

impl EngineName {
    /// All, by fio's names.
    pub const ALL: [(&str, Self); 10] = [
        ("psync", Self::Psync),
        ("sync", Self::Sync),
        ("vsync", Self::Vsync),
        ("pvsync", Self::Pvsync),
        ("pvsync2", Self::Pvsync2),
        ("libaio", Self::Libaio),
        ("io_uring", Self::IoUring),
        ("posixaio", Self::Posixaio),
        ("mmap", Self::Mmap),
        ("null", Self::Null),
    ];

    /// fio's name.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, engine)| *engine == self).map_or("", |(word, _)| word)
    }

    /// True where one call does one I/O, so that fio keeps one outstanding whatever `iodepth` says.
    #[must_use]
    pub fn is_synchronous(self) -> bool {
        matches!(self, Self::Psync | Self::Sync | Self::Vsync | Self::Pvsync | Self::Pvsync2 | Self::Mmap)
    }
}

/// Syncs and flags that make writes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Syncs {
    /// `sync`: how files are opened.
    pub open: OpenSync,
    /// `fsync`: one after so many writes; 0: none.
    pub fsync_every: u32,
    /// `fdatasync`: one after so many writes; 0: none.
    pub fdatasync_every: u32,
    /// `sync_file_range`: one after so many writes; 0: none.
    pub range_every: u32,
    /// `end_fsync`: one when the job ends.
    pub end_fsync: bool,
    /// `fsync_on_close`: one when a file is closed.
    pub fsync_on_close: bool,
}

/// Flags with which files are opened for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenSync {
    /// Plainly.
    #[default]
    None,
    /// With `O_SYNC`.
    Sync,
    /// With `O_DSYNC`.
    Dsync,
}

settings! {
    /// Duration of a job.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Time {
        /// `runtime`: the most, ramp not included; 0: no limit. Nanoseconds.
        pub runtime_ns: u64 = 0,
        /// `time_based`: begins again until the runtime is over.
        pub time_based: bool = false,
        /// `ramp_time`: I/O that is not counted, first. Nanoseconds.
        pub ramp_ns: u64 = 0,
        /// `startdelay`: from the start of the stage; drawn between the two. Nanoseconds.
        pub start_delay_ns: (u64, u64) = (0, 0),
        /// `loops`: passes over the region.
        pub loops: u32 = 1,
    }
}

settings! {
    /// When a job starts, beside whom, and how its end bears on the others.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Start {
        /// `numjobs`: clones.
        pub clones: u32 = 1,
        /// `stonewall`: starts when all jobs before it have ended, in a group of its own.
        pub stonewall: bool = false,
        /// `new_group`: begins a group of the report.
        pub new_group: bool = false,
        /// `wait_for`: starts when all clones of this job have ended.
        pub wait_for: Option<String> = None,
        /// `thread`: a thread where fio makes a process otherwise.
        pub thread: bool = false,
        /// `exitall`: its end ends others.
        pub exit_all: bool = false,
        /// `exit_what`: which others.
        pub exit_what: ExitWhat = ExitWhat::Group,
        /// `exitall_on_error`: its failure ends others.
        pub exit_all_on_error: bool = false,
    }
}

/// Which jobs `exitall` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitWhat {
    /// Those of the same group.
    Group,
    /// All that run; those after the next stonewall are started.
    Stonewall,
    /// All, also those that have not started.
    All,
}

settings! {
    /// Where a job stands on the machine.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Host {
        /// `cpus_allowed`, `cpumask`: empty: wherever the kernel likes.
        pub cpus: Vec<u32> = Vec::new(),
        /// `cpus_allowed_policy`: how clones share them.
        pub cpu_policy: CpuPolicy = CpuPolicy::Shared,
        /// `numa_cpu_nodes`: a list, or `all`.
        pub cpu_nodes: Option<String> = None,
        /// `numa_mem_policy`.
        pub memory_policy: Option<MemoryPolicy> = None,
        /// `nice`: -20 to 19.
        pub nice: i8 = 0,
        /// `prio`: priority of I/O within its class, 0 (first) to 7.
        pub io_priority: Option<u8> = None,
        /// `prioclass`: 1 real time, 2 best effort, 3 idle; 0: none.
        pub io_priority_class: u8 = 0,
    }
}

/// Division of the allowed CPUs among clones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuPolicy {
    /// Each may use all of them.
    Shared,
    /// Each gets one, in turn.
    Split,
}

/// Which nodes memory is taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryPolicy {
    /// As the process does.
    Default,
    /// The node where the thread runs.
    Local,
    /// This node if it has free memory.
    Prefer(String),
    /// These nodes only.
    Bind(String),
    /// These nodes in turn.
    Interleave(String),
}

/// Commands of the shell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hooks {
    /// `exec_prerun`.
    pub before: Option<String>,
    /// `exec_postrun`.
    pub after: Option<String>,
}
