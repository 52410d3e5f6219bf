//! `ssacli ctrl slot=0 pd all show detail` of HPE, and its elder sisters hpssacli and hpacucli. Sizes are rounded as on the label.

use super::{BLOCK, PAGE, ROUNDED, block, cut_model, interface, life_left, size, state, vendor, wearout_trip};
use crate::paste::page::{LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, labelled, row};

pub(crate) const SSACLI: ToolFormat =
    ToolFormat { tool: "ssacli", page: PAGE, tables: &[ROWS], special: other, finish: cut_model, ..ToolFormat::PLAIN };

const ROWS: &[LabelRow] = &[
    row("Serial Number", "serial", TextKind::Text),
    row("Rotational Speed", "rotation_rate_rpm", TextKind::Rotation),
    row("Current Temperature (C)", "temperature_celsius", TextKind::Celsius),
    row("Power On Hours", "power_on_hours", TextKind::Number),
];

const DRIVE: &str = "physicaldrive ";

/// Headings of whatever is no drive, in lower case.
#[rustfmt::skip]
const OTHERS: [&str; 11] = [
    "physicaldrive ", "array", "logical drive:", "logicaldrive ", "unassigned", "hba drives", "smart array ", "hpe smart array ", "sep (",
    "enclosure ", "expander ",
];

/// A line that has more than the drive's place is a row of a short list.
pub(in super::super) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let place = text.strip_prefix(DRIVE).map(str::trim).filter(|place| is_place(place));
    match place {
        Some(place) => Some(OutputStart::OpenNamed(&SSACLI, place.to_owned())),
        None if context.is_in(SSACLI.tool) && is_other(text) => Some(OutputStart::Close),
        None => None,
    }
}

/// `1I:1:1`, `CN1:1:12`.
fn is_place(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let is_part = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (2..=4).contains(&parts.len()) && parts.iter().all(is_part)
}

fn is_other(text: &str) -> bool {
    let text = text.to_lowercase();
    OTHERS.iter().any(|heading| text.starts_with(heading))
}

/// Lines without a row are about the controller, or need more than a row.
fn other(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = labelled(&line.text, ':') else { return true };
    match label {
        "Status" => status(builder, value, line),
        "Interface Type" => interface(builder, value, line.number),
        "Size" => {
            let bytes = size(value, 1000.0);
            bytes.into_iter().for_each(|bytes| builder.set(ROUNDED, Value::Number(bytes), line.number));
        }
        "Native Block Size" => return block(builder, BLOCK, value, line.number),
        "Logical/Physical Block Size" => {
            let Some((logical, physical)) = value.split_once('/') else { return false };
            return block(builder, BLOCK, logical, line.number) && block(builder, "physical_block_bytes", physical, line.number);
        }
        "Firmware Revision" => {
            let firmware = value.split(" (").next().unwrap_or_default().trim();
            return builder.take_as(TextKind::Text, ("firmware", "firmware"), firmware, line.number);
        }
        "Model" => model(builder, value, line.number),
        "Usage remaining" => life_left(builder, value, line.number),
        "SSD Smart Trip Wearout" => wearout_trip(builder, value, line.number),
        _ => return !builder.knows(&line.text),
    }
    true
}

/// The state includes the drive's own prediction.
fn status(builder: &mut PageBuilder, value: &str, line: &PastedLine) {
    let is_predicted = value.to_lowercase().contains("predictive failure");
    let is_fine = value == "OK" || value.starts_with("OK (");
    if is_predicted || is_fine {
        builder.set("smart_passed", Value::Flag(!is_predicted), line.number);
    }
    if !is_predicted {
        state(builder, value, line);
    }
}

/// `ATA     INTEL SSDSC2KB96`: the vendor's eight characters before the model, where they can be told apart.
fn model(builder: &mut PageBuilder, value: &str, line: usize) {
    const VENDOR_CHARS: usize = 8;
    let known = ["ATA", "NVMe", "HP", "HPE"].iter().find_map(|name| value.strip_prefix(*name)?.strip_prefix(' ').map(|rest| (*name, rest)));
    let padded = || value.split_once("  ").filter(|(name, _)| name.len() < VENDOR_CHARS && !name.contains(' '));
    let (name, model) = known.or_else(padded).unwrap_or(("", value));
    vendor(builder, name, line);
    if !model.trim().is_empty() {
        builder.set("model", Value::Text(model.trim().to_owned()), line);
    }
}

#[cfg(test)]
mod tests {
    use crate::field::Page;
    use crate::health::{HealthState, judge};
    use crate::paste::{facts, read};

    fn text(status: &str, model: &str, more: &str) -> String {
        format!(
            "Smart Array P440ar in Slot 0 (Embedded)\n\n   Array B\n\n      physicaldrive 1I:1:3\n         Port: 1I\n         Box: 1\n\
             \x20        Status: {status}\n         Interface Type: Solid State SATA\n         Size: 960 GB\n\
             \x20        Logical/Physical Block Size: 512/4096\n\
             \x20        Firmware Revision: HPG4 (FW update is recommended to minimum version: HPG5)\n\
             \x20        Serial Number:         PHYF0000000CGN\n         Model: {model}\n         Current Temperature (C): 20\n\
             \x20        Maximum Temperature (C): 34\n{more}\n   Array: C\n      Status: Failed\n\n\
             \x20     Logical Drive: 2\n         Size: 5 TB\n"
        )
    }

    fn pages(status: &str, more: &str) -> Vec<Page> {
        read(&text(status, "ATA     INTEL SSDSC2KB96", more)).unwrap()
    }

    #[test]
    fn facts_of_a_drive_and_nothing_of_its_array() {
        let pages = pages("OK", "Usage remaining: 99.84%\nPower On Hours: 17659");
        assert_eq!(pages.len(), 1);
        let told = facts(&pages).unwrap();
        assert_eq!((told.name.as_str(), told.model.unwrap().value.as_str()), ("1I:1:3", "INTEL SSDSC2KB96"));
        assert_eq!((told.capacity_bytes.value, told.firmware.unwrap().value.as_str()), (960_000_000_000, "HPG4"));
        assert_eq!((told.logical_block_bytes.unwrap().value, told.physical_block_bytes.unwrap().value), (512, 4096));
        assert_eq!((pages[0].text("protocol"), pages[0].text("serial")), (Some("ATA"), Some("PHYF0000000CGN")));
        assert!(pages[0].problems[0].contains("may be cut"), "{:?}", pages[0].problems);
        assert_eq!(judge("", &pages).state, HealthState::OkAsFarAsTold);
    }

    #[test]
    fn states_and_wear_count() {
        let state = |status: &str, more: &str| judge("", &pages(status, more)).state;
        assert_eq!(state("Predictive Failure", ""), HealthState::Failing);
        assert_eq!(state("Failed", ""), HealthState::Failing);
        assert_eq!(state("OK (Rebuilding)", ""), HealthState::OkAsFarAsTold);
        assert_eq!(state("Whirling", ""), HealthState::Unknown);
        assert_eq!(state("OK", "Usage remaining: 12.94%"), HealthState::Worn);
        assert_eq!(state("OK", "Usage remaining: -49.95%"), HealthState::Worn);
        assert_eq!(state("OK", "SSD Smart Trip Wearout: True"), HealthState::Worn);
        assert_eq!(state("OK", "SSD Smart Trip Wearout: Not Supported"), HealthState::OkAsFarAsTold);
    }

    #[test]
    fn the_vendor_stands_before_the_model() {
        let named = |model: &str| {
            let page = read(&text("OK", model, "")).unwrap().remove(0);
            ["vendor", "model"].map(|key| page.text(key).unwrap_or_default().to_owned())
        };
        assert_eq!(named("HP      EG0600FBVFP"), ["HP", "EG0600FBVFP"]);
        assert_eq!(named("HPE MB016000JWZHE"), ["HPE", "MB016000JWZHE"]);
        assert_eq!(named("HGST    HUC101812CSS204"), ["HGST", "HUC101812CSS204"]);
        assert_eq!(named("SEAGATE ST600MM0006"), ["", "SEAGATE ST600MM0006"]);
    }

    #[test]
    fn rows_of_a_short_list_are_no_drives() {
        let list = "physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS, 300 GB, OK)\nStatus: OK\n";
        assert!(read(list).is_err());
        let both = read(&format!("{}{list}", text("OK", "HP      A", ""))).unwrap();
        assert_eq!(both.len(), 1);
    }
}
