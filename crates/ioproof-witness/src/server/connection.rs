//! One connection of the witness, from its first byte to its last.
//!
//! A writer's frames are stored together as they have come: while one batch is being synced the next gathers in the socket, so batches grow with the load.

use super::desk::{DeskRefusal, Seated};
use super::{ServerShared, Told};
use crate::error::Reason;
use crate::id::CampaignId;
use crate::log::{Batch, Beginning, RecordWalk, SyncPolicy};
use crate::protocol::{Answering, Asking, FETCHED_KIND, HandshakeError};
use crate::record::{ACKNOWLEDGED, ACKNOWLEDGEMENT_BYTES, DAMAGED, ENDED, RecordStamp, UNREADABLE};
use crate::socket::{Failure, Receiver, Sender, accept};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Longest silence of a peer that is known.
const SILENCE: Duration = Duration::from_secs(30);

/// Time for a peer to read why it is refused: a socket closed while something is still to be read takes back what was sent (RFC 1122, 4.2.2.13).
const LINGER: Duration = Duration::from_secs(2);

/// Speaks to a peer until it goes, or is refused.
pub(super) fn serve(shared: &ServerShared, stream: &Arc<TcpStream>, place: u64, peer: &str) {
    let (receiver, sender) = match accept(Arc::clone(stream), &shared.key) {
        Ok(halves) => halves,
        // Somebody looked whether the port is open, or a link was lost.
        Err(Failure::Io(_) | Failure::Closed) => return,
        Err(failure) => return tell(shared, Told::Refused { peer: peer.to_owned(), why: describe(&failure) }),
    };
    shared.register.is_known(place);
    let mut connection = Connection { shared, receiver, sender, place, peer };
    let ended = connection.receiver.set_patience(SILENCE).map_err(End::from).and_then(|()| connection.answer_all());
    if let Err(End::Refused(DeskRefusal { reason, text })) = ended {
        let _ = connection.sender.send(Answering::Refused { reason, text: text.clone() }.write());
        tell(shared, Told::Refused { peer: peer.to_owned(), why: text });
        let _ = stream.shutdown(Shutdown::Write);
        connection.receiver.drain(LINGER);
    }
}

fn describe(failure: &Failure) -> String {
    match failure {
        Failure::Handshake(HandshakeError::WrongKey) => "it has another key".to_owned(),
        other => other.to_string(),
    }
}

fn tell(shared: &ServerShared, told: Told) {
    (shared.settings.told)(&told);
}

/// End of a connection.
enum End {
    Lost(Failure),
    Refused(DeskRefusal),
}

impl<E: Into<Failure>> From<E> for End {
    fn from(error: E) -> Self {
        Self::Lost(error.into())
    }
}

impl From<DeskRefusal> for End {
    fn from(refusal: DeskRefusal) -> Self {
        Self::Refused(refusal)
    }
}

fn refused(error: impl Into<DeskRefusal>) -> End {
    End::Refused(error.into())
}

fn malformed(text: impl Into<String>) -> End {
    End::Refused(DeskRefusal { reason: Reason::Malformed, text: text.into() })
}

struct Connection<'a> {
    shared: &'a ServerShared,
    receiver: Receiver,
    sender: Sender,
    place: u64,
    peer: &'a str,
}

/// A request of a peer that is known, before it writes.
enum Request {
    Write(CampaignId, Seated),
    List,
    Fetch(CampaignId, Option<u32>),
    FetchBeginnings(CampaignId),
    Nothing,
}

impl Connection<'_> {
    fn answer_all(&mut self) -> Result<(), End> {
        loop {
            match self.request()? {
                Request::Write(campaign, seated) => return self.write(campaign, &seated),
                Request::List => self.list()?,
                Request::Fetch(campaign, session) => self.fetch(campaign, session)?,
                Request::FetchBeginnings(campaign) => self.fetch_beginnings(campaign)?,
                Request::Nothing => {}
            }
        }
    }

    fn request(&mut self) -> Result<Request, End> {
        let whole = self.receiver.frame()?;
        let asking = Asking::read(whole.kind, self.receiver.content(&whole)).map_err(|error| malformed(error.to_string()))?;
        Ok(match asking {
            Asking::Begin { campaign, session, writes, writer, description } => {
                let wall_ns = (self.shared.settings.wall_ns)();
                let beginning = Beginning { campaign, session, writes, writer, peer: self.peer, description, wall_ns };
                let seated = self.shared.desks.sit(&self.shared.log, self.place, &beginning);
                Request::Write(campaign, seated.inspect_err(|refusal| self.tell_failure(campaign, refusal))?)
            }
            Asking::List => Request::List,
            Asking::Fetch { campaign, session } => Request::Fetch(campaign, session),
            Asking::FetchBeginnings(campaign) => Request::FetchBeginnings(campaign),
            Asking::Alive => Request::Nothing,
            Asking::Keep { .. } => return Err(malformed("a record before its session was begun")),
        })
    }

    fn tell_failure(&self, campaign: CampaignId, refusal: &DeskRefusal) {
        if refusal.reason == Reason::Storage {
            tell(self.shared, Told::Failed { campaign, why: refusal.text.clone() });
        }
    }

    fn write(&mut self, campaign: CampaignId, seated: &Seated) -> Result<(), End> {
        let Seated { session, stored, displaced, again } = *seated;
        displaced.into_iter().for_each(|place| self.shared.register.close(place));
        tell(self.shared, Told::Begun { peer: self.peer.to_owned(), campaign, session, again });
        let before = self.shared.log.syncs() != SyncPolicy::Never;
        let mut kept = 0;
        let sent = self.sender.send(Answering::Begun { session, stored, syncs: before }.write());
        let ended = sent.map_err(End::from).and_then(|()| self.keep_all(campaign, stored, &mut kept));
        self.shared.desks.leave(campaign, self.place);
        let why = match &ended {
            Ok(()) => "the session is ended".to_owned(),
            Err(End::Lost(failure)) => describe(failure),
            Err(End::Refused(refusal)) => {
                self.tell_failure(campaign, refusal);
                refusal.text.clone()
            }
        };
        tell(self.shared, Told::Left { campaign, session, acknowledgements: kept, why });
        ended
    }

    /// Stores what comes, all that has come at a time, until the writer goes.
    fn keep_all(&mut self, campaign: CampaignId, mut stored: u64, kept: &mut u64) -> Result<(), End> {
        let (mut batch, mut has_ended) = (Batch::default(), false);
        loop {
            batch.clear();
            let (mut acknowledgements, mut asks) = (0, false);
            while let Some(whole) = self.receiver.ready()? {
                asks = true;
                let asking = Asking::read(whole.kind, self.receiver.content(&whole)).map_err(|error| malformed(error.to_string()))?;
                match asking {
                    Asking::Keep { kind, number, content } => {
                        acknowledgements += if number > stored { count(kind, content) } else { 0 };
                        has_ended |= kind == ENDED;
                        batch.add(kind, number, content);
                    }
                    Asking::Alive => {}
                    _ => return Err(malformed("a session is being written over this connection")),
                }
            }
            if asks {
                stored = self.shared.desks.keep(campaign, self.place, &batch, (self.shared.settings.wall_ns)())?;
                *kept += acknowledgements;
                self.shared.acknowledgements.fetch_add(acknowledgements, Relaxed);
                self.sender.send(Answering::Stored(stored).write())?;
            }
            match self.receiver.wait() {
                Err(Failure::Closed) if has_ended => return Ok(()),
                waited => waited?,
            }
        }
    }

    fn list(&mut self) -> Result<(), End> {
        let order = self.shared.log.order().map_err(refused)?;
        for campaign in self.shared.log.campaigns().map_err(refused)? {
            // One that cannot be read does not hide the others.
            let Ok(mut listed) = self.shared.log.listed(campaign) else { continue };
            listed.is_live = self.shared.desks.is_live(campaign);
            listed.order = order.get(&campaign).copied().unwrap_or(0);
            let (kind, content) = Answering::Listed(listed).write();
            self.sender.put(kind, &content)?;
        }
        Ok(self.sender.send(Answering::Done.write())?)
    }

    fn fetch(&mut self, campaign: CampaignId, session: Option<u32>) -> Result<(), End> {
        let mut sessions = self.shared.log.sessions(campaign).map_err(refused)?;
        sessions.retain(|number| session.is_none_or(|asked| asked == *number));
        if session.is_some() && sessions.is_empty() {
            return Err(refused(crate::log::LogError::Unknown("session")));
        }
        tell(self.shared, Told::Read { peer: self.peer.to_owned(), campaign });
        for session in sessions {
            let walk = self.walk(campaign, session)?;
            self.send_session(session, walk)?;
        }
        Ok(self.sender.send(Answering::Done.write())?)
    }

    fn fetch_beginnings(&mut self, campaign: CampaignId) -> Result<(), End> {
        tell(self.shared, Told::Read { peer: self.peer.to_owned(), campaign });
        let mut content = Vec::new();
        for session in self.shared.log.sessions(campaign).map_err(refused)?.into_iter().rev() {
            // What cannot be opened under the name of a session, as a folder or a link of somebody, hides no other session.
            let Ok(mut walk) = self.walk(campaign, session) else {
                self.put_unread(session, 1, DAMAGED, 0)?;
                continue;
            };
            if walk.next(&mut content).map_err(unreadable)? {
                self.sender.put(FETCHED_KIND, &content)?;
            } else {
                self.send_unread(session, &mut walk)?;
            }
        }
        Ok(self.sender.send(Answering::Done.write())?)
    }

    /// The records of a session that count.
    fn walk(&self, campaign: CampaignId, session: u32) -> Result<RecordWalk, End> {
        let live = self.shared.desks.length(campaign).filter(|live| live.0 == session);
        self.shared.log.read(campaign, session, live.map(|live| live.1)).map_err(refused)
    }

    fn send_session(&mut self, session: u32, mut walk: RecordWalk) -> Result<(), End> {
        let mut content = Vec::new();
        while walk.next(&mut content).map_err(unreadable)? {
            self.sender.put(FETCHED_KIND, &content)?;
        }
        self.send_unread(session, &mut walk)
    }

    /// Says how many bytes behind the last whole record cannot be read, if any.
    fn send_unread(&mut self, session: u32, walk: &mut RecordWalk) -> Result<(), End> {
        if walk.unread_bytes() > 0 {
            let kind = if walk.is_damaged().map_err(unreadable)? { DAMAGED } else { UNREADABLE };
            self.put_unread(session, walk.order() + 1, kind, walk.unread_bytes())?;
        }
        Ok(())
    }

    /// Puts a record of this place and kind in the place of bytes that cannot be read.
    fn put_unread(&mut self, session: u32, order: u64, kind: u8, bytes: u64) -> Result<(), End> {
        let mut content = Vec::new();
        RecordStamp { order, wall_ns: (self.shared.settings.wall_ns)(), session, kind }.put(&mut content);
        content.extend(bytes.to_le_bytes());
        Ok(self.sender.put(FETCHED_KIND, &content)?)
    }
}

fn unreadable(error: std::io::Error) -> DeskRefusal {
    DeskRefusal { reason: Reason::Storage, text: error.to_string() }
}

/// Acknowledgements in the content of a record.
fn count(kind: u8, content: &[u8]) -> u64 {
    if kind == ACKNOWLEDGED { ((content.len() - 8) / ACKNOWLEDGEMENT_BYTES) as u64 } else { 0 }
}
