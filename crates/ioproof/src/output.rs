//! Results on standard output. Where they cannot be printed, that changes neither the files that were asked for nor an exit status that judges something.
//!
//! Beside it: `reports` writes the files of `-o`, `messages` talks on standard error, `stream` writes without waiting while something is measured.

use crate::complaint;
use crate::interrupt::while_waiting;
use crate::stream::Stream;
use anyhow::{Context, Result};
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Judgement;
use ioproof_report::{Format, Style};
use std::io::{ErrorKind, IsTerminal, stdout};
use std::sync::{Mutex, PoisonError};

/// Standard output.
static STREAM: Mutex<Stream> = Mutex::new(Stream::new());

/// Prints text, and waits until it is read. A reader who has seen enough (`ioproof runs list | head`) is no error.
///
/// # Errors
/// When standard output takes no more.
pub fn print(text: &str) -> Result<()> {
    match write(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("the results could not be written to standard output"),
    }
}

/// The same of lines.
///
/// # Errors
/// As [`print`].
pub fn print_lines(lines: impl IntoIterator<Item = String>) -> Result<()> {
    print(&lines.into_iter().map(|line| line + "\n").collect::<String>())
}

/// Prints a value as JSON.
///
/// # Errors
/// As [`print`].
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Says on standard error that nothing could be printed, where the exit status is a judgement that stays what it is.
pub fn or_warn(printed: Result<()>) {
    if let Err(error) = printed {
        complaint::warn("standard output", &error);
    }
}

/// Prints what is not the last: nobody waits for a reader.
///
/// # Errors
/// When standard output takes no more, whoever reads it.
pub fn print_early(text: &str) -> std::io::Result<()> {
    with(text.as_bytes(), |stream, bytes| stream.put(stdout(), bytes))
}

/// Prints and waits until it is read.
///
/// # Errors
/// When standard output takes no more; a reader who has gone is one of them.
pub fn write(bytes: &[u8]) -> std::io::Result<()> {
    with(bytes, |stream, bytes| stream.put(stdout(), bytes).and_then(|()| while_waiting(|| stream.finish(stdout()))))
}

/// A closed one has `/dev/null` in its place by now, which would take all.
fn with(bytes: &[u8], act: impl FnOnce(&mut Stream, &[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
    if ioproof_target::output_was_closed() && !bytes.is_empty() {
        return Err(std::io::Error::other("it is closed"));
    }
    act(&mut STREAM.lock().unwrap_or_else(PoisonError::into_inner), bytes)
}

/// Prints a run: its summary, or JSON.
///
/// # Errors
/// As [`print`].
pub fn print_run(record: &RunRecord, judgement: &Judgement, json: bool) -> Result<()> {
    if json {
        return print_report(Format::Json, record, judgement);
    }
    print(&ioproof_report::summary(record, judgement, style()))
}

/// Prints a run in one of the formats of reports.
///
/// # Errors
/// As [`print`].
pub fn print_report(format: Format, record: &RunRecord, judgement: &Judgement) -> Result<()> {
    let mut bytes = Vec::new();
    ioproof_report::render(format, record, judgement, &mut bytes)?;
    print(&String::from_utf8_lossy(&bytes))
}

/// Colour and width of text on this standard output.
pub fn style() -> Style {
    let terminal = stdout().is_terminal();
    let color = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let width = rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col)).filter(|w| *w > 0);
    Style { color, width: width.unwrap_or(100).clamp(60, 140) }
}
