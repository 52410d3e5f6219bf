//! Flags for tests, as they are typed.

use super::LoadFlags;
use clap::Parser;

#[derive(Debug, Parser)]
struct LoadLine {
    #[command(flatten)]
    load: LoadFlags,
}

pub fn parsed(words: &str) -> Result<LoadFlags, clap::Error> {
    LoadLine::try_parse_from(format!("x {words}").split_whitespace()).map(|line| line.load)
}

pub fn load(words: &str) -> LoadFlags {
    parsed(words).unwrap_or_else(|e| panic!("{words}: {e}"))
}
