//! `ioproof powercut write`: writes blocks that are known again, has each durable, and has a witness keep what was acknowledged, until the power goes. `typed` has flags
//! that do not go together, `watch` what is said and done meanwhile, `told` what is said at the end.

mod told;
mod typed;
mod watch;

use super::target::{self, streams};
use super::unreached::unreached;
use super::{CANNOT_TELL, campaigns, key_of};
use crate::verbs::powercut::flags::CutWrite;
use anyhow::{Context, Result};
use ioproof_core::units::binary_size;
use ioproof_powercut::{Description, Keeper, NamesPlan, NamesStream, SessionTurns, Step, Stream, StreamPlan, VERSION, WriteSession, fill};
use ioproof_process::complaint::complaint;
use ioproof_process::interrupt;
use ioproof_session::observers::progress::ProgressLine;
use ioproof_target::{Growth, Handle, ProofFolder, System, Target, threads};
use ioproof_witness::{Acknowledgement, Begin, CampaignId, Key, NotTaken, Options, WitnessClient, with_port};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use told::{NOT_CUT, WriteDocument, check_command, tell};
use watch::watch;

/// Time between two looks at how far it is.
const LOOK: Duration = Duration::from_millis(100);
/// Longest wait for streams that were told to end, and for the witness to store what it has been sent.
const AT_THE_END: Duration = Duration::from_secs(10);
/// Part of that wait of which nothing is said.
const IN_SILENCE: Duration = Duration::from_millis(500);
/// Longest wait for the witness, or for another writer to give way, before anything is written.
const PATIENCE: Duration = Duration::from_secs(15);

struct SharedWrites {
    handle: Option<Handle>,
    /// Folders of streams of operations on names, in their order.
    folders: Vec<ProofFolder>,
    client: WitnessClient,
    stop: Arc<AtomicBool>,
    durable: AtomicU64,
    turns: SessionTurns,
}

impl Keeper for SharedWrites {
    fn keep(&self, stream: u32, steps: &[Step]) -> io::Result<()> {
        let acknowledgement = |step: &Step| Acknowledgement { stream, place: step.mark(), sequence: step.sequence };
        let all: Vec<Acknowledgement> = steps.iter().map(acknowledgement).collect();
        loop {
            match self.client.acknowledge(&all) {
                Ok(()) => return Ok(()),
                Err(NotTaken::Ended(error)) => return Err(io::Error::other(format!("the witness: {error}"))),
                Err(NotTaken::Full) if self.stop.load(Relaxed) => return Ok(()),
                Err(NotTaken::Full) => drop(self.client.wait_for_room(LOOK)),
            }
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// When the target may not be written, the witness is not to be reached, or nothing was acknowledged.
pub fn run(args: &CutWrite) -> Result<u8> {
    let (system, stop, mut progress) = (System::host(), interrupt::flag()?, ProgressLine::on_stderr());
    typed::settled(args)?;
    let (witness, key) = (with_port(&args.at.witness), key_of(&args.at)?);
    let under_test = ioproof_target::resolve(&system, &args.target).map_err(typed::unfit).and_then(target::lasting)?;
    let (handle, description) = planned(&system, &under_test, args)?;
    check_room(&args.target, &description)?;
    let campaign = campaign(args, &witness, &key, &description)?;
    let text = serde_json::to_vec(&description)?;
    let begin = Begin { campaign, session: None, writes: true, description: text };
    progress.step(&format!("looking for the witness at {witness}"), None);
    let mut waits = |why: &str| progress.say(&format!("the witness at {witness}: {why}; trying for {} s", PATIENCE.as_secs()));
    let options = Options { patience: PATIENCE, ..Options::default() };
    // Nothing is written yet that could be reported.
    let client = interrupt::while_waiting(|| WitnessClient::connect_telling(&witness, &key, begin, &options, &mut waits))
        .map_err(|error| unreached(&witness, &error))?;
    let session = client.session();
    if let Some(handle) = &handle {
        let written_bytes = description.streams.iter().map(|plan| plan.span.length_bytes).sum::<u64>();
        progress.step(&format!("writing {} in full first", binary_size(written_bytes)), None);
        let fill = |plan: &StreamPlan| fill(handle, plan.span).context("the target cannot be written in full first");
        description.streams.iter().try_for_each(fill)?;
    }
    let make = |plan: &NamesPlan| ProofFolder::make(&args.target, &target::folder_name(campaign, session, plan.stream));
    let folders = description.names.iter().map(make).collect::<io::Result<_>>().context("a folder for the files cannot be made")?;
    typed::cut_down(args, &under_test).iter().for_each(|text| progress.say(text));
    progress.say(&format!("campaign {campaign}, session {session}: writing to {}", under_test.facts.given));
    let turns = SessionTurns::new(&description.streams);
    let shared = Arc::new(SharedWrites { handle, folders, client, stop: Arc::clone(&stop), durable: AtomicU64::new(0), turns });
    let began = Instant::now();
    let running = begin_streams(&shared, &description, campaign, session)?;
    let name = campaign.to_string();
    let is_cut = watch(args, &name, &shared, &running, began, &mut progress)?;
    let seconds = began.elapsed().as_secs_f64();
    let ended = end(running, &stop, &mut progress);
    progress.clear();
    let (acknowledged, stored, not_stored) = settle(shared, &check_command(args, &name), &mut progress);
    let not_cut = (is_cut && ended.is_empty()).then_some(NOT_CUT);
    let document = WriteDocument { campaign: name, session, acknowledged, stored, not_stored, seconds, ended, not_cut };
    tell(args, &document)?;
    match (acknowledged, stored) {
        (0, _) => Err(complaint(
            "nothing was acknowledged, so a check will tell nothing",
            "see why the target takes no writes, or write for longer",
        )),
        (_, 0) => Err(complaint(
            "the witness has stored nothing, so a check will tell nothing",
            "see that the witness is there and has room on its disk, and write anew",
        )),
        _ => Ok(if document.not_stored.is_some() { CANNOT_TELL } else { 0 }),
    }
}

/// Refuses to write a file or a device in full where that would fill a filesystem, its own or that of a file below it.
fn check_room(target: &Path, description: &Description) -> Result<()> {
    let end = description.streams.iter().map(|plan| plan.span.offset_bytes + plan.span.length_bytes).max();
    let Some(size_bytes) = end else { return Ok(()) };
    Ok(ioproof_target::check_free_space([(target, Growth::of_all(size_bytes, size_bytes))].into_iter())?)
}

/// A new campaign, or the one that was named, if this is one more session of the same kind.
fn campaign(args: &CutWrite, witness: &str, key: &Key, description: &Description) -> Result<CampaignId> {
    let Some(text) = &args.campaign else { return CampaignId::draw().context("there is no randomness for a campaign's name") };
    let campaigns = campaigns::all(witness, key)?;
    let listed = campaigns::named(&campaigns, text)?;
    let before = campaigns::description(witness, key, listed.campaign).map_err(|error| unreached(witness, &error))?;
    match before.and_then(|(_, before)| campaigns::unlike(&before, description)) {
        None => Ok(listed.campaign),
        Some(difference) => Err(complaint(
            format!("campaign {} does not go on with this: {difference}", listed.campaign),
            "all cuts of a campaign are of one target and one way of writing: write as before, or begin a new campaign without --campaign",
        )),
    }
}

fn begin_streams(
    shared: &Arc<SharedWrites>,
    description: &Description,
    campaign: CampaignId,
    number: u32,
) -> Result<Vec<JoinHandle<io::Result<u64>>>> {
    let (block_bytes, campaign) = (description.block_bytes, campaign.0);
    let blocks = |plan: &StreamPlan| {
        let (shared, plan) = (Arc::clone(shared), *plan);
        threads::spawn(&format!("stream/{}", plan.stream), move || {
            let SharedWrites { handle, durable, stop, turns, .. } = &*shared;
            let stream = handle.as_ref().map(|handle| Stream {
                handle,
                plan,
                block_bytes,
                session: WriteSession { campaign, number, keeper: &*shared, durable },
                turns,
            });
            stream.map_or(Ok(0), |stream| stream.run(stop))
        })
    };
    let names = |(at, plan): (usize, &NamesPlan)| {
        let (shared, plan) = (Arc::clone(shared), *plan);
        threads::spawn(&format!("names/{}", plan.stream), move || {
            let SharedWrites { folders, durable, stop, .. } = &*shared;
            NamesStream { folder: &folders[at], plan, session: WriteSession { campaign, number, keeper: &*shared, durable } }.run(stop)
        })
    };
    let all = description.streams.iter().map(blocks).chain(description.names.iter().enumerate().map(names));
    all.collect::<io::Result<_>>().context("no thread is to be had for a stream")
}

/// The target, open to be written where it is a file or a device, and what is written there.
fn planned(system: &System, target: &Target, args: &CutWrite) -> Result<(Option<Handle>, Description)> {
    typed::fits(args, target)?;
    let mut description = Description {
        version: VERSION,
        target: target::id(system, target),
        host: target::host(system),
        boot_id: target::boot_id(system),
        write_cache: target::write_cache(system, target),
        power_cycles: target::power_cycles(system, target),
        block_bytes: target::BLOCK_BYTES,
        streams: Vec::new(),
        names: Vec::new(),
    };
    if target.is_directory() {
        description.names = target::names(args);
        return Ok((None, description));
    }
    let handle = target::open_to_write(system, target, args)?;
    description.block_bytes = target::block_bytes(args, &handle)?;
    description.streams = streams(args, handle.size_bytes(), description.block_bytes, target::takes_trims(system, target))?;
    Ok((Some(handle), description))
}

/// Ends the streams, and gives the reasons of those that ended by themselves. One that never comes back is left behind.
fn end(running: Vec<JoinHandle<io::Result<u64>>>, stop: &AtomicBool, progress: &mut ProgressLine) -> Vec<String> {
    stop.store(true, Relaxed);
    let until = |time| Instant::now() + time;
    let wait = |until| {
        while running.iter().any(|stream| !stream.is_finished()) && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
    };
    wait(until(IN_SILENCE));
    if running.iter().any(|stream| !stream.is_finished()) {
        progress.say(&format!("waiting up to {} s for writes that have not come back", AT_THE_END.as_secs()));
        wait(until(AT_THE_END));
    }
    let mut reasons = Vec::new();
    for stream in running {
        let reason = match stream.is_finished().then(|| stream.join()) {
            None => "a write did not come back".to_owned(),
            Some(Ok(Ok(_))) => continue,
            Some(Ok(Err(error))) => error.to_string(),
            Some(Err(_)) => "a stream of writes ended by a fault of ours".to_owned(),
        };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

/// Waits for the witness. Acknowledged blocks, those that it has stored, and where that is not all the reason. Whoever ends the waiting knows by then how to check.
fn settle(shared: Arc<SharedWrites>, check: &str, progress: &mut ProgressLine) -> (u64, u64, Option<String>) {
    let acknowledged = shared.client.progress().acknowledged;
    let is_stored = shared.client.wait_stored(acknowledged, IN_SILENCE) || {
        let stored = shared.client.stored();
        progress.say(&format!(
            "{acknowledged} blocks were acknowledged, of which the witness has {stored}: waiting up to {} s for it",
            AT_THE_END.as_secs()
        ));
        progress.say(&format!("when the power is back: {check}"));
        shared.client.wait_stored(acknowledged, AT_THE_END)
    };
    let told = shared.client.progress();
    if is_stored && let Ok(shared) = Arc::try_unwrap(shared) {
        // It has all; that it was told of the end as well is a courtesy.
        let _ = shared.client.finish(AT_THE_END);
    }
    let why = || told.error.map(|error| error.to_string()).or(told.why).unwrap_or_else(|| "it takes long to store them".to_owned());
    (acknowledged, told.stored, (!is_stored).then(why))
}
