//! Logs.

use super::kind::{COUNT, Kind};
use super::row::{Row, honoured, no_effect, put, refused_unless_off};
use super::value::Value;
use crate::settings::{EpochClock, Log};

const PLAIN: &str = "logs are kept in memory, of a bounded number of I/Os, and written when the job has ended";

/// Where a log goes: a name, or none where the job's is meant.
fn log(value: &Value<'_>) -> Option<Log> {
    Some(value.optional_text().map_or(Log::OfJob, |name| Log::Named(name.to_owned())))
}

/// A time in milliseconds as nanoseconds.
fn milliseconds_ns(value: &Value<'_>) -> Result<u64, String> {
    Ok(value.whole_as::<u64>()?.saturating_mul(1_000_000))
}

fn epoch_clock(value: &Value<'_>) -> Result<EpochClock, String> {
    Ok(match value.whole()? {
        0 | 5 => EpochClock::RealTime,
        1 | 4 | 6 => EpochClock::Monotonic,
        7 => EpochClock::BootTime,
        other => return Err(format!("{other} is no clock of the machine; 0 (real time), 1 (monotonic) and 7 (boot time) are")),
    })
}

pub(super) const ROWS: &[Row] = &[
    honoured("write_bw_log", Kind::OptionalText, "A log of bandwidth; without a name it bears the job's.", |s, v| {
        put(&mut s.logs.bandwidth, Ok(log(v)))
    }),
    honoured("write_lat_log", Kind::OptionalText, "Logs of submission, completion and total latency.", |s, v| {
        put(&mut s.logs.latency, Ok(log(v)))
    }),
    honoured("write_iops_log", Kind::OptionalText, "A log of IOPS.", |s, v| put(&mut s.logs.iops, Ok(log(v)))),
    honoured("write_hist_log", Kind::OptionalText, "A log of histograms of completion latency; it needs log_hist_msec.", |s, v| {
        put(&mut s.logs.histogram, Ok(log(v)))
    }),
    honoured(
        "log_avg_msec",
        COUNT,
        "A line of a log is the mean over this many milliseconds; 0, by default, a line for each I/O, of the first 8,000,000 of a clone.",
        |s, v| put(&mut s.logs.average_ns, milliseconds_ns(v)),
    ),
    honoured("log_max_value", Kind::Bool, "The largest value instead of the mean; 0 by default.", |s, v| {
        put(&mut s.logs.largest, v.bool())
    }),
    honoured("log_hist_msec", COUNT, "A histogram for so many milliseconds; 0, none, by default.", |s, v| {
        put(&mut s.logs.histogram_ns, milliseconds_ns(v))
    }),
    honoured("log_hist_coarseness", Kind::Whole(0, 6), "How often the number of bins is halved; 0 by default.", |s, v| {
        put(&mut s.logs.histogram_coarseness, v.whole_as())
    }),
    honoured("log_offset", Kind::Bool, "Lines bear offsets; 0 by default.", |s, v| put(&mut s.logs.offsets, v.bool())),
    honoured("log_prio", Kind::Bool, "Lines bear priorities; 0 by default.", |s, v| put(&mut s.logs.priorities, v.bool())),
    honoured("log_unix_epoch", Kind::Bool, "Times count from 1970; 0, from the start of the job, by default.", |s, v| {
        put(&mut s.logs.unix_epoch, v.bool())
    }),
    honoured(
        "log_alternate_epoch",
        Kind::Bool,
        "Times count from the epoch of a clock, 1970 unless another is named; 0 by default.",
        |s, v| put(&mut s.logs.alternate_epoch, v.bool()),
    ),
    honoured(
        "log_alternate_epoch_clock_id",
        COUNT,
        "That clock, as clock_gettime(2) numbers them: CLOCK_REALTIME (0, the default), CLOCK_MONOTONIC (1) or CLOCK_BOOTTIME (7); the raw and coarse ones (4 to 6) go as these.",
        |s, v| put(&mut s.logs.epoch_clock, epoch_clock(v)),
    ),
    honoured("per_job_logs", Kind::Bool, "Names of logs bear the number of the job; 1 by default.", |s, v| {
        put(&mut s.logs.per_job, v.bool())
    }),
    honoured("bwavgtime", COUNT, "Length of a sample of bandwidth, milliseconds; 500 by default.", |s, v| {
        put(&mut s.logs.samples.bandwidth_ns, milliseconds_ns(v))
    }),
    honoured("iopsavgtime", COUNT, "Length of a sample of IOPS, milliseconds; 500 by default.", |s, v| {
        put(&mut s.logs.samples.ios_ns, milliseconds_ns(v))
    }),
    no_effect(
        "log_entries",
        Kind::Whole(1024, 1_048_576),
        "memory of logs is bounded, and addresses for it are set aside before the job starts; it is used as the job goes on",
        "Lines of a log that memory is set aside for; 1024 by default.",
    ),
    no_effect("log_compression", Kind::Whole(1024, 536_870_912), PLAIN, "Logs are compressed in memory in pieces of so many bytes."),
    no_effect("log_compression_cpus", Kind::Cpus, PLAIN, "CPUs that compress."),
    refused_unless_off(
        "log_store_compressed",
        Kind::Bool,
        "logs are stored as text; compress them afterwards",
        "Logs are stored compressed; 0 by default.",
    ),
];
