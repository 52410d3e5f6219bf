//! `lsblk` with a column of models, as a table, as pairs (`-P`) and as JSON: a page for each drive that it lists.
//!
//! The table is read by the places of its headings. It tells nothing of a drive's health. A size of two digits is too coarse to be a fact.

use super::text::prompt;
use crate::paste::page::{
    JsonDocument, JsonOutput, LineContext, OutputStart, PageBuilder, PastedCommand, PastedLine, ToolFormat, rounded_size_bytes,
};

pub(crate) const LSBLK: ToolFormat = ToolFormat { tool: "lsblk", page: "block-device", ..ToolFormat::PLAIN };

/// Columns whose figures stand at the right.
const AT_RIGHT: [&str; 12] =
    ["SIZE", "ROTA", "RM", "RO", "RA", "RQ-SIZE", "PHY-SEC", "LOG-SEC", "MIN-IO", "OPT-IO", "ALIGNMENT", "DISC-GRAN"];
/// Drives that are read of one table.
const ROWS_MAX: usize = 2000;

/// A heading with the place of its first character and of the one after its last.
struct Heading {
    name: String,
    start: usize,
    end: usize,
}

pub(super) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let is_table = text.starts_with("NAME ") && text.split_whitespace().any(|word| word == "MODEL");
    if is_table {
        let headings = headings(text);
        let is_row = |line: &&PastedLine| !line.after_gap && prompt::command(line).is_none() && !line.text.starts_with("NAME ");
        let rows: Vec<&PastedLine> =
            context.rest.iter().take(ROWS_MAX).take_while(is_row).take_while(|line| is_device(&line.text)).collect();
        let pages = rows.iter().filter_map(|line| page(&cells(&headings, &line.text), line.number)).collect();
        return Some(OutputStart::Pages(pages, rows.len()));
    }
    let is_pairs = text.starts_with("NAME=\"") && text.contains("MODEL=\"");
    is_pairs.then(|| OutputStart::Pages(page(&pairs(text), context.line.number).into_iter().collect(), 0))
}

/// A row of a drive, or of a part of one, with the lines of a tree before it.
fn is_device(text: &str) -> bool {
    let name = text.trim_start_matches(['├', '└', '─', '│', '|', '`', '-', ' ']).split_whitespace().next().unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.contains(|c: char| c.is_ascii_alphanumeric())
}

fn headings(text: &str) -> Vec<Heading> {
    let mut found: Vec<Heading> = Vec::new();
    for (at, c) in text.chars().enumerate().filter(|(_, c)| !c.is_whitespace()) {
        match found.last_mut().filter(|last| last.end == at) {
            Some(last) => {
                last.name.push(c);
                last.end = at + 1;
            }
            None => found.push(Heading { name: c.to_string(), start: at, end: at + 1 }),
        }
    }
    found
}

/// The cells of a row: one at the right ends below the end of its heading, one at the left begins below its beginning.
fn cells(headings: &[Heading], text: &str) -> Vec<(String, String)> {
    let line: Vec<char> = text.chars().collect();
    let is_blank = |at: usize| line.get(at).is_none_or(|c| c.is_whitespace());
    let begins = |heading: &Heading| {
        if !AT_RIGHT.contains(&heading.name.as_str()) {
            return heading.start;
        }
        (0..heading.end.min(line.len())).rev().find(|at| is_blank(*at)).map_or(0, |blank| blank + 1)
    };
    let starts: Vec<usize> = headings.iter().map(begins).collect();
    let cell = |(at, heading): (usize, &Heading)| {
        let end = starts.get(at + 1).copied().unwrap_or(line.len()).min(line.len());
        let text: String = line.get(starts[at]..end).unwrap_or_default().iter().collect();
        (heading.name.to_lowercase(), text.trim().to_owned())
    };
    headings.iter().enumerate().map(cell).collect()
}

/// `NAME="sda" MODEL="WDC WD40EFRX"`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((key, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else { break };
        found.push((key.trim().to_lowercase(), value.trim().to_owned()));
        rest = after;
    }
    found
}

fn page(cells: &[(String, String)], line: usize) -> Option<PageBuilder> {
    let cell = |key: &str| cells.iter().find(|(name, _)| name == key).map(|(_, text)| text.as_str()).filter(|text| !text.is_empty());
    let name = cell("name").or_else(|| cell("kname"))?.trim_start_matches("/dev/");
    let is_drive = prompt::is_disk(name) && cell("type").is_none_or(|kind| kind == "disk") && !is_part(name);
    let model = cell("model").filter(|_| is_drive)?;
    let mut builder = LSBLK.open(&PastedCommand::default(), line);
    let protocol = match cell("tran") {
        Some("nvme") => "NVMe",
        Some("sata" | "ata") => "ATA",
        Some("sas") => "SCSI",
        _ => "",
    };
    let (serial, firmware) = (cell("serial").unwrap_or_default(), cell("rev").unwrap_or_default());
    // udev writes a name with `_` in place of blanks.
    let model = model.replace('_', " ");
    for (key, text) in [("device_name", name), ("model", &model), ("serial", serial), ("firmware", firmware), ("protocol", protocol)] {
        builder.set_text(key, text, line);
    }
    if let Some((key, bytes)) = cell("size").and_then(size) {
        builder.set_number(key, bytes, line);
    }
    for (column, key) in [("phy-sec", "physical_block_bytes"), ("log-sec", "logical_block_bytes")] {
        builder.set_number(key, cell(column).and_then(|text| text.parse().ok()).filter(|bytes| *bytes > 0), line);
    }
    if matches!(cell("rota"), Some("0" | "false")) {
        builder.set_number("rotation_rate_rpm", 0, line);
    }
    Some(builder)
}

/// `nvme0n1p2`, which the words of a drive fit as well.
fn is_part(name: &str) -> bool {
    name.starts_with("nvme") && name["nvme".len()..].contains('p')
}

/// `3.6T` in powers of 1024, or bytes. Two digits are too few.
fn size(text: &str) -> Option<(&'static str, u64)> {
    const LEAST_BYTES: u64 = 1_000_000;
    if let Ok(bytes) = text.parse::<u64>() {
        return Some(("capacity_bytes", bytes)).filter(|_| bytes >= LEAST_BYTES);
    }
    let unit = text.chars().next_back()?;
    let (figure, unit) = text.split_at(text.len() - unit.len_utf8());
    Some(("capacity_rounded_bytes", rounded_size_bytes(figure, unit, 1024.0)?))
}

pub(super) fn is_its(document: &JsonDocument) -> bool {
    document.has("blockdevices")
}

/// Reads the objects of the list, a page for each. Objects inside an object are parts of its drive.
pub(super) fn read(builders: &mut Vec<PageBuilder>, json: &JsonOutput) {
    let mut open: (&str, usize, Vec<(String, String)>) = ("", 0, Vec::new());
    let mut close = |open: &mut (&str, usize, Vec<(String, String)>)| builders.extend(page(&std::mem::take(&mut open.2), open.1));
    for leaf in &json.document.leaves {
        let Some((place, key)) = leaf.path.strip_prefix("blockdevices.").and_then(|rest| rest.split_once('.')) else { continue };
        if place != open.0 {
            close(&mut open);
            (open.0, open.1) = (place, leaf.line + json.line_before);
        }
        if !key.contains('.') && leaf.text != "null" {
            open.2.push((key.to_owned(), leaf.text.clone()));
        }
    }
    close(&mut open);
}

#[cfg(test)]
mod tests {
    use crate::field::Page;
    use crate::paste::{drives, read};

    const TABLE: &str = "\
# lsblk -o NAME,MODEL,SERIAL,SIZE,ROTA,TYPE
NAME        MODEL                     SERIAL           SIZE ROTA TYPE
sda         WDC WD40EFRX-68N32N0      WD-WCC7K0000001  3.6T    1 disk
├─sda1                                               931.5G    1 part
sdb         Samsung SSD 870 EVO 1TB   S6PUNX0R000001 931.5G    0 disk
nvme0n1     INTEL SSDPE2KX010T8       PHLJ000000001  931.5G    0 disk
├─nvme0n1p1                                            512M    0 part
";

    fn told(pages: &[Page], key: &str) -> Vec<String> {
        pages.iter().map(|page| page.field(key).map_or_else(String::new, |field| serde_json::to_string(&field.value).unwrap())).collect()
    }

    #[test]
    fn drives_are_told_from_their_parts() {
        let pages = read(TABLE).unwrap();
        assert_eq!(told(&pages, "device_name"), ["\"sda\"", "\"sdb\"", "\"nvme0n1\""]);
        assert_eq!(told(&pages, "model"), ["\"WDC WD40EFRX-68N32N0\"", "\"Samsung SSD 870 EVO 1TB\"", "\"INTEL SSDPE2KX010T8\""]);
        assert_eq!(told(&pages, "serial"), ["\"WD-WCC7K0000001\"", "\"S6PUNX0R000001\"", "\"PHLJ000000001\""]);
        assert_eq!(told(&pages, "capacity_rounded_bytes"), ["", "1000190509056", "1000190509056"]);
        assert_eq!(told(&pages, "rotation_rate_rpm"), ["", "0", "0"]);
    }

    #[test]
    fn pairs_and_json_say_the_same() {
        let pairs = "NAME=\"sda\" MODEL=\"WDC_WD40EFRX-68N32N0\" SERIAL=\"W1\" SIZE=\"4000787030016\" ROTA=\"1\" TYPE=\"disk\"\n";
        let json = "{\n\"blockdevices\": [\n{\"name\":\"sda\", \"model\":\"WDC WD40EFRX-68N32N0\", \"serial\":\"W1\", \"size\":4000787030016, \"rota\":true,\n\
            \"type\":\"disk\", \"children\": [{\"name\":\"sda1\", \"model\":null, \"size\":1}]}\n]\n}";
        for text in [pairs, json] {
            let pages = read(text).unwrap();
            assert_eq!(
                (told(&pages, "model"), told(&pages, "capacity_bytes")),
                (vec!["\"WDC WD40EFRX-68N32N0\"".to_owned()], vec!["4000787030016".to_owned()])
            );
        }
    }

    #[test]
    fn a_list_without_models_is_no_page_and_a_cut_model_is_of_the_same_drive() {
        assert!(read("NAME SIZE\nsda 3.6T\n").is_err());
        let cut = "NAME MODEL            SIZE\nsda  WDC WD40EFRX-68N 3.6T\n\n# hdparm -I /dev/sda\nATA device, with non-removable media\nModel Number: WDC WD40EFRX-68N32N0\n";
        assert_eq!(drives(&read(cut).unwrap()).len(), 1);
    }
}
