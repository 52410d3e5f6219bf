//! The thread that brings what is queued to the witness: connects, sends, learns what is stored, and connects again.
//!
//! It sends; a second one, for the time of a connection, receives. Whatever can mend itself is tried again, ever more slowly; what cannot ends the session.

use super::queue::Queue;
use super::{Begin, Progress};
use crate::address::host_and_port;
use crate::error::{Error, Reason};
use crate::key::Key;
use crate::protocol::{Answering, Asking, HandshakeError, VERSION};
use crate::socket::{Failure, Receiver, Sender, connect};
use ioproof_target::threads;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time for a connection to come about.
const CONNECTING: Duration = Duration::from_secs(5);

/// Longest silence of the witness, which answers whatever it is sent when it has stored it.
const SILENCE: Duration = Duration::from_secs(20);

/// Silence of the witness that is told to the caller: it answers at least every two seconds, unless its disk takes long.
const QUIET: Duration = Duration::from_secs(5);

/// Time without anything to send after which the witness is told that the writer is there.
const ALIVE: Duration = Duration::from_secs(2);

/// Waits between attempts to connect: the first, and the longest.
const PAUSE_FIRST: Duration = Duration::from_millis(5);
const PAUSE_LONGEST: Duration = Duration::from_secs(1);

/// Time in which what comes gathers before it is sent. Waking the thread costs the writer more than handing over, so it is done a thousand times a second at most.
const GATHERING: Duration = Duration::from_millis(1);

/// Bytes that were sent at a time by which a load is known that gathers without waiting.
const LOAD_BYTES: usize = 64 << 10;

/// Bytes that are sent at a time.
const SENT_BYTES: usize = 1 << 20;

/// State that the thread and the callers share.
pub(super) struct LinkShared {
    state: Mutex<State>,
    /// Something is to be sent, the connection is lost, or all is to end.
    pub work: Condvar,
    /// Something is stored, or failed.
    progress: Condvar,
}

pub(super) struct State {
    pub queue: Queue,
    /// Session, and whether the witness syncs, once it has begun.
    pub begun: Option<(u32, bool)>,
    away_since: Option<Instant>,
    heard: Instant,
    pub why: Option<String>,
    /// The last refusal that may pass.
    pub refused: Option<Error>,
    pub error: Option<Error>,
    /// True while the thread waits for something to send.
    pub waits: bool,
    stream: Option<Arc<TcpStream>>,
    is_lost: bool,
    stops: bool,
}

impl LinkShared {
    pub(super) fn new(queue_bytes: usize) -> Self {
        let state = State {
            queue: Queue::new(queue_bytes),
            begun: None,
            away_since: Some(Instant::now()),
            heard: Instant::now(),
            why: None,
            refused: None,
            error: None,
            waits: false,
            stream: None,
            is_lost: false,
            stops: false,
        };
        Self { state: Mutex::new(state), work: Condvar::new(), progress: Condvar::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait_for_progress<'a>(&self, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
        self.progress.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.stops = true;
        state.close();
        drop(state);
        self.work.notify_all();
    }

    fn lose(&self) {
        let mut state = self.lock();
        state.is_lost = true;
        state.close();
        drop(state);
        self.work.notify_all();
    }
}

impl State {
    pub(super) fn progress(&self) -> Progress {
        Progress {
            acknowledged: self.queue.acknowledged(),
            stored: self.queue.stored(),
            away: self.away_since.map(|since| since.elapsed()).or_else(|| self.quiet()),
            why: self.why.clone().or_else(|| self.quiet().map(|_| "it is connected and says nothing".to_owned())),
            error: self.error.clone(),
        }
    }

    fn quiet(&self) -> Option<Duration> {
        Some(self.heard.elapsed()).filter(|quiet| *quiet > QUIET)
    }

    fn close(&mut self) {
        if let Some(stream) = self.stream.take() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn is_well(&mut self) {
        (self.away_since, self.why, self.refused) = (None, None, None);
    }
}

/// End of a connection.
enum End {
    /// To be tried again, with the reason in words.
    Away(String),
    /// The same, after a refusal that may pass.
    Refused(Error),
    /// For ever.
    Error(Error),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        match error_of(&failure) {
            Some(error) => Self::Error(error),
            None => Self::Away(failure.to_string()),
        }
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Failure::from(error).into()
    }
}

/// The error of a failure that trying again does not mend, or seldom (a name).
pub(crate) fn error_of(failure: &Failure) -> Option<Error> {
    match failure {
        Failure::Handshake(HandshakeError::WrongKey) => Some(Error::WrongKey),
        Failure::Handshake(HandshakeError::Version(theirs)) => Some(Error::OtherVersion { theirs: *theirs, ours: VERSION }),
        Failure::Handshake(HandshakeError::NotThis) => Some(Error::NoWitness),
        Failure::Name { host, why } => Some(Error::NoSuchName { host: host.clone(), why: why.to_string() }),
        _ => None,
    }
}

/// Connects to the first address of a name that answers: a name may have addresses of both families, and the witness listen at one.
pub(crate) fn reach(address: &str) -> Result<TcpStream, Failure> {
    let (host, port) = host_and_port(address);
    let all = (host, port).to_socket_addrs().map_err(|why| Failure::Name { host: host.to_owned(), why })?;
    Ok(reach_any(all)?)
}

/// True where the name server gave no answer. The standard library hands over the words of `gai_strerror` alone, those of glibc or of musl.
fn is_temporary(why: &io::Error) -> bool {
    let text = why.to_string();
    ["Temporary failure", "Try again"].iter().any(|words| text.contains(words))
}

fn reach_any(addresses: impl Iterator<Item = SocketAddr>) -> io::Result<TcpStream> {
    let mut failures: Vec<(SocketAddr, io::Error)> = Vec::new();
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECTING) {
            Ok(stream) => return Ok(stream),
            Err(error) => failures.push((address, error)),
        }
    }
    let text: Vec<String> = failures.iter().map(|(address, error)| format!("{address}: {error}")).collect();
    Err(match (failures.pop(), text.len()) {
        (None, _) => io::Error::new(io::ErrorKind::NotFound, "the name has no address"),
        (Some((_, error)), 1) => error,
        (Some((_, error)), _) => io::Error::new(error.kind(), text.join("; ")),
    })
}

/// Next message of the witness.
pub(crate) fn answer(receiver: &mut Receiver) -> Result<Result<Answering, Error>, Failure> {
    let whole = receiver.frame()?;
    Ok(Answering::read(whole.kind, receiver.content(&whole)).map_err(|error| Error::Malformed(error.to_string())))
}

pub(super) struct ServerLink {
    pub shared: Arc<LinkShared>,
    pub address: String,
    pub key: Key,
    pub begin: Begin,
    pub writer: [u8; 16],
}

impl ServerLink {
    pub(super) fn run(&self) {
        let mut pause = PAUSE_FIRST;
        loop {
            let stored_before = self.shared.lock().queue.stored();
            let end = self.serve_once();
            let mut state = self.shared.lock();
            state.close();
            if state.stops {
                return;
            }
            state.away_since = state.away_since.or_else(|| Some(Instant::now()));
            match end {
                End::Away(why) => (state.why, state.refused) = (Some(why), None),
                End::Refused(error) => (state.why, state.refused) = (Some(error.to_string()), Some(error)),
                End::Error(error) => {
                    state.error = Some(error);
                    drop(state);
                    return self.shared.progress.notify_all();
                }
            }
            pause = if state.queue.stored() > stored_before { PAUSE_FIRST } else { (pause * 2).min(PAUSE_LONGEST) };
            drop(state);
            if self.sleeps_until_stop(pause) {
                return;
            }
        }
    }

    fn sleeps_until_stop(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut state = self.shared.lock();
        while !state.stops {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.shared.work.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// One connection, until it ends.
    fn serve_once(&self) -> End {
        match self.begin() {
            Err(end) => end,
            Ok((mut receiver, sender)) => std::thread::scope(|scope| {
                let receiving = threads::spawn_within(scope, "witness/stored", || {
                    let end = self.receive(&mut receiver);
                    self.shared.lose();
                    end
                });
                let receiving = match receiving {
                    Ok(receiving) => receiving,
                    Err(error) => return End::Away(error.to_string()),
                };
                let sent = self.send(sender);
                self.shared.lose();
                // The receiver knows the reason, unless there was none to be received.
                match (receiving.join(), sent) {
                    (Ok(End::Away(_)), Err(error)) => End::Away(error.to_string()),
                    (Ok(end), _) => end,
                    (Err(_), _) => End::Away("the thread that receives has ended".to_owned()),
                }
            }),
        }
    }

    /// Connects, and begins the session or goes on with it.
    fn begin(&self) -> Result<(Receiver, Sender), End> {
        let stream = Arc::new(reach(&self.address).map_err(|failure| self.unreached(failure))?);
        let mut state = self.shared.lock();
        (state.stream, state.is_lost) = (Some(Arc::clone(&stream)), false);
        let (begun, stops) = (state.begun, state.stops);
        drop(state);
        if stops {
            return Err(End::Away("it is being stopped".to_owned()));
        }
        let (mut receiver, mut sender) = connect(stream, &self.key)?;
        receiver.set_patience(SILENCE)?;
        let session = begun.map(|begun| begun.0).or(self.begin.session);
        let Begin { campaign, writes, description, .. } = &self.begin;
        let asking = Asking::Begin { campaign: *campaign, session, writes: *writes, writer: self.writer, description };
        sender.send(asking.write())?;
        match answer(&mut receiver)? {
            Ok(Answering::Begun { session, stored, syncs }) => self.has_begun(session, stored, syncs)?,
            Ok(Answering::Refused { reason, text }) => return Err(self.refused(reason, text)),
            Ok(_) => return Err(End::Error(Error::Malformed("an answer to another question".to_owned()))),
            Err(error) => return Err(End::Error(error)),
        }
        Ok((receiver, sender))
    }

    /// A name server may be away for a while, above all from a writer that has begun; a name that there is not is a mistake of whoever typed it.
    fn unreached(&self, failure: Failure) -> End {
        let may_pass = self.shared.lock().begun.is_some() || matches!(&failure, Failure::Name { why, .. } if is_temporary(why));
        match error_of(&failure) {
            Some(error) if may_pass => End::Refused(error),
            _ => failure.into(),
        }
    }

    fn has_begun(&self, session: u32, stored: u64, syncs: bool) -> Result<(), End> {
        let mut state = self.shared.lock();
        state.queue.connected(stored).map_err(End::Error)?;
        if state.begun.is_some_and(|begun| begun.0 != session) {
            return Err(End::Error(Error::Malformed("another session than was asked for".to_owned())));
        }
        state.begun = Some((session, syncs));
        state.heard = Instant::now();
        if state.queue.is_empty() {
            state.is_well();
        }
        drop(state);
        self.shared.progress.notify_all();
        Ok(())
    }

    fn refused(&self, reason: Reason, text: String) -> End {
        let error = Error::Refused { reason, text };
        let is_first = self.shared.lock().begun.is_none();
        // Before the session has begun the other writer may still give way.
        if reason.may_pass() || reason == Reason::InUse && is_first { End::Refused(error) } else { End::Error(error) }
    }

    /// Sends what is queued until the connection is lost.
    fn send(&self, mut sender: Sender) -> io::Result<()> {
        loop {
            let mut state = self.shared.lock();
            if !state.queue.has_to_send() && !state.is_lost && !state.stops {
                state.waits = true;
                state = self.shared.work.wait_timeout(state, ALIVE).unwrap_or_else(PoisonError::into_inner).0;
                state.waits = false;
            }
            if state.is_lost || state.stops {
                return Ok(());
            }
            let records = state.queue.take(SENT_BYTES);
            drop(state);
            if records.is_empty() {
                let (kind, content) = Asking::Alive.write();
                sender.put(kind, &content)?;
            }
            let mut bytes = 0;
            for record in records {
                sender.put(record.kind, &record.content)?;
                bytes += record.content.len();
            }
            sender.flush()?;
            if bytes < LOAD_BYTES {
                std::thread::sleep(GATHERING);
            }
        }
    }

    /// Learns what is stored until the connection is lost.
    fn receive(&self, receiver: &mut Receiver) -> End {
        loop {
            let answer = match answer(receiver) {
                Ok(Ok(answer)) => answer,
                Ok(Err(error)) => return End::Error(error),
                Err(failure) => return failure.into(),
            };
            let through = match answer {
                Answering::Stored(through) => through,
                Answering::Refused { reason, text } => return self.refused(reason, text),
                _ => return End::Error(Error::Malformed("an answer to another question".to_owned())),
            };
            let mut state = self.shared.lock();
            state.heard = Instant::now();
            if let Err(error) = state.queue.mark_stored(through) {
                return End::Error(error);
            }
            if through > 0 || state.queue.is_empty() {
                state.is_well();
            }
            drop(state);
            self.shared.progress.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn an_address_that_does_not_answer_leaves_the_others_and_all_are_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let there = listener.local_addr().unwrap();
        let gone = |port: &str| format!("127.0.0.1:{port}").parse::<SocketAddr>().unwrap();
        // Nobody listens at ports 1 and 2 of this machine.
        assert_eq!(reach_any([gone("1"), there].into_iter()).unwrap().peer_addr().unwrap(), there);
        let said = reach_any([gone("1"), gone("2")].into_iter()).unwrap_err().to_string();
        assert!(said.contains("127.0.0.1:1: ") && said.contains("127.0.0.1:2: "), "{said}");
        assert!(!reach_any([gone("1")].into_iter()).unwrap_err().to_string().contains("127.0.0.1"));
        assert_eq!(reach_any([].into_iter()).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
