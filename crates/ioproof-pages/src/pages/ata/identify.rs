//! IDENTIFY DEVICE: the table's fields, and what follows from several words.
//!
//! Sizes of sectors, capacity, rotation, link speeds and versions are spread over words that count only under conditions; each has a function here.

use super::features::features;
use super::words::{LENGTH, SERIAL, TABLE};
use crate::pages::{Field, Page, Value, decode, decode_fields, field};

pub fn identify_device(bytes: &[u8], source: impl Into<String>) -> Page {
    let words = IdentifyWords(bytes);
    if let Some(blank) = words.blank() {
        let empty = decode(&crate::pages::table::PageTable { rows: &[], least: 0, ..TABLE }, bytes, source);
        return Page { problems: vec![format!("holds nothing but {blank:#04x}")], ..empty };
    }
    let mut page = decode(&TABLE, bytes, source);
    if words.is_serial() {
        page.fields.extend(decode_fields(&SERIAL, bytes).0);
    }
    page.fields.extend(features(bytes));
    page.fields.extend(DERIVED.iter().filter_map(|derive| derive(&words)));
    page.problems.extend(PROBLEMS.iter().filter_map(|check| check(&words)));
    page
}

const DERIVED: &[fn(&IdentifyWords) -> Option<Field>] = &[
    capacity_bytes,
    capacity_blocks,
    logical_block_bytes,
    physical_block_bytes,
    rotation_rate_rpm,
    volatile_write_cache,
    trim_kind,
    link_speed,
    link_speed_max,
    ata_version,
    sata_version,
    wwn,
];

const PROBLEMS: &[fn(&IdentifyWords) -> Option<String>] =
    &[not_ata, incomplete, checksum, sectors_contradict, switched_on_but_not_there, zeroes_without_order];

struct IdentifyWords<'a>(&'a [u8]);

impl IdentifyWords<'_> {
    fn word(&self, number: usize) -> Option<u16> {
        let bytes = self.0.get(2 * number..2 * number + 2)?;
        Some(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn bit(&self, number: usize, bit: u32) -> bool {
        self.word(number).is_some_and(|word| word >> bit & 1 == 1)
    }

    fn valid(&self, number: usize) -> Option<u16> {
        self.word(number).filter(|word| word >> 14 == 1)
    }

    fn number(&self, first: usize, count: usize) -> Option<u64> {
        (0..count).rev().try_fold(0, |number, index| Some(number << 16 | u64::from(self.word(first + index)?)))
    }

    /// The byte of a page that holds nothing else, as some adapters give it: 0 or 0xff.
    fn blank(&self) -> Option<u8> {
        let first = *self.0.first()?;
        (matches!(first, 0 | 0xff) && self.0.iter().all(|byte| *byte == first)).then_some(first)
    }

    /// Word 76 is 0 or all ones where the drive is not serial ATA.
    fn is_serial(&self) -> bool {
        !matches!(self.word(76), None | Some(0 | u16::MAX))
    }

    fn sectors(&self) -> Option<(u64, &'static str)> {
        let extended = self.bit(69, 3).then(|| self.number(230, 4)).flatten().map(|n| (n, "words 230 to 233"));
        let long = (self.bit(83, 10) && self.valid(83).is_some()).then(|| self.number(100, 4)).flatten().map(|n| (n, "words 100 to 103"));
        let short = self.number(60, 2).map(|n| (n, "words 60 and 61"));
        [extended, long, short].into_iter().flatten().find(|(sectors, _)| *sectors > 0)
    }

    /// 512 unless word 106 says that words 117 and 118 hold the size, in words.
    fn logical_bytes(&self) -> Option<u64> {
        match self.valid(106) {
            Some(word) if word >> 12 & 1 == 1 => {
                self.number(117, 2)?.checked_mul(2).filter(|bytes| *bytes >= 512 && bytes.is_power_of_two())
            }
            _ => self.word(106).map(|_| 512),
        }
    }
}

fn made(key: &str, title: &str, value: Value, unit: &str, place: &str) -> Option<Field> {
    Some(field(key, title, value, unit, format!("{} {place} ({}, {})", TABLE.title, TABLE.document, TABLE.clause)))
}

fn capacity_blocks(words: &IdentifyWords) -> Option<Field> {
    let (sectors, place) = words.sectors()?;
    made("capacity_blocks", "user addressable sectors", Value::Number(sectors), "blocks", place)
}

fn capacity_bytes(words: &IdentifyWords) -> Option<Field> {
    let (sectors, place) = words.sectors()?;
    let bytes = sectors.checked_mul(words.logical_bytes()?)?;
    made("capacity_bytes", "capacity", Value::Number(bytes), "bytes", &format!("{place}, 106, 117 and 118"))
}

fn logical_block_bytes(words: &IdentifyWords) -> Option<Field> {
    made("logical_block_bytes", "logical block", Value::Number(words.logical_bytes()?), "bytes", "words 106, 117 and 118")
}

/// 2^n logical sectors make a physical one where word 106 says that there is more than one.
fn physical_block_bytes(words: &IdentifyWords) -> Option<Field> {
    let exponent = words.valid(106).filter(|word| word >> 13 & 1 == 1).map_or(0, |word| word & 0xf);
    let bytes = words.logical_bytes()?.checked_mul(1 << exponent)?;
    made("physical_block_bytes", "physical block", Value::Number(bytes), "bytes", "word 106")
}

/// 1 is a medium that does not turn; 0 is not told, and values that no motor turns at are reserved.
fn rotation_rate_rpm(words: &IdentifyWords) -> Option<Field> {
    let rpm = match words.word(217)? {
        1 => 0,
        rate @ 0x401..=0xfffe => u64::from(rate),
        _ => return None,
    };
    made("rotation_rate_rpm", "rotation", Value::Number(rpm), "rpm", "word 217")
}

/// A cache that is not volatile loses nothing, whatever word 82 says of having one.
fn volatile_write_cache(words: &IdentifyWords) -> Option<Field> {
    words.valid(83)?;
    let present = words.bit(82, 5) && !words.bit(69, 2);
    made("volatile_write_cache", "volatile write cache", Value::Flag(present), "", "words 82 bit 5 and 69 bit 2")
}

fn trim_kind(words: &IdentifyWords) -> Option<Field> {
    if !words.bit(169, 0) {
        return None;
    }
    let kind = match (words.bit(69, 14), words.bit(69, 5)) {
        (_, true) => "reads zeros (RZAT)",
        (true, false) => "reads the same (DRAT)",
        (false, false) => "reads anything",
    };
    made("trim_kind", "after TRIM", Value::Text(kind.to_owned()), "", "word 69 bits 5 and 14")
}

const GENERATIONS: [f64; 3] = [1.5, 3.0, 6.0];

fn link_speed(words: &IdentifyWords) -> Option<Field> {
    let generation = usize::from(words.word(77).filter(|_| words.is_serial())? >> 1 & 7);
    let speed = *GENERATIONS.get(generation.checked_sub(1)?)?;
    made("link_speed_gbit_per_s", "link speed", Value::Real(speed), "gbit_per_s", "word 77 bits 1-3")
}

fn link_speed_max(words: &IdentifyWords) -> Option<Field> {
    let supported = words.word(76).filter(|_| words.is_serial())? >> 1 & 7;
    let speed = (0..3).rev().find(|bit| supported >> bit & 1 == 1).map(|bit| GENERATIONS[bit])?;
    made("link_speed_max_gbit_per_s", "fastest link speed", Value::Real(speed), "gbit_per_s", "word 76 bits 1-3")
}

#[rustfmt::skip]
const ATA: &[(u32, &str)] = &[
    (13, "ACS-6"), (12, "ACS-5"), (11, "ACS-4"), (10, "ACS-3"), (9, "ACS-2"), (8, "ATA8-ACS"), (7, "ATA/ATAPI-7"), (6, "ATA/ATAPI-6"),
    (5, "ATA/ATAPI-5"), (4, "ATA/ATAPI-4"),
];

fn ata_version(words: &IdentifyWords) -> Option<Field> {
    let version = highest(words.word(80).filter(|word| *word != u16::MAX)?, ATA)?;
    made("ata_version", "ATA version", version, "", "word 80")
}

#[rustfmt::skip]
const SATA: &[(u32, &str)] = &[
    (10, "SATA 3.5"), (9, "SATA 3.4"), (8, "SATA 3.3"), (7, "SATA 3.2"), (6, "SATA 3.1"), (5, "SATA 3.0"), (4, "SATA 2.6"),
    (3, "SATA 2.5"), (2, "SATA II Extensions"), (1, "SATA 1.0a"), (0, "ATA8-AST"),
];

/// Bits 15 to 12 say the transport: 1 is serial ATA.
fn sata_version(words: &IdentifyWords) -> Option<Field> {
    let version = highest(words.word(222).filter(|word| word >> 12 == 1)?, SATA)?;
    made("sata_version", "SATA version", version, "", "word 222")
}

fn highest(word: u16, names: &[(u32, &str)]) -> Option<Value> {
    let (_, name) = names.iter().find(|(bit, _)| word >> bit & 1 == 1)?;
    Some(Value::Text((*name).to_owned()))
}

/// Words 108 to 111, the high word first, where word 87 says that there is one.
fn wwn(words: &IdentifyWords) -> Option<Field> {
    words.valid(87).filter(|word| word >> 8 & 1 == 1)?;
    let name = (108..112).try_fold(0_u64, |name, number| Some(name << 16 | u64::from(words.word(number)?)))?;
    made("wwn", "world wide name", Value::Text(format!("{name:016x}")), "", "words 108 to 111").filter(|_| name != 0)
}

fn not_ata(words: &IdentifyWords) -> Option<String> {
    words.bit(0, 15).then(|| "word 0 says that this is no ATA device but a packet device or none".to_owned())
}

fn incomplete(words: &IdentifyWords) -> Option<String> {
    (words.bit(0, 2) && !words.bit(0, 15)).then(|| "word 0 says that the answer is incomplete (the drive may not have spun up)".to_owned())
}

/// The sum of all bytes is 0 where the low byte of word 255 is A5h.
fn checksum(words: &IdentifyWords) -> Option<String> {
    let page = words.0.get(..LENGTH)?;
    let sum = page.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    (page[510] == 0xa5 && sum != 0).then(|| format!("the checksum is wrong: the bytes add up to {sum:#04x} instead of 0"))
}

fn sectors_contradict(words: &IdentifyWords) -> Option<String> {
    words.word(106)?;
    words.logical_bytes().is_none().then(|| "words 106, 117 and 118 give no size of a logical sector".to_owned())
}

fn switched_on_but_not_there(words: &IdentifyWords) -> Option<String> {
    let (there, on) = (words.valid(83).and(words.word(82))?, words.valid(87).and(words.word(85))?);
    // Of the other bits, drives are known to differ between the two words without meaning anything by it.
    let wrong: Vec<&str> = [(0, "SMART"), (5, "the write cache"), (6, "read look-ahead")]
        .into_iter()
        .filter(|(bit, _)| on & !there & (1 << bit) != 0)
        .map(|(_, name)| name)
        .collect();
    (!wrong.is_empty()).then(|| format!("word 85 says that {} is on, and word 82 that there is none", wrong.join(" and ")))
}

fn zeroes_without_order(words: &IdentifyWords) -> Option<String> {
    let wrong = words.bit(69, 5) && !words.bit(69, 14);
    wrong.then(|| "word 69 promises zeros after TRIM (RZAT) without deterministic reads (DRAT)".to_owned())
}
