//! The rows of an output: by which tables a line becomes a field, and which lines say nothing.
//!
//! Pure data, which `page_builder` reads lines by; `format` adds the functions of an output.

use super::row::Row;

#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub tool: &'static str,
    pub page: &'static str,
    pub split: Split,
    pub tables: &'static [&'static [Row]],
    pub ignored: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    Colon,
    /// The label is the beginning of the line; the longest that fits.
    Prefix,
}
