//! Drives as Windows lists them, as a list of properties: `Get-PhysicalDisk`, `Get-Disk` and `Get-StorageReliabilityCounter | fl`, and
//! `wmic diskdrive get ... /value`.
//!
//! `HealthStatus` and `Status` are the judgement of Windows: a drive that fails is one, a drive in good health is good as far as told. A
//! size with a unit is rounded; that of wmic is cut to whole cylinders. The serial number of an NVMe drive is its EUI-64. Tables of the
//! same properties are read in `windows_tables`.

use crate::paste::ata::scsi::uncorrected;
use crate::paste::page::{
    JsonDocument, JsonOutput, LineContext, OutputStart, PageBuilder, PastedLine, ToolFormat, Value, rounded_size_bytes, whole_u64,
};

pub(crate) const JSON: ToolFormat = ToolFormat { tool: "ConvertTo-Json", page: "windows-disk", ..ToolFormat::PLAIN };

pub(crate) const LIST: ToolFormat = ToolFormat {
    tool: "Windows",
    page: "windows-disk",
    special: list_line,
    ignored: &["Cim", "PSComputerName", "PassThrough"],
    ..ToolFormat::PLAIN
};

/// Properties by which a list of a drive is known. They are one word, and no other tool has them.
#[rustfmt::skip]
const KNOWN_BY: &[&str] = &[
    "FriendlyName", "SerialNumber", "AdapterSerialNumber", "HealthStatus", "OperationalStatus", "MediaType", "FirmwareRevision",
    "FirmwareVersion", "PhysicalSectorSize", "ReadErrorsUncorrected", "WriteErrorsUncorrected", "PowerOnHours", "ReadErrorsTotal",
    "LogicalSectorSize", "InterfaceType", "BusType",
];

/// Properties that wmic prints with `=`.
const KNOWN_OF_WMIC: &[&str] = &["Model", "Caption", "Size", "Status", "DeviceID", "Partitions"];
const PROPERTIES_MAX: usize = 200;

/// Lines that are looked at for another property of the same list.
const FEW_LINES: usize = 40;
const PROPERTIES_MIN: usize = 2;

/// A drive begins with a property that the one before had already.
pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let (name, _) = property(&context.line.text)?;
    if context.is_in(LIST.tool) {
        let is_again = context.open.is_some_and(|builder| has(builder, name));
        return is_again.then_some(OutputStart::Open(&LIST));
    }
    let near = std::iter::once(context.line).chain(context.rest.iter().take(FEW_LINES));
    let is_known =
        |name: &str, text: &str| KNOWN_BY.contains(&name) || text[name.len()..].starts_with('=') && KNOWN_OF_WMIC.contains(&name);
    let known = near.map_while(|line| Some((property(&line.text)?.0, &line.text))).filter(|(name, text)| is_known(name, text)).count();
    (known >= PROPERTIES_MIN).then_some(OutputStart::Open(&LIST))
}

pub(crate) fn is_its(document: &JsonDocument) -> bool {
    const TELLING: [&str; 4] = ["HealthStatus", "MediaType", "BusType", "SerialNumber"];
    document.has("FriendlyName") && TELLING.iter().any(|key| document.has(key)) || document.has("ReadErrorsUncorrected")
}

/// An object of one drive; some versions print numbers for the words.
pub(crate) fn read(builders: &mut Vec<PageBuilder>, json: &JsonOutput) {
    const WORDS: [(&str, &str, &str); 5] = [
        ("HealthStatus", "0", "Healthy"),
        ("HealthStatus", "1", "Warning"),
        ("HealthStatus", "2", "Unhealthy"),
        ("MediaType", "3", "HDD"),
        ("MediaType", "4", "SSD"),
    ];
    let first = json.document.leaves.first().map_or(1, |leaf| leaf.line) + json.line_before;
    let mut builder = JSON.open(json.command, first);
    for leaf in json.document.leaves.iter().filter(|leaf| leaf.text != "null") {
        let word = WORDS.iter().find(|(key, number, _)| *key == leaf.path && *number == leaf.text).map(|(.., word)| *word);
        put(&mut builder, &leaf.path, word.unwrap_or(&leaf.text), leaf.line + json.line_before);
        builder.reaches(leaf.line + json.line_before);
    }
    builders.push(builder);
}

/// `FriendlyName       : Samsung SSD 970 EVO`, `Model=Samsung SSD 850 EVO ATA Device`.
fn property(text: &str) -> Option<(&str, &str)> {
    let at = text.find([':', '='])?;
    let name = text[..at].trim_end();
    is_property(name).then(|| (name, text[at + 1..].trim()))
}

/// A name of one word with capitals, of letters alone.
fn is_property(name: &str) -> bool {
    name.len() > 1 && name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(|c| c.is_ascii_alphanumeric())
}

/// True where the open page read this property already.
fn has(builder: &PageBuilder, name: &str) -> bool {
    builder.seen.iter().any(|seen| seen == name)
}

fn list_line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((name, value)) = property(&line.text) else { return true };
    if builder.seen.len() < PROPERTIES_MAX {
        builder.seen.push(name.to_owned());
    }
    put(builder, name, value, line.number);
    true
}

const FAILING: &str = "failing_by_host";
const CAUTION: &str = "caution_by_host";

/// Reads one property; those that say nothing that is needed are passed over. PowerShell cuts what does not fit with dots: that is no
/// value.
pub(super) fn put(builder: &mut PageBuilder, name: &str, value: &str, line: usize) {
    let value = value.trim().trim_matches(['{', '}']);
    if value.is_empty() || value.ends_with("...") || value.ends_with('…') {
        return;
    }
    let plain = name.replace(' ', "").to_ascii_lowercase();
    let number = || whole_u64(value).filter(|_| value.bytes().all(|digit| digit.is_ascii_digit()));
    match plain.as_str() {
        // Anybody may choose the friendly name, and old versions number it.
        "model" => {
            builder.remove("model");
            model(builder, value, line);
        }
        "friendlyname" if value.strip_prefix("PhysicalDisk").is_some_and(|rest| rest.bytes().all(|digit| digit.is_ascii_digit())) => {
            physical_drive(builder, value, line);
        }
        "friendlyname" | "caption" => model(builder, value, line),
        "serialnumber" | "adapterserialnumber" => serial(builder, plain.as_str() == "adapterserialnumber", value, line),
        "firmwareversion" | "firmwarerevision" => builder.set_text("firmware", value, line),
        "deviceid" | "name" if value.to_ascii_uppercase().contains("PHYSICALDRIVE") => physical_drive(builder, value, line),
        "deviceid" | "number" => {
            number().into_iter().for_each(|number| physical_drive(builder, &format!("PhysicalDrive{number}"), line));
        }
        "size" | "totalsize" => size(builder, value, line),
        "logicalsectorsize" => builder.set_number("logical_block_bytes", number(), line),
        "physicalsectorsize" => builder.set_number("physical_block_bytes", number(), line),
        "mediatype" if value == "SSD" => builder.set_number("rotation_rate_rpm", Some(0), line),
        "spindlespeed" => builder.set_number("rotation_rate_rpm", number().filter(|rate| (1..100_000).contains(rate)), line),
        "bustype" => protocol(builder, value, line),
        "healthstatus" | "operationalstatus" | "status" => status(builder, &plain, value, line),
        "temperature" => builder.set_number("temperature_celsius", number().filter(|degrees| (2..=127).contains(degrees)), line),
        "poweronhours" => builder.set_number("power_on_hours", number().filter(|hours| *hours > 0), line),
        "startstopcyclecount" => builder.set_number("start_stop_cycles", number(), line),
        "wear" => wear(builder, number(), line),
        "readerrorsuncorrected" | "writeerrorsuncorrected" => {
            uncorrected(builder, number(), line);
        }
        _ => {}
    }
}

/// Names as Windows dresses them: `NVMe SAMSUNG MZVLW256`, `Samsung SSD 850 EVO 500GB ATA Device`.
fn model(builder: &mut PageBuilder, value: &str, line: usize) {
    const ENDS: [&str; 4] = [" ATA Device", " SCSI Disk Device", " USB Device", " NVMe Device"];
    const FIELD_CHARS: usize = 16;
    let bare = ENDS.iter().find_map(|end| value.strip_suffix(end)).unwrap_or(value);
    let name = bare.strip_prefix("NVMe ").or_else(|| bare.strip_prefix("ATA ")).unwrap_or(bare).trim();
    if name.is_empty() || builder.field("model").is_some() {
        return;
    }
    if name.len() < bare.len() && name.chars().count() == FIELD_CHARS {
        builder.problem(format!("the model may be cut: SCSI has {FIELD_CHARS} characters for it"));
    }
    builder.set_text("model", name, line);
}

/// `0025_38B1_91B1_4537.` is the name of the namespace.
fn serial(builder: &mut PageBuilder, is_of_controller: bool, value: &str, line: usize) {
    let bare = value.trim_end_matches('.');
    let groups: Vec<&str> = bare.split('_').collect();
    let is_group = |group: &&str| group.len() == 4 && group.bytes().all(|digit| digit.is_ascii_hexdigit());
    if groups.len() >= 4 && groups.iter().all(is_group) {
        let key = if groups.len() == 4 { "eui64" } else { "nguid" };
        return builder.set_if_new(key, Value::Text(groups.concat().to_lowercase()), line);
    }
    let value = Value::Text(bare.to_owned());
    if is_of_controller { builder.replace("serial", value, line) } else { builder.set_if_new("serial", value, line) }
}

fn physical_drive(builder: &mut PageBuilder, value: &str, line: usize) {
    let number: String = value.chars().filter(char::is_ascii_digit).collect();
    if !number.is_empty() {
        builder.set_if_new("device_name", Value::Text(format!("PhysicalDrive{number}")), line);
    }
}

/// Bytes; or a figure with a unit of 1024, which is rounded. wmic counts whole cylinders of 255 heads and 63 sectors.
fn size(builder: &mut PageBuilder, value: &str, line: usize) {
    const LEAST_BYTES: u64 = 1_000_000;
    const CYLINDER_BYTES: u64 = 255 * 63 * 512;
    let key = |bytes: u64| if bytes.is_multiple_of(CYLINDER_BYTES) { "capacity_rounded_bytes" } else { "capacity_bytes" };
    let told = match value.parse::<u64>() {
        Ok(bytes) => Some((key(bytes), bytes)).filter(|_| bytes >= LEAST_BYTES),
        Err(_) => rounded(value).map(|bytes| ("capacity_rounded_bytes", bytes)),
    };
    told.into_iter().for_each(|(key, bytes)| builder.set_number(key, bytes, line));
}

/// `931.51 GB`, in some languages `931,51 GB`. Fewer than three digits say too little.
fn rounded(value: &str) -> Option<u64> {
    let (figure, unit) = value.split_once(' ')?;
    rounded_size_bytes(figure, unit, 1024.0).filter(|_| unit.ends_with('B'))
}

fn protocol(builder: &mut PageBuilder, value: &str, line: usize) {
    let protocol = match value {
        "NVMe" | "17" => "NVMe",
        "SATA" | "ATA" | "11" | "3" => "ATA",
        "SAS" | "10" => "SCSI",
        _ => return,
    };
    builder.set_text("protocol", protocol, line);
}

/// `Healthy`, `Warning` and `Unhealthy`; `OK`, `Pred Fail`, `Predictive Failure`, `Lost Communication`, or several of them.
fn status(builder: &mut PageBuilder, property: &str, value: &str, line: usize) {
    for word in value.split(',').map(str::trim) {
        let said = format!("{word}, by Windows");
        let (failing, caution) = match word.to_ascii_lowercase().as_str() {
            "healthy" => (None, None),
            "ok" if property == "status" => (None, None),
            "warning" | "degraded" | "stressed" | "abnormal latency" | "lost communication" | "lost comm" | "no contact" => {
                (None, Some(said.as_str()))
            }
            "unhealthy"
            | "pred fail"
            | "nonrecover"
            | "predictive failure"
            | "error"
            | "failed media"
            | "io error"
            | "device hardware error" => (Some(said.as_str()), None),
            _ => continue,
        };
        builder.add_word(FAILING, failing, line);
        builder.add_word(CAUTION, caution, line);
    }
}

/// Share of the endurance that is used. Windows has 0 for drives of which it knows nothing else.
fn wear(builder: &mut PageBuilder, used: Option<u64>, line: usize) {
    const OTHERS: [&str; 3] = ["temperature_celsius", "power_on_hours", "media_errors"];
    let is_told = OTHERS.iter().any(|key| builder.field(key).is_some());
    builder.set_number("percentage_used_percent", used.filter(|used| *used <= 255 && (*used > 0 || is_told)), line);
}

#[cfg(test)]
mod tests {
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, read};

    const LIST: &str = "FriendlyName : NVMe SAMSUNG MZVLW256\nSerialNumber : 0025_3850_0000_0001.\nHealthStatus : WORD\nSize : 931.51 GB\n";

    fn state(word: &str) -> HealthState {
        judge("", &read(&LIST.replace("WORD", word)).unwrap()).state
    }

    #[test]
    fn words_on_health() {
        for (word, expected) in [
            ("Healthy", HealthState::OkAsFarAsTold),
            ("Warning", HealthState::Watch),
            ("Unhealthy", HealthState::Failing),
            ("Unknown", HealthState::Unknown),
            ("", HealthState::Unknown),
        ] {
            assert_eq!(state(word), expected, "{word}");
        }
        let ok = LIST.replace("HealthStatus : WORD", "OperationalStatus : OK");
        assert_eq!(judge("", &read(&ok).unwrap()).state, HealthState::Unknown, "it is about the connection");
    }

    #[test]
    fn rounded_sizes_cut_names_and_the_name_of_a_namespace() {
        let page = &read(LIST).unwrap()[0];
        assert_eq!((page.number("capacity_bytes"), page.number("capacity_rounded_bytes")), (None, Some(1_000_201_246_474)));
        assert_eq!(
            (page.text("model"), page.text("serial"), page.text("eui64")),
            (Some("SAMSUNG MZVLW256"), None, Some("0025385000000001"))
        );
        assert!(page.problems[0].contains("may be cut"));
        let exact = read(&LIST.replace("931.51 GB", "1000204886016")).unwrap();
        assert_eq!(exact[0].number("capacity_bytes"), Some(1_000_204_886_016));
    }

    #[test]
    fn properties_of_wmic_with_equals_signs() {
        let text = "Model=Samsung SSD 850 EVO 500GB ATA Device\nSerialNumber=S21P\nSize=500105249280\nStatus=OK\n\n\nModel=ST9500325AS ATA Device\n\
            SerialNumber=5VE0\nSize=500105249280\nStatus=Pred Fail\n";
        let drives = drives(&read(text).unwrap());
        let told = |at: usize| (drives[at][0].text("model"), drives[at][0].number("capacity_bytes"), judge("", &drives[at]).state);
        assert_eq!(told(0), (Some("Samsung SSD 850 EVO 500GB"), None, HealthState::OkAsFarAsTold));
        assert_eq!(told(1), (Some("ST9500325AS"), None, HealthState::Failing));
    }

    #[test]
    fn objects_with_words_and_with_numbers() {
        let text = |health: &str, media: &str| {
            format!(
                "[\n  {{\n    \"FriendlyName\": \"X\",\n    \"HealthStatus\": {health},\n    \"MediaType\": {media},\n    \"Size\": 1000204886016\n  }}\n]\n"
            )
        };
        for (health, media, state) in
            [("\"Unhealthy\"", "\"SSD\"", HealthState::Failing), ("1", "4", HealthState::Watch), ("0", "4", HealthState::OkAsFarAsTold)]
        {
            let pages = read(&text(health, media)).unwrap();
            assert_eq!(judge("", &pages).state, state, "{health}");
            assert_eq!((pages[0].number("capacity_bytes"), pages[0].number("rotation_rate_rpm")), (Some(1_000_204_886_016), Some(0)));
        }
    }

    #[test]
    fn a_wear_of_nothing_is_no_wear() {
        let text =
            |temperature: &str| format!("DeviceId : 0\nPowerOnHours :\nReadErrorsUncorrected :\nTemperature : {temperature}\nWear : 0\n");
        let wear = |temperature: &str| read(&text(temperature)).unwrap()[0].number("percentage_used_percent");
        assert_eq!((wear("42"), wear("0")), (Some(0), None));
    }

    #[test]
    fn the_model_wins_over_a_friendly_name() {
        let text = |name: &str| format!("FriendlyName : {name}\nMediaType : HDD\nModel : ST4000DM004-2CV104\n");
        assert_eq!(read(&text("Backup")).unwrap()[0].text("model"), Some("ST4000DM004-2CV104"));
        let numbered = read("FriendlyName : PhysicalDisk4\nHealthStatus : Healthy\n").unwrap();
        assert_eq!((numbered[0].text("model"), numbered[0].text("device_name")), (None, Some("PhysicalDrive4")));
    }

    #[test]
    fn other_lists_are_left_alone() {
        for text in ["Name: x\nSize: 3\n", "Model: X\nSize: 931.51 GB\n", "HealthStatus is Healthy\n", "Status=OK\nName=x\n"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
