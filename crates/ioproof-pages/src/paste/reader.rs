//! Goes through the lines: finds out where the output of a tool begins and ends, and hands its lines to the page that is being made.

use super::PAGES_MAX;
use super::ata::{camcontrol, diskinfo, hdparm, sg_logs, sginfo, smartctl, smartctl_json};
use super::desktop::{crystaldiskinfo, inxi, linux, macos, windows, windows_tables};
use super::error::PasteError;
use super::esxcli;
use super::kernel;
use super::lsblk;
use super::nvme::{cli, cli_json, cli_list, nvmecontrol, spdk};
use super::raid::{arcconf, megacli, promise, ssacli, storcli};
use super::text::json;
use super::text::prompt;
use crate::field::Page;
use crate::paste::page::{JsonOutput, LabelSplit, LineContext, OutputStart, PageBuilder, PastedCommand, PastedLine, ToolFormat};

const STARTS: &[fn(&LineContext) -> Option<OutputStart>] = &[
    spdk::start,
    camcontrol::start,
    nvmecontrol::start,
    cli::start,
    cli_list::start,
    diskinfo::start,
    hdparm::start,
    esxcli::start,
    sg_logs::start,
    sginfo::start,
    lsblk::start,
    storcli::start,
    megacli::start,
    arcconf::start,
    ssacli::start,
    promise::start,
    kernel::start,
    crystaldiskinfo::start,
    windows_tables::start,
    windows::start,
    macos::start,
    linux::start,
    inxi::start,
    smartctl::start,
];

type JsonReader = (fn(&json::JsonDocument) -> bool, fn(&mut Vec<PageBuilder>, &JsonOutput));

const JSON: &[JsonReader] = &[
    (smartctl_json::is_its, smartctl_json::read),
    (cli_json::is_its, cli_json::read),
    (cli_list::is_its, cli_list::read),
    (lsblk::is_its, lsblk::read),
    (windows::is_its, windows::read),
];

pub(crate) fn pages(lines: &[PastedLine]) -> (Vec<Page>, Option<PasteError>) {
    // Only JSON needs the lines as one text.
    let has_json = lines.iter().any(|line| line.text.starts_with('{') || is_json_key(&line.text));
    let (text, starts) = if has_json { joined(lines) } else { Default::default() };
    let mut reader = PasteReader {
        lines,
        text,
        starts,
        at: 0,
        open: None,
        command: PastedCommand::default(),
        pages: Vec::new(),
        barren: None,
        tries: 0,
    };
    while reader.at < lines.len() {
        reader.line();
    }
    reader.close();
    (reader.pages, reader.barren)
}

fn joined(lines: &[PastedLine]) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut number = lines.first().map_or(1, |line| line.number);
    let mut starts = Vec::with_capacity(lines.len());
    for line in lines {
        text.extend(std::iter::repeat_n('\n', line.number - number));
        starts.push(text.len());
        text.push_str(&line.text);
        number = line.number;
    }
    (text, starts)
}

struct PasteReader<'a> {
    lines: &'a [PastedLine],
    text: String,
    starts: Vec<usize>,
    at: usize,
    open: Option<PageBuilder>,
    command: PastedCommand,
    pages: Vec<Page>,
    barren: Option<PasteError>,
    /// Lines at which an object was looked for whose first brace was left out.
    tries: usize,
}

/// More lines are not tried, since each may be followed by all of the text.
const TRIES_MAX: usize = 16;

impl PasteReader<'_> {
    fn line(&mut self) {
        let line = &self.lines[self.at];
        if line.text.starts_with('{') {
            self.close();
            return self.json();
        }
        if is_json_key(&line.text) && self.tries < TRIES_MAX && self.headless_json() {
            return;
        }
        self.at += 1;
        if let Some(device) = prompt::heading(line) {
            self.close();
            self.command = PastedCommand { device: Some((device, line.number)), ..PastedCommand::default() };
        } else if is_fence(&line.text) {
            self.close();
        } else if let Some(command) = prompt::command(line) {
            self.close();
            self.command = command;
        } else if let Some(start) = self.start(line) {
            self.begin(start, line);
        } else {
            self.read(line);
        }
    }

    fn start(&self, line: &PastedLine) -> Option<OutputStart> {
        let context = LineContext {
            line,
            next: self.lines.get(self.at),
            rest: &self.lines[self.at..],
            open: self.open.as_ref(),
            command: &self.command,
        };
        STARTS.iter().find_map(|start| start(&context))
    }

    fn begin(&mut self, start: OutputStart, line: &PastedLine) {
        match start {
            OutputStart::Line(read) => self.open.iter_mut().for_each(|builder| {
                builder.reaches(line.number);
                read(builder, line);
            }),
            OutputStart::Close => self.close(),
            OutputStart::Pages(pages, taken) => {
                self.close();
                pages.into_iter().for_each(|builder| self.keep(builder));
                self.at += taken;
            }
            OutputStart::Open(format) => {
                self.open_page(format, line);
                self.read(line);
            }
            OutputStart::OpenNamed(format, name) => {
                self.open_page(format, line);
                self.open.iter_mut().for_each(|builder| builder.name_device(&name, line.number));
                self.read(line);
            }
            OutputStart::OpenWith(format, read) => {
                self.open_page(format, line);
                self.open.iter_mut().for_each(|builder| read(builder, line));
            }
            OutputStart::Device(format, device) => {
                self.command.device = Some((device, line.number));
                self.open_page(format, line);
            }
        }
    }

    fn open_page(&mut self, format: &'static ToolFormat, line: &PastedLine) {
        self.close();
        self.open = Some(format.open(&self.command, line.number));
    }

    /// A line of the page that is being made; lines outside of any page are somebody's words.
    fn read(&mut self, line: &PastedLine) {
        let Some(builder) = &mut self.open else { return };
        if let Some((joined, taken)) = (builder.format.join)(builder, line, &self.lines[self.at..]) {
            self.at += taken;
            builder.read(&joined);
            builder.reaches(self.lines[self.at - 1].number);
            return;
        }
        let next = self.lines.get(self.at).filter(|next| !next.after_gap);
        if let Some(joined) = next.and_then(|next| unwrapped(builder, line, next).filter(|_| is_plain(next))) {
            self.at += 1;
            builder.read(&joined);
        } else if !builder.read(line) {
            builder.not_understood(line);
        }
    }

    fn close(&mut self) {
        if let Some(builder) = self.open.take() {
            self.keep(builder);
        }
    }

    fn keep(&mut self, builder: PageBuilder) {
        if builder.is_empty() {
            self.barren.get_or_insert(builder.nothing());
        } else if self.pages.len() == PAGES_MAX {
            let line = self.lines.get(self.at).or(self.lines.last()).map_or(1, |line| line.number);
            self.barren = Some(PasteError::TooMany { line, most: PAGES_MAX, things: "outputs" });
            self.at = self.lines.len();
        } else {
            self.pages.push(builder.finish());
        }
    }

    /// The object that begins on this line, and others that follow it on its last line.
    fn json(&mut self) {
        let whole = std::mem::take(&mut self.text);
        let mut text = &whole[self.starts[self.at]..];
        let mut line = self.lines[self.at].number;
        while text.starts_with('{') {
            let document = json::document(text);
            self.take_document(&document, line - 1);
            let (own, rest) = text.split_at(document.length.max(1));
            line += own.matches('\n').count();
            text = rest.trim_start_matches([',', ' ']);
        }
        self.text = whole;
        self.at += self.lines[self.at..].iter().take_while(|own| own.number <= line).count().max(1);
    }

    /// The object whose first brace was left out, where it is one of a tool.
    fn headless_json(&mut self) -> bool {
        self.tries += 1;
        let first = self.lines[self.at].number;
        let text = format!("{{{}", &self.text[self.starts[self.at]..]);
        let document = json::document(&text);
        let is_its = JSON.iter().any(|(is_its, _)| is_its(&document));
        if is_its {
            self.close();
            self.take_document(&document, first - 1);
            let last = first + text[..document.length.min(text.len())].matches('\n').count();
            self.at += self.lines[self.at..].iter().take_while(|own| own.number <= last).count().max(1);
        }
        is_its
    }

    fn take_document(&mut self, document: &json::JsonDocument, line_before: usize) {
        let Some((_, read)) = JSON.iter().find(|(is_its, _)| is_its(document)) else { return };
        let mut builders = Vec::new();
        read(&mut builders, &JsonOutput { document, command: &self.command, line_before });
        if let (Some((line, problem)), Some(builder)) = (&document.problem, builders.first_mut()) {
            builder.problem(format!("line {}: {problem}", line + line_before));
        }
        builders.into_iter().for_each(|builder| self.keep(builder));
    }
}

/// `"model_name": "X",`, where no object is open.
fn is_json_key(text: &str) -> bool {
    text.strip_prefix('"').and_then(|rest| rest.split_once('"')).is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
}

fn is_fence(text: &str) -> bool {
    if !text.starts_with(['#', '`', '~', '[', '<']) {
        return false;
    }
    let text = text.to_lowercase();
    let is_heading = text.starts_with("##") && text.trim_start_matches('#').starts_with(' ');
    is_heading || text.starts_with("```") || text.starts_with("~~~") || ["[code]", "[/code]", "<pre>", "</pre>"].contains(&text.as_str())
}

/// True where a line may be the rest of a wrapped one: no command, no heading, no JSON.
fn is_plain(line: &PastedLine) -> bool {
    !is_fence(&line.text) && !line.text.starts_with(['{', '=', '[']) && prompt::command(line).is_none()
}

/// The line together with the next one, where that gives a label that the line alone does not have, or the value that its label lacks.
fn unwrapped(builder: &PageBuilder, line: &PastedLine, next: &PastedLine) -> Option<PastedLine> {
    let joined = || PastedLine { text: format!("{} {}", line.text, next.text), ..line.clone() };
    if line.text.contains(':') {
        let value_is_wrapped = builder.lacks_value(&line.text) && !next.text.contains(':');
        return value_is_wrapped.then(joined);
    }
    // A label that goes on in the next line ends there, before its colon.
    let may_be_label = builder.format.split == LabelSplit::Prefix || next.text.contains(':');
    if !may_be_label || builder.knows(&line.text) || builder.knows(&next.text) {
        return None;
    }
    Some(joined()).filter(|joined| builder.knows(&joined.text))
}
