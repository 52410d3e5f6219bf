//! Errors of whoever speaks to a witness. Those that repeating mends are not here: the client repeats.

use std::io;
use std::time::Duration;

/// Error of a writer or a reader of a witness.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// The witness has another key.
    #[error("the witness has another key")]
    WrongKey,
    /// The witness speaks another version of the protocol.
    #[error("the witness speaks version {theirs} of the protocol, this program version {ours}")]
    OtherVersion {
        /// Version of the witness.
        theirs: u16,
        /// Version of this program.
        ours: u16,
    },
    /// Something else listens there.
    #[error("no witness of ioproof listens there")]
    NoWitness,
    /// The witness will not do it.
    #[error("the witness refuses: {text}")]
    Refused {
        /// Kind of refusal.
        reason: Reason,
        /// Words of the witness.
        text: String,
    },
    /// Records that it had said to be stored are not there any more.
    #[error("the witness has lost records: it had said that {said} were stored, and has {has} now")]
    Lost {
        /// Number of records that it had said to be stored.
        said: u64,
        /// Number that it has now.
        has: u64,
    },
    /// It was not reached within the time that was given for it.
    #[error("the witness was not to be reached for {} s: {why}", .after.as_secs())]
    Away {
        /// Time that was given.
        after: Duration,
        /// The last failure.
        why: String,
    },
    /// Its name leads to no address.
    #[error("the name {host} leads to no address: {why}")]
    NoSuchName {
        /// The name.
        host: String,
        /// Words of the system.
        why: String,
    },
    /// The connection was lost while something was read.
    #[error("the connection to the witness: {0}")]
    Connection(String),
    /// The witness says what this program does not understand.
    #[error("the witness says what cannot be understood: {0}")]
    Malformed(String),
    /// A limit on what is sent.
    #[error("{what} has {bytes} bytes, at most {most}")]
    TooLarge {
        /// Name of the thing that is too large.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// Most that there may be.
        most: usize,
    },
    /// This system gives no thread or no random bytes.
    #[error("{0}")]
    System(String),
}

/// Kind of a refusal by the witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its disk is full or fails; it takes records again when that is mended.
    Storage,
    /// Another writer is at this campaign.
    InUse,
    /// The session belongs to another writer, or a later one has begun.
    Taken,
    /// There is no such campaign or session.
    Unknown,
    /// A limit on the number of campaigns or sessions.
    Limit,
    /// It is being stopped, or has as many connections as it takes.
    Busy,
    /// It does not understand what was asked.
    Malformed,
}

impl Reason {
    const ALL: [Self; 7] = [Self::Storage, Self::InUse, Self::Taken, Self::Unknown, Self::Limit, Self::Busy, Self::Malformed];

    pub(crate) fn number(self) -> u8 {
        Self::ALL.iter().position(|reason| *reason == self).map_or(0, |index| index as u8 + 1)
    }

    pub(crate) fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// True where the same may be taken later.
    pub(crate) fn may_pass(self) -> bool {
        matches!(self, Self::Storage | Self::Busy)
    }
}

impl Error {
    pub(crate) fn system(error: &io::Error) -> Self {
        Self::System(error.to_string())
    }
}
