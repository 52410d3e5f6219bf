//! blktrace's binary form, as `blkparse -d` writes it: a header of 48 bytes for each event, in the byte order of the machine that wrote it.
//!
//! Replayed is what was queued. Devices are named by their numbers, as `/dev/block/MAJOR:MINOR`.

use super::line::MOST_BYTES;
use super::{IoLog, MOST_FILES, MOST_IOS};
use ioproof_core::io_log::{RecordedIo, RecordedKind};
use std::collections::HashMap;

const HEADER: usize = 48;
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

/// The event "queued", in the lower half of the action.
const QUEUED: u32 = 1;

/// Categories, in the upper half of the action (linux/blktrace_api.h).
const WRITE: u32 = 1 << 1;
const NOTIFY: u32 = 1 << 10;
const PASSED_THROUGH: u32 = 1 << 9;
const DISCARD: u32 = 1 << 13;

/// A sector of a trace. Bytes.
const SECTOR: u64 = 512;

pub(super) fn is_one(bytes: &[u8]) -> bool {
    order(bytes).is_some()
}

#[derive(Debug, Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

fn order(bytes: &[u8]) -> Option<ByteOrder> {
    let first: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
    match () {
        () if u32::from_le_bytes(first) & !0xff == MAGIC => Some(ByteOrder::Little),
        () if u32::from_be_bytes(first) & !0xff == MAGIC => Some(ByteOrder::Big),
        () => None,
    }
}

/// Fields of an event.
struct Fields<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
}

impl Fields<'_> {
    fn number(&self, at: usize, length: usize) -> u64 {
        let field = &self.bytes[at..at + length];
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        match self.order {
            ByteOrder::Little => field.iter().rev().fold(0, add),
            ByteOrder::Big => field.iter().fold(0, add),
        }
    }

    fn word(&self, at: usize) -> u32 {
        self.number(at, 4) as u32
    }
}

/// Reads a trace.
pub(super) fn parse(bytes: &[u8]) -> Result<IoLog, String> {
    let order = order(bytes).ok_or("no trace of blktrace")?;
    let mut log = IoLog { scales: true, is_blktrace: true, ..IoLog::default() };
    let mut devices: HashMap<u32, u32> = HashMap::new();
    let mut at = 0;
    while at < bytes.len() {
        let wrong = |why: String| format!("byte {at}: {why}");
        let event = bytes.get(at..at + HEADER).ok_or_else(|| wrong("the trace is cut off within an event".into()))?;
        let event = Fields { bytes: event, order };
        let magic = event.word(0);
        if magic != MAGIC | VERSION {
            return Err(wrong(format!("{magic:#x} is no event of version {VERSION}")));
        }
        if let Some((device, io)) = queued(&event).map_err(wrong)? {
            let next = devices.len() as u32;
            let target = *devices.entry(device).or_insert(next);
            if target == next {
                log.files.push(format!("/dev/block/{}:{}", device >> 20, device & 0xf_ffff));
            }
            if log.files.len() > MOST_FILES || log.ios.len() == MOST_IOS {
                return Err(wrong(format!("more than {MOST_FILES} devices or {MOST_IOS} I/Os")));
            }
            log.ios.push(RecordedIo { target, ..io });
        }
        at += HEADER + event.number(46, 2) as usize;
    }
    // Events of several CPUs may lie out of order.
    log.ios.sort_by_key(|io| io.at_ns);
    Ok(log.timed_from_first())
}

/// The I/O of an event and its device; `None` where none was queued.
fn queued(event: &Fields<'_>) -> Result<Option<(u32, RecordedIo)>, String> {
    let (action, bytes) = (event.word(28), event.word(24));
    let category = action >> 16;
    if category & (NOTIFY | PASSED_THROUGH) != 0 || action & 0xffff != QUEUED || bytes == 0 {
        return Ok(None);
    }
    let kind = match () {
        () if category & DISCARD != 0 => RecordedKind::Trim,
        () if category & WRITE != 0 => RecordedKind::Write,
        () => RecordedKind::Read,
    };
    let offset = event.number(16, 8).checked_mul(SECTOR).filter(|offset| i64::try_from(offset.saturating_add(bytes.into())).is_ok());
    let offset_bytes = offset.ok_or("its sector is beyond any device")?;
    if kind != RecordedKind::Trim && u64::from(bytes) > MOST_BYTES {
        return Err(format!("an I/O of {bytes} bytes; at most {MOST_BYTES} are expected"));
    }
    Ok(Some((event.word(36), RecordedIo { at_ns: event.number(8, 8), offset_bytes, bytes, target: 0, kind })))
}
