//! FreeBSD's `camcontrol identify` of an ATA drive; its NVMe drives are read in `nvmecontrol`.

use crate::paste::nvme::identify_rows::capacity;
use crate::paste::page::{
    LabelRow, LabelSplit, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, TextReading, ToolFormat, Value, row, skipped,
    whole_u64,
};

pub(crate) const IDENTIFY: ToolFormat = ToolFormat {
    tool: "camcontrol identify",
    page: "identify-device",
    split: LabelSplit::Prefix,
    tables: &[ROWS, ROWS_SKIPPED],
    ignored: &["Feature ", "pass"],
    special: |builder, line| transfers(builder, line) || sectors(builder, line) || feature(builder, line),
    finish: |builder| capacity(builder, "capacity_blocks"),
    ..ToolFormat::PLAIN
};

const ROWS: &[LabelRow] = &[
    row("protocol", "ata_version", TextKind::Text),
    row("device model", "model", TextKind::Text),
    row("firmware revision", "firmware", TextKind::Text),
    row("serial number", "serial", TextKind::Text),
    row("WWN", "wwn", TextKind::Identifier),
    row("media RPM", "rotation_rate_rpm", TextKind::Rotation),
];

#[rustfmt::skip]
const ROWS_SKIPPED: &[LabelRow] = &skipped([
    "additional product id", "media serial number", "cylinders", "heads", "sectors/track", "CFA supported", "PIO supported",
    "DMA supported", "overlap", "Tagged Command Queuing (TCQ)", "NCQ Priority Information", "NCQ Non-Data Command",
    "NCQ Queue Management", "NCQ Streaming", "NCQ Autosense", "Receive & Send FPDMA Queued", "microcode download", "security",
    "power management", "advanced power management", "automatic acoustic management", "media status notification",
    "power-up in Standby", "write-read-verify", "unload", "general purpose logging", "free-fall", "sense data reporting",
    "extended power conditions", "device statistics notification", "DSM - max 512byte blocks", "DSM - deterministic read",
    "Trusted Computing", "encrypts all user data", "Sanitize", "Sanitize - overwrite", "Sanitize - block erase",
    "Sanitize - crypto scramble", "Sanitize - antifreeze lock", "Host Protected Area (HPA)", "HPA - Security",
    "Accessible Max Address Config", "flush cache", "Zoned-Device Commands",
]);

/// Rows of the table of features: label, key of *supported*, key of *enabled*; an empty key is not needed.
const FEATURES: &[(&str, &str, &str)] = &[
    ("read ahead", "", "look_ahead_enabled"),
    ("write cache", "volatile_write_cache", "write_cache_enabled"),
    ("Native Command Queuing (NCQ)", "ncq_supported", ""),
    ("SMART", "smart_supported", "smart_enabled"),
    ("Data Set Management (DSM/TRIM)", "trim_supported", ""),
];

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = Some(context.line.text.as_str()).filter(|text| text.ends_with("device"))?;
    let (name, rest) = text.split_once(": <")?;
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(|c| c.is_ascii_alphanumeric());
    let (_, kind) = rest.split_once('>')?;
    let kind = kind.trim();
    let is_ata = ["ATA", "ACS", "SATA", "CFA"].iter().any(|word| kind.starts_with(word)) && kind.ends_with("device");
    (is_name && is_ata).then_some(OutputStart::OpenWith(&IDENTIFY, heading))
}

fn heading(builder: &mut PageBuilder, line: &PastedLine) {
    builder.set_text("protocol", "ATA", line.number);
    builder.suggest_device(line.text.split(':').next().unwrap_or_default());
}

/// `pass11: 600.000MB/s transfers, Command Queueing Enabled`.
fn transfers(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((_, rest)) = line.text.split_once(": ").filter(|(_, rest)| rest.contains("MB/s transfers")) else { return false };
    if let TextReading::Value(speed) = TextKind::SpeedMax.read(rest) {
        builder.set_if_new("link_speed_gbit_per_s", speed, line.number);
    }
    true
}

/// `sector size logical 512, physical 4096, offset 0` and `LBA48 supported 1562824368 sectors`; LBA alone counts 28 bits only.
fn sectors(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let after = |start: &str| line.text.strip_prefix(start).map(str::trim_start);
    if let Some(sizes) = after("sector size") {
        for (word, key) in [("logical", "logical_block_bytes"), ("physical", "physical_block_bytes")] {
            let size = sizes.split_once(word).and_then(|(_, rest)| whole_u64(rest));
            size.into_iter().for_each(|size| builder.set(key, Value::Number(size), line.number));
        }
        return true;
    }
    let Some((is_long, count)) =
        after("LBA48 supported").map(|rest| (true, rest)).or_else(|| after("LBA supported").map(|rest| (false, rest)))
    else {
        return false;
    };
    match whole_u64(count).filter(|n| *n > 0) {
        Some(count) if is_long => builder.replace("capacity_blocks", Value::Number(count), line.number),
        Some(count) => builder.set_number("capacity_blocks", count, line.number),
        None => {}
    }
    true
}

fn feature(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let Some((rest, supported, enabled)) = FEATURES.iter().find_map(|(label, supported, enabled)| {
        let rest = line.text.strip_prefix(label).filter(|rest| rest.starts_with(char::is_whitespace))?;
        Some((rest, supported, enabled))
    }) else {
        return false;
    };
    for (word, key) in rest.split_whitespace().zip([supported, enabled]) {
        let flag = matches!(word, "yes" | "no").then(|| Value::Flag(word == "yes"));
        if let (Some(flag), false) = (flag, key.is_empty()) {
            builder.set(key, flag, line.number);
        }
    }
    let tags = rest.split_once("tags").and_then(|(before, _)| before.split_whitespace().last()).and_then(whole_u64);
    if let Some(depth) = tags {
        builder.set("ncq_depth", Value::Number(depth), line.number);
    }
    true
}
