//! `ioproof powercut list`: the campaigns that a witness has kept.

use super::key_of;
use crate::cli::Campaigns;
use crate::complaint::complaint;
use crate::messages;
use crate::output;
use crate::verbs::SCHEMA_VERSION;
use crate::verbs::columns::columns;
use anyhow::Result;
use ioproof_core::units::decimal_size;
use ioproof_witness::{Error, Listed, list, with_port};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

/// Runs the verb.
///
/// # Errors
/// When the witness is not to be reached, or standard output takes no more.
pub fn run(args: &Campaigns) -> Result<u8> {
    let (witness, key) = (with_port(&args.at.witness), key_of(&args.at)?);
    let mut campaigns = list(&witness, &key).map_err(|error| unreached(&witness, &error))?;
    campaigns.sort_by_key(|campaign| (campaign.last_wall_ns, campaign.campaign));
    if args.json {
        let campaigns = campaigns.iter().map(Line::of).collect();
        return output::print_json(&Document { schema_version: SCHEMA_VERSION, witness, campaigns }).map(|()| 0);
    }
    if campaigns.is_empty() {
        messages::say("this witness has kept nothing yet");
        return Ok(0);
    }
    let title = ["CAMPAIGN", "SESSIONS", "LAST BEGAN", "KEPT", ""].map(str::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(title).chain(campaigns.iter().map(row)).collect();
    output::print_lines(columns(&rows, None))?;
    Ok(0)
}

/// An error of speaking to a witness, with the way out of it.
pub(super) fn unreached(witness: &str, error: &Error) -> anyhow::Error {
    let hint = match error {
        Error::WrongKey => "copy the key file from the witness anew, or name the right one with --key-file",
        Error::OtherVersion { .. } => "use the same version of ioproof on both machines",
        _ => "on the other machine: ioproof powercut witness; see that a firewall lets its port through",
    };
    complaint(format!("the witness at {witness}: {error}"), hint)
}

fn row(listed: &Listed) -> [String; 5] {
    let local = |time: Timestamp| time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
    let began = time(listed.last_wall_ns).map_or("-".to_owned(), local);
    let live = if listed.is_live { "being written" } else { "" };
    [listed.campaign.to_string(), listed.sessions.to_string(), began, decimal_size(listed.size_bytes), live.to_owned()]
}

/// A time of the witness, unless it could not be read.
fn time(wall_ns: i64) -> Option<Timestamp> {
    Timestamp::from_nanosecond(i128::from(wall_ns)).ok().filter(|_| wall_ns != 0)
}

#[derive(Serialize)]
struct Document {
    schema_version: u32,
    witness: String,
    campaigns: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    campaign: String,
    sessions: u32,
    first_began_at: Option<String>,
    last_began_at: Option<String>,
    size_bytes: u64,
    is_live: bool,
}

impl Line {
    fn of(listed: &Listed) -> Self {
        let text = |wall_ns| time(wall_ns).map(|time| format!("{time:.3}"));
        Self {
            campaign: listed.campaign.to_string(),
            sessions: listed.sessions,
            first_began_at: text(listed.first_wall_ns),
            last_began_at: text(listed.last_wall_ns),
            size_bytes: listed.size_bytes,
            is_live: listed.is_live,
        }
    }
}
