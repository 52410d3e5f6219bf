//! `MegaCli -PDList` and `-pdInfo`: a block of lines for each drive. Model and serial number stand in one line of fixed columns.

use super::{BLOCK, COUNTERS, PAGE, block, finish, interface, medium, raw_size, state, vendor};
use crate::paste::page::{LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, labelled, row};

pub(crate) const MEGACLI: ToolFormat =
    ToolFormat { tool: "MegaCli", page: PAGE, tables: &[ROWS, COUNTERS], special: other, finish, ..ToolFormat::PLAIN };

/// An adapter: nothing said about it is kept; its number is part of the drives' names.
const ADAPTER: ToolFormat = ToolFormat { tool: "MegaCli", page: PAGE, special: |_, _| true, ..ToolFormat::PLAIN };

const ROWS: &[LabelRow] = &[
    row("WWN", "wwn", TextKind::Identifier),
    row("Device Firmware Level", FIRMWARE, TextKind::Text),
    row("Drive has flagged a S.M.A.R.T alert", "smart_passed", TextKind::NotFlag),
];

const FIRMWARE: &str = "firmware";
const INQUIRY: &str = "Inquiry Data:";
const ENCLOSURE_LABEL: &str = "Enclosure Device ID:";
const SLOT_LABEL: &str = "Slot Number:";
/// Lines of a drive among which one of its counters stands, where `grep` took out the others.
const SLOT_LINES: usize = 6;

pub(in super::super) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    match () {
        () if text.strip_prefix("Adapter #").is_some_and(|number| number.trim().parse::<u32>().is_ok()) => {
            Some(OutputStart::OpenWith(&ADAPTER, |builder, line| {
                builder.name_device(&format!("-a{}", line.text["Adapter #".len()..].trim()), line.number);
            }))
        }
        () if text.starts_with(ENCLOSURE_LABEL) || is_slot_alone(context) => Some(open(context)),
        () if context.is_in(MEGACLI.tool) && ["Virtual Drive:", "Exit Code:"].iter().any(|start| text.starts_with(start)) => {
            Some(OutputStart::Close)
        }
        () => None,
    }
}

/// The first line of a drive where `grep` took its enclosure out.
fn is_slot_alone(context: &LineContext) -> bool {
    const OF_DRIVE: [&str; 4] = ["Media Error Count:", "Other Error Count:", "Predictive Failure Count:", "Firmware state:"];
    if slot(&context.line.text).is_none() {
        return false;
    }
    let is_its = context.open.is_some_and(|builder| context.is_in(MEGACLI.tool) && builder.seen == [ENCLOSURE_LABEL]);
    let mut own = context.rest.iter().take(SLOT_LINES).take_while(|line| slot(&line.text).is_none());
    !is_its && own.any(|line| OF_DRIVE.iter().any(|label| line.text.starts_with(label)))
}

/// The number of a slot; words may follow it.
fn slot(text: &str) -> Option<&str> {
    let value = text.strip_prefix(SLOT_LABEL)?.trim_start();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    (digits > 0).then(|| &value[..digits])
}

/// A drive is of the adapter of the drive before it.
fn open(context: &LineContext) -> OutputStart {
    let before = context.open.filter(|_| context.is_in(MEGACLI.tool)).and_then(PageBuilder::device);
    let adapter = before.and_then(|name| name.rsplit(' ').next()).filter(|name| name.starts_with("-a"));
    adapter.map_or(OutputStart::Open(&MEGACLI), |name| OutputStart::OpenNamed(&MEGACLI, name.to_owned()))
}

/// Lines without a row are about the controller.
fn other(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = labelled(&line.text, ':') else { return true };
    match label {
        "Enclosure Device ID" => {
            builder.seen.push(ENCLOSURE_LABEL.to_owned());
            place(builder, value, line.number);
        }
        "Slot Number" => {
            let number = slot(&line.text).unwrap_or(value);
            if builder.seen.is_empty() && builder.device().is_none() {
                builder.name_device(&format!("slot {number}"), line.number);
            } else {
                place(builder, number, line.number);
            }
            builder.seen.push(SLOT_LABEL.to_owned());
        }
        "PD Type" => interface(builder, value, line.number),
        "Raw Size" => return raw_size(builder, value, line.number),
        "Sector Size" | "Logical Sector Size" => return block(builder, BLOCK, value, line.number),
        "Physical Sector Size" => return block(builder, "physical_block_bytes", value, line.number),
        "Media Type" => medium(builder, value.starts_with("Solid State"), line.number),
        "Firmware state" => state(builder, value, line),
        "Inquiry Data" => return inquiry(builder, line),
        "Device Speed" | "Link Speed" if value == "Unknown" => {}
        _ => return !builder.knows(&line.text),
    }
    true
}

/// `[252:5] -a0`: enclosure, slot and adapter as a command of the tool takes them.
fn place(builder: &mut PageBuilder, number: &str, line: usize) {
    let Some(name) = builder.device().map(str::to_owned) else { return };
    let (place, adapter) = name.rsplit_once(' ').unwrap_or(("", &name));
    let place = match place.strip_suffix(']') {
        Some(enclosure) => format!("{enclosure}:{number}]"),
        None => format!("[{number}]"),
    };
    builder.name_device(&format!("{place} {adapter}"), line);
}

/// Fixed columns; where blanks were lost on the way, nothing is taken.
fn inquiry(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let text = line.text.strip_prefix(INQUIRY).unwrap_or_default();
    let text = text.strip_prefix(' ').unwrap_or(text);
    let is_ata = builder.text("protocol").as_deref() == Some("ATA") && !text.starts_with("ATA  ");
    if !text.is_ascii() {
        return false;
    }
    if is_ata { ata(builder, text, line.number) } else { scsi(builder, text, line.number) }
}

/// Serial number, model and firmware in 20, 40 and 8 characters, as in IDENTIFY DEVICE.
fn ata(builder: &mut PageBuilder, text: &str, line: usize) -> bool {
    const SERIAL: usize = 20;
    const MODEL_END: usize = 60;
    const END: usize = 68;
    if !(MODEL_END + 1..=END).contains(&text.len()) || text[SERIAL..].starts_with(' ') {
        return false;
    }
    let (serial, model, firmware) = (text[..SERIAL].trim(), text[SERIAL..MODEL_END].trim(), text[MODEL_END..].trim());
    let level = builder.text(FIRMWARE);
    if serial.contains(' ') || level.as_ref().is_some_and(|level| !firmware.ends_with(level.as_str())) {
        return false;
    }
    // The line before has no more than the last characters of it.
    builder.replace(FIRMWARE, Value::Text(firmware.to_owned()), line);
    if !serial.is_empty() {
        builder.set("serial", Value::Text(serial.to_owned()), line);
    }
    builder.set("model", Value::Text(model.to_owned()), line);
    true
}

/// Vendor, model and revision in 8, 16 and 4 characters, as in INQUIRY; the serial number where nothing else stands behind them.
fn scsi(builder: &mut PageBuilder, text: &str, line: usize) -> bool {
    const MODEL: usize = 8;
    const REVISION: usize = 24;
    const REST: usize = 28;
    if text.len() <= REST || text[MODEL..].starts_with(' ') {
        return false;
    }
    let (maker, field, revision) = (text[..MODEL].trim(), text[MODEL..REVISION].trim(), text[REVISION..REST].trim());
    let level = builder.text(FIRMWARE);
    let is_sure = level.as_deref() == Some(revision);
    let (model, suffix) = field.split_once("  ").unwrap_or((field, ""));
    if level.is_some() && !is_sure || !is_sure && (model.contains(' ') && maker != "ATA" || revision.len() < 4) {
        return false;
    }
    let serial = text[REST..].trim();
    let is_alone = !serial.is_empty() && serial.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') && suffix.is_empty();
    vendor(builder, maker, line);
    builder.set("model", Value::Text(model.to_owned()), line);
    builder.set_text(FIRMWARE, revision, line);
    // Drives of server makers have more than the serial number there.
    if is_alone && !serial.ends_with(revision) && maker != "IBM-ESXS" {
        builder.set("serial", Value::Text(serial.to_owned()), line);
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::field::Page;
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, read};

    fn drive(kind: &str, state: &str, level: &str, inquiry: &str) -> Page {
        let text = format!(
            "Enclosure Device ID: 252\nSlot Number: 1\nMedia Error Count: 0\nPD Type: {kind}\nRaw Size: 931.512 GB [0x74706db0 Sectors]\n\
             Sector Size:  0\nFirmware state: {state}\n{level}Inquiry Data: {inquiry}\nMedia Type: Solid State Device\n\
             Drive has flagged a S.M.A.R.T alert : No\n"
        );
        read(&text).unwrap().remove(0)
    }

    fn named(page: &Page) -> [Option<&str>; 4] {
        ["vendor", "model", "serial", "firmware"].map(|key| page.text(key))
    }

    #[test]
    fn inquiry_data_of_ata_and_scsi_drives() {
        let intel = "BTWL0000000A600TGN  INTEL SSDSC2BB600G4                     D2010370";
        let page = drive("SATA", "Online, Spun Up", "Device Firmware Level: 0370\n", intel);
        assert_eq!(named(&page), [None, Some("INTEL SSDSC2BB600G4"), Some("BTWL0000000A600TGN"), Some("D2010370")]);
        assert_eq!((page.number("capacity_bytes"), page.number("rotation_rate_rpm")), (Some(1_000_204_886_016), Some(0)));
        let hitachi = "      MK0000YHG00A0AHitachi HDS723030ALA640                 MKAOA580";
        assert_eq!(named(&drive("SATA", "Online", "", hitachi))[1..3], [Some("Hitachi HDS723030ALA640"), Some("MK0000YHG00A0A")]);
        let seagate = "SEAGATE ST3450857SS     ES643SK00000";
        assert_eq!(named(&drive("SAS", "Online", "", seagate)), [Some("SEAGATE"), Some("ST3450857SS"), Some("3SK00000"), Some("ES64")]);
        let old = "ATA     ST9500620NS     BE25            9XF00000";
        let page = drive("SATA", "Online", "", old);
        assert_eq!((named(&page), page.text("protocol")), ([None, Some("ST9500620NS"), Some("9XF00000"), Some("BE25")], Some("ATA")));
        let ibm = "IBM-ESXSST9300603SS   F B53B3SE000000825B53B";
        assert_eq!(named(&drive("SAS", "Online", "", ibm)), [Some("IBM-ESXS"), Some("ST9300603SS"), None, Some("B53B")]);
    }

    #[test]
    fn columns_that_were_lost_give_no_names() {
        for (kind, level, inquiry) in [
            ("SAS", "", "SEAGATE ST3146356SS 00063QN00000"),
            ("SATA", "", "BTWL0000000A600TGN INTEL SSDSC2BB600G4 D2010370"),
            ("SAS", "Device Firmware Level: ES65\n", "SEAGATE ST3450857SS     ES643SK00000"),
            ("SATA", "Device Firmware Level: 0371\n", "BTWL0000000A600TGN  INTEL SSDSC2BB600G4                     D2010370"),
            ("SAS", "", "IBM-ESXSM"),
        ] {
            let page = drive(kind, "Online", level, inquiry);
            assert_eq!((page.text("model"), page.text("serial")), (None, None), "{inquiry}");
            assert!(page.problems.iter().any(|problem| problem.contains("Inquiry Data")), "{:?}", page.problems);
        }
    }

    #[test]
    fn the_state_counts() {
        for (word, state) in [
            ("Online, Spun Up", HealthState::OkAsFarAsTold),
            ("Failed", HealthState::Failing),
            ("Unconfigured(bad)", HealthState::Worn),
            ("Unconfigured(good), Spun down", HealthState::OkAsFarAsTold),
        ] {
            assert_eq!(judge("", &[drive("SAS", word, "", "")]).state, state, "{word}");
        }
    }

    #[test]
    fn drives_of_two_adapters_are_told_apart() {
        let drive = "Enclosure Device ID: 252\nSlot Number: 0\nMedia Error Count: 0\nVirtual Drive: 2\nSector Size : 4096\n";
        let pages = read(&format!("Adapter #0\n\n{drive}\nAdapter #1\n\n{drive}")).unwrap();
        let names: Vec<_> = pages.iter().map(|page| page.text("device_name")).collect();
        assert_eq!((names, drives(&pages).len()), (vec![Some("[252:0] -a0"), Some("[252:0] -a1")], 2));
        assert_eq!(pages[0].number("logical_block_bytes"), None);
    }
}
