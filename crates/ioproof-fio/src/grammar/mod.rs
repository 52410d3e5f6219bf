//! Text of a job file -> sections of options, each with its place.
//!
//! Mistakes over which fio 3.33 goes silently are complaints here: a section without its `]` (fio cuts the last character off the name), a line with a
//! byte of zero (fio drops the rest), a file that includes itself. A mark of byte order, blanks around an included file's name and lines of
//! more than 8 KiB, which fio refuses or breaks, are read. No line is ever continued on the next.

mod line;
mod reader;
mod section;
#[cfg(test)]
mod tests;
mod variable;

pub use section::{JobSection, Loader, TypedOption};

use super::complaint::Complaint;

/// Reads a job file. All that is wrong with it comes at once, each with its line.
///
/// `file_name` is for messages and for finding included files; text that is no UTF-8 is passed in with its foreign bytes replaced by U+FFFD.
pub fn parse(file_name: &str, text: &str, loader: &dyn Loader) -> Result<Vec<JobSection>, Vec<Complaint>> {
    let mut reader = reader::JobFileReader::new(loader);
    reader.file(file_name, text);
    reader.finish()
}
