//! Reading what a witness has kept: campaigns, and the records of one in their order, a few at a time in memory.

use crate::client::link::{answer, error_of, reach};
use crate::error::Error;
use crate::id::CampaignId;
use crate::key::Key;
use crate::protocol::{Answering, Asking};
use crate::record::{KeptRecord, Listed, RecordContent};
use crate::socket::{Failure, Receiver, connect};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// Longest silence of the witness.
const SILENCE: Duration = Duration::from_secs(60);

/// Reads a campaign, or one session of it, and gives each record in the order of sessions and, within them, of keeping. `each` ends it early by breaking.
///
/// # Errors
/// When the witness is not to be reached, has another key or no such campaign, or the connection is lost: then all that came before was right, and is not all.
pub fn fetch(
    address: &str,
    key: &Key,
    campaign: CampaignId,
    session: Option<u32>,
    mut each: impl FnMut(KeptRecord) -> ControlFlow<()>,
) -> Result<(), Error> {
    ask(address, key, &Asking::Fetch { campaign, session }, |answer| match answer {
        Answering::Fetched(kept) => Ok(each(kept)),
        _ => Err(strange()),
    })
}

/// Reads what each session of a campaign began with, from the last session on: its description, or `None` where the records of it are damaged from the first on. Numbers that were left out
/// and sessions that never came about are not among them. `each` ends it early by breaking.
///
/// # Errors
/// As [`fetch`].
pub fn fetch_beginnings(
    address: &str,
    key: &Key,
    campaign: CampaignId,
    mut each: impl FnMut(u32, Option<Vec<u8>>) -> ControlFlow<()>,
) -> Result<(), Error> {
    ask(address, key, &Asking::FetchBeginnings(campaign), |answer| match answer {
        Answering::Fetched(KeptRecord { session, what: RecordContent::Begun { description, .. }, .. }) => {
            Ok(each(session, Some(description)))
        }
        Answering::Fetched(KeptRecord { session, what: RecordContent::Damaged { .. }, .. }) => Ok(each(session, None)),
        Answering::Fetched(_) => Ok(ControlFlow::Continue(())),
        _ => Err(strange()),
    })
}

/// Lists the campaigns of a witness, by their names.
///
/// # Errors
/// As [`fetch`].
pub fn list(address: &str, key: &Key) -> Result<Vec<Listed>, Error> {
    let mut all = Vec::new();
    ask(address, key, &Asking::List, |answer| match answer {
        Answering::Listed(listed) => {
            all.push(listed);
            Ok(ControlFlow::Continue(()))
        }
        _ => Err(strange()),
    })?;
    Ok(all)
}

fn strange() -> Error {
    Error::Malformed("an answer to another question".to_owned())
}

fn ask(
    address: &str,
    key: &Key,
    asking: &Asking<'_>,
    mut each: impl FnMut(Answering) -> Result<ControlFlow<()>, Error>,
) -> Result<(), Error> {
    let mut receiver = begin(address, key, asking).map_err(error)?;
    loop {
        match answer(&mut receiver).map_err(error)?? {
            Answering::Done => return Ok(()),
            Answering::Refused { reason, text } => return Err(Error::Refused { reason, text }),
            other => {
                if each(other)?.is_break() {
                    return Ok(());
                }
            }
        }
    }
}

fn begin(address: &str, key: &Key, asking: &Asking<'_>) -> Result<Receiver, Failure> {
    let (receiver, mut sender) = connect(Arc::new(reach(address)?), key)?;
    receiver.set_patience(SILENCE)?;
    sender.send(asking.write())?;
    Ok(receiver)
}

fn error(failure: Failure) -> Error {
    error_of(&failure).unwrap_or_else(|| Error::Connection(failure.to_string()))
}
