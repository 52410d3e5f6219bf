//! Messages: the contents of frames.
//!
//! Everything that is to be kept (acknowledgements, events, the end) bears the number that its writer gave it, from 1 in each session, by which the witness knows what it
//! has already. [`Asking`] goes to the witness, [`Answering`] comes from it.

use crate::bytes::{Malformed, MessageReader};
use crate::error::Reason;
use crate::id::CampaignId;
use crate::record::{ACKNOWLEDGED, ACKNOWLEDGEMENT_BYTES, Acknowledgement, ENDED, EVENT, KeptRecord, Listed, STAMP_BYTES};

/// Longest description of a session.
pub const DESCRIPTION_BYTES_MAX: usize = 1 << 20;

/// Longest text of an event.
pub const EVENT_BYTES_MAX: usize = 64 << 10;

/// Most acknowledgements in a message.
pub const ACKNOWLEDGEMENTS_MAX: usize = 8192;

/// Highest number of a session.
pub const SESSION_MAX: u32 = 100_000;

/// Longest text of a refusal.
const REFUSAL_BYTES_MAX: usize = 1024;

/// Bytes that a record as it is kept has beyond what its writer sent.
const KEPT_BYTES: usize = STAMP_BYTES + 256;

const BEGIN: u8 = 32;
const ALIVE: u8 = 33;
const LIST: u8 = 34;
const FETCH: u8 = 35;
const FETCH_BEGINNINGS: u8 = 36;
const BEGUN: u8 = 64;
const STORED: u8 = 65;
const REFUSED: u8 = 66;
const LISTED: u8 = 67;
const FETCHED: u8 = 68;
const DONE: u8 = 69;

/// Longest content of each kind of frame that goes to the witness; none for what does not.
pub const WRITER_KINDS: fn(u8) -> Option<u32> = |kind| {
    let most = match kind {
        ACKNOWLEDGED => 8 + ACKNOWLEDGEMENTS_MAX * ACKNOWLEDGEMENT_BYTES,
        EVENT => 8 + 8 + EVENT_BYTES_MAX,
        ENDED => 8,
        BEGIN => 16 + 4 + 1 + 16 + DESCRIPTION_BYTES_MAX,
        ALIVE | LIST => 0,
        FETCH => 16 + 4,
        FETCH_BEGINNINGS => 16,
        _ => return None,
    };
    Some(most as u32)
};

/// The same of what comes from the witness.
pub const WITNESS_KINDS: fn(u8) -> Option<u32> = |kind| {
    let most = match kind {
        BEGUN => 4 + 8 + 1,
        STORED => 8,
        REFUSED => 1 + REFUSAL_BYTES_MAX,
        LISTED => 64,
        FETCHED => KEPT_BYTES + DESCRIPTION_BYTES_MAX,
        DONE => 0,
        _ => return None,
    };
    Some(most as u32)
};

/// Message to the witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asking<'a> {
    /// Begin a session, or go on with it after a lost connection.
    Begin {
        /// The campaign.
        campaign: CampaignId,
        /// Number of the session; `None` for the next one.
        session: Option<u32>,
        /// True where it writes to its target: then its campaign is the newest.
        writes: bool,
        /// Random bits that this writer drew: who has others is another writer.
        writer: [u8; 16],
        /// The writer's description of the session.
        description: &'a [u8],
    },
    /// Keep this.
    Keep {
        /// Kind of record, which is that of the frame.
        kind: u8,
        /// Number that the writer gave it.
        number: u64,
        /// Content as it is kept, with the number.
        content: &'a [u8],
    },
    /// Say how far records are stored.
    Alive,
    /// List campaigns.
    List,
    /// Give back a campaign.
    Fetch {
        /// The campaign.
        campaign: CampaignId,
        /// One session; `None` for all.
        session: Option<u32>,
    },
    /// Give back the first record of each session of a campaign, from the last session on.
    FetchBeginnings(CampaignId),
}

/// Message from the witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answering {
    /// The session is begun, or goes on.
    Begun {
        /// Its number.
        session: u32,
        /// Number of the last record that is stored.
        stored: u64,
        /// True where records are synced to the witness's disk before they are called stored.
        syncs: bool,
    },
    /// All records up to this number are stored.
    Stored(u64),
    /// The witness will not; the connection ends.
    Refused {
        /// Kind of refusal.
        reason: Reason,
        /// In words.
        text: String,
    },
    /// A campaign of the list.
    Listed(Listed),
    /// A record of the campaign that is read.
    Fetched(KeptRecord),
    /// There is no more.
    Done,
}

impl<'a> Asking<'a> {
    /// Reads the content of a frame.
    ///
    /// # Errors
    /// When it does not say what its kind should.
    pub fn read(kind: u8, content: &'a [u8]) -> Result<Self, Malformed> {
        let mut bytes = MessageReader::of(content);
        let asking = match kind {
            ACKNOWLEDGED | EVENT | ENDED => return keep(kind, content),
            BEGIN => Self::Begin {
                campaign: CampaignId(bytes.array()?),
                session: session(bytes.u32()?)?,
                writes: flag(bytes.u8()?)?,
                writer: bytes.array()?,
                description: bytes.rest(),
            },
            ALIVE => Self::Alive,
            LIST => Self::List,
            FETCH => Self::Fetch { campaign: CampaignId(bytes.array()?), session: session(bytes.u32()?)? },
            FETCH_BEGINNINGS => Self::FetchBeginnings(CampaignId(bytes.array()?)),
            _ => return Err(Malformed("a message of a kind that is not known")),
        };
        bytes.end()?;
        Ok(asking)
    }

    /// Kind and content of its frame.
    #[must_use]
    pub fn write(&self) -> (u8, Vec<u8>) {
        let number = |session: &Option<u32>| session.unwrap_or(0).to_le_bytes();
        match self {
            Self::Begin { campaign, session, writes, writer, description } => {
                (BEGIN, [&campaign.0[..], &number(session), &[u8::from(*writes)], writer, description].concat())
            }
            Self::Keep { kind, content, .. } => (*kind, content.to_vec()),
            Self::Alive => (ALIVE, Vec::new()),
            Self::List => (LIST, Vec::new()),
            Self::Fetch { campaign, session } => (FETCH, [&campaign.0[..], &number(session)].concat()),
            Self::FetchBeginnings(campaign) => (FETCH_BEGINNINGS, campaign.0.to_vec()),
        }
    }
}

/// Holds that a reader will understand it; what it means is not looked at.
fn keep(kind: u8, content: &[u8]) -> Result<Asking<'_>, Malformed> {
    let mut bytes = MessageReader::of(content);
    let number = bytes.u64()?;
    let left = bytes.left();
    let is_right = match kind {
        ACKNOWLEDGED => left > 0 && left.is_multiple_of(ACKNOWLEDGEMENT_BYTES),
        EVENT => left >= 8,
        _ => left == 0,
    };
    if is_right && number > 0 { Ok(Asking::Keep { kind, number, content }) } else { Err(Malformed("a record that nobody could read")) }
}

fn flag(byte: u8) -> Result<bool, Malformed> {
    match byte {
        0 | 1 => Ok(byte == 1),
        _ => Err(Malformed("a yes or no that is neither")),
    }
}

fn session(number: u32) -> Result<Option<u32>, Malformed> {
    if number > SESSION_MAX { Err(Malformed("the number of a session that is too high")) } else { Ok((number > 0).then_some(number)) }
}

/// Begins the content of a batch of acknowledgements.
pub(crate) fn acknowledged(number: u64) -> (u8, Vec<u8>) {
    (ACKNOWLEDGED, number.to_le_bytes().to_vec())
}

/// Adds one to it.
pub(crate) fn add(content: &mut Vec<u8>, acknowledgement: Acknowledgement) {
    acknowledgement.put(content);
}

/// Kind and content of an event.
#[must_use]
pub fn event(number: u64, time_ns: i64, text: &[u8]) -> (u8, Vec<u8>) {
    (EVENT, [&number.to_le_bytes()[..], &time_ns.to_le_bytes(), text].concat())
}

/// Kind and content of the end of a session.
pub(crate) fn ended(number: u64) -> (u8, Vec<u8>) {
    (ENDED, number.to_le_bytes().to_vec())
}

/// Kind of the frames of [`Answering::Fetched`], whose content is a record as it is kept.
pub(crate) const FETCHED_KIND: u8 = FETCHED;

/// A text that a refusal can bear: its beginning.
#[must_use]
pub fn refused_text(text: &str) -> &str {
    let end = (0..=REFUSAL_BYTES_MAX.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

impl Answering {
    /// Reads the content of a frame.
    ///
    /// # Errors
    /// When it does not say what its kind should.
    pub fn read(kind: u8, content: &[u8]) -> Result<Self, Malformed> {
        let mut bytes = MessageReader::of(content);
        let answering = match kind {
            BEGUN => Self::Begun { session: bytes.u32()?, stored: bytes.u64()?, syncs: bytes.u8()? != 0 },
            STORED => Self::Stored(bytes.u64()?),
            REFUSED => {
                let reason = Reason::of_number(bytes.u8()?).ok_or(Malformed("a refusal of a kind that is not known"))?;
                // Bytes that are no text become longer ones.
                Self::Refused { reason, text: refused_text(&String::from_utf8_lossy(bytes.rest())).to_owned() }
            }
            LISTED => Self::Listed(Listed::take(&mut bytes)?),
            FETCHED => return KeptRecord::read(content).map(Self::Fetched),
            DONE => Self::Done,
            _ => return Err(Malformed("a message of a kind that is not known")),
        };
        bytes.end()?;
        Ok(answering)
    }

    /// Kind and content of its frame. Records that are fetched are sent as they are kept, and not by this.
    #[must_use]
    pub fn write(&self) -> (u8, Vec<u8>) {
        match self {
            Self::Begun { session, stored, syncs } => {
                (BEGUN, [&session.to_le_bytes()[..], &stored.to_le_bytes(), &[u8::from(*syncs)]].concat())
            }
            Self::Stored(through) => (STORED, through.to_le_bytes().to_vec()),
            Self::Refused { reason, text } => (REFUSED, [&[reason.number()], refused_text(text).as_bytes()].concat()),
            Self::Listed(listed) => {
                let mut content = Vec::new();
                listed.put(&mut content);
                (LISTED, content)
            }
            Self::Fetched(_) | Self::Done => (DONE, Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hostile_contents_are_messages_that_are_written_as_they_were_read_or_errors(
            kind in any::<u8>(), content in prop::collection::vec(any::<u8>(), 0..200)
        ) {
            if let Ok(asking) = Asking::read(kind, &content) {
                let (kind, again) = asking.write();
                prop_assert!(again.len() <= WRITER_KINDS(kind).unwrap() as usize);
                prop_assert_eq!(Asking::read(kind, &again), Ok(asking));
            }
            if let Ok(answering) = Answering::read(kind, &content) && !matches!(answering, Answering::Fetched(_)) {
                let (kind, again) = answering.write();
                prop_assert_eq!(Answering::read(kind, &again), Ok(answering));
            }
        }

        #[test]
        fn sessions_are_read_as_they_were_written(campaign in any::<[u8; 16]>(), session in 1..SESSION_MAX, description in prop::collection::vec(any::<u8>(), 0..99)) {
            for (session, writes) in [(None, true), (Some(session), false)] {
                let asking = Asking::Begin { campaign: CampaignId(campaign), session, writes, writer: [9; 16], description: &description };
                let (kind, content) = asking.write();
                prop_assert_eq!(Asking::read(kind, &content), Ok(asking));
            }
        }
    }

    #[test]
    fn no_kind_is_of_both_directions() {
        let both = |kind: &u8| WRITER_KINDS(*kind).is_some() && WITNESS_KINDS(*kind).is_some();
        assert_eq!((0..=u8::MAX).find(both), None);
    }

    #[test]
    fn records_that_nobody_could_read_are_refused() {
        let (kind, mut content) = acknowledged(1);
        assert!(Asking::read(kind, &content).is_err(), "none in it");
        add(&mut content, Acknowledgement::default());
        assert!(Asking::read(kind, &content).is_ok());
        content.push(0);
        assert!(Asking::read(kind, &content).is_err());
        let (kind, content) = event(0, 0, b"cut");
        assert!(Asking::read(kind, &content).is_err(), "numbers begin with 1");
    }

    #[test]
    fn a_long_refusal_is_cut_between_letters() {
        let long = "\u{e9}".repeat(2000);
        let (kind, content) = Answering::Refused { reason: Reason::Storage, text: long }.write();
        assert!(content.len() <= WITNESS_KINDS(kind).unwrap() as usize);
        assert!(matches!(Answering::read(kind, &content), Ok(Answering::Refused { text, .. }) if text == "\u{e9}".repeat(512)));
        let answer = Answering::read(kind, &[1; 1].into_iter().chain([0xff; 900]).collect::<Vec<u8>>()).unwrap();
        assert_eq!(Answering::read(kind, &answer.write().1), Ok(answer), "bytes that are no text");
    }
}
