//! `ioproof compare`: stored runs held against the first of them, or both sides of one run in which two targets took turns.

use crate::flags::baseline::answers;
use crate::flags::outputs::{self, OutputFlags};
use crate::reports::{self, Reports, print};
use anyhow::Result;
use clap::{Arg, Args};
use ioproof_core::compare::{compare, is_interleaved, sides};
use ioproof_core::record::RunRecord;
use ioproof_core::together;
use ioproof_process::complaint::complaint;
use ioproof_process::{messages, output};
use ioproof_report::Format;
use ioproof_session::compared;
use ioproof_session::compared::FailIf;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

pub const EXAMPLES: &str = "Examples:
  ioproof compare 20261121-0315 last      the last run against an earlier one
  ioproof compare a b c -o x.html         three runs as one page
  ioproof compare old.json new.json --fail-if worse
                                          reports of -o run.json; status 1 where a figure is worse
A figure is better or worse where its rounds differ by more than chance (rank-sum test, corrected for the number of figures) and neither run's interval holds the other's
figure. What else differs between the runs is listed first. What a finding doubts in either run is said, and is no failure. Exit status: 1 with --fail-if worse where one is; 2 an error; else 0.";

/// Flags of `compare`.
#[derive(Debug, Args)]
pub struct CompareFlags {
    /// The runs, the one to compare with first: ids, beginnings of ids, short ids, names, `last`, or paths; one alone where two targets took turns in it
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    /// Places of the comparison.
    #[command(flatten)]
    pub outputs: OutputFlags,
    /// End with status 1 where that is so
    #[arg(long, value_parser = answers(), value_name = "ANSWER")]
    pub fail_if: Option<FailIf>,
}

/// Names in the help of outputs what a comparison can be written as.
pub fn in_help(arg: Arg) -> Arg {
    outputs::in_help_of(arg, "comparison", Format::has_comparisons)
}

/// Runs the verb and gives the exit status.
///
/// # Errors
/// When there is no such run, a run is held against itself, or the runs have no figure in common.
pub fn run(args: &CompareFlags) -> Result<u8> {
    let outputs = reports::settle(&args.outputs)?;
    reports::check_formats(&outputs, "a comparison", false, Format::has_comparisons)?;
    let reports = Reports::open(&outputs)?;
    args.runs.iter().try_for_each(|run| reports.spare_input(Path::new(run), "one of the runs"))?;
    let records = records(&args.runs)?;
    let comparison = compare(&records.iter().collect::<Vec<_>>());
    compared::check(&comparison, &records)?;
    let written = reports.write_comparison(&comparison);
    match outputs.shown {
        Some(format) => print::print_rendered(|out| ioproof_report::render_comparison(format, &comparison, out))?,
        None => output::print(&ioproof_report::comparison_text(&comparison, print::style()))?,
    }
    written?;
    Ok(compared::exit_status(0, args.fail_if, &comparison))
}

/// The runs that are named, each once; of a single one its two sides, and of runs of several targets what all of them gave at once.
fn records(names: &[String]) -> Result<Vec<RunRecord>> {
    let is_target = |name: &String| std::fs::metadata(name).is_ok_and(|meta| meta.file_type().is_block_device());
    if let [first, second, ..] = names
        && is_target(first)
        && is_target(second)
    {
        let hint = format!("ioproof verify --interleave {first} {second} measures both in turns and compares them");
        return Err(complaint("`compare` takes stored runs, and these are drives", hint));
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn the_help_of_a_comparison_names_what_it_can_be_written_as() {
        let command = CompareFlags::augment_args(Command::new("x")).mut_args(in_help);
        let output =
            command.get_arguments().find(|argument| argument.get_long() == Some("output")).unwrap().get_help().unwrap().to_string();
        for format in Format::ALL {
            let is_named = [" ", ")"].iter().any(|end| output.contains(&format!("{}{end}", format.ending())));
            assert_eq!(is_named, format.has_comparisons(), "{}: {output}", format.name());
        }
        let help = command.clone().render_help().to_string();
        assert!(help.contains("html") && !help.contains("junit") && !help.contains("DIR"), "{help}");
        assert!(command.try_get_matches_from(["x", "a", "b", "--format", "junit"]).is_ok(), "it is refused with a reason later");
    }
}
