//! Bytes of a session's file: a head, and behind it records, each behind its length and a CRC32C over length and content.
//!
//! [`RecordWalk`] reads them from the front and ends at the first that is not whole: what stands there and behind it was being written when the witness was ended.
//! An order that does not follow ends it too, so that blocks of the file which came from elsewhere are no records of it.

use super::LogError;
use crate::bytes::MessageReader;
use crate::id::CampaignId;
use crate::protocol::DESCRIPTION_BYTES_MAX;
use crate::record::{RecordStamp, STAMP_BYTES};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;

const MAGIC: &[u8; 16] = b"ioproof witness\n";

/// Version of the format.
const VERSION: u32 = 1;

pub(super) const HEAD_BYTES: usize = 16 + 4 + 16 + 4 + 4;

/// Bytes before the content of a record.
const BEFORE_BYTES: u64 = 4 + 4;

/// Longest content of a record.
const RECORD_BYTES_MAX: u64 = DESCRIPTION_BYTES_MAX as u64 + 1024;

/// Bytes behind the last whole record that are searched for further ones: more than the longest damaged record and a few behind it.
const SEARCHED_BYTES: u64 = 8 << 20;

/// Least that a disk writes at once.
const SECTOR_BYTES: u64 = 512;

/// Bytes of a record up to the end of what tells whose it is.
const STAMPED_BYTES: usize = BEFORE_BYTES as usize + 20;

const NAME: &str = "session-";

/// Name of the file of a session: the number has ten digits, so that names sort as sessions do.
pub(super) fn name(session: u32) -> String {
    format!("{NAME}{session:010}")
}

/// Number of the session whose file bears this name.
pub(super) fn number(file: &str) -> Option<u32> {
    let number = file.strip_prefix(NAME)?.parse().ok()?;
    (name(number) == file).then_some(number)
}

/// Head of the file of a session.
pub(super) fn head(campaign: CampaignId, session: u32) -> Vec<u8> {
    let mut head = [&MAGIC[..], &VERSION.to_le_bytes(), &campaign.0, &session.to_le_bytes()].concat();
    let crc = crc32c::crc32c(&head);
    head.extend(crc.to_le_bytes());
    head
}

/// Adds a record, whose content is made by `fill` behind its stamp.
pub(super) fn put(out: &mut Vec<u8>, stamp: RecordStamp, fill: impl FnOnce(&mut Vec<u8>)) {
    let begin = out.len();
    out.extend([0; BEFORE_BYTES as usize]);
    stamp.put(out);
    fill(out);
    let (before, content) = out[begin..].split_at_mut(BEFORE_BYTES as usize);
    before[..4].copy_from_slice(&(content.len() as u32).to_le_bytes());
    let crc = crc32c::crc32c_append(crc32c::crc32c(&before[..4]), content);
    before[4..].copy_from_slice(&crc.to_le_bytes());
}

/// True where the stamp of a record at the beginning of these bytes would name the session, which is soon seen.
fn is_ours(bytes: &[u8], session: u32) -> bool {
    bytes.get(STAMPED_BYTES - 4..STAMPED_BYTES).is_some_and(|number| number == session.to_le_bytes())
}

/// Content of the record that stands whole at the beginning of these bytes.
fn whole(bytes: &[u8]) -> Option<&[u8]> {
    let (before, rest) = bytes.split_first_chunk::<{ BEFORE_BYTES as usize }>()?;
    let [a, b, c, d, crc @ ..] = *before;
    let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).ok().filter(|length| *length >= STAMP_BYTES)?;
    let content = rest.get(..length)?;
    (crc32c::crc32c_append(crc32c::crc32c(&[a, b, c, d]), content) == u32::from_le_bytes(crc)).then_some(content)
}

/// Reads the records of a session in their order.
pub(crate) struct RecordWalk {
    input: BufReader<File>,
    session: u32,
    order: u64,
    whole_bytes: u64,
    size_bytes: u64,
    has_stopped: bool,
}

impl RecordWalk {
    /// Begins behind the head. Without a whole head there is no record either.
    pub(super) fn begin(file: File, campaign: CampaignId, session: u32, most_bytes: Option<u64>) -> Result<Self, LogError> {
        let size_bytes = file.metadata().map_err(LogError::io("looking at the session's file"))?.len();
        let size_bytes = most_bytes.map_or(size_bytes, |most| most.min(size_bytes));
        let mut walk =
            Self { input: BufReader::with_capacity(256 << 10, file), session, order: 0, whole_bytes: 0, size_bytes, has_stopped: false };
        let mut head = [0; HEAD_BYTES];
        if size_bytes >= HEAD_BYTES as u64 {
            walk.input.read_exact(&mut head).map_err(LogError::io("reading the session's file"))?;
            walk.check_head(&head, campaign)?;
        }
        Ok(walk)
    }

    fn check_head(&mut self, found: &[u8; HEAD_BYTES], campaign: CampaignId) -> Result<(), LogError> {
        let (said, crc) = found.split_at(HEAD_BYTES - 4);
        if MessageReader::of(crc).u32()? != crc32c::crc32c(said) || !said.starts_with(MAGIC) {
            return Ok(());
        }
        let version = MessageReader::of(&said[MAGIC.len()..]).u32()?;
        if version != VERSION {
            return Err(LogError::Version(version));
        }
        if found[..] == head(campaign, self.session) {
            self.whole_bytes = HEAD_BYTES as u64;
        }
        Ok(())
    }

    /// Reads the next record's content; false at the end, or where it is not whole.
    pub(crate) fn next(&mut self, content: &mut Vec<u8>) -> io::Result<bool> {
        let left = self.size_bytes - self.whole_bytes;
        content.clear();
        if self.has_stopped || self.whole_bytes == 0 || left < BEFORE_BYTES {
            return Ok(false);
        }
        let mut before = [0; BEFORE_BYTES as usize];
        self.input.read_exact(&mut before)?;
        let [a, b, c, d, crc @ ..] = before;
        let length = u64::from(u32::from_le_bytes([a, b, c, d]));
        if !(STAMP_BYTES as u64..=RECORD_BYTES_MAX.min(left - BEFORE_BYTES)).contains(&length) {
            return Ok(self.stop());
        }
        content.resize(length as usize, 0);
        self.input.read_exact(content)?;
        let sum = crc32c::crc32c_append(crc32c::crc32c(&[a, b, c, d]), content);
        if sum != u32::from_le_bytes(crc) || !self.follows(content) {
            content.clear();
            return Ok(self.stop());
        }
        self.order += 1;
        self.whole_bytes += BEFORE_BYTES + length;
        Ok(true)
    }

    fn follows(&self, content: &[u8]) -> bool {
        let stamp = RecordStamp::take(&mut MessageReader::of(content));
        stamp.is_ok_and(|stamp| {
            stamp.session == self.session && stamp.order == self.order + 1 && super::is_begun(stamp.kind) == (self.order == 0)
        })
    }

    /// Has every further call say the same.
    fn stop(&mut self) -> bool {
        self.has_stopped = true;
        false
    }

    /// True where the bytes behind the last whole record are not what a crash leaves of a batch that was being stored: records that were stored may have stood there.
    pub(crate) fn is_damaged(&self) -> io::Result<bool> {
        let mut tail = vec![0; self.unread_bytes().min(SEARCHED_BYTES) as usize];
        self.input.get_ref().read_exact_at(&mut tail, self.whole_bytes)?;
        Ok(self.hides_records(&tail) || self.order > 0 && !self.is_cut_short(&tail))
    }

    /// True where a whole record of the session stands behind the bytes that are none: a crash leaves no such thing of what was stored.
    fn hides_records(&self, tail: &[u8]) -> bool {
        let is_later = |content: &[u8]| {
            let stamp = RecordStamp::take(&mut MessageReader::of(content));
            stamp.is_ok_and(|stamp| stamp.session == self.session && stamp.order > self.order)
        };
        (0..tail.len()).any(|at| is_ours(&tail[at..], self.session) && whole(&tail[at..]).is_some_and(is_later))
    }

    /// True for the beginning of one record and nothing behind it but zeros, as stand where the file became longer and content did not reach the disk.
    fn is_cut_short(&self, tail: &[u8]) -> bool {
        let written = self.written(tail);
        let Some((before, _)) = written.split_first_chunk::<4>() else { return true };
        let length = u64::from(u32::from_le_bytes(*before));
        let is_one = (STAMP_BYTES as u64..=RECORD_BYTES_MAX).contains(&length) && BEFORE_BYTES + length > written.len() as u64;
        is_one && (written.len() < STAMPED_BYTES || is_ours(written, self.session))
    }

    /// Part of these bytes that reached the disk: nothing, or whole sectors.
    fn written<'t>(&self, tail: &'t [u8]) -> &'t [u8] {
        let end = tail.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if end == 0 {
            return &[];
        }
        let before = (self.whole_bytes % SECTOR_BYTES) as usize;
        &tail[..((before + end).next_multiple_of(SECTOR_BYTES as usize) - before).min(tail.len())]
    }

    /// Order of the last record that was read; 0 before the first.
    pub(crate) fn order(&self) -> u64 {
        self.order
    }

    /// Bytes of the head and of all records that were read.
    pub(crate) fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    /// Bytes behind them, once the last was read: those of a record that is not whole, and all behind it.
    pub(crate) fn unread_bytes(&self) -> u64 {
        self.size_bytes - self.whole_bytes
    }
}
