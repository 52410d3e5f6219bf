//! A page under construction while the lines of an output come in.
//!
//! It reads lines by the rows and the functions of a [`ToolFormat`]. Deliberately absent: the outputs themselves; the file of each tool holds its formats.

use super::keys;
use super::kind::{TextKind, TextReading};
use super::row::{self, LabelRow};
use super::sanity;
use super::structure::Structure;
use crate::field::{Field, Page, Value};
use crate::health::ENDS_EARLY;
use crate::paste::error::PasteError;
use crate::paste::text::lines::{self, PastedLine};
use crate::paste::text::prompt::PastedCommand;
use crate::paste::text::unread::UnreadLines;

/// Joins a line with those of the next ones that belong to its row.
type LineJoin = fn(&PageBuilder, &PastedLine, &[PastedLine]) -> Option<(PastedLine, usize)>;

#[derive(Clone, Copy)]
pub(crate) struct ToolFormat {
    pub tool: &'static str,
    pub page: &'static str,
    pub split: LabelSplit,
    pub tables: &'static [&'static [LabelRow]],
    /// Beginnings of lines that say nothing that is needed.
    pub ignored: &'static [&'static str],
    /// Reads lines that are no label with a value; true where it understood the line.
    pub special: fn(&mut PageBuilder, &PastedLine) -> bool,
    /// The line with those of the next ones that belong to its row, and how many; `None` where it stands alone.
    pub join: LineJoin,
    /// Part of the output that is a table, of which a row that is left out is missed.
    pub table_part: &'static str,
    /// Part of the output that the first line belongs to.
    pub first_part: &'static str,
    pub finish: fn(&mut PageBuilder),
}

impl ToolFormat {
    pub const PLAIN: Self = Self {
        tool: "",
        page: "",
        split: LabelSplit::Colon,
        tables: &[],
        ignored: &[],
        special: |_, _| false,
        join: |_, _, _| None,
        table_part: "-",
        first_part: "",
        finish: |_| {},
    };

    pub fn open(&self, command: &PastedCommand, line: usize) -> PageBuilder {
        PageBuilder::new(*self, command, line)
    }
}

impl Default for ToolFormat {
    fn default() -> Self {
        Self::PLAIN
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelSplit {
    Colon,
    Equals,
    /// The label is the beginning of the line; the longest that fits.
    Prefix,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockFormat {
    pub index: u64,
    pub data_bytes: u64,
    pub metadata_bytes: u64,
    pub line: usize,
}

#[derive(Debug, Default)]
pub(crate) struct EventLog {
    pub hours: Option<u64>,
    /// Errors that were reads which could not be corrected, and self-tests that failed.
    pub found: u64,
    /// True where the next line of bytes is the registers after an error.
    pub expects_registers: bool,
    /// True where the self-test that the next values are about goes over all of the medium.
    pub is_whole: bool,
    /// True where a later self-test over all of the medium found nothing.
    pub is_outdated: bool,
}

#[derive(Default)]
pub(crate) struct PageBuilder {
    pub format: ToolFormat,
    pub tool: &'static str,
    pub part: &'static str,
    pub tally: u64,
    /// Labels of the page, for outputs in which a second one begins another drive.
    pub seen: Vec<String>,
    /// First line that only a SCSI drive has.
    pub scsi_line: Option<usize>,
    pub log: EventLog,
    /// Errors in the drive's log of which the kind is known.
    pub errors_decoded: u64,
    pub block_formats: Vec<BlockFormat>,
    pub current_format: Option<u64>,
    pub structure: Structure,
    fields: Vec<Field>,
    lines: Vec<usize>,
    problems: Vec<String>,
    command: PastedCommand,
    first_line: usize,
    last_line: usize,
    unread: UnreadLines,
    contradicted: Vec<&'static str>,
    not_readable: Vec<&'static str>,
}

/// Key of the lines on health that could not be read.
pub(crate) const UNREAD_HEALTH: &str = "health_lines_unread";
const QUOTED_CHARS: usize = 100;
const PROBLEMS_MAX: usize = 10;
const FIELDS_MAX: usize = 2000;
/// Most words of a list; no drive has as many.
const WORDS_MAX: usize = 100;

impl PageBuilder {
    fn new(format: ToolFormat, command: &PastedCommand, line: usize) -> Self {
        // camcontrol prints NVMe drives as nvmecontrol does.
        let tool = if command.tool == "camcontrol" { "camcontrol identify" } else { format.tool };
        let mut command = command.clone();
        // The device of another program's command, `mdadm -E /dev/md0`, is none of the drive's names.
        if command.tool.is_empty() && !command.line.is_empty() {
            command.device = None;
        }
        Self { format, tool, part: format.first_part, command, first_line: line, last_line: line, ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub fn field(&self, key: &str) -> Option<(&Field, usize)> {
        let at = self.fields.iter().position(|field| field.key == key)?;
        Some((&self.fields[at], self.lines[at]))
    }

    pub fn has_attributes(&self) -> bool {
        self.fields.iter().any(|field| field.key.starts_with("attribute_"))
    }

    pub fn number(&self, key: &str) -> Option<(u64, usize)> {
        match self.field(key)? {
            (Field { value: Value::Number(number), .. }, line) => Some((*number, line)),
            _ => None,
        }
    }

    pub fn text(&self, key: &str) -> Option<String> {
        match self.field(key)? {
            (Field { value: Value::Text(text), .. }, _) => Some(text.clone()),
            _ => None,
        }
    }

    pub fn read(&mut self, line: &PastedLine) -> bool {
        self.last_line = line.number;
        if self.part == self.format.table_part && lines::is_elision(&line.text) {
            self.problem(format!("{ENDS_EARLY} in places: rows were left out at line {}", line.number));
        }
        lines::is_decoration(&line.text) || (self.format.special)(self, line) || self.read_labelled(line) || self.is_ignored(&line.text)
    }

    fn is_ignored(&self, text: &str) -> bool {
        self.format.ignored.iter().any(|start| text.starts_with(start))
    }

    fn read_labelled(&mut self, line: &PastedLine) -> bool {
        let Some((label, value)) = self.labelled(&line.text) else { return false };
        self.take(label, value, line.number)
    }

    fn labelled<'a>(&self, text: &'a str) -> Option<(&'a str, &'a str)> {
        match self.format.split {
            LabelSplit::Colon => text.split_once(':'),
            LabelSplit::Equals => text.split_once('='),
            LabelSplit::Prefix => row::longest_label(self.format.tables, text).map(|length| text.split_at(length)),
        }
    }

    pub fn knows(&self, text: &str) -> bool {
        self.labelled(text).is_some_and(|(label, _)| row::find(self.format.tables, label).is_some())
    }

    pub fn has_row(&self, label: &str) -> bool {
        row::find(self.format.tables, label).is_some()
    }

    pub fn reaches(&mut self, line: usize) {
        self.last_line = self.last_line.max(line);
    }

    pub fn last_line(&self) -> usize {
        self.last_line
    }

    pub fn last_field_line(&self) -> usize {
        self.lines.iter().copied().max().unwrap_or(0)
    }

    /// True for a line with such a label and nothing behind it: its value may have been wrapped to the next line.
    pub fn lacks_value(&self, text: &str) -> bool {
        let (LabelSplit::Colon, Some((label, value))) = (self.format.split, self.labelled(text)) else { return false };
        value.trim().is_empty() && row::find(self.format.tables, label).is_some_and(|(row, _)| row.kind != TextKind::Skip)
    }

    pub fn take(&mut self, label: &str, value: &str, line: usize) -> bool {
        let Some((row, number)) = row::find(self.format.tables, label) else { return false };
        self.take_as(row.kind, (row.key, &numbered(row.key, number)), value, line)
    }

    /// Takes a value of this kind under the key of a row and its number; false where it could not be read.
    pub fn take_as(&mut self, kind: TextKind, (row_key, key): (&'static str, &str), value: &str, line: usize) -> bool {
        match kind.read(value) {
            TextReading::Value(value) => self.set(key, value, line),
            TextReading::None => {}
            TextReading::NotUnderstood => {
                self.not_readable.push(row_key);
                return false;
            }
        }
        true
    }

    /// A field; a different value under the same key is a contradiction, and the first one stays.
    pub fn set(&mut self, key: &str, value: Value, line: usize) {
        match self.field(key) {
            Some((known, at)) if known.value != value => {
                let problem = format!("line {line} says something else about {key} than line {at}, which was taken");
                self.problem(problem);
            }
            Some(_) => {}
            None => self.add(key, value, line, format!("{}, line {line}", self.tool)),
        }
    }

    /// True where a line has this fact, read or not.
    pub fn is_there(&self, key: &str) -> bool {
        self.not_readable.contains(&key) || self.field(key).is_some()
    }

    /// Leaves a fact out that two lines tell differently, and says so.
    pub fn contradicted(&mut self, key: &'static str, said: &str) {
        self.contradicted.push(key);
        self.problem(format!("{key} is not known: {said}"));
    }

    /// A field where there is none by now; for facts that an output tells in several places, the surest first.
    pub fn set_if_new(&mut self, key: &str, value: Value, line: usize) {
        if self.field(key).is_none() {
            self.add(key, value, line, format!("{}, line {line}", self.tool));
        }
    }

    /// The same, where something was read.
    pub fn set_some(&mut self, key: &str, value: Option<Value>, line: usize) {
        if let Some(value) = value {
            self.set_if_new(key, value, line);
        }
    }

    /// The same for a number.
    pub fn set_number(&mut self, key: &str, number: impl Into<Option<u64>>, line: usize) {
        self.set_some(key, number.into().map(Value::Number), line);
    }

    /// The drive's temperature, where the degrees can be one.
    pub fn set_celsius(&mut self, degrees: Option<u64>, line: usize) {
        self.set_number("temperature_celsius", degrees.filter(|degrees| (1..=127).contains(degrees)), line);
    }

    /// The same for a text that is not blank.
    pub fn set_text(&mut self, key: &str, text: &str, line: usize) {
        if !text.trim().is_empty() {
            self.set_if_new(key, Value::Text(text.trim().to_owned()), line);
        }
    }

    /// The largest of several counts of one thing.
    pub fn set_largest(&mut self, key: &str, count: impl Into<Option<u64>>, line: usize) {
        let known = self.number(key).map(|(known, _)| known);
        if let Some(count) = count.into().filter(|count| known.is_none_or(|known| known < *count)) {
            self.replace(key, Value::Number(count), line);
        }
    }

    /// A count that grows with each line that tells of more.
    pub fn add_number(&mut self, key: &str, count: u64, line: usize) {
        let known = self.number(key).map_or(0, |(known, _)| known);
        self.replace(key, Value::Number(known.saturating_add(count)), line);
    }

    pub fn replace(&mut self, key: &str, value: Value, line: usize) {
        self.remove(key);
        self.set(key, value, line);
    }

    pub fn remove(&mut self, key: &str) {
        if let Some(at) = self.fields.iter().position(|field| field.key == key) {
            self.fields.remove(at);
            self.lines.remove(at);
        }
    }

    /// The device's name by the output, which counts where the command line did not name it.
    pub fn suggest_device(&mut self, name: &str) {
        self.command.device.get_or_insert_with(|| (name.to_owned(), self.first_line));
    }

    /// The device's name by a line that says whose it is.
    pub fn name_device(&mut self, name: &str, line: usize) {
        self.command.device = Some((name.to_owned(), line));
    }

    pub fn device(&self) -> Option<&str> {
        self.command.device.as_ref().map(|(name, _)| name.as_str())
    }

    /// A field that follows from two lines, where there is none by now.
    pub fn derive(&mut self, key: &str, value: Value, lines: (usize, usize)) {
        if self.field(key).is_none() {
            let (first, second) = (lines.0.min(lines.1), lines.0.max(lines.1));
            let place = if first == second { format!("line {first}") } else { format!("lines {first} and {second}") };
            self.add(key, value, second, format!("{}, {place}", self.tool));
        }
    }

    /// A field that another table made, where there is none by now; its source becomes the line.
    pub fn add_field(&mut self, field: Field, line: usize) {
        if self.fields.len() < FIELDS_MAX && self.field(&field.key).is_none() {
            self.fields.push(Field { source: format!("{}, line {line}", self.tool), ..field });
            self.lines.push(line);
        }
    }

    fn add(&mut self, key: &str, value: Value, line: usize, source: String) {
        if self.fields.len() == FIELDS_MAX {
            return;
        }
        let (title, unit) = keys::about(key);
        self.fields.push(Field { key: key.to_owned(), title, value, unit: unit.map(str::to_owned), source });
        self.lines.push(line);
    }

    /// Adds a word to a list, which is made where there is none. The source names the lines of the words.
    pub fn add_word(&mut self, key: &str, word: Option<&str>, line: usize) {
        self.set_if_new(key, Value::List(Vec::new()), line);
        let Some(Field { value: Value::List(words), source, .. }) = self.fields.iter_mut().find(|field| field.key == key) else { return };
        if let Some(word) = word.filter(|_| words.len() < WORDS_MAX) {
            *source = if words.is_empty() { format!("{}, line {line}", self.tool) } else { format!("{source} and {line}") };
            words.push(word.to_owned());
        }
    }

    /// Something wrong with the page; after the first few, more of it says nothing new.
    pub fn problem(&mut self, text: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(text);
        }
    }

    pub fn not_understood(&mut self, line: &PastedLine) {
        self.unread.push(line.number, &line.text);
    }

    /// A line that says something about the drive's health, which could not be read: without it nothing speaks for the drive.
    pub fn unread_health(&mut self, line: &PastedLine) {
        let quoted: String = line.text.chars().take(QUOTED_CHARS).collect();
        self.add_word(UNREAD_HEALTH, Some(&format!("line {}: {quoted}", line.number)), line.number);
    }

    /// The error of an output without any fact: often its first odd line says why.
    pub fn nothing(self) -> PasteError {
        let instead = self.unread.first().map(|(line, text)| format!("; line {line}: {text}")).unwrap_or_default();
        PasteError::NoFacts { line: self.first_line, tool: self.tool, instead }
    }

    /// The page; the device that the command line named is a field of it, unless the output says it itself.
    pub fn finish(mut self) -> Page {
        if let Some((device, line)) = self.command.device.clone() {
            self.set_if_new("device_name", Value::Text(device), line);
        }
        (self.format.finish)(&mut self);
        sanity::check(&mut self);
        std::mem::take(&mut self.contradicted).into_iter().for_each(|key| self.remove(key));
        self.problems.extend(self.unread.describe());
        let of = if self.command.tool.is_empty() { self.tool.to_owned() } else { self.command.line.clone() };
        let source = format!("{of}, pasted, lines {}-{}", self.first_line, self.last_line);
        Page { name: self.format.page.to_owned(), source, raw: String::new(), fields: self.fields, problems: self.problems }
    }
}

fn numbered(key: &str, number: Option<u64>) -> String {
    number.map_or_else(|| key.to_owned(), |number| key.replace('#', &number.to_string()))
}
