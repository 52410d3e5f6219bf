//! The pages of SMART: data, thresholds, and the answer of SMART RETURN STATUS (ACS-3, SMART feature set).
//!
//! The standard names only the tail of the data; the attributes before it are the maker's, in the layout of SFF-8035i that all makers kept. `attributes` reads them.

use super::attributes::{self, SmartAttribute};
use crate::pages::sense::Sense;
use crate::pages::{ByteOrder, FieldKind, FieldRow, Page, PageTable, Value, bit, bits, decode, field, is, is_not, place, row, table};

const LENGTH: usize = 512;

const DATA: PageTable = PageTable { name: "smart-data", title: "SMART READ DATA", rows: DATA_ROWS, ..BASE }.checked();

const THRESHOLDS: PageTable = PageTable { name: "smart-thresholds", title: "SMART READ ATTRIBUTE THRESHOLDS", ..BASE }.checked();

const STATUS: PageTable = PageTable { name: "smart-status", title: "SMART RETURN STATUS", length: 0, least: 0, ..BASE }.checked();

const BASE: PageTable = table(ByteOrder::Little, "", "", "ATA Command Set 3 (ACS-3)", "SMART feature set", LENGTH);

#[rustfmt::skip]
const OFFLINE: &[(u128, &str)] = &[
    (0, "never started"), (2, "completed without error"), (3, "in progress"), (4, "suspended by a command"),
    (5, "aborted by a command"), (6, "aborted by an error of the drive"),
];

#[rustfmt::skip]
const SELF_TEST: &[(u128, &str)] = &[
    (0, "completed without error, or never run"), (1, "aborted by the host"), (2, "interrupted by a reset"),
    (3, "could not be completed"), (4, "failed in an element that is not known"), (5, "failed in the electrical element"),
    (6, "failed in the servo element"), (7, "failed in the read element"), (8, "failed, handling damage is likely"),
    (15, "in progress"),
];

#[rustfmt::skip]
const CAPABILITIES: &[(u32, &str)] = &[
    (0, "EXECUTE OFF-LINE IMMEDIATE"), (2, "aborts on a command"), (3, "surface scan"), (4, "short and extended self-test"),
    (5, "conveyance self-test"), (6, "selective self-test"),
];

const DATA_ROWS: &[FieldRow] = &[
    row("offline_collection_status", "offline data collection", bits(362, 0, 7), FieldKind::OneOf(OFFLINE)),
    row("offline_collection_automatic", "automatic offline data collection", bit(362, 7), FieldKind::Flag),
    row("self_test_status", "last self-test", bits(363, 4, 4), FieldKind::OneOf(SELF_TEST)),
    row("self_test_remaining_percent", "self-test remaining", bits(363, 0, 4), FieldKind::Scaled { plus: 0, times: 10, over: 1 })
        .unit("percent")
        .when(is(bits(363, 4, 4), 15)),
    row("offline_collection_seconds", "time of offline data collection", place(364, 2), FieldKind::Unsigned).unit("seconds"),
    row("offline_capabilities", "offline capabilities", place(367, 1), FieldKind::Bits(CAPABILITIES)),
    row("smart_capabilities", "SMART capabilities", place(368, 2), FieldKind::Bits(&[(0, "saves before power saving"), (1, "autosave")])),
    row("smart_error_log_supported", "SMART error log", bit(370, 0), FieldKind::Flag),
    minutes("short_self_test_minutes", "time of a short self-test", place(372, 1)).unless(0),
    minutes("extended_self_test_minutes", "time of an extended self-test", place(373, 1)).unless(0).when(is_not(place(373, 1), 0xff)),
    minutes("extended_self_test_minutes", "time of an extended self-test", place(375, 2)).when(is(place(373, 1), 0xff)),
    minutes("conveyance_self_test_minutes", "time of a conveyance self-test", place(374, 1)).unless(0).when(is(bit(367, 5), 1)),
];

const fn minutes(key: &'static str, title: &'static str, place: crate::pages::table::BytePlace) -> FieldRow {
    row(key, title, place, FieldKind::Unsigned).unit("minutes")
}

pub fn smart_data(bytes: &[u8], source: impl Into<String>) -> Page {
    let mut page = decode(&DATA, bytes, source);
    page.problems.extend(checksum(bytes));
    let (fields, problems) = attributes::fields(&attributes::attributes(bytes));
    page.fields.extend(fields);
    page.problems.extend(problems);
    page
}

/// SMART READ ATTRIBUTE THRESHOLDS, 512 bytes. With the `data` of SMART READ DATA the attributes that are at or below their threshold are named.
pub fn smart_thresholds(bytes: &[u8], data: Option<&[u8]>, source: impl Into<String>) -> Page {
    let mut page = decode(&THRESHOLDS, bytes, source);
    page.problems.extend(checksum(bytes));
    let thresholds = attributes::thresholds(bytes);
    page.fields.extend(thresholds.iter().map(attributes::AttributeThreshold::field));
    if let Some(data) = data {
        let attributes = attributes::attributes(data);
        let list = |reached: fn(&SmartAttribute) -> u8| Value::List(attributes::reached(&attributes, &thresholds, reached));
        let source = "SMART READ DATA against SMART READ ATTRIBUTE THRESHOLDS (SFF-8035i 2.0)";
        page.fields.push(field("attributes_failing", "attributes at their threshold", list(|a| a.value), "", source));
        page.fields.push(field("attributes_failed", "attributes that were at their threshold", list(|a| a.worst), "", source));
    }
    page
}

/// SMART RETURN STATUS, whose answer is in the registers that a translator hands back as sense data (SAT-4, ATA Status Return descriptor, or fixed format).
pub fn smart_status(sense: &[u8], source: impl Into<String>) -> Page {
    let mut page = decode(&STATUS, sense, source);
    let passed = match Sense::parse(sense).and_then(|sense| sense.registers).map(|registers| (registers.lba_mid, registers.lba_high)) {
        Some((0x4f, 0xc2)) => true,
        Some((0xf4, 0x2c)) => false,
        Some((mid, high)) => {
            page.problems.push(format!("the registers hold {mid:#04x} and {high:#04x}, which is neither passed nor failed"));
            return page;
        }
        None => {
            page.problems.push("the registers did not come back".to_owned());
            return page;
        }
    };
    let place = format!("{}, LBA bits 8-23 ({}, {})", STATUS.title, STATUS.document, STATUS.clause);
    page.fields.push(field("smart_passed", "the drive's own verdict", Value::Flag(passed), "", place));
    page
}

fn checksum(bytes: &[u8]) -> Option<String> {
    let sum = bytes.get(..LENGTH)?.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    (sum != 0).then(|| format!("the checksum is wrong: the bytes add up to {sum:#04x} instead of 0"))
}
