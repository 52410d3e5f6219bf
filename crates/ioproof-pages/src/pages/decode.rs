//! Reads a page by its table.
//!
//! Never panics, whatever the bytes are: a place beyond the end of what came makes no field, and where the page should have been longer the page's problems name
//! the keys that are missing.

use super::table::{ByteOrder, BytePlace, FieldKind, FieldRow, GroupCount, PageTable, PlaceCondition, RepeatedGroup};
use crate::field::{Field, Page, Value};
use std::fmt::Write;

/// Zero degrees Celsius in Kelvin, without the fraction: the drives give whole Kelvins, and every tool takes 273.
const CELSIUS_ZERO_KELVIN: i128 = 273;

/// The page with its fields. `source` says how it was asked for: the command with its parameters, or the file.
pub fn decode(table: &PageTable, bytes: &[u8], source: impl Into<String>) -> Page {
    let (fields, problems) = decode_fields(table, bytes);
    Page { name: table.name.to_owned(), source: source.into(), raw: hex(bytes), fields, problems }
}

pub fn decode_fields(table: &PageTable, bytes: &[u8]) -> (Vec<Field>, Vec<String>) {
    let mut reader = ByteReader::new(table, None);
    reader.rows(table.rows, bytes, 0, None);
    for group in table.groups {
        reader.group(group, bytes);
    }
    if bytes.len() < table.least {
        reader.problems.insert(0, reader.cut(bytes.len()));
    }
    (reader.fields, reader.problems)
}

pub fn field(key: &str, title: &str, value: Value, unit: &str, source: impl Into<String>) -> Field {
    let unit = (!unit.is_empty()).then(|| unit.to_owned());
    Field { key: key.to_owned(), title: title.to_owned(), value, unit, source: source.into() }
}

/// The fields that rest on bytes of which `known` holds (asked with the first byte and the number of bytes), each with its first byte; for a page that another tool
/// printed number by number. What depends on a byte that is not known is left out.
pub(crate) fn decode_known(table: &PageTable, bytes: &[u8], known: &dyn Fn(usize, usize) -> bool) -> Vec<(usize, Field)> {
    let mut reader = ByteReader::new(table, Some(known));
    reader.rows(table.rows, bytes, 0, None);
    for group in table.groups {
        reader.group(group, bytes);
    }
    reader.places.into_iter().zip(reader.fields).collect()
}

struct ByteReader<'a> {
    table: &'a PageTable,
    /// Which bytes are known; `None` is all.
    known: Option<&'a dyn Fn(usize, usize) -> bool>,
    places: Vec<usize>,
    fields: Vec<Field>,
    missing: Vec<String>,
    problems: Vec<String>,
}

impl<'a> ByteReader<'a> {
    fn new(table: &'a PageTable, known: Option<&'a dyn Fn(usize, usize) -> bool>) -> Self {
        Self { table, known, places: Vec::new(), fields: Vec::new(), missing: Vec::new(), problems: Vec::new() }
    }

    fn knows(&self, place: BytePlace, from: usize) -> bool {
        self.known.is_none_or(|known| known(from + place.at, place.bytes))
    }

    fn rows(&mut self, rows: &[FieldRow], bytes: &[u8], from: usize, number: Option<usize>) {
        for row in rows {
            self.row(row, bytes, from, number);
        }
    }

    fn row(&mut self, row: &FieldRow, bytes: &[u8], from: usize, number: Option<usize>) {
        let order = self.table.order;
        let depends = row.when.is_some_and(|when| !self.knows(when.place, from));
        if depends || !self.knows(row.place, from) || row.when.is_some_and(|when| !holds(&when, order, bytes)) {
            return;
        }
        let key = numbered(row.key, number);
        let Some(own) = row.place.at.checked_add(row.place.bytes).and_then(|end| bytes.get(row.place.at..end)) else {
            self.missing.push(key);
            return;
        };
        match value(row, order, own) {
            Ok(None) => {}
            Ok(Some(value)) => {
                self.places.push(from + row.place.at);
                self.fields.push(field(&key, &numbered(row.title, number), value, row.unit, self.source(row, from)));
            }
            Err(TooLarge) => self.problems.push(format!("{key} is too large for any drive and was left out")),
        }
    }

    fn group(&mut self, group: &RepeatedGroup, bytes: &[u8]) {
        let order = self.table.order;
        for index in 0..count(&group.count, order, bytes) {
            let from = group.at.saturating_add(group.stride.saturating_mul(index));
            let Some(rest) = bytes.get(from..).filter(|rest| !rest.is_empty()) else {
                self.missing.extend(group.rows.first().map(|row| numbered(row.key, Some(group.first + index))));
                return;
            };
            let own = &rest[..rest.len().min(group.stride)];
            if group.used.is_none_or(|when| holds(&when, order, own)) {
                self.rows(group.rows, own, from, Some(group.first + index));
            }
        }
    }

    fn source(&self, row: &FieldRow, from: usize) -> String {
        let BytePlace { at, bytes, bits } = row.place;
        let (first, last) = (from + at, from + at + bytes - 1);
        let place = if first == last { format!("byte {first}") } else { format!("bytes {first}-{last}") };
        let bits = match bits {
            Some((low, 1)) => format!(" bit {low}"),
            Some((low, count)) => format!(" bits {low}-{}", low + count - 1),
            None => String::new(),
        };
        let clause = if row.clause.is_empty() { self.table.clause } else { row.clause };
        format!("{} {place}{bits} ({}, {clause})", self.table.title, self.table.document)
    }

    fn cut(&self, length: usize) -> String {
        let missing = if self.missing.is_empty() { "nothing".to_owned() } else { self.missing.join(", ") };
        format!("has {length} bytes instead of {}; missing are: {missing}", self.table.least)
    }
}

fn numbered(text: &str, number: Option<usize>) -> String {
    number.map_or_else(|| text.to_owned(), |number| text.replace('#', &number.to_string()))
}

fn count(count: &GroupCount, order: ByteOrder, bytes: &[u8]) -> usize {
    let (places, plus, most) = match count {
        GroupCount::Fixed(count) => return *count,
        GroupCount::Told { place, plus, most } => (std::slice::from_ref(place), *plus, *most),
        GroupCount::Sum { places, plus, most } => (*places, *plus, *most),
    };
    let told: Option<u128> = places.iter().map(|place| number(place, order, bytes)).try_fold(0_u128, |sum, told| sum.checked_add(told?));
    told.map_or(0, |told| usize::try_from(told).unwrap_or(usize::MAX).saturating_add(plus).min(most))
}

fn holds(when: &PlaceCondition, order: ByteOrder, bytes: &[u8]) -> bool {
    number(&when.place, order, bytes).is_some_and(|number| (number == when.value) == when.equal)
}

fn number(place: &BytePlace, order: ByteOrder, bytes: &[u8]) -> Option<u128> {
    let own = bytes.get(place.at..place.at.checked_add(place.bytes)?)?;
    Some(bits_of(unsigned(own, order), place.bits))
}

fn unsigned(bytes: &[u8], order: ByteOrder) -> u128 {
    let own = &bytes[..bytes.len().min(16)];
    let join = |number: u128, byte: &u8| number << 8 | u128::from(*byte);
    match order {
        ByteOrder::Little => own.iter().rev().fold(0, join),
        ByteOrder::Big => own.iter().fold(0, join),
    }
}

fn bits_of(number: u128, bits: Option<(u32, u32)>) -> u128 {
    let Some((low, count)) = bits else { return number };
    let mask = 1_u128.checked_shl(count).map_or(u128::MAX, |bit| bit - 1);
    number.checked_shr(low).unwrap_or(0) & mask
}

struct TooLarge;

fn value(row: &FieldRow, order: ByteOrder, bytes: &[u8]) -> Result<Option<Value>, TooLarge> {
    let number = bits_of(unsigned(bytes, order), row.place.bits);
    if row.none == Some(number) {
        return Ok(None);
    }
    Ok(Some(match row.kind {
        FieldKind::Unsigned => whole(number),
        FieldKind::Signed => signed(i128_of(number, width(&row.place))),
        FieldKind::Kelvin if number == 0 => return Ok(None),
        FieldKind::Kelvin => signed(i128_of(number, 128) - CELSIUS_ZERO_KELVIN),
        FieldKind::Scaled { plus, times, over } => scaled(number, plus, times, over)?,
        FieldKind::PowerOfTwo { times } => power(number, times)?,
        FieldKind::Flag => Value::Flag(number != 0),
        FieldKind::NotFlag => Value::Flag(number == 0),
        FieldKind::Bits(names) => Value::List(set_bits(number, names)),
        FieldKind::OneOf(names) => Value::Text(name_of(number, names)),
        FieldKind::Ascii => return Ok(ascii(bytes.iter().copied())),
        FieldKind::AsciiSwapped => return Ok(ascii(bytes.chunks(2).flat_map(|word| word.iter().rev().copied()))),
        FieldKind::Hex if bytes.iter().all(|byte| *byte == 0) => return Ok(None),
        FieldKind::Hex => Value::Text(hex(bytes)),
        FieldKind::Version => Value::Text(format!("{}.{}.{}", number >> 16, number >> 8 & 0xff, number & 0xff)),
        FieldKind::HexNumber => Value::Text(format!("{number:#0digits$x}", digits = 2 + width(&row.place).div_ceil(4) as usize)),
    }))
}

fn width(place: &BytePlace) -> u32 {
    place.bits.map_or_else(|| u32::try_from(place.bytes.min(16) * 8).unwrap_or(128), |(_, count)| count)
}

fn i128_of(number: u128, width: u32) -> i128 {
    let unused = 128_u32.saturating_sub(width).min(127);
    number.cast_signed().wrapping_shl(unused) >> unused
}

/// A whole number; one that needs more than 64 bits is a decimal text, as [`Value`] says.
fn whole(number: u128) -> Value {
    u64::try_from(number).map_or_else(|_| Value::Text(number.to_string()), Value::Number)
}

fn signed(number: i128) -> Value {
    u64::try_from(number).map_or_else(|_| Value::Real(number as f64), Value::Number)
}

fn scaled(number: u128, plus: u64, times: u64, over: u64) -> Result<Value, TooLarge> {
    let product = number.checked_add(plus.into()).and_then(|sum| sum.checked_mul(times.into())).ok_or(TooLarge)?;
    let over = u128::from(over.max(1));
    Ok(if product.is_multiple_of(over) { whole(product / over) } else { Value::Real(product as f64 / over as f64) })
}

fn power(exponent: u128, times: u64) -> Result<Value, TooLarge> {
    let power = u32::try_from(exponent).ok().and_then(|exponent| 1_u64.checked_shl(exponent));
    power.and_then(|power| power.checked_mul(times)).map(Value::Number).ok_or(TooLarge)
}

fn set_bits(number: u128, names: &[(u32, &str)]) -> Vec<String> {
    let name =
        |bit: u32| names.iter().find(|(known, _)| *known == bit).map_or_else(|| format!("bit {bit}"), |(_, name)| (*name).to_owned());
    (0..128).filter(|bit| number >> bit & 1 == 1).map(name).collect()
}

fn name_of(number: u128, names: &[(u128, &str)]) -> String {
    names.iter().find(|(known, _)| *known == number).map_or_else(|| format!("reserved ({number})"), |(_, name)| (*name).to_owned())
}

fn ascii(bytes: impl Iterator<Item = u8>) -> Option<Value> {
    let printable = |byte: u8| if byte == b' ' || byte.is_ascii_graphic() || byte == 0 { char::from(byte) } else { '?' };
    let text: String = bytes.map(printable).collect();
    let text = text.trim_matches(['\0', ' ']).replace('\0', "?");
    (!text.is_empty()).then_some(Value::Text(text))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
