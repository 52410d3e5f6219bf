//! Campaign: malformed input of every kind, and limits. No panic, hang, odd exit status, more than 2 GiB or foreign control character.

mod families;
mod jobs;
mod mutate;

use super::Campaign;
use super::attempt::Attempt;
use super::failure::Kind;
use super::snapshot::Care;
use crate::program::{Call, Ended};
use anyhow::Result;

pub const CAMPAIGN: Campaign = Campaign { name: "input", short: 80, full: 2000, needs_root: true, attempt };

/// A call that reads something malformed, and the exit statuses that it may have.
pub struct Reading {
    pub call: Call,
    pub statuses: &'static [i32],
}

const PLAIN: &[i32] = &[0, 2];
const JUDGED: &[i32] = &[0, 1, 2, 3];

type Family = fn(&mut Attempt) -> Result<Reading>;

const FAMILIES: &[Family] = &[
    jobs::changed,
    jobs::changed,
    jobs::made,
    families::datasheet,
    families::stored_run,
    families::stored_run,
    families::exported_run,
    families::paste,
    families::capture,
    families::key,
    families::command_line,
    families::endless,
    families::limited,
];

fn attempt(attempt: &mut Attempt) -> Result<()> {
    attempt.foreign("mine", 65_536)?;
    let family = *attempt.random.pick(FAMILIES);
    let reading = family(attempt)?;
    let before = attempt.look(Care::Everything)?;
    let ended = attempt.run(reading.call, reading.statuses)?;
    if let Some(what) = foreign_controls(&ended) {
        attempt.fail(Kind::Other, what);
    }
    attempt.compare(&before, Care::Everything)
}

/// A character that would do something to a terminal, in what was said. JSON keeps all but the controls of ASCII as they are, for programs.
fn foreign_controls(ended: &Ended) -> Option<String> {
    let is_json = ended.command.contains("json");
    let is_control = |c: &char| matches!(*c, '\u{1b}' | '\u{7}' | '\u{8}') || !is_json && matches!(*c, '\u{202e}' | '\u{9b}');
    let found = [("standard output", &ended.stdout), ("standard error", &ended.stderr)];
    found.into_iter().find_map(|(name, text)| {
        let found = text.chars().find(is_control)?;
        Some(format!("{} on {name}", found.escape_unicode()))
    })
}
