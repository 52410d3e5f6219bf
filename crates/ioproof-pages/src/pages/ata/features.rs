//! The features that IDENTIFY DEVICE lists bit by bit: what is supported (words 82 to 84 and 119) and what is on (words 85 to 87 and 120).
//!
//! Two lists of words rather than a field a bit: most of these bits are of no use to a judgement, and none is lost.

use super::words::{BASE, valid, word};
use crate::pages::{Field, FieldKind, PageTable, Value, decode_fields, field, row};

type BitNames = &'static [(u32, &'static str)];

#[rustfmt::skip]
const FIRST: BitNames = &[
    (0, "SMART"), (1, "security"), (3, "power management"), (4, "PACKET"), (5, "volatile write cache"), (6, "read look-ahead"),
    (7, "release interrupt"), (8, "SERVICE interrupt"), (9, "DEVICE RESET"), (10, "host protected area"), (12, "WRITE BUFFER"),
    (13, "READ BUFFER"), (14, "NOP"),
];

#[rustfmt::skip]
const SECOND: BitNames = &[
    (0, "DOWNLOAD MICROCODE"), (1, "tagged command queuing"), (2, "CFA"), (3, "advanced power management"), (5, "power-up in standby"),
    (6, "spin-up by SET FEATURES"), (8, "SET MAX security"), (9, "automatic acoustic management"), (10, "48-bit addresses"),
    (11, "device configuration overlay"), (12, "FLUSH CACHE"), (13, "FLUSH CACHE EXT"),
];

#[rustfmt::skip]
const THIRD: BitNames = &[
    (0, "SMART error log"), (1, "SMART self-test"), (2, "media serial number"), (3, "media card pass through"), (4, "streaming"),
    (5, "general purpose logging"), (6, "WRITE DMA FUA EXT"), (7, "WRITE DMA QUEUED FUA EXT"), (8, "world wide name"),
    (13, "IDLE IMMEDIATE with unload"),
];

#[rustfmt::skip]
const FOURTH: BitNames = &[
    (1, "write-read-verify"), (2, "WRITE UNCORRECTABLE EXT"), (3, "READ LOG DMA EXT and WRITE LOG DMA EXT"),
    (4, "DOWNLOAD MICROCODE in segments"), (5, "free-fall control"), (6, "sense data reporting"), (7, "extended power conditions"),
    (8, "accessible maximum address"), (9, "device statistics notification"),
];

const SUPPORTED: PageTable = PageTable {
    rows: &[
        row("82", "", word(82, 0, 15), FieldKind::Bits(FIRST)).when(valid(83)),
        row("83", "", word(83, 0, 14), FieldKind::Bits(SECOND)).when(valid(83)),
        row("84", "", word(84, 0, 14), FieldKind::Bits(THIRD)).when(valid(84)),
        row("119", "", word(119, 0, 14), FieldKind::Bits(FOURTH)).when(valid(119)),
    ],
    ..BASE
}
.checked();

const ENABLED: PageTable = PageTable {
    rows: &[
        row("85", "", word(85, 0, 15), FieldKind::Bits(FIRST)).when(valid(87)),
        row("86", "", word(86, 0, 14), FieldKind::Bits(SECOND)).when(valid(87)),
        row("87", "", word(87, 0, 14), FieldKind::Bits(THIRD)).when(valid(87)),
        row("120", "", word(120, 0, 14), FieldKind::Bits(FOURTH)).when(valid(120)),
    ],
    ..BASE
}
.checked();

pub(super) fn features(bytes: &[u8]) -> Vec<Field> {
    let supported = merged(&SUPPORTED, bytes, "features_supported", "supported");
    let enabled = merged(&ENABLED, bytes, "features_enabled", "switched on");
    supported.into_iter().chain(enabled).collect()
}

fn merged(table: &PageTable, bytes: &[u8], key: &str, title: &str) -> Option<Field> {
    let (words, _) = decode_fields(table, bytes);
    let names: Vec<String> = words.iter().flat_map(names).collect();
    let numbers: Vec<&str> = words.iter().map(|word| word.key.as_str()).collect();
    let source = format!("{} words {} ({}, {})", table.title, numbers.join(", "), table.document, table.clause);
    (!words.is_empty()).then(|| field(key, title, Value::List(names), "", source))
}

fn names(word: &Field) -> Vec<String> {
    let Value::List(bits) = &word.value else { return Vec::new() };
    bits.iter().map(|name| if name.starts_with("bit ") { format!("word {} {name}", word.key) } else { name.clone() }).collect()
}
