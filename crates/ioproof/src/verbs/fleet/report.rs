//! `ioproof fleet report`: the results of a fleet as one page, one workbook, or one table.

use super::results;
use crate::flags::outputs::OutputFlags;
use crate::reports::{self, Reports, print};
use anyhow::Result;
use clap::{Arg, Args};
use ioproof_core::fleet::judge_fleet;
use ioproof_process::output;
use ioproof_report::{FleetReport, Format};
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  ioproof fleet report rack7                       which drives and nodes stand out, as text
  ioproof fleet report rack7 -o fleet.html -o fleet.xlsx
                                                   one page and one workbook, each drive a dot
  ioproof fleet report rack7 -o fleet.parquet      one table: a row for each drive and figure
  ioproof fleet report rack7 -o lake/ --format parquet
                                                   the same, a folder for each day: lake/day=2026-11-28/fleet.parquet
DIR is the folder of `ioproof fleet run`, or one with a folder of run files for each node.
Exit status: 1 a drive misses a claim, fails or is slow among drives like it, or a node is slow; 3 a result is missing or cannot be told; 2 an error; else 0.";

/// Flags of `fleet report`.
#[derive(Debug, Args)]
pub struct FleetReportFlags {
    /// The folder of the fleet
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Places of the report.
    #[command(flatten)]
    pub outputs: OutputFlags,
}

/// Names in the help of outputs what a fleet can be written as.
pub fn in_help(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "output" => {
            let endings: Vec<&str> = Format::ALL.into_iter().filter(|format| format.has_fleets()).map(Format::ending).collect();
            arg.help(format!(
                "Also write the report to this file, in the format of its ending ({}); DIR/ takes a table a day, as CSV unless --format says otherwise; may be repeated",
                endings.join(" ")
            ))
        }
        "format" => arg.value_parser(crate::flags::outputs::formats(Format::has_fleets)),
        "verbose" => arg.hide(true),
        _ => arg,
    }
}

/// Runs the verb and gives the exit status.
///
/// # Errors
/// When there is no such folder, or a report cannot be written.
pub fn run(args: &FleetReportFlags) -> Result<u8> {
    let outputs = reports::settle(&args.outputs)?;
    reports::check_formats(&outputs, "a fleet", true, Format::has_fleets)?;
    let reports = Reports::open_files(&outputs)?;
    let results = results::read(&args.dir)?;
    let fleet = judge_fleet(&results.runs, results.problems);
    let report = FleetReport { fleet: &fleet, runs: &results.runs, day: None };
    let written = reports.write_fleet(&report, &outputs.folders);
    match outputs.shown {
        Some(format) => print::print_rendered(|out| ioproof_report::render_fleet(format, &report, out))?,
        None => output::print(&ioproof_report::fleet_text(&report, print::style()))?,
    }
    written?;
    Ok(fleet.exit_status)
}
