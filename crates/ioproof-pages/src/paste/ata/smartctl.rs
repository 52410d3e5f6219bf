//! smartctl as text (`-a`, `-x`, and parts of them), for NVMe, ATA and SCSI drives.
//!
//! One output is one page. Its parts differ in form: labelled lines are read here, tables of ATA in `ata_tables`, logs of errors and self-tests in `ata_logs`, the error
//! counters of SCSI at the end of this file. Other logs of single events (temperatures) are passed over.

use super::smartctl_rows::{HEALTH, IGNORED, INFORMATION, INFORMATION_SKIPPED};
use super::{logs, loose, scsi, smartd_info, tables};
use crate::health::ENDS_EARLY;
use crate::paste::nvme::health_rows;
use crate::paste::nvme::identify_rows::finish_controller;
use crate::paste::page::{
    EventLog, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, TextReading, ToolFormat, Value, whole_u64,
};
use crate::paste::raid;

const TOOL: &str = "smartctl";

const ATTRIBUTES: &str = "attributes";
const STATISTICS: &str = "statistics";
const COUNTERS: &str = "counters";
const ERRORS: &str = "errors";
const SELF_TESTS: &str = "self-tests";
const SCAN: &str = "scan";
const NVME_TESTS: &str = "NVMe self-tests";
const EVENTS: &str = "events";
const LABELLED: &str = "";

/// Lines among which the serial number follows the model.
const FEW_LINES: usize = 4;
/// Lines that are looked at for the rest of a wrapped one.
const NEXT_LINES: usize = 4;

pub(crate) const OUTPUT: ToolFormat = ToolFormat {
    tool: TOOL,
    page: "smartctl",
    tables: &[INFORMATION, INFORMATION_SKIPPED, HEALTH, health_rows::COMMON],
    ignored: IGNORED,
    special: line_of_part,
    join: joined,
    table_part: ATTRIBUTES,
    finish,
    ..ToolFormat::PLAIN
};

/// Rows of a table of attributes whose heading was left out. They are a page of their own kind, so that they go to the drive of the text beside them, where it is one.
pub(crate) const ROWS: ToolFormat = ToolFormat { page: "smartctl-attributes", first_part: ATTRIBUTES, ..OUTPUT };

/// Headings of parts that people post alone.
#[rustfmt::skip]
const HEADINGS: &[&str] = &[
    "=== START OF", "ID# ATTRIBUTE_NAME", "Background scan results", "Error counter log:", "SMART Self-test log structure",
    "SMART Extended Self-test Log", "SMART Error Log Version", "SMART Extended Comprehensive Error Log", "Device Statistics (GP",
];

/// Errors of a log whose heading was left out.
pub(crate) const ERROR_LOG: ToolFormat = ToolFormat { page: "smartctl-errors", first_part: ERRORS, ..OUTPUT };

#[rustfmt::skip]
const PARTS: &[(&str, &str)] = &[
    ("=== START OF INFORMATION", LABELLED), ("=== START OF READ SMART DATA", LABELLED), ("=== START OF SMART DATA", LABELLED),
    ("SMART/Health Information (NVMe", LABELLED), ("=== START OF", EVENTS), ("Supported Power States", EVENTS),
    ("Supported LBA Sizes", EVENTS), ("Error Information (NVMe", EVENTS), ("Self-test Log (NVMe", NVME_TESTS),
    ("Self-tests not supported", EVENTS), ("General SMART Values", EVENTS), ("SMART Attributes Data Structure", ATTRIBUTES),
    ("Vendor Specific SMART Attributes", ATTRIBUTES), ("ID# ATTRIBUTE_NAME", ATTRIBUTES), ("Device Statistics (GP", STATISTICS),
    ("Error counter log", COUNTERS), ("General Purpose Log", EVENTS), ("SMART Log Directory", EVENTS),
    ("SMART           Log Directory", EVENTS), ("SMART Extended Comprehensive Error Log", ERRORS),
    ("SMART Extended Self-test Log", SELF_TESTS), ("SMART Extended", EVENTS), ("SMART Error Log", ERRORS),
    ("SMART Self-test log", SELF_TESTS), ("SMART Selective", EVENTS), ("Selective Self-tests", EVENTS),
    ("Read SMART Log Directory", EVENTS), ("SCT ", EVENTS), ("Pending Defects", EVENTS), ("SATA Phy Event Counters", EVENTS),
    ("ATA_READ_LOG_EXT", EVENTS), ("Vendor (Seagate", EVENTS), ("[GLTSD", EVENTS), ("Background scan results", SCAN),
    ("Protocol Specific port log", EVENTS), ("General statistics and performance", EVENTS),
];

/// Labels that people post alone, too.
#[rustfmt::skip]
const FIRST_LABELS: [&str; 15] = [
    "Model Family", "Device Model", "Model Number", "SMART overall-health self-assessment test result", "Critical Warning",
    "SMART Health Status", "Elements in grown defect list", "Non-medium error count", "Percentage used endurance indicator",
    "Pending defect count", "Available Spare", "Available Spare Threshold", "Percentage Used", "Media and Data Integrity Errors",
    "Error Information Log Entries",
];

/// Labels of the health of SCSI drives, by which one is known that is not named.
const OF_SCSI: [&str; 3] = ["Elements in grown defect list", "Non-medium error count", "Percentage used endurance indicator"];

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let label = text.split_once(':').map_or("", |(label, _)| label);
    let is_here = context.is_in(TOOL);
    // A second part with information without a new heading is another drive's.
    let has_model = context.open.is_some_and(|builder| builder.field("model").is_some());
    // A controller's output has no end of its own, and must not hide what a drive says below it.
    let is_free = context.open.is_none_or(|builder| builder.format.page == raid::PAGE);
    if let Some(device) = loose::device(text) {
        let is_its = context.open.is_some_and(|builder| builder.device() == Some(device));
        return (!is_its).then_some(OutputStart::OpenWith(&ROWS, of_device));
    }
    match () {
        () if text.starts_with("smartctl ") && text.contains('[') => Some(OutputStart::Open(&OUTPUT)),
        () if text.starts_with("=== START OF INFORMATION") && (!is_here || has_model) => Some(OutputStart::Open(&OUTPUT)),
        // A second table, and an attribute for the second time, are another drive's, as a loop over drives prints them.
        () if is_here && is_second(context) => Some(OutputStart::Open(if is_row(context.line) { &ROWS } else { &OUTPUT })),
        () if is_here => None,
        () if HEADINGS.iter().any(|heading| text.starts_with(heading)) || text.starts_with("SMART/Health Information (NVMe") => {
            Some(OutputStart::Open(&OUTPUT))
        }
        () if is_free && (is_row(context.line) || loose::is_told(&context.line.text)) => Some(OutputStart::Open(&ROWS)),
        () if context.open.is_none() && text.contains("occurred at disk power-on lifetime:") => Some(OutputStart::Open(&ERROR_LOG)),
        () if context.open.is_none() && label == "Vendor" && context.next.is_some_and(|next| next.text.starts_with("Product:")) => {
            Some(OutputStart::Open(&OUTPUT))
        }
        // Other programs print the model of any drive under the label of NVMe's.
        () if label == "Model Number" && !context.rest.iter().take(FEW_LINES).any(|next| next.text.starts_with("Serial Number:")) => None,
        () if context.open.is_none() && FIRST_LABELS.contains(&label) => Some(OutputStart::Open(&OUTPUT)),
        () => None,
    }
}

/// A message of smartd, which says whose it is.
fn of_device(builder: &mut PageBuilder, line: &PastedLine) {
    loose::device(&line.text).into_iter().for_each(|device| builder.name_device(device, line.number));
    builder.seen.push(smartd_info::MESSAGE.to_owned());
    loose::line(builder, line);
}

fn is_second(context: &LineContext) -> bool {
    let Some(builder) = context.open else { return false };
    let is_table = context.line.text.starts_with("ID# ATTRIBUTE_NAME");
    let known = tables::attribute_id(context.line).filter(|_| builder.part == ATTRIBUTES);
    is_table && builder.has_attributes() || known.is_some_and(|id| builder.field(&format!("attribute_{id}_value")).is_some())
}

fn is_row(line: &PastedLine) -> bool {
    tables::attribute_id(line).is_some()
}

/// A row of a table with the lines that it was wrapped into.
fn joined(builder: &PageBuilder, line: &PastedLine, next: &[PastedLine]) -> Option<(PastedLine, usize)> {
    let is_part = |own: &PastedLine| PARTS.iter().any(|(start, _)| own.text.starts_with(start));
    let next = &next[..next.len().min(NEXT_LINES)];
    let own = next.iter().position(is_part).map_or(next, |end| &next[..end]);
    match builder.part {
        ATTRIBUTES | LABELLED => tables::join(line, own),
        COUNTERS => scsi::join(line, own),
        _ => None,
    }
}

fn line_of_part(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let text = line.text.as_str();
    if let Some((_, part)) = PARTS.iter().find(|(start, _)| text.starts_with(start)) {
        builder.part = part;
        builder.log = EventLog::default();
        return true;
    }
    if smartd_info::line(builder, line) {
        return true;
    }
    let is_row = match builder.part {
        LABELLED => {
            if tables::attribute_id(line).is_some() {
                builder.part = ATTRIBUTES;
                return tables::attribute_line(builder, line);
            }
            let is_other = logs::self_test_alone(builder, line)
                || scsi::other_words(builder, line)
                || logs::counted(builder, line)
                || loose::line(builder, line);
            return is_other || labelled(builder, line);
        }
        ATTRIBUTES => tables::attribute_line(builder, line),
        STATISTICS => tables::statistic_line(builder, line),
        COUNTERS => scsi::counter_line(builder, line),
        SCAN => scsi::scan_line(builder, line),
        ERRORS => logs::error_line(builder, line),
        SELF_TESTS => logs::self_test_line(builder, line),
        NVME_TESTS => logs::nvme_self_test_line(builder, line),
        EVENTS => logs::last_self_test(builder, line),
        _ => false,
    };
    // Other lines are of logs and legends; a label that matters is read all the same.
    is_row
        || logs::self_test_alone(builder, line)
        || scsi::other_words(builder, line)
        || logs::counted(builder, line)
        || loose::line(builder, line)
        || !builder.knows(text)
}

fn labelled(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = line.text.split_once(':') else { return false };
    if OF_SCSI.contains(&label) {
        builder.scsi_line.get_or_insert(line.number);
    }
    let protocol = match label {
        "Model Number" => "NVMe",
        "Device Model" => "ATA",
        "Product" => "SCSI",
        _ => return TWOFOLD.iter().any(|read| read(builder, label, value, line.number)),
    };
    builder.set("protocol", Value::Text(protocol.to_owned()), line.number);
    false
}

type Twofold = fn(&mut PageBuilder, &str, &str, usize) -> bool;

const TWOFOLD: &[Twofold] = &[sector_sizes, link, utilization, smart_support];

/// `SMART support is: Available - device has SMART capability.`, and on a second line `SMART support is: Enabled`.
fn smart_support(builder: &mut PageBuilder, label: &str, value: &str, line: usize) -> bool {
    let word = value.split_whitespace().next().unwrap_or_default();
    let told = match word {
        "Available" | "Unavailable" => Some(("smart_supported", word == "Available")),
        "Enabled" | "Disabled" => Some(("smart_enabled", word == "Enabled")),
        _ => None,
    };
    let is_it = label == "SMART support is";
    told.filter(|_| is_it).into_iter().for_each(|(key, flag)| builder.set(key, Value::Flag(flag), line));
    is_it
}

/// `Sector Sizes: 512 bytes logical, 4096 bytes physical`, or `Sector Size: 512 bytes logical/physical`.
fn sector_sizes(builder: &mut PageBuilder, label: &str, value: &str, line: usize) -> bool {
    if label != "Sector Sizes" && label != "Sector Size" {
        return false;
    }
    let physical = value.split_once("logical,").map_or(value, |(_, rest)| rest);
    for (key, text) in [("logical_block_bytes", value), ("physical_block_bytes", physical)] {
        whole_u64(text).into_iter().for_each(|size| builder.set(key, Value::Number(size), line));
    }
    true
}

/// `SATA Version is: SATA 3.2, 6.0 Gb/s (current: 6.0 Gb/s)`.
fn link(builder: &mut PageBuilder, label: &str, value: &str, line: usize) -> bool {
    if label != "SATA Version is" {
        return false;
    }
    let version = value.split([',', '(']).next().unwrap_or_default().trim();
    let readings = [
        ("sata_version", TextKind::Text.read(version)),
        ("link_speed_max_gbit_per_s", TextKind::SpeedMax.read(value)),
        ("link_speed_gbit_per_s", TextKind::SpeedNow.read(value)),
    ];
    for (key, reading) in readings {
        if let TextReading::Value(value) = reading {
            builder.set(key, value, line);
        }
    }
    true
}

/// `Namespace 1 Utilization` is in bytes, which become blocks at the end.
fn utilization(builder: &mut PageBuilder, label: &str, value: &str, line: usize) -> bool {
    let is_it = label == "Namespace 1 Utilization";
    if let (true, Some(bytes)) = (is_it, whole_u64(value)) {
        builder.set("namespace_used_bytes", Value::Number(bytes), line);
    }
    is_it
}

/// Bytes in use become blocks, sectors of the statistics become bytes.
pub(crate) fn finish(builder: &mut PageBuilder) {
    let block = builder.number("logical_block_bytes").filter(|(bytes, _)| *bytes > 0);
    if let (Some((used, first)), Some((block, second))) = (builder.number("namespace_used_bytes"), block) {
        builder.derive("namespace_used_blocks", Value::Number(used / block), (first, second));
    }
    builder.remove("namespace_used_bytes");
    for (blocks_key, key) in [("blocks_written", "data_written_bytes"), ("blocks_read", "data_read_bytes")] {
        if let (Some((blocks, first)), Some((block, second))) = (builder.number(blocks_key), block) {
            let bytes = blocks.checked_mul(block);
            bytes.into_iter().for_each(|bytes| builder.derive(key, Value::Number(bytes), (first, second)));
        }
    }
    if let Some(line) = builder.scsi_line {
        builder.set_text("protocol", "SCSI", line);
    }
    logs::finish(builder);
    scsi::whole_name(builder);
    finish_controller(builder);
    missing_part(builder);
}

/// Part with which every output goes on after the drive's verdict, by protocol, and a field of it.
const AFTER_VERDICT: &[(&str, &str, &str)] = &[
    ("NVMe", "SMART/Health Information", "available_spare_percent"),
    ("ATA", "Vendor Specific SMART Attributes", "attributes_failing"),
    ("SCSI", "Error counter log", "media_errors"),
];

/// Says where an output ends with the drive's verdict, whose grounds follow in a part that is not there.
fn missing_part(builder: &mut PageBuilder) {
    let told = |key: &str| builder.field(key).is_some();
    if !told("smart_passed") || told("reallocated_sectors") {
        return;
    }
    let protocol = builder.text("protocol");
    let parts: Vec<_> = AFTER_VERDICT.iter().filter(|(known, ..)| protocol.as_deref().is_none_or(|own| own == *known)).collect();
    if parts.iter().any(|(_, _, key)| told(key)) {
        return;
    }
    let names: Vec<&str> = parts.iter().map(|(_, part, _)| *part).collect();
    let names = names.join("` or `");
    builder.problem(format!("{ENDS_EARLY} or leaves out a part: the drive's verdict is told, but there is no `{names}`"));
}
