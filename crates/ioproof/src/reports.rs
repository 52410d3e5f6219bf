//! The files of `-o`: looked at before anything is measured, and again when they are written. What stands there by then and is no report of ours stays.

mod stamp;
mod threads;

pub use stamp::{Stamp, of_format};

use crate::complaint::complaint;
use crate::messages;
use anyhow::{Context, Result};
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Judgement;
use ioproof_report::Format;
use ioproof_target::output_file::{OutputError, OutputFile, Standing};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Reports that are to be written.
#[derive(Debug)]
pub struct Reports(Vec<Report>);

#[derive(Debug)]
struct Report {
    format: Format,
    file: OutputFile,
    standing: Standing,
}

impl Reports {
    /// Looks whether every file can be written, so that a bad path costs nothing.
    ///
    /// # Errors
    /// When an ending is not known, a file cannot be made, something else than a report of ours stands there, or two paths lead to one file.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        let first = |at: &usize| !paths[..*at].contains(&paths[*at]);
        let reports = (0..paths.len()).filter(first).map(|at| Report::open(&paths[at])).collect::<Result<_>>().map(Self)?;
        reports.check_names().map(|()| reports)
    }

    /// The second of two reports at one place would find the first there, which is none that stood there before.
    fn check_names(&self) -> Result<()> {
        let twin =
            |(at, report): (usize, &Report)| self.0[..at].iter().find(|earlier| earlier.file.is(&report.file)).map(|twin| (at, twin));
        let Some((at, twin)) = self.0.iter().enumerate().find_map(twin) else { return Ok(()) };
        let text = format!("-o {} and -o {} are one file", twin.file.path().display(), self.0[at].file.path().display());
        Err(complaint(text, "give one of them another name, or leave it out"))
    }

    /// Refuses a report in the place of what is under test.
    ///
    /// # Errors
    /// When a file is both.
    pub fn spare(&self, target: &Path) -> Result<()> {
        let id = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        let known = id(target);
        match self.0.iter().find(|report| known.is_some() && id(report.file.path()) == known) {
            Some(report) => {
                let text = format!("{} is the target, and -o would replace it", report.file.path().display());
                Err(complaint(text, "give the report another name"))
            }
            None => Ok(()),
        }
    }

    /// Writes all of them; one that cannot be written keeps no other from it.
    ///
    /// # Errors
    /// The first failure.
    pub fn write(self, record: &RunRecord, judgement: &Judgement) -> Result<()> {
        let written: Vec<Result<()>> = self.0.iter().map(|report| report.write(record, judgement)).collect();
        written.into_iter().collect()
    }

    /// True if one of them holds all of the run.
    pub fn keep_all(&self) -> bool {
        self.0.iter().any(|report| report.format == Format::Json)
    }
}

impl Report {
    fn open(path: &Path) -> Result<Self> {
        let text = path.to_string_lossy();
        let format = Format::from_path(&text).ok_or_else(|| {
            complaint(format!("cannot tell the format of {text} by its ending"), format!("known: {}", Format::endings().join(" ")))
        })?;
        if format == Format::Xlsx {
            threads::for_a_workbook()?;
        }
        let file = OutputFile::open_folder(path)?;
        let standing = file.look(&|file| of_format(format).is_on(file))?;
        if standing == Standing::Stream {
            return Err(complaint(format!("{text} exists and is no regular file"), "name a file"));
        }
        // A folder in which nothing can be made is told now.
        file.begin()?;
        Ok(Self { format, file, standing })
    }

    fn write(&self, record: &RunRecord, judgement: &Judgement) -> Result<()> {
        let name = self.file.path().display();
        if self.format == Format::Xlsx {
            threads::for_a_workbook().with_context(|| format!("the report {name} is not written"))?;
        }
        let mut bytes = Vec::new();
        ioproof_report::render(self.format, record, judgement, &mut bytes)?;
        let put = move || -> Result<(), OutputError> {
            let mut new = self.file.begin()?;
            if !new.is_marked() {
                bytes = of_format(self.format).stamped(bytes);
            }
            let fail = |source| OutputError::Io { path: self.file.path().to_path_buf(), doing: "write", source };
            new.write_all(&bytes).map_err(fail)?;
            self.file.put(new, &self.standing).map(drop)
        };
        put().with_context(|| format!("the report {name} is not written"))?;
        messages::say(&format!("wrote {name}"));
        Ok(())
    }
}
