//! The writer's side: whoever writes hands over acknowledgements and never waits for the link.
//!
//! `queue` holds what is not stored yet, `link` is the thread that brings it to the witness, over as many connections as it takes. What the witness has not
//! stored stays in the queue and is sent again; the witness knows by its number what it has already. When the queue is full the caller is told and waits, so
//! a witness that is away stops the writer, and nothing that was taken is dropped.

pub(crate) mod link;
mod queue;

use crate::error::Error;
use crate::id::CampaignId;
use crate::key::Key;
use crate::protocol::{DESCRIPTION_BYTES_MAX, EVENT_BYTES_MAX};
use crate::random::random;
use crate::record::Acknowledgement;
use ioproof_target::threads;
use link::{LinkShared, ServerLink, State};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two looks at the reason for which a session has not begun.
const LOOK: Duration = Duration::from_millis(100);

/// Session that a writer begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    /// The campaign.
    pub campaign: CampaignId,
    /// Number of the session, above those of all before; `None` for the next one.
    pub session: Option<u32>,
    /// True where it writes to its target, which makes its campaign the newest; one that only keeps a result does not.
    pub writes: bool,
    /// Description of what is written and where: up to 1 MiB, kept as it is.
    pub description: Vec<u8>,
}

/// Settings of a client that have defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Longest time to wait for the witness, or for another writer to give way, when the session is begun.
    pub patience: Duration,
    /// Most bytes that wait to be stored: an acknowledgement takes 20.
    pub queue_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { patience: Duration::from_secs(15), queue_bytes: 16 << 20 }
    }
}

/// State of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Acknowledgements that were taken.
    pub acknowledged: u64,
    /// Acknowledgements that the witness has stored: the first so many of those that were taken.
    pub stored: u64,
    /// Time since the witness was lost, could store nothing or was last heard; `None` while all is well.
    pub away: Option<Duration>,
    /// Reason for that in words.
    pub why: Option<String>,
    /// Error that repeating does not mend; nothing is sent any more.
    pub error: Option<Error>,
}

/// Reason for which nothing was taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// The queue is full: wait ([`WitnessClient::wait_for_room`]) and give the same again.
    #[error("the witness has not stored what it was sent before")]
    Full,
    /// It will never be taken.
    #[error(transparent)]
    Ended(#[from] Error),
}

/// A session that is being written. Dropped it ends where it is, and what was not stored is lost; [`WitnessClient::finish`] waits for it.
pub struct WitnessClient {
    shared: Arc<LinkShared>,
    session: u32,
    syncs: bool,
}

impl WitnessClient {
    /// Begins a session at a witness (`host:port`), and a thread that serves it.
    ///
    /// # Errors
    /// When the witness is not reached in time, refuses, or has another key.
    pub fn connect(address: &str, key: &Key, begin: Begin) -> Result<Self, Error> {
        Self::connect_with(address, key, begin, &Options::default())
    }

    /// The same with settings of one's own.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub fn connect_with(address: &str, key: &Key, begin: Begin, options: &Options) -> Result<Self, Error> {
        Self::connect_telling(address, key, begin, options, |_| {})
    }

    /// The same, which tells at once why it still waits, in words, whenever the reason is another one.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub fn connect_telling(address: &str, key: &Key, begin: Begin, options: &Options, tell: impl FnMut(&str)) -> Result<Self, Error> {
        let bytes = begin.description.len();
        limit("the description", bytes, DESCRIPTION_BYTES_MAX)?;
        let writer = random().map_err(|error| Error::system(&error))?;
        let shared = Arc::new(LinkShared::new(options.queue_bytes));
        let link = ServerLink { shared: Arc::clone(&shared), address: address.to_owned(), key: key.clone(), begin, writer };
        threads::spawn("witness/link", move || link.run()).map_err(|error| Error::system(&error))?;
        let mut client = Self { shared, session: 0, syncs: false };
        (client.session, client.syncs) = client.begun(options.patience, tell)?;
        Ok(client)
    }

    fn begun(&self, patience: Duration, mut tell: impl FnMut(&str)) -> Result<(u32, bool), Error> {
        let until = Instant::now() + patience;
        let mut told = None;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if let Some(begun) = self.wait(left.min(LOOK), |state| state.begun) {
                return begun;
            }
            if left.is_zero() {
                return Err(self.failure(patience));
            }
            let why = self.shared.lock().why.clone();
            if why != told {
                why.iter().for_each(|why| tell(why));
                told = why;
            }
        }
    }

    /// Number of the session.
    #[must_use]
    pub fn session(&self) -> u32 {
        self.session
    }

    /// True where the witness has records on its disk before it calls them stored.
    #[must_use]
    pub fn syncs(&self) -> bool {
        self.syncs
    }

    /// Takes acknowledgements, all or none, in their order.
    ///
    /// # Errors
    /// When the queue is full, or the session has ended.
    pub fn acknowledge(&self, acknowledgements: &[Acknowledgement]) -> Result<(), NotTaken> {
        self.put(|state| state.queue.acknowledge(acknowledgements))
    }

    /// Takes an event, behind all acknowledgements so far. `time_ns` is the caller's wall time in nanoseconds since 1970 (UTC).
    ///
    /// # Errors
    /// As [`Self::acknowledge`], and when the text is longer than 64 KiB.
    pub fn event(&self, time_ns: i64, text: &[u8]) -> Result<(), NotTaken> {
        limit("the event", text.len(), EVENT_BYTES_MAX)?;
        self.put(|state| state.queue.event(time_ns, text))
    }

    fn put(&self, put: impl FnOnce(&mut State) -> bool) -> Result<(), NotTaken> {
        let mut state = self.shared.lock();
        if let Some(error) = &state.error {
            return Err(NotTaken::Ended(error.clone()));
        }
        let (is_taken, waits) = (put(&mut state), state.waits);
        drop(state);
        if waits {
            self.shared.work.notify_one();
        }
        if is_taken { Ok(()) } else { Err(NotTaken::Full) }
    }

    /// Waits until the queue is at most half full; false when that took longer. Ends early when the session does.
    #[must_use]
    pub fn wait_for_room(&self, time: Duration) -> bool {
        self.wait(time, |state| state.queue.is_half_empty().then_some(())).is_some_and(|room| room.is_ok())
    }

    /// Waits until so many acknowledgements are stored; false when that took longer. Ends early when the session does.
    #[must_use]
    pub fn wait_stored(&self, acknowledgements: u64, time: Duration) -> bool {
        self.wait(time, |state| (state.queue.stored() >= acknowledgements).then_some(())).is_some_and(|stored| stored.is_ok())
    }

    /// Acknowledgements that the witness has stored: the first so many of those that were taken.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.shared.lock().queue.stored()
    }

    /// All of the state.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.shared.lock().progress()
    }

    /// Ends the session, and waits until all of it is stored.
    ///
    /// # Errors
    /// When it is not stored within this time, or the session has ended by an error.
    pub fn finish(self, time: Duration) -> Result<Progress, Error> {
        self.shared.lock().queue.end();
        self.shared.work.notify_one();
        self.wait(time, |state| state.queue.is_empty().then_some(())).ok_or_else(|| self.failure(time)).flatten()?;
        Ok(self.progress())
    }

    /// Waits for something, but no longer than this: `None` then.
    fn wait<T>(&self, time: Duration, look: impl Fn(&State) -> Option<T>) -> Option<Result<T, Error>> {
        let until = Instant::now() + time;
        let mut state = self.shared.lock();
        loop {
            if let Some(seen) = look(&state) {
                return Some(Ok(seen));
            }
            if let Some(error) = &state.error {
                return Some(Err(error.clone()));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            state = self.shared.wait_for_progress(state, left);
        }
    }

    /// The error of waiting in vain.
    fn failure(&self, after: Duration) -> Error {
        let state = self.shared.lock();
        let why = || state.why.clone().unwrap_or_else(|| "it does not answer".to_owned());
        state.refused.clone().unwrap_or_else(|| Error::Away { after, why: why() })
    }
}

impl Drop for WitnessClient {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

fn limit(what: &'static str, bytes: usize, most: usize) -> Result<(), Error> {
    if bytes > most { Err(Error::TooLarge { what, bytes, most }) } else { Ok(()) }
}
