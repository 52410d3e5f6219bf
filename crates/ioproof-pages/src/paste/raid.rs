//! Drives behind a RAID controller, as `storcli /cX/eY/sZ show all` and `MegaCli -PDList` tell them: what the controller counted, and the drive's own alert.
//!
//! Deliberately absent: the controller, its volumes and its battery.

use super::page::builder::{LabelSplit, PageBuilder, ToolFormat};
use super::page::kind::TextKind;
use super::page::row::{LabelRow, row};
use super::page::start::{LineContext, OutputStart};
use super::text::lines::PastedLine;

#[cfg(test)]
pub(super) const FORMATS: &[&ToolFormat] = &[&STORCLI, &MEGACLI];

const STORCLI: ToolFormat = ToolFormat {
    tool: "storcli",
    page: "raid-drive",
    split: LabelSplit::Equals,
    tables: &[STORCLI_ROWS, COUNTERS],
    special: other,
    ..ToolFormat::PLAIN
};

const MEGACLI: ToolFormat =
    ToolFormat { tool: "MegaCli", page: "raid-drive", tables: &[MEGACLI_ROWS, COUNTERS], special: other, ..ToolFormat::PLAIN };

const COUNTERS: &[LabelRow] = &[
    row("Media Error Count", "media_errors", TextKind::Number),
    row("Predictive Failure Count", "predicted_failures", TextKind::Number),
    row("Drive Temperature", "temperature_celsius", TextKind::Celsius),
];

const STORCLI_ROWS: &[LabelRow] = &[
    row("SN", "serial", TextKind::Text),
    row("Manufacturer Id", "vendor", TextKind::Text),
    row("Model Number", "model", TextKind::Text),
    row("WWN", "wwn", TextKind::Identifier),
    row("Firmware Revision", "firmware", TextKind::Text),
    row("S.M.A.R.T alert flagged by drive", "smart_passed", TextKind::NotFlag),
];

const MEGACLI_ROWS: &[LabelRow] = &[
    row("WWN", "wwn", TextKind::Identifier),
    row("Device Firmware Level", "firmware", TextKind::Text),
    row("Drive has flagged a S.M.A.R.T alert", "smart_passed", TextKind::NotFlag),
];

pub(super) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    // People leave the first heading out; behind it the state is of the page that it began.
    let is_begun = || context.is_in(STORCLI.tool) && context.open.is_some_and(PageBuilder::is_empty);
    let is_state = || text.trim_end_matches([' ', ':']).ends_with("State") && !is_begun();
    match () {
        () if text.starts_with("Drive /c") && (text.contains("- Detailed Information") || is_state()) => Some(OutputStart::Open(&STORCLI)),
        () if text.starts_with("Enclosure Device ID:") => Some(OutputStart::Open(&MEGACLI)),
        () => None,
    }
}

/// Other lines are about the controller.
fn other(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    !builder.knows(&line.text)
}
