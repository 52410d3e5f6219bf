//! The output of one command: its rows, and the functions that read whatever no row does.
//!
//! The file of each tool holds its formats. `layout` is the part that the page under construction needs of them.

use super::layout::{Layout, Split};
use super::lines::Line;
use super::page_builder::{Hooks, PageBuilder};
use super::prompt::Command;
use super::row::Row;

/// The output of one command.
pub(super) struct Format {
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
    /// Reads lines that are no label with a value; true where it understood the line.
    pub special: fn(&mut PageBuilder, &Line) -> bool,
    /// Adds fields that follow from several lines.
    pub finish: fn(&mut PageBuilder),
}

impl Format {
    /// An empty page of this output that begins on a line.
    pub fn open(&self, command: &Command, line: usize) -> PageBuilder {
        let Self { tool, page, split, tables, ignored, special, finish } = *self;
        PageBuilder::new(Layout { tool, page, split, tables, ignored }, Hooks { special, finish }, command, line)
    }
}

/// For formats that have nothing special.
pub(super) fn nothing_special(_: &mut PageBuilder, _: &Line) -> bool {
    false
}

/// For formats of which nothing follows.
pub(super) fn nothing_follows(_: &mut PageBuilder) {}
