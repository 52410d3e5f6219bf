//! Campaign: to have the program write where data is, without consent or with one for something else.
//!
//! An attempt is a place with data, a name for it, and a call that would write there with a consent that is not enough.

mod consents;
mod devices;
mod files;
mod images;
mod jobs;
mod layers;
mod names;
mod outputs;
mod verify;

use super::Campaign;
use super::attempt::Attempt;
use super::snapshot::Care;
use crate::program::Call;
use anyhow::Result;
use std::fs::File;
use std::path::PathBuf;

pub const CAMPAIGN: Campaign = Campaign { name: "write-rule", short: 120, full: 2000, needs_root: true, attempt };

pub struct Place {
    pub path: PathBuf,
    /// The word with which a user would rightly consent.
    pub consent: String,
    pub is_device: bool,
    /// True where it must be refused in spite of every consent.
    pub firm: bool,
}

/// A call that must write nothing, and the exit statuses that it may have.
pub struct Trespass {
    pub call: Call,
    pub statuses: &'static [i32],
}

fn attempt(attempt: &mut Attempt) -> Result<()> {
    attempt.foreign("other", 65_536)?;
    attempt.foreign("elsewhere/data", 8192)?;
    let place = if attempt.random.once_in(2) { devices::make(attempt)? } else { files::make(attempt)? };
    let (name, stdin) = names::of(attempt, &place)?;
    let mut trespass = trespass(attempt, &place, &name)?;
    trespass.call.stdin = stdin;
    flush(&place)?;
    let before = attempt.look(Care::Everything)?;
    attempt.run(trespass.call, trespass.statuses)?;
    flush(&place)?;
    attempt.compare(&before, Care::Everything)
}

fn trespass(attempt: &mut Attempt, place: &Place, name: &str) -> Result<Trespass> {
    match attempt.random.below(if place.is_device { 7 } else { 10 }) {
        0 | 1 => Ok(verify::trespass(attempt, place, name)),
        6 if place.is_device => Ok(layers::trespass(attempt, place, name)),
        2..=5 => jobs::trespass(attempt, place, name),
        _ => outputs::trespass(attempt, place, name),
    }
}

/// Has the kernel write what it holds of a device, so that the file behind it tells the truth.
fn flush(place: &Place) -> Result<()> {
    if place.is_device {
        File::open(&place.path)?.sync_all()?;
    }
    Ok(())
}
