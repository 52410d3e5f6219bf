//! Where results go: the terminal's standard output, and files named with `-o`, which are opened before anything is measured.

use crate::complaint::complaint;
use crate::messages;
use anyhow::{Context, Result};
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Judgement;
use ioproof_report::{Format, Style};
use std::fs::{self, File};
use std::io::{BufWriter, IsTerminal, Read, Write, stdout};
use std::path::{Path, PathBuf};

/// Reports that are to be written, each beside its final name so that a run that fails leaves an older report alone.
#[derive(Debug)]
pub struct Outputs(Vec<Output>);

#[derive(Debug)]
struct Output {
    path: PathBuf,
    format: Format,
    file: tempfile::NamedTempFile,
}

impl Outputs {
    /// Opens every file, so that a bad path costs nothing.
    ///
    /// # Errors
    /// When an ending is not known or a file cannot be made.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        paths.iter().map(|p| Output::open(p)).collect::<Result<_>>().map(Self)
    }

    /// Writes all of them.
    ///
    /// # Errors
    /// When the disk is full or a folder has gone.
    pub fn write(self, record: &RunRecord, judgement: &Judgement) -> Result<()> {
        for mut output in self.0 {
            let mut writer = BufWriter::new(output.file.as_file_mut());
            ioproof_report::render(output.format, record, judgement, &mut writer)?;
            writer.flush()?;
            drop(writer);
            let name = output.path.display().to_string();
            output.file.persist(&output.path).with_context(|| format!("cannot write {name}"))?;
            messages::say(&format!("wrote {name}"));
        }
        Ok(())
    }
}

impl Output {
    fn open(path: &Path) -> Result<Self> {
        let text = path.to_string_lossy();
        let format = Format::from_path(&text).ok_or_else(|| {
            complaint(format!("cannot tell the format of {text} by its ending"), format!("known: {}", Format::endings().join(" ")))
        })?;
        let folder = ioproof_target::folder_of(path);
        if path.symlink_metadata().is_ok_and(|m| !m.is_file()) {
            return Err(complaint(format!("{text} exists and is no regular file"), "name a file"));
        }
        if !may_be_replaced(path) {
            return Err(complaint(format!("{text} exists and is no report of ioproof"), "remove it, or give another name"));
        }
        let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        let file = tempfile::Builder::new().prefix(".ioproof-").permissions(readable).tempfile_in(folder);
        Ok(Self { path: path.to_owned(), format, file: file.with_context(|| format!("cannot write {text}"))? })
    }
}

/// True when nothing is lost by replacing a file: it is not there, empty, or an older report.
fn may_be_replaced(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => holds_only(&file, is_report),
        Err(e) => e.kind() == std::io::ErrorKind::NotFound,
    }
}

/// Bytes of a file that are looked at; every format names the program or its schema within them.
const HEAD_BYTES: u64 = 64 << 10;

/// True when a file is empty or begins as older output of this kind does.
pub fn holds_only(file: &File, is_older: fn(&str) -> bool) -> bool {
    let mut head = Vec::new();
    let read = file.take(HEAD_BYTES).read_to_end(&mut head).is_ok();
    read && (head.is_empty() || is_older(&String::from_utf8_lossy(&head)))
}

fn is_report(head: &str) -> bool {
    ["ioproof", "\"schema_version\"", "kind,"].iter().any(|mark| head.contains(mark))
}

/// Prints the summary, or JSON.
///
/// # Errors
/// When standard output takes no more.
pub fn print(record: &RunRecord, judgement: &Judgement, json: bool, is_stored: bool) -> Result<()> {
    if json {
        return Ok(ioproof_report::render(Format::Json, record, judgement, &mut BufWriter::new(stdout().lock()))?);
    }
    let style = style();
    let summary = if is_stored { ioproof_report::summary } else { ioproof_report::summary_of_unstored };
    write!(stdout().lock(), "{}", summary(record, judgement, style))?;
    Ok(())
}

/// Prints a value as JSON.
///
/// # Errors
/// When standard output takes no more.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    serde_json::to_writer_pretty(&mut out, value).map_err(std::io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Colour and width of text on this standard output.
pub fn style() -> Style {
    let terminal = stdout().is_terminal();
    let color = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let width = rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col)).filter(|w| *w > 0);
    Style { color, width: width.unwrap_or(100).clamp(60, 140) }
}

/// True when an error only says that nobody reads any more (`ioproof runs list | head`).
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|c| c.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe))
}

/// Writes a file so that a kill leaves either the old or the new one.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let fresh = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        File::create(&fresh)?.write_all(bytes)?;
        fs::rename(&fresh, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
