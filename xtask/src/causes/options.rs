//! Options of `cargo xtask causes`.

use super::VERB;
use anyhow::{Result, bail};

/// Runs of each cause beside one state of the host, in the long form.
const REPETITIONS: usize = 3;

#[derive(Debug, Default, PartialEq)]
pub struct Options {
    pub full: bool,
    pub short: bool,
    pub filter: String,
}

impl Options {
    pub fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        for word in args {
            match word.as_str() {
                "--full" => options.full = true,
                "--short" => options.short = true,
                flag if flag.starts_with('-') => bail!("usage: cargo xtask causes {}", VERB.usage),
                filter => filter.clone_into(&mut options.filter),
            }
        }
        Ok(options)
    }

    /// State of the host of each round (true is loaded), in the order in which they are made.
    pub fn rounds(&self) -> Vec<bool> {
        if self.full { [false, true].repeat(REPETITIONS) } else { vec![false] }
    }

    /// True where the page of the matrix is written: it has all of them.
    pub fn has_page(&self) -> bool {
        self.full && !self.short && self.filter.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_tried_once_before_any_twice() {
        let rounds = |full| Options { full, ..Options::default() }.rounds();
        assert_eq!((rounds(false), &rounds(true)[..3]), (vec![false], &[false, true, false][..]));
    }

    #[test]
    fn options_are_read_and_wrong_ones_refused() {
        let words = |line: &str| Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let read = words("--full stalls").unwrap();
        assert_eq!((read.full, read.short, read.filter.as_str(), read.has_page()), (true, false, "stalls", false));
        assert!(words("--full").unwrap().has_page() && words("--seed").is_err());
    }
}
