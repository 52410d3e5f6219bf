//! Figures in words: a number with its unit, as people write them.

use crate::measured::Kind;
use crate::number::{Comma, Number, bytes_unit, leading, time_unit};

#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its kind, by its unit.
    pub kind: Kind,
    /// It, in the unit of its kind (bytes, nanoseconds, IOPS, percent).
    pub number: Number,
    /// It as written, with its unit.
    pub text: String,
    /// The unit as written.
    pub unit: String,
    /// Place in the text.
    pub at: usize,
    pub line: u32,
    /// Digits as written.
    pub digits: usize,
}

impl Figure {
    /// A rate in MB, GB or KB as written: by 1024 it is larger.
    #[must_use]
    pub fn in_binary(&self) -> Option<Number> {
        let decimal = self.unit.chars().next()?.to_ascii_uppercase();
        let power = "KMGT".find(decimal)? as i32 + 1;
        let is_bytes = self.kind == Kind::BytesPerSecond && self.unit[1..].starts_with('B');
        is_bytes.then(|| self.number.times(1.024f64.powi(power)))
    }
}

#[must_use]
pub fn figures(text: &str) -> Vec<Figure> {
    const MOST: usize = 400;
    let mut found: Vec<Figure> = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(|c: char| c.is_ascii_digit()) {
        let start = at + offset;
        let Some((figure, end)) = figure(text, start) else {
            at = start + text[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - start);
            continue;
        };
        at = end.max(start + 1);
        found.extend(figure);
        if found.len() >= MOST {
            break;
        }
    }
    found
}

/// The figure that begins here, where one does, and the place after it. Digits inside of a word are none.
fn figure(text: &str, start: usize) -> Option<(Option<Figure>, usize)> {
    let (number, rest) = leading(&text[start..], Comma::Groups)?;
    let end = text.len() - rest.len();
    let before = text[..start].chars().next_back();
    let is_inside =
        before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '=' | ':') && !text[..start].ends_with(": "));
    let joined = rest.starts_with(['_', ':', '.']) && rest[1..].starts_with(|c: char| c.is_alphanumeric());
    let in_name = text[..start].strip_suffix('-').is_some_and(|name| name.ends_with(char::is_alphabetic));
    if is_inside && before != Some('/') || joined || in_name {
        // A version has more digits behind its points.
        let length = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        return Some((None, end + if joined { length } else { 0 }));
    }
    let (kind, factor, length) = unit(rest);
    let unit_text = rest[..length].trim().to_owned();
    let after = &rest[length..];
    // `4Kx`, `2TB5`: part of a name.
    if after.starts_with(|c: char| c.is_alphanumeric()) {
        return Some((None, end));
    }
    let digits = text[start..end].bytes().filter(u8::is_ascii_digit).count();
    let shown = text[start..end + length].trim().to_owned();
    Some((Some(Figure { kind, number: number.times(factor), text: shown, unit: unit_text, at: start, line: 0, digits }), end + length))
}

/// Kind and factor of the unit at the beginning of a text, and its length.
fn unit(rest: &str) -> (Kind, f64, usize) {
    let blanks = rest.len() - rest.trim_start_matches([' ', '*', '~']).len();
    let tail = &rest[blanks..];
    if tail.starts_with('%') {
        return (Kind::Percent, 1.0, blanks + 1);
    }
    let letters = |text: &str| text.find(|c: char| !(c.is_alphabetic() || c == 'µ')).unwrap_or(text.len());
    let word = &tail[..letters(tail)];
    if word.eq_ignore_ascii_case("x") && blanks == 0 || word == "times" {
        return (Kind::Factor, 1.0, blanks + word.len());
    }
    if let Some((factor, length)) = rate(tail) {
        return (Kind::BytesPerSecond, factor, blanks + length);
    }
    if let Some(length) = iops(tail) {
        return (Kind::Iops, 1.0, blanks + length);
    }
    // k and M right behind the number, or before IOPS.
    let thousand = match word {
        "k" | "K" => Some(1e3),
        "M" => Some(1e6),
        _ => None,
    };
    if let Some(factor) = thousand {
        let more = &tail[1..];
        let gap = more.len() - more.trim_start().len();
        return match iops(more.trim_start()) {
            Some(length) => (Kind::Iops, factor, blanks + 1 + gap + length),
            None if blanks == 0 => (Kind::Plain, factor, 1),
            None => (Kind::Plain, 1.0, 0),
        };
    }
    let attached = ["kIOPS", "KIOPS", "MIOPS"].iter().find(|unit| tail.starts_with(**unit));
    if let Some(unit) = attached {
        return (Kind::Iops, if unit.starts_with('M') { 1e6 } else { 1e3 }, blanks + unit.len());
    }
    match word {
        "us" | "µs" | "μs" | "usec" | "usecs" | "microseconds" | "ms" | "msec" | "msecs" | "milliseconds" | "ns" => {
            (Kind::Nanoseconds, time_unit(word).unwrap_or(1e3), blanks + word.len())
        }
        "KB" | "kB" | "MB" | "GB" | "TB" | "KiB" | "MiB" | "GiB" | "TiB" => {
            (Kind::Bytes, bytes_unit(word, 1000.0).unwrap_or(1.0), blanks + word.len())
        }
        _ => (Kind::Plain, 1.0, 0),
    }
}

fn iops(text: &str) -> Option<usize> {
    #[rustfmt::skip]
    let words = [
        "IOPS", "iops", "IOPs", "IOps", "IO/s", "IO/sec", "IOs/s", "io/s", "I/Os per second", "IOs per second", "random read iops",
        "write IOPS", "read IOPS",
    ];
    words.iter().filter(|word| text.starts_with(**word)).map(|word| word.len()).max()
}

/// Bytes per second of one of a unit: `MB/s`, `MiB / s`, `Gbit/s`, `Gbps`.
fn rate(text: &str) -> Option<(f64, usize)> {
    const UNITS: [(&str, f64); 20] = [
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("kB", 1e3),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("kbit", 125.0),
        ("Mbit", 125e3),
        ("Gbit", 125e6),
        ("Kb", 125.0),
        ("Mb", 125e3),
        ("Gb", 125e6),
        ("KBytes", 1e3),
        ("MBytes", 1e6),
        ("GBytes", 1e9),
        ("Kbit", 125.0),
        ("Mbits", 125e3),
        ("Gbits", 125e6),
    ];
    let whole = UNITS.iter().filter(|(unit, _)| text.starts_with(unit)).max_by_key(|(unit, _)| unit.len())?;
    let tail = &text[whole.0.len()..];
    for suffix in ["/sec", "/s", " / s", "ps", "/ s", " per second", " per sec"] {
        if tail.strip_prefix(suffix).is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric())) {
            return Some((whole.1, whole.0.len() + suffix.len()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<(Kind, f64)> {
        figures(text).into_iter().map(|figure| (figure.kind, figure.number.value)).collect()
    }

    #[test]
    fn figures_have_their_kind() {
        use Kind::{Bytes, BytesPerSecond, Factor, Iops, Nanoseconds, Percent, Plain};
        assert_eq!(read("FIO measures 84,647 IOPS."), [(Iops, 84647.0)]);
        assert_eq!(read("is 9.7us and 102K IOPS"), [(Nanoseconds, 9700.0), (Iops, 102_000.0)]);
        assert_eq!(read("107k / 450k or roughly 24%"), [(Plain, 107_000.0), (Plain, 450_000.0), (Percent, 24.0)]);
        assert_eq!(
            read("be 6x as fast, 2,800 MB/s, 31 Gbps, 480 GB"),
            [(Factor, 6.0), (BytesPerSecond, 2.8e9), (BytesPerSecond, 31.0 * 125e6), (Bytes, 480e9)]
        );
        assert_eq!(read("5734.89 MiB / s"), [(BytesPerSecond, 5734.89 * 1_048_576.0)]);
    }

    #[test]
    fn names_are_no_figures() {
        assert_eq!(read("P3700 and nvme0n1, fio-2.1.9, DC S3700, 12:30, v1.2"), []);
        assert_eq!(read("[RRRR] 2TB5 x4"), []);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let found = figures(&text);
            prop_assert!(found.iter().all(|figure| text.is_char_boundary(figure.at)));
        }
    }
}
