//! SPDK's spdk_nvme_identify (`identify` in its older trees): controller, health and every namespace in one output, which becomes a page each.

use super::health_rows;
use super::identify_rows::{self, block_format, finish_controller, finish_health, finish_namespace, is_feature};
use crate::paste::page::{
    LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, WARNINGS, row, skipped,
};

const TOOL: &str = "spdk_nvme_identify";

const OTHER: &str = "other";

pub(crate) const CONTROLLER: ToolFormat = ToolFormat {
    tool: TOOL,
    page: "identify-controller",
    tables: &[identify_rows::CONTROLLER, identify_rows::CONTROLLER_SKIPPED, MORE, MORE_SKIPPED],
    special: |builder, line| {
        unneeded(builder, line) || is_feature(line) && !line.text.starts_with("Dataset") && !line.text.starts_with("Volatile")
    },
    finish: finish_controller,
    ..ToolFormat::PLAIN
};

pub(crate) const HEALTH: ToolFormat = ToolFormat {
    tool: TOOL,
    page: "smart-log",
    tables: &[HEALTH_ROWS, health_rows::COMMON],
    special: |builder, line| unneeded(builder, line) || warning(builder, line),
    finish: finish_health,
    ..ToolFormat::PLAIN
};

pub(crate) const NAMESPACE: ToolFormat = ToolFormat {
    tool: TOOL,
    page: "identify-namespace",
    tables: &[identify_rows::NAMESPACE, identify_rows::NAMESPACE_SKIPPED, NAMESPACE_ROWS, NAMESPACE_ROWS_SKIPPED],
    ignored: &["LBA format"],
    special: |builder, line| unneeded(builder, line) || block_format(builder, line) || is_feature(line),
    finish: finish_namespace,
    ..ToolFormat::PLAIN
};

const MORE: &[LabelRow] = &[row("NVM Subsystem NQN", "nqn", TextKind::Text)];

#[rustfmt::skip]
const MORE_SKIPPED: &[LabelRow] = &skipped([
    "Max Number of Namespaces", "Max Number of I/O Queues", "Error Recovery Timeout", "NVMe Specification Version (Identify)",
    "Maximum Queue Entries", "Reset Timeout", "Doorbell Stride", "Memory Page Size Minimum", "Memory Page Size Maximum",
    "Error Log Page Entries Supported", "Keep Alive Granularity", "Atomic Write Unit (Normal)", "Atomic Write Unit (PFail)",
    "Atomic Compare & Write Unit", "Maximum Copy Length", "Transport Service Identifier",
]);

const HEALTH_ROWS: &[LabelRow] = &[
    row("Current Temperature", "temperature_celsius", TextKind::Celsius),
    row("Temperature Threshold", "temperature_threshold_celsius", TextKind::CelsiusUnlessZero),
    row("Life Percentage Used", "percentage_used_percent", TextKind::Number),
    row("Unrecoverable Media Errors", "media_errors", TextKind::Number),
    row("Lifetime Error Log Entries", "error_log_entries", TextKind::Number),
    row("Warning Temperature Time", "warning_temperature_minutes", TextKind::Number),
    row("Critical Temperature Time", "critical_temperature_minutes", TextKind::Number),
];

const NAMESPACE_ROWS: &[LabelRow] = &[row("Namespace ID", "namespace_id", TextKind::Number)];

#[rustfmt::skip]
const NAMESPACE_ROWS_SKIPPED: &[LabelRow] = &skipped([
    "Error Recovery Timeout", "Command Set Identifier", "Deallocated Read Value", "Deallocated Guard Field",
    "Namespace Sharing Capabilities", "Atomic Write Unit (Normal)", "Atomic Write Unit (PFail)", "Atomic Compare & Write Unit",
    "Atomic Boundary Size (Normal)", "Atomic Boundary Size (PFail)", "Atomic Boundary Offset", "Maximum Single Source Range Length",
    "Maximum Copy Length", "Maximum Source Range Count", "NVM Set ID", "Endurance Group ID", "ANA group ID", "UUID",
]);

#[rustfmt::skip]
const NEEDED: [&str; 6] = [
    "Controller Capabilities/Features", "Admin Command Set Attributes", "NVM Command Set Attributes", "Health Information",
    "Active Namespaces", "Namespace ID",
];

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let is_here = context.is_in(TOOL);
    match () {
        () if text.starts_with("NVMe Controller at ") || text.starts_with("NVMe over Fabrics controller at ") => {
            Some(OutputStart::Device(&CONTROLLER, address(text)))
        }
        () if text.starts_with(NEEDED[0]) && is_here => Some(OutputStart::Line(|builder, _| builder.part = "")),
        () if text.starts_with(NEEDED[0]) && context.command.tool == TOOL => Some(OutputStart::Open(&CONTROLLER)),
        () if text == "Health Information" => Some(OutputStart::Open(&HEALTH)),
        () if text.starts_with("Namespace ID:") && context.open.is_some() => Some(OutputStart::Open(&NAMESPACE)),
        () => None,
    }
}

/// `0000:02:00.0` of `NVMe Controller at 0000:02:00.0 [8086:0953]`, or whatever follows the words.
fn address(text: &str) -> String {
    let after = text.split_once(" at ").map_or(text, |(_, after)| after);
    after.split(" [").next().unwrap_or(after).trim().to_owned()
}

/// Follows the headings, and reads what stands under those that are not needed. A heading has neither colon nor number.
fn unneeded(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let text = line.text.as_str();
    if NEEDED.iter().any(|heading| text.starts_with(heading)) {
        builder.part = "";
        return !text.contains(':');
    }
    let is_heading = !text.contains([':', '=']) && text.starts_with(|c: char| c.is_ascii_uppercase());
    let is_group = ["Multi-path", "Arbitration Mech", "Command Sets", "Optional Async", "Submission Q", "Completion Q", "Scatter-"]
        .iter()
        .any(|start| text.starts_with(start));
    if is_heading && !is_group && text.split_whitespace().count() <= 6 {
        builder.part = OTHER;
    }
    is_heading && is_group || builder.part == OTHER
}

fn warning(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    const LABELS: [(&str, usize); 6] = [
        ("Available Spare Space", 0),
        ("Temperature", 1),
        ("Device Reliability", 2),
        ("Read Only", 3),
        ("Volatile Memory Backup", 4),
        ("Persistent Memory Region", 5),
    ];
    let Some((label, value)) = line.text.split_once(':') else { return false };
    let known = LABELS.iter().find(|(known, _)| *known == label).map(|(_, bit)| WARNINGS[*bit]);
    let is_set = match value.trim() {
        "OK" | "No" => false,
        "WARNING" | "Yes" => true,
        "" if label == "Critical Warnings" => {
            builder.set_if_new("critical_warnings", Value::List(Vec::new()), line.number);
            return true;
        }
        _ => return false,
    };
    if let Some(name) = known {
        builder.add_word("critical_warnings", Some(name).filter(|_| is_set), line.number);
    }
    known.is_some()
}
