//! The health log of an NVMe drive as nvme-cli, smartctl, nvmecontrol and spdk_nvme_identify print it alike, but for capitals, which do not count.

use crate::paste::page::{LabelRow, TextKind, row};

pub(crate) const COMMON: &[LabelRow] = &[
    row("Available Spare", "available_spare_percent", TextKind::Number),
    row("Available Spare Threshold", "available_spare_threshold_percent", TextKind::Number),
    row("Percentage Used", "percentage_used_percent", TextKind::Number),
    row("Data Units Read", "data_read_bytes", TextKind::Times(512_000)),
    row("Data Units Written", "data_written_bytes", TextKind::Times(512_000)),
    row("Host Read Commands", "host_read_commands", TextKind::Number),
    row("Host Write Commands", "host_write_commands", TextKind::Number),
    row("Controller Busy Time", "controller_busy_minutes", TextKind::Number),
    row("Power Cycles", "power_cycles", TextKind::Number),
    row("Power On Hours", "power_on_hours", TextKind::Number),
    row("Unsafe Shutdowns", "unsafe_shutdowns", TextKind::Number),
    row("Temperature Sensor #", "temperature_sensor_#_celsius", TextKind::Celsius),
];

/// The same as JSON of nvme-cli and of smartctl.
pub(crate) const JSON: &[LabelRow] = &[
    row("critical_warning", "critical_warnings", TextKind::Warnings),
    row("data_units_read", "data_read_bytes", TextKind::Times(512_000)),
    row("data_units_written", "data_written_bytes", TextKind::Times(512_000)),
    row("controller_busy_time", "controller_busy_minutes", TextKind::Number),
    row("power_cycles", "power_cycles", TextKind::Number),
    row("power_on_hours", "power_on_hours", TextKind::Number),
    row("unsafe_shutdowns", "unsafe_shutdowns", TextKind::Number),
    row("media_errors", "media_errors", TextKind::Number),
    row("num_err_log_entries", "error_log_entries", TextKind::Number),
    row("warning_temp_time", "warning_temperature_minutes", TextKind::Number),
    row("critical_comp_time", "critical_temperature_minutes", TextKind::Number),
    row("thm_temp1_trans_count", "thermal_transitions_1", TextKind::Number),
    row("thm_temp2_trans_count", "thermal_transitions_2", TextKind::Number),
    row("thm_temp1_total_time", "thermal_time_1_seconds", TextKind::Number),
    row("thm_temp2_total_time", "thermal_time_2_seconds", TextKind::Number),
];
