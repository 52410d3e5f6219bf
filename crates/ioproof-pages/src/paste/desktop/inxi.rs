//! `inxi -D`, as forums of Linux ask for it: a few lines of keys and values for each drive, wrapped at the width of the terminal.
//!
//! inxi parts the vendor from the name, and prints sizes rounded. With `-a` it passes on the verdict of smartctl. Deliberately absent: its
//! own list of failing attributes.

use crate::paste::page::{
    LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, pairs, rounded_size_bytes, whole_u64,
};
use crate::paste::text::prompt;

pub(crate) const INXI: ToolFormat =
    ToolFormat { tool: "inxi -D", page: "inxi-drive", special: line, join: joined, finish, ..ToolFormat::PLAIN };

/// Lines that one drive is wrapped into.
const LINES_MAX: usize = 8;

/// Other parts of inxi's output begin with one of these.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "ID-", "Optical-", "Floppy-", "Partition", "Swap", "RAID", "USB", "Sensors", "Info", "Message", "Repos", "Battery", "Network",
    "Processes", "LVM", "Unmounted", "Weather", "Local Storage",
];

/// `ID-1: /dev/nvme0n1 vendor: Samsung model: SSD 970 EVO 250GB size: 232.89 GiB`; mounts and swaps are numbered alike.
pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    match device(text) {
        Some(_) => Some(OutputStart::Open(&INXI)),
        None => (context.is_in(INXI.tool) && is_part(text)).then_some(OutputStart::Close),
    }
}

fn is_part(text: &str) -> bool {
    PARTS.iter().any(|start| text.starts_with(start))
}

fn device(text: &str) -> Option<&str> {
    let (number, rest) = text.strip_prefix("ID-")?.split_once(": /dev/")?;
    let name = rest.split(' ').next()?;
    (number.bytes().all(|digit| digit.is_ascii_digit()) && prompt::is_disk(name)).then_some(name)
}

fn joined(_: &PageBuilder, line: &PastedLine, next: &[PastedLine]) -> Option<(PastedLine, usize)> {
    device(&line.text)?;
    let is_rest = |own: &&PastedLine| !own.after_gap && !is_part(&own.text) && prompt::command(own).is_none();
    let rest: Vec<&str> = next.iter().take(LINES_MAX).take_while(is_rest).map(|own| own.text.as_str()).collect();
    (!rest.is_empty()).then(|| (PastedLine { text: format!("{} {}", line.text, rest.join(" ")), ..line.clone() }, rest.len()))
}

fn line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some(name) = device(&line.text) else { return true };
    builder.set_text("device_name", name, line.number);
    pairs(&line.text).iter().for_each(|(key, value)| put(builder, key, value, line.number));
    true
}

fn put(builder: &mut PageBuilder, key: &str, value: &str, line: usize) {
    let text = |builder: &mut PageBuilder, key: &'static str| {
        builder.take_as(TextKind::Text, (key, key), value, line);
    };
    match key {
        "vendor" => text(builder, "vendor"),
        // Old versions have `_` in place of blanks.
        "model" if value != "N/A" => builder.set_if_new("model", Value::Text(value.replace('_', " ")), line),
        "serial" => text(builder, "serial"),
        "rev" | "fw-rev" => text(builder, "firmware"),
        "size" => builder.set_number("capacity_rounded_bytes", rounded(value), line),
        "physical" | "logical" => {
            let key = if key == "logical" { "logical_block_bytes" } else { "physical_block_bytes" };
            builder.set_number(key, value.strip_suffix(" B").and_then(whole_u64), line);
        }
        "type" | "tech" if value == "SSD" => builder.set_number("rotation_rate_rpm", 0, line),
        "rpm" => builder.set_number("rotation_rate_rpm", whole_u64(value), line),
        "temp" => {
            builder.take_as(TextKind::CelsiusUnlessZero, ("temperature_celsius", "temperature_celsius"), value, line);
        }
        "health" => health(builder, value, line),
        _ => {}
    }
}

fn health(builder: &mut PageBuilder, value: &str, line: usize) {
    let passed = match value.split(' ').next() {
        Some("PASSED" | "OK") => true,
        Some(word) if word.contains("FAIL") => false,
        _ => return,
    };
    builder.set_if_new("smart_passed", Value::Flag(passed), line);
}

/// `232.89 GiB`, `1.82 TiB`, in old versions `500.1GB` and `1.0TB` of powers of 1000.
fn rounded(value: &str) -> Option<u64> {
    let end = value.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    rounded_size_bytes(&value[..end], value[end..].split_whitespace().next()?, 1000.0)
}

/// Drives of Samsung and Apple have the maker in their name. The kernel cuts the firmware of ATA drives to four characters.
fn finish(builder: &mut PageBuilder) {
    const FIRMWARE_CHARS: usize = 4;
    let is_nvme = builder.text("device_name").is_some_and(|name| name.starts_with("nvme"));
    let line = builder.field("model").map_or(1, |(_, line)| line);
    if is_nvme {
        builder.set_text("protocol", "NVMe", builder.last_line());
    } else if builder.text("firmware").is_some_and(|firmware| firmware.chars().count() <= FIRMWARE_CHARS) {
        builder.remove("firmware");
    }
    let model = builder.text("model").filter(|model| model.starts_with("SSD "));
    let maker = match builder.text("vendor").as_deref() {
        Some("Samsung") => "Samsung",
        Some("Apple") => "APPLE",
        _ => return,
    };
    model.into_iter().for_each(|model| builder.replace("model", Value::Text(format!("{maker} {model}")), line));
}

#[cfg(test)]
mod tests {
    use crate::health::{HealthState, judge};
    use crate::paste::{drives, read};

    const TEXT: &str = "\
Drives:
  Local Storage: total: 1.14 TiB used: 245.52 GiB (21.0%)
  ID-1: /dev/nvme0n1 maj-min: 259:0 vendor: Samsung model: SSD 970 EVO
    250GB size: 232.89 GiB block-size: physical: 512 B logical: 512 B
    speed: 31.6 Gb/s lanes: 4 type: SSD serial: <filter> rev: 2B2QEXE7
    temp: 42.9 C scheme: GPT
  SMART: yes health: PASSED on: 162d 20h cycles: 1,234
  ID-2: /dev/sda vendor: Western Digital model: WD10EZEX-08WN4A0
    size: 931.51 GiB type: HDD rpm: 7200 serial: WD-WCC6Y0000001 rev: 1A01
  SMART: yes state: enabled health: FAILED on: 2y 3d
Partition:
  ID-1: / raw-size: 232.39 GiB size: 227.69 GiB (97.98%) dev: /dev/nvme0n1p2
";

    #[test]
    fn drives_with_their_wrapped_lines() {
        let pages = read(TEXT).unwrap();
        let told = |key: &str| pages.iter().map(|page| page.text(key)).collect::<Vec<_>>();
        assert_eq!(told("device_name"), [Some("nvme0n1"), Some("sda")]);
        assert_eq!(told("model"), [Some("Samsung SSD 970 EVO 250GB"), Some("WD10EZEX-08WN4A0")]);
        assert_eq!((told("serial"), told("firmware")), (vec![None, Some("WD-WCC6Y0000001")], vec![Some("2B2QEXE7"), None]));
        let numbers = ["capacity_rounded_bytes", "rotation_rate_rpm", "logical_block_bytes"].map(|key| pages[0].number(key));
        assert_eq!(numbers, [Some(250_063_733_391), Some(0), Some(512)]);
        assert_eq!((pages[1].number("rotation_rate_rpm"), pages[1].number("capacity_bytes")), (Some(7200), None));
        let states: Vec<HealthState> = drives(&pages).iter().map(|pages| judge("", pages).state).collect();
        assert_eq!(states, [HealthState::OkAsFarAsTold, HealthState::Failing]);
    }

    #[test]
    fn old_versions_have_no_blanks_in_names_and_powers_of_1000() {
        let text = "Drives:    HDD Total Size: 500.1GB (7.3% used)\n           ID-1: /dev/sda model: Samsung_SSD_860 size: 500.1GB\n\
            Partition: ID-1: / size: 120G used: 6.7G (6%) fs: ext4 dev: /dev/sda1\n";
        let pages = read(text).unwrap();
        assert_eq!((pages[0].text("model"), pages[0].number("capacity_rounded_bytes")), (Some("Samsung SSD 860"), Some(500_100_000_000)));
        assert!(
            read(&text.replace("500.1GB\n  ", "1.0TB\n  ").replace("size: 500.1GB", "size: 1.0TB")).unwrap()[0]
                .number("capacity_rounded_bytes")
                .is_none()
        );
    }

    #[test]
    fn mounts_and_arrays_are_no_drives() {
        for text in
            ["ID-1: / size: 227 GiB dev: /dev/sda2\n", "ID-1: swap-1 type: partition dev: /dev/sda3\n", "ID-1: /dev/md0 type: mdraid\n"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
