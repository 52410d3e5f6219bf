//! The rows of an output: by which tables a line becomes a field, and which lines say nothing.
//!
//! Pure data, which `page_builder` reads lines by; `format` adds the functions of an output.

use super::row::Row;

/// Rows of the output of one command.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// The command: `nvmecontrol identify`.
    pub tool: &'static str,
    /// Name of the page that is made of it.
    pub page: &'static str,
    /// Separation of label and value.
    pub split: Split,
    /// The rows.
    pub tables: &'static [&'static [Row]],
    /// Beginnings of lines that belong to the output and say nothing that is needed.
    pub ignored: &'static [&'static str],
}

/// Separation of label and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    /// By the first colon.
    Colon,
    /// The label is the beginning of the line; the longest that fits.
    Prefix,
}
