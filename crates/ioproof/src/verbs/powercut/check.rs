//! `ioproof powercut check`: reads back, after a cut, the last acknowledged write of every place, and says what became of it.

use super::list::unreached;
use super::{key_of, target};
use crate::cli::CutCheck;
use crate::complaint::complaint;
use crate::verbs::SCHEMA_VERSION;
use crate::verbs::columns::columns;
use crate::{messages, output};
use anyhow::Result;
use ioproof_powercut::{Acknowledged, Description, How, Loss, NamesPlan, StreamPlan, Tally, check, check_names};
use ioproof_target::{ProofFolder, System, Target};
use ioproof_witness::{Begin, CampaignId, Client, Kept, Key, What, fetch, list, with_port};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::time::Duration;

/// Longest wait for the witness to keep the result.
const TO_KEEP: Duration = Duration::from_secs(10);
/// Exit status where nothing can be told.
const CANNOT_TELL: u8 = 3;
/// Exit status where data was lost.
const LOST: u8 = 1;
/// Most earlier sessions of a campaign that are looked through for the one that was written last.
const SESSIONS_MAX: u32 = 10_000;

/// Result of a check, as the witness keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Checked {
    /// The session that was checked.
    checked_session: u32,
    /// Blocks that were not as acknowledged.
    lost: u64,
}

/// Document of `--json`.
#[derive(Debug, Serialize)]
struct Document {
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

/// Everything of a campaign that a check needs.
struct Campaign {
    id: CampaignId,
    session: u32,
    description: Description,
    acknowledged: Acknowledged,
    /// The last acknowledged step of each stream of operations on names.
    steps: BTreeMap<u32, u64>,
    checks: Vec<Checked>,
}

/// Runs the verb.
///
/// # Errors
/// When the witness is not to be reached, has no such campaign, or the target is another one.
pub fn run(args: &CutCheck) -> Result<u8> {
    let system = System::host();
    let (witness, key) = (with_port(&args.at.witness), key_of(&args.at)?);
    let under_test = target::resolve(&system, &args.target)?;
    let campaign = read(&witness, &key, args)?;
    let now = target::id(&system, &under_test);
    let written = &campaign.description.target;
    let difference = if args.drive_alone { written.lasting().difference(&now) } else { written.difference(&now) };
    if let Some(text) = difference {
        let text = format!("{} is not what campaign {} wrote to: {text}", now.given, campaign.id);
        return Err(complaint(text, "name the drive or file that was written, or another campaign"));
    }
    let is_same_boot = campaign.description.boot_id.is_some() && campaign.description.boot_id == target::boot_id(&system);
    let was_cut = args.drive_alone || !is_same_boot;
    let tallies = if under_test.is_directory() { of_names(&campaign, args)? } else { of_blocks(&campaign, &under_test)? };
    let document = document(&campaign, was_cut, &tallies);
    if was_cut && campaign.acknowledged.count > 0 {
        keep(&witness, &key, &campaign, document.lost());
    }
    if args.json { output::print_json(&document) } else { tell(args, &document) }?;
    Ok(match () {
        () if document.lost() > 0 => LOST,
        () if !was_cut || campaign.acknowledged.count == 0 => CANNOT_TELL,
        () => 0,
    })
}

/// A stream as it was, and what became of it.
struct Seen {
    stream: u32,
    /// Call that was to make it durable, and what was done: `fdatasync`, `random`.
    sync: &'static str,
    order: &'static str,
    /// True where flushes made it durable, and not the writes themselves.
    is_flushed: bool,
    tally: Tally,
}

fn of_blocks(campaign: &Campaign, under_test: &Target) -> Result<Vec<Seen>> {
    let handle = ioproof_target::open_to_read(under_test)?;
    // What is in memory is no proof.
    drop(handle.drop_cache());
    let seen = |(plan, tally): (StreamPlan, Tally)| Seen {
        stream: plan.stream,
        sync: plan.sync.name(),
        order: plan.order.name(),
        is_flushed: matches!(plan.sync, How::Fdatasync | How::Fsync),
        tally,
    };
    Ok(check(&handle, campaign.id.0, &campaign.acknowledged).into_iter().map(seen).collect())
}

fn of_names(campaign: &Campaign, args: &CutCheck) -> Result<Vec<Seen>> {
    let Campaign { id, session, description, steps, .. } = campaign;
    let seen = |plan: &NamesPlan| {
        let folder = ProofFolder::open(&args.target, &target::folder_name(*id, *session, plan.stream));
        let acknowledged = steps.get(&plan.stream).copied().unwrap_or(0);
        let tally = match folder {
            Ok(folder) => check_names(&folder, *plan, id.0, *session, acknowledged),
            // The folder itself was made durable before the first step.
            Err(error) if error.kind() == ErrorKind::NotFound => Tally::all_lost(acknowledged),
            Err(error) => return Err(error.into()),
        };
        Ok(Seen { stream: plan.stream, sync: "fsync", order: plan.names.name(), is_flushed: true, tally })
    };
    description.names.iter().map(seen).collect()
}

/// The campaign that was named, or the one of this witness that was written last.
fn read(witness: &str, key: &Key, args: &CutCheck) -> Result<Campaign> {
    let unreached = |error: &ioproof_witness::Error| unreached(witness, error);
    let mut campaigns = list(witness, key).map_err(|error| unreached(&error))?;
    campaigns.sort_by_key(|listed| listed.last_wall_ns);
    let named = args.campaign.as_deref().map(|text| {
        CampaignId::parse(text)
            .ok_or_else(|| complaint(format!("`{text}` names no campaign"), "ioproof powercut list --witness HOST shows them"))
    });
    let named = named.transpose()?;
    let listed = match named {
        Some(id) => campaigns.iter().find(|listed| listed.campaign == id),
        None => campaigns.last(),
    };
    let listed =
        listed.ok_or_else(|| complaint("the witness has no such campaign", "begin one: ioproof powercut write TARGET --witness HOST"))?;
    let (id, mut found, mut checks) = (listed.campaign, None, Vec::new());
    for session in (1..=listed.sessions.min(SESSIONS_MAX)).rev() {
        let text = begun(witness, key, id, session).map_err(|error| unreached(&error))?;
        match (serde_json::from_slice::<Description>(&text), serde_json::from_slice::<Checked>(&text)) {
            (Ok(description), _) if found.is_none() => found = Some((session, description)),
            (_, Ok(checked)) => checks.push(checked),
            _ => {}
        }
    }
    let Some((session, description)) = found else {
        return Err(complaint(format!("campaign {id} has no session that wrote anything"), "name another one with --campaign"));
    };
    let strange = |text: String| {
        complaint(format!("campaign {id} describes {text}, which no writer of ours does"), "name another one with --campaign")
    };
    let mut acknowledged = Acknowledged::new(&description).map_err(strange)?;
    let mut steps: BTreeMap<u32, u64> = BTreeMap::new();
    let take = |kept: Kept| {
        if let What::Acknowledged(all) = kept.what {
            for one in all {
                acknowledged.add(session, one.stream, one.place, one.sequence);
                let last = steps.entry(one.stream).or_default();
                *last = one.sequence.max(*last);
            }
        }
        ControlFlow::Continue(())
    };
    fetch(witness, key, id, Some(session), take).map_err(|error| unreached(&error))?;
    Ok(Campaign { id, session, description, acknowledged, steps, checks })
}

/// The description with which a session began.
fn begun(witness: &str, key: &Key, campaign: CampaignId, session: u32) -> Result<Vec<u8>, ioproof_witness::Error> {
    let mut text = Vec::new();
    fetch(witness, key, campaign, Some(session), |kept| {
        if let What::Begun { description, .. } = kept.what {
            text = description;
        }
        ControlFlow::Break(())
    })?;
    Ok(text)
}

/// Has the witness keep the result, by which a campaign is judged over its cuts.
fn keep(witness: &str, key: &Key, campaign: &Campaign, lost: u64) {
    let checked = Checked { checked_session: campaign.session, lost };
    let description = serde_json::to_vec(&checked).unwrap_or_default();
    let begin = Begin { campaign: campaign.id, session: None, description };
    let kept = Client::connect(witness, key, begin).and_then(|client| client.finish(TO_KEEP));
    if let Err(error) = kept {
        messages::warning(&format!("the witness does not keep this result: {error}"));
    }
}

fn document(campaign: &Campaign, was_cut: bool, tallies: &[Seen]) -> Document {
    let lost: u64 = tallies.iter().map(|seen| seen.tally.lost() + seen.tally.unreadable).sum();
    let counts = was_cut && campaign.acknowledged.count > 0;
    // Two checks of one session are of one cut.
    let earlier = |is_clean: bool| {
        let mut sessions: Vec<u32> =
            campaign.checks.iter().filter(|checked| (checked.lost == 0) == is_clean).map(|checked| checked.checked_session).collect();
        sessions.retain(|session| *session != campaign.session);
        sessions.sort_unstable();
        sessions.dedup();
        sessions.len() as u64
    };
    let clean_cuts = earlier(true) + u64::from(counts && lost == 0);
    let failed_cuts = earlier(false) + u64::from(counts && lost > 0);
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
    fn lost(&self) -> u64 {
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
    says.extend(examples.take(5).map(|(seen, (place, sequence, loss))| {
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

fn tell(args: &CutCheck, document: &Document) -> Result<()> {
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
