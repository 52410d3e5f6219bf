//! The stamp by which a file is known for ours where it bears no mark: the filesystem keeps no extended attributes, or a copy lost them.
//!
//! It stands at the end, in the format's own way, with a digest of all the rest; so one more word by somebody else makes the file his. Words in a file prove
//! nothing. Deliberately absent: the mark itself (`ioproof_target::output_file`), which is asked first.

use ioproof_report::Format;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;

/// A file that is larger is not read to find its stamp. Bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Digits of a digest.
const DIGITS: usize = 64;

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

/// The stamp of a format of reports.
pub fn of_format(format: Format) -> Stamp {
    match format {
        Format::Json => Stamp { before: ",\"ioproof_stamp\":\"", after: "\"", end: "}\n" },
        Format::Markdown | Format::Html => Stamp { before: "<!-- ioproof stamp ", after: " -->\n", end: "" },
        // A line of another kind: RFC 4180 knows no comments, and asks for as many cells as everywhere.
        Format::Csv => Stamp { before: "stamp,", after: CSV_CELLS, end: "" },
        Format::Text => Stamp { before: "ioproof stamp ", after: "\n", end: "" },
        // The comment of a ZIP archive, which ends it: 80 (`P`) bytes in place of none, the last two of which are the 0 that stood there as its length.
        Format::Xlsx => Stamp { before: "P\0ioproof stamp ", after: "", end: "\0\0" },
    }
}

/// The cells behind the first two of the 78 columns.
const CSV_CELLS: &str = ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\r\n";

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
        let mut bytes = Vec::new();
        let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        read.is_ok() && bytes.len() as u64 <= MOST_BYTES && self.fits(&bytes)
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
        let hash = Sha256::new().chain_update(rest).chain_update(self.end);
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [(Format, &str); 6] = [
        (Format::Json, "{\"schema_version\":2}\n"),
        (Format::Markdown, "# ioproof\n"),
        (Format::Html, "<!DOCTYPE html>\n</html>\n"),
        (Format::Csv, "kind,run_id\r\n"),
        (Format::Text, "a report\n"),
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
            assert!(stamp.fits(&stamp.stamped(stamped)), "{format:?}: a stamp is content for the next");
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
        let cells = |line: &str| line.matches(',').count();
        assert_eq!(cells(text.lines().last().unwrap()), cells(text.lines().next().unwrap()));
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
