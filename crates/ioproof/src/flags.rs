//! Flags that several verbs have. A flag of one verb stands in the file of that verb.

pub mod baseline;
pub mod help;
pub mod load;
pub mod outputs;
pub mod sizes;
pub mod verify;

use clap::{Args, Command};
use std::ffi::OsString;

/// Flags by the words of a command line, of which the first is a name; none where they cannot be read.
pub fn read<F: Args>(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Option<F> {
    F::from_arg_matches(&F::augment_args(Command::new("flags")).try_get_matches_from(words).ok()?).ok()
}
