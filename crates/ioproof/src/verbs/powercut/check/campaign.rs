//! A campaign as the witness has it: the session that was written last, everything that was acknowledged in it, and the checks before this one.

use super::super::campaigns;
use super::super::unreached::unreached;
use super::later::later;
use crate::verbs::powercut::flags::CutCheck;
use anyhow::Result;
use ioproof_powercut::{Acknowledged, CutEvidence, Description, TargetId};
use ioproof_process::complaint::complaint;
use ioproof_process::messages;
use ioproof_witness::{Begin, CampaignId, Error, KeptRecord, Key, Listed, RecordContent, WitnessClient, fetch};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Longest wait for the witness to keep the result.
const TO_KEEP: Duration = Duration::from_secs(10);
/// Longest wait for the witness to notice that a writer has gone, and time between two looks.
const TO_LEAVE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(100);

/// Result of a check, as the witness keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct CheckedSession {
    checked_session: u32,
    /// Blocks that were not as acknowledged.
    lost: u64,
    /// By which the campaign's cuts are judged together; one that was kept before has none.
    #[serde(default)]
    evidence: Option<CutEvidence>,
}

pub(super) struct CheckedCampaign {
    pub(super) id: CampaignId,
    pub(super) session: u32,
    pub(super) description: Description,
    pub(super) acknowledged: Acknowledged,
    /// The last acknowledged step of each stream of operations on names.
    pub(super) steps: BTreeMap<u32, u64>,
    /// Bytes of the session's records that the witness cannot read any more, with acknowledgements among them.
    pub(super) damaged_bytes: u64,
    /// The running system stands on a drive that was written.
    pub(super) carries_system: bool,
    /// The witness still has a writer at it.
    pub(super) is_live: bool,
    checks: Vec<CheckedSession>,
}

/// Reads the campaign that was named, or the newest of this witness that fits the target.
pub(super) fn read(witness: &str, key: &Key, args: &CutCheck, now: &TargetId, is_directory: bool) -> Result<CheckedCampaign> {
    let unreached = |error: &Error| unreached(witness, error);
    let campaigns = campaigns::all(witness, key)?;
    let differs = |written: &Description| campaigns::difference(written, now, is_directory, args.drive_alone);
    let listed = match &args.campaign {
        Some(text) => campaigns::named(&campaigns, text)?,
        None => newest(witness, key, &campaigns, now, &differs)?,
    };
    let id = listed.campaign;
    let Sessions { session, description, checks } = Sessions::read(witness, key, listed)?;
    if let Some(text) = differs(&description) {
        return Err(another(id, &description, now, is_directory, &text));
    }
    if let Some(later) = later(witness, key, &campaigns, id, &description)? {
        let text = format!("campaign {later} was written to the same target later, over what campaign {id} left there");
        return Err(complaint(text, format!("check that one: --campaign {later}")));
    }
    let strange = |text: String| {
        complaint(format!("campaign {id} describes {text}, which no writer of ours does"), "name another one with --campaign")
    };
    let mut acknowledged = Acknowledged::new(&description).map_err(strange)?;
    let mut steps: BTreeMap<u32, u64> = BTreeMap::new();
    let (mut has_ended, mut damaged_bytes) = (false, 0);
    let take = |kept: KeptRecord| {
        match kept.what {
            RecordContent::Acknowledged(all) => {
                for one in all {
                    acknowledged.add(session, one.stream, one.place, one.sequence);
                    let last = steps.entry(one.stream).or_default();
                    *last = one.sequence.max(*last);
                }
            }
            RecordContent::Ended => has_ended = true,
            RecordContent::Damaged { bytes } => damaged_bytes += bytes,
            RecordContent::Begun { .. }
            | RecordContent::Event { .. }
            | RecordContent::TailCut { .. }
            | RecordContent::Unreadable { .. } => {}
        }
        ControlFlow::Continue(())
    };
    fetch(witness, key, id, Some(session), take).map_err(|error| unreached(&error))?;
    let is_live = listed.is_live && !has_ended && stays_live(witness, key, id)?;
    Ok(CheckedCampaign { id, session, description, acknowledged, steps, damaged_bytes, carries_system: false, is_live, checks })
}

struct Sessions {
    session: u32,
    description: Description,
    checks: Vec<CheckedSession>,
}

impl Sessions {
    fn read(witness: &str, key: &Key, listed: &Listed) -> Result<Self> {
        let (id, mut found, mut checks, mut damaged) = (listed.campaign, None, Vec::new(), None);
        let each = |session, text: Option<Vec<u8>>| {
            let Some(text) = text else {
                damaged = Some(session);
                return ControlFlow::Break(());
            };
            match (serde_json::from_slice::<Description>(&text), serde_json::from_slice::<CheckedSession>(&text)) {
                (Ok(description), _) if found.is_none() => found = Some((session, description)),
                (_, Ok(checked)) => checks.push(checked),
                _ => {}
            }
            ControlFlow::Continue(())
        };
        campaigns::beginnings(witness, key, id, each).map_err(|error| unreached(witness, &error))?;
        if let Some(session) = damaged {
            let text = format!("the witness cannot read session {session} of campaign {id}: its records are damaged from the first on");
            return Err(complaint(text, "look after the disk of the witness, and begin a new campaign"));
        }
        let none = || complaint(format!("campaign {id} has no session that wrote anything"), "name another one with --campaign");
        let (session, description) = found.ok_or_else(none)?;
        Ok(Self { session, description, checks })
    }
}

/// The newest campaign that the target fits; where it fits none, the newest of a target of that name or else of one that cannot be read, which says why it does not.
fn newest<'a>(
    witness: &str,
    key: &Key,
    campaigns: &'a [Listed],
    now: &TargetId,
    differs: &impl Fn(&Description) -> Option<String>,
) -> Result<&'a Listed> {
    let (mut of_that_name, mut unreadable) = (None, None);
    for listed in campaigns.iter().rev() {
        let found = campaigns::description(witness, key, listed.campaign).map_err(|error| unreached(witness, &error))?;
        match found {
            Some((_, description)) if differs(&description).is_none() => return Ok(listed),
            Some((_, description)) if description.target.given == now.given => of_that_name = of_that_name.or(Some(listed)),
            Some(_) => {}
            None => unreadable = unreadable.or(Some(listed)),
        }
    }
    let (begin, list) =
        ("begin one: ioproof powercut write TARGET --witness HOST", "ioproof powercut list --witness HOST shows what was written");
    of_that_name.or(unreadable).ok_or_else(|| match campaigns {
        [] => complaint("the witness has kept no campaign yet", begin),
        _ => complaint(format!("no campaign that the witness has was written to {}", now.given), list),
    })
}

fn another(id: CampaignId, written: &Description, now: &TargetId, is_directory: bool, difference: &str) -> anyhow::Error {
    let host = written.host.as_ref().map_or(String::new(), |host| format!(" on {host}"));
    let mount = if is_directory { ", with its filesystem mounted" } else { "" };
    let hint = format!(
        "name what was written: {}{host}{mount}; or another campaign, with --campaign: ioproof powercut list --witness HOST shows them with their targets",
        written.target.given
    );
    complaint(format!("{} is not what campaign {id} wrote to: {difference}", now.given), hint)
}

/// True where a writer stays connected: of one that has just ended the witness may not know it yet.
fn stays_live(witness: &str, key: &Key, id: CampaignId) -> Result<bool> {
    let until = Instant::now() + TO_LEAVE;
    while Instant::now() < until {
        std::thread::sleep(LOOK);
        if !campaigns::all(witness, key)?.iter().any(|listed| listed.campaign == id && listed.is_live) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl CheckedCampaign {
    /// Checks after a cut of other sessions: those that found all, and those that did not.
    pub(super) fn other_cuts(&self) -> (u64, u64) {
        let (clean, failed): (Vec<_>, Vec<_>) = self.others().values().map(|checked| checked.lost == 0).partition(|is_clean| *is_clean);
        (clean.len() as u64, failed.len() as u64)
    }

    pub(super) fn other_evidence(&self) -> Vec<CutEvidence> {
        self.others().values().filter_map(|checked| checked.evidence).collect()
    }

    /// The last check of every other session: two checks of one session are of one cut.
    fn others(&self) -> BTreeMap<u32, CheckedSession> {
        let others = self.checks.iter().rev().filter(|checked| checked.checked_session != self.session);
        others.map(|checked| (checked.checked_session, *checked)).collect()
    }

    /// Has the witness keep a result, by which the campaign is judged over its cuts.
    pub(super) fn keep(&self, witness: &str, key: &Key, lost: u64, evidence: CutEvidence) {
        let checked = CheckedSession { checked_session: self.session, lost, evidence: Some(evidence) };
        let description = serde_json::to_vec(&checked).unwrap_or_default();
        let begin = Begin { campaign: self.id, session: None, writes: false, description };
        let kept = WitnessClient::connect(witness, key, begin).and_then(|client| client.finish(TO_KEEP));
        if let Err(error) = kept {
            messages::warning(&format!("the witness does not keep this result: {error}"));
        }
    }
}
