//! READ CAPACITY (16): how many blocks of which size (SBC-4).

use crate::pages::{ByteOrder, Field, FieldKind, Page, PageTable, Value, bit, bits, decode, field, is, place, row, table};

const TABLE: PageTable = PageTable {
    least: 16,
    rows: &[
        row("last_block", "last logical block", place(0, 8), FieldKind::Unsigned),
        row("logical_block_bytes", "logical block", place(8, 4), FieldKind::Unsigned).unit("bytes").unless(0),
        row("protection_enabled", "protection information on", bit(12, 0), FieldKind::Flag),
        row("protection_type", "protection type", bits(12, 1, 3), FieldKind::Scaled { plus: 1, times: 1, over: 1 }).when(is(bit(12, 0), 1)),
        row("logical_blocks_per_physical_block", "logical blocks in a physical one", bits(13, 0, 4), FieldKind::PowerOfTwo { times: 1 })
            .unit("blocks"),
        row("provisioning_managed", "logical block provisioning (LBPME)", bit(14, 7), FieldKind::Flag),
        row("provisioning_reads_zeros", "blocks that are not mapped read zeros (LBPRZ)", bit(14, 6), FieldKind::Flag),
        row("lowest_aligned_block", "lowest aligned logical block", place(14, 2).bits(0, 14), FieldKind::Unsigned).unit("blocks"),
    ],
    ..table(
        ByteOrder::Big,
        "read-capacity-16",
        "READ CAPACITY (16)",
        "SCSI Block Commands 4 (SBC-4)",
        "READ CAPACITY (16) parameter data",
        32,
    )
}
.checked();

pub fn read_capacity_16(bytes: &[u8], source: impl Into<String>) -> Page {
    let mut page = decode(&TABLE, bytes, source);
    let derived = [capacity(&page), blocks(&page), physical(&page)];
    page.fields.extend(derived.into_iter().flatten());
    if page.number("logical_block_bytes").is_none() && bytes.len() >= 12 {
        page.problems.push("the size of a logical block is 0".to_owned());
    }
    page
}

fn made(key: &str, title: &str, value: u64, unit: &str, place: &str) -> Field {
    field(key, title, Value::Number(value), unit, format!("{} {place} ({}, {})", TABLE.title, TABLE.document, TABLE.clause))
}

fn count(page: &Page) -> Option<u64> {
    page.number("last_block")?.checked_add(1)
}

fn blocks(page: &Page) -> Option<Field> {
    Some(made("capacity_blocks", "logical blocks", count(page)?, "blocks", "bytes 0-7"))
}

fn capacity(page: &Page) -> Option<Field> {
    let bytes = count(page)?.checked_mul(page.number("logical_block_bytes")?)?;
    Some(made("capacity_bytes", "capacity", bytes, "bytes", "bytes 0-11"))
}

fn physical(page: &Page) -> Option<Field> {
    let bytes = page.number("logical_block_bytes")?.checked_mul(page.number("logical_blocks_per_physical_block")?)?;
    Some(made("physical_block_bytes", "physical block", bytes, "bytes", "bytes 8-11 and 13"))
}
