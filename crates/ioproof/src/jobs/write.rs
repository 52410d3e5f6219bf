//! The results where they are wanted: formats on standard output or in a file, and logs beside.

mod header;
mod logs;
mod place;

use super::ask::Asked;
use super::one::End;
use super::prepare::Clone;
use anyhow::Result;
use ioproof_core::fio::command_line::Format;
use ioproof_core::fio::results::Results;
use ioproof_report::fio::{TerseVersion, json, terse, text};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Where results go. Opened before anything runs, so that a mistyped name is found in time.
pub struct Out {
    file: Option<File>,
}

impl Out {
    /// Opens `--output`, and looks whether logs can be written.
    ///
    /// # Errors
    /// When a file cannot be written or holds something else.
    pub fn open(asked: &Asked, clones: &[Clone]) -> Result<Self> {
        logs::check(asked, clones)?;
        // As fio does, a file is begun anew; what is printed while the jobs run follows.
        let open = |name: &String| {
            let file = place::open(Path::new(name), place::is_results)?;
            if file.metadata()?.is_file() && !name.starts_with("/dev/") {
                file.set_len(0)?;
            }
            anyhow::Ok(file)
        };
        Ok(Self { file: asked.line.general.output.as_ref().map(open).transpose()? })
    }

    /// Writes the lines before the first job, where fio's text is wanted.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn begin(&mut self, asked: &Asked, clones: &[Clone]) -> Result<()> {
        if !asked.line.general.formats.contains(&Format::Normal) {
            return Ok(());
        }
        self.put(&header::header(asked, clones))
    }

    fn put(&mut self, text: &str) -> Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(text.as_bytes())?,
            None => std::io::stdout().write_all(text.as_bytes())?,
        }
        Ok(())
    }

    /// Writes results and logs.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn write(mut self, asked: &Asked, clones: &[Clone], ends: &[End], results: &Results) -> Result<()> {
        for note in &results.notes {
            eprintln!("note: {}", crate::output::plain(note));
        }
        self.put(&formats(asked, results))?;
        logs::write(asked, clones, ends)
    }
}

/// Every format that was asked for, in fio's order: terse, JSON, text.
pub fn formats(asked: &Asked, results: &Results) -> String {
    let general = &asked.line.general;
    let version = TerseVersion::of(general.terse_version.into()).unwrap_or(TerseVersion::V3);
    let wants = |format: Format| general.formats.contains(&format);
    let mut all = String::new();
    if wants(Format::Terse) {
        all.push_str(&terse(results, version));
    }
    if wants(Format::Json) || wants(Format::JsonPlus) {
        all.push_str(&json(results, wants(Format::JsonPlus)));
    }
    if wants(Format::Normal) {
        all.push_str(&text(results));
    }
    all
}
