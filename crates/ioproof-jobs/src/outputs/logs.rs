//! `write_bw_log`, `write_iops_log`, `write_lat_log` and `write_hist_log`: files beside the results, a line an I/O or a window.

use super::epoch::epoch_ms;
use crate::files::place::OutputPlace;
use crate::request::FioRequest;
use crate::subjob::Subjob;
use crate::verify_state;
use anyhow::Result;
use ioproof_core::io_log::{IoKind, IoSample, RecordedIo};
use ioproof_core::record::Interval;
use ioproof_core::text::visible;
use ioproof_fio::iolog::{Issued, log_text};
use ioproof_fio::print::logs::{HistogramLog, LogDirection, LogEntry, LogKind, LogShape, log_lines, value_of_one};
use ioproof_fio::settings::{LogName, Logs};
use ioproof_fio::windows::{SlicePart, Window, reads, trims, windows, writes};
use ioproof_process::complaint::{complaint, describe};
use ioproof_process::named_pipe;
use ioproof_process::stream::PatientStream;
use ioproof_process::written_file::found;
use ioproof_runner::TaskEnd;

use ioproof_target::output_file::{OutputError, Standing, Written};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// One kind of log: the end of its name, and its values of an I/O and of a window.
struct LogSource {
    suffix: &'static str,
    of_io: fn(&IoSample) -> u64,
    of_window: fn(&Window, largest: bool) -> u64,
}

const BANDWIDTH: LogSource = LogSource {
    suffix: "bw",
    of_io: |io| value_of_one(LogKind::Bandwidth, io.bytes.into(), io.latency_ns),
    of_window: |window, _| window.kib_per_s(),
};
const IOPS: LogSource = LogSource { suffix: "iops", of_io: |_| 1, of_window: |window, _| window.iops() };
const TOTAL: LogSource = LogSource { suffix: "lat", of_io: |io| io.latency_ns, of_window: total };
const SUBMISSION: LogSource = LogSource { suffix: "slat", of_io: |io| io.submission_ns, of_window: |window, _| window.submission_mean_ns };
const COMPLETION: LogSource = LogSource {
    suffix: "clat",
    of_io: |io| io.latency_ns.saturating_sub(io.submission_ns),
    of_window: |window, largest| total(window, largest).saturating_sub(window.submission_mean_ns),
};

fn total(window: &Window, largest: bool) -> u64 {
    if largest { window.latency_max_ns } else { window.latency_mean_ns }
}

/// Writes the logs of all clones; one that cannot be written keeps no other from it.
pub fn write(request: &FioRequest, clones: &[Subjob], ends: &[TaskEnd]) -> Result<()> {
    let mut begun = BegunLogs::new();
    let written: Vec<Result<()>> = clones.iter().zip(ends).map(|(clone, end)| of_clone(request, &mut begun, clone, end)).collect();
    written.into_iter().collect()
}

enum LogContent {
    Lines(LogSource),
    /// The log is there and empty: that of submission, where a call is an I/O, and those of rates, where nothing is timed for them.
    Nothing,
    Histogram,
    /// I/Os as they were issued, to be replayed.
    Recorded,
    /// Number of I/Os that the job did, for a later one that verifies.
    VerifyState,
}

fn of_clone(request: &FioRequest, begun: &mut BegunLogs, clone: &Subjob, end: &TaskEnd) -> Result<()> {
    let logs = &request.job(clone).settings.logs;
    let of_log = |(path, content)| {
        let text = match content {
            LogContent::Lines(kind) => lines(&kind, logs, end),
            LogContent::Nothing => String::new(),
            LogContent::Histogram => histogram(logs, end),
            LogContent::VerifyState => {
                let Some(round) = &end.round else { return Ok(()) };
                return put(
                    request,
                    begun,
                    path,
                    &Logs { per_job: true, ..logs.clone() },
                    &verify_state::text(&clone.compiled.spec, round),
                );
            }
            LogContent::Recorded => {
                // As in fio it is shared by clones, and grows.
                return put(request, begun, path, &Logs { per_job: false, ..logs.clone() }, &recorded(clone, end));
            }
        };
        put(request, begun, path, logs, &text)
    };
    if let Some(text) = cut(clone, end) {
        ioproof_process::messages::warning(&text);
    }
    let written: Vec<Result<()>> = wanted(request, clone).into_iter().map(of_log).collect();
    written.into_iter().collect()
}

/// That the logs of a clone do not have all of its I/Os, since no more are kept in memory.
fn cut(clone: &Subjob, end: &TaskEnd) -> Option<String> {
    let most = clone.compiled.spec.recording.noted_ios;
    let ios = end.round.as_ref()?.ios();
    let is_cut = most > 0 && end.noted.len() as u64 >= most && ios > most;
    let name = &clone.instance.name;
    let most_recorded = clone.compiled.spec.recording.recorded_ios;
    if most_recorded > 0 && end.recorded.len() as u64 >= most_recorded && ios > most_recorded {
        return Some(format!("{name}: write_iolog has the first {most_recorded} I/Os and syncs"));
    }
    is_cut
        .then(|| format!("{name}: its logs have the first {most} of {ios} I/Os; log_avg_msec= makes a line for each span of time instead"))
}

fn wanted(request: &FioRequest, clone: &Subjob) -> Vec<(PathBuf, LogContent)> {
    let job = request.job(clone);
    let (logs, report) = (&job.settings.logs, &job.settings.report);
    let some = |there: bool, kind: LogSource| if there { LogContent::Lines(kind) } else { LogContent::Nothing };
    let untimed = report.no_lat && report.no_slat && report.no_clat && report.no_bandwidth;
    let all = [
        (&logs.bandwidth, true, BANDWIDTH.suffix, some(logs.average_ns > 0 || !report.no_bandwidth, BANDWIDTH)),
        (&logs.iops, true, IOPS.suffix, some(logs.average_ns > 0 || !untimed, IOPS)),
        (&logs.latency, !report.no_lat, TOTAL.suffix, LogContent::Lines(TOTAL)),
        (&logs.latency, !report.no_slat, SUBMISSION.suffix, some(clone.compiled.spec.recording.split, SUBMISSION)),
        (&logs.latency, !report.no_clat, COMPLETION.suffix, LogContent::Lines(COMPLETION)),
        (&logs.histogram, true, "clat_hist", LogContent::Histogram),
    ];
    let of = |(log, wanted, suffix, content): (&Option<LogName>, bool, &str, LogContent)| {
        let log = log.as_ref().filter(|_| wanted)?;
        Some((path(request, &name(log, &clone.instance.name), suffix, logs, clone), content))
    };
    let recorded = job.settings.replay.record.iter().map(|name| (PathBuf::from(name), LogContent::Recorded));
    let state = verify_state::is_left(job, &clone.compiled).then(|| verify_state::path(request, job, clone.instance.clone));
    // Nobody asked for it by name, so a file of others in its place is no reason to refuse the job.
    let may_be_left = |path: &PathBuf| OutputPlace::at(path, &request.line.own.overwrite).is_ok_and(|place| place.look().is_ok());
    let state = state.filter(may_be_left).map(|path| (path, LogContent::VerifyState));
    all.into_iter().filter_map(of).chain(recorded).chain(state).collect()
}

/// The log of what a clone issued; what it read back comes after its own.
fn recorded(clone: &Subjob, end: &TaskEnd) -> String {
    let after_ns = end.round.as_ref().map_or(0, |round| round.elapsed_ns);
    let back = end.read_back.iter().flat_map(|back| &back.recorded);
    let back = back.map(|io| RecordedIo { at_ns: io.at_ns.saturating_add(after_ns), ..*io });
    let ios: Vec<RecordedIo> = end.recorded.iter().copied().chain(back).collect();
    log_text(Issued { files: &clone.instance.files, ios: &ios })
}

fn name(log: &LogName, job: &str) -> String {
    match log {
        LogName::OfJob => job.to_owned(),
        LogName::Named(name) => name.clone(),
    }
}

pub fn paths(request: &FioRequest, clone: &Subjob) -> Vec<PathBuf> {
    wanted(request, clone).into_iter().map(|(path, _)| path).collect()
}

/// `NAME_bw.3.log`, or `NAME_bw.log` where all jobs share it.
fn path(request: &FioRequest, name: &str, suffix: &str, logs: &Logs, clone: &Subjob) -> PathBuf {
    let file = if logs.per_job { format!("{name}_{suffix}.{}.log", clone.instance.number) } else { format!("{name}_{suffix}.log") };
    request.line.general.aux_path.as_ref().map_or_else(|| PathBuf::from(&file), |folder| Path::new(folder).join(&file))
}

/// The logs that this run has written so far: one that jobs share grows.
type BegunLogs = BTreeMap<PathBuf, (OutputPlace, Written)>;

/// A log of one job is written anew; one that jobs share grows, also by what earlier runs left in it, as fio's does.
fn put(request: &FioRequest, begun: &mut BegunLogs, path: PathBuf, logs: &Logs, text: &str) -> Result<()> {
    if let Some((place, written)) = begun.get_mut(&path).filter(|_| !logs.per_job) {
        return Ok(place.file().append_own(written, text.as_bytes())?);
    }
    let place = request.log_folders.place(&path, &request.line.own.overwrite)?;
    let looked = place.look().and_then(|standing| match request.log_folders.is_new_since(&path, standing) {
        true if logs.per_job && !place.is_allowed() => Err(OutputError::Changed(path.clone()).into()),
        _ => Ok(standing),
    });
    let standing = match looked {
        Ok(standing) => standing,
        Err(error) => return Err(put_aside(request, begun, &path, logs, text, error)),
    };
    let file = place.file();
    let fail = |source| OutputError::Io { path: path.clone(), doing: "write", source };
    let mut new = match &standing {
        Standing::Stream => return Ok(put_stream(file.open_stream()?, text, &path).map_err(fail)?),
        Standing::Replaceable(seen) if !logs.per_job => file.begin_after(seen)?,
        _ => file.begin()?,
    };
    // Where there is no room for all of it, its beginning is kept: no stored run has these lines.
    let cut = new.write_all(text.as_bytes()).map_err(fail).err();
    let written = match file.put(new, &standing) {
        Ok(written) => written,
        Err(_) if cut.is_some() => return cut.map_or(Ok(()), |error| Err(error.into())),
        Err(error @ OutputError::Changed(_)) => return Err(put_aside(request, begun, &path, logs, text, error.into())),
        Err(error) => return Err(error.into()),
    };
    found(file)?;
    if !logs.per_job {
        begun.insert(path, (place, written));
    }
    cut.map_or(Ok(()), |error| Err(complaint(error.to_string(), "the log ends where there was no more room")))
}

/// Writes a log beside its place, `NAME.1` or the next that is free, because somebody took that while the jobs ran: no stored run has its lines. Gives the error with
/// where it is.
fn put_aside(request: &FioRequest, begun: &mut BegunLogs, path: &Path, logs: &Logs, text: &str, error: anyhow::Error) -> anyhow::Error {
    const MOST_NAMES: u32 = 99;
    let named = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{n}"));
        PathBuf::from(name)
    };
    let free = (1..=MOST_NAMES).map(named).find(|aside| begun.contains_key(aside) || aside.symlink_metadata().is_err());
    match free.filter(|_| !text.is_empty()) {
        Some(aside) if put(request, begun, aside.clone(), logs, text).is_ok() => {
            complaint(describe(&error), format!("nothing is lost: the log is in {}", visible(&aside.to_string_lossy())))
        }
        _ => error,
    }
}

fn put_stream(file: File, text: &str, path: &Path) -> io::Result<()> {
    let mut stream = PatientStream::new();
    stream.put(&file, text.as_bytes())?;
    named_pipe::finish(file, &mut stream, path)
}

/// Looks whether all logs can be written, before anything runs.
///
/// # Errors
/// When one would replace something else than a log that an earlier run wrote.
pub fn check(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    places(request, clones, |path, place| {
        let standing = place.check()?;
        request.log_folders.hold(path, place, standing);
        Ok(())
    })
}

/// The same without making anything.
pub fn foresee(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    places(request, clones, |_, place| place.foresee())
}

fn places(request: &FioRequest, clones: &[Subjob], look: impl Fn(&Path, OutputPlace) -> Result<()>) -> Result<()> {
    let paths: BTreeSet<PathBuf> = clones.iter().flat_map(|clone| paths(request, clone)).collect();
    paths.iter().try_for_each(|path| look(path, OutputPlace::at(path, &request.line.own.overwrite)?))
}

fn lines(kind: &LogSource, logs: &Logs, end: &TaskEnd) -> String {
    let shape = LogShape { offset: logs.offsets, priority: logs.priorities, epoch_ms: epoch_ms(logs, end.started.unix_ms) };
    match logs.average_ns {
        0 => log_lines(noted(end).map(|io| entry(&io, (kind.of_io)(&io), logs.priorities)), shape),
        window_ns => log_lines(averages(kind, logs, window_ns, end).into_iter(), shape),
    }
}

/// I/Os one by one; those that read back come after the job's own.
fn noted(end: &TaskEnd) -> impl Iterator<Item = IoSample> {
    let after_ns = end.round.as_ref().map_or(0, |round| round.elapsed_ns);
    let back = end.read_back.iter().flat_map(|back| &back.noted);
    let back = back.map(move |io| IoSample { end_ns: io.end_ns.saturating_add(after_ns), ..*io });
    end.noted.iter().copied().chain(back)
}

fn entry(io: &IoSample, value: u64, by_number: bool) -> LogEntry {
    // Without log_prio a log says only which I/Os were of the class real time.
    let priority = if by_number { io.priority } else { u16::from(io.priority >> 13 == 1) };
    let direction = match io.kind {
        IoKind::Read => LogDirection::Read,
        IoKind::Write => LogDirection::Write,
        IoKind::Trim => LogDirection::Trim,
    };
    LogEntry {
        time_ms: io.end_ns / 1_000_000,
        value,
        direction,
        block_bytes: io.bytes.into(),
        offset_bytes: io.offset_bytes,
        priority: priority.into(),
    }
}

/// A line a window and direction, in the order of time.
fn averages(kind: &LogSource, logs: &Logs, window_ns: u64, end: &TaskEnd) -> Vec<LogEntry> {
    let slices: &[Interval] = end.round.as_ref().map_or(&[], |round| &round.intervals);
    let parts: [(LogDirection, SlicePart); 3] = [(LogDirection::Read, reads), (LogDirection::Write, writes), (LogDirection::Trim, trims)];
    let one = |direction: LogDirection, window: &Window| {
        let value = (kind.of_window)(window, logs.largest);
        LogEntry { time_ms: window.end_ms, value, direction, block_bytes: 0, offset_bytes: 0, priority: 0 }
    };
    let of = |(direction, part): (LogDirection, SlicePart)| {
        windows(slices, window_ns, part).iter().map(|w| one(direction, w)).collect::<Vec<_>>()
    };
    let mut all: Vec<LogEntry> = parts.into_iter().flat_map(of).collect();
    all.sort_by_key(|entry| (entry.time_ms, entry.direction as u8));
    all
}

fn histogram(logs: &Logs, end: &TaskEnd) -> String {
    let mut log = HistogramLog::new(logs.histogram_ns / 1_000_000, logs.histogram_coarseness, epoch_ms(logs, end.started.unix_ms));
    let mut text = String::new();
    for io in noted(end) {
        log.record(&entry(&io, (COMPLETION.of_io)(&io), false), &mut text);
    }
    text
}
