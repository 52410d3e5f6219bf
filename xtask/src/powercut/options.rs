//! Options of `cargo xtask powercut`.

use super::VERB;
use crate::random;
use anyhow::{Context, Result, bail};

const CUTS: usize = 10;
const CUTS_STEP: usize = 3;

/// Rows that are tried where none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Those of a step of the tests.
    Step,
    /// Each kind of drive at least once.
    Usual,
}

#[derive(Debug, PartialEq)]
pub struct Options {
    pub cuts: usize,
    pub form: Form,
    pub seed: u64,
    /// Names of drive, layer and writer, as many as are given; one alone is a part of any of them.
    pub only: Vec<String>,
    /// Layers in the virtual machine, instead of those on this kernel.
    pub machine: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { cuts: CUTS, form: Form::Usual, seed: random::seed_from_clock(), only: Vec::new(), machine: false }
    }
}

impl Options {
    pub fn step() -> Self {
        Self { cuts: CUTS_STEP, form: Form::Step, seed: 1, ..Self::default() }
    }

    /// The same in the virtual machine.
    pub fn in_machine(self) -> Self {
        Self { machine: true, ..self }
    }

    pub fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} takes a value"));
            match word.as_str() {
                "--machine" => options.machine = true,
                "--cuts" => options.cuts = value()?.parse().context("--cuts takes a number")?,
                "--seed" => options.seed = value()?.parse().context("--seed takes a number")?,
                "--only" => options.only = value()?.split('/').map(str::to_owned).collect(),
                _ => bail!("usage: cargo xtask powercut {}", VERB.usage),
            }
        }
        Ok(options)
    }

    /// True where the row of this drive, layer and writer is to be tried. Without a name that is what the form has.
    pub fn wants(&self, row: [&str; 3], is_of_form: impl Fn(Form) -> bool) -> bool {
        match self.only.as_slice() {
            [] => is_of_form(self.form),
            [part] => row.iter().any(|name| name.contains(part.as_str())),
            names => names.len() <= row.len() && names.iter().zip(row).all(|(name, of)| name == of),
        }
    }
}
