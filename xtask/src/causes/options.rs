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
