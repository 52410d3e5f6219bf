//! Values that cannot be: a log that was never filled in, a share above 100 %, more in use than there is room for.
//!
//! Nothing is read from such values; the problem names their lines.

use super::builder::PageBuilder;
use crate::field::Value;
use crate::paste::text::lines::PastedLine;

/// Figures of a health log that count up from 0, or are 100 % in a new drive.
#[rustfmt::skip]
const COUNTERS: [&str; 9] = [
    "available_spare_percent", "data_read_bytes", "data_written_bytes", "host_read_commands", "host_write_commands", "power_cycles",
    "power_on_hours", "controller_busy_minutes", "percentage_used_percent",
];

/// Figures that a log of zeros or ones does not tell.
#[rustfmt::skip]
const VERDICTS: [&str; 15] = [
    "available_spare_percent", "available_spare_threshold_percent", "controller_busy_minutes", "critical_temperature_minutes", "critical_warnings",
    "data_read_bytes", "data_written_bytes", "error_log_entries", "host_read_commands", "host_write_commands", "media_errors",
    "percentage_used_percent", "smart_passed", "temperature_celsius", "warning_temperature_minutes",
];

#[rustfmt::skip]
const COUNTS: [&str; 7] = [
    "power_cycles", "power_on_hours", "thermal_time_1_seconds", "thermal_time_2_seconds", "thermal_transitions_1", "thermal_transitions_2",
    "unsafe_shutdowns",
];

/// Counters that must be there before a log of zeros is told from a short one.
const COUNTERS_MIN: usize = 4;

/// Percentages that end at 100.
const SHARES: [&str; 4] =
    ["available_spare_percent", "available_spare_threshold_percent", "life_left_percent", "media_wearout_left_percent"];

/// (part, whole): the first is never larger than the second.
#[rustfmt::skip]
const PARTS: [(&str, &str); 4] = [
    ("namespace_used_blocks", "namespace_size_blocks"), ("namespace_capacity_blocks", "namespace_size_blocks"),
    ("namespace_used_rounded_bytes", "capacity_rounded_bytes"), ("unallocated_capacity_bytes", "total_capacity_bytes"),
];

/// Hours after which a drive would be older than any.
const HOURS_MAX: u64 = 400_000;

/// Removes what cannot be from a page that is complete otherwise.
pub(super) fn check(builder: &mut PageBuilder) {
    if let Some((digit, line)) = blank(builder) {
        VERDICTS.iter().chain(&COUNTS).for_each(|key| builder.remove(key));
        let text = format!("the log holds nothing but {digit}, as one that the drive did not fill in");
        builder.unread_health(&PastedLine { number: line, text: text.clone(), after_gap: false });
        builder.problem(format!("line {line}: {text}"));
    }
    for key in SHARES {
        let above = builder.number(key).filter(|(share, _)| *share > 100);
        above
            .into_iter()
            .for_each(|(share, line)| refuse(builder, key, &format!("line {line}: {share} % is more than there can be"), line));
    }
    for (part, whole) in PARTS {
        if let (Some((own, line)), Some((all, of))) = (builder.number(part), builder.number(whole))
            && own > all
        {
            builder.remove(part);
            builder.problem(format!("line {line} says {own} of what line {of} says is {all}; the first was left out"));
        }
    }
    if let Some((hours, line)) = builder.number("power_on_hours").filter(|(hours, _)| *hours > HOURS_MAX) {
        builder.remove("power_on_hours");
        builder.problem(format!("line {line}: no drive is {hours} hours old; the figure was left out"));
    }
    let block =
        builder.number("logical_block_bytes").filter(|(bytes, _)| *bytes < 512 || !bytes.is_power_of_two() && !is_odd_sector(*bytes));
    if let Some((bytes, line)) = block {
        builder.remove("logical_block_bytes");
        builder.problem(format!("line {line}: no drive has blocks of {bytes} bytes; the figure was left out"));
    }
}

/// Sectors of SCSI drives with room for checksums.
fn is_odd_sector(bytes: u64) -> bool {
    matches!(bytes, 520 | 524 | 528 | 4104 | 4112 | 4160 | 4224)
}

fn refuse(builder: &mut PageBuilder, key: &str, text: &str, line: usize) {
    builder.remove(key);
    builder.unread_health(&PastedLine { number: line, text: text.to_owned(), after_gap: false });
    builder.problem(text.to_owned());
}

/// The line of a log that is zero or one in every bit, and which.
fn blank(builder: &PageBuilder) -> Option<(&'static str, usize)> {
    let told = |key: &&str| builder.field(key).map(|(field, line)| (field.value.clone(), line));
    let spare = builder.number("available_spare_percent");
    let (share, used) = (spare.map(|(share, _)| share), builder.number("percentage_used_percent").map(|(used, _)| used));
    if share == Some(255) && used == Some(255) {
        return spare.map(|(_, line)| ("ones", line));
    }
    let told: Vec<(Value, usize)> = COUNTERS.iter().filter_map(told).collect();
    let is_zero = told.iter().all(|(value, _)| *value == Value::Number(0)) && share == Some(0);
    let has_temperature =
        builder.field("temperature_celsius").is_some_and(|(field, _)| ![Value::Number(0), Value::Real(0.0)].contains(&field.value));
    (is_zero && told.len() >= COUNTERS_MIN && !has_temperature).then(|| ("zeros", spare.map_or(1, |(_, line)| line)))
}
