//! `write_bw_log`, `write_iops_log`, `write_lat_log` and `write_hist_log`: files beside the results, a line an I/O or a window.

use crate::complaint::complaint;
use crate::jobs::ask::Asked;
use crate::jobs::one::End;
use crate::jobs::prepare::Clone;
use anyhow::Result;
use ioproof_core::fio::settings::{Log, Logs};
use ioproof_core::fio::windows::{Part, Window, reads, trims, windows, writes};
use ioproof_core::noted::{Done, NotedIo};
use ioproof_core::record::Interval;
use ioproof_report::fio::logs::{HistogramLog, LogDirection, LogEntry, LogKind, LogShape, log_lines, value_of_one};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// One kind of log: the end of its name, and its values of an I/O and of a window.
struct Kind {
    suffix: &'static str,
    of_io: fn(&NotedIo) -> u64,
    of_window: fn(&Window, largest: bool) -> u64,
}

const BANDWIDTH: Kind = Kind {
    suffix: "bw",
    of_io: |io| value_of_one(LogKind::Bandwidth, io.bytes.into(), io.latency_ns),
    of_window: |window, _| window.kib_per_s(),
};
const IOPS: Kind = Kind { suffix: "iops", of_io: |_| 1, of_window: |window, _| window.iops() };
const TOTAL: Kind = Kind { suffix: "lat", of_io: |io| io.latency_ns, of_window: total };
const SUBMISSION: Kind = Kind { suffix: "slat", of_io: |io| io.submission_ns, of_window: |window, _| window.submission_mean_ns };
const COMPLETION: Kind = Kind {
    suffix: "clat",
    of_io: |io| io.latency_ns.saturating_sub(io.submission_ns),
    of_window: |window, largest| total(window, largest).saturating_sub(window.submission_mean_ns),
};

fn total(window: &Window, largest: bool) -> u64 {
    if largest { window.latency_max_ns } else { window.latency_mean_ns }
}

/// Writes the logs of all clones.
///
/// # Errors
/// When one cannot be written.
pub fn write(asked: &Asked, clones: &[Clone], ends: &[End]) -> Result<()> {
    clones.iter().zip(ends).try_for_each(|(clone, end)| of_clone(asked, clone, end))
}

fn of_clone(asked: &Asked, clone: &Clone, end: &End) -> Result<()> {
    let job = asked.job(clone);
    let (logs, report) = (&job.settings.logs, &job.settings.report);
    // Of an engine of which a call is an I/O, the log of submission is there and empty.
    let has_split = clone.compiled.spec.recording.split;
    let rates = [(&logs.bandwidth, BANDWIDTH, true, true), (&logs.iops, IOPS, true, true)];
    let latency = [(TOTAL, !report.no_lat, true), (SUBMISSION, !report.no_slat, has_split), (COMPLETION, !report.no_clat, true)];
    let all = rates.into_iter().chain(latency.map(|(kind, wanted, timed)| (&logs.latency, kind, wanted, timed)));
    for (log, kind, _, timed) in all.filter(|(_, _, wanted, _)| *wanted) {
        if let Some(log) = log {
            let path = path(asked, &name(log, &clone.instance.name), kind.suffix, logs, clone);
            put(&path, logs, &if timed { lines(&kind, logs, end) } else { String::new() })?;
        }
    }
    if let Some(log) = &logs.histogram {
        let path = path(asked, &name(log, &clone.instance.name), "clat_hist", logs, clone);
        put(&path, logs, &histogram(logs, end))?;
    }
    Ok(())
}

fn name(log: &Log, job: &str) -> String {
    match log {
        Log::OfJob => job.to_owned(),
        Log::Named(name) => name.clone(),
    }
}

/// `NAME_bw.3.log`, or `NAME_bw.log` where all jobs share it.
fn path(asked: &Asked, name: &str, suffix: &str, logs: &Logs, clone: &Clone) -> PathBuf {
    let file = if logs.per_job { format!("{name}_{suffix}.{}.log", clone.instance.number) } else { format!("{name}_{suffix}.log") };
    asked.line.general.aux_path.as_ref().map_or_else(|| PathBuf::from(&file), |folder| Path::new(folder).join(&file))
}

/// A log of one job is written anew; one that jobs share grows.
fn put(path: &Path, logs: &Logs, text: &str) -> Result<()> {
    let open = File::options().create(true).write(true).truncate(logs.per_job).append(!logs.per_job).open(path);
    let written = open.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|e| complaint(format!("cannot write the log {}: {e}", path.display()), "give a folder that you may write"))
}

fn lines(kind: &Kind, logs: &Logs, end: &End) -> String {
    let shape = LogShape { offset: logs.offsets, priority: logs.priorities, epoch_ms: if logs.unix_epoch { end.started_ms } else { 0 } };
    match logs.average_ns {
        0 => log_lines(end.noted.iter().map(|io| entry(io, (kind.of_io)(io))), shape),
        window_ns => log_lines(averages(kind, logs, window_ns, end).into_iter(), shape),
    }
}

fn entry(io: &NotedIo, value: u64) -> LogEntry {
    let direction = match io.done {
        Done::Read => LogDirection::Read,
        Done::Write => LogDirection::Write,
        Done::Trim => LogDirection::Trim,
    };
    LogEntry { time_ms: io.end_ns / 1_000_000, value, direction, block_bytes: io.bytes.into(), offset_bytes: io.offset_bytes, priority: 0 }
}

/// A line a window and direction, in the order of time.
fn averages(kind: &Kind, logs: &Logs, window_ns: u64, end: &End) -> Vec<LogEntry> {
    let slices: &[Interval] = end.round.as_ref().map_or(&[], |round| &round.intervals);
    let parts: [(LogDirection, Part); 3] = [(LogDirection::Read, reads), (LogDirection::Write, writes), (LogDirection::Trim, trims)];
    let one = |direction: LogDirection, window: &Window| {
        let value = (kind.of_window)(window, logs.largest);
        LogEntry { time_ms: window.end_ms, value, direction, block_bytes: 0, offset_bytes: 0, priority: 0 }
    };
    let of =
        |(direction, part): (LogDirection, Part)| windows(slices, window_ns, part).iter().map(|w| one(direction, w)).collect::<Vec<_>>();
    let mut all: Vec<LogEntry> = parts.into_iter().flat_map(of).collect();
    all.sort_by_key(|entry| (entry.time_ms, entry.direction as u8));
    all
}

fn histogram(logs: &Logs, end: &End) -> String {
    let epoch_ms = if logs.unix_epoch { end.started_ms } else { 0 };
    let mut log = HistogramLog::new(logs.histogram_ns / 1_000_000, logs.histogram_coarseness, epoch_ms);
    let mut text = String::new();
    for io in &end.noted {
        log.record(&entry(io, (COMPLETION.of_io)(io)), &mut text);
    }
    text
}
