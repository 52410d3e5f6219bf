//! nvme-cli as JSON: the same three outputs. Version 1.x prints every number as such, 2.x those of 128 bits as strings.

use super::cli::{self, CONTROLLER_ROWS, NAMESPACE_ROWS, current_format};
use super::health_rows;
use super::identify_rows::finish_health;
use super::power_states;
use super::structure_fields::{self, CONTROLLER_PLACES, NAMESPACE_PLACES};
use crate::paste::page::{BlockFormat, JsonDocument, JsonOutput, LabelRow, PageBuilder, TextKind, ToolFormat, page_of_json, row, whole};

pub(crate) const CONTROLLER: ToolFormat = ToolFormat {
    tool: "nvme id-ctrl -o json",
    page: "identify-controller",
    tables: &[&[row("ver", "nvme_version", TextKind::VersionNumber)], CONTROLLER_ROWS],
    ignored: &["psds.", "fguid", "rsvd", "vs", "bpcap", "nssl", "plsi", "ofcs"],
    finish: cli::CONTROLLER.finish,
    ..ToolFormat::PLAIN
};

pub(crate) const NAMESPACE: ToolFormat = ToolFormat {
    tool: "nvme id-ns -o json",
    page: "identify-namespace",
    tables: &[NAMESPACE_ROWS],
    ignored: &["lbafs.", "flbas", "nlbaf", "nulbaf", "vs", "rsvd", "mcl", "msrc", "mssrl", "kpios"],
    finish: cli::NAMESPACE.finish,
    ..ToolFormat::PLAIN
};

pub(crate) const HEALTH: ToolFormat = ToolFormat {
    tool: "nvme smart-log -o json",
    page: "smart-log",
    tables: &[HEALTH_ROWS, health_rows::JSON],
    ignored: &["critical_warning.", "endurance_grp_critical_warning_summary"],
    finish: finish_health,
    ..ToolFormat::PLAIN
};

const HEALTH_ROWS: &[LabelRow] = &[
    row("critical_warning.value", "critical_warnings", TextKind::Warnings),
    row("temperature", "temperature_celsius", TextKind::Kelvin),
    row("avail_spare", "available_spare_percent", TextKind::Number),
    row("spare_thresh", "available_spare_threshold_percent", TextKind::Number),
    row("percent_used", "percentage_used_percent", TextKind::Number),
    row("host_read_commands", "host_read_commands", TextKind::Number),
    row("host_write_commands", "host_write_commands", TextKind::Number),
    row("temperature_sensor #", "temperature_sensor_#_celsius", TextKind::Kelvin),
];

pub(crate) fn is_its(document: &JsonDocument) -> bool {
    format_of(document).is_some()
}

fn format_of(document: &JsonDocument) -> Option<&'static ToolFormat> {
    match () {
        () if document.has("vid") && document.has("mn") => Some(&CONTROLLER),
        () if document.has("nsze") => Some(&NAMESPACE),
        () if document.has("critical_warning") && (document.has("avail_spare") || document.has("percent_used")) => Some(&HEALTH),
        () => None,
    }
}

pub(crate) fn read(builders: &mut Vec<PageBuilder>, json: &JsonOutput) {
    let Some(format) = format_of(json.document) else { return };
    let places = if format.page == NAMESPACE.page { NAMESPACE_PLACES } else { CONTROLLER_PLACES };
    let mut builder = page_of_json(
        format,
        json,
        |path| Some(path.replacen("temperature_sensor_", "temperature_sensor ", 1)),
        |builder, leaf, line| structure_fields::put(builder, places, &leaf.path, whole(&leaf.text), line),
    );
    if format.page == CONTROLLER.page {
        power_states::json(&mut builder, json.document, json.line_before);
    }
    builder.current_format = json.document.get("flbas").and_then(whole).map(current_format);
    builder.block_formats = block_formats(json);
    builders.push(builder);
}

/// `lbafs` is a list of objects with `ms` (bytes) and `ds` (exponent of two).
fn block_formats(json: &JsonOutput) -> Vec<BlockFormat> {
    let number = |path: &str| json.document.get(path).and_then(whole).and_then(|n| u32::try_from(n).ok());
    let sizes = json.document.leaves.iter().filter_map(|leaf| {
        let index = leaf.path.strip_prefix("lbafs.")?.strip_suffix(".ds")?;
        let data_bytes = 1_u64.checked_shl(number(&leaf.path)?)?;
        let metadata_bytes = number(&format!("lbafs.{index}.ms")).unwrap_or(0).into();
        Some(BlockFormat { index: index.parse().ok()?, data_bytes, metadata_bytes, line: leaf.line + json.line_before })
    });
    // Text that somebody made up may have any number of them.
    sizes.take(64).collect()
}
