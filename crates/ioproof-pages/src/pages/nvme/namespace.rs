//! Identify Namespace (CNS 00h): how large a namespace is, how it is formatted and could be, and what it guarantees.

use super::NVM_COMMAND_SET;
use crate::pages::{
    ByteOrder, BytePlace, FieldKind, FieldRow, GroupCount, Page, PageTable, PlaceCondition, RepeatedGroup, Value, bit, bits, decode, field,
    is, is_not, place, row, table,
};

pub(crate) const NAMESPACE: PageTable = PageTable {
    rows: ROWS,
    groups: &[FORMATS],
    ..table(ByteOrder::Little, "identify-namespace", "Identify Namespace", NVM_COMMAND_SET, "clause 4.1.5.1", 4096)
}
.checked();

/// Identify Namespace, with what follows from the format in use: `logical_block_bytes`, `metadata_bytes` and `capacity_bytes`.
pub fn namespace(bytes: &[u8], source: impl Into<String>) -> Page {
    let mut page = decode(&NAMESPACE, bytes, source);
    if let Some(format) = current_format(bytes) {
        add_current_format(&mut page, format);
    }
    page.problems.extend(contradictions(&page));
    page
}

/// The index of the format in use: bits 0-3, and above them bits 5-6 of FLBAS.
fn current_format(bytes: &[u8]) -> Option<u64> {
    const FLBAS: usize = 26;
    let byte = *bytes.get(FLBAS)?;
    Some(u64::from(byte & 0xf | (byte >> 1 & 0x30)))
}

fn add_current_format(page: &mut Page, format: u64) {
    let source = format!("Identify Namespace byte 26 and LBA format {format} ({NVM_COMMAND_SET}, clause 4.1.5.1)");
    page.fields.push(field("lba_format_current", "LBA format in use", Value::Number(format), "", &source));
    let Some(block) = page.number(&format!("lba_format_{format}_data_bytes")) else {
        // A namespace that is not active reads as zeros; that is not a fault of its format.
        if page.number("namespace_size_blocks").is_some_and(|size| size > 0) {
            page.problems.push(format!("LBA format {format} is in use but not described"));
        }
        return;
    };
    page.fields.push(field("logical_block_bytes", "logical block", Value::Number(block), "bytes", &source));
    if let Some(metadata) = page.number(&format!("lba_format_{format}_metadata_bytes")) {
        page.fields.push(field("metadata_bytes", "metadata of a block", Value::Number(metadata), "bytes", &source));
    }
    match page.number("namespace_size_blocks").map(|size| size.checked_mul(block)) {
        Some(Some(bytes)) => page.fields.push(field("capacity_bytes", "capacity", Value::Number(bytes), "bytes", &source)),
        Some(None) => page.problems.push("capacity_bytes is too large for any drive and was left out".to_owned()),
        None => {}
    }
}

/// Size >= capacity >= utilization (NVM Command Set Specification 1.0c, clause 2.1).
fn contradictions(page: &Page) -> Vec<String> {
    let blocks = |key: &str| page.number(key);
    let (size, capacity, used) = (blocks("namespace_size_blocks"), blocks("namespace_capacity_blocks"), blocks("namespace_used_blocks"));
    let larger = |what: &str, number: Option<u64>, than: &str, limit: Option<u64>| {
        let (number, limit) = (number?, limit?);
        (number > limit).then(|| format!("the {what} of {number} blocks is larger than the {than} of {limit} blocks"))
    };
    [larger("capacity", capacity, "size", size), larger("utilization", used, "capacity", capacity)].into_iter().flatten().collect()
}

const FEATURES: &[(u32, &str)] = &[
    (0, "thin provisioning"),
    (1, "atomic units of its own"),
    (2, "deallocated or unwritten block error"),
    (3, "identifiers are never reused"),
    (4, "preferred write and deallocate sizes"),
];

const METADATA: &[(u32, &str)] = &[(0, "at the end of the block"), (1, "in a buffer of its own")];

const PROTECTION: &[(u32, &str)] =
    &[(0, "type 1"), (1, "type 2"), (2, "type 3"), (3, "first in the metadata"), (4, "last in the metadata")];

const PROTECTION_TYPES: &[(u128, &str)] = &[(0, "none"), (1, "type 1"), (2, "type 2"), (3, "type 3")];

#[rustfmt::skip]
const RESERVATIONS: &[(u32, &str)] = &[
    (0, "persist through power loss"), (1, "write exclusive"), (2, "exclusive access"), (3, "write exclusive, registrants only"),
    (4, "exclusive access, registrants only"), (5, "write exclusive, all registrants"), (6, "exclusive access, all registrants"),
    (7, "ignore existing key as of 1.3"),
];

const DEALLOCATED: &[(u128, &str)] = &[(0, "not said"), (1, "zeros"), (2, "ones")];

const PERFORMANCE: &[(u128, &str)] = &[(0, "best"), (1, "better"), (2, "good"), (3, "degraded")];

const FROM_ZERO: FieldKind = FieldKind::Scaled { plus: 1, times: 1, over: 1 };

const HAS_ATOMIC_UNITS: PlaceCondition = is(bit(24, 1), 1);

const HAS_PREFERRED_SIZES: PlaceCondition = is(bit(24, 4), 1);

const ROWS: &[FieldRow] = &[
    blocks("namespace_size_blocks", "size", place(0, 8), FieldKind::Unsigned),
    blocks("namespace_capacity_blocks", "blocks that can be allocated", place(8, 8), FieldKind::Unsigned),
    blocks("namespace_used_blocks", "blocks allocated", place(16, 8), FieldKind::Unsigned),
    row("namespace_features", "features", place(24, 1), FieldKind::Bits(FEATURES)),
    row("lba_formats", "LBA formats", place(25, 1), FROM_ZERO),
    row("metadata_in_block", "metadata stands at the end of the block", bit(26, 4), FieldKind::Flag),
    row("metadata_places", "metadata may stand", place(27, 1), FieldKind::Bits(METADATA)),
    row("protection_abilities", "protection information possible", place(28, 1), FieldKind::Bits(PROTECTION)),
    row("protection", "protection information in use", bits(29, 0, 3), FieldKind::OneOf(PROTECTION_TYPES)),
    row("protection_first", "protection information stands first", bit(29, 3), FieldKind::Flag).when(is_not(bits(29, 0, 3), 0)),
    row("shared_namespace", "may be attached to several controllers", bit(30, 0), FieldKind::Flag),
    row("reservations", "reservations", place(31, 1), FieldKind::Bits(RESERVATIONS)),
    row("format_left_percent", "left of a format that runs", bits(32, 0, 7), FieldKind::Unsigned).unit("percent").when(is(bit(32, 7), 1)),
    row("deallocated_reads_as", "a deallocated block reads as", bits(33, 0, 3), FieldKind::OneOf(DEALLOCATED)),
    row("write_zeroes_deallocates", "Write Zeroes may deallocate", bit(33, 3), FieldKind::Flag),
    row("deallocated_guard_is_crc", "a deallocated block's guard is the CRC of what is read", bit(33, 4), FieldKind::Flag),
    blocks("namespace_atomic_write_blocks", "atomic write", place(34, 2), FROM_ZERO).when(HAS_ATOMIC_UNITS),
    blocks("namespace_atomic_write_power_fail_blocks", "atomic write at power failure", place(36, 2), FROM_ZERO).when(HAS_ATOMIC_UNITS),
    blocks("namespace_atomic_compare_and_write_blocks", "atomic Compare and Write", place(38, 2), FROM_ZERO).when(HAS_ATOMIC_UNITS),
    blocks("atomic_boundary_blocks", "no atomic write crosses", place(40, 2), FROM_ZERO).unless(0),
    blocks("atomic_boundary_offset_blocks", "first atomic boundary", place(42, 2), FieldKind::Unsigned).when(is_not(place(40, 2), 0)),
    blocks("atomic_boundary_power_fail_blocks", "no atomic write crosses, at power failure", place(44, 2), FROM_ZERO).unless(0),
    blocks("optimal_boundary_blocks", "I/O is best not across", place(46, 2), FieldKind::Unsigned).unless(0),
    row("namespace_nvm_bytes", "NVM given to the namespace", place(48, 16), FieldKind::Unsigned).unit("bytes").unless(0),
    blocks("preferred_write_blocks", "preferred write granularity", place(64, 2), FROM_ZERO).when(HAS_PREFERRED_SIZES),
    blocks("preferred_write_alignment_blocks", "preferred write alignment", place(66, 2), FROM_ZERO).when(HAS_PREFERRED_SIZES),
    blocks("preferred_trim_blocks", "preferred deallocate granularity", place(68, 2), FROM_ZERO).when(HAS_PREFERRED_SIZES),
    blocks("preferred_trim_alignment_blocks", "preferred deallocate alignment", place(70, 2), FROM_ZERO).when(HAS_PREFERRED_SIZES),
    blocks("optimal_write_blocks", "optimal write size", place(72, 2), FROM_ZERO).when(HAS_PREFERRED_SIZES),
    blocks("copy_range_max_blocks", "largest range of a Copy", place(74, 2), FieldKind::Unsigned).unless(0),
    blocks("copy_max_blocks", "largest Copy", place(76, 4), FieldKind::Unsigned).unless(0),
    row("copy_ranges_max", "ranges of a Copy at most", place(80, 1), FROM_ZERO).when(is_not(place(76, 4), 0)),
    row("lba_formats_unique", "LBA formats with abilities of their own", place(82, 1), FieldKind::Unsigned).unless(0),
    row("asymmetric_group", "asymmetric access group", place(92, 4), FieldKind::Unsigned).unless(0),
    row("write_protected", "write protected", bit(99, 0), FieldKind::Flag),
    row("nvm_set", "NVM set", place(100, 2), FieldKind::Unsigned).unless(0),
    row("endurance_group", "endurance group", place(102, 2), FieldKind::Unsigned).unless(0),
    row("nguid", "NGUID", place(104, 16), FieldKind::Hex),
    row("eui64", "EUI-64", place(120, 8), FieldKind::Hex),
];

const fn blocks(key: &'static str, title: &'static str, place: BytePlace, kind: FieldKind) -> FieldRow {
    row(key, title, place, kind).unit("blocks")
}

/// Formats that the namespace could have; a format of no size is not available.
const FORMATS: RepeatedGroup = RepeatedGroup {
    at: 128,
    stride: 4,
    count: GroupCount::Sum { places: &[place(25, 1), place(82, 1)], plus: 1, most: 64 },
    first: 0,
    used: Some(is_not(place(2, 1), 0)),
    rows: &[
        row("lba_format_#_data_bytes", "LBA format # data", place(2, 1), FieldKind::PowerOfTwo { times: 1 }).unit("bytes"),
        row("lba_format_#_metadata_bytes", "LBA format # metadata", place(0, 2), FieldKind::Unsigned).unit("bytes"),
        row("lba_format_#_performance", "LBA format # performance", bits(3, 0, 2), FieldKind::OneOf(PERFORMANCE)),
    ],
};
