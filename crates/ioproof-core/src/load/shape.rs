//! The finer conditions of a workload: which blocks are preferred, what sizes are mixed, at what pace I/O is asked for, and what is written.
//!
//! All of it is left at its default by the workloads that datasheets speak of. Shares and parameters are whole numbers, so that two
//! workloads are equal exactly when their conditions are.

mod order;

pub use order::{Order, VisitMap, WrittenZones, Zone};

use crate::units::block_size;
use serde::{Deserialize, Serialize};

/// A block size and how often it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeShare {
    /// Size of an I/O. Bytes.
    pub bytes: u32,
    /// Share of the I/Os of its direction. Percent; the shares of a list add up to 100.
    pub percent: u8,
}

/// Sizes between two limits, each multiple of the smaller one alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeRange {
    /// The smallest, and the step. Bytes.
    pub least_bytes: u32,
    /// None is larger. Bytes.
    pub most_bytes: u32,
}

/// When I/O is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Closed loop: as soon as the queue depth allows.
    #[default]
    Closed,
    /// Open loop: at even distances, whether or not earlier I/O has come back.
    Fixed {
        /// I/Os per second over all workers.
        ios_per_s: u64,
    },
    /// Open loop: at random distances (a Poisson process).
    Poisson {
        /// I/Os per second over all workers, on average.
        ios_per_s: u64,
    },
}

impl Pace {
    /// I/Os per second over all workers, where the loop is open.
    pub fn ios_per_s(self) -> Option<u64> {
        match self {
            Self::Closed => None,
            Self::Fixed { ios_per_s } | Self::Poisson { ios_per_s } => Some(ios_per_s),
        }
    }
}

/// The most that is asked for, over all workers. `None`: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Limits {
    /// Reads per second.
    pub read_ios_per_s: Option<u64>,
    /// Writes and trims per second.
    pub write_ios_per_s: Option<u64>,
    /// Bytes read per second.
    pub read_bytes_per_s: Option<u64>,
    /// Bytes written or trimmed per second.
    pub write_bytes_per_s: Option<u64>,
    /// True where all that was missed is caught up with as fast as the queue depth allows; else no more than 10 ms of it.
    #[serde(rename = "made_up", skip_serializing_if = "is_default")]
    pub catches_up: bool,
}

/// A pause between I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Think {
    /// Length of the pause. Nanoseconds.
    pub ns: u64,
    /// I/Os of a worker between two pauses; 0: they are not counted.
    pub every: u32,
    /// The most between the end of a pause and the next one, nanoseconds; 0: it is not timed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub every_ns: u64,
}

impl Think {
    fn describe(self) -> String {
        let ios = (self.every > 0).then(|| format!("after every {} I/Os", self.every));
        let time = (self.every_ns > 0).then(|| format!("after {} us", decimal(self.every_ns as f64 / 1e3)));
        let when: Vec<String> = ios.into_iter().chain(time).collect();
        format!("pauses of {} us {}", decimal(self.ns as f64 / 1e3), when.join(" or "))
    }
}

/// State of the blocks that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// They were written before.
    #[default]
    Overwrite,
    /// There are none: the file begins empty and each write makes it longer.
    Append,
    /// Space is set aside for them, and each write makes the file longer (fallocate(2) with `FALLOC_FL_KEEP_SIZE`).
    AppendReserved,
    /// Space is set aside for them and the file has its length; none was ever written (fallocate(2)).
    Reserved,
}

impl Growth {
    /// In words; none for blocks that are there.
    pub fn describe(self) -> Option<&'static str> {
        match self {
            Self::Overwrite => None,
            Self::Append => Some("appended"),
            Self::AppendReserved => Some("appended in reserved space"),
            Self::Reserved => Some("into reserved space"),
        }
    }
}

/// Content of writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Incompressible bytes; every 4 KiB of every write bears ioproof's mark and a number of its own.
    #[default]
    Random,
    /// Incompressible bytes that are made anew for every write, with mark and number.
    Fresh,
    /// Zeros, which many drives do not store.
    Zero,
    /// These bytes, over and over from the start of each block, without a mark.
    Pattern(Vec<u8>),
    /// The same with the block's own offset in it, eight bytes, little end first.
    PatternOfOffsets {
        /// The bytes.
        bytes: Vec<u8>,
        /// Where in them offsets go.
        places: Vec<usize>,
    },
}

/// Pairs of NVMe commands for writes and reads (NVM Command Set Specification 1.0, 3.2). Only passthrough has a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DataCommand {
    /// Read and Write.
    #[default]
    Transfer,
    /// Write Zeroes in the place of Write: no data goes to the drive.
    WriteZeroes,
    /// Verify in the place of Write: the drive reads its blocks. No data moves, and nothing changes.
    Verify,
    /// Compare in the place of a checked read: the drive gets the expected data, and compares.
    Compare,
}

impl DataCommand {
    /// True where a write brings bytes to the drive.
    pub fn moves_writes(self) -> bool {
        matches!(self, Self::Transfer | Self::Compare)
    }

    fn describe(self) -> Option<String> {
        let name = match self {
            Self::Transfer => return None,
            Self::WriteZeroes => "Write Zeroes",
            Self::Verify => "Verify",
            Self::Compare => "Compare",
        };
        Some(format!("by {name} commands"))
    }
}

/// Content of writes, and the marks by which it is known again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Data {
    /// The bytes.
    pub fill: Fill,
    /// Share of every 4 KiB that a compressor can remove. Percent, 0 to 99; only of random and fresh data.
    pub compressible_percent: u8,
    /// Share of the written 4 KiB blocks that equal another one. Percent, 0 to 99; only of random and fresh data.
    pub duplicate_percent: u8,
    /// True where reads are compared with what was written. Random data bear a header in every 512 bytes, with seed, offset, sequence number and checksum, by which
    /// a reader knows them again; a pattern is known by itself.
    pub checked: bool,
    /// The first difference ends the job.
    #[serde(skip_serializing_if = "is_default")]
    pub ends_at_difference: bool,
    /// NVMe commands that read and write it.
    #[serde(skip_serializing_if = "is_default")]
    pub command: DataCommand,
}

impl Fill {
    /// A pattern and where in it offsets go, if it is one.
    #[inline]
    pub fn pattern(&self) -> Option<(&[u8], &[usize])> {
        match self {
            Self::Pattern(bytes) => Some((bytes, &[])),
            Self::PatternOfOffsets { bytes, places } => Some((bytes, places)),
            _ => None,
        }
    }
}

/// The finer conditions of a workload; the default is a plain closed loop over the span.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Shape {
    /// Preference among blocks.
    #[serde(skip_serializing_if = "is_default")]
    pub order: Order,
    /// Of a mix: reads and writes each go through the span by themselves, instead of one after the other.
    #[serde(rename = "apart", skip_serializing_if = "is_default")]
    pub separate_streams: bool,
    /// Share of all I/Os that trim (discard), beside the reads; the rest writes. Percent.
    #[serde(skip_serializing_if = "is_default")]
    pub trim_percent: u8,
    /// Each block is trimmed and then written; half of the I/Os trim then.
    #[serde(skip_serializing_if = "is_default")]
    pub trims_first: bool,
    /// Sizes of reads; empty: the workload's block size.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_sizes: Vec<SizeShare>,
    /// Sizes of writes and trims; empty: the workload's block size.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_sizes: Vec<SizeShare>,
    /// Sizes of reads between two limits, instead of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_range: Option<SizeRange>,
    /// Sizes of writes and trims between two limits, instead of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_range: Option<SizeRange>,
    /// When I/O is asked for.
    #[serde(skip_serializing_if = "is_default")]
    pub pace: Pace,
    /// The most that is asked for.
    #[serde(skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// Pauses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
    /// Content of writes.
    #[serde(skip_serializing_if = "is_default")]
    pub data: Data,
    /// Through the page cache, where the load itself asks for that (without `O_DIRECT`).
    #[serde(skip_serializing_if = "is_default")]
    pub buffered: bool,
    /// State of the blocks that are written.
    #[serde(skip_serializing_if = "is_default")]
    pub growth: Growth,
    /// Files beyond the first, of the same size each, over which I/O goes at random.
    #[serde(skip_serializing_if = "is_default")]
    pub more_files: u32,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Shape {
    pub const PLAIN: Self = Self {
        order: Order::Plain,
        separate_streams: false,
        trim_percent: 0,
        trims_first: false,
        read_sizes: Vec::new(),
        write_sizes: Vec::new(),
        read_range: None,
        write_range: None,
        pace: Pace::Closed,
        limits: Limits { read_ios_per_s: None, write_ios_per_s: None, read_bytes_per_s: None, write_bytes_per_s: None, catches_up: false },
        think: None,
        data: Data {
            fill: Fill::Random,
            compressible_percent: 0,
            duplicate_percent: 0,
            checked: false,
            ends_at_difference: false,
            command: DataCommand::Transfer,
        },
        buffered: false,
        growth: Growth::Overwrite,
        more_files: 0,
    };

    #[inline]
    pub fn is_plain(&self) -> bool {
        *self == Self::PLAIN
    }

    /// True where it grows files or uses several, which only a target can have that is ours to make files in.
    pub fn needs_own_files(&self) -> bool {
        self.more_files > 0 || self.growth != Growth::Overwrite
    }

    /// True where it writes to a file whose space was set aside before.
    pub fn needs_reserved_space(&self) -> bool {
        matches!(self.growth, Growth::AppendReserved | Growth::Reserved)
    }

    /// True where I/O is asked for less often than the queue depth allows, so that neither rate nor queue depth is limited by the drive.
    #[inline]
    pub fn is_held_back(&self) -> bool {
        self.pace != Pace::Closed || self.order == Order::Recorded || self.limits != Limits::default() || self.think.is_some()
    }

    /// Words for each special detail with its figures: `zipf 1.2`, `1000 IOPS at even distances`.
    pub fn describe(&self) -> Vec<String> {
        let parts = [
            self.order.describe(),
            sizes_words("reads", &self.read_sizes),
            sizes_words("writes", &self.write_sizes),
            range_words("reads", self.read_range),
            range_words("writes", self.write_range),
        ];
        let mut words: Vec<String> = parts.into_iter().chain([pace_words(self.pace)]).flatten().collect();
        words.extend(self.separate_streams.then(|| "reads and writes apart".to_owned()));
        words.extend(self.trims_first.then(|| "each block trimmed, then written".to_owned()));
        words.extend(limits_words(&self.limits));
        words.extend(self.think.map(Think::describe));
        words.extend(data_words(&self.data));
        words.extend(self.growth.describe().map(str::to_owned));
        words.extend((self.more_files > 0).then(|| format!("{} files", self.more_files.saturating_add(1))));
        words.extend(self.buffered.then(|| "buffered".to_owned()));
        words
    }
}

fn sizes_words(of: &str, sizes: &[SizeShare]) -> Option<String> {
    let parts: Vec<_> = sizes.iter().map(|s| format!("{} {} %", block_size(s.bytes.into()), s.percent)).collect();
    (!parts.is_empty()).then(|| format!("{of} of {}", parts.join(", ")))
}

fn range_words(of: &str, range: Option<SizeRange>) -> Option<String> {
    range.map(|r| format!("{of} of {} to {}", block_size(r.least_bytes.into()), block_size(r.most_bytes.into())))
}

fn pace_words(pace: Pace) -> Option<String> {
    match pace {
        Pace::Closed => None,
        Pace::Fixed { ios_per_s } => Some(format!("{ios_per_s} IOPS at even distances")),
        Pace::Poisson { ios_per_s } => Some(format!("{ios_per_s} IOPS at random distances")),
    }
}

fn limits_words(limits: &Limits) -> impl Iterator<Item = String> {
    let parts = [
        limits.read_ios_per_s.map(|n| format!("at most {n} reads/s")),
        limits.write_ios_per_s.map(|n| format!("at most {n} writes/s")),
        limits.read_bytes_per_s.map(|n| format!("reads at most {} MB/s", decimal(n as f64 / 1e6))),
        limits.write_bytes_per_s.map(|n| format!("writes at most {} MB/s", decimal(n as f64 / 1e6))),
        limits.catches_up.then(|| "what is missed is made up for".to_owned()),
    ];
    parts.into_iter().flatten()
}

fn data_words(data: &Data) -> impl Iterator<Item = String> {
    let fill = match &data.fill {
        Fill::Random => None,
        Fill::Fresh => Some("fresh data".to_owned()),
        Fill::Zero => Some("zeros".to_owned()),
        Fill::Pattern(bytes) => Some(format!("a pattern of {} bytes", bytes.len())),
        Fill::PatternOfOffsets { bytes, .. } => Some(format!("a pattern of {} bytes with offsets", bytes.len())),
    };
    let share = |percent: u8, word: &str| (percent > 0).then(|| format!("{percent} % {word}"));
    let parts = [
        fill,
        share(data.compressible_percent, "compressible"),
        share(data.duplicate_percent, "duplicate"),
        data.checked.then(|| "checked".to_owned()),
        data.ends_at_difference.then(|| "ends at the first difference".to_owned()),
        data.command.describe(),
    ];
    parts.into_iter().flatten()
}

/// A number with as many digits as it has.
fn decimal(value: f64) -> String {
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_plain_and_says_nothing() {
        assert_eq!(Shape::default(), Shape::PLAIN);
        assert!(Shape::PLAIN.is_plain() && Shape::PLAIN.describe().is_empty());
        assert_eq!(serde_json::to_string(&Shape::PLAIN).unwrap(), "{}");
    }

    #[test]
    fn every_condition_is_said() {
        let shape = Shape {
            order: Order::Zipf { theta_milli: 1200, center_ppm: None },
            read_sizes: vec![SizeShare { bytes: 4096, percent: 60 }, SizeShare { bytes: 16384, percent: 40 }],
            pace: Pace::Fixed { ios_per_s: 1000 },
            limits: Limits { write_bytes_per_s: Some(1_500_000), ..Limits::default() },
            think: Some(Think { ns: 1500, every: 4, every_ns: 0 }),
            data: Data { fill: Fill::Zero, checked: true, command: DataCommand::Compare, ..Data::default() },
            ..Shape::PLAIN
        };
        let expected = "zipf 1.2; reads of 4 KiB 60 %, 16 KiB 40 %; 1000 IOPS at even distances; writes at most 1.5 MB/s; \
                        pauses of 1.5 us after every 4 I/Os; zeros; checked; by Compare commands";
        assert_eq!(shape.describe().join("; "), expected);
        let timed = |every, every_ns| Think { ns: 500, every, every_ns }.describe();
        assert_eq!(timed(0, 2000), "pauses of 0.5 us after 2 us");
        assert_eq!(timed(8, 2000), "pauses of 0.5 us after every 8 I/Os or after 2 us");
        let back: Shape = serde_json::from_str(&serde_json::to_string(&shape).unwrap()).unwrap();
        assert_eq!(back, shape);
    }

    #[test]
    fn stored_names_stay_as_they_are() {
        let limits = Limits { catches_up: true, ..Limits::default() };
        let shape = Shape { separate_streams: true, limits, ..Shape::PLAIN };
        let stored = serde_json::to_value(&shape).unwrap();
        assert_eq!((stored["apart"].as_bool(), stored["limits"]["made_up"].as_bool()), (Some(true), Some(true)));
        assert_eq!(serde_json::from_value::<Shape>(stored).unwrap(), shape);
    }

    #[test]
    fn what_older_records_do_not_have_is_absent() {
        let limits = r#"{"read_ios_per_s":7,"write_ios_per_s":null,"read_bytes_per_s":null,"write_bytes_per_s":null}"#;
        let expected = Limits { read_ios_per_s: Some(7), ..Limits::default() };
        assert_eq!(
            (serde_json::from_str::<Limits>(limits).unwrap(), serde_json::to_string(&expected).unwrap().as_str()),
            (expected, limits)
        );
    }
}
