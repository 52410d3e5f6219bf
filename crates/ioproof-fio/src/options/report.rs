//! Logs, the report, and errors that are survived.

use super::kind::{COUNT, ValueKind};
use super::row::{OptionRow, approximated, flag, honoured, ignored, no_effect, put, refused_unless_off, switch};
use super::value::OptionValue;
use crate::results::Unified;
use crate::settings::{EpochClock, ErrorKind, JobSettings, LogName, ReportSettings};

const PLAIN: &str = "logs are kept in memory, of a bounded number of I/Os, and written when the job has ended";

fn log(value: &OptionValue<'_>) -> Option<LogName> {
    Some(value.optional_text().map_or(LogName::OfJob, |name| LogName::Named(name.to_owned())))
}

fn milliseconds_ns(value: &OptionValue<'_>) -> Result<u64, String> {
    Ok(value.whole_as::<u64>()?.saturating_mul(1_000_000))
}

fn epoch_clock(value: &OptionValue<'_>) -> Result<EpochClock, String> {
    Ok(match value.whole()? {
        0 | 5 => EpochClock::RealTime,
        1 | 4 | 6 => EpochClock::Monotonic,
        7 => EpochClock::BootTime,
        other => return Err(format!("{other} is no clock of the machine; 0 (real time), 1 (monotonic) and 7 (boot time) are")),
    })
}

pub(super) const LOGS: &[OptionRow] = &[
    honoured("write_bw_log", ValueKind::OptionalText, |s, v| put(&mut s.logs.bandwidth, Ok(log(v))))
        .says("A log of bandwidth; without a name it bears the job's."),
    honoured("write_lat_log", ValueKind::OptionalText, |s, v| put(&mut s.logs.latency, Ok(log(v))))
        .says("Logs of submission, completion and total latency."),
    honoured("write_iops_log", ValueKind::OptionalText, |s, v| put(&mut s.logs.iops, Ok(log(v)))).says("A log of IOPS."),
    honoured("write_hist_log", ValueKind::OptionalText, |s, v| put(&mut s.logs.histogram, Ok(log(v))))
        .says("A log of histograms of completion latency; it needs log_hist_msec."),
    honoured("log_avg_msec", COUNT, |s, v| put(&mut s.logs.average_ns, milliseconds_ns(v)))
        .says("A line of a log is the mean over this many milliseconds; 0, by default, a line for each I/O, of the first 8,000,000 of a clone."),
    switch("log_max_value", |s| &mut s.logs.largest).says("The largest value instead of the mean; 0 by default."),
    honoured("log_hist_msec", COUNT, |s, v| put(&mut s.logs.histogram_ns, milliseconds_ns(v)))
        .says("A histogram for so many milliseconds; 0, none, by default."),
    honoured("log_hist_coarseness", ValueKind::Whole(0, 6), |s, v| put(&mut s.logs.histogram_coarseness, v.whole_as()))
        .says("How often the number of bins is halved; 0 by default."),
    switch("log_offset", |s| &mut s.logs.offsets).says("Lines bear offsets; 0 by default."),
    switch("log_prio", |s| &mut s.logs.priorities).says("Lines bear priorities; 0 by default."),
    switch("log_unix_epoch", |s| &mut s.logs.unix_epoch).says("Times count from 1970; 0, from the start of the job, by default."),
    switch("log_alternate_epoch", |s| &mut s.logs.alternate_epoch)
        .says("Times count from the epoch of a clock, 1970 unless another is named; 0 by default."),
    honoured("log_alternate_epoch_clock_id", COUNT, |s, v| put(&mut s.logs.epoch_clock, epoch_clock(v)))
        .says("That clock, as clock_gettime(2) numbers them: CLOCK_REALTIME (0, the default), CLOCK_MONOTONIC (1) or CLOCK_BOOTTIME (7); the raw and coarse ones (4 to 6) go as these."),
    switch("per_job_logs", |s| &mut s.logs.per_job).says("Names of logs bear the number of the job; 1 by default."),
    honoured("bwavgtime", COUNT, |s, v| put(&mut s.logs.samples.bandwidth_ns, milliseconds_ns(v)))
        .says("Length of a sample of bandwidth, milliseconds; 500 by default."),
    honoured("iopsavgtime", COUNT, |s, v| put(&mut s.logs.samples.ios_ns, milliseconds_ns(v)))
        .says("Length of a sample of IOPS, milliseconds; 500 by default."),
    no_effect("log_entries", ValueKind::Whole(1024, 1_048_576), "memory of logs is bounded, and addresses for it are set aside before the job starts; it is used as the job goes on")
        .says("Lines of a log that memory is set aside for; 1024 by default."),
    no_effect("log_compression", ValueKind::Whole(1024, 536_870_912), PLAIN).says("Logs are compressed in memory in pieces of so many bytes."),
    no_effect("log_compression_cpus", ValueKind::Cpus, PLAIN).says("CPUs that compress."),
    refused_unless_off("log_store_compressed", ValueKind::Bool, "logs are stored as text; compress them afterwards")
        .says("Logs are stored compressed; 0 by default."),
];

pub(super) const REPORT: &[OptionRow] = &[
    flag("group_reporting", |s| &mut s.report.by_group).says("One report for all jobs of a group."),
    honoured("unified_rw_reporting", ValueKind::Word(&["none", "mixed", "both", "0", "1", "2"]), |s, v| {
        s.report.unified = match v.text()? {
            "mixed" | "1" => Unified::Mixed,
            "both" | "2" => Unified::Both,
            _ => Unified::Separate,
        };
        Ok(())
    })
    .says("All directions as one, each, or both; `none`, each, by default."),
    switch("stats", |s| &mut s.report.shown).says("Whether the job is shown; 1 by default."),
    switch("disk_util", |s| &mut s.report.disks).says("What the kernel counted for the disks; 1 by default."),
    honoured("clat_percentiles", ValueKind::Bool, |s, v| put(&mut s.report.clat_percentiles, v.bool()))
        .says("Percentiles of completion latency; 1 by default."),
    switch("lat_percentiles", |s| &mut s.report.lat_percentiles).says("Percentiles of total latency; 0 by default."),
    switch("slat_percentiles", |s| &mut s.report.slat_percentiles).says("Percentiles of submission latency; 0 by default."),
    honoured("percentile_list", ValueKind::Numbers(20, 0.0, 100.0), |s, v| {
        s.report.percentiles = v.numbers(20)?;
        s.report.percentiles.sort_by(f64::total_cmp);
        Ok(())
    })
    .says("Which percentiles, up to twenty between colons; seventeen from 1 to 99.99 by default."),
    honoured("significant_figures", ValueKind::Whole(1, 10), |s, v| put(&mut s.report.figures, v.whole_as()))
        .says("Digits of rates and sizes in text; 4 by default."),
    honoured("gtod_reduce", ValueKind::Bool, |s, v| {
        if v.bool()? {
            let ReportSettings { no_slat, no_clat, no_lat, no_bandwidth, .. } = &mut s.report;
            [no_slat, no_clat, no_lat, no_bandwidth].into_iter().for_each(|left_out| *left_out = true);
        }
        Ok(())
    })
    .says("No latency, and no lines of single I/Os in logs of rates; 0 by default. Samples of rates are shown all the same, by fio too."),
    switch("disable_lat", |s| &mut s.report.no_lat).says("No total latency; 0 by default."),
    switch("disable_clat", |s| &mut s.report.no_clat).says("No completion latency; 0 by default."),
    switch("disable_slat", |s| &mut s.report.no_slat).says("No submission latency; 0 by default."),
    switch("disable_bw_measurement", |s| &mut s.report.no_bandwidth)
        .says("No lines of single I/Os in the log of bandwidth; 0 by default. Samples of rates are shown all the same, by fio too.")
        .or(&["disable_bw"]),
    refused_unless_off(
        "block_error_percentiles",
        ValueKind::Bool,
        "failed I/Os are counted and the first is shown with its offset; how often a block was trimmed before is not kept",
    )
    .says("A histogram of how many trims it took until a block failed; 0 by default."),
];

pub(super) const ERRORS: &[OptionRow] = &[
    approximated("continue_on_error", ValueKind::Word(&["none", "read", "write", "io", "verify", "all", "0", "1"]), set_survived)
        .differs("a job goes on after failed I/Os of either direction, and ends in error if the first was of a direction that is not named, or a write for which there was no space; data that is not what was written never ends a job early")
        .says("Which I/Os may fail without ending the job; `none` by default."),
    approximated("ignore_error", ValueKind::Form("lists for reads, writes and verifying between commas, errors between colons"), set_ignored)
        .differs("the first failed I/O alone decides at the end whether the job failed; ignored errors are counted and shown")
        .says("Errors, by name or number, that are not counted."),
    ignored("error_dump", ValueKind::Bool, "0").differs("the first error of each clone is shown").says("Every error is shown; 0 by default."),
];

fn set_survived(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    use ErrorKind::{Read, Verify, Write};
    settings.errors.survived = match value.text()? {
        "read" => vec![Read],
        "write" => vec![Write],
        "io" => vec![Read, Write],
        "verify" => vec![Verify],
        "all" | "1" => vec![Read, Write, Verify],
        _ => Vec::new(),
    };
    Ok(())
}

fn set_ignored(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let lists: Vec<&str> = value.text()?.split(',').collect();
    if lists.len() > 3 {
        return Err("at most three lists are expected: for reads, writes and verifying".into());
    }
    for (place, list) in settings.errors.ignored.iter_mut().zip(lists) {
        *place = list.split(':').filter(|word| !word.is_empty()).map(error_number).collect::<Result<_, _>>()?;
    }
    Ok(())
}

const NAMES: &[&str] = &[
    "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN", "ENOMEM", "EACCES", "EFAULT",
    "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG",
    "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE",
];

fn error_number(word: &str) -> Result<i32, String> {
    if let Some(at) = NAMES.iter().position(|name| *name == word) {
        return i32::try_from(at + 1).map_err(|_| word.to_owned());
    }
    let number = word.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("{word} is no error that is known by name; give its number"))
}
