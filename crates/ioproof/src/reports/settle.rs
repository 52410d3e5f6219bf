//! The settlement of `-o`, `--format` and `--json`: which format goes where. Nothing is opened here.

use crate::flags::outputs::OutputFlags;
use anyhow::Result;
use ioproof_process::complaint::complaint;
use ioproof_report::Format;
use std::path::{Path, PathBuf};

/// The name of standard output.
const STDOUT: &str = "-";

/// Where reports go.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settled {
    pub files: Vec<(PathBuf, Format)>,
    /// Folders for all tables, without the slash.
    pub folders: Vec<(PathBuf, Format)>,
    /// The format on standard output; none leaves it to the verb.
    pub shown: Option<Format>,
    /// True where a format that has a short and a long form takes the long one.
    pub is_verbose: bool,
}

/// Settles what was typed.
///
/// # Errors
/// When the format of a place cannot be told, or `--format` says nothing.
pub fn settle(typed: &OutputFlags) -> Result<Settled> {
    let mut settled = Settled { is_verbose: typed.verbose, ..Settled::default() };
    let mut is_format_used = typed.output.is_empty();
    let is_first = |(at, path): &(usize, &PathBuf)| !typed.output[..*at].contains(path);
    for (_, path) in typed.output.iter().enumerate().filter(is_first) {
        let text = path.to_string_lossy();
        let by_ending = Format::from_path(&text);
        is_format_used |= by_ending.is_none() || text.ends_with('/');
        match text.strip_suffix('/').map(|folder| folder.trim_end_matches('/')) {
            _ if text == STDOUT => settled.shown = Some(stdout_format(typed)?),
            Some(folder) => {
                settled.folders.push((PathBuf::from(if folder.is_empty() { "/" } else { folder }), folder_format(typed, &text)?))
            }
            None => settled.files.push((path.clone(), by_ending.or(typed.format).ok_or_else(|| unknown(path))?)),
        }
    }
    match typed.format {
        Some(format) if !is_format_used => return Err(says_nothing(format)),
        Some(format) if typed.output.is_empty() => settled.shown = Some(format),
        _ if typed.json && settled.shown.is_none() => settled.shown = Some(Format::Json),
        _ if typed.verbose && settled.shown.is_none() => settled.shown = Some(Format::Text),
        _ => {}
    }
    let mut formats = settled.files.iter().chain(&settled.folders).map(|(_, format)| *format).chain(settled.shown);
    match formats.find(|format| !format.is_built()) {
        Some(format) => Err(complaint(
            format!("this ioproof was built without {}", format.name()),
            format!("take .csv, or build it with `cargo build --release --features {}`", format.name()),
        )),
        None => Ok(settled),
    }
}

/// Refuses what a document that is no run cannot be written as; the document has its article, as in `a comparison`.
///
/// # Errors
/// When a format is one of runs alone, or a folder was named for a document that is one file.
pub fn check_formats(settled: &Settled, document: &str, takes_folders: bool, is_known: fn(Format) -> bool) -> Result<()> {
    let mut formats = settled.files.iter().map(|(_, format)| *format).chain(settled.shown);
    let known = || format!("--format {}", names(is_known));
    if let Some(format) = formats.find(|format| !is_known(*format)) {
        return Err(complaint(format!("{document} cannot be written as {}", format.name()), known()));
    }
    match settled.folders.first().filter(|_| !takes_folders) {
        Some((folder, _)) => Err(complaint(format!("{}/ is a folder, and {document} is one file", folder.display()), known())),
        None => Ok(()),
    }
}

fn stdout_format(typed: &OutputFlags) -> Result<Format> {
    match (typed.format, typed.json) {
        (_, true) => Err(complaint("-o - and --json both mean standard output", "leave one of them out; --format json is JSON too")),
        // The name of standard output has no ending; people read it.
        (format, false) => Ok(format.unwrap_or(Format::Text)),
    }
}

fn folder_format(typed: &OutputFlags, text: &str) -> Result<Format> {
    let format = typed.format.unwrap_or(Format::Csv);
    let refused = || complaint(format!("{text} is a folder, which takes tables"), format!("--format {}", names(Format::has_tables)));
    if format.has_tables() { Ok(format) } else { Err(refused()) }
}

fn unknown(path: &Path) -> anyhow::Error {
    let text = format!("cannot tell the format of {} by its ending", path.display());
    complaint(text, format!("known: {}; or name a --format", ioproof_report::ENDINGS.join(" ")))
}

fn says_nothing(format: Format) -> anyhow::Error {
    let text = format!("--format {}: every file of -o has its format by its ending", format.name());
    complaint(text, "leave --format out, or add `-o -` for standard output")
}

fn names(of: fn(Format) -> bool) -> String {
    Format::ALL.into_iter().filter(|format| of(*format)).map(Format::name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(output: &[&str], format: Option<Format>) -> Result<Settled> {
        settle(&OutputFlags { output: output.iter().map(PathBuf::from).collect(), format, ..OutputFlags::default() })
    }

    #[test]
    fn an_ending_goes_before_the_format_that_was_named() {
        let settled = typed(&["x.html", "plain", "-", "x.html"], Some(Format::Csv)).unwrap();
        assert_eq!(settled.files, [("x.html".into(), Format::Html), ("plain".into(), Format::Csv)]);
        assert_eq!(settled.shown, Some(Format::Csv));
    }

    #[test]
    fn a_folder_takes_tables() {
        assert_eq!(typed(&["out/"], None).unwrap().folders, [("out".into(), Format::Csv)]);
        assert!(typed(&["out/"], Some(Format::Html)).is_err());
        assert_eq!(typed(&["out//"], None).unwrap().folders, [("out".into(), Format::Csv)]);
        assert_eq!(typed(&["d.csv/"], None).unwrap().folders, [("d.csv".into(), Format::Csv)]);
    }

    #[test]
    fn standard_output_takes_the_named_format() {
        assert_eq!(typed(&[], Some(Format::Markdown)).unwrap().shown, Some(Format::Markdown));
        assert_eq!(typed(&[], None).unwrap().shown, None);
        assert_eq!(typed(&["-"], None).unwrap().shown, Some(Format::Text));
        assert_eq!(typed(&["-", "x.csv"], None).unwrap().shown, Some(Format::Text), "an ending is of its own file");
        let json = settle(&OutputFlags { json: true, ..OutputFlags::default() }).unwrap();
        assert_eq!(json.shown, Some(Format::Json));
        let verbose = settle(&OutputFlags { verbose: true, ..OutputFlags::default() }).unwrap();
        assert_eq!((verbose.shown, verbose.is_verbose), (Some(Format::Text), true), "the whole report");
    }

    #[test]
    fn what_says_nothing_or_too_little_is_refused() {
        assert!(typed(&["plain"], None).is_err());
        assert!(typed(&["x.html"], Some(Format::Csv)).is_err());
        assert!(settle(&OutputFlags { output: vec!["-".into()], json: true, ..OutputFlags::default() }).is_err());
    }
}
