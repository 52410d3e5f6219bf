//! A folder of `-o`, which takes all tables of a run, a file each.

use super::ReportFile;
use anyhow::{Context, Result};
use ioproof_process::complaint::complaint;
use ioproof_process::folders;
use ioproof_report::{FleetReport, Format, Table};
use ioproof_target::output_file::{OutputError, OutputFile, OutputFolder, Standing, make_folders};
use std::path::Path;

/// Looks at the tables' places in a folder that is there.
pub fn tables(folder: &Path, format: Format) -> Result<Vec<ReportFile>> {
    tables_in(&OutputFolder::open(folder)?, format)
}

/// All of them in one folder, whatever its name leads to meanwhile.
fn tables_in(folder: &OutputFolder, format: Format) -> Result<Vec<ReportFile>> {
    let place = |table: Table| ReportFile::at(folder.file(&format!("{}{}", table.name(), format.ending()))?, format, table);
    Table::ALL.into_iter().map(place).collect()
}

/// A folder that is made when there is something to put into it.
#[derive(Debug)]
pub struct NewFolder {
    place: OutputFile,
    format: Format,
}

impl NewFolder {
    /// Looks whether it can be made.
    ///
    /// # Errors
    /// When something stands there, or nothing can be made beside it.
    pub fn open(path: &Path, format: Format) -> Result<Self> {
        folders::spare_state(path)?;
        let place = OutputFile::open_folder(path)?;
        if place.look(false)? != Standing::Nothing {
            return Err(complaint(format!("{} is no folder", path.display()), "leave the slash out, or name another one"));
        }
        place.begin()?;
        Ok(Self { place, format })
    }

    /// Makes it and writes all tables. A folder, or a link to one, that somebody put there since was not looked at, and stays as it is.
    pub fn write(&self, render: super::Render<'_>) -> Result<()> {
        let (path, folder) = (self.place.path().display(), self.place.make_folder());
        let folder = match folder {
            Err(OutputError::Changed(_)) => {
                let text = format!("the tables are not written: {path} was made by somebody else while the run went on");
                return Err(complaint(text, format!("ioproof report last -o {path}/ writes them there, or give another name")));
            }
            other => other.with_context(|| format!("the folder {path} cannot be made"))?,
        };
        let written: Vec<Result<()>> = tables_in(&folder, self.format)?.iter().map(|report| report.write(render)).collect();
        written.into_iter().collect()
    }
}

/// Writes the table of each day into a folder with its name, `day=2026-11-28`, which readers of such folders take for a column.
///
/// # Errors
/// When a folder cannot be made, or something else than a table of ours stands there.
pub fn write_days(path: &Path, format: Format, fleet: &FleetReport) -> Result<()> {
    folders::spare_state(path)?;
    for day in fleet.days() {
        let of_day = path.join(format!("day={day}"));
        make_folders(&of_day).with_context(|| format!("the folder {} cannot be made", of_day.display()))?;
        let file = OutputFolder::open(&of_day)?.file(&format!("fleet{}", format.ending()))?;
        let report = FleetReport { day: Some(day), ..*fleet };
        ReportFile::at(file, format, Table::Results)?.write(&|format, _, bytes| ioproof_report::render_fleet(format, &report, bytes))?;
    }
    Ok(())
}
