//! Reading back: the last acknowledged step of every place, held against what is there.

use crate::block::WriteStamp;
use crate::judge::{Found, judge, judge_trimmed, judge_trimmed_to_anything, writer_of};
use crate::plan::{Description, Order, StreamPlan, VERSION};
use crate::step::{After, Step, StepAction};
use crate::tally::{Judged, Tally};
use crate::write::Buffer;
use ioproof_target::Handle;
use std::io;

/// The last acknowledged step of each place of each stream, by session: a few bytes a place, whatever was written how often.
#[derive(Debug)]
pub struct Acknowledged {
    block_bytes: u64,
    streams: Vec<(StreamPlan, Vec<Last>)>,
    /// Acknowledgements that were taken.
    pub count: u64,
}

/// Session, number and deed of a step; zeros: none was acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Last {
    session: u32,
    sequence: u64,
    deed: StepAction,
}

/// Bytes that are read at once.
const PIECE_BYTES: u64 = 1 << 20;
/// Places that are remembered at most.
const PLACES_MAX: u64 = 1 << 28;

impl Acknowledged {
    /// None so far, of the streams of a description.
    ///
    /// # Errors
    /// When the description makes no sense, as that of a stranger.
    pub fn new(description: &Description) -> Result<Self, String> {
        let block_bytes = u64::from(description.block_bytes);
        if description.version > VERSION {
            return Err(format!("itself by version {}", description.version));
        }
        if block_bytes == 0 || !block_bytes.is_multiple_of(512) || block_bytes > 1 << 20 {
            return Err(format!("blocks of {block_bytes} bytes"));
        }
        let places: u64 = description.streams.iter().map(|plan| plan.span.length_bytes / block_bytes).fold(0, u64::saturating_add);
        if places > PLACES_MAX {
            return Err(format!("{places} places"));
        }
        let empty = |plan: &StreamPlan| (*plan, vec![Last::default(); (plan.span.length_bytes / block_bytes) as usize]);
        Ok(Self { block_bytes, streams: description.streams.iter().map(empty).collect(), count: 0 })
    }

    /// Takes an acknowledgement as the witness keeps it, in any order.
    pub fn add(&mut self, session: u32, stream: u32, mark: u64, sequence: u64) {
        self.count += 1;
        let Some(Step { place, deed, .. }) = Step::of(mark, sequence) else { return };
        let known = self.streams.iter_mut().find(|(plan, _)| plan.stream == stream);
        let last = known.and_then(|(plan, places)| {
            let inside = place.checked_sub(plan.span.offset_bytes).filter(|inside| inside.is_multiple_of(self.block_bytes))?;
            places.get_mut((inside / self.block_bytes) as usize)
        });
        // One of a place that the description does not have is of a stream of names.
        if let Some(last) = last {
            *last = (*last).max(Last { session, sequence, deed });
        }
    }
}

/// Reads every place of which a write was acknowledged, and counts what is there, by stream.
#[must_use]
pub fn check(handle: &Handle, campaign: [u8; 16], acknowledged: &Acknowledged) -> Vec<(StreamPlan, Tally)> {
    acknowledged
        .streams
        .iter()
        .map(|(plan, places)| (*plan, of_stream(handle, campaign, acknowledged.block_bytes, *plan, places)))
        .collect()
}

/// Judge of a block and the step that is expected there.
type Judge = fn(&[u8], &WriteStamp) -> Found;

/// The judge of a place; none where nothing is promised of it.
fn judge_of(plan: StreamPlan, last: Last) -> Option<Judge> {
    match last.deed {
        _ if last.sequence == 0 => None,
        // A trim of it may have been under way.
        StepAction::Written if plan.order == Order::Trim => None,
        StepAction::Written => Some(judge),
        StepAction::Trimmed(After::Still) => None,
        StepAction::Trimmed(After::Zeros) => Some(judge_trimmed),
        StepAction::Trimmed(After::Other) => Some(judge_trimmed_to_anything),
    }
}

fn of_stream(handle: &Handle, campaign: [u8; 16], block_bytes: u64, plan: StreamPlan, places: &[Last]) -> Tally {
    let piece = (PIECE_BYTES / block_bytes).max(1) as usize;
    let mut buffer = Buffer::new(piece * block_bytes as usize);
    let (mut found, mut unreadable, mut why_unreadable, mut foreign_campaign) = (Vec::new(), 0, None, None);
    for (number, lasts) in places.chunks(piece).enumerate().filter(|(_, lasts)| lasts.iter().any(|last| judge_of(plan, *last).is_some())) {
        let start = plan.span.offset_bytes + (number * piece) as u64 * block_bytes;
        let all = &mut buffer.bytes()[..lasts.len() * block_bytes as usize];
        // A piece that cannot be read is read block by block, so that only those are unreadable that are.
        let is_read = read_whole(handle, start, all).is_ok();
        for ((place, last), block) in (start..).step_by(block_bytes as usize).zip(lasts).zip(all.chunks_mut(block_bytes as usize)) {
            let Some(judge) = judge_of(plan, *last) else { continue };
            let Last { session, sequence, .. } = *last;
            let expected = WriteStamp { campaign, session, stream: plan.stream, place, sequence };
            match if is_read { Ok(()) } else { read_whole(handle, place, block) } {
                Ok(()) => {
                    let judged = Judged { place, sequence, group: plan.group(sequence), found: judge(block, &expected) };
                    let writer = || writer_of(block, &expected);
                    foreign_campaign = foreign_campaign.or_else(|| (judged.found == Found::Foreign).then(writer).flatten());
                    found.push(judged);
                }
                Err(error) => {
                    unreadable += 1;
                    why_unreadable.get_or_insert_with(|| error.to_string());
                }
            }
        }
    }
    let (blocks, untold) =
        (found.len() as u64 + unreadable, places.iter().filter(|last| last.deed == StepAction::Trimmed(After::Still)).count() as u64);
    let newest = places.iter().map(|last| plan.group(last.sequence)).max().unwrap_or(0);
    Tally { blocks, unreadable, why_unreadable, untold, foreign_campaign, ..Tally::of(&found, newest) }
}

/// Bytes beyond the end of a file read as nothing, which is a loss and no error.
pub(crate) fn read_whole(handle: &Handle, place: u64, bytes: &mut [u8]) -> io::Result<()> {
    bytes.fill(0);
    let mut read = 0;
    while read < bytes.len() {
        match rustix::io::pread(handle, &mut bytes[read..], place + read as u64) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(0) => return Ok(()),
            Ok(more) => read += more,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
