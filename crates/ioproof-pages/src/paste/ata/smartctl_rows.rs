//! The labels of smartctl's text, and the lines of it that say nothing that is needed.

use crate::paste::page::kind::Kind;
use crate::paste::page::row::{Row, row, skip, skipped};

pub(crate) const INFORMATION: &[Row] = &[
    row("Model Number", "model", Kind::Text),
    row("Device Model", "model", Kind::Text),
    row("Product", "model", Kind::Text),
    row("Vendor", "vendor", Kind::Text),
    row("Model Family", "model_family", Kind::Text),
    row("Serial Number", "serial", Kind::Text),
    row("Firmware Version", "firmware", Kind::Text),
    row("Revision", "firmware", Kind::Text),
    row("Compliance", "scsi_version", Kind::Text),
    row("LU WWN Device Id", "wwn", Kind::Identifier),
    row("Logical Unit id", "wwn", Kind::Identifier),
    row("PCI Vendor/Subsystem ID", "vendor_id", Kind::Number),
    row("PCI Vendor ID", "vendor_id", Kind::Number),
    row("PCI Vendor Subsystem ID", "subsystem_vendor_id", Kind::Number),
    row("Controller ID", "controller_id", Kind::Number),
    row("NVMe Version", "nvme_version", Kind::Text),
    row("Number of Namespaces", "namespace_id_max", Kind::Number),
    row("Total NVM Capacity", "total_capacity_bytes", Kind::NumberUnlessZero),
    row("Unallocated NVM Capacity", "unallocated_capacity_bytes", Kind::Number),
    row("Maximum Data Transfer Size", "max_transfer_bytes", Kind::Times(4096)),
    row("Warning Comp. Temp. Threshold", "warning_temperature_celsius", Kind::CelsiusUnlessZero),
    row("Critical Comp. Temp. Threshold", "critical_temperature_celsius", Kind::CelsiusUnlessZero),
    row("Namespace 1 Size/Capacity", "capacity_bytes", Kind::Number),
    row("Namespace 1 Size", "capacity_bytes", Kind::Number),
    row("Namespace 1 Formatted LBA Size", "logical_block_bytes", Kind::Number),
    row("Namespace 1 IEEE EUI-64", "eui64", Kind::Identifier),
    row("User Capacity", "capacity_bytes", Kind::Number),
    row("Logical block size", "logical_block_bytes", Kind::Number),
    row("Physical block size", "physical_block_bytes", Kind::Number),
    row("Rotation Rate", "rotation_rate_rpm", Kind::Rotation),
    row("Form Factor", "form_factor", Kind::Text),
    row("TRIM Command", "trim_supported", Kind::Flag),
    row("ATA Version is", "ata_version", Kind::Text),
    row("Transport protocol", "transport", Kind::Text),
    row("Rd look-ahead is", "look_ahead_enabled", Kind::Flag),
    row("Write cache is", "write_cache_enabled", Kind::Flag),
    row("Writeback Cache is", "write_cache_enabled", Kind::Flag),
];

#[rustfmt::skip]
pub(crate) const INFORMATION_SKIPPED: &[Row] = &skipped([
    "Namespace # Size/Capacity", "Namespace # Size", "Namespace # Capacity", "Namespace # Formatted LBA Size",
    "Namespace # IEEE EUI-64", "Namespace # Features", "Namespace # Utilization", "IEEE OUI Identifier", "Add. Product Id",
    "Local Time is", "Firmware Updates", "Optional Admin Commands", "Optional NVM Commands", "Log Page Attributes", "AAM feature is",
    "AAM level is", "APM feature is", "APM level is", "DSN feature is", "ATA Security is", "Wt Cache Reorder", "Device is",
    "Zoned Device", "Power mode is", "Power mode was", "Device type", "Read Cache is", "Temperature Warning", "Lowest aligned LBA",
]);

pub(crate) const HEALTH: &[Row] = &[
    row("SMART overall-health self-assessment test result", "smart_passed", Kind::Passed),
    row("SMART Health Status", "smart_passed", Kind::Passed),
    row("Critical Warning", "critical_warnings", Kind::Warnings),
    row("Temperature", "temperature_celsius", Kind::Celsius),
    row("Media and Data Integrity Errors", "media_errors", Kind::Number),
    row("Error Information Log Entries", "error_log_entries", Kind::Number),
    row("Warning Comp. Temperature Time", "warning_temperature_minutes", Kind::Number),
    row("Critical Comp. Temperature Time", "critical_temperature_minutes", Kind::Number),
    row("Thermal Temp. 1 Transition Count", "thermal_transitions_1", Kind::Number),
    row("Thermal Temp. 2 Transition Count", "thermal_transitions_2", Kind::Number),
    row("Thermal Temp. 1 Total Time", "thermal_time_1_seconds", Kind::Number),
    row("Thermal Temp. 2 Total Time", "thermal_time_2_seconds", Kind::Number),
    row("Current Drive Temperature", "temperature_celsius", Kind::CelsiusUnlessZero),
    row("Drive Trip Temperature", "critical_temperature_celsius", Kind::CelsiusUnlessZero),
    row("Accumulated power on time, hours", "power_on_hours", Kind::Hours),
    row("Accumulated start-stop cycles", "start_stop_cycles", Kind::Number),
    row("Elements in grown defect list", "reallocated_sectors", Kind::Number),
    row("Percentage used endurance indicator", "percentage_used_percent", Kind::Number),
    row("Non-medium error count", "non_medium_errors", Kind::Number),
    skip("Specified cycle count over device lifetime"),
    skip("Specified load-unload count over device lifetime"),
    skip("Accumulated load-unload cycles"),
    skip("defect list format"),
];

#[rustfmt::skip]
pub(crate) const IGNORED: &[&str] = &[
    "smartctl ", "Copyright (C)", "===", "SMART/Health Information (NVMe", "St Op ", "Id Fmt ", "LU is ", "Logical block provisioning",
    "Device supports SMART", "SMART Status not supported", "SMART Status command failed", "SMART Disabled", "Device does not support",
    "Drive failure expected", "Failed Attributes", "See vendor-specific Attribute list",
    "Please note the following marginal Attributes", "No failed Attributes", "- ", "Manufactured in week",
    "Grown defects during certification", "Grown defect list", "Total blocks reassigned during format", "Total new blocks reassigned",
    "Power on minutes since format", "defect list format", "Read defect list", "Write SCT", "Temperature Warning",
    "Error Counter logging not supported", "Vendor (Seagate", "No Errors Logged", "No Self-tests Logged", "Self-test status:",
    "Long (extended) Self",
];
