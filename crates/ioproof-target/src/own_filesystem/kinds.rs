//! The filesystems that can be made: one row each. Of options only those are taken that concern this filesystem alone: many programs take the name of a further device
//! (a log, a journal, a real-time part) or of a file that they write, which nobody has permitted.

mod zfs;

use rustix::mount::MountFlags;

/// A filesystem and the program that makes it.
#[derive(Debug, PartialEq, Eq)]
pub struct FilesystemKind {
    /// Its name to mount(2).
    pub name: &'static str,
    /// The program. Every one of them opens the device with `O_EXCL` before it writes.
    pub program: &'static str,
    /// The package of Debian that has it.
    pub package: &'static str,
    /// Arguments that it always gets. None has it overwrite what it finds: the write rule found nothing, and whoever finds something after all shall stop.
    pub(crate) always: &'static [&'static str],
    /// Further ones, each a flag and its `KEY=VALUE`, unless another value of that key is asked for.
    pub(crate) usual: &'static [(&'static str, &'static str)],
    /// True where it makes a pool, which has a name and stays in the kernel until it is destroyed; false where the mount is all that there is.
    pub is_pool: bool,
    /// Options of its mount that keep the kernel from writing by itself: what a format left undone, beside what is measured.
    pub(crate) mounted: &'static [&'static str],
    /// The smallest device that it takes. Bytes.
    pub(crate) least_bytes: u64,
    /// Room that it keeps for itself beside an eighth of what is wanted: log, tables, second copies. Bytes.
    pub(crate) own_bytes: u64,
    /// Options of the program, each with the words that its value may begin with.
    pub(crate) makes: &'static [(&'static str, Values)],
    /// Options of mount(2) that are its own.
    pub(crate) mounts: &'static [&'static str],
    /// Ways in which it takes several drives; none for a filesystem of one.
    pub(crate) layouts: &'static [Layout],
}

/// A way to put drives together, in words of ours and of the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its names, ours first.
    pub(crate) names: &'static [&'static str],
    /// The fewest and the most drives that it takes.
    pub(crate) drives: (usize, usize),
    /// The program's words for it, before the drives.
    pub(crate) words: &'static [&'static str],
    /// Room for data.
    pub(crate) room: Room,
}

/// Room for data of drives that are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// One drive after the other: all of each, so that they need not be alike.
    Sum,
    /// As much of each as the smallest has.
    Striped,
    /// Everything twice, on any two of them.
    Halved,
    /// Everything on each of them.
    Smallest,
    /// As much of each as the smallest has, and so many of them for parity.
    Parity(usize),
}

impl Room {
    /// Room on drives of these sizes. Bytes.
    pub(crate) fn bytes(self, sizes: &[u64]) -> u64 {
        let smallest = sizes.iter().copied().min().unwrap_or(0);
        let of_smallest = |drives: usize| smallest.saturating_mul(drives as u64);
        match self {
            Self::Sum => sizes.iter().copied().fold(0, u64::saturating_add),
            Self::Striped => of_smallest(sizes.len()),
            Self::Halved => of_smallest(sizes.len()) / 2,
            Self::Smallest => smallest,
            Self::Parity(drives) => of_smallest(sizes.len().saturating_sub(drives)),
        }
    }
}

impl Layout {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }
}

/// As many drives as there are.
const ANY: usize = usize::MAX;

static OF_BTRFS: [Layout; 4] = [
    Layout { names: &["single"], drives: (1, ANY), words: &["-d", "single"], room: Room::Sum },
    Layout { names: &["stripe", "raid0"], drives: (2, ANY), words: &["-d", "raid0"], room: Room::Striped },
    Layout { names: &["mirror", "raid1"], drives: (2, ANY), words: &["-d", "raid1"], room: Room::Halved },
    Layout { names: &["raid10"], drives: (4, ANY), words: &["-d", "raid10"], room: Room::Halved },
];

/// Values of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// The option stands alone.
    None,
    /// One word, or a list of words, without `=`.
    Plain,
    /// A list of `KEY` or `KEY=VALUE` with these keys.
    Keys(&'static [&'static str]),
    /// The same, where the program takes one with each flag.
    Each(&'static [&'static str]),
}

/// All of them.
pub static FILESYSTEMS: [FilesystemKind; 4] = [
    FilesystemKind {
        name: "ext4",
        program: "mkfs.ext4",
        package: "e2fsprogs",
        always: &["-q"],
        usual: &[],
        is_pool: false,
        mounted: &["noinit_itable"],
        least_bytes: 16 << 20,
        own_bytes: 48 << 20,
        makes: &[
            ("-b", Values::Plain),
            ("-C", Values::Plain),
            (
                "-E",
                Values::Keys(&[
                    "lazy_itable_init",
                    "lazy_journal_init",
                    "stride",
                    "stripe_width",
                    "discard",
                    "nodiscard",
                    "packed_meta_blocks",
                ]),
            ),
            ("-g", Values::Plain),
            ("-G", Values::Plain),
            ("-i", Values::Plain),
            ("-I", Values::Plain),
            ("-J", Values::Keys(&["size", "fast_commit_size"])),
            ("-m", Values::Plain),
            ("-N", Values::Plain),
            ("-O", Values::Plain),
            ("-T", Values::Plain),
        ],
        mounts: &[
            "auto_da_alloc",
            "barrier",
            "commit",
            "data",
            "delalloc",
            "dioread_lock",
            "dioread_nolock",
            "discard",
            "init_itable",
            "inode_readahead_blks",
            "journal_async_commit",
            "journal_checksum",
            "max_batch_time",
            "min_batch_time",
            "noauto_da_alloc",
            "nobarrier",
            "nodelalloc",
            "nodiscard",
            "noinit_itable",
            "stripe",
        ],
        layouts: &[],
    },
    FilesystemKind {
        name: "xfs",
        program: "mkfs.xfs",
        package: "xfsprogs",
        always: &["-q"],
        usual: &[],
        is_pool: false,
        mounted: &[],
        least_bytes: 300 << 20,
        own_bytes: 96 << 20,
        makes: &[
            ("-b", Values::Keys(&["size"])),
            ("-d", Values::Keys(&["agcount", "agsize", "su", "sw", "sunit", "swidth", "noalign"])),
            ("-i", Values::Keys(&["size", "maxpct", "sparse", "attr", "nrext64", "projid32bit"])),
            ("-K", Values::None),
            ("-l", Values::Keys(&["size", "version", "su", "sunit", "lazy-count"])),
            ("-m", Values::Keys(&["bigtime", "crc", "finobt", "inobtcount", "reflink", "rmapbt"])),
            ("-n", Values::Keys(&["size", "version", "ftype"])),
            ("-s", Values::Keys(&["size"])),
        ],
        mounts: &[
            "allocsize",
            "discard",
            "ikeep",
            "inode32",
            "inode64",
            "largeio",
            "logbsize",
            "logbufs",
            "noalign",
            "nodiscard",
            "noikeep",
            "nolargeio",
            "sunit",
            "swalloc",
            "swidth",
            "wsync",
        ],
        layouts: &[],
    },
    FilesystemKind {
        name: "btrfs",
        program: "mkfs.btrfs",
        package: "btrfs-progs",
        always: &["-q"],
        usual: &[],
        is_pool: false,
        mounted: &[],
        least_bytes: 128 << 20,
        own_bytes: 160 << 20,
        makes: &[
            ("--csum", Values::Plain),
            ("-d", Values::Plain),
            ("-K", Values::None),
            ("-m", Values::Plain),
            ("-M", Values::None),
            ("-n", Values::Plain),
            ("-O", Values::Plain),
            ("-R", Values::Plain),
            ("-s", Values::Plain),
        ],
        mounts: &[
            "autodefrag",
            "barrier",
            "commit",
            "compress",
            "compress-force",
            "datacow",
            "datasum",
            "discard",
            "flushoncommit",
            "max_inline",
            "metadata_ratio",
            "noautodefrag",
            "nobarrier",
            "nodatacow",
            "nodatasum",
            "nodiscard",
            "noflushoncommit",
            "nospace_cache",
            "nossd",
            "notreelog",
            "space_cache",
            "ssd",
            "ssd_spread",
            "thread_pool",
            "treelog",
        ],
        layouts: &OF_BTRFS,
    },
    zfs::ROW,
];

/// Options of mount(8) that mount(2) takes as flags, for every filesystem.
pub(crate) const FLAGS: [(&str, MountFlags); 10] = [
    ("dirsync", MountFlags::DIRSYNC),
    ("lazytime", MountFlags::LAZYTIME),
    ("noatime", MountFlags::NOATIME),
    ("nodev", MountFlags::NODEV),
    ("nodiratime", MountFlags::NODIRATIME),
    ("noexec", MountFlags::NOEXEC),
    ("nosuid", MountFlags::NOSUID),
    ("relatime", MountFlags::RELATIME),
    ("strictatime", MountFlags::STRICTATIME),
    ("sync", MountFlags::SYNCHRONOUS),
];

impl FilesystemKind {
    /// The row of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FILESYSTEMS.iter().find(|kind| kind.name == name)
    }

    /// Room that it must have for so many bytes of files. Bytes.
    #[must_use]
    pub fn room_bytes(&self, files_bytes: u64) -> u64 {
        let with_own = files_bytes.saturating_add(files_bytes / 8).saturating_add(self.own_bytes);
        with_own.max(self.least_bytes)
    }
}
