//! Lines for people on standard error. Text from outside is made visible here, so callers hand it over as it is.
//!
//! A standard error that is closed, full or not read by anybody changes nothing but what is seen there: nothing here fails, and nothing waits before
//! [`finish`]. Deliberately absent: results, which `output` prints, and what the line that is drawn over says, which is for `progress` and fio's status line.

use crate::colors;
use crate::interrupt::while_waiting;
use crate::stream::PatientStream;
use ioproof_core::text::visible;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

static STREAM: Mutex<PatientStream> = Mutex::new(PatientStream::new());

/// True while the end of a picture is among what standard error has not taken.
static PICTURE_STAYS: AtomicBool = AtomicBool::new(false);

/// More than this is not kept for somebody who does not read. Bytes.
const MOST_KEPT_BYTES: usize = 4 << 20;

/// Set where standard error is for errors alone (`--quiet`).
static QUIET: AtomicBool = AtomicBool::new(false);

/// True where the last line was left out, so that its hint is too.
static LEFT_OUT: AtomicBool = AtomicBool::new(false);

/// Leaves out everything but errors and their hints.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Relaxed);
}

/// Prints a line that is no error.
pub fn say(text: &str) {
    print(false, text);
}

fn print(is_error: bool, text: &str) {
    print_after(is_error, "", text);
}

/// Prints a line behind its weight, which has a colour on a terminal.
fn print_after(is_error: bool, weight: &str, text: &str) {
    let is_left_out = QUIET.load(Relaxed) && !is_error;
    LEFT_OUT.store(is_left_out, Relaxed);
    if is_left_out {
        return;
    }
    with(|stream| {
        if stream.pending_bytes() < MOST_KEPT_BYTES {
            // There is nobody whom it could be told.
            let _ = stream.put(stderr(), format!("{}{}\n", painted(weight), visible(text)).as_bytes());
        }
    });
}

fn painted(weight: &str) -> String {
    let sgr = match weight {
        "" => return String::new(),
        ERROR => "1;31",
        "warning" => "33",
        "hint" => "2",
        _ => "36",
    };
    if stderr().is_terminal() && colors::has_colors() { format!("\x1b[{sgr}m{weight}:\x1b[0m ") } else { format!("{weight}: ") }
}

/// Prints something that was left out or found on the way.
pub fn note(text: &str) {
    with_weight("note", text);
}

/// Prints what was left undone because of an error that ends nothing.
pub fn warning(text: &str) {
    with_weight("warning", text);
}

pub fn error(text: &str) {
    with_weight(ERROR, text);
}

/// The weight that `--quiet` lets through.
const ERROR: &str = "error";

/// Prints a line that begins with its weight: `note`, `warning` or `error`.
pub fn with_weight(weight: &str, text: &str) {
    print_after(weight == ERROR, weight, text);
}

/// Prints the way out of an error.
pub fn hint(text: &str) {
    // It is of the line before.
    print_after(!LEFT_OUT.load(Relaxed), "hint", text);
}

/// Draws what holds for the moment, as it is; where it would have to wait it is left out.
pub fn draw(line: &str) {
    if QUIET.load(Relaxed) {
        return;
    }
    with(|stream| stream.show(stderr(), line.as_bytes()));
}

/// Keeps all that is said while a picture is on the terminal, and says it when that is gone.
pub fn hold(held: bool) {
    with(|stream| {
        stream.hold(held);
        let _ = stream.put(stderr(), &[]);
    });
}

/// Says what a picture has left to say before all else: until it is said, the terminal is not as it was, and nothing else is to be seen there.
pub fn say_first(bytes: Vec<u8>) {
    PICTURE_STAYS.store(!bytes.is_empty(), Relaxed);
    with(|stream| stream.put_first(bytes));
}

/// Waits until a picture that the terminal did not let go in time is gone; of any other terminal nobody waits.
pub fn finish_picture() {
    if PICTURE_STAYS.swap(false, Relaxed) {
        finish();
    }
}

/// Waits until everything is read, at the end of the program.
pub fn finish() {
    with(|stream| {
        let _ = while_waiting(|| stream.finish(stderr()));
    });
}

fn with(act: impl FnOnce(&mut PatientStream)) {
    act(&mut STREAM.lock().unwrap_or_else(PoisonError::into_inner));
}
