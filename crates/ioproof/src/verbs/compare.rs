//! `ioproof compare`: stored runs held against the first of them, or both sides of one run in which two targets took turns.

use crate::cli::Compare;
use crate::reports::print;
use crate::reports::{self, Reports};
use anyhow::Result;
use ioproof_core::compare::{compare, is_interleaved, sides};
use ioproof_core::record::RunRecord;
use ioproof_core::together;
use ioproof_process::complaint::complaint;
use ioproof_process::messages;
use ioproof_process::output;
use ioproof_session::compared;
use std::path::Path;

/// Runs the verb and gives the exit status.
///
/// # Errors
/// When there is no such run, a run is held against itself, or the runs have no figure in common.
pub fn run(args: &Compare) -> Result<u8> {
    let outputs = reports::settle(&args.outputs)?;
    reports::check_for_comparison(&outputs)?;
    let reports = Reports::open(&outputs)?;
    args.runs.iter().try_for_each(|run| reports.spare_input(Path::new(run)))?;
    let records = records(&args.runs)?;
    let comparison = compare(&records.iter().collect::<Vec<_>>());
    compared::check(&comparison, &records)?;
    let written = reports.write_comparison(&comparison);
    match outputs.shown {
        Some(format) => print::print_comparison(format, &comparison)?,
        None => output::print(&ioproof_report::comparison_text(&comparison, print::style()))?,
    }
    written?;
    Ok(compared::exit_status(0, args.fail_if, &comparison))
}

/// The runs that are named, each once; of a single one its two sides, and of runs of several targets what all of them gave at once.
fn records(names: &[String]) -> Result<Vec<RunRecord>> {
    let records = names.iter().map(|run| Ok(ioproof_store::find(run)?.record)).collect::<Result<Vec<RunRecord>>>()?;
    for record in &records {
        ioproof_store::damage(record).for_each(|note| messages::warning(&format!("run {}: {note}", record.id)));
    }
    if let Some(twice) = (1..records.len()).find(|at| records[..*at].iter().any(|earlier| earlier.id == records[*at].id)) {
        return Err(complaint(format!("run {} is held against itself", records[twice].id), "name two different runs: ioproof runs list"));
    }
    match records.as_slice() {
        [one] if is_interleaved(one) => Ok(sides(one).into()),
        [one] => Err(complaint(
            format!("run {} is the only one, and there is nothing to hold it against", one.id),
            "name two runs; a single one is compared where two targets took turns in it (ioproof verify --interleave TARGET TARGET, ioproof layers --dir DIR --dir DIR)",
        )),
        several if several.iter().all(together::is_one) => Ok(several.iter().map(together::as_one).collect()),
        several => several.iter().try_for_each(compared::one_side).map(|()| records),
    }
}
