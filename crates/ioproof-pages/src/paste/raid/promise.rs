//! `promiseutil -C phydrv -v` of Promise's Pegasus and VTrak: two labels a line. Errors are those that the controller counted.

use super::{BLOCK, PAGE, ROUNDED, add_errors, block, cut_model, interface, size, state};
use crate::paste::page::{LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, labelled, pairs, row};

pub(crate) const PROMISE: ToolFormat =
    ToolFormat { tool: "promiseutil", page: PAGE, tables: &[ROWS], special: all, finish: cut_model, ..ToolFormat::PLAIN };

const ROWS: &[LabelRow] = &[
    row("ModelNo", "model", TextKind::Text),
    row("SerialNo", "serial", TextKind::Text),
    row("FirmwareVersion", "firmware", TextKind::Text),
    row("WriteCache", "write_cache_enabled", TextKind::Flag),
    row("DriveTemperature", "temperature_celsius", TextKind::Celsius),
];

pub(in super::super) fn start(context: &LineContext) -> Option<OutputStart> {
    let (label, number) = labelled(&context.line.text, ':')?;
    (label == "PdId" && number.parse::<u32>().is_ok()).then(|| OutputStart::OpenNamed(&PROMISE, format!("PdId {number}")))
}

/// `PhysicalCapacity: 2TB                  ConfigurableCapacity: 2TB`: a word with a colon begins a pair.
fn all(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    pairs(&line.text).iter().fold(true, |is_read, (label, value)| pair(builder, label, value, line) && is_read)
}

fn pair(builder: &mut PageBuilder, label: &str, value: &str, line: &PastedLine) -> bool {
    match label {
        "OperationalStatus" => state(builder, value, line),
        "PhysicalCapacity" => capacity(builder, value, line.number),
        "BlockSize" => return block(builder, BLOCK, value, line.number),
        "DriveInterface" => interface(builder, value, line.number),
        "ReadErrors" | "WriteErrors" => return add_errors(builder, value, line.number),
        "WriteCache" if value.eq_ignore_ascii_case("unknown") => {}
        _ if builder.has_row(label) => return builder.take(label, value, line.number),
        _ => {}
    }
    true
}

/// Old firmware counts in powers of two and new in powers of ten; only a size without a fraction is one of a label.
fn capacity(builder: &mut PageBuilder, value: &str, line: usize) {
    let bytes = size(value, 1000.0).filter(|_| !value.contains('.'));
    bytes.into_iter().for_each(|bytes| builder.set(ROUNDED, Value::Number(bytes), line));
}

#[cfg(test)]
mod tests {
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, facts, read};

    fn drive(number: u32, status: &str, errors: u32) -> String {
        format!(
            "-----------------------------\nPdId: {number}\nOperationalStatus: {status}\nAlias:\n\
             PhysicalCapacity: 2TB                  ConfigurableCapacity: 2TB\nUsedCapacity: 2TB                      BlockSize: 512Bytes\n\
             ModelNo: Hitachi HDS72302\nSerialNo: MN0000F000000{number}           FirmwareVersion: MN6OA5C0\n\
             DriveInterface: SATA 3Gb/s             Protocol: ATA/ATAPI-8\nWriteCacheSupport: Yes                 WriteCache: Enabled\n\
             Errors: {errors}                              NonRWErrors: 0\nReadErrors: {errors}                          WriteErrors: 1\n\
             DriveTemperature: 38C/100F             ReferenceDriveTemperature: N/A\n"
        )
    }

    #[test]
    fn two_labels_a_line_are_two_facts() {
        let text = format!("{}{}", drive(1, "OK", 0), drive(2, "OK", 0));
        let drives = drives(&read(&text).unwrap());
        assert_eq!(drives.len(), 2);
        let narrow = read(&text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")).unwrap();
        assert_eq!(narrow[1].text("serial"), Some("MN0000F0000002"));
        let told = facts(&drives[0]).unwrap();
        assert_eq!((told.name.as_str(), told.model.unwrap().value.as_str()), ("PdId 1", "Hitachi HDS72302"));
        assert_eq!((told.serial.unwrap().value.as_str(), told.firmware.unwrap().value.as_str()), ("MN0000F0000001", "MN6OA5C0"));
        assert_eq!((told.capacity_bytes.value, told.logical_block_bytes.unwrap().value), (2_000_000_000_000, 512));
        assert_eq!((told.temperature_celsius.unwrap().value, told.write_cache.unwrap().value.as_str()), (38.0, "write back"));
    }

    #[test]
    fn states_and_errors_count() {
        let state = |text: &str| judge("", &read(text).unwrap()).state;
        assert_eq!(state(&drive(1, "OK", 0).replace("WriteErrors: 1", "WriteErrors: 0")), HealthState::OkAsFarAsTold);
        assert_eq!(state(&drive(1, "OK", 3)), HealthState::Watch);
        for status in ["Dead", "OK, PFA", "Failed"] {
            assert_eq!(state(&drive(1, status, 0)), HealthState::Failing, "{status}");
        }
        assert_eq!(state(&drive(1, "Missing", 0)), HealthState::Worn);
    }

    #[test]
    fn a_size_of_either_base_is_not_told() {
        let page = read(&drive(1, "OK", 0).replace("PhysicalCapacity: 2TB ", "PhysicalCapacity: 149.05GB ")).unwrap().remove(0);
        assert_eq!(page.number("capacity_rounded_bytes"), None);
    }
}
