//! Names of what a job ran on, each whole and by itself, for tables that programs read.

use ioproof_core::facts::{DeviceFacts, Fact};
use ioproof_core::record::{DatasheetUse, RunRecord, TargetRecord};
use ioproof_core::text::visible;

/// Between several names in one cell.
const BETWEEN: &str = "; ";

/// Targets and drives of a job. Several are set apart by `; `; what is not known is empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identity {
    /// Paths as they were given.
    pub targets: String,
    /// Models.
    pub drive: String,
    pub serial: String,
    pub firmware: String,
    /// Name of the datasheet that it is judged by.
    pub datasheet: String,
}

impl Identity {
    /// Of each job, in the order of the record.
    pub(super) fn of_jobs(record: &RunRecord) -> Vec<Self> {
        let of = |job| Self::new(record.targets_of(job).collect(), record.drives_of(job), record.datasheet_of(job));
        record.jobs.iter().map(of).collect()
    }

    /// Of the whole run.
    pub(super) fn of_run(record: &RunRecord) -> Self {
        let datasheet = record.targets.iter().find_map(|target| target.datasheet.as_ref());
        Self::new(record.targets.iter().collect(), record.drives(), datasheet)
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
        }
    }
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(visible).collect::<Vec<_>>().join(BETWEEN)
}
