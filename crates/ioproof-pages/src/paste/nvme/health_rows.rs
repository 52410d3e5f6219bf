//! The health log of an NVMe drive as nvme-cli, smartctl, nvmecontrol and spdk_nvme_identify print it alike, but for capitals, which do not count.

use crate::paste::page::kind::Kind;
use crate::paste::page::row::{Row, row};

pub(crate) const COMMON: &[Row] = &[
    row("Available Spare", "available_spare_percent", Kind::Number),
    row("Available Spare Threshold", "available_spare_threshold_percent", Kind::Number),
    row("Percentage Used", "percentage_used_percent", Kind::Number),
    row("Data Units Read", "data_read_bytes", Kind::Times(512_000)),
    row("Data Units Written", "data_written_bytes", Kind::Times(512_000)),
    row("Host Read Commands", "host_read_commands", Kind::Number),
    row("Host Write Commands", "host_write_commands", Kind::Number),
    row("Controller Busy Time", "controller_busy_minutes", Kind::Number),
    row("Power Cycles", "power_cycles", Kind::Number),
    row("Power On Hours", "power_on_hours", Kind::Number),
    row("Unsafe Shutdowns", "unsafe_shutdowns", Kind::Number),
    row("Temperature Sensor #", "temperature_sensor_#_celsius", Kind::Celsius),
];
