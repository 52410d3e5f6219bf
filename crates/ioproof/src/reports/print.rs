//! Reports on standard output.

use anyhow::Result;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_process::complaint::complaint;
use ioproof_process::{colors, output};
use ioproof_report::{Format, ReportError, Style};
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

/// Prints what a format makes of a run, a comparison or a fleet.
pub fn print_rendered(render: impl FnOnce(&mut Vec<u8>) -> Result<(), ReportError>) -> Result<()> {
    let mut bytes = Vec::new();
    render(&mut bytes)?;
    output::print_bytes(&bytes)
}

pub fn print_report(format: Format, is_verbose: bool, record: &RunRecord, judgement: &Judgement) -> Result<()> {
    if format == Format::Text {
        return output::print(&ioproof_report::text(record, judgement, output::columns()));
    }
    let render = if is_verbose { ioproof_report::render_in_full } else { ioproof_report::render };
    print_rendered(|out| render(format, record, judgement, out))
}
