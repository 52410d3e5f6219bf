//! smartctl as JSON (`-j`), for NVMe, ATA and SCSI drives. The page is that of the text, so that both give the same facts under the same keys.

use super::logs;
use super::scsi::{error_counters, is_lost, scan_found};
use super::smartctl::finish;
use super::tables::{self, PastedAttribute};
use crate::paste::nvme::health_rows;
use crate::paste::page::{
    JsonDocument, JsonOutput, LabelRow, PageBuilder, TextKind, TextReading, ToolFormat, Value, page_of_json, real, row, whole,
};

pub(crate) const OUTPUT: ToolFormat =
    ToolFormat { tool: "smartctl -j", page: "smartctl", tables: &[ROWS, health_rows::JSON], ignored: IGNORED, finish, ..ToolFormat::PLAIN };

/// Beginnings of paths: what is read below, what smartctl says of itself, logs of single events, and what says the same as another value.
#[rustfmt::skip]
const IGNORED: &[&str] = &[
    "json_format_version", "smartctl.", "local_time.", "device.", "power_mode", "in_smartctl_database", "ata_smart_attributes.",
    "ata_device_statistics.", "ata_smart_data.", "ata_smart_error_log", "ata_smart_self_test_log", "ata_smart_selective_self_test_log",
    "ata_log_directory", "ata_pending_defects_log", "ata_sct_", "ata_version.", "ata_aam.", "ata_apm.", "ata_dsn.", "ata_security.",
    "ata_additional_product_id", "sata_phy_event_counters", "sata_version.", "interface_speed.", "form_factor.", "trim.",
    "smart_status.", "scsi_error_counter_log.", "scsi_", "nvme_namespaces.", "nvme_ieee_oui_identifier", "nvme_version.",
    "nvme_firmware_update_capabilities", "nvme_optional_admin_commands", "nvme_optional_nvm_commands", "nvme_log_page_attributes",
    "nvme_power_states", "nvme_error_information_log", "nvme_self_test_log", "nvme_smart_health_information_log.nsid", "user_capacity.",
    "zoned_device", "logical_unit_id", "wwn.", "device_type.", "temperature.", "power_cycle_count", "power_on_time.",
    "spare_available.", "endurance_used.", "seagate_",
];

const ROWS: &[LabelRow] = &[
    row("device.name", "device_name", TextKind::Device),
    row("device.protocol", "protocol", TextKind::Text),
    row("model_name", "model", TextKind::Text),
    row("model_family", "model_family", TextKind::Text),
    row("product", "model", TextKind::Text),
    row("scsi_product", "model", TextKind::Text),
    row("vendor", "vendor", TextKind::Text),
    row("scsi_vendor", "vendor", TextKind::Text),
    row("revision", "firmware", TextKind::Text),
    row("scsi_revision", "firmware", TextKind::Text),
    row("scsi_version", "scsi_version", TextKind::Text),
    row("serial_number", "serial", TextKind::Text),
    row("firmware_version", "firmware", TextKind::Text),
    row("nvme_pci_vendor.id", "vendor_id", TextKind::Number),
    row("nvme_pci_vendor.subsystem_id", "subsystem_vendor_id", TextKind::Number),
    row("nvme_controller_id", "controller_id", TextKind::Number),
    row("nvme_version.string", "nvme_version", TextKind::Text),
    row("nvme_number_of_namespaces", "namespace_id_max", TextKind::Number),
    row("nvme_total_capacity", "total_capacity_bytes", TextKind::NumberUnlessZero),
    row("nvme_unallocated_capacity", "unallocated_capacity_bytes", TextKind::Number),
    row("nvme_maximum_data_transfer_pages", "max_transfer_bytes", TextKind::Times(4096)),
    row("nvme_composite_temperature_threshold.warning", "warning_temperature_celsius", TextKind::CelsiusUnlessZero),
    row("nvme_composite_temperature_threshold.critical", "critical_temperature_celsius", TextKind::CelsiusUnlessZero),
    row("nvme_namespaces.0.id", "namespace_id", TextKind::Number),
    row("nvme_namespaces.0.size.blocks", "namespace_size_blocks", TextKind::Number),
    row("nvme_namespaces.0.capacity.blocks", "namespace_capacity_blocks", TextKind::Number),
    row("nvme_namespaces.0.utilization.blocks", "namespace_used_blocks", TextKind::Number),
    row("nvme_namespaces.0.formatted_lba_size", "logical_block_bytes", TextKind::Number),
    row("user_capacity.bytes", "capacity_bytes", TextKind::Number),
    row("logical_block_size", "logical_block_bytes", TextKind::Number),
    row("physical_block_size", "physical_block_bytes", TextKind::Number),
    row("rotation_rate", "rotation_rate_rpm", TextKind::Number),
    row("form_factor.name", "form_factor", TextKind::Text),
    row("trim.supported", "trim_supported", TextKind::Flag),
    row("ata_version.string", "ata_version", TextKind::Text),
    row("sata_version.string", "sata_version", TextKind::Text),
    row("scsi_transport_protocol.name", "transport", TextKind::Text),
    row("interface_speed.max.string", "link_speed_max_gbit_per_s", TextKind::SpeedMax),
    row("interface_speed.current.string", "link_speed_gbit_per_s", TextKind::SpeedMax),
    row("smart_support.available", "smart_supported", TextKind::Flag),
    row("smart_support.enabled", "smart_enabled", TextKind::Flag),
    row("read_lookahead.enabled", "look_ahead_enabled", TextKind::Flag),
    row("write_cache.enabled", "write_cache_enabled", TextKind::Flag),
    row("smart_status.passed", "smart_passed", TextKind::Flag),
    row("temperature", "temperature_celsius", TextKind::Celsius),
    row("available_spare", "available_spare_percent", TextKind::Number),
    row("available_spare_threshold", "available_spare_threshold_percent", TextKind::Number),
    row("percentage_used", "percentage_used_percent", TextKind::Number),
    row("host_reads", "host_read_commands", TextKind::Number),
    row("host_writes", "host_write_commands", TextKind::Number),
    row("temperature sensor #", "temperature_sensor_#_celsius", TextKind::Celsius),
    row("scsi_start_stop_cycle_counter.accumulated_start_stop_cycles", "start_stop_cycles", TextKind::Number),
    row("scsi_pending_defects.count", "pending_sectors", TextKind::Number),
    row("scsi_grown_defect_list", "reallocated_sectors", TextKind::Number),
    row("scsi_percentage_used_endurance_indicator", "percentage_used_percent", TextKind::Number),
];

const FALLBACKS: &[(&str, &str, TextKind)] = &[
    ("temperature.current", "temperature_celsius", TextKind::CelsiusUnlessZero),
    ("temperature.drive_trip", "critical_temperature_celsius", TextKind::CelsiusUnlessZero),
    ("scsi_temperature.drive_trip", "critical_temperature_celsius", TextKind::CelsiusUnlessZero),
    ("power_cycle_count", "power_cycles", TextKind::Number),
    ("power_on_time.hours", "power_on_hours", TextKind::Number),
    ("spare_available.current_percent", "available_spare_percent", TextKind::Number),
    ("spare_available.threshold_percent", "available_spare_threshold_percent", TextKind::Number),
    ("endurance_used.current_percent", "percentage_used_percent", TextKind::Number),
];

pub(crate) fn is_its(document: &JsonDocument) -> bool {
    let has_drive = ["model_name", "scsi_model_name", "product", "device"].iter().any(|key| document.has(key));
    let has_health = ["ata_smart_attributes", "scsi_grown_defect_list", "scsi_error_counter_log", "smart_status"];
    document.has("smartctl")
        || has_health.iter().any(|key| document.has(key))
        || is_log_alone(document)
        || has_drive && (document.has("serial_number") || document.has("smart_status"))
        || document.has("nvme_smart_health_information_log")
}

/// True for the inner object of an NVMe drive's health, posted without what is around it.
fn is_log_alone(document: &JsonDocument) -> bool {
    ["critical_warning", "available_spare", "percentage_used"].iter().all(|key| document.has(key))
}

/// Reads it. Where a SCSI drive tells vendor and product apart, the model is the product.
pub(crate) fn read(builders: &mut Vec<PageBuilder>, json: &JsonOutput) {
    let tells_product = json.document.has("product") || json.document.has("scsi_product");
    let choose = |path: &str| match path.strip_prefix(SENSORS) {
        Some(index) => Some(format!("temperature sensor {}", index.parse::<u64>().ok()?.checked_add(1)?)),
        None if tells_product && matches!(path, "model_name" | "scsi_model_name") => None,
        None => Some(path.strip_prefix(LOG).unwrap_or(path).to_owned()),
    };
    let mut builder = page_of_json(&OUTPUT, json, choose, |_, _, _| false);
    attributes(&mut builder, json);
    statistics(&mut builder, json);
    logs(&mut builder, json);
    counters(&mut builder, json);
    scan(&mut builder, json);
    wwn(&mut builder, json);
    fallbacks(&mut builder, json);
    // A SCSI drive that does not tell its rate has the 0 of one that does not turn.
    if json.document.get("device.protocol") == Some("SCSI") && builder.number("rotation_rate_rpm").is_some_and(|(rate, _)| rate == 0) {
        builder.remove("rotation_rate_rpm");
    }
    builders.push(builder);
}

const LOG: &str = "nvme_smart_health_information_log.";
const SENSORS: &str = "nvme_smart_health_information_log.temperature_sensors.";

fn fallbacks(builder: &mut PageBuilder, json: &JsonOutput) {
    for leaf in &json.document.leaves {
        let known = FALLBACKS.iter().find(|(path, ..)| *path == leaf.path);
        if let Some((TextReading::Value(value), key)) = known.map(|(_, key, kind)| (kind.read(&leaf.text), *key)) {
            builder.set_if_new(key, value, leaf.line + json.line_before);
        }
    }
}

fn attributes(builder: &mut PageBuilder, json: &JsonOutput) {
    let mut current: Option<(String, PastedAttribute)> = None;
    for leaf in &json.document.leaves {
        let Some((index, what)) = leaf.path.strip_prefix("ata_smart_attributes.table.").and_then(|rest| rest.split_once('.')) else {
            continue;
        };
        if current.as_ref().is_none_or(|(known, _)| known != index) {
            current.take().into_iter().for_each(|(_, done)| put_attribute(builder, &done));
            current = Some((index.to_owned(), PastedAttribute { line: leaf.line + json.line_before, ..PastedAttribute::default() }));
        }
        current.iter_mut().for_each(|(_, attribute)| fill(attribute, what, &leaf.text));
    }
    current.into_iter().for_each(|(_, done)| put_attribute(builder, &done));
}

fn fill(attribute: &mut PastedAttribute, what: &str, text: &str) {
    let number = text.parse().ok();
    match what {
        "id" => attribute.id = number.unwrap_or(0),
        "name" => text.clone_into(&mut attribute.name),
        "value" => attribute.value = number,
        "worst" => attribute.worst = number,
        "thresh" => attribute.threshold = number,
        "flags.prefailure" => attribute.prefailure = text == "true",
        "flags.value" => attribute.flags = number,
        "when_failed" => attribute.failing = tables::failing(text),
        "raw.value" => attribute.raw = number,
        "raw.string" => {
            attribute.figure = tables::leading_number(text);
            text.clone_into(&mut attribute.reading);
        }
        _ => {}
    }
}

fn put_attribute(builder: &mut PageBuilder, attribute: &PastedAttribute) {
    if (1..=255).contains(&attribute.id) {
        tables::attribute_fields(builder, attribute);
    }
}

fn statistics(builder: &mut PageBuilder, json: &JsonOutput) {
    let mut name: Option<(&str, &str)> = None;
    for leaf in &json.document.leaves {
        let Some(path) = leaf.path.strip_prefix("ata_device_statistics.pages.") else { continue };
        if let Some(place) = path.strip_suffix(".name") {
            name = Some((place, &leaf.text));
        } else if let (Some(place), Some((named, text))) = (path.strip_suffix(".value"), name)
            && place == named
        {
            tables::statistic(builder, text, &leaf.text, leaf.line + json.line_before);
        }
    }
}

fn logs(builder: &mut PageBuilder, json: &JsonOutput) {
    for leaf in &json.document.leaves {
        logs::leaf(builder, &leaf.path, &leaf.text, leaf.line + json.line_before);
    }
}

fn counters(builder: &mut PageBuilder, json: &JsonOutput) {
    for direction in ["read", "write", "verify"] {
        let path = |what: &str| format!("scsi_error_counter_log.{direction}.{what}");
        let errors = json.document.leaves.iter().find(|leaf| leaf.path == path("total_uncorrected_errors"));
        if let Some(errors) = errors {
            let gigabytes = json.document.get(&path("gigabytes_processed")).filter(|text| real(text).is_some()).unwrap_or_default();
            error_counters(builder, direction, gigabytes, &errors.text, errors.line + json.line_before);
        }
    }
}

/// Sectors that a background scan of a SCSI drive found and could not mend.
fn scan(builder: &mut PageBuilder, json: &JsonOutput) {
    let found = json.document.leaves.iter().filter(|leaf| leaf.path.starts_with("scsi_background_scan.") && is_lost(&leaf.text));
    found.for_each(|leaf| scan_found(builder, leaf.line + json.line_before));
}

/// The name of an ATA drive comes in three numbers: 4 bits, 24 bits and 36 bits.
fn wwn(builder: &mut PageBuilder, json: &JsonOutput) {
    let number = |part: &str| json.document.get(&format!("wwn.{part}")).and_then(whole);
    let line = json.document.leaves.iter().find(|leaf| leaf.path == "wwn.naa").map(|leaf| leaf.line + json.line_before);
    if let (Some(naa), Some(oui), Some(id), Some(line)) = (number("naa"), number("oui"), number("id"), line)
        && naa < 16
        && oui < 1 << 24
        && id < 1 << 36
    {
        builder.set("wwn", Value::Text(format!("{:016x}", naa << 60 | oui << 36 | id)), line);
    }
}
