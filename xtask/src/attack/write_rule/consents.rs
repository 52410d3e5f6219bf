//! Consents that must not be enough: none, for something else, or without the second one. Where a place is refused in spite of all, the right ones too.

use super::Place;
use crate::attack::attempt::Attempt;

/// For something else, in the flags that `verify` and `run` share. `@` is what the place is rightly called, so that its relatives can be made.
const WRONG: &[&str] = &[
    "",
    "--destroy loop999",
    "--destroy x@",
    "--destroy @x",
    "--destroy @ --destroy-unseen-users",
    "--destroy-unknown-content",
    "--destroy-unknown-content --destroy-unseen-users",
    "--overwrite other",
    "--overwrite elsewhere/data",
    "--overwrite @.bak",
    "--overwrite nothing-of-that-name",
];

const RIGHT: &str = "--destroy @ --destroy-unknown-content --destroy-unseen-users";
const RIGHT_FILE: &str = "--overwrite @ --destroy-unseen-users";

/// For `run` alone, as for a directory.
const WRONG_OF_RUN: &[&str] = &[
    "--overwrite-all-in elsewhere",
    "--overwrite other --overwrite elsewhere/data",
    "--allow_mounted_write=1",
    "--overwrite-all-in elsewhere --destroy loop999 --destroy-unseen-users",
];

pub fn words(attempt: &mut Attempt, place: &Place, is_run: bool) -> Vec<String> {
    let mut table: Vec<&str> = WRONG.to_vec();
    if is_run {
        table.extend(WRONG_OF_RUN);
    }
    if place.firm && attempt.random.once_in(2) {
        table = vec![if place.is_device { RIGHT } else { RIGHT_FILE }];
    }
    let chosen = attempt.random.word(&table);
    let of_device = chosen == "--destroy @ --destroy-unseen-users" && !place.is_device;
    let chosen = if of_device { "" } else { chosen };
    chosen.split_whitespace().map(|word| word.replace('@', &place.consent)).collect()
}
