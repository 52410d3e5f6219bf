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
