//! Changes of a text or of bytes: one to three of the rows, in turn.

use crate::random::Random;

type Mutation = fn(&mut Random, Vec<u8>) -> Vec<u8>;

const MUTATIONS: &[Mutation] =
    &[flip_bits, truncate, duplicate, remove, insert_odd_characters, huge_number, repeat_a_line, long_line, nest, swap_lines];

/// Characters that programs stumble over: controls, directions, marks, what is no UTF-8.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\x1b[31m",
    b"\x07",
    b"\r",
    b"\n",
    b"\xff\xfe",
    b"\xc3",
    "\u{202e}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{2028}".as_bytes(),
    b"\"",
    b"'",
    b"=",
    b"%s%n",
    b"${HOME}",
    b"]",
    b"\\",
];

const NUMBERS: &str = "
    0 | -1 | 4294967295 | 4294967296 | 9223372036854775807 | 9223372036854775808 | 18446744073709551615 |
    18446744073709551616 | 1e400 | -1e400 | NaN | 0x | 1e-400 | 99999999999999999999999999999999999999999";

/// As deep as a recursive reader does not take, and as long as no line is. Bytes.
const DEEP: usize = 100_000;
const LONG: usize = 1 << 20;

pub fn mutate(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    (0..1 + random.below(3)).fold(bytes, |bytes, _| random.pick(MUTATIONS)(random, bytes))
}

fn place(random: &mut Random, bytes: &[u8]) -> usize {
    random.index(bytes.len() + 1)
}

fn splice(mut bytes: Vec<u8>, at: usize, what: &[u8]) -> Vec<u8> {
    bytes.splice(at..at, what.iter().copied());
    bytes
}

fn flip_bits(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + random.below(8) {
        let at = place(random, &bytes);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << random.below(8);
        }
    }
    bytes
}

fn truncate(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(place(random, &bytes));
    bytes
}

fn piece(random: &mut Random, bytes: &[u8]) -> (usize, usize) {
    let (one, other) = (place(random, bytes), place(random, bytes));
    (one.min(other), one.max(other))
}

fn duplicate(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let (start, end) = piece(random, &bytes);
    let copy = bytes[start..end].to_vec();
    splice(bytes, end, &copy)
}

fn remove(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    let (start, end) = piece(random, &bytes);
    bytes.drain(start..end);
    bytes
}

fn insert_odd_characters(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + random.below(4) {
        let at = place(random, &bytes);
        let odd: &[u8] = ODD[random.index(ODD.len())];
        bytes = splice(bytes, at, odd);
    }
    bytes
}

fn huge_number(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    let from = place(random, &bytes);
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return bytes };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.splice(start..start + length, random.item(NUMBERS).bytes());
    bytes
}

/// Start and end of the line in which a place is, its end of line included.
fn line(bytes: &[u8], at: usize) -> (usize, usize) {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
    (start, end)
}

fn repeat_a_line(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let at = place(random, &bytes);
    let (start, end) = line(&bytes, at);
    let times = (LONG / (end - start).max(1)).min(1 + random.index(20_000));
    let copies = bytes[start..end].repeat(times);
    splice(bytes, end, &copies)
}

fn long_line(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let at = place(random, &bytes);
    splice(bytes, at, &vec![*random.pick(b"a1 \t,:/=("); LONG])
}

fn nest(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let at = place(random, &bytes);
    splice(bytes, at, &random.word(&["[", "{", "(", "[[", "{\"a\":", "-("]).repeat(DEEP).into_bytes())
}

fn swap_lines(random: &mut Random, bytes: Vec<u8>) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if !lines.is_empty() {
        let (one, other) = (random.index(lines.len()), random.index(lines.len()));
        lines.swap(one, other);
    }
    lines.concat()
}
