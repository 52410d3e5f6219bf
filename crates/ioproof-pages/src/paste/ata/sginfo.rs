//! `sginfo` of sg3_utils: names, the caching and geometry pages, and the list of defects (`-d`, `-G`) of a SCSI drive.
//!
//! Deliberately absent: the fields of other mode pages, and the defects one by one.

use crate::paste::page::{LineContext, OutputStart, PageBuilder, PastedLine, ToolFormat, Value, whole_u64};

pub(crate) const SGINFO: ToolFormat = ToolFormat { tool: "sginfo", page: "inquiry-sginfo", special: line, finish, ..ToolFormat::PLAIN };

const GROWN: &str = "in grown (GLIST) table";

/// An output begins with the answer to INQUIRY; people post the count of defects alone.
pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let is_defects = context.open.is_none() && text.contains(GROWN);
    (text.starts_with("INQUIRY response") || is_defects).then_some(OutputStart::Open(&SGINFO))
}

/// `Vendor:                    SEAGATE`, `Serial Number 'Z1Z0'`, `12 entries (96 bytes) in grown (GLIST) table.`; a figure stands behind
/// wide blanks.
fn line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let (text, at) = (line.text.as_str(), line.number);
    if let Some((count, _)) = text.split_once(GROWN) {
        match whole_u64(count).filter(|_| count.contains("entries")) {
            Some(count) => builder.set_number("reallocated_sectors", count, at),
            None => builder.unread_health(line),
        }
        return true;
    }
    if let Some(serial) = text.strip_prefix("Serial Number '").and_then(|rest| rest.split('\'').next()) {
        builder.set_text("serial", serial, at);
        return true;
    }
    if let Some((label, value)) = text.split_once(':') {
        match label.trim() {
            "Vendor" => builder.set_text("vendor", value, at),
            "Product" => builder.set_text("model", value, at),
            "Revision level" => builder.set_text("firmware", value, at),
            _ => {}
        }
        return true;
    }
    let Some((label, figure)) = text.rsplit_once("  ").map(|(label, figure)| (label.trim(), whole_u64(figure.trim()))) else { return true };
    match (label, figure) {
        ("Write Cache Enabled", Some(flag)) => builder.set_if_new("write_cache_enabled", Value::Flag(flag == 1), at),
        ("Rotational Rate" | "Medium Rotation Rate", Some(rate)) if rate >= 3000 => {
            builder.set_number("rotation_rate_rpm", rate, at);
        }
        _ => {}
    }
    true
}

/// An ATA drive has its kind in the place of the vendor, and 16 characters for a longer name.
fn finish(builder: &mut PageBuilder) {
    const FIELD_CHARS: usize = 16;
    let line = builder.last_field_line().max(1);
    let is_ata = builder.text("vendor").as_deref() == Some("ATA");
    if is_ata {
        builder.remove("vendor");
        builder.remove("firmware");
        if builder.text("model").is_some_and(|model| model.chars().count() + 1 >= FIELD_CHARS) {
            builder.problem(format!("the model may be cut: SCSI has {FIELD_CHARS} characters for it"));
        }
    }
    builder.set_text("protocol", if is_ata { "ATA" } else { "SCSI" }, line);
}

#[cfg(test)]
mod tests {
    use crate::health::{HealthState, judge};
    use crate::paste::{facts, read};

    const TEXT: &str = "\
# sginfo -a /dev/sdc
INQUIRY response (cmd: 0x12)
----------------------------
Device Type                        0
Vendor:                    SEAGATE
Product:                   ST16000NM002G
Revision level:            E003

Serial Number 'ZL200001'

Caching mode page (0x8)
-----------------------
Write Cache Enabled                0
Read Cache Disabled                0

Defect Lists
------------
0 entries (0 bytes) in primary (PLIST) table.
12 entries (96 bytes) in grown (GLIST) table.
";

    #[test]
    fn names_and_grown_defects() {
        let pages = read(TEXT).unwrap();
        assert_eq!(pages.len(), 1);
        let text = |key: &str| pages[0].text(key);
        assert_eq!(["vendor", "model", "firmware", "serial"].map(text), ["SEAGATE", "ST16000NM002G", "E003", "ZL200001"].map(Some));
        assert_eq!((pages[0].number("reallocated_sectors"), judge("", &pages).state), (Some(12), HealthState::Worn));
        assert_eq!(facts(&pages).unwrap().write_cache.unwrap().value, "write through");
        let good = read(&TEXT.replace("12 entries", "0 entries")).unwrap();
        assert_eq!(judge("", &good).state, HealthState::OkAsFarAsTold);
    }

    #[test]
    fn a_count_alone_counts_and_an_ata_drive_is_one() {
        let pages = read("30 entries (240 bytes) in grown (GLIST) table.\n").unwrap();
        assert_eq!(judge("", &pages).state, HealthState::Worn);
        let ata = read(&TEXT.replace("SEAGATE", "ATA").replace("ST16000NM002G", "WDC WD40EFRX-68N")).unwrap();
        assert_eq!((ata[0].text("protocol"), ata[0].text("vendor"), ata[0].text("firmware")), (Some("ATA"), None, None));
        assert!(ata[0].problems[0].contains("may be cut"));
    }
}
