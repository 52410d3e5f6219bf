//! `ioproof report`: a stored run in any format. The stored judgement is shown, so that a report says what was said when the run ended.

use crate::flags::outputs::OutputFlags;
use crate::reports::{self, Reports, print};
use anyhow::Result;
use clap::Args;
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_report::Format;
use ioproof_store::StoredRun;

pub const EXAMPLES: &str = "Examples:
  ioproof report last                     the last run as text
  ioproof report 20261121-031500-3f9a -o x.html -o x.csv
  ioproof report last --format csv        the results as a table on standard output
  ioproof report last -o tables/          results, latency, rounds and notes, a .csv each
A run is named by its id, the beginning of one, its short id, its name, `last`, or the path of its directory.";

/// Flags of `report`.
#[derive(Debug, Args)]
pub struct ReportFlags {
    /// The run: its id, the beginning of it, its short id, its name, `last`, or a path
    pub run: String,
    /// Places of reports  [default: text to standard output].
    #[command(flatten)]
    pub outputs: OutputFlags,
    /// Judge the run again by the rules of this version instead of showing the stored judgement
    #[arg(long)]
    pub rejudge: bool,
}

/// Runs the verb.
///
/// # Errors
/// When there is no such run or an output cannot be written.
pub fn run(args: &ReportFlags) -> Result<u8> {
    let settled = reports::settle(&args.outputs)?;
    let shown = settled.shown.or(args.outputs.output.is_empty().then_some(Format::Text));
    let reports = Reports::open(&settled)?;
    let stored = ioproof_store::find(&args.run)?;
    let judgement = judgement(&stored, args.rejudge);
    let written = reports.write(&stored.record, &judgement);
    shown.map_or(Ok(()), |format| print::print_report(format, settled.is_verbose, &stored.record, &judgement))?;
    written.map(|()| 0)
}

/// The judgement that is stored, or a new one where there is none or it is asked for.
pub fn judgement(stored: &StoredRun, rejudge: bool) -> Judgement {
    match &stored.judgement {
        Some(judgement) if !rejudge => judgement.clone(),
        _ => judge(&stored.record),
    }
}
