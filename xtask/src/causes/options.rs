//! Options of `cargo xtask causes`.

use super::VERB;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// Runs of each cause beside one state of the host, in the long form.
const REPETITIONS: usize = 3;

#[derive(Debug, Default, PartialEq)]
pub struct Options {
    pub full: bool,
    pub short: bool,
    pub truth: bool,
    /// Runs by which intervals are held against each other.
    pub intervals: Option<usize>,
    /// Repetitions in which drives are compared.
    pub compared: Option<usize>,
    pub release: bool,
    pub keeps: bool,
    pub program: Option<PathBuf>,
    pub write: Option<PathBuf>,
    pub answers: Option<PathBuf>,
    /// State of the host: true is loaded; both where None, as far as the form has both.
    pub beside: Option<bool>,
    pub filter: String,
}

impl Options {
    pub fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--full" => options.full = true,
                "--truth" => options.truth = true,
                "--short" => options.short = true,
                "--release" => options.release = true,
                "--keep" => options.keeps = true,
                "--program" => options.program = Some(words.next().context("--program takes a file")?.into()),
                "--intervals" => options.intervals = Some(words.next().context("--intervals takes a number")?.parse()?),
                "--compared" => options.compared = Some(words.next().context("--compared takes a number")?.parse()?),
                "--write" => options.write = Some(words.next().context("--write takes a file")?.into()),
                "--answers" => options.answers = Some(words.next().context("--answers takes a file")?.into()),
                "--beside" => options.beside = Some(is_loaded(words.next())?),
                flag if flag.starts_with('-') => bail!("usage: cargo xtask causes {}", VERB.usage),
                filter => filter.clone_into(&mut options.filter),
            }
        }
        Ok(options)
    }

    /// Which run beside which state of the host, in the order in which they are made.
    pub fn rounds(&self) -> Vec<(usize, bool)> {
        let times = if self.full { REPETITIONS } else { 1 };
        let states: &[bool] = match (self.beside, self.full) {
            (Some(true), _) => &[true],
            (None, true) => &[false, true],
            _ => &[false],
        };
        (0..times).flat_map(|nth| states.iter().map(move |loaded| (nth, *loaded))).collect()
    }

    /// The call, as the page names it.
    pub fn said(&self) -> String {
        let beside = self.beside.map(|loaded| if loaded { " --beside loaded" } else { " --beside idle" });
        let program = self.program.as_ref().map(|program| format!(" --program {}", program.display()));
        let flags = [(" --release", self.release), (" --full", self.full)].into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag);
        "cargo xtask causes".to_owned() + &flags.chain(beside).collect::<String>() + &program.unwrap_or_default()
    }
}

fn is_loaded(word: Option<&String>) -> Result<bool> {
    match word.map(String::as_str) {
        Some("idle") => Ok(false),
        Some("loaded") => Ok(true),
        _ => bail!("--beside takes idle or loaded"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_tried_once_before_any_twice() {
        let rounds = |full, beside| Options { full, beside, ..Options::default() }.rounds();
        assert_eq!(rounds(false, None), [(0, false)]);
        assert_eq!(rounds(false, Some(true)), [(0, true)]);
        assert_eq!(rounds(true, Some(false)), [(0, false), (1, false), (2, false)]);
        assert_eq!(rounds(true, None)[..3], [(0, false), (0, true), (1, false)]);
    }

    #[test]
    fn options_are_read_and_wrong_ones_refused() {
        let words = |line: &str| Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let read = words("--full --write a.md stalls").unwrap();
        assert_eq!((read.full, read.write, read.filter.as_str()), (true, Some("a.md".into()), "stalls"));
        assert_eq!(words("--beside idle --program p --full").unwrap().said(), "cargo xtask causes --full --beside idle --program p");
        assert!(words("--seed").is_err() && words("--write").is_err() && words("--beside noise").is_err());
    }
}
