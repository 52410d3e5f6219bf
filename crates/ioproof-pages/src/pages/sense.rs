//! Sense data: why a command failed, in words, and the registers of an ATA device that a translator hands back with it (SPC-5, SAT-4).

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sense {
    pub key: u8,
    pub asc: u8,
    pub ascq: u8,
    pub registers: Option<Registers>,
}

/// Registers of an ATA device after a command; of 48-bit registers the low part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    pub error: u8,
    pub count: u8,
    pub lba_low: u8,
    pub lba_mid: u8,
    pub lba_high: u8,
    pub device: u8,
    pub status: u8,
}

#[rustfmt::skip]
const KEYS: [&str; 16] = [
    "no sense", "recovered error", "not ready", "medium error", "hardware error", "illegal request", "unit attention", "data protect",
    "blank check", "vendor specific", "copy aborted", "aborted command", "reserved", "volume overflow", "miscompare", "completed",
];

#[rustfmt::skip]
const CODES: &[(u8, u8, &str)] = &[
    (0x00, 0x00, "no additional sense"), (0x00, 0x1d, "ATA pass-through information available"),
    (0x04, 0x00, "not ready, cause not reportable"), (0x04, 0x01, "becoming ready"), (0x04, 0x02, "must be started first"),
    (0x04, 0x03, "manual intervention required"), (0x04, 0x04, "format in progress"), (0x04, 0x09, "self-test in progress"),
    (0x04, 0x11, "must be told to spin up"), (0x04, 0x1b, "sanitize in progress"), (0x0b, 0x00, "warning"),
    (0x0b, 0x01, "warning: temperature exceeded"), (0x0b, 0x02, "warning: enclosure degraded"),
    (0x0b, 0x03, "warning: background self-test failed"), (0x0b, 0x04, "warning: background scan found a medium error"),
    (0x11, 0x00, "read error that could not be recovered"), (0x20, 0x00, "command is not known"),
    (0x21, 0x00, "block address out of range"), (0x24, 0x00, "field of the command is not valid"),
    (0x25, 0x00, "logical unit is not supported"), (0x26, 0x00, "field of the parameter list is not valid"),
    (0x28, 0x00, "medium may have changed"), (0x29, 0x00, "power on or reset"), (0x2a, 0x01, "mode parameters changed"),
    (0x2c, 0x00, "command sequence error"), (0x35, 0x01, "enclosure function is not supported"),
    (0x39, 0x00, "saved parameters are not supported"), (0x3a, 0x00, "no medium"), (0x3f, 0x0e, "reported units changed"),
    (0x44, 0x00, "internal failure"), (0x47, 0x00, "parity error"), (0x55, 0x00, "out of resources"),
    (0x5d, 0x00, "failure is foretold"), (0x5d, 0x73, "failure is foretold: media wear limit"),
    (0x74, 0x71, "access to the locked drive denied"),
];

/// The additional sense in words; `None` where it is not one of those that are known here.
pub(crate) fn additional(asc: u8, ascq: u8) -> Option<&'static str> {
    CODES.iter().find(|(code, qualifier, _)| (*code, *qualifier) == (asc, ascq)).map(|(.., words)| *words)
}

impl Sense {
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        match bytes.first()? & 0x7f {
            0x70 | 0x71 => Self::fixed(bytes),
            0x72 | 0x73 => Self::descriptors(bytes),
            _ => None,
        }
    }

    fn fixed(bytes: &[u8]) -> Option<Self> {
        let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
        let (key, asc, ascq) = (bytes.get(2)? & 0xf, at(12), at(13));
        // SAT-4: the registers stand in INFORMATION and COMMAND-SPECIFIC INFORMATION.
        let registers =
            Registers { error: at(3), status: at(4), device: at(5), count: at(6), lba_low: at(9), lba_mid: at(10), lba_high: at(11) };
        let has_registers = (asc, ascq) == (0, 0x1d) && bytes.len() >= 14;
        Some(Self { key, asc, ascq, registers: has_registers.then_some(registers) })
    }

    fn descriptors(bytes: &[u8]) -> Option<Self> {
        let &[_, key, asc, ascq, ..] = bytes else { return None };
        let registers = descriptors(bytes.get(8..).unwrap_or_default()).find_map(registers);
        Some(Self { key: key & 0xf, asc, ascq, registers })
    }
}

/// Descriptors of a type, the length of what follows, and that.
fn descriptors(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let length = 2 + usize::from(*rest.get(1)?);
        let (own, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(own)
    })
}

fn registers(descriptor: &[u8]) -> Option<Registers> {
    match descriptor {
        &[0x09, _, _, error, _, count, _, lba_low, _, lba_mid, _, lba_high, device, status, ..] => {
            Some(Registers { error, count, lba_low, lba_mid, lba_high, device, status })
        }
        _ => None,
    }
}

impl fmt::Display for Sense {
    /// `illegal request: command is not known (5h/20h/00h)`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { key, asc, ascq, .. } = self;
        f.write_str(KEYS[usize::from(key & 0xf)])?;
        if let Some(words) = additional(*asc, *ascq).filter(|_| (*asc, *ascq) != (0, 0)) {
            write!(f, ": {words}")?;
        }
        write!(f, " ({key:X}h/{asc:02X}h/{ascq:02X}h)")
    }
}
