//! The stamp of each format of reports.

use ioproof_process::stamp::{FileStamp, StampForm};
use ioproof_report::Format;

pub fn of_format(format: Format) -> StampForm {
    let stamp = match format {
        Format::Json => ioproof_store::run_file::STAMP,
        Format::Markdown | Format::Html | Format::Junit => FileStamp { before: "<!-- ioproof stamp ", after: " -->\n", end: "" },
        // The last cell of the last line: RFC 4180 knows no comments, and a line more would be a row.
        Format::Csv => FileStamp { before: "", after: "", end: "\r\n" },
        Format::Text => FileStamp { before: "ioproof stamp ", after: "\n", end: "" },
        // A comment other than its own is an error in OpenMetrics, so the stamp is a metric without a type.
        Format::OpenMetrics => FileStamp { before: "ioproof_stamp_info{sha256=\"", after: "\"} 1\n", end: "# EOF\n" },
        // The comment of a ZIP archive, which ends it: 80 (`P`) bytes in place of none, the last two of which are the 0 that stood there as its length.
        Format::Xlsx => FileStamp { before: "P\0ioproof stamp ", after: "", end: "\0\0" },
        // A value in the metadata, behind the field's type and length.
        Format::Parquet => return StampForm::InRoom(b"ioproof_stamp\x18\x40"),
    };
    StampForm::AtEnd(stamp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_process::stamp::{DIGITS, room};

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
        let ioproof_store::StoredRun { record, judgement } = ioproof_store::find(folder).unwrap();
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
