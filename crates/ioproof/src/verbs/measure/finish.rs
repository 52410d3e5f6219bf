//! The back of every measuring verb but `run`: what was measured is told and written, and held against what it was to be compared with.

use crate::reports::{Reports, print};
use crate::settle::RunOutputs;
use anyhow::Result;
use ioproof_core::compare::{self, Comparison, is_interleaved};
use ioproof_process::complaint::{self, complaint};
use ioproof_process::{interrupt, output};
use ioproof_report::Format;
use ioproof_session::compared::RunComparison;
use ioproof_session::measure::MeasuredRun;
use ioproof_session::request::RunKind;

/// Tells what was measured and what it was held against, and gives the exit status. Whatever a comparison meets in another run, what was measured is in its files
/// before.
///
/// # Errors
/// When results cannot be written, or are kept nowhere.
pub fn finish(kind: &RunKind, outputs: &RunOutputs, reports: Reports, measured: &MeasuredRun) -> Result<u8> {
    let keep_all = reports.keep_all();
    let files = WrittenFiles { keep_all, written: reports.write(&measured.record, &measured.judgement) };
    let compared = compared(kind, outputs, measured);
    let status = measured.judgement.exit_status;
    if measured.stored.folder().is_some() && files.written.is_ok() && outputs.fail_if.is_none() {
        interrupt::run_is_kept(status);
    }
    let reported = report(outputs, files, measured, compared.as_ref().and_then(RunComparison::told));
    measured.failure.iter().for_each(complaint::print);
    if let Err(error) = reported {
        // That data was lost is worse than that a result is not where it should be.
        if !interrupt::is_data_lost() {
            return Err(error);
        }
        complaint::print(&error);
    }
    Ok(compared.map_or(status, |compared| compared.exit_status(status)))
}

/// Targets in turns are held against each other, any other run against its baseline.
fn compared(kind: &RunKind, outputs: &RunOutputs, measured: &MeasuredRun) -> Option<RunComparison> {
    let record = &measured.record;
    let sides = || RunComparison::new(&compare::sides(record), outputs.fail_if);
    match kind {
        RunKind::AtOnce => None,
        RunKind::InTurns => Some(sides()),
        RunKind::Layers => is_interleaved(record).then(sides),
        _ => outputs.baseline.as_ref().map(|baseline| baseline.compare(record)),
    }
}

struct WrittenFiles {
    /// True if one of them holds all of the run.
    keep_all: bool,
    written: Result<()>,
}

/// Tells the result: on standard output, and where the run is kept. What cannot be printed changes nothing else.
fn report(outputs: &RunOutputs, files: WrittenFiles, measured: &MeasuredRun, compared: Option<&Comparison>) -> Result<()> {
    let stored = &measured.stored;
    let is_kept = stored.folder().is_some() || files.keep_all && files.written.is_ok();
    let place = stored.folder().map(|folder| format!("stored in {}", folder.display()));
    let is_lost = output::print_kept(place, || {
        let printed = print_results(outputs, &files, measured, compared);
        let is_lost = !is_kept && (printed.is_err() || output::reader_has_gone());
        output::or_warn(printed);
        is_lost
    });
    if stored.folder().is_none() {
        stored.say_how_to_keep();
    }
    files.written?;
    if is_lost { Err(complaint("the result is kept nowhere", "-o run.json keeps it in that file")) } else { Ok(()) }
}

fn print_results(outputs: &RunOutputs, files: &WrittenFiles, measured: &MeasuredRun, compared: Option<&Comparison>) -> Result<()> {
    let MeasuredRun { record, judgement, stored, .. } = measured;
    let printed = match (outputs.reports.shown, stored.folder()) {
        (Some(Format::Json), _) => print::print_rendered(|out| ioproof_report::render_json(record, judgement, compared, out)),
        (Some(format), _) => print::print_report(format, outputs.reports.is_verbose, record, judgement),
        (None, Some(_)) => print::print_run(record, judgement),
        (None, None) if files.keep_all && files.written.is_ok() => {
            output::print(&ioproof_report::summary_of_unstored(record, judgement, print::style()))
        }
        // Nothing else will ever show it.
        (None, None) => output::print(&ioproof_report::text_of_unstored(record, judgement, output::columns())),
    };
    let is_for_people = outputs.reports.shown.is_none_or(|format| format == Format::Text);
    match compared.filter(|_| is_for_people) {
        Some(comparison) => {
            printed.and_then(|()| output::print(&format!("\n{}", ioproof_report::comparison_text(comparison, print::style()))))
        }
        None => printed,
    }
}
