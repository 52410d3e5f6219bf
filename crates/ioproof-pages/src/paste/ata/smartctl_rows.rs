//! The labels of smartctl's text, and the lines of it that say nothing that is needed.

use crate::paste::page::kind::TextKind;
use crate::paste::page::row::{LabelRow, row, skip, skipped};

pub(crate) const INFORMATION: &[LabelRow] = &[
    row("Model Number", "model", TextKind::Text),
    row("Device Model", "model", TextKind::Text),
    row("Product", "model", TextKind::Text),
    row("Vendor", "vendor", TextKind::Text),
    row("Model Family", "model_family", TextKind::Text),
    row("Serial Number", "serial", TextKind::Text),
    row("Firmware Version", "firmware", TextKind::Text),
    row("Revision", "firmware", TextKind::Text),
    row("Compliance", "scsi_version", TextKind::Text),
    row("LU WWN Device Id", "wwn", TextKind::Identifier),
    row("Logical Unit id", "wwn", TextKind::Identifier),
    row("PCI Vendor/Subsystem ID", "vendor_id", TextKind::Number),
    row("PCI Vendor ID", "vendor_id", TextKind::Number),
    row("PCI Vendor Subsystem ID", "subsystem_vendor_id", TextKind::Number),
    row("Controller ID", "controller_id", TextKind::Number),
    row("NVMe Version", "nvme_version", TextKind::Text),
    row("Number of Namespaces", "namespace_id_max", TextKind::Number),
    row("Total NVM Capacity", "total_capacity_bytes", TextKind::NumberUnlessZero),
    row("Unallocated NVM Capacity", "unallocated_capacity_bytes", TextKind::Number),
    row("Maximum Data Transfer Size", "max_transfer_bytes", TextKind::Times(4096)),
    row("Warning Comp. Temp. Threshold", "warning_temperature_celsius", TextKind::CelsiusUnlessZero),
    row("Critical Comp. Temp. Threshold", "critical_temperature_celsius", TextKind::CelsiusUnlessZero),
    row("Namespace 1 Size/Capacity", "capacity_bytes", TextKind::Capacity),
    row("Namespace 1 Size", "capacity_bytes", TextKind::Capacity),
    row("Namespace 1 Formatted LBA Size", "logical_block_bytes", TextKind::Number),
    row("Namespace 1 IEEE EUI-64", "eui64", TextKind::Identifier),
    row("User Capacity", "capacity_bytes", TextKind::Capacity),
    row("Logical block size", "logical_block_bytes", TextKind::Number),
    row("Physical block size", "physical_block_bytes", TextKind::Number),
    row("Rotation Rate", "rotation_rate_rpm", TextKind::Rotation),
    row("Form Factor", "form_factor", TextKind::Text),
    row("TRIM Command", "trim_supported", TextKind::Flag),
    row("ATA Version is", "ata_version", TextKind::Text),
    row("Transport protocol", "transport", TextKind::Text),
    row("Rd look-ahead is", "look_ahead_enabled", TextKind::Flag),
    row("Write cache is", "write_cache_enabled", TextKind::Flag),
    row("Writeback Cache is", "write_cache_enabled", TextKind::Flag),
];

#[rustfmt::skip]
pub(crate) const INFORMATION_SKIPPED: &[LabelRow] = &skipped([
    "Namespace # Size/Capacity", "Namespace # Size", "Namespace # Capacity", "Namespace # Formatted LBA Size",
    "Namespace # IEEE EUI-64", "Namespace # Features", "Namespace # Utilization", "IEEE OUI Identifier", "Add. Product Id",
    "Local Time is", "Firmware Updates", "Optional Admin Commands", "Optional NVM Commands", "Log Page Attributes", "AAM feature is",
    "AAM level is", "APM feature is", "APM level is", "DSN feature is", "ATA Security is", "Wt Cache Reorder", "Device is",
    "Zoned Device", "ATA Standard is", "LB provisioning type", "Power mode is", "Power mode was", "Device type", "Read Cache is", "Temperature Warning", "Lowest aligned LBA",
]);

pub(crate) const HEALTH: &[LabelRow] = &[
    row("SMART overall-health self-assessment test result", "smart_passed", TextKind::Passed),
    row("SMART Health Status", "smart_passed", TextKind::Passed),
    row("Critical Warning", "critical_warnings", TextKind::Warnings),
    row("Temperature", "temperature_celsius", TextKind::Celsius),
    row("Media and Data Integrity Errors", "media_errors", TextKind::Number),
    row("Error Information Log Entries", "error_log_entries", TextKind::Number),
    row("Warning Comp. Temperature Time", "warning_temperature_minutes", TextKind::Number),
    row("Critical Comp. Temperature Time", "critical_temperature_minutes", TextKind::Number),
    row("Thermal Temp. 1 Transition Count", "thermal_transitions_1", TextKind::Number),
    row("Thermal Temp. 2 Transition Count", "thermal_transitions_2", TextKind::Number),
    row("Thermal Temp. 1 Total Time", "thermal_time_1_seconds", TextKind::Number),
    row("Thermal Temp. 2 Total Time", "thermal_time_2_seconds", TextKind::Number),
    row("Current Drive Temperature", "temperature_celsius", TextKind::CelsiusUnlessZero),
    row("Drive Trip Temperature", "critical_temperature_celsius", TextKind::CelsiusUnlessZero),
    row("Accumulated power on time, hours", "power_on_hours", TextKind::Hours),
    row("Accumulated start-stop cycles", "start_stop_cycles", TextKind::Number),
    row("Pending defect count", "pending_sectors", TextKind::Number),
    row("Elements in grown defect list", "reallocated_sectors", TextKind::Number),
    row("Percentage used endurance indicator", "percentage_used_percent", TextKind::Number),
    row("Non-medium error count", "non_medium_errors", TextKind::Number),
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
    "Long (extended) Self", "Warning: This result is based on", "Formatted with type", "www.smartmontools.org", "(local build)", "build)", "8 bytes of protection", "CHECK POWER MODE",
    "Home page is", "Self_Test", "Sav/Sel_Feat", "Warning: device does not support SCT",
];
