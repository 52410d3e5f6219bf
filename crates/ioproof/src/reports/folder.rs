//! A folder of `-o`, which takes all tables of a run, a file each.

use super::Report;
use crate::complaint::complaint;
use anyhow::{Context, Result};
use ioproof_report::{Format, Table};
use ioproof_target::output_file::{OutputFile, Standing};
use std::path::{Path, PathBuf};

/// Looks at the tables' places in a folder that is there.
///
/// # Errors
/// Those of a report.
pub fn tables(folder: &Path, format: Format) -> Result<Vec<Report>> {
    let place = |table: Table| Report::open(&folder.join(format!("{}{}", table.name(), format.ending())), format, table);
    Table::ALL.into_iter().map(place).collect()
}

/// A folder that is made when there is something to put into it.
#[derive(Debug)]
pub struct NewFolder {
    path: PathBuf,
    format: Format,
}

impl NewFolder {
    /// Looks whether it can be made.
    ///
    /// # Errors
    /// When something stands there, or nothing can be made beside it.
    pub fn open(path: &Path, format: Format) -> Result<Self> {
        let place = OutputFile::open_folder(path)?;
        if place.look(&|_| false)? != Standing::Nothing {
            return Err(complaint(format!("{} is no folder", path.display()), "leave the slash out, or name another one"));
        }
        place.begin()?;
        Ok(Self { path: path.to_path_buf(), format })
    }

    /// Makes it and writes all tables.
    ///
    /// # Errors
    /// The first failure.
    pub fn write(&self, render: super::Render<'_>) -> Result<()> {
        if !self.path.is_dir() {
            std::fs::create_dir(&self.path).with_context(|| format!("the folder {} cannot be made", self.path.display()))?;
        }
        let written: Vec<Result<()>> = tables(&self.path, self.format)?.iter().map(|report| report.write(render)).collect();
        written.into_iter().collect()
    }
}
