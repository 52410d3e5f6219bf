//! Standard INQUIRY data: who made it and which standards it follows (SPC-5).

use super::within;
use crate::pages::{
    ByteOrder, FieldKind, FieldRow, GroupCount, Page, PageTable, RepeatedGroup, bit, bits, decode, is_not, place, row, table,
};

const TABLE: PageTable = PageTable {
    least: 36,
    rows: ROWS,
    groups: &[RepeatedGroup {
        at: 58,
        stride: 2,
        count: GroupCount::Fixed(8),
        first: 1,
        used: Some(is_not(place(0, 2), 0)),
        rows: &[row("version_descriptor_#", "version descriptor #", place(0, 2), FieldKind::HexNumber)],
    }],
    ..table(ByteOrder::Big, "inquiry", "INQUIRY", "SCSI Primary Commands 5 (SPC-5)", "Standard INQUIRY data", 96)
}
.checked();

#[rustfmt::skip]
const TYPES: &[(u128, &str)] = &[
    (0, "disk"), (1, "tape"), (5, "optical drive"), (7, "optical memory"), (8, "changer"), (0xd, "enclosure"), (0xe, "simplified disk"),
    (0x14, "zoned disk"), (0x1f, "none"),
];

const VERSIONS: &[(u128, &str)] =
    &[(0, "none"), (1, "SCSI-1"), (2, "SCSI-2"), (3, "SPC"), (4, "SPC-2"), (5, "SPC-3"), (6, "SPC-4"), (7, "SPC-5"), (8, "SPC-6")];

const ROWS: &[FieldRow] = &[
    row("vendor", "maker", place(8, 8), FieldKind::Ascii),
    row("model", "model", place(16, 16), FieldKind::Ascii),
    row("firmware", "firmware", place(32, 4), FieldKind::Ascii),
    row("peripheral_type", "kind of device", bits(0, 0, 5), FieldKind::OneOf(TYPES)),
    row("peripheral_qualifier", "peripheral qualifier", bits(0, 5, 3), FieldKind::Unsigned),
    row("removable_medium", "removable medium", bit(1, 7), FieldKind::Flag),
    row("scsi_version", "SCSI version", place(2, 1), FieldKind::OneOf(VERSIONS)),
    row("protection_supported", "protection information", bit(5, 0), FieldKind::Flag),
    row("third_party_copy_supported", "third-party copy", bit(5, 3), FieldKind::Flag),
    row("multiple_ports", "more than one port", bit(6, 4), FieldKind::Flag),
    row("command_queuing_supported", "command queuing", bit(7, 1), FieldKind::Flag),
];

pub fn inquiry(bytes: &[u8], source: impl Into<String>) -> Page {
    // The rest of the answer says how much there is of it.
    let told = bytes.get(4).map_or(bytes.len(), |additional| 5 + usize::from(*additional));
    // A short buffer is no fault: only what the table reads must have come.
    let (own, _) = within(bytes, told);
    decode(&TABLE, own, source)
}
