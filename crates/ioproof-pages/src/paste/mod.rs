//! Output of other tools about a drive, on this machine or any other, read into the same fields as the drive's own pages.
//!
//! A paste is what people send: the output of one or more commands with prompts, quoting, wrapping and words in between. `lines` takes off what mail and forums added,
//! `prompt` knows command lines, `reader` finds where an output begins and hands its lines to a page in the making (`page_builder`), which reads them by the tables of rows
//! (`row`, `kind`, `keys`) that each tool's file holds. JSON goes through `json` into the same tables. `facts` makes of the pages what datasheets and rules are asked with.
//!
//! Every field names the tool and the line it came from. Lines of an output that no row knows are counted, and the first is quoted in the page's problems.
//! Deliberately absent: reading the file, and any guess; a value that cannot be read is left out.

mod ata_logs;
mod ata_tables;
mod block_format;
mod camcontrol;
mod drives;
mod error;
mod facts;
mod format;
mod health_rows;
mod identify_rows;
mod json;
mod keys;
mod kind;
mod layout;
mod lines;
mod number;
mod nvme_cli;
mod nvme_json;
mod nvme_list;
mod nvmecontrol;
mod page_builder;
mod power_states;
mod prompt;
mod reader;
mod row;
mod smartctl;
mod smartctl_json;
mod smartctl_rows;
mod spdk;
mod start;
mod structure;
mod structure_fields;
#[cfg(test)]
mod tests;

pub use drives::drives;
pub use error::{PasteError, TOOLS};
pub use facts::facts;

use crate::field::Page;

const QUOTED_CHARS: usize = 60;

/// The pages that a text holds, in its order; at least one.
///
/// # Errors
/// Where no page says anything about a drive.
pub fn read(text: &str) -> Result<Vec<Page>, PasteError> {
    let lines = lines::lines(text);
    let Some(first) = lines.first() else { return Err(PasteError::Empty) };
    let (pages, barren) = reader::pages(&lines);
    if !pages.is_empty() {
        return Ok(pages);
    }
    let unknown = || PasteError::Unknown { line: first.number, text: first.text.chars().take(QUOTED_CHARS).collect() };
    Err(barren.unwrap_or_else(unknown))
}
