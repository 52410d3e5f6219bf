//! Records as the witness keeps them and gives them back: the same bytes in its files and on the wire.
//!
//! All numbers are little-endian. A record begins with its order, the witness's wall time, the session and a byte that says what it is.

use crate::bytes::{Malformed, MessageReader};
use crate::id::CampaignId;

/// Bytes of one acknowledgement.
pub(crate) const ACKNOWLEDGEMENT_BYTES: usize = 20;

/// Bytes of what every record begins with.
pub(crate) const STAMP_BYTES: usize = 8 + 8 + 4 + 1;

/// A durable write or step that the writer was told to be durable. Its meaning is the writer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Acknowledgement {
    /// A row of writes that belong together, as those of one worker or one file.
    pub stream: u32,
    /// Of a block: its offset in bytes.
    pub place: u64,
    /// Number of the write.
    pub sequence: u64,
}

/// A record of a campaign, as the witness gives it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRecord {
    /// The session, from 1.
    pub session: u32,
    /// Place in its session, from 1, without gaps: the order in which the witness kept records, whatever any clock said.
    pub order: u64,
    /// Wall time of the witness when it kept it. Nanoseconds since 1970 (UTC).
    pub wall_ns: i64,
    /// Content.
    pub what: RecordContent,
}

/// Content of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordContent {
    /// The session began.
    Begun {
        /// Address of the writer, as the witness saw it.
        peer: String,
        /// The writer's description.
        description: Vec<u8>,
    },
    /// Acknowledgements, in the order in which the writer gave them.
    Acknowledged(Vec<Acknowledgement>),
    /// An event of the writer.
    Event {
        /// Wall time of the writer. Nanoseconds since 1970 (UTC).
        time_ns: i64,
        /// The writer's text.
        text: Vec<u8>,
    },
    /// The writer ended the session by itself.
    Ended,
    /// The witness was ended in the middle of a write, or the end of its file was cut off: so many bytes behind the last whole record were moved aside when the session went on.
    TailCut {
        /// Bytes moved aside.
        bytes: u64,
    },
    /// The same of a session that did not go on: so many bytes behind its last whole record cannot be read.
    Unreadable {
        /// Bytes that are no record.
        bytes: u64,
    },
    /// The file was damaged where stored records may have stood: what is behind the last whole one is not what a crash leaves, and none of these bytes is read any more.
    Damaged {
        /// Bytes from the damage on.
        bytes: u64,
    },
}

/// A campaign in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub campaign: CampaignId,
    /// Number of its last session.
    pub sessions: u32,
    /// Wall time of the witness when its first session began. Nanoseconds since 1970 (UTC); 0 where it cannot be read.
    pub first_wall_ns: i64,
    /// The same of its last session.
    pub last_wall_ns: i64,
    /// Size of its records on the witness's disk, in bytes.
    pub size_bytes: u64,
    /// True while a writer is connected.
    pub is_live: bool,
    /// Place among all campaigns by the last session that writes, whatever any clock said: the highest is the newest. 0 where that is not known.
    pub order: u64,
}

pub(crate) const BEGUN: u8 = 1;
pub(crate) const ACKNOWLEDGED: u8 = 2;
pub(crate) const EVENT: u8 = 3;
pub(crate) const ENDED: u8 = 4;
pub(crate) const TAIL_CUT: u8 = 5;
pub(crate) const UNREADABLE: u8 = 6;
pub(crate) const DAMAGED: u8 = 7;

/// Beginning of every record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordStamp {
    pub order: u64,
    pub wall_ns: i64,
    pub session: u32,
    pub kind: u8,
}

impl RecordStamp {
    pub(crate) fn put(self, out: &mut Vec<u8>) {
        out.extend(self.order.to_le_bytes());
        out.extend(self.wall_ns.to_le_bytes());
        out.extend(self.session.to_le_bytes());
        out.push(self.kind);
    }

    pub(crate) fn take(bytes: &mut MessageReader<'_>) -> Result<Self, Malformed> {
        Ok(Self { order: bytes.u64()?, wall_ns: bytes.i64()?, session: bytes.u32()?, kind: bytes.u8()? })
    }
}

impl Acknowledgement {
    pub(crate) fn put(self, out: &mut Vec<u8>) {
        out.extend(self.stream.to_le_bytes());
        out.extend(self.place.to_le_bytes());
        out.extend(self.sequence.to_le_bytes());
    }

    fn take(bytes: &mut MessageReader<'_>) -> Result<Self, Malformed> {
        Ok(Self { stream: bytes.u32()?, place: bytes.u64()?, sequence: bytes.u64()? })
    }
}

impl KeptRecord {
    /// Reads the bytes of a record.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut bytes = MessageReader::of(bytes);
        let stamp = RecordStamp::take(&mut bytes)?;
        let what = RecordContent::take(stamp.kind, &mut bytes)?;
        bytes.end()?;
        Ok(Self { session: stamp.session, order: stamp.order, wall_ns: stamp.wall_ns, what })
    }
}

impl RecordContent {
    /// The number that its writer gave a record is skipped: `order` says as much to a reader.
    fn take(kind: u8, bytes: &mut MessageReader<'_>) -> Result<Self, Malformed> {
        Ok(match kind {
            BEGUN => {
                bytes.array::<16>()?;
                Self::Begun { peer: bytes.text()?, description: bytes.rest().to_vec() }
            }
            ACKNOWLEDGED => {
                bytes.u64()?;
                Self::Acknowledged(acknowledgements(bytes)?)
            }
            EVENT => {
                bytes.u64()?;
                Self::Event { time_ns: bytes.i64()?, text: bytes.rest().to_vec() }
            }
            ENDED => bytes.u64().map(|_| Self::Ended)?,
            TAIL_CUT => Self::TailCut { bytes: bytes.u64()? },
            UNREADABLE => Self::Unreadable { bytes: bytes.u64()? },
            DAMAGED => Self::Damaged { bytes: bytes.u64()? },
            _ => return Err(Malformed("a record of a kind that is not known")),
        })
    }
}

fn acknowledgements(bytes: &mut MessageReader<'_>) -> Result<Vec<Acknowledgement>, Malformed> {
    let mut all = Vec::with_capacity(bytes.left() / ACKNOWLEDGEMENT_BYTES);
    while bytes.left() > 0 {
        all.push(Acknowledgement::take(bytes)?);
    }
    Ok(all)
}

impl Listed {
    pub(crate) fn put(self, out: &mut Vec<u8>) {
        out.extend(self.campaign.0);
        out.extend(self.sessions.to_le_bytes());
        out.extend(self.first_wall_ns.to_le_bytes());
        out.extend(self.last_wall_ns.to_le_bytes());
        out.extend(self.size_bytes.to_le_bytes());
        out.push(u8::from(self.is_live));
        out.extend(self.order.to_le_bytes());
    }

    pub(crate) fn take(bytes: &mut MessageReader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            campaign: CampaignId(bytes.array()?),
            sessions: bytes.u32()?,
            first_wall_ns: bytes.i64()?,
            last_wall_ns: bytes.i64()?,
            size_bytes: bytes.u64()?,
            is_live: bytes.u8()? != 0,
            order: bytes.u64()?,
        })
    }
}
