//! `ioproof powercut check`: reads back, after a cut, the last acknowledged step of every place, and says what became of it. `campaign` is what the witness has, `later` what
//! was written over it since, `cut` what is known of the cut, `told` what is said.

mod campaign;
mod cut;
mod later;
mod told;

use super::{CANNOT_TELL, key_of, target};
use crate::verbs::powercut::flags::CutCheck;
use anyhow::Result;
use campaign::{CheckedCampaign, read};
use cut::PowerCut;
use ioproof_powercut::{CutEvidence, DurableWay, NamesPlan, StreamPlan, Tally, all_names_lost, check, check_names};
use ioproof_process::output;
use ioproof_target::{ProofFolder, System, Target};
use ioproof_witness::with_port;
use std::io::ErrorKind;
use told::{CheckOutcome, document, tell};

/// Exit status where data was lost.
const LOST: u8 = 1;

/// Runs the verb.
///
/// # Errors
/// When the witness is not to be reached, has no such campaign, or the target is another one.
pub fn run(args: &CutCheck) -> Result<u8> {
    let system = System::host();
    let (witness, key) = (with_port(&args.at.witness), key_of(&args.at)?);
    let under_test = target::resolve(&system, &args.target)?;
    let now = target::id(&system, &under_test);
    let mut campaign = read(&witness, &key, args, &now, under_test.is_directory())?;
    campaign.carries_system = target::carries_system(&system, &under_test);
    let (boot_id, cycles) = (target::boot_id(&system), target::power_cycles(&system, &under_test));
    let cut = PowerCut::judge(&campaign.description, boot_id.as_deref(), cycles, args.drive_alone, campaign.is_live);
    let tallies = if under_test.is_directory() { of_names(&campaign, args)? } else { of_blocks(&campaign, &under_test)? };
    let evidence = evidence(&campaign, &tallies);
    let document = document(&campaign, cut, &tallies, evidence);
    if document.is_kept() {
        campaign.keep(&witness, &key, document.lost(), evidence);
    }
    output::or_warn(if args.json { output::print_json(&document) } else { tell(args, &document) });
    Ok(match document.outcome {
        CheckOutcome::Lost => LOST,
        CheckOutcome::CannotTell => CANNOT_TELL,
        CheckOutcome::AllThere => 0,
    })
}

struct SeenStream {
    stream: u32,
    /// Call that was to make it durable, and what was done: `fdatasync`, `random`.
    sync: &'static str,
    order: &'static str,
    /// Blocks that were acknowledged together.
    writes_per_sync: u64,
    way: DurableWay,
    tally: Tally,
}

fn evidence(campaign: &CheckedCampaign, tallies: &[SeenStream]) -> CutEvidence {
    let is_write_through = campaign.description.write_cache.as_deref() == Some("write through");
    let mut evidence = CutEvidence { is_write_through, ..CutEvidence::default() };
    tallies.iter().for_each(|seen| evidence.add(seen.way, &seen.tally));
    evidence
}

fn of_blocks(campaign: &CheckedCampaign, under_test: &Target) -> Result<Vec<SeenStream>> {
    let handle = ioproof_target::open_to_read(under_test)?;
    // What is in memory is no proof.
    drop(handle.drop_cache());
    let seen = |(plan, tally): (StreamPlan, Tally)| SeenStream {
        stream: plan.stream,
        sync: plan.sync.name(),
        order: plan.order.name(),
        writes_per_sync: plan.writes_at_once(),
        way: if plan.sync.is_flush() { DurableWay::Flushed } else { DurableWay::Direct },
        tally,
    };
    Ok(check(&handle, campaign.id.0, &campaign.acknowledged).into_iter().map(seen).collect())
}

fn of_names(campaign: &CheckedCampaign, args: &CutCheck) -> Result<Vec<SeenStream>> {
    let CheckedCampaign { id, session, description, steps, .. } = campaign;
    let seen = |plan: &NamesPlan| {
        let folder = ProofFolder::open(&args.target, &target::folder_name(*id, *session, plan.stream));
        let acknowledged = steps.get(&plan.stream).copied().unwrap_or(0);
        let tally = match folder {
            Ok(folder) => check_names(&folder, *plan, id.0, *session, acknowledged),
            // The folder itself was made durable before the first step.
            Err(error) if error.kind() == ErrorKind::NotFound => all_names_lost(*plan, acknowledged),
            Err(error) => return Err(error.into()),
        };
        Ok(SeenStream { stream: plan.stream, sync: "fsync", order: plan.names.name(), writes_per_sync: 1, way: DurableWay::Names, tally })
    };
    description.names.iter().map(seen).collect()
}
