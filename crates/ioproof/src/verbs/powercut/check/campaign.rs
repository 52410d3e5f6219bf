//! A campaign as the witness has it: the session that was written last, everything that was acknowledged in it, and the checks before this one.

use super::super::list::{by_age, unreached};
use super::later::later;
use crate::cli::CutCheck;
use crate::complaint::complaint;
use crate::messages;
use anyhow::Result;
use ioproof_powercut::{Acknowledged, Description, Evidence};
use ioproof_witness::{Begin, CampaignId, Client, Error, Kept, Key, Listed, What, fetch, list};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

/// Longest wait for the witness to keep the result.
const TO_KEEP: Duration = Duration::from_secs(10);
/// Most sessions of a campaign, from the last one on, that are looked through for one that was written and for checks.
const SESSIONS_MAX: usize = 10_000;

/// Result of a check, as the witness keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Checked {
    /// The session that was checked.
    checked_session: u32,
    /// Blocks that were not as acknowledged.
    lost: u64,
    /// By which the campaign's cuts are judged together; one that was kept before has none.
    #[serde(default)]
    evidence: Option<Evidence>,
}

/// Everything of a campaign that a check needs.
pub(super) struct Campaign {
    pub(super) id: CampaignId,
    pub(super) session: u32,
    pub(super) description: Description,
    pub(super) acknowledged: Acknowledged,
    /// The last acknowledged step of each stream of operations on names.
    pub(super) steps: BTreeMap<u32, u64>,
    checks: Vec<Checked>,
}

/// The campaign that was named, or the one of this witness that was written last.
pub(super) fn read(witness: &str, key: &Key, args: &CutCheck) -> Result<Campaign> {
    let unreached = |error: &Error| unreached(witness, error);
    let mut campaigns = list(witness, key).map_err(|error| unreached(&error))?;
    by_age(&mut campaigns);
    let listed = chosen(&campaigns, args)?;
    let (id, mut found, mut checks) = (listed.campaign, None, Vec::new());
    for session in sessions(listed) {
        let text = begun(witness, key, id, session).map_err(|error| unreached(&error))?;
        match (serde_json::from_slice::<Description>(&text), serde_json::from_slice::<Checked>(&text)) {
            (Ok(description), _) if found.is_none() => found = Some((session, description)),
            (_, Ok(checked)) => checks.push(checked),
            _ => {}
        }
    }
    let Some((session, description)) = found else {
        return Err(complaint(format!("campaign {id} has no session that wrote anything"), "name another one with --campaign"));
    };
    if let Some(later) = later(witness, key, &campaigns, id, &description)? {
        let text = format!("campaign {later} was written to the same target later, over what campaign {id} left there");
        return Err(complaint(text, format!("check that one: --campaign {later}")));
    }
    let strange = |text: String| {
        complaint(format!("campaign {id} describes {text}, which no writer of ours does"), "name another one with --campaign")
    };
    let mut acknowledged = Acknowledged::new(&description).map_err(strange)?;
    let mut steps: BTreeMap<u32, u64> = BTreeMap::new();
    let take = |kept: Kept| {
        if let What::Acknowledged(all) = kept.what {
            for one in all {
                acknowledged.add(session, one.stream, one.place, one.sequence);
                let last = steps.entry(one.stream).or_default();
                *last = one.sequence.max(*last);
            }
        }
        ControlFlow::Continue(())
    };
    fetch(witness, key, id, Some(session), take).map_err(|error| unreached(&error))?;
    Ok(Campaign { id, session, description, acknowledged, steps, checks })
}

/// The campaign that was named, or the last of those by age.
fn chosen<'a>(campaigns: &'a [Listed], args: &CutCheck) -> Result<&'a Listed> {
    let named = args.campaign.as_deref().map(|text| {
        CampaignId::parse(text)
            .ok_or_else(|| complaint(format!("`{text}` names no campaign"), "ioproof powercut list --witness HOST shows them"))
    });
    let listed = match named.transpose()? {
        Some(id) => campaigns.iter().find(|listed| listed.campaign == id),
        None => campaigns.last(),
    };
    listed.ok_or_else(|| complaint("the witness has no such campaign", "begin one: ioproof powercut write TARGET --witness HOST"))
}

/// Sessions of a campaign that are looked through, from the last one on.
fn sessions(listed: &Listed) -> impl Iterator<Item = u32> {
    (1..=listed.sessions).rev().take(SESSIONS_MAX)
}

/// The last session of a campaign that wrote, and its description.
pub(super) fn description(witness: &str, key: &Key, listed: &Listed) -> Result<Option<(u32, Description)>, Error> {
    for session in sessions(listed) {
        let text = begun(witness, key, listed.campaign, session)?;
        if let Ok(description) = serde_json::from_slice(&text) {
            return Ok(Some((session, description)));
        }
    }
    Ok(None)
}

/// The description with which a session began.
fn begun(witness: &str, key: &Key, campaign: CampaignId, session: u32) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    fetch(witness, key, campaign, Some(session), |kept| {
        if let What::Begun { description, .. } = kept.what {
            text = description;
        }
        ControlFlow::Break(())
    })?;
    Ok(text)
}

impl Campaign {
    /// Checks after a cut of other sessions: those that found all, and those that did not.
    pub(super) fn other_cuts(&self) -> (u64, u64) {
        let (clean, failed): (Vec<_>, Vec<_>) = self.others().values().map(|checked| checked.lost == 0).partition(|is_clean| *is_clean);
        (clean.len() as u64, failed.len() as u64)
    }

    /// Evidence that they gave.
    pub(super) fn other_evidence(&self) -> Vec<Evidence> {
        self.others().values().filter_map(|checked| checked.evidence).collect()
    }

    /// The last check of every other session: two checks of one session are of one cut.
    fn others(&self) -> BTreeMap<u32, Checked> {
        let others = self.checks.iter().rev().filter(|checked| checked.checked_session != self.session);
        others.map(|checked| (checked.checked_session, *checked)).collect()
    }

    /// Has the witness keep a result, by which the campaign is judged over its cuts.
    pub(super) fn keep(&self, witness: &str, key: &Key, lost: u64, evidence: Evidence) {
        let checked = Checked { checked_session: self.session, lost, evidence: Some(evidence) };
        let description = serde_json::to_vec(&checked).unwrap_or_default();
        let begin = Begin { campaign: self.id, session: None, writes: false, description };
        let kept = Client::connect(witness, key, begin).and_then(|client| client.finish(TO_KEEP));
        if let Err(error) = kept {
            messages::warning(&format!("the witness does not keep this result: {error}"));
        }
    }
}
