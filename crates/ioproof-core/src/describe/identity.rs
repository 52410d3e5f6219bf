//! Names of what a job ran on, each whole and by itself, for tables that programs read.

use crate::facts::{DeviceFacts, Fact};
use crate::record::{DatasheetUse, JobRecord, Purpose, RunRecord, TargetRecord};
use crate::text::visible;

/// Between several names in one cell.
const BETWEEN: &str = "; ";

/// Targets, drives and backends of a job. Several are set apart by `; `; what is not known is empty.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// Paths as they were given.
    pub targets: String,
    pub drive: String,
    pub serial: String,
    pub firmware: String,
    /// Name of the datasheet that it is judged by.
    pub datasheet: String,
    /// The backends that did its I/O.
    pub backend: String,
}

impl Identity {
    /// Of each job, in the order of the record.
    pub fn of_jobs(record: &RunRecord) -> Vec<Self> {
        let served = served_by(record);
        let of = |(position, job): (usize, &JobRecord)| Self {
            backend: joined(served[position].iter().copied()),
            ..Self::new(record.targets_of(job).collect(), record.drives_of(job), record.datasheet_of(job))
        };
        record.jobs.iter().enumerate().map(of).collect()
    }

    /// Of the whole run.
    pub fn of_run(record: &RunRecord) -> Self {
        let datasheet = record.targets.iter().find_map(|target| target.datasheet.as_ref());
        let mut served = served_by(record).concat();
        served.sort_unstable();
        served.dedup();
        Self { backend: joined(served.into_iter()), ..Self::new(record.targets.iter().collect(), record.drives(), datasheet) }
    }

    fn new(targets: Vec<&TargetRecord>, drives: Vec<&DeviceFacts>, datasheet: Option<&DatasheetUse>) -> Self {
        let of_drives = |of: fn(&DeviceFacts) -> Option<&Fact<String>>| {
            joined(drives.iter().filter_map(|drive| of(drive)).map(|fact| fact.value.as_str()))
        };
        Self {
            targets: joined(targets.iter().map(|target| target.facts.given.as_str())),
            drive: of_drives(|drive| drive.model.as_ref()),
            serial: of_drives(|drive| drive.serial.as_ref()),
            firmware: of_drives(|drive| drive.firmware.as_ref()),
            datasheet: joined(datasheet.iter().map(|used| used.datasheet.name.as_str())),
            backend: String::new(),
        }
    }
}

/// The backends that made the rounds of each job, each once.
fn served_by(record: &RunRecord) -> Vec<Vec<&str>> {
    let mut served: Vec<Vec<&str>> = vec![Vec::new(); record.jobs.len()];
    for part in record.parts().filter(|part| part.stage.purpose == Purpose::Measure) {
        let (names, name) = (&mut served[part.round.job as usize], part.round.engine.backend.as_str());
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    served
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(visible).collect::<Vec<_>>().join(BETWEEN)
}
