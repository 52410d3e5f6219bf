//! A workload: the conditions under which a number is measured, in the field's standard terms.
//!
//! It says nothing of where or for how long; `job` adds that. Two workloads with equal conditions are one.

use crate::metric::Metric;
use crate::shape::{Shape, SizeRange, SizeShare};
use crate::units::block_size;
use serde::{Deserialize, Serialize};

/// Parts of several files are multiples of this. Bytes.
const ALIGNED_BYTES: u64 = 4096;

/// In which order blocks are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Ascending; each worker walks its own part of the span.
    Sequential,
    /// Every block of the span once per pass, in random order.
    Random,
}

/// Means by which a write is made durable inside the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Nothing: a write ends when the device has acknowledged it.
    #[default]
    None,
    /// `fdatasync(2)` after every write.
    FdatasyncEach,
    /// `fsync(2)` after every write.
    FsyncEach,
    /// `fdatasync(2)` after every so many writes of a worker, as one more I/O of its queue.
    FdatasyncEvery(u32),
    /// `fsync(2)` after every so many writes of a worker, as one more I/O of its queue.
    FsyncEvery(u32),
    /// `fsync(2)` of every file of the job, after every so many I/Os of all workers together, reads among them, where anything was written: what
    /// sysbench's `--file-fsync-freq` does.
    FsyncAllEvery(u32),
    /// `sync_file_range(2)` over all that was written since the last one, after every so many writes of a worker. It flushes no write cache.
    SyncFileRangeEvery(u32),
    /// Writes with `RWF_DSYNC`, as `O_DSYNC` does; the block layer makes FUA of it where the drive has it, else a flush after each write. On a raw drive a flush comes
    /// behind it in either case (`blkdev_write_iter`, block/fops.c).
    Dsync,
    /// Writes with `RWF_SYNC`, as `O_SYNC` does.
    Sync,
    /// NVMe's Write with Force Unit Access, past the block layer: no flush follows.
    Fua,
}

impl Durability {
    /// Words for people on what is done beside writing; empty for nothing.
    pub fn describe(self) -> String {
        match self {
            Self::None => String::new(),
            Self::FdatasyncEach => "fdatasync".into(),
            Self::FsyncEach => "fsync".into(),
            Self::FdatasyncEvery(n) => format!("fdatasync every {n}"),
            Self::FsyncEvery(n) => format!("fsync every {n}"),
            Self::FsyncAllEvery(n) => format!("fsync of all files every {n}"),
            Self::SyncFileRangeEvery(n) => format!("sync_file_range every {n}"),
            Self::Dsync => "O_DSYNC".into(),
            Self::Sync => "O_SYNC".into(),
            Self::Fua => "FUA".into(),
        }
    }

    /// Writes, or I/Os, after which one sync comes as an I/O of its own; none where each write is made durable by itself, or nothing is.
    pub fn every(self) -> Option<u32> {
        match self {
            Self::FdatasyncEvery(n) | Self::FsyncEvery(n) | Self::FsyncAllEvery(n) | Self::SyncFileRangeEvery(n) => Some(n),
            Self::None | Self::FdatasyncEach | Self::FsyncEach | Self::Dsync | Self::Sync | Self::Fua => None,
        }
    }

    /// True where a sync follows each write in the write's own place of the queue, so that both together are one durable write.
    pub fn follows_each_write(self) -> bool {
        matches!(self, Self::FdatasyncEach | Self::FsyncEach)
    }

    /// True where each write is made durable by itself, by a sync behind it or as it is written: writes and commits are the same then.
    pub fn is_of_each_write(self) -> bool {
        self.follows_each_write() || matches!(self, Self::Dsync | Self::Sync | Self::Fua)
    }
}

/// The conditions of a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Workload {
    /// In which order blocks are visited.
    pub pattern: Pattern,
    /// Share of reads, 0 to 100; 100 reads only, 0 writes only.
    pub read_percent: u8,
    /// Size of one I/O in bytes.
    pub block_bytes: u32,
    /// Threads that submit I/O.
    pub workers: u32,
    /// Queue depth per worker; in total it is `workers * depth`.
    pub depth: u32,
    /// Means by which each write is made durable.
    #[serde(default)]
    pub durability: Durability,
    /// Name of the backend that serves it, where several are measured beside each other; none: that of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Details beyond these.
    #[serde(default, skip_serializing_if = "Shape::is_plain")]
    pub shape: Shape,
}

impl Workload {
    /// A workload without anything special.
    pub const fn plain(pattern: Pattern, read_percent: u8, block_bytes: u32, workers: u32, depth: u32) -> Self {
        Self { pattern, read_percent, block_bytes, workers, depth, durability: Durability::None, backend: None, shape: Shape::PLAIN }
    }

    /// Size of the largest I/O. Bytes.
    #[inline]
    pub fn largest_block_bytes(&self) -> u32 {
        self.sizes().max().unwrap_or(self.block_bytes)
    }

    /// Size of the smallest I/O. Bytes.
    #[inline]
    pub fn smallest_block_bytes(&self) -> u32 {
        self.sizes().min().unwrap_or(self.block_bytes)
    }

    /// The part of a span of this length that each of its files has: whole blocks, aligned for direct I/O anywhere. Bytes.
    pub fn file_bytes(&self, span_bytes: u64) -> u64 {
        match self.files() {
            1 => span_bytes,
            files => span_bytes / files / self.file_unit_bytes() * self.file_unit_bytes(),
        }
    }

    /// The least span that has room for it: in each of its files, the largest block once for every worker. Bytes.
    pub fn least_span_bytes(&self) -> u64 {
        let in_each = u64::from(self.largest_block_bytes()).saturating_mul(self.workers.into());
        match self.files() {
            1 => in_each,
            files => in_each.checked_next_multiple_of(self.file_unit_bytes()).and_then(|each| each.checked_mul(files)).unwrap_or(u64::MAX),
        }
    }

    fn files(&self) -> u64 {
        u64::from(self.shape.more_files) + 1
    }

    /// Parts of files are multiples of this. Bytes.
    fn file_unit_bytes(&self) -> u64 {
        u64::from(self.largest_block_bytes()).max(ALIGNED_BYTES)
    }

    /// Every size that occurs.
    #[inline]
    pub(crate) fn sizes(&self) -> impl Iterator<Item = u32> {
        let Shape { read_sizes, write_sizes, read_range, write_range, .. } = &self.shape;
        let plain = |sizes: &[SizeShare], range: &Option<SizeRange>| sizes.is_empty() && range.is_none();
        let nominal = (self.read_percent > 0 && plain(read_sizes, read_range) || self.writes() && plain(write_sizes, write_range))
            .then_some(self.block_bytes);
        let limits = |range: &Option<SizeRange>| range.map(|r| [r.least_bytes, r.most_bytes]).into_iter().flatten();
        let reads = read_sizes.iter().map(|s| s.bytes).chain(limits(read_range)).filter(|_| self.read_percent > 0);
        let writes = write_sizes.iter().map(|s| s.bytes).chain(limits(write_range)).filter(|_| self.writes());
        nominal.into_iter().chain(reads.chain(writes))
    }

    /// False where its writes are commands past the block layer, which the kernel's counters of a drive do not have (`iostats_passthrough` is off,
    /// Documentation/ABI/stable/sysfs-block).
    pub fn is_counted_by_kernel(&self) -> bool {
        self.durability != Durability::Fua
    }

    pub fn trims(&self) -> bool {
        self.shape.trim_percent > 0
    }

    /// Share of the I/Os that write data, which a trim does not. Percent.
    pub fn write_percent(&self) -> u8 {
        100u8.saturating_sub(self.read_percent).saturating_sub(self.shape.trim_percent)
    }

    /// I/Os kept outstanding over all workers.
    #[inline]
    pub fn outstanding(&self) -> u32 {
        self.workers.saturating_mul(self.depth)
    }

    /// True where the workload changes the content of the target.
    pub fn writes(&self) -> bool {
        self.read_percent < 100
    }

    /// True where one I/O at a time is outstanding, so that its latency is the drive's unloaded latency.
    pub fn is_unloaded(&self) -> bool {
        self.outstanding() == 1
    }

    /// Metric that the workload is about: bytes per second for sequential I/O, latency where one I/O is outstanding, else IOPS.
    pub fn main_metric(&self) -> Metric {
        match (self.is_unloaded(), self.pattern) {
            (true, _) => Metric::Latency,
            (false, Pattern::Sequential) => Metric::Throughput,
            (false, Pattern::Random) => Metric::Iops,
        }
    }

    /// The metric of its rate: bytes where it is about bytes, else I/Os, also of one at a time.
    pub fn rate_metric(&self) -> Metric {
        if self.main_metric() == Metric::Throughput { Metric::Throughput } else { Metric::Iops }
    }

    /// `read`, `write`, `write + fdatasync` or `70/30 mix`.
    pub fn direction(&self) -> String {
        let sync = match self.durability {
            Durability::None => String::new(),
            other => format!(" + {}", other.describe()),
        };
        match (self.read_percent, self.shape.trim_percent) {
            (100, _) => "read".into(),
            (0, 0) => format!("write{sync}"),
            (0, 100) => "trim".into(),
            _ if self.shape.trims_first => format!("trim and write{sync}"),
            (r, 0) => format!("{r}/{} mix{sync}", 100u8.saturating_sub(r)),
            (r, t) => format!("{r}/{}/{t} read/write/trim mix{sync}", 100u8.saturating_sub(r).saturating_sub(t)),
        }
    }

    /// A name for people: `random read 4 KiB`, `random read 4 KiB by psync`.
    pub fn title(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "sequential",
            Pattern::Random => "random",
        };
        let plain = format!("{pattern} {} {}{}", self.direction(), block_size(self.block_bytes.into()), self.by_backend());
        if self.shape.is_plain() || self.shape.describe().is_empty() {
            plain
        } else {
            format!("{plain} ({})", self.shape.describe().join(", "))
        }
    }

    /// Name of the backend for people, where the run has several. A stored record may claim any.
    pub fn backend_name(&self) -> Option<String> {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        self.backend.as_ref().map(|name| name.chars().filter(is_plain).collect())
    }

    /// ` by psync`, behind a title; empty where the run has one backend.
    pub fn by_backend(&self) -> String {
        self.backend_name().map_or_else(String::new, |backend| format!(" by {backend}"))
    }

    /// Queue depth for people, always per worker and in total: `4 x 32 = 128`.
    pub fn concurrency(&self) -> String {
        match self.workers {
            1 => format!("{}", self.depth),
            w => format!("{w} x {} = {}", self.depth, self.outstanding()),
        }
    }

    /// A stable name for files and JSON: `random-read-4k-4x32`.
    pub fn id(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "seq",
            Pattern::Random => "rand",
        };
        let direction = match (self.read_percent, self.shape.trim_percent) {
            (100, _) => "read".to_owned(),
            (0, 0) => "write".to_owned(),
            (0, 100) => "trim".to_owned(),
            _ if self.shape.trims_first => "trimwrite".to_owned(),
            (r, 0) => format!("mix{r}"),
            (r, t) => format!("mix{r}-trim{t}"),
        };
        let sync = slug(&[self.durability.describe()]);
        let size = block_size(self.block_bytes.into()).replace(" KiB", "k").replace(" MiB", "m").replace(" B", "b");
        let backend = self.backend_name().map_or_else(String::new, |backend| format!("-{backend}"));
        let special = slug(&self.shape.describe());
        format!("{pattern}-{direction}{sync}-{size}-{}x{}{backend}{special}", self.workers, self.depth)
    }
}

/// Words in lower case with hyphens before each: `-zipf-1.2`.
fn slug(words: &[String]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { ' ' };
    let text: String = words.join(" ").replace("O_DSYNC", "dsync").replace("O_SYNC", "sync").chars().map(plain).collect();
    text.split_whitespace().map(|word| format!("-{word}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let w = Workload::plain(Pattern::Random, 70, 4096, 4, 32);
        assert_eq!(w.title(), "random 70/30 mix 4 KiB");
        assert_eq!(w.id(), "rand-mix70-4k-4x32");
        assert_eq!(w.concurrency(), "4 x 32 = 128");
        assert!(w.writes() && !w.is_unloaded());
        let by = Workload { backend: Some("io_uring".into()), ..w.clone() };
        assert_eq!((by.title().as_str(), by.id().as_str()), ("random 70/30 mix 4 KiB by io_uring", "rand-mix70-4k-4x32-io_uring"));
        assert_eq!(Workload { backend: Some("<b>\u{1b}[2J".into()), ..w.clone() }.by_backend(), " by b2J");
        assert!(by != w && !serde_json::to_string(&w).unwrap().contains("backend"), "a record of one backend stays as it was");
    }

    #[test]
    fn the_least_span_has_room_in_every_file() {
        let with = |more_files: u32, block_bytes: u32, workers: u32| {
            let plain = Workload::plain(Pattern::Random, 60, block_bytes, workers, 1);
            Workload { shape: Shape { more_files, ..Shape::default() }, ..plain }
        };
        assert_eq!(with(127, 16 << 10, 16).least_span_bytes(), 32 << 20);
        assert_eq!(with(0, 512, 3).least_span_bytes(), 1536);
        for workload in [with(127, 16 << 10, 16), with(2, 512, 3), with(6, 12 << 10, 5), with(0, 512, 3)] {
            let (least, in_each) = (workload.least_span_bytes(), u64::from(workload.block_bytes * workload.workers));
            assert!(workload.file_bytes(least) >= in_each && workload.file_bytes(least - 1) < in_each, "{workload:?}");
        }
        assert_eq!(with(u32::MAX, u32::MAX, u32::MAX).least_span_bytes(), u64::MAX);
    }
}
