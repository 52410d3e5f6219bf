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
use ioproof_witness::{Error, Listed, Reason, list, perhaps_meant, with_port};
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
    by_age(&mut campaigns);
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
    let meant = perhaps_meant(witness).map(|meant| format!("if a port was meant: {meant}; else "));
    complaint(format!("the witness at {witness}: {error}"), meant.unwrap_or_default() + way_out(error))
}

fn way_out(error: &Error) -> &'static str {
    match error {
        Error::WrongKey => "copy the key file from the witness anew, or name the right one with --key-file",
        Error::OtherVersion { .. } | Error::Malformed(_) | Error::Refused { reason: Reason::Malformed, .. } => {
            "use the same version of ioproof on both machines"
        }
        Error::NoSuchName { .. } => "see how the name of the witness is spelled, or give its address: --witness 192.0.2.1",
        Error::NoWitness => "name the port of the witness (--witness HOST:PORT), which it says when it starts",
        Error::Lost { .. } => "records that the witness had stored are gone from its disk: begin a new campaign, and look after that disk",
        Error::Refused { reason: Reason::Storage, .. } => {
            "make room on the disk of the witness, or have it keep its records elsewhere: ioproof powercut witness --dir DIR"
        }
        Error::Refused { reason: Reason::InUse, .. } => {
            "wait until that writer has ended, or begin a campaign of your own without --campaign"
        }
        Error::Refused { reason: Reason::Taken, .. } => "another writer has taken this campaign over: begin a new one without --campaign",
        Error::Refused { reason: Reason::Unknown, .. } => "ioproof powercut list --witness HOST shows the campaigns",
        Error::Refused { reason: Reason::Limit, .. } => "have the witness begin a new folder: ioproof powercut witness --dir DIR",
        Error::Refused { reason: Reason::Busy, .. } => "try again in a moment",
        _ => "on the other machine: ioproof powercut witness; see that a firewall lets its port through",
    }
}

/// Campaigns from the oldest to the newest by their last sessions, whatever any clock said; those of which the witness does not know it come first, by its clock.
pub(super) fn by_age(campaigns: &mut [Listed]) {
    campaigns.sort_by_key(|campaign| (campaign.order, campaign.last_wall_ns, campaign.campaign));
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

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_witness::CampaignId;

    #[test]
    fn the_newest_campaign_comes_last_whatever_the_clock_of_the_witness_said() {
        let campaign = |number: u8, order, last_wall_ns| Listed {
            campaign: CampaignId([number; 16]),
            sessions: 1,
            first_wall_ns: 0,
            last_wall_ns,
            size_bytes: 0,
            is_live: false,
            order,
        };
        let mut all = [campaign(1, 7, 10), campaign(2, 6, 9000), campaign(3, 0, 99_999), campaign(4, 0, 5)];
        by_age(&mut all);
        assert_eq!(all.map(|listed| listed.campaign.0[0]), [4, 3, 2, 1]);
    }
}
