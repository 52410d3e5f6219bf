//! The files of `-o`: looked at before anything is measured, and again when they are written. What stands there by then and is no report of ours stays.

mod folder;
pub mod print;
mod settle;
mod threads;

pub use settle::{Settled, check_formats, settle};

use anyhow::{Context, Result};
use folder::NewFolder;
use ioproof_core::compare::Comparison;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_process::complaint::complaint;
use ioproof_process::written_file::found;
use ioproof_process::{folders, messages};
use ioproof_report::{FleetReport, Format, ReportError, Table};
use ioproof_target::output_file::{OutputError, OutputFile, Standing};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Reports {
    files: Vec<ReportFile>,
    new_folders: Vec<NewFolder>,
    is_verbose: bool,
}

#[derive(Debug)]
struct ReportFile {
    format: Format,
    /// The table that it holds; all else holds the whole run, or of tables the first.
    table: Table,
    file: OutputFile,
    standing: Standing,
}

impl Reports {
    /// Looks whether every file can be written, so that a bad path costs nothing.
    ///
    /// # Errors
    /// When a file cannot be made, something else than a report of ours stands there, two paths lead to one file, or a terminal is to take what is no text.
    pub fn open(places: &Settled) -> Result<Self> {
        if let Some(format) = places.shown {
            print::check_format(format)?;
            threads::for_format(format)?;
        }
        let (there, new): (Vec<_>, Vec<_>) = places.folders.iter().partition(|(path, _)| path.is_dir());
        let mut files =
            places.files.iter().map(|(path, format)| ReportFile::open(path, *format, Table::Results)).collect::<Result<Vec<_>>>()?;
        for (path, format) in there {
            files.extend(folder::tables(path, *format)?);
        }
        let new_folders = new.into_iter().map(|(path, format)| NewFolder::open(path, *format)).collect::<Result<_>>()?;
        let reports = Self { files, new_folders, is_verbose: places.is_verbose };
        reports.check_names().map(|()| reports)
    }

    /// The same of files alone.
    ///
    /// # Errors
    /// As [`Reports::open`].
    pub fn open_files(places: &Settled) -> Result<Self> {
        Self::open(&Settled { folders: Vec::new(), ..places.clone() })
    }

    /// The second of two reports at one place would find the first there, which is none that stood there before.
    fn check_names(&self) -> Result<()> {
        let twin = |(at, report): (usize, &ReportFile)| {
            self.files[..at].iter().find(|earlier| earlier.file.is(&report.file)).map(|twin| (at, twin))
        };
        let Some((at, twin)) = self.files.iter().enumerate().find_map(twin) else { return Ok(()) };
        let text = format!("-o {} and -o {} are one file", twin.file.path().display(), self.files[at].file.path().display());
        Err(complaint(text, "give one of them another name, or leave it out"))
    }

    /// Refuses a report in the place of what is under test.
    pub fn spare(&self, target: &Path) -> Result<()> {
        self.spare_input(target, "the target")
    }

    /// Refuses a report in the place of what it is made of.
    pub fn spare_input(&self, target: &Path, what: &str) -> Result<()> {
        let id = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        let known = id(target);
        match self.files.iter().find(|report| known.is_some() && id(report.file.path()) == known) {
            Some(report) => {
                let text = format!("{} is {what}, and -o would replace it", report.file.path().display());
                Err(complaint(text, "give the report another name"))
            }
            None => Ok(()),
        }
    }

    /// Writes all of them; one that cannot be written keeps no other from it.
    pub fn write(self, record: &RunRecord, judgement: &Judgement) -> Result<()> {
        let render: Render<'_> = &|format, table, bytes| match self.is_verbose && !format.has_tables() {
            true => ioproof_report::render_in_full(format, record, judgement, bytes),
            false => ioproof_report::render_table(format, table, record, judgement, bytes),
        };
        let mut written: Vec<Result<()>> = self.files.iter().map(|report| report.write(render)).collect();
        written.extend(self.new_folders.iter().map(|folder| folder.write(render)));
        written.into_iter().collect()
    }

    pub fn write_comparison(self, comparison: &Comparison) -> Result<()> {
        self.write_each(&|format, _, bytes| ioproof_report::render_comparison(format, comparison, bytes))
    }

    /// Writes all of them as the caller renders each format.
    pub fn write_each(self, render: Render<'_>) -> Result<()> {
        let written: Vec<Result<()>> = self.files.iter().map(|report| report.write(render)).collect();
        written.into_iter().collect()
    }

    /// Writes a fleet: whole into files, and into folders a table a day.
    pub fn write_fleet(self, fleet: &FleetReport, folders: &[(PathBuf, Format)]) -> Result<()> {
        let mut written = vec![self.write_each(&|format, _, bytes| ioproof_report::render_fleet(format, fleet, bytes))];
        written.extend(folders.iter().map(|(path, format)| folder::write_days(path, *format, fleet)));
        written.into_iter().collect()
    }

    /// True if one of them holds all of the run.
    pub fn keep_all(&self) -> bool {
        self.files.iter().any(|report| report.format == Format::Json)
    }
}

/// Writes a run file, and gives its length in bytes.
pub fn write_run_file(path: &Path, record: &RunRecord, judgement: &Judgement) -> Result<u64> {
    let render: Render<'_> = &|format, table, bytes| ioproof_report::render_table(format, table, record, judgement, bytes);
    ReportFile::open(path, Format::Json, Table::Results)?.put(render)
}

/// Gives the bytes of a report, or of one of its tables.
pub type Render<'a> = &'a dyn Fn(Format, Table, &mut Vec<u8>) -> Result<(), ReportError>;

impl ReportFile {
    fn open(path: &Path, format: Format, table: Table) -> Result<Self> {
        Self::at(OutputFile::open_folder(path)?, format, table)
    }

    fn at(file: OutputFile, format: Format, table: Table) -> Result<Self> {
        threads::for_format(format)?;
        let standing = file.look(false)?;
        if standing == Standing::Stream {
            return Err(complaint(format!("{} exists and is no regular file", file.path().display()), "name a file"));
        }
        folders::spare_state(file.path())?;
        // A folder in which nothing can be made is told now.
        file.begin()?;
        Ok(Self { format, table, file, standing })
    }

    fn write(&self, render: Render<'_>) -> Result<()> {
        self.put(render)?;
        messages::say(&format!("wrote {}", self.file.path().display()));
        Ok(())
    }

    /// Gives the length of the file. Bytes.
    fn put(&self, render: Render<'_>) -> Result<u64> {
        let name = self.file.path().display();
        threads::for_format(self.format).with_context(|| format!("the report {name} is not written"))?;
        let mut bytes = Vec::new();
        render(self.format, self.table, &mut bytes)?;
        let put = move || -> Result<usize, OutputError> {
            // The digest of a run file tells whoever reads it that it is whole.
            if self.format == Format::Json {
                bytes = ioproof_store::run_file::STAMP.stamped(bytes);
            }
            let mut new = self.file.begin()?;
            let fail = |source| OutputError::Io { path: self.file.path().to_path_buf(), doing: "write", source };
            new.write_all(&bytes).map_err(fail)?;
            self.file.put(new, &self.standing).map(|_| bytes.len())
        };
        let length_bytes = put().with_context(|| format!("the report {name} is not written"))?;
        found(&self.file)?;
        Ok(length_bytes as u64)
    }
}
