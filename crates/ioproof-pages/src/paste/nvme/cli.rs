//! nvme-cli as text: `id-ctrl`, `id-ns` and `smart-log`, of versions 1.x and 2.x, with and without `-H`.

use super::identify_rows::{finish_controller, finish_health, finish_namespace};
use super::structure_fields::{self, CONTROLLER_PLACES, NAMESPACE_PLACES};
use super::{health_rows, power_states};
use crate::paste::page::{
    BlockFormat, LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, generalised, row, skip, whole,
    whole_u64,
};

/// Numbers of Identify Controller and Identify Namespace without a place in the revisions that are read; others are in `structure`.
const SKIPPED: [&str; 36] = [
    "bpcap", "nssl", "plsi", "fguid", "crcap", "ciu", "anatt", "kpioc", "mptfawr", "tmpthha", "cqt", "cdpa", "mup", "ipmsr", "msmt",
    "oaqd", "rhiri", "hirt", "cmmrtd", "nmmrtd", "minmrtg", "maxmrtg", "trattr", "mcudmq", "mnsudmq", "mcmr", "nmcmr", "mcdqpc", "ctrattr",
    "ofcs", "ccrl", "nlbaf", "kpios", "nulbaf", "nvmsetid", "endgid",
];

pub(crate) const CONTROLLER_ROWS: &[LabelRow] = &[
    row("vid", "vendor_id", TextKind::Number),
    row("ssvid", "subsystem_vendor_id", TextKind::Number),
    row("sn", "serial", TextKind::Text),
    row("mn", "model", TextKind::Text),
    row("fr", "firmware", TextKind::Text),
    row("mdts", "max_transfer_bytes", TextKind::PowerOfTwo(4096)),
    row("ver", "nvme_version", TextKind::Version),
    row("wctemp", "warning_temperature_celsius", TextKind::Kelvin),
    row("cctemp", "critical_temperature_celsius", TextKind::Kelvin),
    row("hmpre", "host_memory_preferred_bytes", TextKind::Times(4096)),
    row("hmmin", "host_memory_min_bytes", TextKind::Times(4096)),
    row("tnvmcap", "total_capacity_bytes", TextKind::NumberUnlessZero),
    row("unvmcap", "unallocated_capacity_bytes", TextKind::Number),
    row("nn", "namespace_id_max", TextKind::Number),
    row("oncs", "trim_supported", TextKind::Bit(2)),
    row("vwc", "volatile_write_cache", TextKind::Bit(0)),
    row("subnqn", "nqn", TextKind::Text),
];

pub(crate) const NAMESPACE_ROWS: &[LabelRow] = &[
    row("nsze", "namespace_size_blocks", TextKind::Number),
    row("ncap", "namespace_capacity_blocks", TextKind::Number),
    row("nuse", "namespace_used_blocks", TextKind::Number),
    row("nguid", "nguid", TextKind::Identifier),
    row("eui64", "eui64", TextKind::Identifier),
];

const HEALTH_ROWS: &[LabelRow] = &[
    row("critical warning", "critical_warnings", TextKind::Warnings),
    row("temperature", "temperature_celsius", TextKind::Celsius),
    row("media errors", "media_errors", TextKind::Number),
    row("num err log entries", "error_log_entries", TextKind::Number),
    row("warning temperature time", "warning_temperature_minutes", TextKind::Number),
    row("critical composite temperature time", "critical_temperature_minutes", TextKind::Number),
    row("thermal management t1 trans count", "thermal_transitions_1", TextKind::Number),
    row("thermal management t2 trans count", "thermal_transitions_2", TextKind::Number),
    row("thermal management t1 total time", "thermal_time_1_seconds", TextKind::Number),
    row("thermal management t2 total time", "thermal_time_2_seconds", TextKind::Number),
    skip("endurance group critical warning summary"),
];

pub(crate) const CONTROLLER: ToolFormat = ToolFormat {
    tool: "nvme id-ctrl",
    page: "identify-controller",
    tables: &[CONTROLLER_ROWS],
    ignored: &[
        "NVME Identify Controller",
        "[",
        "emergency power fail",
        "forced quiescence",
        "Total NVM Capacity",
        "Unallocated NVM Capacity",
        "Max Endurance Group Capacity",
    ],
    special: |builder, line| controller_line(builder, line) || is_skipped(&line.text) || is_dump(&line.text),
    finish: |builder| {
        finish_controller(builder);
        structure_fields::finish_controller(builder);
    },
    ..ToolFormat::PLAIN
};

pub(crate) const NAMESPACE: ToolFormat = ToolFormat {
    tool: "nvme id-ns",
    page: "identify-namespace",
    tables: &[NAMESPACE_ROWS],
    ignored: &["["],
    special: |builder, line| {
        namespace_line(builder, line) || number_of(builder, NAMESPACE_PLACES, line) || is_skipped(&line.text) || is_dump(&line.text)
    },
    finish: |builder| {
        finish_namespace(builder);
        structure_fields::finish_namespace(builder);
    },
    ..ToolFormat::PLAIN
};

pub(crate) const HEALTH: ToolFormat = ToolFormat {
    tool: "nvme smart-log",
    page: "smart-log",
    tables: &[HEALTH_ROWS, health_rows::COMMON],
    special: health_line,
    finish: finish_health,
    ..ToolFormat::PLAIN
};

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let label = text.split_once(':').map_or("", |(label, _)| label.trim());
    let alone = |format: &ToolFormat| !context.is_in(format.tool);
    match () {
        () if text.starts_with("NVME Identify Controller") => Some(OutputStart::Open(&CONTROLLER)),
        () if text.starts_with("NVME Identify Namespace") => Some(OutputStart::Open(&NAMESPACE)),
        () if text.starts_with("Smart Log for NVME device") => Some(OutputStart::OpenWith(&HEALTH, device)),
        () if label == "vid" && alone(&CONTROLLER) => Some(OutputStart::Open(&CONTROLLER)),
        () if label == "nsze" && alone(&NAMESPACE) => Some(OutputStart::Open(&NAMESPACE)),
        () if label == "critical_warning" && alone(&HEALTH) => Some(OutputStart::Open(&HEALTH)),
        () => None,
    }
}

fn device(builder: &mut PageBuilder, line: &PastedLine) {
    let name = line.text.split_once("device:").and_then(|(_, rest)| rest.split_whitespace().next());
    name.into_iter().for_each(|name| builder.suggest_device(name.trim_start_matches("/dev/")));
}

fn controller_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    power_states::line(builder, &line.text, line.number) || number_of(builder, CONTROLLER_PLACES, line)
}

/// Keeps a number that has a place in the structure. False where the line has none, where the number cannot be read, or where a row of the table reads it too.
fn number_of(builder: &mut PageBuilder, places: &[(&'static str, usize, usize)], line: &PastedLine) -> bool {
    let Some((label, value)) = line.text.split_once(':') else { return false };
    let (label, number) = (label.trim(), structure_fields::number_of_text(label.trim(), value));
    structure_fields::put(builder, places, label, number, line.number) && !builder.has_row(label)
}

fn is_skipped(text: &str) -> bool {
    text.split_once(':').is_some_and(|(label, _)| SKIPPED.contains(&label.trim()))
}

fn is_dump(text: &str) -> bool {
    let is_hex = |word: &str| !word.is_empty() && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    text.starts_with("vs[]")
        || text.split_once(':').is_some_and(|(offset, _)| offset.len() == 4 && is_hex(offset))
        || text.split_whitespace().all(|word| word.len() == 1 && is_hex(word))
}

/// Labels of the health log changed their dress: `data_units_read` became `Data Units Read`. Those with brackets are the bits of the warning. Others are left to the table.
fn health_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = line.text.split_once(':') else { return false };
    label.trim_end().ends_with(']') || label.contains('_') && builder.take(&label.replace('_', " "), value, line.number)
}

fn namespace_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = line.text.split_once(':') else { return false };
    match generalised(label) {
        (label, Some(number)) if label == "nvme identify namespace #" => builder.set_number("namespace_id", number, line.number),
        (label, _) if label == "flbas" => builder.current_format = whole(value).map(current_format),
        (label, Some(index)) if label == "lbaf #" || label == "lba format #" => {
            builder.block_formats.extend(block_format(index, value, line.number))
        }
        _ => return false,
    }
    true
}

/// Bits 0-3 of FLBAS and above them bits 5-6 (NVM Command Set Specification 1.0c, clause 4.1.5.1).
pub(crate) fn current_format(flbas: u128) -> u64 {
    (flbas & 0xf | flbas >> 1 & 0x30) as u64
}

/// `ms:0   lbads:9  rp:0 (in use)`, or with `-H` `Metadata Size: 0   bytes - Data Size: 512 bytes - Relative Performance: 0 Best`.
fn block_format(index: u64, text: &str, line: usize) -> Option<BlockFormat> {
    let after = |word: &str| text.split_once(word).and_then(|(_, rest)| whole_u64(rest));
    let exponent = after("lbads:").and_then(|exponent| 1_u64.checked_shl(u32::try_from(exponent).ok()?));
    let data_bytes = exponent.or_else(|| after("Data Size:"))?;
    Some(BlockFormat { index, data_bytes, metadata_bytes: after("ms:").or_else(|| after("Metadata Size:")).unwrap_or(0), line })
}
