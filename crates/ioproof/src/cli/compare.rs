//! The flags of `compare`, and those by which a verb that measures compares as it ends.

use super::outputs::{self, Outputs};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args};
use ioproof_report::Format;
use ioproof_session::compared::FailIf;

/// Examples below the help.
pub const EXAMPLES: &str = "Examples:
  ioproof compare 20261121-0315 last      the last run against an earlier one
  ioproof compare a b c -o x.html         three runs as one page
  ioproof compare old.json new.json --fail-if worse
                                          reports of -o run.json; status 1 where a figure is worse
A figure is better or worse where its rounds differ by more than chance (rank-sum test, corrected for the number of figures) and neither run's interval holds the other's
figure. What else differs between the runs is listed first. What a finding doubts in either run is said, and is no failure. Exit status: 1 with --fail-if worse where one is; 2 an error; else 0.";

/// Flags by which a verb that measures compares as it ends.
#[derive(Debug, Clone, Args)]
pub struct Baseline {
    /// When it ends, hold it against this stored run, which has ended: its id, the beginning of one, short id, name, `last`, or a path
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<String>,
    /// End with status 1 where that is so against the baseline, or of the second of two targets in turns
    #[arg(long, value_parser = answers(), value_name = "ANSWER")]
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
    #[arg(long, value_parser = answers(), value_name = "ANSWER")]
    pub fail_if: Option<FailIf>,
}

/// Reads the answer of `--fail-if`.
pub(super) fn answers() -> impl TypedValueParser<Value = FailIf> {
    let worse = PossibleValue::new("worse").help("A figure of any run is worse than the first run's");
    PossibleValuesParser::new([worse]).map(|_| FailIf::Worse)
}

/// Names in the help of outputs what a comparison can be written as; runs have formats beyond these.
pub fn in_help(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "output" => {
            let endings: Vec<&str> = Format::ALL.into_iter().filter(|format| format.has_comparisons()).map(Format::ending).collect();
            let endings = endings.join(" ");
            arg.value_name("FILE|-").help(format!(
                "Also write the comparison to this file, in the format of its ending ({endings}); - is standard output, as text unless --format says otherwise; may be repeated"
            ))
        }
        "format" => arg.value_parser(outputs::formats(Format::has_comparisons)).help(
            "Write the comparison in this format to standard output in place of the text; beside -o it is the format of names without a known ending, and of -",
        ),
        "json" => arg.help("Print the comparison as JSON on standard output"),
        _ => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn the_help_of_a_comparison_names_what_it_can_be_written_as() {
        let command = Compare::augment_args(Command::new("x")).mut_args(in_help);
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
