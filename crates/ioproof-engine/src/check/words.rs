//! A finding in words: its place, the content that stands there, and the content that should.

use super::header::Flaw;
use super::{Finding, PieceFault, PieceOrigin};
use std::fmt;

impl Finding {
    pub(super) fn words(self) -> String {
        let at = self.at;
        match self.what {
            PieceFault::Corrupt { zeros: true, .. } => format!("corrupt at byte {at}: zeros stand there"),
            PieceFault::Corrupt { flaw: Flaw::NoMark, .. } => format!("corrupt at byte {at}: no header stands there"),
            PieceFault::Corrupt { flaw: Flaw::Checksum { stored, computed }, .. } => {
                format!("corrupt at byte {at}: the header says checksum {stored:08x}, the data have {computed:08x}")
            }
            PieceFault::Misplaced { meant_for } => format!("misplaced at byte {at}: what stands there was written for byte {meant_for}"),
            PieceFault::Stale { of, last } => format!("stale at byte {at}: {of} stands there, though write {last} came back well"),
            PieceFault::Compared { bytes } => {
                format!(
                    "the drive's Compare command finds a difference in the {bytes} bytes from {at}; it does not tell which, so all of them count"
                )
            }
            PieceFault::Differs { length, expected, found } => {
                let [expected, found] = [expected, found].map(|bytes| hexadecimal(&bytes[..bytes.len().min(length.into())]));
                format!("differs at byte {at}: {found} stands there, and {expected} was written")
            }
            PieceFault::Torn { of, last } => {
                format!("torn at byte {at}: {of} stands there, beside write {last}, which came back well as a whole")
            }
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for PieceOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(sequence) => write!(f, "write {sequence}"),
            Self::AnotherRun => write!(f, "what another run or another worker wrote"),
        }
    }
}
