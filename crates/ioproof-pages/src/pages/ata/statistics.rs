//! The Device Statistics log (04h), in which a drive tells in the standard's units what SMART attributes leave to its maker (ACS-4, Device Statistics log).
//!
//! Each statistic is eight bytes: bit 63 says that the drive keeps it, bit 62 that the value means something, the low bits are the value.

use crate::pages::{ByteOrder, Field, FieldKind, FieldRow, Page, PageTable, PlaceCondition, Value, decode, field, is, place, row, table};

const LENGTH: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistics {
    General,
    RotatingMedia,
    GeneralErrors,
    Temperature,
    Transport,
    SolidState,
}

impl Statistics {
    pub const ALL: [Self; 6] =
        [Self::General, Self::RotatingMedia, Self::GeneralErrors, Self::Temperature, Self::Transport, Self::SolidState];

    pub const fn number(self) -> u8 {
        self.number_and_table().0
    }

    pub const fn name(self) -> &'static str {
        self.number_and_table().1.name
    }

    const fn number_and_table(self) -> (u8, &'static PageTable) {
        match self {
            Self::General => (1, &GENERAL),
            Self::RotatingMedia => (3, &ROTATING),
            Self::GeneralErrors => (4, &ERRORS),
            Self::Temperature => (5, &TEMPERATURE),
            Self::Transport => (6, &TRANSPORT),
            Self::SolidState => (7, &SOLID_STATE),
        }
    }
}

const BASE: PageTable = table(ByteOrder::Little, "", "Device Statistics log", "ATA Command Set 4 (ACS-4)", "Device Statistics log", LENGTH);

const PAGES: PageTable = PageTable { name: "device-statistics-0", ..BASE }.checked();

const fn is_told(at: usize) -> PlaceCondition {
    is(place(at, 8).bits(62, 2), 3)
}

const fn count(key: &'static str, title: &'static str, at: usize, bits: u32) -> FieldRow {
    row(key, title, place(at, 8).bits(0, bits), FieldKind::Unsigned).when(is_told(at))
}

/// Whole degrees in one byte with a sign; 80h is no value.
const fn celsius(key: &'static str, title: &'static str, at: usize) -> FieldRow {
    row(key, title, place(at, 8).bits(0, 8), FieldKind::Signed).unit("celsius").unless(0x80).when(is_told(at))
}

const GENERAL: PageTable = PageTable {
    name: "device-statistics-1",
    clause: "General Statistics (log page 01h)",
    rows: &[
        count("power_cycles", "power-on resets", 8, 32).unit("cycles"),
        count("power_on_hours", "power-on hours", 16, 32).unit("hours"),
        count("blocks_written", "logical sectors written", 24, 48).unit("blocks"),
        count("host_write_commands", "write commands", 32, 48).unit("commands"),
        count("blocks_read", "logical sectors read", 40, 48).unit("blocks"),
        count("host_read_commands", "read commands", 48, 48).unit("commands"),
        count("pending_errors", "pending errors", 64, 32).unit("errors"),
        count("workload_utilization_percent", "share of the designed workload", 72, 16).unit("percent"),
    ],
    ..BASE
}
.checked();

const ROTATING: PageTable = PageTable {
    name: "device-statistics-3",
    clause: "Rotating Media Statistics (log page 03h)",
    rows: &[
        count("spindle_hours", "hours of the spindle motor", 8, 32).unit("hours"),
        count("head_flying_hours", "hours with the heads over the medium", 16, 32).unit("hours"),
        count("head_load_events", "head loads", 24, 32).unit("events"),
        count("reallocated_sectors", "reallocated sectors", 32, 32).unit("sectors"),
        count("read_recovery_attempts", "read recovery attempts", 40, 32).unit("attempts"),
        count("mechanical_start_failures", "mechanical start failures", 48, 32).unit("failures"),
        count("pending_sectors", "sectors that are candidates for reallocation", 56, 32).unit("sectors"),
        count("emergency_unloads", "high priority unloads", 64, 32).unit("events"),
    ],
    ..BASE
}
.checked();

const ERRORS: PageTable = PageTable {
    name: "device-statistics-4",
    clause: "General Errors Statistics (log page 04h)",
    rows: &[
        count("media_errors", "reported uncorrectable errors", 8, 32).unit("errors"),
        count("resets_during_commands", "resets between acceptance and completion of a command", 16, 32).unit("resets"),
    ],
    ..BASE
}
.checked();

const TEMPERATURE: PageTable = PageTable {
    name: "device-statistics-5",
    clause: "Temperature Statistics (log page 05h)",
    rows: &[
        celsius("temperature_celsius", "temperature", 8),
        celsius("temperature_short_average_celsius", "average temperature of days", 16),
        celsius("temperature_long_average_celsius", "average temperature of weeks", 24),
        celsius("temperature_highest_celsius", "highest temperature", 32),
        celsius("temperature_lowest_celsius", "lowest temperature", 40),
        count("critical_temperature_minutes", "time above the highest operating temperature", 80, 32).unit("minutes"),
        celsius("critical_temperature_celsius", "highest operating temperature", 88),
        count("under_temperature_minutes", "time below the lowest operating temperature", 96, 32).unit("minutes"),
        celsius("lowest_operating_temperature_celsius", "lowest operating temperature", 104),
    ],
    ..BASE
}
.checked();

const TRANSPORT: PageTable = PageTable {
    name: "device-statistics-6",
    clause: "Transport Statistics (log page 06h)",
    rows: &[
        count("hardware_resets", "hardware resets", 8, 32).unit("resets"),
        count("signal_recoveries", "asynchronous signal recoveries", 16, 32).unit("events"),
        count("crc_errors", "interface CRC errors", 24, 32).unit("errors"),
    ],
    ..BASE
}
.checked();

const SOLID_STATE: PageTable = PageTable {
    name: "device-statistics-7",
    clause: "Solid State Device Statistics (log page 07h)",
    rows: &[count("percentage_used_percent", "endurance used", 8, 8).unit("percent")],
    ..BASE
}
.checked();

pub fn device_statistics(which: Statistics, bytes: &[u8], logical_block_bytes: Option<u64>, source: impl Into<String>) -> Page {
    let mut page = decode(which.number_and_table().1, bytes, source);
    // A drive that does not have the page may answer with zeros.
    if bytes.get(2).is_some_and(|number| *number != which.number()) {
        let problem = format!("says that it is page {} of the log", bytes[2]);
        return Page { fields: Vec::new(), problems: vec![problem], ..page };
    }
    let in_bytes = |key: &str, title: &str, blocks: &str| product(&page, key, title, blocks, logical_block_bytes?);
    let written = in_bytes("data_written_bytes", "data written", "blocks_written");
    let read = in_bytes("data_read_bytes", "data read", "blocks_read");
    page.fields.extend(written.into_iter().chain(read));
    page
}

fn product(page: &Page, key: &str, title: &str, blocks: &str, block_bytes: u64) -> Option<Field> {
    let bytes = page.number(blocks)?.checked_mul(block_bytes)?;
    Some(field(key, title, Value::Number(bytes), "bytes", format!("{}, times {block_bytes} bytes", page.field(blocks)?.source)))
}

pub fn statistics_pages(bytes: &[u8], source: impl Into<String>) -> (Vec<Statistics>, Page) {
    let count = bytes.get(8).map_or(0, |count| usize::from(*count));
    let listed: &[u8] = bytes.get(9..).map_or(&[], |rest| &rest[..count.min(rest.len())]);
    let mut page = decode(&PAGES, bytes, source);
    let names = listed.iter().map(u8::to_string).collect();
    let place = format!("{} bytes 8-{} ({}, {})", PAGES.title, 8 + listed.len(), PAGES.document, PAGES.clause);
    page.fields.push(field("statistics_pages", "pages of the Device Statistics log", Value::List(names), "", place));
    (Statistics::ALL.into_iter().filter(|which| listed.contains(&which.number())).collect(), page)
}
