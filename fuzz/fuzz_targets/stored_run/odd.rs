//! Values that writers of a record never gave.

use crate::random::Random;
use serde_json::{Number, Value, json};

/// Texts that upset terminals, tables, markup, workbooks, times or the cutting of lines.
const TEXTS: &[&str] = &[
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\0",
    "\x1b[2J",
    "\u{9b}2J",
    "\u{7f}",
    "\u{2028}",
    "\u{202e}abc",
    "\u{200d}",
    "\u{feff}",
    "\u{301}",
    "e\u{301}\u{301}\u{301}",
    "日本語",
    "👩‍👩‍👧‍👦",
    "ß",
    "İ",
    "=1+1",
    "@SUM(A1)",
    "-2",
    "+3",
    "\"",
    "'",
    "`",
    "```",
    "|",
    "\\|",
    "]]>",
    "</script>",
    "<b>",
    "&amp;",
    "&",
    "{{",
    "%s",
    "\\",
    "\u{fffd}",
    "\u{ffff}",
    "\u{10ffff}",
    ",",
    ";",
    "NaN",
    "inf",
    "-",
    "0",
    "9999-12-31T23:59:59Z",
    "0000-00-00T00:00:00Z",
    "2026-02-30T24:60:60Z",
    "1970-01-01T00:00:00Z",
    "20261121-031500-3f9a",
    "../../etc/passwd",
    "/",
    "loop0",
    "verify",
    "sweep",
    "sync",
    "layers",
    "run",
    "powercut",
];

const LONG: &[&str] = &["x", "x ", " ", "日", "日本 ", "👩‍👩‍👧‍👦", "\u{301}", "a-", "/", "\n", "<", "|", "\"", "9"];
const LENGTHS: &[usize] = &[2, 39, 40, 41, 79, 81, 141, 1000, 33_000];

/// Changes a text or replaces it.
pub fn text(was: &str, random: &mut Random) -> String {
    let part = if random.below(4) == 0 { random.one(LONG).repeat(*random.one(LENGTHS)) } else { (*random.one(TEXTS)).to_owned() };
    let at = was.char_indices().map(|(at, _)| at).chain([was.len()]).nth(random.below(was.chars().count() + 1)).unwrap_or(0);
    match random.below(4) {
        0 => was[..at].to_owned(),
        1 => format!("{}{part}{}", &was[..at], &was[at..]),
        _ => part,
    }
}

/// Changes a number or replaces it; those that are not finite have no JSON.
pub fn number(was: &Number, random: &mut Random) -> Value {
    let whole = [0, 1, 2, 3, 255, 256, 4096, 65_535, 1 << 31, u64::from(u32::MAX), 1 << 53, 1 << 63, u64::MAX - 1, u64::MAX];
    let real =
        [0.0, -0.0, 0.5, 1.0, -1.0, 1e-9, 1e9, 1e18, 1e19, 1e40, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1.5e300, -1e300, 0.1 + 0.2];
    let value = was.as_f64().unwrap_or_default();
    match random.below(8) {
        0 => was.as_u64().map_or(json!(value + 1.0), |whole| json!(whole.wrapping_add(1))),
        1 => was.as_u64().map_or(json!(value - 1.0), |whole| json!(whole.wrapping_sub(1))),
        2 => json!(value * 10f64.powi(random.below(40) as i32 - 20)),
        3 => json!((value * 10f64.powi(random.below(20) as i32)) as u64),
        4 => json!(-(*random.one(&whole) as i64 as i128) as i64),
        5 => json!(random.one(&real)),
        _ => json!(random.one(&whole)),
    }
}
