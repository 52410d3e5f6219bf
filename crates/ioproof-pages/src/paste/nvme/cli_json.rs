//! nvme-cli as JSON: the same three outputs. Version 1.x prints every number as such, 2.x those of 128 bits as strings.

use super::cli::{CONTROLLER_ROWS, NAMESPACE_ROWS, current_format};
use super::identify_rows::{finish_controller, finish_health, finish_namespace};
use super::power_states;
use super::structure_fields::{self, CONTROLLER_PLACES, NAMESPACE_PLACES};
use crate::paste::page::{BlockFormat, JsonDocument, JsonOutput, LabelRow, PageBuilder, TextKind, ToolFormat, page_of_json, row, whole};

pub(crate) const CONTROLLER: ToolFormat = ToolFormat {
    tool: "nvme id-ctrl -o json",
    page: "identify-controller",
    tables: &[&[row("ver", "nvme_version", TextKind::VersionNumber)], CONTROLLER_ROWS],
    ignored: &["psds.", "fguid", "rsvd", "vs", "bpcap", "nssl", "plsi", "ofcs"],
    finish: |builder| {
        finish_controller(builder);
        structure_fields::finish_controller(builder);
    },
    ..ToolFormat::PLAIN
};

pub(crate) const NAMESPACE: ToolFormat = ToolFormat {
    tool: "nvme id-ns -o json",
    page: "identify-namespace",
    tables: &[NAMESPACE_ROWS],
    ignored: &["lbafs.", "flbas", "nlbaf", "nulbaf", "vs", "rsvd", "mcl", "msrc", "mssrl", "kpios"],
    finish: |builder| {
        finish_namespace(builder);
        structure_fields::finish_namespace(builder);
    },
    ..ToolFormat::PLAIN
};

pub(crate) const HEALTH: ToolFormat = ToolFormat {
    tool: "nvme smart-log -o json",
    page: "smart-log",
    tables: &[HEALTH_ROWS],
    ignored: &["critical_warning.", "endurance_grp_critical_warning_summary"],
    finish: finish_health,
    ..ToolFormat::PLAIN
};

const HEALTH_ROWS: &[LabelRow] = &[
    row("critical_warning", "critical_warnings", TextKind::Warnings),
    row("critical_warning.value", "critical_warnings", TextKind::Warnings),
    row("temperature", "temperature_celsius", TextKind::Kelvin),
    row("avail_spare", "available_spare_percent", TextKind::Number),
    row("spare_thresh", "available_spare_threshold_percent", TextKind::Number),
    row("percent_used", "percentage_used_percent", TextKind::Number),
    row("data_units_read", "data_read_bytes", TextKind::Times(512_000)),
    row("data_units_written", "data_written_bytes", TextKind::Times(512_000)),
    row("host_read_commands", "host_read_commands", TextKind::Number),
    row("host_write_commands", "host_write_commands", TextKind::Number),
    row("controller_busy_time", "controller_busy_minutes", TextKind::Number),
    row("power_cycles", "power_cycles", TextKind::Number),
    row("power_on_hours", "power_on_hours", TextKind::Number),
    row("unsafe_shutdowns", "unsafe_shutdowns", TextKind::Number),
    row("media_errors", "media_errors", TextKind::Number),
    row("num_err_log_entries", "error_log_entries", TextKind::Number),
    row("warning_temp_time", "warning_temperature_minutes", TextKind::Number),
    row("critical_comp_time", "critical_temperature_minutes", TextKind::Number),
    row("temperature_sensor #", "temperature_sensor_#_celsius", TextKind::Kelvin),
    row("thm_temp1_trans_count", "thermal_transitions_1", TextKind::Number),
    row("thm_temp2_trans_count", "thermal_transitions_2", TextKind::Number),
    row("thm_temp1_total_time", "thermal_time_1_seconds", TextKind::Number),
    row("thm_temp2_total_time", "thermal_time_2_seconds", TextKind::Number),
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
