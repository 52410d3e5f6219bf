//! Document of a check: a line a stream, the cuts of the campaign, and what they mean.

use super::Seen;
use super::campaign::Campaign;
use crate::cli::CutCheck;
use crate::output;
use crate::verbs::SCHEMA_VERSION;
use crate::verbs::columns::columns;
use anyhow::Result;
use ioproof_powercut::Loss;
use serde::Serialize;

/// Losses that are shown one by one.
const EXAMPLES: usize = 5;

/// Document of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    schema_version: u32,
    campaign: String,
    session: u32,
    acknowledged: u64,
    /// False where the machine runs since before the writes, and nobody says that the drive alone lost its power.
    was_cut: bool,
    streams: Vec<Line>,
    /// Checks of this campaign after a cut that found all, this one among them.
    clean_cuts: u64,
    /// Those that did not.
    failed_cuts: u64,
    says: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Line {
    stream: u32,
    sync: &'static str,
    order: &'static str,
    blocks: u64,
    intact: u64,
    lost: u64,
    stale: u64,
    torn: u64,
    misplaced: u64,
    corrupt: u64,
    out_of_order: u64,
    unreadable: u64,
}

/// The document of these streams.
pub(super) fn document(campaign: &Campaign, was_cut: bool, tallies: &[Seen]) -> Document {
    let lost: u64 = tallies.iter().map(|seen| seen.tally.lost() + seen.tally.unreadable).sum();
    let counts = was_cut && campaign.acknowledged.count > 0;
    let (clean, failed) = campaign.other_cuts();
    let clean_cuts = clean + u64::from(counts && lost == 0);
    let failed_cuts = failed + u64::from(counts && lost > 0);
    Document {
        schema_version: SCHEMA_VERSION,
        campaign: campaign.id.to_string(),
        session: campaign.session,
        acknowledged: campaign.acknowledged.count,
        was_cut,
        streams: tallies.iter().map(Line::of).collect(),
        clean_cuts,
        failed_cuts,
        says: says(campaign, was_cut, tallies, (clean_cuts, failed_cuts)),
    }
}

impl Document {
    /// Blocks that are not as acknowledged.
    pub(super) fn lost(&self) -> u64 {
        self.streams.iter().map(|line| line.lost + line.stale + line.torn + line.misplaced + line.corrupt + line.unreadable).sum()
    }
}

impl Line {
    fn of(seen: &Seen) -> Self {
        let tally = &seen.tally;
        let count = |loss: Loss| tally.losses[loss as usize];
        Self {
            stream: seen.stream,
            sync: seen.sync,
            order: seen.order,
            blocks: tally.blocks,
            intact: tally.intact,
            lost: count(Loss::Lost),
            stale: count(Loss::Stale),
            torn: count(Loss::Torn),
            misplaced: count(Loss::Misplaced),
            corrupt: count(Loss::Corrupt),
            out_of_order: tally.out_of_order,
            unreadable: tally.unreadable,
        }
    }
}

/// The meaning of it, a sentence each.
fn says(campaign: &Campaign, was_cut: bool, tallies: &[Seen], (clean, failed): (u64, u64)) -> Vec<String> {
    let mut says = Vec::new();
    let lost: u64 = tallies.iter().map(|seen| seen.tally.lost()).sum();
    if campaign.acknowledged.count == 0 {
        says.push("nothing was acknowledged before the cut, so nothing can be told".to_owned());
        return says;
    }
    if !was_cut {
        says.push(
            "nothing was cut: this machine runs since before the writes, and what is there may be in a cache (--drive-alone says that the drive lost its power and the machine did not)"
                .to_owned(),
        );
    }
    let unreadable = tallies.iter().find_map(|seen| Some((seen.tally.unreadable, seen.tally.why_unreadable.as_ref()?)));
    says.extend(unreadable.map(|(count, why)| format!("{count} blocks cannot be read: {why}")));
    says.extend(reading(tallies).filter(|_| lost > 0));
    let examples = tallies.iter().flat_map(|seen| seen.tally.examples.iter().map(move |example| (seen, example)));
    says.extend(examples.take(EXAMPLES).map(|(seen, (place, sequence, loss))| {
        format!("{}: place {place}, number {sequence} of the stream with {}, {}", loss.name(), seen.sync, seen.order)
    }));
    says.extend((was_cut && lost == 0 && failed == 0).then(|| {
        let most = 300.0 / clean.max(1) as f64;
        let most = if most >= 100.0 { String::new() } else { format!(": fewer than {most:.1} % of such cuts lose anything (95 %)") };
        format!("every acknowledged write is there after {clean} cut{}{most}", if clean == 1 { "" } else { "s" })
    }));
    says.extend((failed > 0).then(|| format!("{failed} of {} cuts lost acknowledged writes", clean + failed)));
    says
}

/// The kind of drive that loses in this way.
fn reading(tallies: &[Seen]) -> Option<String> {
    let of = |flushed: bool| {
        let own = tallies.iter().filter(|seen| seen.is_flushed == flushed && seen.tally.blocks > 0);
        own.fold(None, |sum: Option<u64>, seen| Some(sum.unwrap_or(0) + seen.tally.lost()))
    };
    let torn: u64 = tallies.iter().map(|seen| seen.tally.losses[Loss::Torn as usize]).sum();
    let lost: u64 = tallies.iter().map(|seen| seen.tally.lost()).sum();
    let out_of_order: u64 = tallies.iter().map(|seen| seen.tally.out_of_order).sum();
    let order = if out_of_order > 0 {
        format!("; {out_of_order} of them were acknowledged before others that are there, so order is not kept either")
    } else {
        String::new()
    };
    Some(match (of(true), of(false)) {
        _ if torn == lost => format!("acknowledged writes are torn: a part of each is there, and a part is older{order}"),
        (Some(flushed), Some(0)) if flushed > 0 => {
            format!("writes that were flushed are lost, and those with O_DSYNC are there: flushes are not carried out{order}")
        }
        (Some(0), Some(direct)) if direct > 0 => {
            format!("writes with O_DSYNC are lost, and those that were flushed are there: forced unit access is not carried out{order}")
        }
        (Some(_), None) => format!("what was synced is lost: flushes are not carried out, or the filesystem does not order them{order}"),
        _ => format!("acknowledged writes are lost: neither flushes nor O_DSYNC can be relied on{order}"),
    })
}

/// Shows it to people.
pub(super) fn tell(args: &CutCheck, document: &Document) -> Result<()> {
    let Document { campaign, session, acknowledged, .. } = document;
    let mut lines =
        vec![format!("campaign {campaign}, session {session} on {}: {acknowledged} acknowledged writes", args.target.display())];
    let title = ["SYNC", "ORDER", "BLOCKS", "INTACT", "LOST", "STALE", "TORN", "MISPLACED", "CORRUPT", "OUT OF ORDER"].map(str::to_owned);
    let row = |line: &Line| {
        let counts = [line.blocks, line.intact, line.lost, line.stale, line.torn, line.misplaced, line.corrupt, line.out_of_order];
        let [blocks, intact, lost, stale, torn, misplaced, corrupt, out_of_order] = counts.map(|count| count.to_string());
        [line.sync.to_owned(), line.order.to_owned(), blocks, intact, lost, stale, torn, misplaced, corrupt, out_of_order]
    };
    let rows: Vec<[String; 10]> = std::iter::once(title).chain(document.streams.iter().map(row)).collect();
    lines.extend(columns(&rows, None));
    lines.extend(document.says.iter().cloned());
    output::print_lines(lines)
}
