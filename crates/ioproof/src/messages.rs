//! Lines for people on standard error. Text from outside is made visible here, so callers hand it over as it is.
//!
//! Deliberately absent: results, which `output` prints, and the line that is drawn over, which is `progress`'.

use ioproof_core::text::visible;

/// Prints one line.
pub fn say(text: &str) {
    eprintln!("{}", visible(text));
}

/// Prints something that was left out or found on the way.
pub fn note(text: &str) {
    say(&format!("note: {text}"));
}

/// Prints what was left undone because of an error that ends nothing.
pub fn warning(text: &str) {
    say(&format!("warning: {text}"));
}

/// Prints an error.
pub fn error(text: &str) {
    say(&format!("error: {text}"));
}

/// Prints the way out of an error.
pub fn hint(text: &str) {
    say(&format!("hint: {text}"));
}
