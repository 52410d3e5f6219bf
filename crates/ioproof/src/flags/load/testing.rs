//! Flags for tests, as they are typed.

use super::Load;
use clap::Parser;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    load: Load,
}

pub fn parsed(words: &str) -> Result<Load, clap::Error> {
    Line::try_parse_from(format!("x {words}").split_whitespace()).map(|line| line.load)
}

pub fn load(words: &str) -> Load {
    parsed(words).unwrap_or_else(|e| panic!("{words}: {e}"))
}
