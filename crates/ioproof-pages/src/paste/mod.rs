//! Output of other tools about a drive, on this machine or any other, read into the same fields as the drive's own pages.
//!
//! A paste is what people send: the output of one or more commands with prompts, quoting, wrapping and words in between. `text` takes off what mail and forums added,
//! `reader` finds where an output begins and hands its lines to a page in the making (`page`), which reads them by the tables of rows that each tool's file holds (`nvme`, `ata`).
//! JSON goes into the same tables. `facts` makes of the pages what datasheets and rules are asked with.
//!
//! Every field names the tool and the line it came from. Lines of an output that no row knows are counted, and the first is quoted in the page's problems.
//! Deliberately absent: reading the file, and any guess; a value that cannot be read is left out.

mod ata;
mod desktop;
mod drives;
mod error;
mod esxcli;
mod facts;
mod kernel;
mod lsblk;
mod nvme;
mod page;
mod prefixes;
mod raid;
mod reader;
#[cfg(test)]
mod tests;
pub mod text;

pub use drives::drives;
pub use error::{PasteError, TOOLS};
pub use facts::facts;

use crate::field::Page;

const QUOTED_CHARS: usize = 60;
/// Most lines and most outputs of a text: those of some five hundred drives.
const LINES_MAX: usize = 200_000;
const PAGES_MAX: usize = 5000;

/// The pages that a text holds, in its order; at least one.
///
/// # Errors
/// Where no page says anything about a drive, or there are too many lines or outputs.
pub fn read(text: &str) -> Result<Vec<Page>, PasteError> {
    if text.bytes().filter(|byte| *byte == b'\n').nth(LINES_MAX).is_some() {
        return Err(PasteError::TooMany { line: LINES_MAX + 1, most: LINES_MAX, things: "lines" });
    }
    let lines = text::lines::lines(text);
    let Some(first) = lines.first() else { return Err(PasteError::Empty) };
    let (pages, barren) = prefixes::read(&lines, reader::pages(&lines));
    match barren {
        Some(error @ PasteError::TooMany { .. }) => return Err(error),
        _ if !pages.is_empty() => return Ok(pages),
        _ => {}
    }
    let unknown = || PasteError::Unknown { line: first.number, text: first.text.chars().take(QUOTED_CHARS).collect() };
    Err(barren.unwrap_or_else(unknown))
}
