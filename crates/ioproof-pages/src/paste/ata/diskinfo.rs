//! FreeBSD's `diskinfo -v`: names and sizes, each value before its title; it tells nothing of the drive's health.

use crate::paste::page::{LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, row, skipped};

pub(crate) const DISKINFO: ToolFormat =
    ToolFormat { tool: "diskinfo -v", page: "disk", tables: &[ROWS, ROWS_SKIPPED], special: titled, ..ToolFormat::PLAIN };

const ROWS: &[LabelRow] = &[
    row("sectorsize", "logical_block_bytes", TextKind::Number),
    row("mediasize in bytes", "capacity_bytes", TextKind::Number),
    row("stripesize", "physical_block_bytes", TextKind::Number),
    row("Disk descr.", "model", TextKind::Text),
    row("Disk ident.", "serial", TextKind::Text),
    row("TRIM/UNMAP support", "trim_supported", TextKind::Flag),
    row("Rotation rate in RPM", "rotation_rate_rpm", TextKind::Rotation),
];

#[rustfmt::skip]
const ROWS_SKIPPED: &[LabelRow] = &skipped([
    "mediasize in sectors", "stripeoffset", "Cylinders according to firmware.", "Heads according to firmware.",
    "Sectors according to firmware.", "Physical path", "Attachment", "Zone Mode",
]);

/// The size of the sectors comes first; the name of the disk stands alone before it.
pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    context.line.text.ends_with("# sectorsize").then_some(OutputStart::Open(&DISKINFO))
}

/// `6001175126016  # mediasize in bytes (5.5T)`; nothing and no stripe are no values.
fn titled(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((value, title)) = line.text.rsplit_once("# ") else { return false };
    let title = title.split_once(" (").map_or(title, |(title, _)| title);
    let value = value.trim();
    let value = if title == "Disk descr." { value.strip_prefix("ATA ").unwrap_or(value).trim() } else { value };
    value.is_empty() || (title, value) == ("stripesize", "0") || builder.take(title, value, line.number)
}
