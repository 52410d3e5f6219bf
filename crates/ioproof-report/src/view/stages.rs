//! Stages: the counters of the kernel around jobs side by side, and the drives before and after.
//!
//! A drive's counters are those of every job that used it at that time, so each line names these jobs. They bear on findings and limits; no figure is
//! made of them.

use super::{Conditions, grouped};
use ioproof_core::describe::{MOST_NAMED, listed};
use ioproof_core::record::{DeviceCounters, DriveState, InterruptedCpu, JobRecord, RunRecord, Stage};
use ioproof_core::text::visible;
use ioproof_core::units::{decimal_size, duration, percent};
use std::time::Duration;

/// Columns of the table of stages.
pub(crate) const STAGE_COLUMNS: [&str; 12] =
    ["stage", "purpose", "drive", "jobs on it", "read", "written", "flushes", "busy", "CPU busy", "waited", "°C", "remarks"];
/// Explanation of the table, for above or below it.
pub(crate) const STAGE_LEGEND: &str = "Counters of the kernel from before to after each stage, ramps and drains included. Jobs side by side on one drive \
     share its counters. Waited: share of the time for which some task of this machine waited for a CPU / I/O / memory. A dash: not known.";
const NOT_COUNTED: &str = "not counted";

/// One stage.
pub(crate) struct StageView {
    pub index: u32,
    pub purpose: &'static str,
    /// Its jobs.
    jobs: Vec<String>,
    /// CPU time of the host in use by anyone, and taken away by a hypervisor, 0 to 1; none where it was not counted.
    pub cpu_busy: Option<f64>,
    pub cpu_steal: Option<f64>,
    /// Share of the time for which some task waited for a CPU, for I/O and for memory, 0 to 1.
    pub waited: [Option<f64>; 3],
    /// The CPU that interrupts took up most.
    pub interrupted: Option<InterruptedCpu>,
    /// The devices in the order of the record; empty where nothing was counted and no drive was looked at.
    pub devices: Vec<DeviceView>,
}

/// One device over a stage.
pub(crate) struct DeviceView {
    pub name: String,
    /// True at the bottom of the stack.
    pub is_drive: bool,
    /// None where the kernel's counters were not taken.
    pub counters: Option<DeviceCounters>,
    /// Degrees Celsius before and after, where the drive says.
    pub celsius: (Option<f64>, Option<f64>),
    /// The jobs on it.
    pub jobs: Vec<String>,
    /// Changes of the drive's state that bear on a figure: that it slowed itself down, or is gone.
    pub changes: Vec<String>,
}

pub(super) fn stages(record: &RunRecord) -> Vec<StageView> {
    record.stages.iter().map(|stage| StageView::new(stage, record)).collect()
}

impl StageView {
    fn new(stage: &Stage, record: &RunRecord) -> Self {
        Self {
            index: stage.index,
            purpose: stage.purpose.title(),
            jobs: stage.parts(&record.jobs).filter_map(|part| name_of(part.round.job, record)).chain(databases(stage, record)).collect(),
            cpu_busy: stage.cpu_busy(),
            cpu_steal: stage.host.as_ref().and_then(|host| host.cpu_steal),
            waited: [
                stage.share_waited(|host| host.cpu_waiting),
                stage.share_waited(|host| host.io_waiting),
                stage.share_waited(|host| host.memory_waiting),
            ],
            interrupted: stage.host.as_ref().and_then(|host| host.interrupted_cpu),
            devices: names(stage).into_iter().map(|name| DeviceView::new(name, stage, record)).collect(),
        }
    }

    /// A line for each drive, in the columns of [`STAGE_COLUMNS`]. Partitions and volumes, which repeat the counters of drives, are left out.
    pub(crate) fn lines(&self) -> Vec<[String; STAGE_COLUMNS.len()]> {
        let lines: Vec<_> = self.devices.iter().filter(|device| device.is_drive).map(|drive| self.line(Some(drive))).collect();
        if lines.is_empty() { vec![self.line(None)] } else { lines }
    }

    fn line(&self, drive: Option<&DeviceView>) -> [String; STAGE_COLUMNS.len()] {
        let counters = drive.and_then(|drive| drive.counters.as_ref());
        let size = |of: fn(&DeviceCounters) -> u64| counters.map_or_else(|| NOT_COUNTED.to_owned(), |counters| decimal_size(of(counters)));
        [
            self.index.to_string(),
            self.purpose.to_owned(),
            drive.map_or_else(|| "-".to_owned(), |drive| drive.name.clone()),
            drive.map_or_else(|| describe_jobs(&self.jobs), DeviceView::jobs_text),
            size(|counters| counters.read_bytes),
            size(|counters| counters.write_bytes),
            counters.map_or_else(|| NOT_COUNTED.to_owned(), |counters| grouped(counters.flush_ios)),
            counters.map_or_else(|| NOT_COUNTED.to_owned(), |counters| duration(Duration::from_nanos(counters.busy_ns))),
            self.cpu_busy.map_or_else(|| NOT_COUNTED.to_owned(), percent),
            self.waited_text(),
            drive.map_or_else(|| "-".to_owned(), DeviceView::celsius_text),
            drive.map(|drive| drive.changes.join(", ")).unwrap_or_default(),
        ]
    }
}

impl StageView {
    /// `78 / 26 / 0 %`; a dash for each that nobody counted, and one dash for none at all.
    fn waited_text(&self) -> String {
        let text = |share: &Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.0}", share * 100.0));
        let all = self.waited.iter().map(text).collect::<Vec<_>>().join(" / ");
        if self.waited.iter().any(Option::is_some) { format!("{all} %") } else { "-".into() }
    }
}

/// The devices that were counted or looked at, each once.
fn names(stage: &Stage) -> Vec<&str> {
    let counted = stage.devices.iter().flatten().map(|device| device.name.as_str());
    let mut names: Vec<&str> = Vec::new();
    for name in counted.chain(stage.drives.iter().map(|drive| drive.name.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl DeviceView {
    fn new(name: &str, stage: &Stage, record: &RunRecord) -> Self {
        let counters = stage.devices.iter().flatten().find(|device| device.name == name);
        let bracket = stage.drives.iter().find(|drive| drive.name == name);
        Self {
            name: visible(name),
            is_drive: bracket.is_some() || counters.is_some_and(|counters| counters.is_drive),
            counters: counters.cloned(),
            celsius: (
                bracket.and_then(|drive| drive.before.temperature_celsius),
                bracket.and_then(|drive| drive.after.temperature_celsius),
            ),
            jobs: jobs_on(name, stage, record),
            changes: bracket.map(|drive| changes(&drive.before, &drive.after)).unwrap_or_default(),
        }
    }

    /// True where the counters are those of several jobs together.
    pub(crate) fn is_shared(&self) -> bool {
        self.jobs.len() > 1
    }

    /// The jobs on it: `oltp`, or `oltp, log (shared)`.
    fn jobs_text(&self) -> String {
        let jobs = describe_jobs(&self.jobs);
        if self.is_shared() { format!("{jobs} (shared)") } else { jobs }
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

/// The jobs of the stage whose targets lie on this device. The only job of a stage is on all of its devices.
fn jobs_on(device: &str, stage: &Stage, record: &RunRecord) -> Vec<String> {
    let is_on = |job: &JobRecord| {
        record.targets_of(job).any(|target| {
            let in_stack = target.facts.stack.as_ref().is_some_and(|stack| stack.names().iter().any(|name| name == device));
            in_stack || target.drives.iter().any(|drive| drive.name == device)
        })
    };
    let on = stage.parts(&record.jobs).filter(|part| stage.rounds.len() == 1 || is_on(part.job));
    on.filter_map(|part| name_of(part.round.job, record)).chain(databases(stage, record)).collect()
}

/// The databases of the stage.
fn databases<'a>(stage: &'a Stage, record: &'a RunRecord) -> impl Iterator<Item = String> + 'a {
    stage.databases.iter().filter_map(|round| record.databases.get(round.database as usize)).map(|database| visible(&database.title))
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
        let stage = |waited| StageView {
            index: 0,
            purpose: "",
            jobs: vec![],
            cpu_busy: None,
            cpu_steal: None,
            waited,
            interrupted: None,
            devices: vec![],
        };
        assert_eq!(stage([Some(0.784), None, Some(0.0)]).waited_text(), "78 / - / 0 %");
        assert_eq!(stage([None; 3]).waited_text(), "-");
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
