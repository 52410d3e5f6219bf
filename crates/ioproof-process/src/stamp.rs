//! The stamp by which a file is known for ours where it bears no mark: the filesystem keeps no extended attributes, or a copy lost them.
//!
//! It stands at the end, in the format's own way (of a Parquet file in room that it keeps), with a digest of all the rest; so one more word by somebody else makes the file his. Words in a file prove
//! nothing. Deliberately absent: the mark itself (`ioproof_target::output_file`), which is asked first.

use crate::digest::sha256;
use std::fs::File;
use std::io::Read;

/// A file that is larger is not read to find its stamp. Bytes.
const MOST_BYTES: u64 = 1 << 30;

pub const DIGITS: usize = 64;

/// Room that a format keeps for a digest where none can be added at the end.
const ROOM: &[u8] = &[b'0'; DIGITS];

/// The form of a stamp in one format: what stands before and behind the digest, and how a file ends without it.
#[derive(Debug, Clone, Copy)]
pub struct FileStamp {
    /// Between the rest and the digest.
    pub before: &'static str,
    /// Between the digest and the end.
    pub after: &'static str,
    pub end: &'static str,
}

/// The way of a format of reports.
#[derive(Debug, Clone, Copy)]
pub enum StampForm {
    AtEnd(FileStamp),
    /// In room that the format keeps behind these bytes, since its end tells places of what stands before it; the digest is that of the file with the room empty.
    InRoom(&'static [u8]),
}

impl StampForm {
    pub fn stamped(self, bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Self::AtEnd(stamp) => stamp.stamped(bytes),
            Self::InRoom(before) => {
                with_room(&bytes, before).filter(|(_, held)| held == ROOM).map_or(bytes, |(empty, _)| filled(&empty, before))
            }
        }
    }

    /// True if the file, which is open at its beginning, bears the stamp of its own content.
    pub fn is_on(self, file: &File) -> bool {
        read(file).is_some_and(|bytes| self.fits(&bytes))
    }

    /// True if a file of these bytes bears the stamp of its own content.
    pub fn fits(self, bytes: &[u8]) -> bool {
        match self {
            Self::AtEnd(stamp) => stamp.fits(bytes),
            Self::InRoom(before) => with_room(bytes, before).is_some_and(|(empty, held)| held != ROOM && filled(&empty, before) == bytes),
        }
    }
}

pub fn room(bytes: &[u8], before: &[u8]) -> Option<std::ops::Range<usize>> {
    let at = bytes.windows(before.len()).rposition(|window| window == before)? + before.len();
    (at + DIGITS <= bytes.len()).then_some(at..at + DIGITS)
}

/// The file with its room empty, and what the room held.
fn with_room(bytes: &[u8], before: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let place = room(bytes, before)?;
    let mut empty = bytes.to_vec();
    let held = empty.splice(place, ROOM.iter().copied()).collect();
    Some((empty, held))
}

fn filled(empty: &[u8], before: &[u8]) -> Vec<u8> {
    let mut bytes = empty.to_vec();
    if let Some(place) = room(empty, before) {
        bytes.splice(place, sha256(&[empty]).into_bytes());
    }
    bytes
}

/// All of a file; none of one that cannot be read or is too large.
fn read(file: &File) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    (read.is_ok() && bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
}

impl FileStamp {
    /// Adds the stamp; text that does not end as it must stays as it is.
    pub fn stamped(self, mut bytes: Vec<u8>) -> Vec<u8> {
        if !bytes.ends_with(self.end.as_bytes()) {
            return bytes;
        }
        let digest = self.digest(&bytes[..bytes.len() - self.end.len()]);
        bytes.truncate(bytes.len() - self.end.len());
        bytes.extend_from_slice([self.before, &digest, self.after, self.end].concat().as_bytes());
        bytes
    }

    /// True if the file, which is open at its beginning, bears the stamp of its own content.
    pub fn is_on(self, file: &File) -> bool {
        read(file).is_some_and(|bytes| self.fits(&bytes))
    }

    /// True if a file of these bytes bears the stamp of its own content.
    pub fn fits(self, bytes: &[u8]) -> bool {
        let found = || {
            let rest = bytes.strip_suffix(self.end.as_bytes())?.strip_suffix(self.after.as_bytes())?;
            let (rest, digest) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
            Some((rest.strip_suffix(self.before.as_bytes())?, digest))
        };
        found().is_some_and(|(rest, digest)| self.digest(rest).as_bytes() == digest)
    }

    fn digest(self, rest: &[u8]) -> String {
        sha256(&[rest, self.end.as_bytes()])
    }
}
