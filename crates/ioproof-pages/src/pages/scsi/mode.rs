//! The Caching mode page (08h): whether the write cache is on (SBC-4).
//!
//! MODE SENSE answers with a header of four or eight bytes, block descriptors, and then the page.

use super::{refused, two, within};
use crate::pages::{ByteOrder, FieldKind, Page, PageTable, bit, decode, decode_fields, place, row, table};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeSense {
    Six,
    Ten,
}

const CACHING: u8 = 8;

const BASE: PageTable = PageTable {
    least: 12,
    // SCSI-2 has twelve bytes of it.
    ..table(ByteOrder::Big, "mode-page-8", "Caching mode page", "SCSI Block Commands 4 (SBC-4)", "Caching mode page", 20)
};

const TABLE: PageTable = PageTable {
    rows: &[
        row("write_cache_enabled", "write cache on (WCE)", bit(2, 2), FieldKind::Flag),
        row("read_cache_enabled", "read cache on (not RCD)", bit(2, 0), FieldKind::NotFlag),
        row("look_ahead_enabled", "read look-ahead on (not DRA)", bit(12, 5), FieldKind::NotFlag),
        row("nonvolatile_cache_disabled", "cache that is not volatile switched off (NV_DIS)", bit(12, 0), FieldKind::Flag),
        row("cache_segments", "cache segments", place(13, 1), FieldKind::Unsigned).unless(0),
        row("cache_segment_bytes", "cache segment", place(14, 2), FieldKind::Unsigned).unit("bytes").unless(0),
    ],
    ..BASE
}
.checked();

const HEADER: PageTable = PageTable {
    title: "mode parameter header, device-specific parameter",
    clause: "mode parameter header of direct access block devices",
    length: 1,
    least: 1,
    rows: &[
        row("write_protected", "write protected", bit(0, 7), FieldKind::Flag),
        row("fua_supported", "forced unit access (DPOFUA)", bit(0, 4), FieldKind::Flag),
    ],
    ..BASE
}
.checked();

pub fn caching(which: ModeSense, bytes: &[u8], source: impl Into<String>) -> Page {
    let header = header(which, bytes);
    let (own, short) = header.map_or((bytes, None), |(_, _, told)| within(bytes, told));
    let page = decode(&PageTable { least: 0, ..BASE }, own, source);
    let Some((specific, from, _)) = header else {
        return refused(page, format!("has {} bytes, which is no mode parameter header", bytes.len()));
    };
    let Some([code, length, ..]) = own.get(from..) else {
        return refused(page, "ends before the mode page".to_owned());
    };
    if code & 0x7f != CACHING {
        return refused(page, format!("answers with mode page {:#04x}", code & 0x3f));
    }
    let (caching, cut) = within(&own[from..], 2 + usize::from(*length));
    let (fields, mut problems) = decode_fields(&TABLE, caching);
    let (flags, _) = decode_fields(&HEADER, &[specific]);
    problems.extend(short.or(cut));
    Page { fields: fields.into_iter().chain(flags).collect(), problems, ..page }
}

/// (device-specific parameter, where the page begins, bytes in all).
fn header(which: ModeSense, bytes: &[u8]) -> Option<(u8, usize, usize)> {
    match which {
        ModeSense::Six => Some((*bytes.get(2)?, 4 + usize::from(*bytes.get(3)?), 1 + usize::from(*bytes.first()?))),
        ModeSense::Ten => Some((*bytes.get(3)?, 8 + two(bytes, 6)?, 2 + two(bytes, 0)?)),
    }
}
