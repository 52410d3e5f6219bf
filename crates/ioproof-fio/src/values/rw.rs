//! The value of `rw`: directions, order, and what stands after the colon.

use super::context::ValueContext;
use super::number::integer;
use super::word::nearest;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rw {
    pub mode: Mode,
    pub random: bool,
    pub suffix: Suffix,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Read,
    Write,
    Trim,
    ReadWrite,
    TrimWrite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Suffix {
    #[default]
    None,
    /// Random: so many I/Os follow each other before a new offset is drawn; at least 1, which is the usual case.
    Every(u32),
    /// Sequential: so many bytes are left out after each I/O, backwards if below zero (`read:-8k` of 4k reads backwards).
    Skip(i64),
}

#[rustfmt::skip]
pub const RW_WORDS: [(&str, Mode, bool); 11] = [
    ("read", Mode::Read, false), ("write", Mode::Write, false), ("trim", Mode::Trim, false), ("randread", Mode::Read, true),
    ("randwrite", Mode::Write, true), ("randtrim", Mode::Trim, true), ("rw", Mode::ReadWrite, false),
    ("readwrite", Mode::ReadWrite, false), ("randrw", Mode::ReadWrite, true), ("trimwrite", Mode::TrimWrite, false),
    ("randtrimwrite", Mode::TrimWrite, true),
];

pub fn rw(text: &str, context: &ValueContext) -> Result<Rw, String> {
    let (name, suffix) = text.split_once(':').map_or((text, None), |(name, suffix)| (name, Some(suffix)));
    let (_, mode, random) = RW_WORDS.into_iter().find(|(word, ..)| *word == name).ok_or_else(|| unknown(name))?;
    let suffix = match suffix {
        None => Suffix::None,
        Some(text) if random => every(text)?,
        Some(text) => integer(text, context).map(Suffix::Skip).map_err(|error| format!("after \"{name}:\": {error}"))?,
    };
    Ok(Rw { mode, random, suffix })
}

fn every(text: &str) -> Result<Suffix, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.map(Suffix::Every).ok_or_else(|| format!("a number of I/Os from 1 on is expected after the colon, and \"{text}\" is none"))
}

fn unknown(name: &str) -> String {
    let words = RW_WORDS.map(|(word, ..)| word);
    let meant = nearest(name.trim(), words).map(|word| format!("; {word} is perhaps meant")).unwrap_or_default();
    let blank = if name.starts_with(char::is_whitespace) { " (without the blank before it)" } else { "" };
    format!("\"{}\" is none of {}{meant}{blank}", name.trim(), words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_fio_reads_them() {
        let context = ValueContext::default();
        for (text, mode, random, suffix) in [
            ("read", Mode::Read, false, Suffix::None),
            ("randrw:8", Mode::ReadWrite, true, Suffix::Every(8)),
            ("write:15m", Mode::Write, false, Suffix::Skip(15 << 20)),
            ("read:-8k", Mode::Read, false, Suffix::Skip(-8192)),
            ("read:1kib", Mode::Read, false, Suffix::Skip(1000)),
            ("read:0x1000", Mode::Read, false, Suffix::Skip(4096)),
            ("read:0", Mode::Read, false, Suffix::Skip(0)),
            ("readwrite", Mode::ReadWrite, false, Suffix::None),
            ("randtrimwrite", Mode::TrimWrite, true, Suffix::None),
        ] {
            assert_eq!(rw(text, &context), Ok(Rw { mode, random, suffix }), "{text}");
        }
    }

    #[test]
    fn what_is_none_is_named() {
        let context = ValueContext::default();
        assert!(rw("READ", &context).is_err_and(|error| error.contains("; read is perhaps meant")));
        assert!(rw("radnread", &context).is_err_and(|error| error.contains("; randread is perhaps meant")));
        assert!(rw(" read", &context).is_err_and(|error| error.contains("blank")));
        for text in
            ["", "rwx", "read:", "read:x", "read:50%", "randread:", "randread:0", "randread:x", "randread:-1", "randread:1k", "randread:3x"]
        {
            assert!(rw(text, &context).is_err(), "{text}");
        }
    }
}
