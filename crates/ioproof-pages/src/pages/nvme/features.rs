//! Features (Get Features): settings that hold now. Most fit into the 32 bits of the completion.

use super::{BASE, MEMORY_PAGE_BYTES};
use crate::pages::{ByteOrder, FieldKind, FieldRow, Page, PageTable, bit, bits, decode, is, place, row, table};

/// The data that Get Features gives for the host memory buffer, after the 32 bits of the completion.
pub const FEATURE_DATA_BYTES: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// 02h: the power state and what the host said it would do.
    PowerManagement,
    TemperatureOver,
    TemperatureUnder,
    VolatileWriteCache,
    Queues,
    HostMemoryBuffer,
    ThermalManagement,
}

pub fn feature(feature: Feature, bytes: &[u8], source: impl Into<String>) -> Page {
    let table = match feature {
        Feature::PowerManagement => &POWER_MANAGEMENT,
        Feature::TemperatureOver => &TEMPERATURE_OVER,
        Feature::TemperatureUnder => &TEMPERATURE_UNDER,
        Feature::VolatileWriteCache => &VOLATILE_WRITE_CACHE,
        Feature::Queues => &QUEUES,
        Feature::HostMemoryBuffer => &HOST_MEMORY_BUFFER,
        Feature::ThermalManagement => &THERMAL_MANAGEMENT,
    };
    decode(table, bytes, source)
}

const fn setting(name: &'static str, title: &'static str, clause: &'static str, rows: &'static [FieldRow]) -> PageTable {
    PageTable { name, title, document: BASE, clause, order: ByteOrder::Little, length: 4, least: 4, rows, groups: &[] }.checked()
}

const WORKLOADS: &[(u128, &str)] = &[(1, "random writes in bursts"), (2, "heavy sequential writes")];

const POWER_MANAGEMENT: PageTable = setting(
    "feature-power-management",
    "Power Management",
    "clause 5.27.1.2",
    &[
        row("power_state", "power state", bits(0, 0, 5), FieldKind::Unsigned),
        row("workload_hint", "workload that the host announced", bits(0, 5, 3), FieldKind::OneOf(WORKLOADS)).unless(0),
    ],
);

const TEMPERATURE_OVER: PageTable = setting(
    "feature-temperature-over",
    "Temperature Threshold (over)",
    "clause 5.27.1.3",
    &[row("temperature_over_celsius", "warns above", place(0, 2), FieldKind::Kelvin)],
);

const TEMPERATURE_UNDER: PageTable = setting(
    "feature-temperature-under",
    "Temperature Threshold (under)",
    "clause 5.27.1.3",
    &[row("temperature_under_celsius", "warns below", place(0, 2), FieldKind::Kelvin)],
);

const VOLATILE_WRITE_CACHE: PageTable = setting(
    "feature-volatile-write-cache",
    "Volatile Write Cache",
    "clause 5.27.1.4",
    &[row("write_cache_enabled", "volatile write cache is on", bit(0, 0), FieldKind::Flag)],
);

const FROM_ZERO: FieldKind = FieldKind::Scaled { plus: 1, times: 1, over: 1 };

const QUEUES: PageTable = setting(
    "feature-queues",
    "Number of Queues",
    "clause 5.27.1.5",
    &[
        row("submission_queues", "I/O submission queues", place(0, 2), FROM_ZERO),
        row("completion_queues", "I/O completion queues", place(2, 2), FROM_ZERO),
    ],
);

const THERMAL_MANAGEMENT: PageTable = setting(
    "feature-thermal-management",
    "Host Controlled Thermal Management",
    "clause 5.27.1.13",
    &[
        row("thermal_management_2_celsius", "throttles heavily from", place(0, 2), FieldKind::Kelvin),
        row("thermal_management_1_celsius", "throttles lightly from", place(2, 2), FieldKind::Kelvin),
    ],
);

const PAGES: FieldKind = FieldKind::Scaled { plus: 0, times: MEMORY_PAGE_BYTES, over: 1 };

const HOST_MEMORY_BUFFER: PageTable = PageTable {
    rows: &[
        row("host_memory_buffer_enabled", "host memory buffer is on", bit(0, 0), FieldKind::Flag),
        row("host_memory_buffer_bytes", "host memory buffer, with memory pages of 4 KiB", place(4, 4), PAGES)
            .unit("bytes")
            .when(is(bit(0, 0), 1)),
        row("host_memory_buffer_entries", "host memory buffer's entries", place(16, 4), FieldKind::Unsigned).when(is(bit(0, 0), 1)),
    ],
    ..table(ByteOrder::Little, "feature-host-memory-buffer", "Host Memory Buffer", BASE, "clause 5.27.1.10", 4 + FEATURE_DATA_BYTES)
}
.checked();
