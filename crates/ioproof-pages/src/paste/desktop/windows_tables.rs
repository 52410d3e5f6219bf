//! Tables of drives in Windows: those of PowerShell, with a rule of dashes below the headings, and those of wmic, with wide blanks between
//! its columns.
//!
//! A table is read by the places of its headings. A row in which a column does not begin below its heading was shifted by a forum, and is
//! not read.

use super::windows::put;
use crate::paste::page::{LineContext, OutputStart, PageBuilder, PastedCommand, PastedLine, ToolFormat};
use crate::paste::text::prompt;

pub(crate) const POWERSHELL: ToolFormat = ToolFormat { tool: "PowerShell", page: "windows-disk", ..ToolFormat::PLAIN };
pub(crate) const WMIC: ToolFormat = ToolFormat { tool: "wmic", page: "windows-disk", ..ToolFormat::PLAIN };

/// Headings of which a table of drives has one.
#[rustfmt::skip]
const KNOWN_BY: &[&str] = &[
    "FriendlyName", "Friendly Name", "HealthStatus", "ReadErrorsUncorrected", "PowerOnHours", "SerialNumber", "Serial Number", "MediaType",
];

/// Properties of wmic's drives.
#[rustfmt::skip]
const WMIC_NAMES: &[&str] = &[
    "Caption", "DeviceID", "Model", "Partitions", "Size", "Status", "SerialNumber", "InterfaceType", "MediaType", "FirmwareRevision",
    "Name", "Index", "Manufacturer", "Description", "BytesPerSector", "TotalSectors", "PNPDeviceID",
];

/// Columns of figures, which stand at the right or at the left of their headings.
#[rustfmt::skip]
const FIGURES: &[&str] = &[
    "Size", "Total Size", "AllocatedSize", "Temperature", "TemperatureMax", "Wear", "PowerOnHours", "ReadErrorsUncorrected",
    "ReadErrorsTotal", "ReadErrorsCorrected", "WriteErrorsUncorrected", "WriteErrorsTotal", "StartStopCycleCount", "SpindleSpeed",
    "LogicalSectorSize", "PhysicalSectorSize",
];

const ROWS_MAX: usize = 500;
const HEADING_LINES: usize = 2;

struct Column {
    name: String,
    start: usize,
    end: usize,
    is_figure: bool,
}

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    powershell(context).or_else(|| wmic(context))
}

/// Headings, perhaps a second line of them, and a rule of dashes that shows how wide they are.
fn powershell(context: &LineContext) -> Option<OutputStart> {
    let at = context.rest.iter().take(HEADING_LINES).position(|line| is_rule(&line.text))?;
    let columns = columns(&context.line.text, &spans(&context.rest[at].text), FIGURES);
    if !columns.iter().any(|column| KNOWN_BY.contains(&column.name.as_str())) {
        return None;
    }
    let rows = rows(&context.rest[at + 1..], &columns);
    let pages = rows.iter().map(|(line, cells)| page(&POWERSHELL, cells, line.number)).collect();
    Some(OutputStart::Pages(pages, at + 1 + rows.len()))
}

/// `------ ------------   ----`.
fn is_rule(text: &str) -> bool {
    text.contains("- -") && text.bytes().all(|sign| sign == b'-' || sign == b' ')
}

fn wmic(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let names: Vec<&str> = text.split_whitespace().collect();
    let has_model = names.iter().any(|name| matches!(*name, "Model" | "Caption"));
    let is_asked = context.command.tool == "wmic";
    let is_table = names.iter().all(|name| WMIC_NAMES.contains(name)) && (is_asked || has_model && names.len() > 1);
    if !is_table {
        return None;
    }
    let columns = columns(text, &spans(text), &[]);
    let rows = rows(context.rest, &columns);
    let pages: Vec<PageBuilder> = rows.iter().map(|(line, cells)| page(&WMIC, cells, line.number)).collect();
    (!pages.is_empty()).then_some(OutputStart::Pages(pages, rows.len()))
}

/// Beginning and end of each word.
fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.chars().enumerate().filter(|(_, c)| !c.is_whitespace()) {
        match found.last_mut().filter(|(_, end)| at == *end) {
            Some((_, end)) => *end = at + 1,
            None => found.push((at, at + 1)),
        }
    }
    found
}

fn columns(headings: &str, spans: &[(usize, usize)], figures: &[&str]) -> Vec<Column> {
    let text: Vec<char> = headings.chars().collect();
    let name = |start: usize, end: usize| -> String { text.get(start..end.min(text.len())).unwrap_or_default().iter().collect() };
    let column = |(start, end): &(usize, usize)| {
        let name = name(*start, *end).trim().to_owned();
        Column { is_figure: figures.contains(&name.as_str()), name, start: *start, end: *end }
    };
    spans.iter().map(column).collect()
}

type Cells = Vec<(String, String)>;

/// The rows up to the first line that is none.
fn rows<'a>(lines: &'a [PastedLine], columns: &[Column]) -> Vec<(&'a PastedLine, Cells)> {
    let is_prompt = |text: &str| {
        text.starts_with("``") || text.starts_with("~~") || text.starts_with("PS ") || text.ends_with('>') || text.get(1..3) == Some(":\\")
    };
    let is_row = |line: &&PastedLine| prompt::command(line).is_none() && !is_prompt(&line.text);
    lines.iter().take(ROWS_MAX).take_while(is_row).map_while(|line| Some((line, cells(columns, &line.text)?))).collect()
}

/// The cells of a row; none where it does not fit the headings.
fn cells(columns: &[Column], text: &str) -> Option<Cells> {
    let line: Vec<char> = text.chars().collect();
    let words = spans(text);
    let places: Vec<(usize, Option<usize>)> = columns.iter().map(|column| place(column, &line, &words)).collect::<Option<_>>()?;
    let cell = |(at, column): (usize, &Column)| {
        let (start, own) = places[at];
        let end = own.or_else(|| places.get(at + 1).map(|(next, _)| *next)).unwrap_or(line.len()).min(line.len());
        let text: String = line.get(start..end).unwrap_or_default().iter().collect();
        (column.name.clone(), text.trim().to_owned())
    };
    Some(columns.iter().enumerate().map(cell).collect())
}

/// Beginning of a cell and, of a figure, its end. Text begins below its heading. A figure begins or ends where its heading does; a size is
/// two words.
fn place(column: &Column, line: &[char], words: &[(usize, usize)]) -> Option<(usize, Option<usize>)> {
    if !column.is_figure {
        let is_free = column.start == 0 || line.get(column.start - 1).is_none_or(|c| c.is_whitespace());
        return is_free.then_some((column.start, None));
    }
    let is_unit = |(start, end): (usize, usize)| end == start + 2 && line[end - 1] == 'B';
    let Some(at) = words.iter().position(|(start, end)| *start < column.end && *end > column.start) else {
        return Some((column.start, Some(column.start)));
    };
    let first = if is_unit(words[at]) { at.checked_sub(1)? } else { at };
    let last = if words.get(first + 1).is_some_and(|next| is_unit(*next)) { first + 1 } else { first };
    let (start, end) = (words[first].0, words[last].1);
    (start == column.start || end == column.end).then_some((start, Some(end)))
}

fn page(format: &'static ToolFormat, cells: &Cells, line: usize) -> PageBuilder {
    let mut builder = format.open(&PastedCommand::default(), line);
    // What tells that a wear of 0 is one comes first.
    let is_wear = |name: &str| name == "Wear";
    let (wear, others): (Vec<_>, Vec<_>) = cells.iter().partition(|(name, _)| is_wear(name));
    others.into_iter().chain(wear).for_each(|(name, text)| put(&mut builder, name, text, line));
    builder
}

#[cfg(test)]
mod tests {
    use crate::health::{HealthState, judge};
    use crate::paste::read;

    const TABLE: &str = "\
Number FriendlyName       SerialNumber MediaType HealthStatus Usage            Size
------ ------------       ------------ --------- ------------ -----            ----
0      INTEL SSDSCKKW256G BTLA0001     SSD       Healthy      Auto-Select 238.47 GB
1      Samsung SSD 850... S21P0001     SSD       Unhealthy    Auto-Select      5 TB
";

    #[test]
    fn columns_are_told_by_the_rule_below_the_headings() {
        let pages = read(TABLE).unwrap();
        let told = |at: usize| (pages[at].text("model"), pages[at].text("serial"), pages[at].number("capacity_rounded_bytes"));
        assert_eq!(told(0), (Some("INTEL SSDSCKKW256G"), Some("BTLA0001"), Some(256_055_212_769)));
        assert_eq!(told(1), (None, Some("S21P0001"), None), "names that are cut and sizes of one digit are no facts");
        assert_eq!(judge("", &pages[1..]).state, HealthState::Failing);
    }

    #[test]
    fn rows_that_were_shifted_are_not_read() {
        let shifted = TABLE.replace("0      INTEL", "0 INTEL").replace("1      Samsung", "1 Samsung");
        assert!(read(&shifted).is_err());
        assert!(read("Name Size\n---- ----\nx    3 TB\n").is_err());
    }

    #[test]
    fn figures_at_the_right_and_at_the_left() {
        let right = "\
DeviceId Temperature ReadErrorsUncorrected Wear PowerOnHours
-------- ----------- --------------------- ---- ------------
0                 41                     5    7        20134
";
        let pages = read(right).unwrap();
        let told = ["temperature_celsius", "media_errors", "percentage_used_percent", "power_on_hours"].map(|key| pages[0].number(key));
        assert_eq!(told, [Some(41), Some(5), Some(7), Some(20_134)]);
    }

    #[test]
    fn a_status_alone_is_read_below_its_command() {
        let text = "C:\\>wmic diskdrive get status\nStatus\nOK\nPred Fail\n\nC:\\>\n";
        let states: Vec<HealthState> = read(text).unwrap().iter().map(|page| judge("", std::slice::from_ref(page)).state).collect();
        assert_eq!(states, [HealthState::OkAsFarAsTold, HealthState::Failing]);
        assert!(read("Status\nOK\n").is_err());
    }
}
