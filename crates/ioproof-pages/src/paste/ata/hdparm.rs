//! `hdparm -I` of an ATA drive: names, size and features; it tells nothing of the drive's health.

use crate::paste::nvme::identify_rows::capacity;
use crate::paste::page::{LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, row, whole_u64};

pub(crate) const IDENTIFY: ToolFormat = ToolFormat {
    tool: "hdparm -I",
    page: "identify-device",
    tables: &[ROWS],
    special: other,
    finish: |builder| capacity(builder, "capacity_blocks"),
    ..ToolFormat::PLAIN
};

const ROWS: &[LabelRow] = &[
    row("Model Number", "model", TextKind::Text),
    row("Serial Number", "serial", TextKind::Text),
    row("Firmware Revision", "firmware", TextKind::Text),
    row("Nominal Media Rotation Rate", "rotation_rate_rpm", TextKind::Rotation),
    row("Form Factor", "form_factor", TextKind::Text),
    row("Queue depth", "ncq_depth", TextKind::Number),
    row("Logical Sector size", "logical_block_bytes", TextKind::Number),
    row("Physical Sector size", "physical_block_bytes", TextKind::Number),
];

const FEATURES: &[(&str, &str)] =
    &[("Write cache", "write_cache_enabled"), ("Look-ahead", "look_ahead_enabled"), ("SMART feature set", "smart_enabled")];

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let is_start = context.line.text.trim_start_matches("non-removable ").starts_with("ATA device, with");
    is_start.then_some(OutputStart::OpenWith(&IDENTIFY, |builder, line| {
        builder.set_text("protocol", "ATA", line.number);
    }))
}

/// Sizes and features; `*` stands before a feature that is on. Other lines say nothing that is needed.
fn other(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    if builder.knows(&line.text) {
        return false;
    }
    let (feature, is_on) = line.text.strip_prefix('*').map_or((line.text.as_str(), false), |rest| (rest.trim(), true));
    if let Some((_, key)) = FEATURES.iter().find(|(name, _)| *name == feature) {
        builder.set_if_new(key, Value::Flag(is_on), line.number);
    }
    // Old versions print `LBA user addressable sectors = 28229040`.
    let Some((label, value)) = line.text.split_once(':').or_else(|| line.text.split_once('=')) else { return true };
    let words: Vec<&str> = label.split_whitespace().collect();
    let Some(number) = whole_u64(value.trim()).filter(|number| *number > 0) else { return true };
    match words.as_slice() {
        ["LBA48", "user", "addressable", "sectors"] => builder.replace("capacity_blocks", Value::Number(number), line.number),
        ["LBA", "user", "addressable", "sectors"] => builder.set_number("capacity_blocks", number, line.number),
        ["Logical/Physical", "Sector", "size"] => {
            builder.set_number("logical_block_bytes", number, line.number);
            builder.set_number("physical_block_bytes", number, line.number);
        }
        ["device", "size", "with", "M", "=", "1000*1000"] => {
            builder.set_number("capacity_rounded_bytes", number.checked_mul(1_000_000), line.number);
        }
        _ => {}
    }
    true
}
