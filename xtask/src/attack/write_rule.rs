//! Campaign: to have the program write where data is, without consent or with one for something else.
//!
//! An attempt is a place with data, a name for it, and a call that would write there with a consent that is not enough.

mod devices;
mod files;
mod jobs;
mod names;
mod outputs;
mod verbs;

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

pub struct Trespass {
    pub call: Call,
    pub statuses: &'static [i32],
}

fn attempt(attempt: &mut Attempt) -> Result<()> {
    attempt.foreign("other", 65_536)?;
    attempt.foreign("elsewhere/data", 8192)?;
    let place = if attempt.random.once_in(2) { devices::make(attempt)? } else { files::make(attempt)? };
    let (name, stdin) = names::of(attempt, &place)?;
    let mut trespass = match attempt.random.below(if place.is_device { 7 } else { 10 }) {
        0 | 1 => verbs::verify(attempt, &place, &name),
        6 if place.is_device => verbs::layers(attempt, &place, &name),
        2..=5 => jobs::trespass(attempt, &place, &name)?,
        _ => outputs::trespass(attempt, &place, &name)?,
    };
    trespass.call.stdin = stdin;
    flush(&place)?;
    let before = attempt.look(Care::Everything)?;
    attempt.run(trespass.call, trespass.statuses)?;
    flush(&place)?;
    attempt.compare(&before, Care::Everything)
}

/// Has the kernel write what it holds of a device, so that the file behind it tells the truth.
fn flush(place: &Place) -> Result<()> {
    if place.is_device { Ok(File::open(&place.path)?.sync_all()?) } else { Ok(()) }
}

/// Consents for something else, in the flags that `verify` and `run` share. `@` is what the place is rightly called, so that its relatives can be made.
const WRONG: &str = "
    | --destroy loop999 | --destroy x@ | --destroy @x | --destroy @ --destroy-unseen-users | --destroy-unknown-content |
    --destroy-unknown-content --destroy-unseen-users | --overwrite other | --overwrite elsewhere/data | --overwrite @.bak |
    --overwrite nothing-of-that-name";

const WRONG_OF_RUN: &str = "
    --overwrite-all-in elsewhere | --overwrite other --overwrite elsewhere/data | --allow_mounted_write=1 |
    --overwrite-all-in elsewhere --destroy loop999 --destroy-unseen-users";

const RIGHT: &str = "--destroy @ --destroy-unknown-content --destroy-unseen-users";
const RIGHT_FILE: &str = "--overwrite @ --destroy-unseen-users";

/// Words of a consent that must not be enough: none, for something else, or without the second one. Where a place is refused in spite of all, the right ones too.
fn consent(attempt: &mut Attempt, place: &Place, is_run: bool) -> Vec<String> {
    let table = WRONG.split('|').chain(WRONG_OF_RUN.split('|').filter(|_| is_run));
    let mut table: Vec<&str> = table.map(str::trim).collect();
    if place.firm && attempt.random.once_in(2) {
        table = vec![if place.is_device { RIGHT } else { RIGHT_FILE }];
    }
    let chosen = attempt.random.word(&table);
    let chosen = if chosen == "--destroy @ --destroy-unseen-users" && !place.is_device { "" } else { chosen };
    chosen.split_whitespace().map(|word| word.replace('@', &place.consent)).collect()
}
