//! `storcli /cX/eY/sZ show [all]`, and perccli, which is the same program: a table with a row for each drive, and sections about one.

use super::super::PAGES_MAX;
use super::super::text::lines;
use super::{COUNTERS, PAGE, ROUNDED, block, block_bytes, finish, interface, medium, raw_size, size, state, vendor};
use crate::paste::page::{LabelRow, LabelSplit, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, labelled, row};

pub(crate) const STORCLI: ToolFormat = ToolFormat {
    tool: "storcli",
    page: PAGE,
    split: LabelSplit::Equals,
    tables: &[ROWS, COUNTERS],
    special: other,
    finish,
    ..ToolFormat::PLAIN
};

/// A controller: nothing said about it is kept; its number is part of the drives' names.
const CONTROLLER: ToolFormat = ToolFormat { tool: "storcli", page: PAGE, special: |_, _| true, ..ToolFormat::PLAIN };

const ROWS: &[LabelRow] = &[
    row("SN", "serial", TextKind::Text),
    row("Model Number", "model", TextKind::Text),
    row("WWN", "wwn", TextKind::Identifier),
    row("Firmware Revision", "firmware", TextKind::Text),
    row("S.M.A.R.T alert flagged by drive", "smart_passed", TextKind::NotFlag),
];

/// Sections of one drive, in their order. A section that comes again is of another reading.
const SECTIONS: [(&str, u64); 5] =
    [("", 0), ("- Detailed Information", 1), ("State", 2), ("Device attributes", 3), ("Policies/Settings", 4)];

pub(in super::super) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    if let Some((path, section)) = heading(text) {
        let is_own = |open: &PageBuilder| open.format.tool == STORCLI.tool && open.device() == Some(path) && open.tally < section;
        return (!context.open.is_some_and(is_own)).then_some(OutputStart::OpenWith(&STORCLI, begin));
    }
    match () {
        () if text.strip_prefix("Controller = ").is_some_and(|number| number.trim().parse::<u32>().is_ok()) => {
            Some(OutputStart::OpenWith(&CONTROLLER, controller))
        }
        () if text.starts_with("EID:Slt ") && !is_of_one_drive(context) => Some(rows(context)),
        () => None,
    }
}

/// `Drive /c0/e252/s1 State :`: the drive, and the section's place.
fn heading(text: &str) -> Option<(&str, u64)> {
    let rest = text.strip_prefix("Drive ").filter(|rest| rest.starts_with("/c"))?.trim_end_matches([' ', ':']);
    let (path, title) = rest.split_once(' ').unwrap_or((rest, ""));
    let section = SECTIONS.iter().find(|(known, _)| *known == title.trim())?;
    Some((path, section.1))
}

fn begin(builder: &mut PageBuilder, line: &PastedLine) {
    if let Some((path, section)) = heading(&line.text) {
        builder.tally = section;
        if builder.device() != Some(path) {
            builder.name_device(path, line.number);
        }
    }
}

fn controller(builder: &mut PageBuilder, line: &PastedLine) {
    if let Some((_, number)) = labelled(&line.text, '=') {
        builder.name_device(&format!("/c{number}"), line.number);
    }
}

/// True in the section of a drive that a heading names.
fn is_of_one_drive(context: &LineContext) -> bool {
    context.is_in(STORCLI.tool) && context.open.and_then(PageBuilder::device).is_some_and(|device| device.contains("/s"))
}

/// A page for each row of a table.
fn rows(context: &LineContext) -> OutputStart {
    let open = context.open.filter(|open| open.format.tool == STORCLI.tool).and_then(PageBuilder::device);
    let typed = context.command.line.split_whitespace().find(|word| word.starts_with("/c"));
    let controller = open.or(typed).map(|path| path[1..].split('/').next().unwrap_or_default());
    let controller = controller.filter(|name| name[1..].parse::<u32>().is_ok());
    let mut pages = Vec::new();
    let mut taken = 0;
    for line in context.rest {
        match slot(&line.text) {
            Some(slot) if pages.len() <= PAGES_MAX => pages.push(page(context, line, &name(controller, slot))),
            None if pages.is_empty() && lines::is_decoration(&line.text) => {}
            _ => break,
        }
        taken += 1;
    }
    OutputStart::Pages(pages, taken)
}

fn page(context: &LineContext, line: &PastedLine, name: &str) -> PageBuilder {
    let mut builder = STORCLI.open(context.command, line.number);
    builder.name_device(name, line.number);
    table_row(&mut builder, line);
    builder
}

/// Enclosure and slot, `252:3`; `:3` without an enclosure.
fn slot(text: &str) -> Option<(&str, &str)> {
    let (enclosure, slot) = text.split_whitespace().next()?.split_once(':')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(enclosure) && is_number(slot) && !slot.is_empty()).then_some((enclosure, slot))
}

fn name(controller: Option<&str>, (enclosure, slot): (&str, &str)) -> String {
    match controller {
        Some(controller) if enclosure.is_empty() => format!("/{controller}/s{slot}"),
        Some(controller) => format!("/{controller}/e{enclosure}/s{slot}"),
        None => format!("{enclosure}:{slot}"),
    }
}

struct TableRow<'a> {
    state: &'a str,
    size: String,
    interface: &'a str,
    medium: &'a str,
    sector: String,
    model: String,
}

/// `252:0  11 Onln  0  558.406 GB SAS  HDD N   N  512B ST600MM0006  U  -`.
///
/// The second version of the tool has a status behind the state, and no column `PI`.
fn parsed(text: &str) -> Option<TableRow<'_>> {
    const SIZES: [&str; 8] = ["MB", "GB", "TB", "PB", "MiB", "GiB", "TiB", "PiB"];
    let words: Vec<&str> = text.split_whitespace().collect();
    let unit = (5..=6).find(|at| words.get(*at).is_some_and(|word| SIZES.contains(word)))?;
    let is_second = unit == 6;
    let state = words[if is_second { 3 } else { 2 }];
    let (interface, medium) = (*words.get(unit + 1)?, *words.get(unit + 2)?);
    let rest = words.get(unit + if is_second { 4 } else { 5 }..)?;
    let (sector, model) = sector(rest)?;
    let ends = |word: &&&str| matches!(**word, "U" | "D" | "T" | "F" | "-" | "JBOD") || is_second && word.parse::<u32>().is_ok();
    let model = &model[..model.len() - model.iter().rev().take_while(ends).count()];
    Some(TableRow { state, size: words[unit - 1..=unit].join(" "), interface, medium, sector, model: model.join(" ") })
}

/// `512B` or `4 KB`, and the words behind it.
fn sector<'a, 'b>(words: &'a [&'b str]) -> Option<(String, &'a [&'b str])> {
    match words {
        [number, unit @ ("KB" | "KiB"), model @ ..] => Some((format!("{number} {unit}"), model)),
        [size, model @ ..] if *size == "-" || block_bytes(size).is_some() => Some(((*size).to_owned(), model)),
        _ => None,
    }
}

fn table_row(builder: &mut PageBuilder, line: &PastedLine) {
    let Some(row) = parsed(&line.text) else { return builder.unread_health(line) };
    state(builder, row.state, line);
    interface(builder, row.interface, line.number);
    medium(builder, row.medium == "SSD", line.number);
    block(builder, super::BLOCK, &row.sector, line.number);
    builder.set_number(ROUNDED, size(&row.size, 1024.0), line.number);
    builder.set_text("model", &row.model, line.number);
}

/// Other lines are about the controller.
fn other(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    if heading(&line.text).is_some() {
        begin(builder, line);
        return true;
    }
    if slot(&line.text).is_some() && builder.tally == 0 {
        table_row(builder, line);
        return true;
    }
    match labelled(&line.text, '=') {
        Some((_, "NA" | "N/A")) => true,
        Some(("Raw size", value)) => raw_size(builder, value, line.number),
        Some(("Manufacturer Id", value)) => {
            vendor(builder, value, line.number);
            true
        }
        Some(("Sector Size" | "Logical Sector Size", value)) => block(builder, super::BLOCK, value, line.number),
        Some(("Physical Sector Size", value)) => block(builder, "physical_block_bytes", value, line.number),
        _ => !builder.knows(&line.text),
    }
}

#[cfg(test)]
mod tests {
    use crate::field::Page;
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, facts, read};

    const TABLE: &str = "\
Controller = 1
Status = Success

Drive Information :
=================

-------------------------------------------------------------------------------
EID:Slt DID State DG       Size Intf Med SED PI SeSz Model               Sp Type
-------------------------------------------------------------------------------
252:0    11 Onln   0 558.406 GB SAS  HDD N   N  512B ST600MM0006         U  -
252:1    12 UBad   - 446.102 GB SATA SSD N   N  512B INTEL SSDSC2KB480G8 U  -
:2       13 Failed - 13.970 TB NVMe SSD N   N  4 KB X1                  D  -
-------------------------------------------------------------------------------

EID=Enclosure Device ID|Slt=Slot No|DID=Device ID|DG=DriveGroup
";

    fn states(text: &str) -> Vec<HealthState> {
        drives(&read(text).unwrap()).iter().map(|drive| judge("", drive).state).collect()
    }

    #[test]
    fn a_table_has_a_page_for_each_drive() {
        let pages = read(TABLE).unwrap();
        let text = |key: &str| pages.iter().map(|page| page.text(key).unwrap_or_default()).collect::<Vec<_>>();
        assert_eq!(text("device_name"), ["/c1/e252/s0", "/c1/e252/s1", "/c1/s2"]);
        assert_eq!(text("model"), ["ST600MM0006", "INTEL SSDSC2KB480G8", "X1"]);
        assert_eq!(text("protocol"), ["SCSI", "ATA", "NVMe"]);
        let number = |key: &str| pages.iter().map(|page| page.number(key)).collect::<Vec<_>>();
        assert_eq!(number("rotation_rate_rpm"), [None, Some(0), Some(0)]);
        assert_eq!(number("logical_block_bytes"), [Some(512), Some(512), Some(4096)]);
        assert_eq!(number("capacity_bytes"), [None; 3]);
        assert_eq!(facts(&pages[..1]).unwrap().capacity_bytes.value, 599_583_876_973);
        assert_eq!(states(TABLE), [HealthState::Unknown, HealthState::Worn, HealthState::Failing]);
    }

    #[test]
    fn the_second_version_has_a_status_behind_the_state() {
        let row = |status: &str| {
            format!(
                "EID:Slt PID State Status DG        Size Intf Med SED_Type SeSz Model                  Sp LU/NS Count Alt-EID\n\
                 308:0   283 Conf  {status}  0 223.062 GiB SATA SSD Opal     512B SAMSUNG MZ7LH240HAHQ U            1 -\n"
            )
        };
        let page = read(&row("Online")).unwrap().remove(0);
        assert_eq!((page.text("model"), page.text("device_name")), (Some("SAMSUNG MZ7LH240HAHQ"), Some("308:0")));
        assert_eq!((states(&row("Failed")), states(&row("Online"))), (vec![HealthState::Failing], vec![HealthState::Unknown]));
    }

    #[test]
    fn a_row_that_cannot_be_read_and_a_strange_state_say_nothing_good() {
        let row = |row: &str| {
            format!(
                "Drive /c0/e4/s1 :\nEID:Slt DID State DG Size Intf\n{row}\nDrive /c0/e4/s1 State :\nS.M.A.R.T alert flagged by drive = No\n"
            )
        };
        let good = "4:1 14 JBOD - 3.638 TB SATA HDD N N 512B WDC WD4002FYYZ-01B7CB0 U -";
        assert_eq!(states(&row(good)), [HealthState::OkAsFarAsTold]);
        assert_eq!(states(&row("4:1 14 JB")), [HealthState::Unknown]);
        assert_eq!(states(&row(&good.replace("JBOD", "Whirl"))), [HealthState::Unknown]);
        assert_eq!(states(&row(&good.replace("JBOD", "Failed"))), [HealthState::Failing]);
    }

    fn pages_of_two() -> Vec<Page> {
        let drive = |slot: u32| {
            format!(
                "Drive /c0/e4/s{slot} - Detailed Information :\nDrive /c0/e4/s{slot} State :\nMedia Error Count = {slot}\n\
                 Drive /c0/e4/s{slot} Device attributes :\nSN = A{slot}\nModel Number = M\n"
            )
        };
        read(&format!("{}{}{}", drive(1), drive(2), drive(2))).unwrap()
    }

    #[test]
    fn sections_of_a_drive_are_one_page_and_another_reading_is_another() {
        let told: Vec<_> =
            pages_of_two().iter().map(|page| (page.number("media_errors"), page.text("serial").map(str::to_owned))).collect();
        assert_eq!(told, [(Some(1), Some("A1".into())), (Some(2), Some("A2".into())), (Some(2), Some("A2".into()))]);
        assert_eq!(drives(&pages_of_two()).len(), 2);
    }
}
