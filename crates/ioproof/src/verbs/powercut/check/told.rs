//! Document of a check: a line a stream, the cuts of the campaign, and what they mean.

use super::Seen;
use super::campaign::Campaign;
use super::cut::Cut;
use crate::cli::CutCheck;
use crate::output;
use crate::verbs::SCHEMA_VERSION;
use crate::verbs::columns::columns;
use anyhow::Result;
use ioproof_powercut::{Evidence, Habit, Loss, name};
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
    /// False where the drive counts no power cycle since, or tells none and the machine runs since before the writes, and nobody says that the drive alone lost its power.
    was_cut: bool,
    streams: Vec<Line>,
    /// Checks of this campaign after a cut that found all, this one among them.
    clean_cuts: u64,
    /// Those that did not.
    failed_cuts: u64,
    /// The habit of the drive that these cuts show together, where any of them lost something.
    #[serde(skip_serializing_if = "Option::is_none")]
    habit: Option<Habit>,
    says: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Line {
    stream: u32,
    sync: &'static str,
    order: &'static str,
    writes_per_sync: u64,
    blocks: u64,
    intact: u64,
    lost: u64,
    stale: u64,
    torn: u64,
    /// Those of them that are torn within 4096 bytes.
    torn_within_4096: u64,
    misplaced: u64,
    corrupt: u64,
    /// Trims that were gone, and came back.
    returned: u64,
    out_of_order: u64,
    unreadable: u64,
    /// Trims that left the data readable at once.
    untold: u64,
}

/// The document of these streams.
pub(super) fn document(campaign: &Campaign, cut: Cut, tallies: &[Seen], evidence: Evidence) -> Document {
    let lost: u64 = tallies.iter().map(|seen| seen.tally.lost() + seen.tally.unreadable).sum();
    let counts = cut.is_one() && campaign.acknowledged.count > 0;
    let (clean, failed) = campaign.other_cuts();
    let clean_cuts = clean + u64::from(counts && lost == 0);
    let failed_cuts = failed + u64::from(counts && lost > 0);
    let habit = name(&[campaign.other_evidence(), vec![evidence]].concat());
    Document {
        schema_version: SCHEMA_VERSION,
        campaign: campaign.id.to_string(),
        session: campaign.session,
        acknowledged: campaign.acknowledged.count,
        was_cut: cut.is_one(),
        streams: tallies.iter().map(Line::of).collect(),
        clean_cuts,
        failed_cuts,
        habit,
        says: says(campaign, cut, tallies, (clean_cuts, failed_cuts), habit),
    }
}

impl Document {
    /// Blocks that are not as acknowledged.
    pub(super) fn lost(&self) -> u64 {
        let lost = |line: &Line| line.lost + line.stale + line.torn + line.misplaced + line.corrupt + line.returned + line.unreadable;
        self.streams.iter().map(lost).sum()
    }
}

impl Line {
    fn of(seen: &Seen) -> Self {
        let tally = &seen.tally;
        let count = |loss: Loss| tally.of_kind(loss);
        Self {
            stream: seen.stream,
            sync: seen.sync,
            order: seen.order,
            writes_per_sync: seen.writes_per_sync,
            blocks: tally.blocks,
            intact: tally.intact,
            lost: count(Loss::Lost),
            stale: count(Loss::Stale),
            torn: count(Loss::Torn) + count(Loss::TornInside),
            torn_within_4096: count(Loss::TornInside),
            misplaced: count(Loss::Misplaced),
            corrupt: count(Loss::Corrupt),
            returned: count(Loss::Returned),
            out_of_order: tally.out_of_order,
            unreadable: tally.unreadable,
            untold: tally.untold,
        }
    }
}

/// The meaning of it, a sentence each.
fn says(campaign: &Campaign, cut: Cut, tallies: &[Seen], (clean, failed): (u64, u64), habit: Option<Habit>) -> Vec<String> {
    let mut says = Vec::new();
    let lost: u64 = tallies.iter().map(|seen| seen.tally.lost()).sum();
    if campaign.acknowledged.count == 0 {
        says.push("nothing was acknowledged before the cut, so nothing can be told".to_owned());
        return says;
    }
    says.extend(cut.says());
    let unreadable = tallies.iter().find_map(|seen| Some((seen.tally.unreadable, seen.tally.why_unreadable.as_ref()?)));
    says.extend(unreadable.map(|(count, why)| format!("{count} blocks cannot be read: {why}")));
    says.extend(habit.map(|habit| habit.says()));
    let examples = tallies.iter().flat_map(|seen| seen.tally.examples.iter().map(move |example| (seen, example)));
    says.extend(examples.take(EXAMPLES).map(|(seen, (place, sequence, loss))| {
        format!("{}: place {place}, number {sequence} of the stream with {}, {}", loss.name(), seen.sync, seen.order)
    }));
    let untold: u64 = tallies.iter().map(|seen| seen.tally.untold).sum();
    says.extend((untold > 0).then(|| format!("{untold} trims left the data readable at once, as they may: nothing is told of them")));
    says.extend((cut.is_one() && lost == 0 && failed == 0).then(|| {
        let most = 300.0 / clean.max(1) as f64;
        let most = if most >= 100.0 { String::new() } else { format!(": fewer than {most:.1} % of such cuts lose anything (95 %)") };
        format!("every acknowledged write is there after {clean} cut{}{most}", if clean == 1 { "" } else { "s" })
    }));
    says.extend((failed > 0).then(|| format!("{failed} of {} cuts lost acknowledged writes", clean + failed)));
    says
}

/// Shows it to people.
pub(super) fn tell(args: &CutCheck, document: &Document) -> Result<()> {
    let Document { campaign, session, acknowledged, .. } = document;
    let mut lines =
        vec![format!("campaign {campaign}, session {session} on {}: {acknowledged} acknowledged writes", args.target.display())];
    let title =
        ["SYNC", "ORDER", "WRITES", "BLOCKS", "INTACT", "LOST", "STALE", "TORN", "MISPLACED", "CORRUPT", "RETURNED", "OUT OF ORDER"];
    let row = |line: &Line| {
        let Line { writes_per_sync, blocks, intact, lost, stale, torn, misplaced, corrupt, returned, out_of_order, .. } = line;
        let counts = [writes_per_sync, blocks, intact, lost, stale, torn, misplaced, corrupt, returned, out_of_order].map(u64::to_string);
        let [writes, blocks, intact, lost, stale, torn, misplaced, corrupt, returned, out_of_order] = counts;
        let [sync, order] = [line.sync, line.order].map(str::to_owned);
        [sync, order, writes, blocks, intact, lost, stale, torn, misplaced, corrupt, returned, out_of_order]
    };
    let rows: Vec<[String; 12]> = std::iter::once(title.map(str::to_owned)).chain(document.streams.iter().map(row)).collect();
    lines.extend(columns(&rows, None));
    lines.extend(document.says.iter().cloned());
    output::print_lines(lines)
}
