//! macOS: `diskutil info diskN` of a whole drive, and `system_profiler SPNVMeDataType SPSerialATADataType SPStorageDataType`.
//!
//! `SMART Status` is the drive's own verdict. Deliberately absent: partitions, volumes, disk images and the containers of APFS, which are
//! no drives.

use crate::paste::page::{
    LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, labelled, row, whole_u64,
};

pub(crate) const DISKUTIL: ToolFormat =
    ToolFormat { tool: "diskutil info", page: "macos-disk", tables: &[DISKUTIL_ROWS], special: diskutil, ..ToolFormat::PLAIN };

pub(crate) const PROFILER: ToolFormat =
    ToolFormat { tool: "system_profiler", page: "macos-disk", tables: &[PROFILER_ROWS], special: profiler, ..ToolFormat::PLAIN };

/// The drive below a volume, whose size is another one.
pub(crate) const STORAGE: ToolFormat = ToolFormat { special: storage, ..PROFILER };

const DISKUTIL_ROWS: &[LabelRow] = &[
    row("Device Identifier", "device_name", TextKind::Device),
    row("Device / Media Name", "model", TextKind::Text),
    row("Device Block Size", "logical_block_bytes", TextKind::Number),
];

const PROFILER_ROWS: &[LabelRow] = &[
    row("Model", "model", TextKind::Text),
    row("Revision", "firmware", TextKind::Text),
    row("Serial Number", "serial", TextKind::Text),
    row("BSD Name", "device_name", TextKind::Device),
    row("TRIM Support", "trim_supported", TextKind::Flag),
    row("Native Command Queuing", "ncq_supported", TextKind::Flag),
    row("Queue Depth", "ncq_depth", TextKind::Number),
    row("Rotational Rate", "rotation_rate_rpm", TextKind::Number),
];

/// Lines of one device.
const LINES_MAX: usize = 60;
const FEW_LINES: usize = 4;
const VOLUMES: &str = "volumes";

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let (label, value) = labelled(&context.line.text, ':')?;
    match label {
        "Device Identifier" if is_drive(context.rest) => Some(OutputStart::Open(&DISKUTIL)),
        "Device Identifier" => context.is_in(DISKUTIL.tool).then_some(OutputStart::Close),
        "Device Name" if context.next.is_some_and(|next| next.text.starts_with("Media Name:")) => Some(OutputStart::Open(&STORAGE)),
        "Capacity" if value.ends_with("bytes)") && has_model(context.rest) => Some(OutputStart::Open(&PROFILER)),
        _ => None,
    }
}

/// Content of a container of APFS, which is a device of its own to macOS and a partition of a drive.
const APFS_CONTAINER: &str = "EF57347C-0000-11AA-AA11-00306543ECAC";

/// True for lines of a whole device that is made of hardware.
fn is_drive(rest: &[PastedLine]) -> bool {
    let own =
        rest.iter().take(LINES_MAX).map_while(|line| labelled(&line.text, ':')).take_while(|(label, _)| *label != "Device Identifier");
    let told: Vec<(&str, &str)> = own.collect();
    let says = |label: &str, value: &str| told.iter().any(|(known, own)| *known == label && *own == value);
    says("Whole", "Yes") && !says("Virtual", "Yes") && !says("Protocol", "Disk Image") && !says("Content (IOContent)", APFS_CONTAINER)
}

fn has_model(rest: &[PastedLine]) -> bool {
    rest.iter().take(FEW_LINES).any(|line| labelled(&line.text, ':').is_some_and(|(label, _)| label == "Model"))
}

fn diskutil(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = labelled(&line.text, ':') else { return true };
    match label {
        "Disk Size" | "Total Size" => size(builder, value, line.number),
        "Solid State" if value == "Yes" => builder.set_number("rotation_rate_rpm", 0, line.number),
        "Protocol" => protocol(builder, value, line.number),
        "SMART Status" => smart_status(builder, value, line),
        _ => return !builder.knows(&line.text),
    }
    true
}

/// Volumes below a drive have capacities of their own.
fn profiler(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = labelled(&line.text, ':').filter(|_| builder.part != VOLUMES) else { return true };
    match label {
        "Volumes" => builder.part = VOLUMES,
        "Capacity" => size(builder, value, line.number),
        "Medium Type" if value == "Solid State" => builder.set_number("rotation_rate_rpm", 0, line.number),
        "S.M.A.R.T. status" => smart_status(builder, value, line),
        "Link Width" | "Link Speed" => {}
        _ => return !builder.knows(&line.text),
    }
    true
}

/// The last line of the drive is its status; the next volume follows.
fn storage(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = labelled(&line.text, ':').filter(|_| builder.part != VOLUMES) else { return true };
    match label {
        "Device Name" => builder.set_text("model", value, line.number),
        "Medium Type" if value == "SSD" => builder.set_number("rotation_rate_rpm", 0, line.number),
        "Protocol" => protocol(builder, value, line.number),
        "S.M.A.R.T. Status" => {
            smart_status(builder, value, line);
            builder.part = VOLUMES;
        }
        _ => {}
    }
    true
}

/// `500.3 GB (500277790720 Bytes) (exactly 977105060 512-Byte-Units)`, `500.28 GB (500,277,790,720 bytes)`.
fn size(builder: &mut PageBuilder, value: &str, line: usize) {
    const LEAST_BYTES: u64 = 1_000_000;
    let bytes = value.split_once('(').filter(|(_, rest)| rest.to_lowercase().contains("bytes")).and_then(|(_, rest)| whole_u64(rest));
    builder.set_number("capacity_bytes", bytes.filter(|bytes| *bytes >= LEAST_BYTES), line);
}

fn protocol(builder: &mut PageBuilder, value: &str, line: usize) {
    let protocol = match value {
        "SATA" | "ATA" => "ATA",
        "Apple Fabric" | "NVMe" => "NVMe",
        "SAS" => "SCSI",
        _ => return,
    };
    builder.set_text("protocol", protocol, line);
}

/// `Verified`, `Failing`, `About to Fail`, `Not Supported`.
fn smart_status(builder: &mut PageBuilder, value: &str, line: &PastedLine) {
    let passed = match value.to_ascii_lowercase().as_str() {
        "verified" => true,
        word if word.contains("fail") => false,
        "" | "not supported" | "unknown" => return,
        _ => return builder.unread_health(line),
    };
    builder.set_if_new("smart_passed", Value::Flag(passed), line.number);
}

#[cfg(test)]
mod tests {
    use crate::field::Page;
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, read};

    fn drive(status: &str) -> Vec<Page> {
        read(&format!("Device Identifier: disk0\nWhole: Yes\nDevice / Media Name: X\nSMART Status: {status}\n")).unwrap()
    }

    #[test]
    fn words_on_health() {
        for (word, state) in [
            ("Verified", HealthState::OkAsFarAsTold),
            ("Failing", HealthState::Failing),
            ("About to Fail", HealthState::Failing),
            ("Not Supported", HealthState::Unknown),
            ("Something new", HealthState::Unknown),
        ] {
            assert_eq!(judge("", &drive(word)).state, state, "{word}");
        }
    }

    #[test]
    fn the_drive_below_a_volume_has_not_its_size() {
        let volume = |status: &str| {
            format!(
                "    Data:\n      Free: 4.55 GB (4,548,370,432 bytes)\n      Capacity: 494.38 GB (494,384,795,648 bytes)\n      BSD Name: disk3s5\n\
                \x20     Physical Drive:\n          Device Name: APPLE SSD AP0512Z\n          Media Name: AppleAPFSMedia\n          Medium Type: SSD\n\
                \x20         Protocol: Apple Fabric\n          S.M.A.R.T. Status: {status}\n"
            )
        };
        let drives = drives(&read(&format!("{}{}", volume("Verified"), volume("Verified"))).unwrap());
        assert_eq!((drives.len(), drives[0][0].text("model"), drives[0][0].number("capacity_bytes")), (1, Some("APPLE SSD AP0512Z"), None));
        assert_eq!(judge("", &drives[0]).state, HealthState::OkAsFarAsTold);
        assert_eq!(judge("", &read(&volume("Failing")).unwrap()).state, HealthState::Failing);
    }

    #[test]
    fn what_is_no_drive_is_no_page() {
        const APFS: &str = "Whole: Yes\nContent (IOContent): EF57347C-0000-11AA-AA11-00306543ECAC";
        for line in ["Whole: No", "Whole: Yes\nVirtual: Yes", "Whole: Yes\nProtocol: Disk Image", "Volume Name: X", APFS] {
            assert!(read(&format!("Device Identifier: disk3\n{line}\nDisk Size: 5.0 GB (5000000000 Bytes)\n")).is_err(), "{line}");
        }
    }
}
