//! Flags that say where a report goes and in what form, alike for every verb that has one.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args};
use ioproof_report::Format;
use std::path::PathBuf;

/// Places of reports, and the format of those whose name has none.
#[derive(Debug, Clone, Default, Args)]
pub struct OutputFlags {
    /// Files, folders and standard output.
    #[arg(short = 'o', long = "output", value_name = "FILE|DIR/|-", help = output_help("report", "; DIR/ takes all tables,", |_| true))]
    pub output: Vec<PathBuf>,
    /// Write the report in this format to standard output in place of the summary; beside -o it is the format of names without a known ending, of DIR/ and of -
    #[arg(long, value_name = "FORMAT", value_parser = formats(|_| true), conflicts_with = "json")]
    pub format: Option<Format>,
    /// Print the result as JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Tell everything: the whole report in place of the summary, and Markdown with charts, rounds and all facts
    #[arg(long)]
    pub verbose: bool,
}

/// Reads the name of a format; the help lists those of which this is true.
pub fn formats(is_listed: fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let values = Format::ALL.map(|format| PossibleValue::new(format.name()).hide(!is_listed(format)));
    PossibleValuesParser::new(values).try_map(|name| Format::from_name(&name).ok_or("no such format"))
}

/// The help of `-o` for a document, with the endings of the formats of which this is true.
fn output_help(document: &str, folders: &str, is_known: fn(Format) -> bool) -> String {
    let endings: Vec<&str> = Format::ALL.into_iter().filter(|format| is_known(*format)).map(Format::ending).collect();
    let endings = endings.join(" ");
    format!(
        "Also write the {document} to this file, in the format of its ending ({endings}){folders} - is standard output, as text unless --format says otherwise; may be repeated"
    )
}

/// Names in the help of outputs what a document that is no run can be written as; runs have formats beyond these.
pub fn in_help_of(arg: Arg, document: &str, is_known: fn(Format) -> bool) -> Arg {
    match arg.get_id().as_str() {
        "output" => arg.value_name("FILE|-").help(output_help(document, ";", is_known)),
        "format" => arg.value_parser(formats(is_known)).help(format!(
            "Write the {document} in this format to standard output in place of the text; beside -o it is the format of names without a known ending, and of -",
        )),
        "json" => arg.help(format!("Print the {document} as JSON on standard output")),
        _ => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn the_help_of_an_output_names_every_ending() {
        let command = OutputFlags::augment_args(Command::new("x"));
        let output = command.get_arguments().find(|argument| argument.get_long() == Some("output")).unwrap();
        let help = output.get_help().unwrap().to_string();
        // The other ending of a page goes without saying.
        for ending in ioproof_report::ENDINGS.iter().filter(|ending| **ending != ".htm") {
            assert!(help.contains(&format!("{ending} ")) || help.contains(&format!("{ending})")), "{ending}: {help}");
        }
    }
}
