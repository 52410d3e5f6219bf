//! `arcconf getconfig 1 pd` of Adaptec: a block of lines for each drive. Sizes are rounded down to mebibytes.

use super::{BLOCK, PAGE, PREDICTED, add_errors, block, cut_model, interface, life_left, medium, state, wearout_trip};
use crate::paste::page::{
    LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, labelled, row, whole_u64,
};

pub(crate) const ARCCONF: ToolFormat =
    ToolFormat { tool: "arcconf", page: PAGE, tables: &[ROWS], special: other, finish: named, ..ToolFormat::PLAIN };

const ROWS: &[LabelRow] = &[
    row("Vendor", "vendor", TextKind::Text),
    row("Model", "model", TextKind::Text),
    row("Firmware", "firmware", TextKind::Text),
    row("Serial number", "serial", TextKind::Text),
    row("S.M.A.R.T.", "smart_passed", TextKind::NotFlag),
    row("PFA", "smart_passed", TextKind::NotFlag),
    row("Rotational Speed", "rotation_rate_rpm", TextKind::Rotation),
    row("Temperature", "temperature_celsius", TextKind::Celsius),
    row("Current Temperature", "temperature_celsius", TextKind::Celsius),
    row("Medium Error Count", "media_errors", TextKind::Number),
    row("Media Failures", "media_errors", TextKind::Number),
];

const DRIVE: &str = "Device is a Hard drive";

pub(in super::super) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    match () {
        () if text.eq_ignore_ascii_case(DRIVE) => Some(OutputStart::Open(&ARCCONF)),
        () if context.is_in(ARCCONF.tool) && ["Device #", "Channel #", "Device is an"].iter().any(|start| text.starts_with(start)) => {
            Some(OutputStart::Close)
        }
        () => None,
    }
}

/// Lines without a row are about the controller, or need more than a row. Channel and number name the drive.
fn other(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    if let Some(place) = line.text.strip_prefix("Reported Channel,Device").and_then(|rest| rest.rsplit_once(": ")) {
        builder.name_device(place.1.split('(').next().unwrap_or_default().trim(), line.number);
        return true;
    }
    let Some((label, value)) = labelled(&line.text, ':') else { return true };
    match label {
        "State" => state(builder, value, line),
        "Transfer Speed" => interface(builder, value, line.number),
        "SSD" => medium(builder, value == "Yes", line.number),
        "Block Size" => return block(builder, BLOCK, value, line.number),
        "Physical Block Size" => return block(builder, "physical_block_bytes", value, line.number),
        "Total Size" | "Size" => size(builder, value, line.number),
        "Usage Remaining" => life_left(builder, value, line.number),
        "SSD Smart Trip Wearout" => wearout_trip(builder, value, line.number),
        "Vendor" if value.contains('*') => {}
        "Hard Read Errors" | "Hard Write Errors" => return add_errors(builder, value, line.number),
        "S.M.A.R.T. warnings" | "SMART Warning Count" | "Predictive Failures" => {
            let Some(count) = whole_u64(value) else { return false };
            builder.set_largest(PREDICTED, count, line.number);
        }
        "Write Cache" if value.starts_with("Enabled") || value.starts_with("Disabled") => {
            builder.set("write_cache_enabled", Value::Flag(value.starts_with("Enabled")), line.number);
        }
        "World-wide name" | "World-wide Name" => return wwn(builder, value, line.number),
        _ => return !builder.knows(&line.text),
    }
    true
}

/// A name of another kind than those of drives is the controller's.
fn wwn(builder: &mut PageBuilder, value: &str, line: usize) -> bool {
    let is_own = value.starts_with('5') && value.len() == 16;
    !is_own || builder.take_as(TextKind::Identifier, ("wwn", "wwn"), value, line)
}

fn size(builder: &mut PageBuilder, value: &str, line: usize) {
    builder.set_number("capacity_mib", value.strip_suffix("MB").and_then(|figure| whole_u64(figure.trim())).filter(|mib| *mib > 0), line);
}

/// The name of an ATA drive goes over the fields of vendor and model.
fn named(builder: &mut PageBuilder) {
    const VENDOR_CHARS: usize = 8;
    cut_model(builder);
    let is_ata = builder.text("protocol").as_deref() == Some("ATA");
    let Some(vendor) = builder.text("vendor") else { return };
    let is_one_word = vendor.len() == VENDOR_CHARS && vendor.contains(|c: char| c.is_ascii_digit());
    if !is_ata && !is_one_word {
        return;
    }
    builder.remove("vendor");
    let Some((model, (_, line))) = builder.text("model").zip(builder.field("model")).filter(|_| vendor != "ATA") else { return };
    let blank = if is_one_word { "" } else { " " };
    builder.replace("model", Value::Text(format!("{vendor}{blank}{model}")), line);
}

#[cfg(test)]
mod tests {
    use crate::field::Page;
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, facts, read};

    fn block(state: &str, more: &str) -> String {
        format!(
            "      Device #0\n         Device is a Hard drive\n         State                              : {state}\n\
             \x20        Block Size                         : 512 Bytes\n         Transfer Speed                     : SATA 6.0 Gb/s\n\
             \x20        Reported Channel,Device(T:L)       : 0,4(4:0)\n         Vendor                             : ATA\n\
             \x20        Model                              : INTEL SSDSC2BA20\n\
             \x20        Serial number                      : BTTV000000CU200GGN\n\
             \x20        Total Size                         : 190782 MB\n         Write Cache                        : Unknown\n\
             \x20        S.M.A.R.T.                         : No\n         SSD                                : Yes\n{more}\n\
             \x20     Device #1\n         Device is an Enclosure Services Device\n         Model                              : GEM318\n"
        )
    }

    fn pages(state: &str, more: &str) -> Vec<Page> {
        read(&block(state, more)).unwrap()
    }

    #[test]
    fn facts_of_a_drive_and_nothing_of_its_enclosure() {
        let pages = pages("Online", "Medium Error Count : 0\nWorld-wide name : 50014EE000000000\nTemperature : 27 C/ 80 F");
        assert_eq!((pages.len(), pages[0].text("device_name"), pages[0].text("wwn")), (1, Some("0,4"), Some("50014ee000000000")));
        assert_eq!((pages[0].text("vendor"), pages[0].field("write_cache_enabled")), (None, None));
        let told = facts(&pages).unwrap();
        assert_eq!((told.model.unwrap().value.as_str(), told.capacity_bytes.value), ("INTEL SSDSC2BA20", 190_782 << 20));
        assert_eq!((told.rotational.unwrap().value, told.temperature_celsius.unwrap().value), (false, 27.0));
        assert!(pages[0].problems[0].contains("may be cut"), "{:?}", pages[0].problems);
        assert_eq!(judge("", &pages).state, HealthState::OkAsFarAsTold);
    }

    #[test]
    fn alerts_states_and_errors_count() {
        let state = |state: &str, more: &str| judge("", &pages(state, more)).state;
        assert_eq!(state("Failed", ""), HealthState::Failing);
        assert_eq!(state("Defunct", ""), HealthState::Failing);
        assert_eq!(state("Raw (Pass Through)", "Hard Read Errors : 0\nHard Write Errors : 0"), HealthState::OkAsFarAsTold);
        assert_eq!(state("Online", "Hard Read Errors : 2\nHard Write Errors : 1"), HealthState::Watch);
        assert_eq!(state("Online", "S.M.A.R.T. warnings : 0\nSMART Warning Count : 3"), HealthState::Failing);
        assert_eq!(state("Online", "SSD Smart Trip Wearout : True"), HealthState::Worn);
        assert_eq!(state("Online", "Medium Error Count : 9"), HealthState::Failing);
        assert_eq!(state("Whirling", ""), HealthState::Unknown);
    }

    #[test]
    fn a_missing_drive_is_a_drive_and_names_of_two_fields_are_one() {
        let gone =
            "Device is a Hard drive\nState : Failed\nReported Channel,Device(T:L) : 0,2(2:0)\nVendor : *MISSING*\nModel :\nSize : 0 MB\n";
        let text = format!("{gone}Device #3\n{}", block("Online", ""));
        assert_eq!(drives(&read(&text).unwrap()).len(), 2);
        let named = |vendor: &str, model: &str| {
            let speed = if vendor == "ST310003" { "Defunct" } else { "SATA 3.0 Gb/s" };
            let text = format!("Device is a Hard drive\nTransfer Speed : {speed}\nVendor : {vendor}\nModel : {model}\n");
            read(&text).unwrap()[0].text("model").map(str::to_owned)
        };
        assert_eq!(named("WDC", "WD30EFRX-68EUZN0").as_deref(), Some("WDC WD30EFRX-68EUZN0"));
        assert_eq!(named("ST310003", "40NS").as_deref(), Some("ST31000340NS"));
        assert_eq!(named("ATA", "X").as_deref(), Some("X"));
    }
}
