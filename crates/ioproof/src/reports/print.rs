//! Runs and comparisons on standard output.

use anyhow::Result;
use ioproof_core::compare::Comparison;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_process::complaint::complaint;
use ioproof_process::{colors, output};
use ioproof_report::{FleetReport, Format, Style};
use std::io::{IsTerminal, stdout};

/// Colour and width of text on standard output.
pub fn style() -> Style {
    Style { color: colors::is_colored(), width: output::width() }
}

pub fn print_run(record: &RunRecord, judgement: &Judgement) -> Result<()> {
    output::print(&ioproof_report::summary(record, judgement, style()))
}

/// Refuses what is no text for a terminal.
pub fn check_format(format: Format) -> Result<()> {
    let text = || format!("{} is no text, and standard output is a terminal", format.name());
    let hint = || format!("name a file with -o, or pipe it: --format {} | ...", format.name());
    if format.is_text() || !stdout().is_terminal() { Ok(()) } else { Err(complaint(text(), hint())) }
}

/// Prints a run as JSON, with what it was held against as it ended.
pub fn print_json_of_run(record: &RunRecord, judgement: &Judgement, compared: Option<&Comparison>) -> Result<()> {
    let mut bytes = Vec::new();
    ioproof_report::render_json(record, judgement, compared, &mut bytes)?;
    output::print(&String::from_utf8_lossy(&bytes))
}

pub fn print_report(format: Format, is_verbose: bool, record: &RunRecord, judgement: &Judgement) -> Result<()> {
    if format == Format::Text {
        return output::print(&ioproof_report::text(record, judgement, output::columns()));
    }
    let mut bytes = Vec::new();
    let render = if is_verbose { ioproof_report::render_in_full } else { ioproof_report::render };
    render(format, record, judgement, &mut bytes)?;
    output::print_bytes(&bytes)
}

pub fn print_comparison(format: Format, comparison: &Comparison) -> Result<()> {
    let mut bytes = Vec::new();
    ioproof_report::render_comparison(format, comparison, &mut bytes)?;
    output::print_bytes(&bytes)
}

pub fn print_fleet(format: Format, fleet: &FleetReport) -> Result<()> {
    let mut bytes = Vec::new();
    ioproof_report::render_fleet(format, fleet, &mut bytes)?;
    output::print_bytes(&bytes)
}
