//! Stages: the counters of the kernel around jobs side by side, and the drives before and after.
//!
//! A drive's counters are those of every job that used it at that time, so each line names these jobs. They bear on findings and limits; no figure is
//! made of them.

use super::{Conditions, each_once, grouped};
use ioproof_core::describe::{MOST_NAMED, listed};
use ioproof_core::record::{DeviceCounters, DriveState, JobRecord, RunRecord, Stage};
use ioproof_core::text::visible;
use ioproof_core::units::{decimal_size, duration, percent};
use std::time::Duration;

/// Columns of the table of stages.
pub(crate) const STAGE_COLUMNS: [&str; 12] =
    ["stage", "purpose", "drive", "jobs on it", "read", "written", "flushes", "busy", "CPU busy", "waited", "°C", "remarks"];
/// Those of words, which are flush left.
pub(crate) const STAGE_WORDS: [&str; 4] = ["purpose", "drive", "jobs on it", "remarks"];
/// Explanation of the table, for above or below it.
pub(crate) const STAGE_LEGEND: &str = "Counters of the kernel from before to after each stage, ramps and drains included. Jobs side by side on one drive \
     share its counters. Waited: share of the time for which some task of this machine waited for a CPU / I/O / memory. A dash: not known.";
const NOT_COUNTED: &str = "not counted";

/// One stage.
pub(crate) struct StageView<'a> {
    pub stage: &'a Stage,
    /// Its jobs.
    jobs: Vec<String>,
    /// The devices in the order of the record; empty where nothing was counted and no drive was looked at.
    pub devices: Vec<DeviceView<'a>>,
}

/// One device over a stage.
pub(crate) struct DeviceView<'a> {
    pub name: String,
    /// True at the bottom of the stack.
    is_drive: bool,
    /// None where the kernel's counters were not taken.
    pub counters: Option<&'a DeviceCounters>,
    /// Degrees Celsius before and after, where the drive says.
    pub celsius: (Option<f64>, Option<f64>),
    /// The jobs on it.
    pub jobs: Vec<String>,
    /// Changes of the drive's state that bear on a figure: that it slowed itself down, or is gone.
    pub changes: Vec<String>,
}

impl<'a> StageView<'a> {
    pub(super) fn new(stage: &'a Stage, record: &RunRecord) -> Self {
        // The devices that were counted or looked at, each once.
        let counted = stage.devices.iter().flatten().map(|device| device.name.as_str());
        let names = each_once(counted.chain(stage.drives.iter().map(|drive| drive.name.as_str())));
        Self {
            stage,
            jobs: names_of(stage, record, |_| true),
            devices: names.into_iter().map(|name| DeviceView::new(name, stage, record)).collect(),
        }
    }

    /// Share of the time for which some task waited for a CPU, for I/O and for memory, 0 to 1.
    pub(crate) fn waited(&self) -> [Option<f64>; 3] {
        [
            self.stage.share_waited(|host| host.cpu_waiting),
            self.stage.share_waited(|host| host.io_waiting),
            self.stage.share_waited(|host| host.memory_waiting),
        ]
    }

    /// A line for each drive, in the columns of [`STAGE_COLUMNS`]. Partitions and volumes, which repeat the counters of drives, are left out.
    pub(crate) fn lines(&self) -> Vec<[String; STAGE_COLUMNS.len()]> {
        let lines: Vec<_> = self.devices.iter().filter(|device| device.is_drive).map(|drive| self.line(Some(drive))).collect();
        if lines.is_empty() { vec![self.line(None)] } else { lines }
    }

    fn line(&self, drive: Option<&DeviceView>) -> [String; STAGE_COLUMNS.len()] {
        let counted = |of: &dyn Fn(&DeviceCounters) -> String| {
            drive.and_then(|drive| drive.counters).map(of).unwrap_or_else(|| NOT_COUNTED.to_owned())
        };
        [
            self.stage.index.to_string(),
            self.stage.purpose.title().to_owned(),
            drive.map_or_else(|| "-".to_owned(), |drive| drive.name.clone()),
            drive.map_or_else(|| describe_jobs(&self.jobs), DeviceView::jobs_text),
            counted(&|counters| decimal_size(counters.read_bytes)),
            counted(&|counters| decimal_size(counters.write_bytes)),
            counted(&|counters| grouped(counters.flush_ios)),
            counted(&|counters| duration(Duration::from_nanos(counters.busy_ns))),
            self.stage.cpu_busy().map_or_else(|| NOT_COUNTED.to_owned(), percent),
            waited_text(self.waited()),
            drive.map_or_else(|| "-".to_owned(), DeviceView::celsius_text),
            drive.map(|drive| drive.changes.join(", ")).unwrap_or_default(),
        ]
    }
}

/// `78 / 26 / 0 %`; a dash for each that nobody counted, and one dash for none at all.
fn waited_text(waited: [Option<f64>; 3]) -> String {
    let text = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.0}", share * 100.0));
    let all = waited.map(text).join(" / ");
    if waited.iter().any(Option::is_some) { format!("{all} %") } else { "-".into() }
}

impl<'a> DeviceView<'a> {
    fn new(name: &str, stage: &'a Stage, record: &RunRecord) -> Self {
        let counters = stage.devices.iter().flatten().find(|device| device.name == name);
        let bracket = stage.drives.iter().find(|drive| drive.name == name);
        Self {
            name: visible(name),
            is_drive: bracket.is_some() || counters.is_some_and(|counters| counters.is_drive),
            counters,
            celsius: bracket.map_or((None, None), |drive| (drive.before.temperature_celsius, drive.after.temperature_celsius)),
            jobs: names_of(stage, record, |job| stage.rounds.len() == 1 || is_on(name, job, record)),
            changes: bracket.map(|drive| changes(&drive.before, &drive.after)).unwrap_or_default(),
        }
    }

    /// The jobs on it: `oltp`, or `oltp, log (shared)` where the counters are those of several together.
    fn jobs_text(&self) -> String {
        let jobs = describe_jobs(&self.jobs);
        if self.jobs.len() > 1 { format!("{jobs} (shared)") } else { jobs }
    }

    /// `38 to 44`; a dash for a temperature that the drive does not say.
    fn celsius_text(&self) -> String {
        let text = |celsius: Option<f64>| celsius.map_or_else(|| "-".to_owned(), |celsius| format!("{celsius:.0}"));
        match self.celsius {
            (None, None) => "-".into(),
            (before, after) => format!("{} to {}", text(before), text(after)),
        }
    }
}

/// The job's name, or its short title with the queue depth.
fn name_of(job: u32, record: &RunRecord) -> Option<String> {
    let conditions = Conditions::of_job(job, record)?;
    let depth = || format!("{} {}", conditions.short_title(), conditions.depth_formula().replace(' ', ""));
    Some(if conditions.job.is_some() { conditions.shortest() } else { depth() })
}

fn describe_jobs(jobs: &[String]) -> String {
    let names: Vec<&str> = jobs.iter().map(String::as_str).collect();
    listed(&names, MOST_NAMED).unwrap_or_else(|| "-".into())
}

/// True where targets of the job lie on this device.
fn is_on(device: &str, job: &JobRecord, record: &RunRecord) -> bool {
    record.targets_of(job).any(|target| {
        let in_stack = target.facts.stack.as_ref().is_some_and(|stack| stack.names().iter().any(|name| name == device));
        in_stack || target.drives.iter().any(|drive| drive.name == device)
    })
}

/// The jobs of the stage for which this is true, and its databases.
fn names_of(stage: &Stage, record: &RunRecord, is_named: impl Fn(&JobRecord) -> bool) -> Vec<String> {
    let jobs = stage.parts(&record.jobs).filter(|part| is_named(part.job)).filter_map(|part| name_of(part.round.job, record));
    let databases = stage.databases.iter().filter_map(|round| record.databases.get(round.database as usize));
    jobs.chain(databases.map(|database| visible(&database.title))).collect()
}

fn changes(before: &DriveState, after: &DriveState) -> Vec<String> {
    let more = |of: fn(&DriveState) -> Option<u64>| of(before).zip(of(after)).map_or(0, |(before, after)| after.saturating_sub(before));
    let changes = [
        (!after.present).then(|| "gone afterwards".to_owned()),
        Some(more(|state| state.throttles)).filter(|n| *n > 0).map(|n| format!("slowed itself down {n} times")),
        Some(more(|state| state.media_errors)).filter(|n| *n > 0).map(|n| format!("{n} errors of the medium")),
    ];
    changes.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_that_nobody_counted_is_no_zero() {
        assert_eq!(waited_text([Some(0.784), None, Some(0.0)]), "78 / - / 0 %");
        assert_eq!(waited_text([None; 3]), "-");
    }

    #[test]
    fn a_change_of_state_is_named() {
        let here = DriveState { present: true, throttles: Some(3), media_errors: Some(0), ..DriveState::default() };
        assert!(changes(&here, &here).is_empty());
        let hot = DriveState { throttles: Some(5), ..here.clone() };
        assert_eq!(changes(&here, &hot), ["slowed itself down 2 times"]);
        assert_eq!(changes(&here, &DriveState::default()), ["gone afterwards"]);
    }
}
