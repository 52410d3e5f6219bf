//! FreeBSD's nvmecontrol: `devlist`, `identify` of a controller or a namespace, and `logpage -p 2` (SMART). `camcontrol identify` prints NVMe drives in the same way.

use super::health_rows;
use super::identify_rows::{self, block_format, finish_controller, finish_health, finish_namespace, is_feature};
use crate::paste::page::{
    LabelRow, LabelSplit, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, row, whole,
};

pub(crate) const CONTROLLER: ToolFormat = ToolFormat {
    tool: "nvmecontrol identify",
    page: "identify-controller",
    tables: &[identify_rows::CONTROLLER, identify_rows::CONTROLLER_SKIPPED],
    ignored: &[
        "Controller Capabilities/Features",
        "Admin Command Set Attributes",
        "NVM Command Set Attributes",
        "Submission Queue Entry Size",
        "Completion Queue Entry Size",
        "Maximum Outstanding Commands",
        "Fabrics Attributes",
        "I/O ",
        "In Capsule Data Offset",
        "Max SGL Descriptors",
        "Disconnect of I/O Queues",
        "Controller Model",
    ],
    special: |_, line| is_feature(line) && !line.text.starts_with("Dataset") && !line.text.starts_with("Volatile"),
    finish: finish_controller,
    ..ToolFormat::PLAIN
};

pub(crate) const NAMESPACE: ToolFormat = ToolFormat {
    tool: "nvmecontrol identify",
    page: "identify-namespace",
    tables: &[identify_rows::NAMESPACE, identify_rows::NAMESPACE_SKIPPED],
    special: |builder, line| block_format(builder, line) || is_feature(line),
    finish: |builder| {
        namespace_of_name(builder);
        finish_namespace(builder);
    },
    ..ToolFormat::PLAIN
};

pub(crate) const HEALTH: ToolFormat = ToolFormat {
    tool: "nvmecontrol logpage -p 2",
    page: "smart-log",
    tables: &[HEALTH_ROWS, health_rows::COMMON],
    ignored: &["SMART/Health Information Log"],
    special: warning_bit,
    finish: finish_health,
    ..ToolFormat::PLAIN
};

pub(crate) const DEVLIST: ToolFormat =
    ToolFormat { tool: "nvmecontrol devlist", page: "devlist", split: LabelSplit::Prefix, tables: &[], ..ToolFormat::PLAIN };

const HEALTH_ROWS: &[LabelRow] = &[
    row("Critical Warning State", "critical_warnings", TextKind::Warnings),
    row("Temperature", "temperature_celsius", TextKind::Celsius),
    row("Data units (512,000 byte) read", "data_read_bytes", TextKind::Times(512_000)),
    row("Data units (512,000 byte) written", "data_written_bytes", TextKind::Times(512_000)),
    row("Controller busy time (minutes)", "controller_busy_minutes", TextKind::Number),
    row("Media errors", "media_errors", TextKind::Number),
    row("No. error info log entries", "error_log_entries", TextKind::Number),
    row("Warning Temp Composite Time", "warning_temperature_minutes", TextKind::Number),
    row("Error Temp Composite Time", "critical_temperature_minutes", TextKind::Number),
    row("Temperature 1 Transition Count", "thermal_transitions_1", TextKind::Number),
    row("Temperature 2 Transition Count", "thermal_transitions_2", TextKind::Number),
    row("Total Time For Temperature 1", "thermal_time_1_seconds", TextKind::Number),
    row("Total Time For Temperature 2", "thermal_time_2_seconds", TextKind::Number),
];

#[rustfmt::skip]
const OTHER_LOGS: [&str; 6] = [
    "Error Information Log", "Firmware Slot Log", "Changed Namespace List", "Commands Supported and Effects", "Device Self-test Status",
    "Sanitize Status",
];

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    match () {
        () if text.starts_with("Controller Capabilities/Features") => Some(OutputStart::Open(&CONTROLLER)),
        () if text.starts_with("SMART/Health Information Log") => Some(OutputStart::Open(&HEALTH)),
        () if OTHER_LOGS.contains(&text) && !context.is_in("spdk_nvme_identify") => Some(OutputStart::Close),
        () if begins_namespace(text) && !context.is_in("spdk_nvme_identify") => Some(OutputStart::Open(&NAMESPACE)),
        () => devlist(context),
    }
}

fn begins_namespace(text: &str) -> bool {
    text.starts_with("Size (in LBAs):") || text.starts_with("Size:") && text.ends_with(" blocks")
}

/// In devlist a line of a controller, and the lines of its namespaces.
fn devlist(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    if !text.starts_with("nvme") {
        return None;
    }
    if namespace_line(text).is_some() && context.is_in(DEVLIST.tool) {
        return Some(OutputStart::Line(namespace_of_list));
    }
    let (name, model) = text.split_once(':')?;
    let follows = || context.next.is_some_and(|next| namespace_line(&next.text).is_some_and(|(own, _)| own.starts_with(name)));
    let is_list = context.command.line.contains("devlist") || context.is_in(DEVLIST.tool) || follows();
    (is_controller(name) && !model.trim().is_empty() && is_list).then_some(OutputStart::OpenWith(&DEVLIST, controller_of_list))
}

fn is_controller(name: &str) -> bool {
    name.strip_prefix("nvme").is_some_and(|unit| !unit.is_empty() && unit.bytes().all(|digit| digit.is_ascii_digit()))
}

/// `nvme0ns1 (1907729MB)`: the name and the number, which is of mebibytes.
fn namespace_line(text: &str) -> Option<(&str, u64)> {
    let (name, size) = text.split_once(" (")?;
    let (controller, namespace) = name.split_once("ns")?;
    let size = size.strip_suffix("MB)").and_then(whole)?;
    (is_controller(controller) && namespace.parse::<u32>().is_ok()).then_some((name, u64::try_from(size).ok()?))
}

fn controller_of_list(builder: &mut PageBuilder, line: &PastedLine) {
    if let Some((name, model)) = line.text.split_once(':') {
        builder.set("model", Value::Text(model.trim().to_owned()), line.number);
        builder.set("device_name", Value::Text(name.to_owned()), line.number);
    }
}

fn namespace_of_list(builder: &mut PageBuilder, line: &PastedLine) {
    if let Some((_, mebibytes)) = namespace_line(&line.text) {
        builder.tally += mebibytes;
        builder.replace("capacity_mib", Value::Number(builder.tally), line.number);
    }
}

fn namespace_of_name(builder: &mut PageBuilder) {
    let name = builder.field("device_name").map(|(field, line)| (field.value.clone(), line));
    if let Some((Value::Text(name), line)) = name {
        builder.set_number("namespace_id", name.rsplit_once("ns").and_then(|(_, number)| number.parse().ok()), line);
    }
}

/// The five lines below the state of warnings repeat its bits under labels that other lines bear too: ` Available spare: 0`.
fn warning_bit(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    const LABELS: [&str; 5] = ["Available spare", "Temperature", "Device reliability", "Read only", "Volatile memory backup"];
    let is_bit = line.text.split_once(':').is_some_and(|(label, value)| LABELS.contains(&label) && matches!(value.trim(), "0" | "1"));
    let is_expected = builder.tally > 0;
    builder.tally = match () {
        () if line.text.starts_with("Critical Warning State") => LABELS.len() as u64,
        () if is_bit => builder.tally.saturating_sub(1),
        () => 0,
    };
    is_bit && is_expected
}
