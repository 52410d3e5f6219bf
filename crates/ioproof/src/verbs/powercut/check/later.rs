//! A campaign that was written later to the same target, over what an earlier one left there: then nothing that is missing speaks against the drive.

use super::super::campaigns::description;
use super::super::unreached::unreached;
use anyhow::Result;
use ioproof_powercut::Description;
use ioproof_witness::{CampaignId, Key, Listed};

/// The newest of those that came after a campaign and wrote blocks to the same target beyond doubt. The list is by age.
pub(super) fn later(witness: &str, key: &Key, listed: &[Listed], id: CampaignId, written: &Description) -> Result<Option<CampaignId>> {
    // Names are in folders of their own.
    let after = listed.iter().rev().take_while(|other| other.campaign != id).filter(|_| written.names.is_empty());
    for other in after.filter(|other| other.order > 0) {
        let found = description(witness, key, other.campaign).map_err(|error| unreached(witness, &error))?;
        if found.is_some_and(|(_, theirs)| theirs.names.is_empty() && written.target.is_proven(&theirs.target)) {
            return Ok(Some(other.campaign));
        }
    }
    Ok(None)
}
