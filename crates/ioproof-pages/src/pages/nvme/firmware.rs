//! Firmware Slot Information (log page 03h): what each slot holds and which one runs.

use super::BASE;
use crate::pages::table::{Count, Group, Kind, Order, Table, bits, place, row, table};

pub const FIRMWARE_LOG: Table = Table {
    rows: &[
        row("firmware_slot_active", "running firmware slot", bits(0, 0, 3), Kind::Unsigned),
        row("firmware_slot_next", "firmware slot after the next reset", bits(0, 4, 3), Kind::Unsigned).unless(0),
    ],
    groups: &[Group {
        at: 8,
        stride: 8,
        count: Count::Fixed(7),
        first: 1,
        used: None,
        rows: &[row("firmware_slot_#_revision", "firmware in slot #", place(0, 8), Kind::Ascii)],
    }],
    ..table(Order::Little, "firmware-log", "Firmware Slot Information", BASE, "clause 5.16.1.4", 512)
}
.checked();
