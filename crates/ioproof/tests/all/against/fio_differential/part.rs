//! Parts of two runs that can be compared.

use super::pair::Pair;
use super::{figures, ios, shape};

/// One thing that is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part {
    /// The exit status.
    Status,
    /// The lines before the first job: sections, how many are started, files made.
    Header,
    /// Names, order and groups of the jobs.
    Jobs,
    /// `job options` and `global options`.
    Options,
    /// All keys of the JSON, recursively.
    Keys,
    /// Lines and fields of the terse output.
    Terse,
    /// Which lines the text has.
    Lines,
    /// Sizes in the lines of groups as they are printed, and in which unit rates are.
    Amounts,
    /// Names and sizes of files.
    Files,
    /// Names of logs, their columns and directions.
    Logs,
    /// Lines of each log.
    LogLines,
    /// I/Os and bytes of each job and direction.
    Totals,
    /// I/Os of each job over all directions; how they divide is up to chance.
    Sum,
    /// Reads of each job, where only how many writes there are is up to chance.
    Reads,
    /// I/Os of each job over all directions within so many percent: what is done in a time.
    About(u64),
    /// I/Os of each job over all directions within so many percent, where chance decides how many there are.
    Near(u64),
    /// Bytes of each job over all directions.
    Bytes,
    /// Visits to each 4 KiB, whatever the sizes of I/Os.
    Visits,
    /// Syncs of each job. fio leaves out the one after the last write.
    Syncs,
    /// Each I/O with direction, size and offset, in order.
    Order,
    /// The same in any order.
    Offsets,
    /// The share of reads, percent, within what chance allows.
    Mix(u64),
    /// The share of each size, within what chance allows.
    Sizes,
    /// I/Os of each of so many parts of the region, within what chance allows.
    Regions(u64),
    /// The share of the I/Os that goes to the busiest tenth of the blocks.
    Busiest,
    /// The share of I/Os that follow the one before, within what chance allows.
    Follows,
    /// The time that each job took.
    Runtime,
    /// I/Os per second of each job and direction within 2 %.
    Rate,
    /// The content of all files.
    Contents,
    /// Share of the files that is one and the same byte.
    Compressible,
    /// Number of blocks of 4 KiB that were seen before.
    Duplicates,
}

/// Parts that are compared of every job file.
pub const ALWAYS: [Part; 9] =
    [Part::Status, Part::Header, Part::Jobs, Part::Options, Part::Keys, Part::Terse, Part::Lines, Part::Files, Part::Logs];

impl Part {
    /// True where it says nothing on a machine that has other things to do.
    pub fn is_timed(self) -> bool {
        matches!(self, Self::Runtime | Self::Rate | Self::About(_) | Self::LogLines)
    }

    /// Differences; empty where both agree.
    pub fn differences(self, pair: &Pair) -> Vec<String> {
        match self {
            Self::Status => figures::status(pair),
            Self::Header => shape::header(pair),
            Self::Jobs => shape::jobs(pair),
            Self::Options => shape::options(pair),
            Self::Keys => shape::keys(pair),
            Self::Terse => shape::terse(pair),
            Self::Lines => shape::lines(pair),
            Self::Amounts => shape::amounts(pair),
            Self::Files => shape::files(pair),
            Self::Logs => shape::logs(pair),
            Self::LogLines => shape::log_lines(pair),
            Self::Totals => figures::totals(pair),
            Self::Sum => figures::sums(pair, 0),
            Self::Reads => figures::reads(pair),
            Self::About(percent) | Self::Near(percent) => figures::sums(pair, percent),
            Self::Bytes => figures::bytes(pair),
            Self::Visits => ios::visits(pair),
            Self::Syncs => figures::syncs(pair),
            Self::Order => ios::order(pair),
            Self::Offsets => ios::offsets(pair),
            Self::Mix(percent) => figures::mix(pair, percent),
            Self::Sizes => ios::sizes(pair),
            Self::Regions(count) => ios::regions(pair, count),
            Self::Busiest => ios::busiest(pair),
            Self::Follows => ios::follows(pair),
            Self::Runtime => figures::runtime(pair),
            Self::Rate => figures::rate(pair),
            Self::Contents => figures::contents(pair),
            Self::Compressible => figures::compressible(pair),
            Self::Duplicates => figures::duplicates(pair),
        }
    }
}
