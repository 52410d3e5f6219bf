//! A measurement as another tool printed it. A field that the output does not have is `None`, which is no zero.

use crate::number::Number;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Measured {
    pub tool: &'static str,
    pub first: u32,
    pub last: u32,
    /// Name of the job or test; empty where the tool has none.
    pub name: String,
    /// Position of the command in the document's list.
    #[serde(skip)]
    pub command: Option<usize>,
    /// Device or file; empty where nothing tells it.
    pub target: String,
    pub load: Load,
    /// Figures of each direction.
    pub sides: Vec<Side>,
    pub seconds: Option<Number>,
    pub pid: Option<u64>,
    /// Time of the end, as printed.
    pub ended: Option<String>,
    /// CPU time of each worker in percent of one CPU: user, system.
    pub cpu_percent: Option<(f64, f64)>,
    /// Shares in percent of the time at each depth, where the tool prints them.
    #[serde(skip)]
    pub depth_shares: Vec<(u32, f64)>,
    /// Further figures of the output, which words may quote.
    #[serde(skip)]
    pub quotable: Vec<Quotable>,
    /// Sums and quotients that the output itself states.
    #[serde(skip)]
    pub statements: Vec<Statement>,
    /// Options of its job as arguments, where the output repeats them.
    #[serde(skip)]
    pub options: Vec<String>,
    /// Bytes of the files of the load together, where the tool prints them.
    #[serde(skip)]
    pub files_bytes: Option<Number>,
    /// Rates of the intervals that the tool printed while it ran, in its own unit.
    #[serde(skip)]
    pub intervals: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A run that is shown and has no results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub tool: &'static str,
    pub first: u32,
    pub last: u32,
    /// The error that ended it, with its line; `None` where the output only stops.
    pub error: Option<(u32, String)>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Load {
    /// Word of the tool: `randread`.
    pub word: String,
    pub order: Option<Order>,
    pub block_bytes: Option<u64>,
    /// I/Os outstanding of each worker.
    pub depth: Option<u64>,
    /// The depth that was set, where the engine keeps another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_asked: Option<u64>,
    pub workers: Option<u64>,
    /// The tool's way of doing I/O.
    pub engine: Option<String>,
    /// True with O_DIRECT, false through the page cache.
    pub direct: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One after the other.
    Sequential,
    /// Anywhere.
    Random,
    /// The same block again and again.
    OneBlock,
}

impl Order {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
            Self::OneBlock => "of one block",
        }
    }
}

impl Load {
    /// I/Os outstanding in total.
    #[must_use]
    pub fn outstanding(&self) -> Option<u64> {
        self.depth?.checked_mul(self.workers?)
    }

    /// True where an engine of fio does one I/O at a time.
    #[must_use]
    pub fn is_synchronous(&self) -> bool {
        matches!(self.engine.as_deref(), Some("sync" | "psync" | "vsync" | "pvsync" | "pvsync2" | "mmap"))
    }

    /// Takes the depth of an engine that does one I/O at a time for 1, whatever was set.
    pub(crate) fn settle_depth(&mut self) {
        if self.is_synchronous() {
            self.depth_asked = self.depth;
            self.depth = Some(1);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Read,
    Write,
    /// Discards.
    Trim,
    /// Reads and writes together, or not told.
    #[default]
    All,
    Sync,
    /// Transactions of a database.
    Transaction,
}

impl Direction {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::All => "I/O",
            Self::Sync => "sync",
            Self::Transaction => "transaction",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Side {
    pub direction: Direction,
    /// Line of its rate.
    pub line: u32,
    pub iops: Option<Number>,
    pub bytes_per_s: Option<Number>,
    pub ios: Option<u64>,
    pub bytes: Option<Number>,
    /// Duration of this direction alone in seconds, where it is printed.
    #[serde(skip)]
    pub seconds: Option<Number>,
    /// Latency of an I/O from submission to completion.
    pub latency: Latency,
    /// Mean time of the submission alone, nanoseconds.
    pub submit_mean_ns: Option<Number>,
    /// Largest time of the submission alone, nanoseconds.
    pub submit_max_ns: Option<Number>,
}

/// Latencies in nanoseconds.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Latency {
    /// Line of the mean.
    pub line: u32,
    pub mean: Option<Number>,
    pub min: Option<Number>,
    pub max: Option<Number>,
    /// Percentiles: the share in percent, the value.
    pub percentiles: Vec<(f64, Number)>,
}

/// A printed figure that is none of the above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quotable {
    pub line: u32,
    pub kind: Kind,
    /// It, in the unit of its kind.
    pub number: Number,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Iops,
    BytesPerSecond,
    Nanoseconds,
    /// A share, in percent.
    Percent,
    Bytes,
    /// A factor: `6x`.
    Factor,
    /// A number without a unit.
    Plain,
}

/// Something that an output says of its own figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub line: u32,
    /// The arithmetic in words: `302.5 + 12.1 = 314.6`.
    pub words: String,
    pub printed: Number,
    /// The recomputed result.
    pub computed: f64,
    /// Share by which rounding of the terms may move the result.
    pub slack: f64,
}

impl Measured {
    /// A measurement that one line tells, with figures of one direction.
    pub(crate) fn row(tool: &'static str, line: u32, name: &str, load: Load, side: Side) -> Self {
        Self { tool, first: line, last: line, name: name.to_owned(), load, sides: vec![Side { line, ..side }], ..Self::default() }
    }

    #[must_use]
    pub fn side(&self, direction: Direction) -> Option<&Side> {
        self.sides.iter().find(|side| side.direction == direction)
    }

    /// Printed numbers of I/Os of all directions together.
    #[must_use]
    pub fn ios(&self) -> u64 {
        self.sides.iter().filter_map(|side| side.ios).fold(0, u64::saturating_add)
    }

    /// All printed figures of one kind, with their lines.
    pub fn figures(&self, kind: Kind) -> Vec<(u32, Number)> {
        let mut all: Vec<(u32, Number)> = Vec::new();
        for side in &self.sides {
            let latency = &side.latency;
            match kind {
                Kind::Iops => all.extend(side.iops.map(|number| (side.line, number))),
                Kind::BytesPerSecond => all.extend(side.bytes_per_s.map(|number| (side.line, number))),
                Kind::Bytes => all.extend(side.bytes.map(|number| (side.line, number))),
                Kind::Nanoseconds => {
                    all.extend([latency.mean, latency.min, latency.max].into_iter().flatten().map(|number| (latency.line, number)));
                    all.extend(latency.percentiles.iter().map(|(_, number)| (latency.line, *number)));
                    all.extend([side.submit_mean_ns, side.submit_max_ns].into_iter().flatten().map(|number| (latency.line, number)));
                }
                _ => {}
            }
        }
        all.extend(self.quotable.iter().filter(|figure| figure.kind == kind).map(|figure| (figure.line, figure.number)));
        all
    }

    /// True where directions took different times, as a check of what was written does: they do not add up.
    #[must_use]
    pub fn is_in_phases(&self) -> bool {
        const ALIKE: f64 = 0.95;
        let seconds = self.sides.iter().filter_map(|side| Some(side.seconds?.value));
        let (least, most) = seconds.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        let only_writes = matches!(self.load.word.as_str(), "write" | "randwrite");
        only_writes && self.side(Direction::Read).is_some() || least < ALIKE * most
    }

    /// Reads and writes together, or the higher of two phases: I/Os per second, bytes per second.
    #[must_use]
    pub fn total(&self) -> (Option<f64>, Option<f64>) {
        let io = || self.sides.iter().filter(|side| matches!(side.direction, Direction::Read | Direction::Write | Direction::All));
        let sum = |of: fn(&Side) -> Option<Number>| {
            let all: Vec<f64> = io().filter_map(|side| of(side).map(|number| number.value)).collect();
            let together = if self.is_in_phases() { all.iter().copied().fold(0.0, f64::max) } else { all.iter().sum() };
            (!all.is_empty()).then_some(together)
        };
        (sum(|side| side.iops), sum(|side| side.bytes_per_s))
    }

    /// The load and its place in a few words: `randread, 4k, 32 x 1`.
    #[must_use]
    pub fn words(&self) -> String {
        let load = &self.load;
        let word = Some(load.word.clone()).filter(|word| !word.is_empty());
        let block = load.block_bytes.map(ioproof_core::units::block_size);
        let depth = load.workers.zip(load.depth).map(|(workers, depth)| format!("{workers} x depth {depth}"));
        [word, block, depth].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
