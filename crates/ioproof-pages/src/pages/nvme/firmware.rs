//! Firmware Slot Information (log page 03h): what each slot holds and which one runs.

use super::BASE;
use crate::pages::{ByteOrder, FieldKind, GroupCount, PageTable, RepeatedGroup, bits, place, row, table};

pub const FIRMWARE_LOG: PageTable = PageTable {
    rows: &[
        row("firmware_slot_active", "running firmware slot", bits(0, 0, 3), FieldKind::Unsigned),
        row("firmware_slot_next", "firmware slot after the next reset", bits(0, 4, 3), FieldKind::Unsigned).unless(0),
    ],
    groups: &[RepeatedGroup {
        at: 8,
        stride: 8,
        count: GroupCount::Fixed(7),
        first: 1,
        used: None,
        rows: &[row("firmware_slot_#_revision", "firmware in slot #", place(0, 8), FieldKind::Ascii)],
    }],
    ..table(ByteOrder::Little, "firmware-log", "Firmware Slot Information", BASE, "clause 5.16.1.4", 512)
}
.checked();
