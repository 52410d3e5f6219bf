//! Changes of a text or of bytes: one to three of the rows, in turn.

use crate::random::Random;

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
    (0..1 + random.below(3)).fold(bytes, |bytes, _| change(random, bytes))
}

/// One change at a random place, or from there to a second one.
fn change(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    let kind = random.below(10);
    let (at, other) = (random.index(bytes.len() + 1), random.index(bytes.len() + 1));
    let (start, end) = (at.min(other), at.max(other));
    match kind {
        0 => {
            for _ in 0..1 + random.below(8) {
                let place = random.index(bytes.len() + 1);
                bytes.get_mut(place).into_iter().for_each(|byte| *byte ^= 1 << random.below(8));
            }
        }
        1 => bytes.truncate(at),
        2 => {
            let copy = bytes[start..end].to_vec();
            insert(&mut bytes, end, &copy);
        }
        3 => drop(bytes.drain(start..end)),
        4 => {
            for _ in 0..1 + random.below(4) {
                let place = random.index(bytes.len() + 1);
                insert(&mut bytes, place, ODD[random.index(ODD.len())]);
            }
        }
        5 => {
            if let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|digit| at + digit) {
                let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(start..start + length, random.item(NUMBERS).bytes());
            }
        }
        6 => {
            let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
            let times = (LONG / (end - start).max(1)).min(1 + random.index(20_000));
            let copies = bytes[start..end].repeat(times);
            insert(&mut bytes, end, &copies);
        }
        7 => insert(&mut bytes, at, &vec![*random.pick(b"a1 \t,:/=("); LONG]),
        8 => insert(&mut bytes, at, random.word(&["[", "{", "(", "[[", "{\"a\":", "-("]).repeat(DEEP).as_bytes()),
        _ => {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            if !lines.is_empty() {
                let (one, other) = (random.index(lines.len()), random.index(lines.len()));
                lines.swap(one, other);
            }
            bytes = lines.concat();
        }
    }
    bytes
}

fn insert(bytes: &mut Vec<u8>, at: usize, what: &[u8]) {
    bytes.splice(at..at, what.iter().copied());
}
