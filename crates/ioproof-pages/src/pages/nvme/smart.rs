//! SMART / Health Information (log page 02h): how worn and how warm the drive is, and what has happened to it.

use super::BASE;
use crate::pages::{ByteOrder, FieldKind, FieldRow, GroupCount, Page, PageTable, RepeatedGroup, decode, place, row, table};

pub(super) const SMART_LOG: PageTable = PageTable {
    rows: ROWS,
    groups: &[SENSORS],
    ..table(ByteOrder::Little, "smart-log", "SMART / Health Information", BASE, "clause 5.16.1.3", 512)
}
.checked();

/// SMART / Health Information. A drive whose spare is used up and which does not warn of it contradicts itself.
pub fn smart_log(bytes: &[u8], source: impl Into<String>) -> Page {
    let mut page = decode(&SMART_LOG, bytes, source);
    page.problems.extend(contradiction(&page));
    page
}

fn contradiction(page: &Page) -> Option<String> {
    const SPARE_WARNING: u8 = 1;
    let (spare, threshold) = (page.number("available_spare_percent")?, page.number("available_spare_threshold_percent")?);
    let is_warned = page.raw.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok())? & SPARE_WARNING != 0;
    (spare < threshold && !is_warned)
        .then(|| format!("the available spare of {spare} % is below its threshold of {threshold} %, but no critical warning says so"))
}

const WARNINGS: &[(u32, &str)] = &[
    (0, "available spare below its threshold"),
    (1, "temperature beyond its threshold"),
    (2, "reliability degraded by media or internal errors"),
    (3, "media is read only"),
    (4, "volatile memory backup failed"),
    (5, "persistent memory region is read only or unreliable"),
];

const GROUP_WARNINGS: &[(u32, &str)] =
    &[(0, "available spare below its threshold"), (2, "reliability degraded by media or internal errors"), (3, "read only")];

/// The drive counts thousands of 512 bytes, rounded up.
const DATA_UNITS: FieldKind = FieldKind::Scaled { plus: 0, times: 512_000, over: 1 };

const ROWS: &[FieldRow] = &[
    row("critical_warnings", "critical warnings", place(0, 1), FieldKind::Bits(WARNINGS)),
    row("smart_passed", "the drive's own verdict", place(0, 1), FieldKind::NotFlag),
    row("temperature_celsius", "temperature", place(1, 2), FieldKind::Kelvin),
    row("available_spare_percent", "available spare", place(3, 1), FieldKind::Unsigned).unit("percent"),
    row("available_spare_threshold_percent", "available spare's threshold", place(4, 1), FieldKind::Unsigned).unit("percent"),
    row("percentage_used_percent", "life used", place(5, 1), FieldKind::Unsigned).unit("percent"),
    row("endurance_group_warnings", "critical warnings of endurance groups", place(6, 1), FieldKind::Bits(GROUP_WARNINGS)),
    row("data_read_bytes", "read by the host", place(32, 16), DATA_UNITS).unit("bytes"),
    row("data_written_bytes", "written by the host", place(48, 16), DATA_UNITS).unit("bytes"),
    row("host_read_commands", "read commands", place(64, 16), FieldKind::Unsigned).unit("commands"),
    row("host_write_commands", "write commands", place(80, 16), FieldKind::Unsigned).unit("commands"),
    row("controller_busy_minutes", "busy with I/O", place(96, 16), FieldKind::Unsigned).unit("minutes"),
    row("power_cycles", "power cycles", place(112, 16), FieldKind::Unsigned).unit("cycles"),
    row("power_on_hours", "powered on", place(128, 16), FieldKind::Unsigned).unit("hours"),
    row("unsafe_shutdowns", "unsafe shutdowns", place(144, 16), FieldKind::Unsigned),
    row("media_errors", "media and data integrity errors", place(160, 16), FieldKind::Unsigned).unit("errors"),
    row("error_log_entries", "errors logged over its life", place(176, 16), FieldKind::Unsigned),
    row("warning_temperature_minutes", "above the warning temperature", place(192, 4), FieldKind::Unsigned).unit("minutes"),
    row("critical_temperature_minutes", "above the critical temperature", place(196, 4), FieldKind::Unsigned).unit("minutes"),
    row("thermal_transitions_1", "throttled lightly", place(216, 4), FieldKind::Unsigned),
    row("thermal_transitions_2", "throttled heavily", place(220, 4), FieldKind::Unsigned),
    row("thermal_time_1_seconds", "throttled lightly for", place(224, 4), FieldKind::Unsigned).unit("seconds"),
    row("thermal_time_2_seconds", "throttled heavily for", place(228, 4), FieldKind::Unsigned).unit("seconds"),
];

const SENSORS: RepeatedGroup = RepeatedGroup {
    at: 200,
    stride: 2,
    count: GroupCount::Fixed(8),
    first: 1,
    used: None,
    rows: &[row("temperature_sensor_#_celsius", "temperature sensor #", place(0, 2), FieldKind::Kelvin)],
};
