//! Types between the reader and the files of the tools: an output is recognised by its line, and a page is made of an object of JSON.

use super::builder::{PageBuilder, ToolFormat};
use crate::paste::text::json::{JsonDocument, Leaf};
use crate::paste::text::lines::PastedLine;
use crate::paste::text::prompt::PastedCommand;

pub(crate) struct LineContext<'a> {
    pub line: &'a PastedLine,
    pub next: Option<&'a PastedLine>,
    /// The lines after it.
    pub rest: &'a [PastedLine],
    pub open: Option<&'a PageBuilder>,
    pub command: &'a PastedCommand,
}

impl LineContext<'_> {
    pub fn is_in(&self, tool: &str) -> bool {
        self.open.is_some_and(|builder| builder.format.tool == tool)
    }
}

pub(crate) enum OutputStart {
    Open(&'static ToolFormat),
    Device(&'static ToolFormat, String),
    /// A page of a drive with this name; pages after it have their own.
    OpenNamed(&'static ToolFormat, String),
    /// A page, whose first line is read by this.
    OpenWith(&'static ToolFormat, fn(&mut PageBuilder, &PastedLine)),
    /// Nothing: the line belongs to the page that is being made, and this reads it.
    Line(fn(&mut PageBuilder, &PastedLine)),
    Close,
    /// Pages that were read already, with the number of lines after this one that they took.
    Pages(Vec<PageBuilder>, usize),
}

pub(crate) struct JsonOutput<'a> {
    pub document: &'a JsonDocument,
    pub command: &'a PastedCommand,
    /// Number that is added to its lines to get those of the file.
    pub line_before: usize,
}

/// Makes a page out of the leaves of a document, all of them or those that `choose` gives a label. `other` reads what may have a row or none; a value that neither reads
/// counts as not understood, unless its path begins as one of those that the format ignores.
pub(crate) fn page_of_json(
    format: &'static ToolFormat,
    json: &JsonOutput,
    choose: impl Fn(&str) -> Option<String>,
    other: impl Fn(&mut PageBuilder, &Leaf, usize) -> bool,
) -> PageBuilder {
    let first = json.document.leaves.first().map_or(1, |leaf| leaf.line) + json.line_before;
    let mut builder = format.open(json.command, first);
    for leaf in &json.document.leaves {
        let line = leaf.line + json.line_before;
        builder.reaches(line);
        let Some(label) = choose(&leaf.path) else { continue };
        let is_read = other(&mut builder, leaf, line);
        let is_understood =
            if builder.has_row(&label) { builder.take(&label, &leaf.text, line) } else { is_read || is_ignored(format, &leaf.path) };
        if !is_understood {
            builder.not_understood(&PastedLine { number: line, text: format!("{}: {}", leaf.path, leaf.text), after_gap: false });
        }
    }
    builder
}

fn is_ignored(format: &ToolFormat, path: &str) -> bool {
    format.ignored.iter().any(|start| path.starts_with(start))
}
