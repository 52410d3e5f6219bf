//! Results on standard output. Where they cannot be printed, that changes neither the files that were asked for nor an exit status that judges something.
//!
//! Beside it: `reports` writes the files of `-o`, `messages` talks on standard error, `stream` writes without waiting while something is measured.

use crate::interrupt::while_waiting;
use crate::stream::PatientStream;
use crate::{complaint, messages};
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{ErrorKind, IsTerminal, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

static STREAM: Mutex<PatientStream> = Mutex::new(PatientStream::new());

/// Version of the documents that verbs print as JSON, other than records of runs.
pub const SCHEMA_VERSION: u32 = 1;

/// More lines of what happens are not kept for somebody who does not read. Bytes.
const MOST_KEPT_BYTES: usize = 4 << 20;

/// Set where a reader went before all was printed.
static READER_HAS_GONE: AtomicBool = AtomicBool::new(false);

/// The line that says where the results are kept, until it is said.
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// Prints results with `print`, and says on standard error where they are kept: behind them, or, where nobody reads them, before they are waited for.
pub fn print_kept<T>(kept: Option<String>, print: impl FnOnce() -> T) -> T {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    let printed = print();
    say_where_kept();
    printed
}

fn say_where_kept() {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take();
    kept.iter().for_each(|line| messages::say(line));
}

/// True where a line on standard error would come between lines of results.
fn is_standard_error() -> bool {
    let id = |stat: rustix::fs::Stat| (stat.st_dev, stat.st_ino);
    let [out, err] = [rustix::fs::fstat(stdout()), rustix::fs::fstat(stderr())].map(|stat| stat.ok().map(id));
    out == err
}

/// True if somebody stopped reading before all was printed, which is an error only where nothing else keeps it.
pub fn reader_has_gone() -> bool {
    READER_HAS_GONE.load(Relaxed)
}

/// Prints text, and waits until it is read. A reader who has seen enough (`ioproof runs list | head`) is no error.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    match write(bytes) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            READER_HAS_GONE.store(true, Relaxed);
            Ok(())
        }
        other => other.context("the results could not be written to standard output"),
    }
}

pub fn print_lines(lines: impl IntoIterator<Item = String>) -> Result<()> {
    print(&lines.into_iter().map(|line| line + "\n").collect::<String>())
}

pub fn print_json(value: &impl Serialize) -> Result<()> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// A document of a verb, its version first.
#[derive(Serialize)]
struct Document<'a, T> {
    schema_version: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// Prints fields of a struct or a map behind the version of documents.
pub fn print_document(content: &impl Serialize) -> Result<()> {
    print_json(&Document { schema_version: SCHEMA_VERSION, content })
}

/// Prints a document of one field.
pub fn print_field(name: &str, content: &impl Serialize) -> Result<()> {
    print_document(&BTreeMap::from([(name, content)]))
}

/// Says on standard error that nothing could be printed, where the exit status is a judgement that stays what it is.
pub fn or_warn(printed: Result<()>) {
    if let Err(error) = printed {
        complaint::warn("standard output", &error);
    }
}

/// Prints what is not the last: nobody waits for a reader.
pub fn print_early(text: &str) -> std::io::Result<()> {
    with(text.as_bytes(), |stream, bytes| stream.put(stdout(), bytes))
}

/// The same of one line of many that come as things happen; where nobody reads, what is beyond a limit is left out.
pub fn print_as_it_happens(line: &str) -> std::io::Result<()> {
    with(line.as_bytes(), |stream, line| {
        let kept = if stream.pending_bytes() < MOST_KEPT_BYTES { line } else { &[] };
        stream.put(stdout(), kept)
    })
}

/// Keeps what is printed while a picture is on the terminal, and prints it when that is gone. What goes elsewhere than to a terminal is printed at once.
pub fn hold(held: bool) {
    STREAM.lock().unwrap_or_else(PoisonError::into_inner).hold(held && stdout().is_terminal());
}

/// Prints and waits until it is read.
///
/// # Errors
/// When standard output takes no more; a reader who has gone is one of them.
pub fn write(bytes: &[u8]) -> std::io::Result<()> {
    messages::finish_picture();
    with(bytes, |stream, bytes| {
        stream.put(stdout(), bytes)?;
        if stream.pending_bytes() > 0 && !is_standard_error() {
            say_where_kept();
        }
        while_waiting(|| stream.finish(stdout()))
    })
}

/// A closed one has `/dev/null` in its place by now, which would take all.
fn with(bytes: &[u8], act: impl FnOnce(&mut PatientStream, &[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
    if ioproof_target::output_was_closed() && !bytes.is_empty() {
        return Err(std::io::Error::other("it is closed"));
    }
    act(&mut STREAM.lock().unwrap_or_else(PoisonError::into_inner), bytes)
}

/// Columns of the terminal that standard output is; none where it is none.
pub fn columns() -> Option<usize> {
    stdout().is_terminal().then(width)
}

/// Columns of text on this standard output.
pub fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    columns.unwrap_or(100).clamp(40, 140)
}
