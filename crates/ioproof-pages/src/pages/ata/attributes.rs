//! SMART attributes: the layout that all makers kept (SFF-8035i 2.0), and the usual meaning of those that nearly all makers use alike.
//!
//! No standard says what an attribute means; each source names that. A maker's own meanings are in smartmontools' database, which is read where it is installed.

use crate::pages::{Field, Value, field};

const ENTRIES: usize = 30;
const STRIDE: usize = 12;
const FIRST: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SmartAttribute {
    id: u8,
    at: usize,
    /// Bit 0: reaching the threshold means that the drive will fail soon.
    flags: u16,
    pub(super) value: u8,
    pub(super) worst: u8,
    raw: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AttributeThreshold {
    id: u8,
    at: usize,
    threshold: u8,
}

#[derive(Clone, Copy)]
enum Usual {
    Named,
    Raw { bits: u32, unit: &'static str },
    Celsius,
    Normalised,
}

/// (number, name, key, reading). Counters share their upper bits with other figures of the maker where fewer than 48 are read.
const USUAL: &[(u8, &str, &str, Usual)] = &[
    (1, "raw read error rate", "", Usual::Named),
    (3, "spin-up time", "", Usual::Named),
    (4, "start and stop count", "", Usual::Named),
    (5, "reallocated sectors", "reallocated_sectors", Usual::Raw { bits: 16, unit: "sectors" }),
    (7, "seek error rate", "", Usual::Named),
    (9, "power-on hours", "power_on_hours", Usual::Raw { bits: 24, unit: "hours" }),
    (10, "spin-up retries", "", Usual::Named),
    (12, "power cycles", "power_cycles", Usual::Raw { bits: 48, unit: "cycles" }),
    (173, "wear levelling", "", Usual::Named),
    (174, "unexpected power losses", "", Usual::Named),
    (177, "wear levelling", "", Usual::Named),
    (184, "end-to-end errors", "", Usual::Named),
    (187, "reported uncorrectable errors", "media_errors", Usual::Raw { bits: 48, unit: "errors" }),
    (188, "command timeouts", "", Usual::Named),
    (190, "temperature", "temperature_celsius", Usual::Celsius),
    (192, "power-off retracts or unsafe shutdowns", "", Usual::Named),
    (193, "load cycles", "", Usual::Named),
    (194, "temperature", "temperature_celsius", Usual::Celsius),
    (196, "reallocation events", "reallocation_events", Usual::Raw { bits: 16, unit: "events" }),
    (197, "pending sectors", "pending_sectors", Usual::Raw { bits: 48, unit: "sectors" }),
    (198, "uncorrectable sectors", "uncorrectable_sectors", Usual::Raw { bits: 48, unit: "sectors" }),
    (199, "interface CRC errors", "crc_errors", Usual::Raw { bits: 48, unit: "errors" }),
    (202, "life left or used", "", Usual::Named),
    (231, "life left", "life_left_percent", Usual::Normalised),
    (233, "media wearout", "media_wearout_left_percent", Usual::Normalised),
    (241, "blocks written, in the maker's unit", "attribute_blocks_written", Usual::Raw { bits: 48, unit: "" }),
    (242, "blocks read, in the maker's unit", "attribute_blocks_read", Usual::Raw { bits: 48, unit: "" }),
];

#[rustfmt::skip]
const NAMES: &[(u8, &str)] = &[
    (2, "throughput performance"), (6, "read channel margin"), (8, "seek time performance"), (11, "calibration retries"),
    (13, "soft read error rate"), (22, "helium level"), (23, "helium condition, lower"), (24, "helium condition, upper"),
    (175, "program failures of a chip"), (176, "erase failures of a chip"), (178, "reserved blocks used, of a chip"),
    (179, "reserved blocks used"), (180, "reserved blocks left"), (181, "program failures"), (182, "erase failures"),
    (183, "bad blocks at run time"), (189, "high fly writes"), (191, "shocks (G-sense)"), (195, "errors recovered by ECC"),
    (200, "multi-zone error rate"), (201, "soft read error rate"), (203, "run out cancel"), (204, "soft ECC corrections"),
    (205, "thermal asperities"), (206, "flying height"), (207, "spin-up current"), (208, "spin-up retries by buzzing"),
    (209, "offline seek performance"), (220, "disk shift"), (221, "shocks (G-sense)"), (222, "hours with heads loaded"),
    (223, "load retries"), (224, "load friction"), (225, "load cycles"), (226, "load-in time"), (227, "torque amplifications"),
    (228, "power-off retracts"), (230, "head amplitude"), (232, "reserved space available"), (240, "hours of flying heads"),
    (250, "read error retries"), (254, "free falls"),
];

pub(super) fn attributes(bytes: &[u8]) -> Vec<SmartAttribute> {
    entries(bytes).map(|(at, entry)| attribute(at, entry)).collect()
}

fn attribute(at: usize, entry: &[u8]) -> SmartAttribute {
    let raw = entry[5..11].iter().rev().fold(0, |raw, byte| raw << 8 | u64::from(*byte));
    SmartAttribute { id: entry[0], at, flags: u16::from_le_bytes([entry[1], entry[2]]), value: entry[3], worst: entry[4], raw }
}

pub(super) fn thresholds(bytes: &[u8]) -> Vec<AttributeThreshold> {
    let mut found: Vec<AttributeThreshold> = Vec::new();
    for (at, entry) in entries(bytes) {
        if !found.iter().any(|earlier| earlier.id == entry[0]) {
            found.push(AttributeThreshold { id: entry[0], at, threshold: entry[1] });
        }
    }
    found
}

fn entries(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let all = bytes.get(FIRST..).unwrap_or_default().chunks_exact(STRIDE).take(ENTRIES).enumerate();
    all.map(|(index, entry)| (FIRST + STRIDE * index, entry)).filter(|(_, entry)| entry[0] != 0)
}

pub(super) fn fields(attributes: &[SmartAttribute]) -> (Vec<Field>, Vec<String>) {
    let is_first = |at: usize| !attributes[..at].iter().any(|earlier| earlier.id == attributes[at].id);
    let (first, twice): (Vec<usize>, Vec<usize>) = (0..attributes.len()).partition(|at| is_first(*at));
    let own = first.iter().flat_map(|at| attributes[*at].fields());
    let usual = USUAL.iter().rev().filter_map(|usual| first.iter().find_map(|at| attributes[*at].usual(usual)));
    let mut found: Vec<Field> = own.collect();
    for meaning in usual {
        // Of two attributes for one thing the later in the table wins: 194 over 190.
        if !found.iter().any(|field| field.key == meaning.key) {
            found.push(meaning);
        }
    }
    let problems = twice.iter().map(|at| format!("attribute {} is there twice; the second is left out", attributes[*at].id));
    (found, problems.collect())
}

impl SmartAttribute {
    fn fields(&self) -> [Field; 4] {
        let make = |key: &str, title: &str, value, first: usize, last: usize| {
            let place = source("SMART READ DATA", self.at + first, self.at + last);
            field(&format!("attribute_{}_{key}", self.id), &format!("{} {title}", name(self.id)), Value::Number(value), "", place)
        };
        [
            make("flags", "(flags)", u64::from(self.flags), 1, 2),
            make("value", "(normalised)", u64::from(self.value), 3, 3),
            make("worst", "(worst)", u64::from(self.worst), 4, 4),
            make("raw", "(raw)", self.raw, 5, 10),
        ]
    }

    fn usual(&self, (id, title, key, usual): &(u8, &str, &str, Usual)) -> Option<Field> {
        if *id != self.id {
            return None;
        }
        let (value, unit) = match *usual {
            Usual::Named => return None,
            Usual::Raw { bits, unit } => (Value::Number(self.raw & ((1 << bits) - 1)), unit),
            Usual::Celsius => (celsius(self.raw)?, "celsius"),
            Usual::Normalised => (Value::Number(Some(self.value).filter(|value| (1..=100).contains(value))?.into()), "percent"),
        };
        let place = source("SMART READ DATA", self.at, self.at + STRIDE - 1);
        Some(field(key, title, value, unit, format!("attribute {id} in its usual meaning, which is the maker's: {place}")))
    }
}

/// The lowest byte has a sign; drives without a sensor leave it 0.
fn celsius(raw: u64) -> Option<Value> {
    let degrees = (raw as u8).cast_signed();
    match degrees {
        1.. => Some(Value::Number(u64::from(degrees.unsigned_abs()))),
        -60..=-1 => Some(Value::Real(degrees.into())),
        _ => None,
    }
}

impl AttributeThreshold {
    pub(super) fn field(&self) -> Field {
        let (key, title) = (format!("attribute_{}_threshold", self.id), format!("{} (threshold)", name(self.id)));
        field(&key, &title, Value::Number(self.threshold.into()), "", source("SMART READ ATTRIBUTE THRESHOLDS", self.at + 1, self.at + 1))
    }
}

/// The attributes of which a figure is at or below the threshold. Threshold 0 is never reached (SFF-8035i).
pub(super) fn reached(attributes: &[SmartAttribute], thresholds: &[AttributeThreshold], figure: fn(&SmartAttribute) -> u8) -> Vec<String> {
    let limit = |id: u8| thresholds.iter().find(|threshold| threshold.id == id).map_or(0, |threshold| threshold.threshold);
    let is_reached = |attribute: &&SmartAttribute| limit(attribute.id) > 0 && figure(attribute) <= limit(attribute.id);
    attributes.iter().filter(is_reached).map(SmartAttribute::described).collect()
}

impl SmartAttribute {
    fn described(&self) -> String {
        let kind = if self.flags & 1 == 1 { "foretells a failure" } else { "worn or aged" };
        format!("{} ({kind})", name(self.id))
    }
}

fn name(id: u8) -> String {
    attribute_name(id).map_or_else(|| format!("attribute {id}"), |name| format!("attribute {id}, {name}"))
}

pub fn attribute_name(id: u8) -> Option<&'static str> {
    let usual = USUAL.iter().find(|(known, ..)| *known == id).map(|(_, name, ..)| *name);
    usual.or_else(|| NAMES.iter().find(|(known, _)| *known == id).map(|(_, name)| *name))
}

/// The flags in the letters that smartmontools made usual: pre-failure, updated online, speed/performance, error rate, event count, kept by itself; `-` where a flag is not set.
pub fn attribute_flags(bits: u64) -> String {
    "POSRCK".chars().enumerate().map(|(bit, letter)| if bits >> bit & 1 == 1 { letter } else { '-' }).collect()
}

fn source(page: &str, first: usize, last: usize) -> String {
    let place = if first == last { format!("byte {first}") } else { format!("bytes {first}-{last}") };
    format!("{page} {place} (SFF-8035i 2.0; the standards leave attributes to the maker)")
}
