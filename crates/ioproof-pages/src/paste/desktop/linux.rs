//! Drives as installers and forums list them on Linux: `lshw -class disk`, `hwinfo --disk`, `fdisk -l` and `parted -l`.
//!
//! None says anything of a drive's health. Names may be cut to SCSI's 16 characters. A size without bytes is rounded. Deliberately absent:
//! partitions, arrays, loop devices.

use crate::paste::page::{
    LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, labelled, row, whole_u64,
};
use crate::paste::text::prompt;

pub(crate) const LSHW: ToolFormat =
    ToolFormat { tool: "lshw", page: "lshw-disk", tables: &[LSHW_ROWS], special: lshw, finish: cut_model, ..ToolFormat::PLAIN };
pub(crate) const HWINFO: ToolFormat =
    ToolFormat { tool: "hwinfo --disk", page: "hwinfo-disk", special: hwinfo, finish: cut_model, ..ToolFormat::PLAIN };
pub(crate) const FDISK: ToolFormat =
    ToolFormat { tool: "fdisk -l", page: "fdisk-disk", special: fdisk, finish: cut_model, ..ToolFormat::PLAIN };
pub(crate) const PARTED: ToolFormat =
    ToolFormat { tool: "parted -l", page: "parted-disk", special: parted, finish: cut_model, ..ToolFormat::PLAIN };

const LSHW_ROWS: &[LabelRow] = &[
    row("product", "model", TextKind::Text),
    row("vendor", "vendor", TextKind::Text),
    row("serial", "serial", TextKind::Text),
    row("version", "firmware", TextKind::Text),
];

/// Part of lshw's output below a controller of NVMe: its namespace.
const NAMESPACE: &str = "namespace";

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let follows = |start: &str| context.next.is_some_and(|next| next.text.starts_with(start));
    match () {
        () if text.starts_with("*-") => lshw_node(context),
        () if text == "Hardware Class: disk" && hwinfo_is_drive(context) => Some(OutputStart::Open(&HWINFO)),
        () if context.is_in(HWINFO.tool) && text.starts_with("Hardware Class:") => Some(OutputStart::Close),
        () if fdisk_device(text).is_some() => Some(OutputStart::Open(&FDISK)),
        () if is_disk_line(text) && context.is_in(FDISK.tool) => Some(OutputStart::Close),
        () if text.starts_with("Model: ") && text.ends_with(')') && follows("Disk /dev/") => {
            parted_model(text).map(|_| OutputStart::Open(&PARTED)).or_else(|| context.is_in(PARTED.tool).then_some(OutputStart::Close))
        }
        () => None,
    }
}

/// `*-disk:0`, `*-nvme`, and `*-namespace:0` below it; other nodes end a drive.
fn lshw_node(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let name = &text[2..text.find([':', ' ']).unwrap_or(text.len())];
    let is_node = context.next.is_some_and(|next| next.text.starts_with("description:"));
    match name {
        "disk" | "nvme" if is_node => Some(OutputStart::OpenWith(&LSHW, |_, _| {})),
        // Of a drive whose controller is listed above it; without that each is a page.
        "namespace" if context.open.is_some_and(lacks_namespace) => Some(OutputStart::Line(|builder, _| builder.part = NAMESPACE)),
        "namespace" if context.next.is_some_and(|next| next.text == "description: NVMe disk") => {
            Some(OutputStart::OpenWith(&LSHW, |_, _| {}))
        }
        _ => context.is_in(LSHW.tool).then_some(OutputStart::Close),
    }
}

fn lacks_namespace(builder: &PageBuilder) -> bool {
    let is_nvme = builder.format.tool == LSHW.tool && builder.text("protocol").as_deref() == Some("NVMe");
    is_nvme && builder.field("capacity_rounded_bytes").is_none()
}

fn lshw(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = labelled(&line.text, ':') else { return true };
    let at = line.number;
    match label {
        "description" if value == "ATA Disk" => builder.set_text("protocol", "ATA", at),
        "description" if value.starts_with("NVMe") => builder.set_text("protocol", "NVMe", at),
        "logical name" => device(builder, value, at),
        "size" => builder.set_number("capacity_rounded_bytes", listed_size(value), at),
        "capabilities" => {
            builder.set_number("rotation_rate_rpm", value.split(' ').find_map(|word| word.strip_suffix("rpm")).and_then(whole_u64), at);
        }
        "configuration" => {
            for (word, key) in [("logicalsectorsize=", "logical_block_bytes"), ("sectorsize=", "physical_block_bytes")] {
                builder.set_number(key, value.split(' ').find_map(|own| own.strip_prefix(word)).and_then(whole_u64), at);
            }
        }
        _ => return builder.part == NAMESPACE || !builder.knows(&line.text),
    }
    true
}

/// A whole drive; a controller of NVMe has its name from its namespace.
fn device(builder: &mut PageBuilder, value: &str, line: usize) {
    let name = value.strip_prefix("/dev/").unwrap_or(value);
    if prompt::is_disk(name) {
        builder.replace("device_name", Value::Text(name.to_owned()), line);
    }
}

/// `465GiB (500GB)`: both are cut to whole units; the drive is made in the second.
fn listed_size(value: &str) -> Option<u64> {
    let decimal = value.split_once('(').and_then(|(_, rest)| decimal_size(rest.strip_suffix(')')?));
    decimal.or_else(|| binary_size(value))
}

/// A number of three digits at least.
fn binary_size(value: &str) -> Option<u64> {
    const UNITS: [(&str, u32); 3] = [("MiB", 20), ("GiB", 30), ("TiB", 40)];
    let first = value.split(' ').next()?;
    let (figure, shift) = UNITS.iter().find_map(|(unit, shift)| Some((first.strip_suffix(unit)?, *shift)))?;
    let figure = figure.parse::<u64>().ok().filter(|figure| (100..1 << 20).contains(figure))?;
    figure.checked_mul(1 << shift)
}

const HWINFO_LINES: usize = 30;

/// True where the file of the device is a whole drive's, and not a card's or a floppy's.
fn hwinfo_is_drive(context: &LineContext) -> bool {
    let own = context.rest.iter().take(HWINFO_LINES).take_while(|line| !line.text.starts_with("Hardware Class:"));
    let mut files = own.filter_map(|line| line.text.strip_prefix("Device File: /dev/"));
    files.next().is_some_and(|name| prompt::is_disk(name.split(' ').next().unwrap_or_default()))
}

/// `Model: "Samsung SSD 850"`, `Revision: "2B6Q"`, `Capacity: 465 GB (500107862016 bytes)`. For NVMe the model is the name of the chip on
/// the bus, so that the names of the device files say more.
fn hwinfo(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = labelled(&line.text, ':') else { return true };
    let (plain, at) = (value.trim_matches('"').trim(), line.number);
    match label {
        "Model" => builder.set_text("model", plain, at),
        "Device" if value.starts_with("pci ") => builder.remove("model"),
        "Serial ID" => builder.set_text("serial", plain, at),
        "Revision" => builder.set_text("firmware", plain, at),
        "Device File" => device(builder, plain.split([' ', '(']).next().unwrap_or_default(), at),
        "Device Files" => device_files(builder, value, at),
        "Driver" if value.contains("\"nvme\"") => builder.set_text("protocol", "NVMe", at),
        "Driver" if value.contains("\"ahci\"") || value.contains("\"ata_piix\"") => builder.set_text("protocol", "ATA", at),
        "Size" => {
            let block = value.split_once("sectors a ").and_then(|(_, block)| whole_u64(block)).filter(|bytes| *bytes > 0);
            builder.set_number("logical_block_bytes", block, at);
        }
        "Capacity" => {
            let bytes = value.split_once('(').and_then(|(_, rest)| rest.strip_suffix(" bytes)")).and_then(whole_u64);
            builder.set_number("capacity_bytes", bytes, at);
        }
        _ => {}
    }
    true
}

/// `/dev/disk/by-id/ata-WDC_WD10EZEX-08WN4A0_WD-WCC6Y0000001`: the whole name with `_` for blanks, and the serial number.
fn device_files(builder: &mut PageBuilder, value: &str, line: usize) {
    const SERIAL_CHARS_MIN: usize = 6;
    let ids = value.split(',').filter_map(|file| file.trim().strip_prefix("/dev/disk/by-id/"));
    let names = ids.filter_map(|id| id.strip_prefix("ata-").or_else(|| id.strip_prefix("nvme-")));
    let mut told = names.filter(|name| !name.starts_with("eui.") && !name.starts_with("nvme.")).filter_map(|name| name.rsplit_once('_'));
    let Some((model, serial)) = told.next().filter(|(_, serial)| serial.len() >= SERIAL_CHARS_MIN) else { return };
    if builder.text("serial").is_none_or(|known| known == serial) {
        builder.replace("model", Value::Text(model.replace('_', " ")), line);
        builder.set_text("serial", serial, line);
    }
}

/// `Disk /dev/sda: 465.8 GiB, 500107862016 bytes, 976773168 sectors`, whose words are of the system's language: name and bytes of a whole
/// drive.
fn fdisk_device(text: &str) -> Option<(&str, u64)> {
    const LEAST_BYTES: u64 = 1_000_000;
    const SECTORS_MIN: u64 = 2000;
    let (device, sizes) = text.split_once("/dev/").filter(|(before, _)| is_word(before.trim()))?.1.split_once([':', '\u{ff1a}'])?;
    let parts: Vec<&str> = sizes.split([',', '\u{ff0c}']).map(str::trim).collect();
    // In some languages the rounded size has a comma of its own. Bytes are more than sectors, and a multiple of them.
    let number = |part: &&str| part.split(' ').next().and_then(|digits| digits.parse::<u64>().ok());
    let numbers: Vec<u64> = parts.iter().filter_map(number).filter(|number| *number >= SECTORS_MIN).collect();
    let bytes = *numbers.iter().max().filter(|bytes| **bytes >= LEAST_BYTES && numbers.iter().all(|own| bytes.is_multiple_of(*own)))?;
    let is_part = device.starts_with("nvme") && device["nvme".len()..].contains('p');
    (prompt::is_disk(device) && !is_part && sizes.contains('B')).then_some((device, bytes))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_alphabetic)
}

/// The first line of any device, a drive or not.
fn is_disk_line(text: &str) -> bool {
    text.split_once("/dev/").is_some_and(|(before, rest)| is_word(before.trim()) && rest.contains([':', '\u{ff1a}']))
}

fn fdisk(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let (text, at) = (line.text.as_str(), line.number);
    if let Some((name, bytes)) = fdisk_device(text) {
        builder.set_text("device_name", name, at);
        builder.set_number("capacity_bytes", bytes, at);
        return true;
    }
    let Some((label, value)) = text.split_once(':') else { return true };
    match label.trim() {
        "Disk model" | "Festplattenmodell" | "Modèle de disque" | "Modelo de disco" | "Modello disco" | "Модель диска" | "磁盘型号" =>
        {
            builder.set_text("model", value.trim(), at);
        }
        label if label.contains('/') && value.contains('/') => sector_sizes(builder, label, value, at),
        _ => {}
    }
    true
}

/// `Sector size (logical/physical): 512 bytes / 4096 bytes`; parted prints `512B/4096B`. The sizes of I/O come in the same form.
fn sector_sizes(builder: &mut PageBuilder, label: &str, value: &str, line: usize) {
    if builder.field("logical_block_bytes").is_some() || label.starts_with("I/O") || label.starts_with("E/A") {
        return;
    }
    let sizes = value.split_once('/').map(|(logical, physical)| [whole_u64(logical), whole_u64(physical)]);
    for (key, size) in ["logical_block_bytes", "physical_block_bytes"].iter().zip(sizes.unwrap_or_default()) {
        builder.set_number(key, size, line);
    }
}

/// `Model: ATA Samsung SSD 850 (scsi)`: the name of a drive; devices of the kernel's own making have other words in brackets.
fn parted_model(text: &str) -> Option<(&str, &'static str)> {
    let (name, kind) = text.strip_prefix("Model: ")?.rsplit_once(" (")?;
    match kind {
        "nvme)" => Some((name, "NVMe")),
        "scsi)" | "ide)" => Some(name.strip_prefix("ATA ").map_or((name, ""), |name| (name, "ATA"))),
        _ => None,
    }
}

fn parted(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let (text, at) = (line.text.as_str(), line.number);
    if let Some((name, protocol)) = parted_model(text) {
        builder.set_text("model", name.trim(), at);
        builder.set_text("protocol", protocol, at);
        return true;
    }
    let Some((label, value)) = text.split_once(':').map(|(label, value)| (label, value.trim())) else { return true };
    match label.strip_prefix("Disk /dev/") {
        Some(name) => {
            builder.set_text("device_name", name, at);
            builder.set_number("capacity_rounded_bytes", decimal_size(value), at);
        }
        None if label.starts_with("Sector size") => sector_sizes(builder, label, value, at),
        None => {}
    }
    true
}

/// `500GB`, `4001GB`: of three digits or more.
fn decimal_size(value: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 3] = [("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000)];
    let (figure, factor) = UNITS.iter().find_map(|(unit, factor)| Some((value.strip_suffix(unit)?, *factor)))?;
    figure.parse::<u64>().ok().filter(|figure| *figure >= 100)?.checked_mul(factor)
}

/// SCSI has 16 characters for a name and 4 for the firmware: an ATA drive has more of both.
fn cut_model(builder: &mut PageBuilder) {
    const FIELD_CHARS: usize = 16;
    const FIRMWARE_CHARS: usize = 4;
    let protocol = builder.text("protocol").unwrap_or_default();
    let length = |builder: &PageBuilder, key: &str| builder.text(key).map_or(0, |text| text.chars().count());
    // A blank at the end of the field is not printed.
    if protocol != "NVMe" && (FIELD_CHARS - 1..=FIELD_CHARS).contains(&length(builder, "model")) {
        builder.problem(format!("the model may be cut: SCSI has {FIELD_CHARS} characters for it"));
    }
    if protocol == "ATA" && length(builder, "firmware") <= FIRMWARE_CHARS {
        builder.remove("firmware");
    }
}

#[cfg(test)]
mod tests {
    use super::{binary_size, decimal_size, fdisk_device, listed_size};
    use crate::paste::read;

    #[test]
    fn bytes_are_told_from_sectors_in_any_language() {
        for (text, expected) in [
            ("Disk /dev/sda: 465.8 GiB, 500107862016 bytes, 976773168 sectors", Some(("sda", 500_107_862_016))),
            ("Festplatte /dev/sda: 465,8 GiB, 500107862016 Bytes, 976773168 Sektoren", Some(("sda", 500_107_862_016))),
            ("Disk /dev/sda：500 GiB，536870912000 字节，1048576000 个扇区", Some(("sda", 536_870_912_000))),
            ("Disk /dev/hda: 500.1 GB, 500107862016 bytes", Some(("hda", 500_107_862_016))),
            ("Disk /dev/sda: 465.8 GiB, 500107862017 bytes, 976773168 sectors", None),
            ("Disk /dev/loop0: 55.5 MiB, 58187776 bytes, 113648 sectors", None),
            ("Disk /dev/md0: 465.8 GiB, 500107862016 bytes, 976773168 sectors", None),
            ("Disk /dev/nvme0n1p2: 465.8 GiB, 500107862016 bytes, 976773168 sectors", None),
            ("Disk /dev/sda: 500GB", None),
        ] {
            assert_eq!(fdisk_device(text), expected, "{text}");
        }
    }

    #[test]
    fn sizes_of_few_digits_are_no_facts() {
        assert_eq!(
            (binary_size("465GiB (500GB)"), binary_size("7452GiB"), binary_size("9GiB (10GB)")),
            (Some(465 << 30), Some(7452 << 30), None)
        );
        assert_eq!((listed_size("465GiB (500GB)"), listed_size("7452GiB (8001GB)")), (Some(500_000_000_000), Some(8_001_000_000_000)));
        assert_eq!((decimal_size("500GB"), decimal_size("42.9GB"), decimal_size("64GB")), (Some(500_000_000_000), None, None));
    }

    #[test]
    fn firmware_of_an_ata_drive_is_cut_by_scsi() {
        let text = |kind: &str| format!("*-disk\n  description: {kind}\n  product: X\n  version: 0A82\n");
        assert_eq!(read(&text("ATA Disk")).unwrap()[0].text("firmware"), None);
        assert_eq!(read(&text("SCSI Disk")).unwrap()[0].text("firmware"), Some("0A82"));
    }

    #[test]
    fn names_of_device_files_are_whole() {
        let text = |model: &str, device: &str, files: &str| {
            format!(
                "Hardware Class: disk\nModel: \"{model}\"\nDevice: {device}\nDevice File: /dev/nvme0n1\nDevice Files: /dev/nvme0n1, {files}\n"
            )
        };
        let told = |text: &str| {
            let page = &read(text).unwrap()[0];
            (page.text("model").map(str::to_owned), page.text("serial").map(str::to_owned))
        };
        let both = |model: &str, serial: &str| (Some(model.to_owned()), Some(serial.to_owned()));
        let nvme =
            text("Samsung NVMe SSD Controller SM981", "pci 0xa808 \"X\"", "/dev/disk/by-id/nvme-SAMSUNG_MZVLB1T0HBLR-000L7_S4EMNF000001");
        assert_eq!(told(&nvme), both("SAMSUNG MZVLB1T0HBLR-000L7", "S4EMNF000001"));
        assert_eq!(told(&text("Samsung NVMe SSD Controller SM981", "pci 0xa808 \"X\"", "/dev/disk/by-id/nvme-eui.0025")), (None, None));
        let ata = text("WDC WD10EZEX-08W", "\"WD10\"", "/dev/disk/by-id/ata-WDC_WD10EZEX-08WN4A0_WD-WCC6Y0000001");
        assert_eq!(told(&ata), both("WDC WD10EZEX-08WN4A0", "WD-WCC6Y0000001"));
    }

    #[test]
    fn namespaces_without_their_controller_are_pages_of_their_own() {
        let namespace =
            |at: u32| format!("*-namespace:2\n  description: NVMe disk\n  logical name: /dev/nvme{at}n1\n  size: 3726GiB (4TB)\n");
        let pages = read(&format!("{}{}*-disk\n  description: ATA Disk\n  product: X\n", namespace(0), namespace(1))).unwrap();
        let names: Vec<_> = pages.iter().map(|page| (page.text("device_name"), page.text("model"))).collect();
        assert_eq!(names, [(Some("nvme0n1"), None), (Some("nvme1n1"), None), (None, Some("X"))]);
    }

    #[test]
    fn what_is_no_drive_is_no_page() {
        for text in [
            "*-cdrom\n  description: DVD-RAM writer\n  product: X\n",
            "Model: Linux device-mapper (linear) (dm)\nDisk /dev/mapper/x: 500GB\n",
            "Hardware Class: storage\nModel: \"X\"\n",
            "Hardware Class: disk\nModel: \"Disk\"\nDevice File: /dev/mtdblock4\nCapacity: 0 GB (2028032 bytes)\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
