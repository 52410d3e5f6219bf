//! Rows that nvmecontrol and spdk_nvme_identify print alike: both descend from one program of Intel's.

use crate::health::ENDS_EARLY;
use crate::paste::page::keys;
use crate::paste::page::{BlockFormat, LabelRow, PageBuilder, PastedLine, TextKind, Value, generalised, row, skipped, whole_u64};

pub(crate) const CONTROLLER: &[LabelRow] = &[
    row("Vendor ID", "vendor_id", TextKind::Hex),
    row("Subsystem Vendor ID", "subsystem_vendor_id", TextKind::Hex),
    row("Serial Number", "serial", TextKind::Text),
    row("Model Number", "model", TextKind::Text),
    row("Firmware Version", "firmware", TextKind::Text),
    row("Max Data Transfer Size", "max_transfer_bytes", TextKind::Number),
    row("Controller ID", "controller_id", TextKind::Number),
    row("Version", "nvme_version", TextKind::Version),
    row("NVMe Specification Version (VS)", "nvme_version", TextKind::Version),
    row("Total NVM Capacity", "total_capacity_bytes", TextKind::NumberUnlessZero),
    row("Unallocated NVM Capacity", "unallocated_capacity_bytes", TextKind::Number),
    row("Host Buffer Preferred Size", "host_memory_preferred_bytes", TextKind::Number),
    row("Host Buffer Minimum Size", "host_memory_min_bytes", TextKind::Number),
    row("Number of Namespaces", "namespace_id_max", TextKind::Number),
    row("Dataset Management Command", "trim_supported", TextKind::Flag),
    row("Volatile Write Cache", "volatile_write_cache", TextKind::Flag),
    row("NVM Subsystem Name", "nqn", TextKind::Text),
    row("Subsystem NQN", "nqn", TextKind::Text),
    // The versions of both tools do not agree on the order of its bytes.
];

#[rustfmt::skip]
pub(crate) const CONTROLLER_SKIPPED: &[LabelRow] = &skipped([
    "IEEE OUI Identifier", "Recommended Arb Burst", "Multi-Interface Cap", "Multi-Path I/O Capabilities", "Sanitize NODMMAS",
    "Controller Type", "Keep Alive Timer", "Sanitize", "Abort Command Limit", "Async Event Request Limit", "Number of Firmware Slots",
    "Error Log Page Entries", "Number of Power States", "Firmware Update Granularity", "Max", "Min", "Fused Operation Support",
    "Format NVM Attributes",
]);

pub(crate) const NAMESPACE: &[LabelRow] = &[
    row("Size (in LBAs)", "namespace_size_blocks", TextKind::Number),
    row("Capacity (in LBAs)", "namespace_capacity_blocks", TextKind::Number),
    row("Utilization (in LBAs)", "namespace_used_blocks", TextKind::Number),
    row("Size", "namespace_size_blocks", TextKind::Number),
    row("Capacity", "namespace_capacity_blocks", TextKind::Number),
    row("Utilization", "namespace_used_blocks", TextKind::Number),
    row("Globally Unique Identifier", "nguid", TextKind::Identifier),
    row("IEEE EUI64", "eui64", TextKind::Identifier),
    row("NGUID", "nguid", TextKind::Identifier),
    row("EUI64", "eui64", TextKind::Identifier),
];

#[rustfmt::skip]
pub(crate) const NAMESPACE_SKIPPED: &[LabelRow] = &skipped([
    "Number of LBA Formats", "Data Protection Caps", "Data Protection Settings", "Reservation Capabilities",
    "Multi-Path I/O Capabilities", "Format Progress Indicator", "Deallocate Logical Block", "Optimal I/O Boundary", "NVM Capacity",
    "Preferred Write Granularity", "Preferred Write Alignment", "Preferred Deallocate Granul", "Preferred Deallocate Align",
    "Optimal Write Size",
]);

pub(crate) fn is_feature(line: &PastedLine) -> bool {
    const WORDS: [&str; 6] = ["supported", "not supported", "yes", "no", "n/a", "not reported"];
    line.text.split_once(':').is_some_and(|(_, value)| WORDS.contains(&value.trim().to_lowercase().as_str()))
}

/// `Current LBA Format: LBA Format #03`, and `LBA Format #03: Data Size: 4096 Metadata Size: 64` with its older form on two lines.
pub(crate) fn block_format(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = line.text.split_once(':') else { return false };
    match generalised(label) {
        (label, _) if label == "current lba format" => builder.current_format = generalised(value).1,
        (label, Some(index)) if label == "lba format #" => {
            let number_after = |word: &str| value.split_once(word).and_then(|(_, rest)| whole_u64(rest));
            let data_bytes = number_after("Data Size:").unwrap_or(0);
            builder.block_formats.push(BlockFormat {
                index,
                data_bytes,
                metadata_bytes: number_after("Metadata Size:").unwrap_or(0),
                line: line.number,
            });
        }
        (label, _) if label == "lba data size" => {
            let data_bytes = whole_u64(value).unwrap_or(0);
            builder.block_formats.iter_mut().next_back().into_iter().for_each(|format| format.data_bytes = data_bytes);
        }
        _ => return false,
    }
    true
}

/// A part of a capacity that is not told says nothing, nor does the least size of a buffer that is not wanted.
pub(crate) fn finish_controller(builder: &mut PageBuilder) {
    if builder.field("total_capacity_bytes").is_none() {
        builder.remove("unallocated_capacity_bytes");
    }
    if builder.number("host_memory_preferred_bytes").is_none_or(|(bytes, _)| bytes == 0) {
        builder.remove("host_memory_min_bytes");
    }
}

pub(crate) fn finish_namespace(builder: &mut PageBuilder) {
    for format in std::mem::take(&mut builder.block_formats) {
        if format.data_bytes == 0 {
            continue;
        }
        let key = |what: &str| format!("lba_format_{}_{what}_bytes", format.index);
        builder.set(&key("data"), Value::Number(format.data_bytes), format.line);
        builder.set(&key("metadata"), Value::Number(format.metadata_bytes), format.line);
        if builder.current_format == Some(format.index) {
            builder.set_number("lba_format_current", format.index, format.line);
            builder.set_number("logical_block_bytes", format.data_bytes, format.line);
            builder.set_number("metadata_bytes", format.metadata_bytes, format.line);
        }
    }
    capacity(builder, "namespace_size_blocks");
}

pub(crate) fn capacity(builder: &mut PageBuilder, blocks_key: &str) {
    if let (Some((blocks, first)), Some((bytes, second))) = (builder.number(blocks_key), builder.number("logical_block_bytes")) {
        match blocks.checked_mul(bytes) {
            Some(capacity) => builder.derive("capacity_bytes", Value::Number(capacity), (first, second)),
            None => builder.problem(format!("line {first}: so many blocks are more than any drive has")),
        }
    }
}

#[rustfmt::skip]
const OF_HEALTH: [&str; 12] = [
    "critical_warnings", "available_spare_percent", "percentage_used_percent", "data_read_bytes", "data_written_bytes",
    "host_read_commands", "host_write_commands", "power_cycles", "power_on_hours", "unsafe_shutdowns", "media_errors",
    "error_log_entries",
];

pub(crate) fn finish_health(builder: &mut PageBuilder) {
    let missing: Vec<String> = OF_HEALTH.iter().filter(|key| !builder.is_there(key)).map(|key| keys::about(key).0).collect();
    if missing.is_empty() || builder.is_empty() {
        return;
    }
    let last = OF_HEALTH.iter().rposition(|key| builder.field(key).is_some()).map_or(0, |last| last + 1);
    // The temperature is one of them, but some logs have none.
    let last_line =
        OF_HEALTH.iter().chain(&["temperature_celsius"]).filter_map(|key| builder.field(key)).map(|(_, line)| line).max().unwrap_or(0);
    let is_end = missing.len() == OF_HEALTH.len() - last && builder.last_field_line() <= last_line;
    let how = if is_end { format!("{ENDS_EARLY}, after line {}", builder.last_line()) } else { "lines were left out".to_owned() };
    builder.problem(format!("{how}: {} prints more, which is missing: {}", builder.tool, missing.join(", ")));
}
