//! How the output of one command looks: its rows, and what else there is to its lines.

use super::draft::Draft;
use super::lines::Line;
use super::row::Row;

/// How the output of one command looks: which rows its lines have, and what else there is to them.
pub(super) struct Format {
    /// Whose output it is: `nvmecontrol identify`.
    pub tool: &'static str,
    /// Name of the page that is made of it.
    pub page: &'static str,
    /// What stands between label and value.
    pub split: Split,
    /// The rows.
    pub tables: &'static [&'static [Row]],
    /// Beginnings of lines that belong to the output and say nothing that is needed.
    pub ignored: &'static [&'static str],
    /// Reads what is no label with a value; true where it understood the line.
    pub special: fn(&mut Draft, &Line) -> bool,
    /// Adds what follows from several lines.
    pub finish: fn(&mut Draft),
}

/// How label and value are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    /// By the first colon.
    Colon,
    /// The label is the beginning of the line; the longest that fits.
    Prefix,
}

/// One of the formats of a namespace: how large its blocks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockFormat {
    /// Its number.
    pub index: u64,
    /// Data of a block. Bytes.
    pub data_bytes: u64,
    /// Metadata of a block. Bytes.
    pub metadata_bytes: u64,
    /// Line of the file.
    pub line: usize,
}

/// For formats that have nothing special.
pub(super) fn nothing_special(_: &mut Draft, _: &Line) -> bool {
    false
}

/// For formats of which nothing follows.
pub(super) fn nothing_follows(_: &mut Draft) {}
