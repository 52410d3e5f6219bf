//! The stamp by which a file is known for ours where it bears no mark: the filesystem keeps no extended attributes, or a copy lost them.
//!
//! It stands at the end, in the format's own way (of a Parquet file in room that it keeps), with a digest of all the rest; so one more word by somebody else makes the file his. Words in a file prove
//! nothing. Deliberately absent: the mark itself (`ioproof_target::output_file`), which is asked first.

use crate::digest::sha256;
use ioproof_report::Format;
use std::fs::File;
use std::io::Read;

/// A file that is larger is not read to find its stamp. Bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Digits of a digest.
const DIGITS: usize = 64;

/// Room that a format keeps for a digest where none can be added at the end.
const ROOM: &[u8] = &[b'0'; DIGITS];

/// The form of a stamp in one format: what stands before and behind the digest, and how a file ends without it.
#[derive(Debug, Clone, Copy)]
pub struct Stamp {
    /// Between the rest and the digest.
    pub before: &'static str,
    /// Between the digest and the end.
    pub after: &'static str,
    /// The end of the rest, which stays the end.
    pub end: &'static str,
}

/// The way of a format of reports.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// At the end.
    AtEnd(Stamp),
    /// In room that the format keeps behind these bytes, since its end tells places of what stands before it; the digest is that of the file with the room empty.
    InRoom(&'static [u8]),
}

impl Form {
    /// Adds the stamp.
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

    fn fits(self, bytes: &[u8]) -> bool {
        match self {
            Self::AtEnd(stamp) => stamp.fits(bytes),
            Self::InRoom(before) => with_room(bytes, before).is_some_and(|(empty, held)| held != ROOM && filled(&empty, before) == bytes),
        }
    }
}

/// The place of the last room.
fn room(bytes: &[u8], before: &[u8]) -> Option<std::ops::Range<usize>> {
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

/// The stamp of a format of reports.
pub fn of_format(format: Format) -> Form {
    let stamp = match format {
        Format::Json => Stamp { before: ",\"ioproof_stamp\":\"", after: "\"", end: "}\n" },
        Format::Markdown | Format::Html | Format::Junit => Stamp { before: "<!-- ioproof stamp ", after: " -->\n", end: "" },
        // The last cell of the last line: RFC 4180 knows no comments, and a line more would be a row.
        Format::Csv => Stamp { before: "", after: "", end: "\r\n" },
        Format::Text => Stamp { before: "ioproof stamp ", after: "\n", end: "" },
        // A comment other than its own is an error in OpenMetrics, so the stamp is a metric without a type.
        Format::OpenMetrics => Stamp { before: "ioproof_stamp_info{sha256=\"", after: "\"} 1\n", end: "# EOF\n" },
        // The comment of a ZIP archive, which ends it: 80 (`P`) bytes in place of none, the last two of which are the 0 that stood there as its length.
        Format::Xlsx => Stamp { before: "P\0ioproof stamp ", after: "", end: "\0\0" },
        // A value in the metadata, behind the field's type and length.
        Format::Parquet => return Form::InRoom(b"ioproof_stamp\x18\x40"),
    };
    Form::AtEnd(stamp)
}

impl Stamp {
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

    fn fits(self, bytes: &[u8]) -> bool {
        let found = || {
            let rest = bytes.strip_suffix(self.end.as_bytes())?.strip_suffix(self.after.as_bytes())?;
            let (rest, digest) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
            Some((rest.strip_suffix(self.before.as_bytes())?, digest))
        };
        found().is_some_and(|(rest, digest)| self.digest(rest).as_bytes() == digest)
    }

    /// Of all but the stamp.
    fn digest(self, rest: &[u8]) -> String {
        sha256(&[rest, self.end.as_bytes()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [(Format, &str); 9] = [
        (Format::Json, "{\"schema_version\":2}\n"),
        (Format::Markdown, "# ioproof\n"),
        (Format::Html, "<!DOCTYPE html>\n</html>\n"),
        (Format::Csv, "run_id,stamp\r\n1,\r\n"),
        (Format::Text, "a report\n"),
        (Format::Junit, "<testsuites>\n</testsuites>\n"),
        (Format::OpenMetrics, "ioproof_run_exit_status 0\n# EOF\n"),
        (Format::Parquet, "PAR1ioproof_stamp\x18\x400000000000000000000000000000000000000000000000000000000000000000\0\0PAR1"),
        (Format::Xlsx, "PK\u{5}\u{6}\0\0"),
    ];

    #[test]
    fn a_stamp_fits_its_own_content_alone() {
        for (format, text) in FORMATS {
            let stamp = of_format(format);
            let stamped = stamp.stamped(text.into());
            assert!(stamp.fits(&stamped), "{format:?}");
            for change in [&b" "[..], b"\n", b"x"] {
                assert!(!stamp.fits(&[&stamped, change].concat()) && !stamp.fits(&[change, &stamped].concat()), "{format:?}");
            }
            let mut changed = stamped.clone();
            changed[2] ^= 1;
            assert!(!stamp.fits(&changed) && !stamp.fits(text.as_bytes()) && !stamp.fits(b""), "{format:?}");
            // A stamp is content for the next, and room is filled once.
            assert!(stamp.fits(&stamp.stamped(stamped)), "{format:?}");
        }
    }

    fn stamped_report(format: Format) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261203-101500-7b21");
        let crate::store::Stored { record, judgement } = crate::store::find(folder).unwrap();
        let mut bytes = Vec::new();
        ioproof_report::render(format, &record, &judgement.unwrap(), &mut bytes).unwrap();
        of_format(format).stamped(bytes)
    }

    #[test]
    fn a_stamped_report_is_still_of_its_format() {
        let json: serde_json::Value = serde_json::from_slice(&stamped_report(Format::Json)).unwrap();
        assert!(json["schema_version"] == 2 && json["ioproof_stamp"].is_string());
        let text = String::from_utf8(stamped_report(Format::Csv)).unwrap();
        let (_, cell) = text.trim_end().rsplit_once(',').unwrap();
        assert!(text.lines().next().unwrap().ends_with(",stamp") && cell.len() == DIGITS, "the last cell of the last column");
    }

    #[test]
    fn a_stamp_takes_the_room_of_a_table_and_moves_nothing() {
        let stamped = stamped_report(Format::Parquet);
        assert!(of_format(Format::Parquet).fits(&stamped) && stamped.starts_with(b"PAR1") && stamped.ends_with(b"PAR1"));
        let length = u32::from_le_bytes(stamped[stamped.len() - 8..stamped.len() - 4].try_into().unwrap());
        assert!(room(&stamped, b"ioproof_stamp\x18\x40").unwrap().start > stamped.len() - 8 - length as usize, "it is in the footer");
    }

    #[test]
    fn the_stamp_of_a_workbook_is_the_comment_of_its_archive() {
        let bytes = stamped_report(Format::Xlsx);
        let end = bytes.windows(4).rposition(|window| window == b"PK\x05\x06").unwrap();
        let length = u16::from_le_bytes([bytes[end + 20], bytes[end + 21]]);
        let comment = &bytes[end + 22..];
        assert_eq!(usize::from(length), comment.len());
        assert!(comment.starts_with(b"ioproof stamp "));
    }
}
