//! Drives behind a RAID controller: facts of the drive, errors that the controller counted, the drive's own alert, and the
//! state that the controller gives it.
//!
//! A file for each tool. This one holds the shared parts: states, sizes, interfaces, names of ATA drives in fields of SCSI.
//! Deliberately absent: the controller, its volumes and its battery.

pub(super) mod arcconf;
pub(super) mod megacli;
pub(super) mod promise;
pub(super) mod ssacli;
mod state;
pub(super) mod storcli;

use crate::paste::page::{LabelRow, PageBuilder, TextKind, Value, real, row, size_bytes, whole_u64};
use state::state;

pub(super) const PAGE: &str = "raid-drive";
const BLOCK: &str = "logical_block_bytes";
const BLOCKS: &str = "capacity_blocks";
const EXACT: &str = "capacity_bytes";
const ROUNDED: &str = "capacity_rounded_bytes";
const ERRORS: &str = "controller_errors";
const PREDICTED: &str = "predicted_failures";
const ROTATION: &str = "rotation_rate_rpm";

/// Counters of storcli and MegaCli.
const COUNTERS: &[LabelRow] = &[
    row("Media Error Count", "media_errors", TextKind::Number),
    row("Other Error Count", "non_medium_errors", TextKind::Number),
    row("Predictive Failure Count", PREDICTED, TextKind::Number),
    row("Drive Temperature", "temperature_celsius", TextKind::Celsius),
    row("Device Speed", "link_speed_max_gbit_per_s", TextKind::SpeedMax),
    row("Link Speed", "link_speed_gbit_per_s", TextKind::SpeedMax),
];

/// The end of a page of storcli and of MegaCli.
fn finish(builder: &mut PageBuilder) {
    capacity(builder);
    cut_model(builder);
}

/// Reads and writes that failed are one count.
fn add_errors(builder: &mut PageBuilder, value: &str, line: usize) -> bool {
    let count = whole_u64(value);
    count.into_iter().for_each(|count| builder.add_number(ERRORS, count, line));
    count.is_some()
}

/// `SAS`, `SATA 6.0 Gb/s`, `Solid State SATA`: the protocol, and a medium that does not turn.
fn interface(builder: &mut PageBuilder, value: &str, line: usize) {
    const PROTOCOLS: [(&str, &str); 4] = [("SATA", "ATA"), ("SAS", "SCSI"), ("NVMe", "NVMe"), ("PCIe", "NVMe")];
    let names = |name: &str| value.split_whitespace().any(|word| word.eq_ignore_ascii_case(name));
    if let Some((_, protocol)) = PROTOCOLS.iter().find(|(name, _)| names(name)) {
        builder.set_text("protocol", protocol, line);
    }
    if value.starts_with("Solid State") {
        medium(builder, true, line);
    }
}

fn medium(builder: &mut PageBuilder, is_solid: bool, line: usize) {
    if is_solid {
        builder.set_number(ROTATION, 0, line);
    }
}

/// The vendor field; `ATA` and `NVMe` stand there in place of a vendor.
fn vendor(builder: &mut PageBuilder, value: &str, line: usize) {
    let key = if matches!(value, "ATA" | "NVMe") { "protocol" } else { "vendor" };
    if !value.is_empty() && !value.contains('*') {
        builder.set_text(key, value, line);
    }
}

/// `512`, `512B`, `512 Bytes`, `4 KB`, `4K Bytes`.
fn block_bytes(value: &str) -> Option<u64> {
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let number: u64 = value[..digits].parse().ok().filter(|number| *number > 0)?;
    let unit = value[digits..].trim_start();
    if unit.starts_with(['K', 'k']) { number.checked_mul(1024) } else { Some(number) }
}

fn block(builder: &mut PageBuilder, key: &'static str, value: &str, line: usize) -> bool {
    block_bytes(value).into_iter().for_each(|bytes| builder.set(key, Value::Number(bytes), line));
    true
}

/// `558.911 GB`, `140014MB`, `1.2 TB`, `223.062 GiB`; tools count a unit without an `i` in 1000 or in 1024.
fn size(text: &str, kilo: f64) -> Option<u64> {
    const LEAST_BYTES: u64 = 1_000_000;
    let (figure, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    size_bytes(real(figure)?, unit, kilo).filter(|bytes| *bytes >= LEAST_BYTES && unit.ends_with('B'))
}

/// `146 GB`, as a drive's label has it.
pub(super) fn rounded_size(builder: &mut PageBuilder, value: &str, line: usize) {
    builder.set_number(ROUNDED, size(value, 1000.0), line);
}

/// `558.911 GB [0x45dd2fb0 Sectors]`: sectors are exact, the size beside them is rounded.
fn raw_size(builder: &mut PageBuilder, value: &str, line: usize) -> bool {
    let Some((rounded, sectors)) = value.split_once('[') else { return false };
    let sectors = sectors.split_whitespace().next().and_then(whole_u64);
    let (Some(bytes), Some(sectors)) = (size(rounded.trim(), 1024.0), sectors) else { return false };
    builder.replace(ROUNDED, Value::Number(bytes), line);
    builder.set(BLOCKS, Value::Number(sectors), line);
    true
}

/// Exact bytes where sectors times their size agree with the rounded size.
///
/// Controllers without RAID print the number of the last sector, which is odd, as their number.
fn capacity(builder: &mut PageBuilder) {
    let (Some((sectors, line)), Some((rounded, _))) = (builder.number(BLOCKS), builder.number(ROUNDED)) else { return };
    let told = builder.number(BLOCK);
    let sizes = told.map_or(vec![512, 4096], |(bytes, _)| vec![bytes]);
    let agrees = |bytes: u64| (bytes as f64 / rounded as f64 - 1.0).abs() < 0.002;
    let exact = sizes.into_iter().find_map(|block: u64| Some((block, sectors.checked_mul(block).filter(|bytes| agrees(*bytes))?)));
    match exact.filter(|_| sectors % 2 == 0) {
        Some((block, bytes)) => {
            builder.derive(EXACT, Value::Number(bytes), (line, told.map_or(line, |(_, at)| at)));
            builder.derive(BLOCK, Value::Number(block), (line, line));
            builder.remove(ROUNDED);
        }
        None => builder.remove(BLOCKS),
    }
}

/// `99.84%`, `100 percent`, and below 0 for a drive beyond its endurance.
fn life_left(builder: &mut PageBuilder, value: &str, line: usize) {
    let figure = value.trim_end_matches("percent").trim_end_matches('%').trim();
    if let Some(left) = figure.parse::<f64>().ok().filter(|left| left.is_finite()) {
        builder.set("life_left_percent", Value::Real(left.max(0.0)), line);
    }
}

/// The drive's own alert that its endurance is used up.
fn wearout_trip(builder: &mut PageBuilder, value: &str, line: usize) {
    if value == "True" {
        builder.add_word("attributes_failing", Some("SSD wearout (worn or aged)"), line);
    }
}

/// SCSI has 16 characters for a model, so that the names of ATA drives are cut.
pub(super) fn cut_model(builder: &mut PageBuilder) {
    const FIELD_CHARS: usize = 16;
    let is_ata = builder.text("protocol").as_deref() == Some("ATA");
    if is_ata && builder.text("model").is_some_and(|model| model.chars().count() == FIELD_CHARS) {
        builder.problem(format!("the model may be cut: SCSI has {FIELD_CHARS} characters for it"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Page;
    use crate::health::{HealthState, judge};
    use crate::paste::read;

    #[test]
    fn sizes_of_sectors_and_of_drives() {
        for (text, bytes) in [("512B", 512), ("512", 512), ("4 KB", 4096), ("4K Bytes", 4096), ("512 Bytes", 512)] {
            assert_eq!(block_bytes(text), Some(bytes), "{text}");
        }
        assert_eq!((block_bytes("0"), block_bytes("N/A")), (None, None));
        assert_eq!(size("140014MB", 1024.0), Some(140_014 << 20));
        assert_eq!(size("1200.2 GB", 1000.0), Some(1_200_200_000_000));
        assert_eq!(size("1 GiB", 1000.0), Some(1 << 30));
        assert_eq!((size("0 MB", 1024.0), size("many", 1000.0)), (None, None));
    }

    fn drive(raw: &str, block: &str) -> Page {
        let text =
            format!("Drive /c0/e252/s0 Device attributes :\nSN = A1\nModel Number = M\nRaw size = {raw}\nLogical Sector Size = {block}\n");
        read(&text).unwrap().remove(0)
    }

    #[test]
    fn capacity_is_exact_only_where_sectors_and_size_agree() {
        let exact = |raw: &str, block: &str| {
            let page = drive(raw, block);
            (page.number("capacity_bytes"), page.number("capacity_rounded_bytes").is_some())
        };
        assert_eq!(exact("558.911 GB [0x45dd2fb0 Sectors]", "512 B"), (Some(600_127_266_816), false));
        assert_eq!(exact("558.911 GB [0x45dd2fb0 Sectors]", "N/A"), (Some(600_127_266_816), false));
        assert_eq!(exact("7.277 TB [0x74702556 Sectors]", "4 KB"), (Some(8_001_563_222_016), false));
        assert_eq!(exact("558.911 GB [0x45dd2fb0 Sectors]", "4 KB"), (None, true));
        assert_eq!(exact("13.970 TB [0xdf87ffff Sectors]", "4 KB"), (None, true), "the last sector");
    }

    #[test]
    fn a_row_below_the_output_of_a_controller_is_not_lost() {
        let row = "197 Current_Pending_Sector  0x0032   100   100   000    Old_age   Always       -       16\n";
        for text in ["Controller = 0\n", "Adapter #0\n", "PdId: 1\nReadErrors: 0\n", "physicaldrive 1I:1:1\nStatus: OK\n"] {
            let pages = read(&format!("{text}{row}")).unwrap();
            assert!(pages.iter().any(|page| page.number("pending_sectors") == Some(16)), "{text}");
        }
    }

    #[test]
    fn figures_of_a_controller_alone_are_never_all() {
        let whole = "Drive /c0/e252/s0 State :\nMedia Error Count = 0\nS.M.A.R.T alert flagged by drive = No\n\
            Drive /c0/e252/s0 Device attributes :\nManufacturer Id = ATA\nSN = A1\n";
        let health = judge("", &read(whole).unwrap());
        assert_eq!((health.state, health.not_told.len()), (HealthState::OkAsFarAsTold, 1));
    }
}
