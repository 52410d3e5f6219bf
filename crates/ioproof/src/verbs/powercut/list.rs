//! `ioproof powercut list`: the campaigns that a witness has kept.

use super::{campaigns, key_of};
use crate::verbs::columns::columns;
use crate::verbs::powercut::flags::Campaigns;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use ioproof_powercut::Description;
use ioproof_process::complaint::complaint;
use ioproof_process::messages;
use ioproof_process::output;
use ioproof_process::output::SCHEMA_VERSION;
use ioproof_witness::{Error, Key, Listed, Reason, perhaps_meant, with_port};
use jiff::Timestamp;
use serde::Serialize;
use std::ops::ControlFlow;

/// Runs the verb.
///
/// # Errors
/// When the witness is not to be reached, or standard output takes no more.
pub fn run(args: &Campaigns) -> Result<u8> {
    let (witness, key) = (with_port(&args.at.witness), key_of(&args.at)?);
    let all = campaigns::all(&witness, &key)?;
    let campaigns = all.iter().map(|listed| CampaignLine::read(&witness, &key, listed)).collect::<Result<Vec<CampaignLine>>>()?;
    if args.json {
        return output::print_json(&CampaignsDocument { schema_version: SCHEMA_VERSION, witness, campaigns }).map(|()| 0);
    }
    if campaigns.is_empty() {
        messages::say("this witness has kept nothing yet");
        return Ok(0);
    }
    let title = ["CAMPAIGN", "TARGET", "HOST", "WRITTEN", "CHECKS", "LAST BEGAN", "KEPT", ""].map(str::to_owned);
    let rows: Vec<[String; 8]> = std::iter::once(title).chain(campaigns.iter().map(row)).collect();
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

fn row(line: &CampaignLine) -> [String; 8] {
    let local = |time: Timestamp| time.to_zoned(ioproof_process::zone::local()).strftime("%Y-%m-%d %H:%M").to_string();
    let began = time(line.last_wall_ns).map_or("-".to_owned(), local);
    let live = if line.is_live { "being written" } else { "" };
    let [target, host] = [&line.target, &line.host].map(|text| text.as_deref().map_or("-".to_owned(), visible));
    let [cuts, checks] = [line.written, line.checks].map(|count| count.to_string());
    [line.campaign.clone(), target, host, cuts, checks, began, decimal_size(line.size_bytes), live.to_owned()]
}

/// A time of the witness, unless it could not be read.
fn time(wall_ns: i64) -> Option<Timestamp> {
    Timestamp::from_nanosecond(i128::from(wall_ns)).ok().filter(|_| wall_ns != 0)
}

#[derive(Serialize)]
struct CampaignsDocument {
    schema_version: u32,
    witness: String,
    campaigns: Vec<CampaignLine>,
}

#[derive(Serialize)]
struct CampaignLine {
    campaign: String,
    /// As it was typed for the last session that wrote.
    target: Option<String>,
    host: Option<String>,
    sessions: u32,
    written: u32,
    /// Results that are kept as sessions of their own.
    checks: u32,
    first_began_at: Option<String>,
    last_began_at: Option<String>,
    size_bytes: u64,
    is_live: bool,
    #[serde(skip)]
    last_wall_ns: i64,
}

impl CampaignLine {
    fn read(witness: &str, key: &Key, listed: &Listed) -> Result<Self> {
        let text = |wall_ns| time(wall_ns).map(|time| format!("{time:.3}"));
        let mut line = Self {
            campaign: listed.campaign.to_string(),
            target: None,
            host: None,
            sessions: listed.sessions,
            written: 0,
            checks: 0,
            first_began_at: text(listed.first_wall_ns),
            last_began_at: text(listed.last_wall_ns),
            size_bytes: listed.size_bytes,
            is_live: listed.is_live,
            last_wall_ns: listed.last_wall_ns,
        };
        let each = |_, text: Option<Vec<u8>>| {
            line.add(&text.unwrap_or_default());
            ControlFlow::Continue(())
        };
        campaigns::beginnings(witness, key, listed.campaign, each).map_err(|error| unreached(witness, &error))?;
        Ok(line)
    }

    /// Counts a session, from the last one on, by the text with which it began.
    fn add(&mut self, text: &[u8]) {
        match serde_json::from_slice::<Description>(text) {
            Ok(description) => {
                self.written += 1;
                self.target.get_or_insert(description.target.given);
                self.host = self.host.take().or(description.host);
            }
            // One without a text never came about.
            Err(_) => self.checks += u32::from(!text.is_empty()),
        }
    }
}
