//! `--rw`: the order of blocks and what is done to them.

use ioproof_core::workload::Pattern;

/// A mix as `--rw` names it: order, and shares of reads and trims; the rest writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MixFlag {
    pub pattern: Pattern,
    /// Share of reads, 0 to 100.
    pub read_percent: u8,
    /// Share of trims, 0 to 100.
    pub trim_percent: u8,
}

/// Words that are understood, for help and errors.
const KNOWN: &str = "known: read, write, trim, randread, randwrite, randtrim, rw, randrw (half reads), rw:70, randrw:70 (per cent of reads), \
                     rw:70:10, randrw:70:10 (of reads and trims; the rest writes)";

impl MixFlag {
    /// True where something is read.
    pub fn reads(self) -> bool {
        self.read_percent > 0
    }

    /// True where data is written; a trim writes none.
    pub fn writes(self) -> bool {
        u16::from(self.read_percent) + u16::from(self.trim_percent) < 100
    }
}

pub fn read(text: &str) -> Result<MixFlag, String> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let (pattern, direction) = match name.strip_prefix("rand") {
        Some(direction) => (Pattern::Random, direction),
        None => (Pattern::Sequential, name),
    };
    let shares: Result<Vec<u8>, _> = parts.map(str::parse).collect();
    let (read_percent, trim_percent) = match (direction, shares.as_deref()) {
        ("read", Ok([])) => (100, 0),
        ("write", Ok([])) => (0, 0),
        ("trim", Ok([])) => (0, 100),
        // As in fio.
        ("rw", Ok([])) => (50, 0),
        ("rw", Ok([reads])) if *reads <= 100 => (*reads, 0),
        ("rw", Ok([reads, trims])) if u16::from(*reads) + u16::from(*trims) <= 100 => (*reads, *trims),
        ("rw", Ok([_, _])) => return Err(format!("`{text}` asks for more than 100 %; {KNOWN}")),
        _ => return Err(KNOWN.into()),
    };
    Ok(MixFlag { pattern, read_percent, trim_percent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_shares() {
        let mix = |pattern, read_percent, trim_percent| Ok(MixFlag { pattern, read_percent, trim_percent });
        assert_eq!(read("randread"), mix(Pattern::Random, 100, 0));
        assert_eq!(read("write"), mix(Pattern::Sequential, 0, 0));
        assert_eq!(read("randtrim"), mix(Pattern::Random, 0, 100));
        assert_eq!(read("randrw:70"), mix(Pattern::Random, 70, 0));
        assert_eq!(read("randrw"), mix(Pattern::Random, 50, 0));
        assert_eq!(read("rw:70:10"), mix(Pattern::Sequential, 70, 10));
        for bad in ["", "rand", "rw:101", "read:5", "randrw:x", "trim:5", "rw:70:31", "rw:1:2:3", "rw:300", "rw:"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(read("rw:70:31").unwrap_err().contains("more than 100 %"));
    }

    #[test]
    fn what_writes_data() {
        let writes = |text| read(text).map(MixFlag::writes);
        assert_eq!((writes("read"), writes("write"), writes("trim")), (Ok(false), Ok(true), Ok(false)));
        assert_eq!((writes("rw:70:30"), writes("rw:70:29")), (Ok(false), Ok(true)));
    }
}
