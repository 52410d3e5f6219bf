//! The results where they are wanted: formats on standard output or in a file, and logs beside.

mod header;
mod logs;

use super::ask::Asked;
use super::one::End;
use super::prepare::Clone;
use crate::complaint::complaint;
use anyhow::Result;
use ioproof_core::fio::command_line::Format;
use ioproof_core::fio::results::Results;
use ioproof_report::fio::{TerseVersion, json, terse, text};
use std::fs::File;
use std::io::Write;

/// Where results go. Opened before anything runs, so that a mistyped name is found in time.
pub struct Out {
    file: Option<File>,
}

impl Out {
    /// Opens `--output`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(asked: &Asked) -> Result<Self> {
        let open = |name: &String| {
            let made = File::options().create(true).append(true).open(name);
            made.map_err(|e| complaint(format!("--output={name}: {e}"), "give a file in a folder that you may write"))
        };
        Ok(Self { file: asked.line.general.output.as_ref().map(open).transpose()? })
    }

    /// Writes results and logs.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn write(mut self, asked: &Asked, clones: &[Clone], ends: &[End], results: &Results) -> Result<()> {
        for note in &results.notes {
            eprintln!("note: {}", crate::output::plain(note));
        }
        let all = formats(asked, clones, results);
        match &mut self.file {
            // As fio does, a file is begun anew.
            Some(file) => {
                file.set_len(0)?;
                file.write_all(all.as_bytes())?;
            }
            None => std::io::stdout().write_all(all.as_bytes())?,
        }
        logs::write(asked, clones, ends)
    }
}

/// Every format that was asked for, in fio's order: terse, JSON, text.
fn formats(asked: &Asked, clones: &[Clone], results: &Results) -> String {
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
        all.push_str(&header::header(asked, clones));
        all.push_str(&text(results));
    }
    all
}
