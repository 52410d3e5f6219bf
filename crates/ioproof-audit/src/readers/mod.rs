//! Outputs of other tools -> measurements: a file and a row for each tool. README.md says how to add one.

mod bonnie;
mod crystal;
mod dd;
mod diskchecker;
mod elbencho;
mod elbencho_csv;
mod fio_json;
mod fio_text;
mod hdparm;
mod ioping;
mod iostat;
mod nvmecontrol;
mod pg_test_fsync;
mod pgbench;
mod spdk;
mod sysbench;

use crate::command::Command;
use crate::document::{Document, Line};
use crate::measured::{Direction, Kind, Latency, Load, Measured, Order, Quotable, Side, Statement, Unfinished};
use crate::number::{Comma, Number, after, binary, bytes, figure, leading, thousands, time_unit};

/// A place in a document, with the command before it.
pub(crate) struct Context<'a> {
    pub document: &'a Document,
    pub at: usize,
    pub command: Option<&'a Command>,
}

/// An output that was read.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub measured: Vec<Measured>,
    /// The line after its last one.
    pub end: usize,
    /// Lines inside it that the reader does not know.
    pub unknown: Vec<usize>,
    /// The run, where it has no results.
    pub unfinished: Option<Unfinished>,
}

pub(crate) struct Reader {
    pub tool: &'static str,
    /// The output that begins at this place, if one does.
    pub read: fn(&Context) -> Option<Output>,
}

const fn reader(tool: &'static str, read: fn(&Context) -> Option<Output>) -> Reader {
    Reader { tool, read }
}

pub(crate) const READERS: &[Reader] = &[
    reader("fio", fio_text::read),
    reader("fio", fio_json::read),
    reader("nvmecontrol perftest", nvmecontrol::read),
    reader("spdk_nvme_perf", spdk::read),
    reader("sysbench", sysbench::read),
    reader("pgbench", pgbench::read),
    reader("pg_test_fsync", pg_test_fsync::read),
    reader("diskchecker.pl", diskchecker::read),
    reader("dd", dd::read),
    reader("hdparm", hdparm::read),
    reader("ioping", ioping::read),
    reader("iostat", iostat::read),
    reader("elbencho", elbencho::read),
    reader("elbencho", elbencho_csv::read),
    reader("CrystalDiskMark", crystal::read),
    reader("bonnie++", bonnie::read),
];

impl<'a> Context<'a> {
    /// Text of the line at a distance from the place.
    fn text(&self, distance: usize) -> Option<&'a str> {
        self.document.lines.get(self.at + distance).map(|line| line.text.as_str())
    }

    fn line(&self) -> &'a Line {
        &self.document.lines[self.at]
    }

    fn number(&self, at: usize) -> u32 {
        self.document.lines.get(at).map_or(0, |line| line.number)
    }

    /// The command before, where it is one of this tool.
    fn command_of(&self, tool: &str) -> Option<&'a Command> {
        self.command.filter(|command| command.tool == tool)
    }

    /// Lines from the place on, up to a fence, a command or the end, with their positions; at most `most`.
    fn block(&self, most: usize) -> impl Iterator<Item = (usize, &'a Line)> + use<'a> {
        let document = self.document;
        let first = self.at;
        let lines = document.lines.iter().enumerate().skip(first).take(most);
        lines.take_while(move |(at, _)| *at == first || !ends(document, *at))
    }

    /// True for a line that no output goes over: a fence, or a command.
    fn is_end(&self, at: usize) -> bool {
        ends(self.document, at)
    }
}

fn ends(document: &Document, at: usize) -> bool {
    Document::is_fence(&document.lines[at].text) || Command::read(document, at).is_some()
}

/// The text between two marks.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let start = text.find(before)? + before.len();
    let rest = &text[start..];
    Some(&rest[..rest.find(after)?])
}

/// The text behind a label, trimmed.
fn label<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.trim_start().strip_prefix(name).map(str::trim_start)
}
