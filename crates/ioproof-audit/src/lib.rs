//! Published measurements: outputs of other tools, job files, and the words around them, read and recomputed.
//!
//! A document becomes a `reading`: commands, job files, outputs (`readers`) as `measured` values, words and tables (`prose`). `checks` hold them against each
//! other and give `finding`s, each with its arithmetic; `claims` holds them against a datasheet. Everything is a function of its arguments, and no text makes
//! it panic. Deliberately absent: opening files, and any judgement that the numbers of the text do not bear out.

#![forbid(unsafe_code)]

mod checks;
pub mod claims;
pub mod command;
pub mod document;
pub mod finding;
pub mod jobs;
pub mod measured;
pub mod number;
pub mod prose;
mod readers;
pub mod reading;
mod show;
pub mod tables;
pub mod text;

pub use checks::names as check_names;
pub use checks::outputs::{Point, Sweep, sweeps};
pub use finding::{Findings, Found, Sound, Weight};
pub use reading::Reading;

/// Checks documents, each for itself and all together.
#[must_use]
pub fn audit(readings: &[Reading]) -> Findings {
    checks::run(readings)
}
