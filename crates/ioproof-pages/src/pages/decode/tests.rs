//! Values that each kind makes of bytes, in both orders, and that no bytes make it panic.

use super::*;
use crate::pages::table::{bit, bits, is, is_not, place, row};
use proptest::prelude::*;

const fn table(order: ByteOrder, rows: &'static [FieldRow], groups: &'static [RepeatedGroup]) -> PageTable {
    PageTable { name: "page", title: "Page", document: "Book 1", clause: "figure 2", order, length: 64, least: 0, rows, groups }.checked()
}

fn read(order: ByteOrder, row: FieldRow, bytes: &[u8]) -> Option<Value> {
    let rows: &'static [FieldRow] = Box::leak(Box::new([row]));
    let (mut fields, problems) = decode_fields(&table(order, rows, &[]), bytes);
    assert!(fields.len() <= 1 && problems.is_empty(), "{fields:?} {problems:?}");
    fields.pop().map(|field| field.value)
}

fn little(place: BytePlace, kind: FieldKind, bytes: &[u8]) -> Option<Value> {
    read(ByteOrder::Little, row("key", "title", place, kind), bytes)
}

fn text(text: &str) -> Option<Value> {
    Some(Value::Text(text.into()))
}

#[test]
fn numbers_of_every_width_in_both_orders() {
    let bytes: Vec<u8> = (1..=16).collect();
    let number = |order, width| read(order, row("key", "title", place(0, width), FieldKind::Unsigned), &bytes);
    let widths = [1, 2, 3, 4, 8].map(|width| number(ByteOrder::Little, width));
    let expected = [1, 0x0201, 0x03_0201, 0x0403_0201, 0x0807_0605_0403_0201].map(|number| Some(Value::Number(number)));
    assert_eq!(widths, expected);
    let widths = [1, 2, 3, 4, 8].map(|width| number(ByteOrder::Big, width));
    let expected = [1, 0x0102, 0x01_0203, 0x0102_0304, 0x0102_0304_0506_0708].map(|number| Some(Value::Number(number)));
    assert_eq!(widths, expected);
    assert_eq!(number(ByteOrder::Big, 16), text("1339673755198158349044581307228491536"));
    assert_eq!(little(place(0, 16), FieldKind::Unsigned, &[&[9][..], &[0; 15]].concat()), Some(Value::Number(9)));
}

#[test]
fn bits_are_counted_in_the_ordered_number() {
    assert_eq!(little(place(0, 2).bits(1, 11), FieldKind::Unsigned, &[0x05, 0x40]), Some(Value::Number(2)));
    let big = row("key", "title", place(0, 2).bits(8, 4), FieldKind::Unsigned);
    assert_eq!(read(ByteOrder::Big, big, &[0xab, 0]), Some(Value::Number(0xb)));
    assert_eq!(little(bit(0, 7), FieldKind::Flag, &[0x80]), Some(Value::Flag(true)));
    assert_eq!(little(bit(0, 7), FieldKind::NotFlag, &[0x80]), Some(Value::Flag(false)));
}

#[test]
fn signs_and_temperatures() {
    let number = |value| Some(Value::Number(value));
    assert_eq!(little(place(0, 1), FieldKind::Signed, &[0xfb]), Some(Value::Real(-5.0)));
    assert_eq!(little(bits(0, 0, 3), FieldKind::Signed, &[0b0101]), Some(Value::Real(-3.0)));
    assert_eq!(little(place(0, 1), FieldKind::Signed, &[0x7f]), number(127));
    assert_eq!(little(place(0, 2), FieldKind::Kelvin, &[0x43, 0x01]), number(50));
    assert_eq!(little(place(0, 2), FieldKind::Kelvin, &[0x07, 0x01]), Some(Value::Real(-10.0)));
    assert_eq!(little(place(0, 2), FieldKind::Kelvin, &[0, 0]), None);
}

#[test]
fn scales() {
    let scaled = |plus, times, over| little(place(0, 1), FieldKind::Scaled { plus, times, over }, &[7]);
    assert_eq!(scaled(1, 512, 1), Some(Value::Number(4096)));
    assert_eq!(scaled(0, 1, 100), Some(Value::Real(0.07)));
    assert_eq!(scaled(0, 100, 7), Some(Value::Number(100)));
    assert_eq!(little(place(0, 1), FieldKind::PowerOfTwo { times: 4096 }, &[7]), Some(Value::Number(512 << 10)));
}

#[test]
fn what_is_too_large_is_named_and_left_out() {
    const ROWS: &[FieldRow] = &[
        row("power", "", place(0, 1), FieldKind::PowerOfTwo { times: 4096 }),
        row("product", "", place(1, 16), FieldKind::Scaled { plus: 0, times: 512_000, over: 1 }),
    ];
    let (fields, problems) = decode_fields(&table(ByteOrder::Little, ROWS, &[]), &[0xff; 17]);
    assert_eq!(fields, []);
    assert!(problems[0].starts_with("power is too large") && problems[1].starts_with("product is too large"), "{problems:?}");
}

#[test]
fn words() {
    let list = |words: &[&str]| Some(Value::List(words.iter().map(|word| (*word).to_owned()).collect()));
    assert_eq!(little(place(0, 1), FieldKind::Bits(&[(0, "a"), (3, "d")]), &[0b1_1001]), list(&["a", "d", "bit 4"]));
    assert_eq!(little(place(0, 1), FieldKind::Bits(&[(0, "a")]), &[0]), list(&[]));
    assert_eq!(little(place(0, 1), FieldKind::OneOf(&[(2, "two")]), &[2]), text("two"));
    assert_eq!(little(place(0, 1), FieldKind::OneOf(&[(2, "two")]), &[3]), text("reserved (3)"));
    assert_eq!(little(place(0, 8), FieldKind::Ascii, b"  AB 1\0\0"), text("AB 1"));
    assert_eq!(little(place(0, 4), FieldKind::Ascii, b"A\x07\xffB"), text("A??B"));
    assert_eq!(little(place(0, 4), FieldKind::Ascii, b" \0\0 "), None);
    assert_eq!(little(place(0, 4), FieldKind::AsciiSwapped, b"BA C"), text("ABC"));
    assert_eq!(little(place(0, 3), FieldKind::Hex, &[0, 0x1a, 2]), text("001a02"));
    assert_eq!(little(place(0, 3), FieldKind::Hex, &[0; 3]), None);
    assert_eq!(little(place(0, 3), FieldKind::HexNumber, &[0, 0x54, 0x52]), text("0x525400"));
    assert_eq!(little(place(0, 4), FieldKind::Version, &[1, 4, 1, 0]), text("1.4.1"));
}

#[test]
fn conditions_and_numbers_that_mean_nothing() {
    let conditional =
        |when: PlaceCondition, byte: u8| read(ByteOrder::Little, row("key", "", place(1, 1), FieldKind::Unsigned).when(when), &[byte, 9]);
    assert_eq!([conditional(is(bit(0, 1), 1), 2), conditional(is(bit(0, 1), 1), 1)], [Some(Value::Number(9)), None]);
    assert_eq!([conditional(is_not(place(0, 1), 0), 2), conditional(is_not(place(0, 1), 0), 0)], [Some(Value::Number(9)), None]);
    let unless = |byte: u8| read(ByteOrder::Little, row("key", "", place(0, 1), FieldKind::Unsigned).unless(0xff), &[byte]);
    assert_eq!([unless(0xff), unless(0)], [None, Some(Value::Number(0))]);
}

const ENTRY: &[FieldRow] = &[row("entry_#_size", "size of #", place(1, 1), FieldKind::Unsigned)];
const ENTRIES: &[RepeatedGroup] = &[RepeatedGroup {
    at: 2,
    stride: 2,
    count: GroupCount::Told { place: place(0, 1), plus: 1, most: 4 },
    first: 1,
    used: Some(is_not(place(0, 1), 0)),
    rows: ENTRY,
}];

#[test]
fn groups_are_numbered_counted_and_unused_entries_left_out() {
    let keys = |bytes: &[u8]| -> Vec<String> {
        let (fields, _) = decode_fields(&table(ByteOrder::Little, &[], ENTRIES), bytes);
        fields.into_iter().map(|field| format!("{}={:?} {}", field.key, field.value, field.source)).collect()
    };
    let bytes = [2, 0, 1, 10, 0, 20, 1, 30, 1, 40];
    assert_eq!(
        keys(&bytes),
        ["entry_1_size=Number(10) Page byte 3 (Book 1, figure 2)", "entry_3_size=Number(30) Page byte 7 (Book 1, figure 2)"]
    );
    assert_eq!(keys(&[200, 0, 1, 10, 1, 20, 1, 30, 1, 40, 1, 50]).len(), 4, "no more than the layout has room for");
    assert_eq!(keys(&[]), [""; 0]);
}

#[test]
fn sources_name_place_and_clause() {
    let source = |row: FieldRow| {
        let rows: &'static [FieldRow] = Box::leak(Box::new([row]));
        decode_fields(&table(ByteOrder::Big, rows, &[]), &[1; 64]).0[0].source.clone()
    };
    assert_eq!(source(row("k", "", place(4, 20), FieldKind::Ascii)), "Page bytes 4-23 (Book 1, figure 2)");
    assert_eq!(source(row("k", "", bits(4, 1, 3), FieldKind::Unsigned).clause("clause 9")), "Page byte 4 bits 1-3 (Book 1, clause 9)");
    assert_eq!(source(row("k", "", bit(4, 5), FieldKind::Flag)), "Page byte 4 bit 5 (Book 1, figure 2)");
}

#[test]
fn a_page_that_is_cut_names_what_is_missing() {
    const ROWS: &[FieldRow] = &[row("a", "", place(0, 2), FieldKind::Unsigned), row("b", "", place(2, 2), FieldKind::Unsigned)];
    let cut = PageTable { least: 4, ..table(ByteOrder::Big, ROWS, &[]) };
    let page = decode(&cut, &[0, 7, 1], "a file");
    assert_eq!((page.number("a"), page.number("b"), page.raw.as_str()), (Some(7), None, "000701"));
    assert_eq!(page.problems, ["has 3 bytes instead of 4; missing are: b"]);
    assert_eq!(decode(&table(ByteOrder::Big, ROWS, &[]), &[0, 7], "an older page").problems, [""; 0]);
}

proptest! {
    #[test]
    fn any_row_reads_any_bytes(
        bytes in proptest::collection::vec(any::<u8>(), 0..80), at in 0_usize..64, width in 1_usize..16,
        low in 0_u32..128, count in 1_u32..128, kind in 0_usize..14, big in any::<bool>(),
    ) {
        let kinds = [
            FieldKind::Unsigned, FieldKind::Signed, FieldKind::Kelvin, FieldKind::Scaled { plus: u64::MAX, times: u64::MAX, over: 0 }, FieldKind::PowerOfTwo { times: 3 },
            FieldKind::Flag, FieldKind::NotFlag, FieldKind::Bits(&[(1, "b")]), FieldKind::OneOf(&[]), FieldKind::Ascii, FieldKind::AsciiSwapped, FieldKind::Hex, FieldKind::HexNumber,
            FieldKind::Version,
        ];
        let row = row("key", "title", BytePlace { at, bytes: width, bits: Some((low, count)) }, kinds[kind]);
        let order = if big { ByteOrder::Big } else { ByteOrder::Little };
        let table = PageTable { rows: Box::leak(Box::new([row])), ..table(order, &[], &[]) };
        prop_assert!(decode_fields(&table, &bytes).0.len() <= 1);
    }
}
