//! What the reader and the files of the tools say to one another: how an output is recognised, and how a page is made of an object of JSON.

use super::draft::{Draft, Format};
use super::json::{Document, Leaf};
use super::lines::Line;
use super::prompt::Command;

/// What a tool may look at to recognise its output.
pub(super) struct Context<'a> {
    pub line: &'a Line,
    /// The line after it.
    pub next: Option<&'a Line>,
    /// The page that is being made.
    pub open: Option<&'a Draft>,
    /// The last command line that was pasted.
    pub command: &'a Command,
}

impl Context<'_> {
    /// Whether the page that is being made is of this tool.
    pub fn is_in(&self, tool: &str) -> bool {
        self.open.is_some_and(|draft| draft.format.tool == tool)
    }
}

/// What a line is the beginning of.
pub(super) enum Start {
    /// A page, of which the line is the first.
    Open(&'static Format),
    /// A page about this device; the line says no more.
    Device(&'static Format, String),
    /// A page, whose first line is read by this.
    OpenWith(&'static Format, fn(&mut Draft, &Line)),
    /// Nothing: the line belongs to the page that is being made, and this reads it.
    Line(fn(&mut Draft, &Line)),
    /// Something that is not read.
    Close,
}

/// An object of JSON with what is needed to make pages of it.
pub(super) struct Json<'a> {
    pub document: &'a Document,
    pub command: &'a Command,
    /// What is to be added to its lines to get those of the file.
    pub line_before: usize,
}

/// Makes a page out of the leaves of a document, all of them or those that `choose` gives a label. `other` reads what may have a row or none; a value that neither reads
/// counts as not understood, unless its path begins as one of those that the format ignores.
pub(super) fn draft_of_json(
    format: &'static Format,
    json: &Json,
    choose: impl Fn(&str) -> Option<String>,
    other: impl Fn(&mut Draft, &Leaf, usize) -> bool,
) -> Draft {
    let first = json.document.leaves.first().map_or(1, |leaf| leaf.line) + json.line_before;
    let mut draft = Draft::new(format, json.command, first);
    for leaf in &json.document.leaves {
        let line = leaf.line + json.line_before;
        draft.reaches(line);
        let Some(label) = choose(&leaf.path) else { continue };
        let is_read = other(&mut draft, leaf, line);
        let is_understood =
            if draft.has_row(&label) { draft.take(&label, &leaf.text, line) } else { is_read || is_ignored(format, &leaf.path) };
        if !is_understood {
            draft.not_understood(&Line { number: line, text: format!("{}: {}", leaf.path, leaf.text), after_gap: false });
        }
    }
    draft
}

fn is_ignored(format: &Format, path: &str) -> bool {
    format.ignored.iter().any(|start| path.starts_with(start))
}
