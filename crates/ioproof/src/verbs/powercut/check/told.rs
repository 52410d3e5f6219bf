//! Document of a check: a line a stream, the cuts of the campaign, and what they mean.

use super::SeenStream;
use super::campaign::CheckedCampaign;
use super::cut::PowerCut;
use crate::columns::columns;
use crate::verbs::powercut::flags::CutCheck;
use anyhow::Result;
use ioproof_powercut::{CutEvidence, Habit, Loss, Tally, name};
use ioproof_process::output;
use ioproof_witness::CampaignId;
use serde::Serialize;

const EXAMPLES: usize = 5;

/// Losses that count where others wrote too: they may have written zeros and parts of blocks, but nobody else has what this campaign wrote before.
const OF_NOBODY_ELSE: [Loss; 3] = [Loss::Stale, Loss::Misplaced, Loss::Returned];

/// Document of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct CheckDocument {
    campaign: String,
    session: u32,
    acknowledged: u64,
    /// False where the drive counts no power cycle since, or tells none and the machine runs since before the writes, and nobody says that the drive alone lost its power.
    was_cut: bool,
    streams: Vec<CheckLine>,
    /// Checks of this campaign after a cut that found all, this one among them.
    clean_cuts: u64,
    /// Those that did not.
    failed_cuts: u64,
    /// The habit of the drive that these cuts show together, where any of them lost something.
    #[serde(skip_serializing_if = "Option::is_none")]
    habit: Option<Habit>,
    says: Vec<String>,
    #[serde(skip)]
    pub(super) outcome: CheckOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    /// Acknowledged writes are lost beyond doubt.
    Lost,
    /// Nothing was cut or acknowledged, somebody else wrote there, or the witness has not all.
    CannotTell,
    AllThere,
}

#[derive(Debug, Serialize)]
struct CheckLine {
    stream: u32,
    sync: &'static str,
    order: &'static str,
    writes_per_sync: u64,
    blocks: u64,
    intact: u64,
    lost: u64,
    /// Blocks that hold what this campaign never wrote, which is no loss of a drive.
    foreign: u64,
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

pub(super) fn document(campaign: &CheckedCampaign, cut: PowerCut, tallies: &[SeenStream], evidence: CutEvidence) -> CheckDocument {
    let outcome = CheckOutcome::of(campaign, cut, tallies);
    let (clean, failed) = campaign.other_cuts();
    let clean_cuts = clean + u64::from(outcome == CheckOutcome::AllThere);
    let failed_cuts = failed + u64::from(outcome == CheckOutcome::Lost);
    // Of losses among what others wrote nothing can be said but that they are there.
    let names_habit = outcome != CheckOutcome::CannotTell && sum(tallies, |tally| tally.foreign) == 0;
    let habit = names_habit.then(|| name(&[campaign.other_evidence(), vec![evidence]].concat())).flatten();
    CheckDocument {
        campaign: campaign.id.to_string(),
        session: campaign.session,
        acknowledged: campaign.acknowledged.count,
        was_cut: cut.is_one(),
        streams: tallies.iter().map(CheckLine::of).collect(),
        clean_cuts,
        failed_cuts,
        habit,
        says: says(campaign, cut, tallies, (clean_cuts, failed_cuts), habit, outcome),
        outcome,
    }
}

fn of_nobody_else(tally: &Tally) -> u64 {
    OF_NOBODY_ELSE.iter().map(|loss| tally.of_kind(*loss)).sum()
}

fn sum(tallies: &[SeenStream], of: impl Fn(&Tally) -> u64) -> u64 {
    tallies.iter().map(|seen| of(&seen.tally)).sum()
}

impl CheckOutcome {
    fn of(campaign: &CheckedCampaign, cut: PowerCut, tallies: &[SeenStream]) -> Self {
        let (foreign, lost) = (sum(tallies, |tally| tally.foreign), sum(tallies, |tally| tally.lost() + tally.unreadable));
        let beyond_doubt = sum(tallies, |tally| of_nobody_else(tally) + tally.unreadable);
        match () {
            () if !cut.is_one() || campaign.acknowledged.count == 0 => Self::CannotTell,
            () if beyond_doubt > 0 || lost > 0 && foreign == 0 => Self::Lost,
            () if foreign > 0 || campaign.damaged_bytes > 0 => Self::CannotTell,
            () => Self::AllThere,
        }
    }
}

impl CheckDocument {
    /// True where the witness is to keep the result, as that of a cut by which the campaign is judged.
    pub(super) fn is_kept(&self) -> bool {
        self.outcome == CheckOutcome::AllThere || self.outcome == CheckOutcome::Lost && self.streams.iter().all(|line| line.foreign == 0)
    }

    /// Blocks that are not as acknowledged.
    pub(super) fn lost(&self) -> u64 {
        let lost = |line: &CheckLine| line.lost + line.stale + line.torn + line.misplaced + line.corrupt + line.returned + line.unreadable;
        self.streams.iter().map(lost).sum()
    }
}

impl CheckLine {
    fn of(seen: &SeenStream) -> Self {
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
            foreign: tally.foreign,
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

fn says(
    campaign: &CheckedCampaign,
    cut: PowerCut,
    tallies: &[SeenStream],
    (clean, failed): (u64, u64),
    habit: Option<Habit>,
    outcome: CheckOutcome,
) -> Vec<String> {
    let mut says = Vec::new();
    let lost = sum(tallies, Tally::lost);
    if campaign.acknowledged.count == 0 {
        says.push("nothing was acknowledged before the cut, so nothing can be told".to_owned());
        return says;
    }
    says.extend(cut.says());
    says.extend((cut == PowerCut::Said && campaign.carries_system).then(|| {
        "this machine runs from the same drive: if it did not lose its power too, nothing was cut, and this proves nothing".to_owned()
    }));
    says.extend((campaign.damaged_bytes > 0).then(|| {
        format!("the records at the witness are damaged, and {} bytes of them cannot be read: what they acknowledge is not checked; look after its disk", campaign.damaged_bytes)
    }));
    says.extend(foreign(tallies, campaign.id));
    says.extend((!cut.is_one() && lost > 0).then(|| {
        format!("{lost} blocks are not as acknowledged although nothing was cut: whatever wrote there, nothing of it is said of the drive")
    }));
    let why_unreadable = tallies.iter().find_map(|seen| seen.tally.why_unreadable.as_ref());
    says.extend(why_unreadable.map(|why| format!("{} blocks cannot be read: {why}", sum(tallies, |tally| tally.unreadable))));
    says.extend(habit.map(|habit| habit.says()));
    let examples = tallies.iter().flat_map(|seen| seen.tally.examples.iter().map(move |example| (seen, example)));
    let has_foreign = sum(tallies, |tally| tally.foreign) > 0;
    let shown: Vec<String> = examples
        .filter(|(_, (_, _, loss))| !has_foreign || OF_NOBODY_ELSE.contains(loss))
        .take(EXAMPLES)
        .map(|(seen, (place, sequence, loss))| {
            format!("{}: place {place}, number {sequence} of the stream with {}, {}", loss.name(), seen.sync, seen.order)
        })
        .collect();
    let listed = if has_foreign { sum(tallies, of_nobody_else) } else { lost };
    let more = listed.saturating_sub(shown.len() as u64);
    says.extend(shown);
    says.extend((more > 0).then(|| format!("and {more} more")));
    let untold = sum(tallies, |tally| tally.untold);
    says.extend((untold > 0).then(|| format!("{untold} trims left the data readable at once, as they may: nothing is told of them")));
    says.extend((outcome == CheckOutcome::AllThere && failed == 0).then(|| all_there(cut, clean)));
    says.extend((failed > 0).then(|| format!("{failed} of {} cuts lost acknowledged writes", clean + failed)));
    says
}

/// Speaks of so many clean cuts, and of what they prove: at most 3/n of such cuts lose anything, at 95 %.
fn all_there(cut: PowerCut, clean: u64) -> String {
    let percent = 300.0 / clean.max(1) as f64;
    let most = if percent >= 100.0 { String::new() } else { format!(": fewer than {percent:.1} % of such cuts lose anything (95 %)") };
    let plural = if clean == 1 { "" } else { "s" };
    match cut {
        PowerCut::Restarted => {
            format!("every acknowledged write is there after {clean} restart{plural}, if the drive lost its power in each{most}")
        }
        _ => format!("every acknowledged write is there after {clean} cut{plural}{most}"),
    }
}

/// Speaks of blocks that hold what others wrote, or what was there before.
fn foreign(tallies: &[SeenStream], id: CampaignId) -> Option<String> {
    let blocks = Some(sum(tallies, |tally| tally.foreign)).filter(|blocks| *blocks > 0)?;
    let of = tallies.iter().find_map(|seen| seen.tally.foreign_campaign).map(CampaignId);
    if of == Some(id) {
        return Some(format!(
            "{blocks} blocks are of a later session of this campaign, of which the witness has no records: it wrote over what was acknowledged before, so no loss can be told; look after the witness's disk"
        ));
    }
    let of = of.map_or(String::new(), |other| format!(", as blocks of campaign {other}"));
    Some(format!(
        "{blocks} blocks hold what this campaign never wrote{of}: whether it was written since, or is what was there before, cannot be told, so they are no loss of the drive, nor are those that hold nothing, or what it wrote in part or damaged"
    ))
}

/// A column of the table of streams: its title, and its cell.
type Column = (&'static str, fn(&CheckLine) -> String);

const COLUMNS: [Column; 13] = [
    ("SYNC", |line| line.sync.to_owned()),
    ("ORDER", |line| line.order.to_owned()),
    ("WRITES", |line| line.writes_per_sync.to_string()),
    ("BLOCKS", |line| line.blocks.to_string()),
    ("INTACT", |line| line.intact.to_string()),
    ("LOST", |line| line.lost.to_string()),
    ("FOREIGN", |line| line.foreign.to_string()),
    ("STALE", |line| line.stale.to_string()),
    ("TORN", |line| line.torn.to_string()),
    ("MISPLACED", |line| line.misplaced.to_string()),
    ("CORRUPT", |line| line.corrupt.to_string()),
    ("RETURNED", |line| line.returned.to_string()),
    ("OUT OF ORDER", |line| line.out_of_order.to_string()),
];

pub(super) fn tell(args: &CutCheck, document: &CheckDocument) -> Result<()> {
    let CheckDocument { campaign, session, acknowledged, .. } = document;
    let mut lines =
        vec![format!("campaign {campaign}, session {session} on {}: {acknowledged} acknowledged writes", args.target.display())];
    let title = COLUMNS.map(|(title, _)| title.to_owned());
    let rows: Vec<[String; COLUMNS.len()]> =
        std::iter::once(title).chain(document.streams.iter().map(|line| COLUMNS.map(|(_, cell)| cell(line)))).collect();
    lines.extend(columns(&rows, None));
    lines.extend(document.says.iter().cloned());
    output::print_lines(lines)
}
