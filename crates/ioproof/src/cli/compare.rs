//! The flags of `compare`, and those by which a verb that measures compares as it ends.

use super::outputs::Outputs;
use clap::Args;

/// Examples below the help.
pub const EXAMPLES: &str = "Examples:
  ioproof compare 20261121-0315 last      the last run against an earlier one
  ioproof compare a b c -o x.html         three runs as one page; also .md .csv .json .txt .xlsx
  ioproof compare old.json new.json --fail-if worse
                                          reports of -o run.json; status 1 where a figure is worse
A comparison is written as .html .md .txt .xlsx .csv or .json.
A figure is better or worse where its rounds differ by more than chance (rank-sum test, corrected for the number of figures) and neither run's interval holds the other's
figure. What else differs between the runs is listed first. What a finding doubts in either run is said, and is no failure. Exit status: 1 with --fail-if worse where one is; 2 an error; else 0.";

/// Answers at which a comparison fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FailIf {
    /// A figure of any run is worse than the first run's
    Worse,
}

/// Flags by which a verb that measures compares as it ends.
#[derive(Debug, Clone, Args)]
pub struct Baseline {
    /// When it ends, hold it against this stored run, which has ended: its id, the beginning of one, short id, name, `last`, or a path
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<String>,
    /// End with status 1 where that is so against the baseline, or of the second of two targets in turns
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub fail_if: Option<FailIf>,
}

/// Flags of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The runs, the one to compare with first: ids, beginnings of ids, short ids, names, `last`, or paths; one alone where two targets took turns in it
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    /// Places of the comparison.
    #[command(flatten)]
    pub outputs: Outputs,
    /// End with status 1 where that is so
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub fail_if: Option<FailIf>,
}
