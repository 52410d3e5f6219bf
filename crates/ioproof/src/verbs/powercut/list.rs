//! `ioproof powercut list`: the campaigns that a witness has kept.

use super::unreached::unreached;
use super::{campaigns, key_of};
use crate::columns::columns;
use crate::verbs::powercut::flags::Campaigns;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use ioproof_powercut::Description;
use ioproof_process::{messages, output};
use ioproof_witness::{Key, Listed, with_port};
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
        return output::print_document(&CampaignsDocument { witness, campaigns }).map(|()| 0);
    }
    if campaigns.is_empty() {
        messages::say("this witness has kept nothing yet");
        return Ok(0);
    }
    let title = ["CAMPAIGN", "TARGET", "HOST", "WRITTEN", "CHECKS", "LAST BEGAN", "KEPT", ""].map(str::to_owned);
    let rows: Vec<[String; 8]> = std::iter::once(title).chain(campaigns.iter().map(row)).collect();
    output::print_lines(columns(&rows, None)).map(|()| 0)
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
