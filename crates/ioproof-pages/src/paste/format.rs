//! The output of one command: its rows, and the functions that read whatever no row does.
//!
//! The file of each tool holds its formats. `layout` is the part that the page under construction needs of them.

use super::layout::{Layout, Split};
use super::lines::Line;
use super::page_builder::{Hooks, PageBuilder};
use super::prompt::Command;
use super::row::Row;

pub(super) struct Format {
    pub tool: &'static str,
    pub page: &'static str,
    pub split: Split,
    pub tables: &'static [&'static [Row]],
    pub ignored: &'static [&'static str],
    pub special: fn(&mut PageBuilder, &Line) -> bool,
    pub finish: fn(&mut PageBuilder),
}

impl Format {
    pub fn open(&self, command: &Command, line: usize) -> PageBuilder {
        let Self { tool, page, split, tables, ignored, special, finish } = *self;
        PageBuilder::new(Layout { tool, page, split, tables, ignored }, Hooks { special, finish }, command, line)
    }
}

pub(super) fn nothing_special(_: &mut PageBuilder, _: &Line) -> bool {
    false
}

pub(super) fn nothing_follows(_: &mut PageBuilder) {}
