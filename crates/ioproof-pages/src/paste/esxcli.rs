//! `esxcli storage core device list` and `... smart get` of ESXi: names and rounded sizes, and a table of a few attributes.
//!
//! The table prints normalised values of ATA drives and counts of others: where a worst value stands beside it, a value is normalised. Some versions cut the
//! raw value to a byte, so that hours below 256 are not taken.

use super::raid::cut_model;
use crate::paste::page::{LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, row, whole_u64};

pub(crate) const LIST: ToolFormat = ToolFormat {
    tool: "esxcli device list",
    page: "device-list",
    tables: &[LIST_ROWS],
    special: other,
    finish: named,
    ..ToolFormat::PLAIN
};

pub(crate) const SMART: ToolFormat =
    ToolFormat { tool: "esxcli smart get", page: "esxcli-smart", special: attribute, finish, ..ToolFormat::PLAIN };

const LIST_ROWS: &[LabelRow] = &[
    row("Size", "capacity_mib", TextKind::NumberUnlessZero),
    row("Model", "model", TextKind::Text),
    row("Revision", "firmware", TextKind::Text),
];

/// Counts of the table, with the key of each.
const COUNTS: [(&str, &str); 5] = [
    (REALLOCATED, "reallocated_sectors"),
    ("Pending Sector Reallocation Count", "pending_sectors"),
    ("Uncorrectable Sector Count", "uncorrectable_sectors"),
    ("Power-on Hours", HOURS),
    ("Drive Temperature", TEMPERATURE),
];

/// Attributes of use and of the surroundings: their threshold foretells no failure.
const AGED: [&str; 4] = ["Power-on Hours", "Power Cycle Count", "Drive Temperature", "Driver Rated Max Temperature"];

/// Attribute that every ATA drive has, and rows about the medium that must be there beside it before a table counts as whole.
const REALLOCATED: &str = "Reallocated Sector Count";
const ROWS_MIN: u64 = 2;

/// Rows that must not be lost: without its figures such a row says nothing good.
const SECTORS: [&str; 3] = [REALLOCATED, "Pending Sector Reallocation Count", "Uncorrectable Sector Count"];

const PASSED: &str = "smart_passed";
const HOURS: &str = "power_on_hours";
const TEMPERATURE: &str = "temperature_celsius";
const FAILING: &str = "attributes_failing";

/// The drive's name stands alone before its display name.
pub(super) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let names_drive = |line: &PastedLine| line.text.starts_with("Display Name:");
    match () {
        () if text.starts_with("Parameter") && text.contains("Threshold") && text.contains("Worst") => Some(OutputStart::Open(&SMART)),
        () if !text.contains(' ') && context.next.is_some_and(names_drive) => Some(OutputStart::Device(&LIST, text.to_owned())),
        () if names_drive(context.line) && !context.is_in(LIST.tool) => Some(OutputStart::Open(&LIST)),
        () => None,
    }
}

/// Other lines are about the path to the drive. ATA and NVMe stand where a vendor would.
fn other(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((label, value)) = line.text.split_once(':') else { return false };
    match (label.trim(), value.trim()) {
        ("Vendor", "ATA") => builder.set_text("protocol", "ATA", line.number),
        ("Vendor", "NVMe") => builder.set_text("protocol", "NVMe", line.number),
        ("Vendor", vendor) if !vendor.is_empty() => builder.set_text("vendor", vendor, line.number),
        ("Is SSD", "true") => builder.set_number("rotation_rate_rpm", 0, line.number),
        _ => return !builder.knows(&line.text),
    }
    true
}

/// `Reallocated Sector Count  100  10  100  0`: value, threshold, worst, and raw in newer versions.
fn attribute(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let text = line.text.as_str();
    if text.starts_with("Parameter") {
        return true;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_figure = |word: &&&str| **word == "N/A" || word.bytes().all(|byte| byte.is_ascii_digit());
    let figures = words.iter().rev().take_while(is_figure).count();
    if let Some(status) = text.strip_prefix("Health Status") {
        return builder.take_as(TextKind::Passed, (PASSED, PASSED), status.split_whitespace().next().unwrap_or_default(), line.number);
    }
    if !(3..=4).contains(&figures) {
        if SECTORS.iter().any(|name| text.starts_with(name)) {
            builder.unread_health(line);
        }
        return false;
    }
    let (name, figures) = words.split_at(words.len() - figures);
    let name = name.join(" ");
    let figure = |at: usize| figures.get(at).and_then(|word| whole_u64(word));
    let (value, threshold, worst, raw) = (figure(0), figure(1), figure(2), figure(3));
    if let (Some(value), Some(threshold), Some(_)) = (value, threshold, worst) {
        let is_aged = AGED.contains(&name.as_str());
        let aged = if is_aged { " (worn or aged)" } else { "" };
        builder.tally += u64::from(!is_aged);
        if name == REALLOCATED {
            builder.part = REALLOCATED;
        }
        let failing = format!("{name}{aged}");
        builder.add_word(FAILING, (threshold > 0 && value <= threshold).then_some(failing.as_str()), line.number);
    }
    let count = if worst.is_some() { raw } else { value };
    if let (Some((_, key)), Some(count)) = (COUNTS.iter().find(|(known, _)| *known == name), count) {
        let is_whole = match *key {
            HOURS => worst.is_none() || count > 0xff,
            TEMPERATURE => (1..=127).contains(&count),
            _ => count <= u64::from(u32::MAX),
        };
        if is_whole {
            builder.set(key, Value::Number(count), line.number);
        }
    }
    true
}

/// The drive's name tells how it is attached; a table of normalised values is one of ATA.
fn protocol(builder: &mut PageBuilder) {
    let name = builder.text("device_name").unwrap_or_default();
    let protocol = match () {
        () if name.starts_with("t10.NVMe") || name.starts_with("eui.") => "NVMe",
        () if name.starts_with("t10.ATA") || builder.field(FAILING).is_some() => "ATA",
        () if name.starts_with("naa.") => "SCSI",
        () => return,
    };
    let line = builder.last_field_line().max(1);
    builder.set_text("protocol", protocol, line);
}

fn finish(builder: &mut PageBuilder) {
    protocol(builder);
    drop_part(builder);
    named(builder);
}

/// A few rows do not stand for the table: nothing at its threshold says something only where the rows of failure are there.
fn drop_part(builder: &mut PageBuilder) {
    let is_whole = builder.part == REALLOCATED && builder.tally >= ROWS_MIN;
    let is_good = builder.field(FAILING).is_some_and(|(field, _)| field.value == Value::List(Vec::new()));
    if is_good && !is_whole {
        builder.remove(FAILING);
    }
}

/// Model and serial number by the name of an ATA drive, where the list gives none or a part.
fn named(builder: &mut PageBuilder) {
    let names = builder.text("device_name").and_then(|name| ata_name(&name));
    let Some(((model, serial), (_, line))) = names.zip(builder.field("device_name")) else { return cut_model(builder) };
    if builder.text("model").is_none_or(|known| model.starts_with(&known)) {
        builder.replace("model", Value::Text(model), line);
    }
    builder.set_if_new("serial", Value::Text(serial), line);
}

/// `t10.ATA_____` with the model in 40 characters and the serial number in 20, all blanks as `_`. ESXi writes `-` as `2D`.
fn ata_name(name: &str) -> Option<(String, String)> {
    const MODEL: usize = 40;
    const BOTH: usize = 60;
    let name = name.strip_prefix("t10.ATA_____").filter(|name| name.is_ascii())?;
    let dashes = name.len().saturating_sub(BOTH);
    let name = if dashes > 0 && name.matches("2D").count() == dashes { name.replace("2D", "-") } else { name.to_owned() };
    // A shorter name was cut behind the serial number, and no dash may be in it.
    let is_cut = name.len() > MODEL && name.len() < BOTH && !name.contains("2D") && name[..MODEL].ends_with("__");
    if name.len() != BOTH && !is_cut {
        return None;
    }
    let (model, serial) = (name[..MODEL].trim_end_matches('_'), name[MODEL..].trim_matches('_'));
    let has_dashes = ["Micron_", "Crucial_"].iter().any(|maker| model.starts_with(maker));
    let model = if has_dashes { model.to_owned() } else { model.replace('_', " ") };
    (!model.is_empty() && !model.starts_with(' ') && !serial.is_empty() && !serial.contains('_')).then(|| (model, serial.to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::field::{Page, Value};
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, facts, read};

    const SATA: &str = "\
[root@esx:~] esxcli storage core device smart get -d t10.ATA_____MODEL___SERIAL
Parameter                  Value  Threshold  Worst  Raw
-------------------------  -----  ---------  -----  ---
Health Status              OK     N/A        N/A    N/A
Media Wearout Indicator    99     0          99     24
Power-on Hours             93     0          93     209
Reallocated Sector Count   100    10         100    0
Drive Temperature          64     0          49     36
";

    fn number(pages: &[Page], key: &str) -> Option<u64> {
        pages[0].number(key)
    }

    #[test]
    fn normalised_values_are_no_counts() {
        let pages = read(SATA).unwrap();
        assert_eq!(
            (number(&pages, "power_on_hours"), number(&pages, "reallocated_sectors"), number(&pages, "temperature_celsius")),
            (None, Some(0), Some(36))
        );
        assert_eq!(judge("", &pages).state, HealthState::Ok);
        let old = SATA.replace("  Raw", "").replace("100    0\n", "100\n").replace("36\n", "\n").replace("209", "").replace("24\n", "\n");
        let old = read(&old.replace("OK     N/A        N/A    N/A", "OK     N/A        N/A")).unwrap();
        assert_eq!((number(&old, "reallocated_sectors"), number(&old, "temperature_celsius")), (None, None));
    }

    #[test]
    fn a_value_at_its_threshold_and_a_bad_status_are_failing() {
        let worn = SATA.replace("100    10 ", "9      10 ");
        assert_eq!(judge("", &read(&worn).unwrap()).state, HealthState::Failing);
        let failed = SATA.replace("OK  ", "FAIL");
        assert_eq!(judge("", &read(&failed).unwrap()).state, HealthState::Failing);
    }

    #[test]
    fn a_few_rows_are_not_the_table() {
        let rows = |left_out: &[&str]| {
            let kept = |line: &&str| !left_out.iter().any(|row| line.starts_with(row));
            let text: String = SATA.lines().filter(kept).map(|line| format!("{line}\n")).collect();
            judge("", &read(&text).unwrap()).state
        };
        let (status, wear, hours, sectors, heat) =
            ("Health Status", "Media Wearout", "Power-on Hours", "Reallocated Sector Count", "Drive Temperature");
        assert_eq!(rows(&[hours, heat]), HealthState::Ok);
        assert_eq!(rows(&[sectors]), HealthState::OkAsFarAsTold);
        assert_eq!(rows(&[wear]), HealthState::OkAsFarAsTold);
        assert_eq!(rows(&[wear, sectors, heat]), HealthState::OkAsFarAsTold);
        assert_eq!(rows(&[status]), HealthState::OkAsFarAsTold);
        assert_eq!(rows(&[status, wear, sectors]), HealthState::Unknown);
        let wrapped = SATA.replace("Count   100    10 ", "Count\n100    10 ");
        assert_eq!(judge("", &read(&wrapped).unwrap()).state, HealthState::Unknown);
        let worn = SATA.replace("100    10 ", "9      10 ").replace("Media Wearout Indicator    99     0          99     24\n", "");
        assert_eq!(judge("", &read(&worn).unwrap()).state, HealthState::Failing);
    }

    #[test]
    fn the_name_of_an_ata_drive_holds_model_and_serial() {
        let told = |name: &str| super::ata_name(name);
        let both = |model: &str, serial: &str| Some((model.to_owned(), serial.to_owned()));
        let samsung = "t10.ATA_____Samsung_SSD_840_EVO_750GB_______________S1DMNEAD900000R_____";
        assert_eq!(told(samsung), both("Samsung SSD 840 EVO 750GB", "S1DMNEAD900000R"));
        assert_eq!(told(samsung.trim_end_matches('_')), both("Samsung SSD 840 EVO 750GB", "S1DMNEAD900000R"));
        let seagate = "t10.ATA_____ST4000NM000A2D2HZ100_________________________________WS200000";
        assert_eq!(told(seagate), both("ST4000NM000A-2HZ100", "WS200000"));
        for name in
            ["t10.ATA_____MODEL___SERIAL", "t10.ATA_____SATADOM2DSV_3SE_20150522AA9992050074", "naa.5000000000000000", &seagate[..70]]
        {
            assert_eq!(told(name), None, "{name}");
        }
        let list = format!("{samsung}\n   Display Name: Local ATA Disk\n   Size: 715404\n   Model: Samsung SSD 840 \n   Vendor: ATA\n");
        let pages = read(&list).unwrap();
        assert_eq!(pages[0].text("model"), Some("Samsung SSD 840 EVO 750GB"));
        assert!(pages[0].problems.is_empty(), "{:?}", pages[0].problems);
        let table = read(&SATA.replace("t10.ATA_____MODEL___SERIAL", samsung)).unwrap();
        assert_eq!(table[0].text("serial"), Some("S1DMNEAD900000R"));
    }

    #[test]
    fn counts_of_nvme_are_read_and_the_list_names_the_drive() {
        let text = "\
t10.NVMe____SSD_2TB____0500
   Display Name: Local NVMe Disk (t10.NVMe____SSD_2TB____0500)
   Has Settable Display Name: true
   Size: 1953514
   Vendor: NVMe
   Model: Lexar SSD NM790 2TB
   Revision: 12237
   Is SSD: true
# esxcli storage core device smart get -d t10.NVMe____SSD_2TB____0500
Parameter                 Value   Threshold  Worst  Raw
------------------------  ------  ---------  -----  ---
Health Status             OK      N/A        N/A    N/A
Power-on Hours            7       N/A        N/A    N/A
Reallocated Sector Count  0       90         N/A    N/A
Drive Temperature         36      90         N/A    N/A
";
        let drives = drives(&read(text).unwrap());
        assert_eq!(drives.len(), 1);
        let told = facts(&drives[0]).unwrap();
        assert_eq!((told.model.unwrap().value.as_str(), told.capacity_bytes.value), ("Lexar SSD NM790 2TB", 1_953_514 << 20));
        assert_eq!(drives[0][1].field("power_on_hours").unwrap().value, Value::Number(7));
        assert_ne!(judge("", &drives[0]).state, HealthState::Failing);
    }
}
