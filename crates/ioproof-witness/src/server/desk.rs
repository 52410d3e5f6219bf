//! A desk for each campaign, at which one writer sits.
//!
//! A writer is known by random bits that it drew. It may come back over another connection, which takes the place of the one before; another writer is refused
//! while the first is heard. One that was not heard for a while gives way: the machine that lost its power has not closed its connection.

use crate::error::Reason;
use crate::id::CampaignId;
use crate::log::{Batch, Beginning, Log, LogError, SessionLog};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(super) struct Desks {
    gives_way_after: Duration,
    all: Mutex<HashMap<CampaignId, Arc<Mutex<Desk>>>>,
}

#[derive(Default)]
struct Desk {
    writer: Option<DeskWriter>,
    log: Option<SessionLog>,
}

struct DeskWriter {
    connection: u64,
    bits: [u8; 16],
    peer: String,
    heard: Instant,
}

/// A refusal with its reason in words.
#[derive(Debug)]
pub(super) struct DeskRefusal {
    pub reason: Reason,
    pub text: String,
}

impl From<LogError> for DeskRefusal {
    fn from(error: LogError) -> Self {
        Self { reason: error.reason(), text: error.to_string() }
    }
}

/// A session that a connection may write to.
#[derive(Debug)]
pub(super) struct Seated {
    pub session: u32,
    pub stored: u64,
    /// Connection whose place it takes.
    pub displaced: Option<u64>,
    pub again: bool,
}

impl Desks {
    pub(super) fn new(gives_way_after: Duration) -> Self {
        Self { gives_way_after, all: Mutex::default() }
    }

    /// Lets a writer at its session, or says who is there.
    pub(super) fn sit(&self, log: &Log, connection: u64, beginning: &Beginning<'_>) -> Result<Seated, DeskRefusal> {
        let desk = self.desk(beginning.campaign);
        let seated = lock(&desk).sit(log, connection, beginning, self.gives_way_after);
        drop(desk);
        self.clear(beginning.campaign);
        seated
    }

    /// Stores what a connection sent, if it still has its place; gives how far it is stored.
    pub(super) fn keep(&self, campaign: CampaignId, connection: u64, batch: &Batch, wall_ns: i64) -> Result<u64, DeskRefusal> {
        let desk = self.desk(campaign);
        let mut desk = lock(&desk);
        let Desk { writer: Some(writer), log: Some(log) } = &mut *desk else { return Err(displaced()) };
        if writer.connection != connection {
            return Err(displaced());
        }
        writer.heard = Instant::now();
        let kept = if batch.is_empty() { Ok(log.stored()) } else { log.append(batch, wall_ns) };
        // Syncing may have taken long.
        writer.heard = Instant::now();
        Ok(kept?)
    }

    /// A connection has ended.
    pub(super) fn leave(&self, campaign: CampaignId, connection: u64) {
        let desk = self.desk(campaign);
        lock(&desk).leave(connection);
        drop(desk);
        self.clear(campaign);
    }

    /// Session that is being written and the bytes of its file that count.
    pub(super) fn length(&self, campaign: CampaignId) -> Option<(u32, u64)> {
        let desk = Arc::clone(self.lock().get(&campaign)?);
        let desk = lock(&desk);
        desk.log.as_ref().map(|log| (log.session(), log.length()))
    }

    /// True while a writer is connected.
    pub(super) fn is_live(&self, campaign: CampaignId) -> bool {
        let desk = self.lock().get(&campaign).map(Arc::clone);
        desk.is_some_and(|desk| lock(&desk).writer.is_some())
    }

    fn desk(&self, campaign: CampaignId) -> Arc<Mutex<Desk>> {
        Arc::clone(self.lock().entry(campaign).or_default())
    }

    /// Takes a desk away that nobody sits or waits at.
    fn clear(&self, campaign: CampaignId) {
        let mut all = self.lock();
        let is_free = |desk: &Arc<Mutex<Desk>>| Arc::strong_count(desk) == 1 && lock(desk).is_empty();
        if all.get(&campaign).is_some_and(is_free) {
            all.remove(&campaign);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CampaignId, Arc<Mutex<Desk>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    fn sit(&mut self, log: &Log, connection: u64, beginning: &Beginning<'_>, gives_way_after: Duration) -> Result<Seated, DeskRefusal> {
        let stays = |writer: &&DeskWriter| writer.bits != beginning.writer && writer.heard.elapsed() < gives_way_after;
        if let Some(writer) = self.writer.as_ref().filter(stays) {
            let text = format!("{} is writing to this campaign; it was heard {} s ago", writer.peer, writer.heard.elapsed().as_secs());
            return Err(DeskRefusal { reason: Reason::InUse, text });
        }
        let is_same = |open: &&mut SessionLog| {
            open.writer() == &beginning.writer && beginning.session.is_none_or(|session| session == open.session())
        };
        let again = match self.log.as_mut().filter(is_same) {
            Some(open) => open.mend().map(|()| true)?,
            None => {
                // Whoever is refused here takes nothing from the one who sits.
                self.log = Some(log.begin(beginning)?);
                false
            }
        };
        let displaced = self.writer.take().map(|writer| writer.connection);
        let heard = Instant::now();
        self.writer = Some(DeskWriter { connection, bits: beginning.writer, peer: beginning.peer.to_owned(), heard });
        let (session, stored) = self.log.as_ref().map_or((0, 0), |log| (log.session(), log.stored()));
        Ok(Seated { session, stored, displaced, again: again || stored > 0 })
    }

    fn leave(&mut self, connection: u64) {
        if self.writer.as_ref().is_some_and(|writer| writer.connection == connection) {
            self.writer = None;
            // What failed is still to be cut off.
            self.log = self.log.take().filter(SessionLog::is_dirty);
        }
    }

    fn is_empty(&self) -> bool {
        self.writer.is_none() && self.log.is_none()
    }
}

fn displaced() -> DeskRefusal {
    DeskRefusal { reason: Reason::Taken, text: "another connection writes to this campaign now".to_owned() }
}

fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}
