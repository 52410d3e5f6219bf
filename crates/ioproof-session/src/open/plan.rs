//! The plan of a request on a target, as far as it may be written and has room.

use super::identify::Facts;
use super::left_out::{GENERATORS, NOT_RESERVED, OWN_FILES, lacks_own_files, to_write, too_small_for};
use super::target::Chosen;
use crate::request::{PlanRequest, TargetExtent};
use anyhow::Result;
use ioproof_core::facts::TargetKind;
use ioproof_core::job::Span;
use ioproof_core::plan::{BASE_WORKLOADS, Plan, Request};
use ioproof_core::syncs::Goal;
use ioproof_core::text::visible;
use ioproof_core::units::binary_size;
use ioproof_core::workload::{Durability, Workload};
use ioproof_process::complaint::complaint;
use ioproof_target::{Growth, Handle, Target};
use std::path::PathBuf;
use std::time::Duration;

/// Time for everything with `--quick`.
const QUICK: Duration = Duration::from_secs(60);
/// Part of a device or file that is written where `--size` does not say: filling more would take most of the time.
const WRITTEN_BYTES: u64 = 16 << 30;
/// Part of a generator device that is used; it has no size. Bytes.
const GENERATOR_BYTES: u64 = 1 << 30;

pub fn plan(request: &PlanRequest, chosen: &Chosen, facts: &Facts, time: Duration) -> Result<Plan> {
    let policy = &request.policy;
    let generator = chosen.facts().kind == TargetKind::Generator;
    let may_write = chosen.is_written();
    let is_sink = generator && may_write;
    if request.load.check && generator {
        let text = format!("--check: {} keeps nothing that could be read back", chosen.facts().given);
        return Err(complaint(text, "check a file or a device"));
    }
    let plan = Plan::make(&Request {
        only: &asked(request, generator),
        // By a standard its cells are run, whatever a maker claims.
        datasheet: facts.datasheet.as_ref().filter(|_| request.kind.standard().is_none()).map(|d| &d.datasheet),
        capacity_bytes: facts.datasheet.as_ref().and_then(|d| d.capacity_bytes),
        drive_bytes: facts.drives.iter().map(|drive| drive.capacity_bytes.value).min(),
        may_write,
        may_read: !is_sink,
        span: request.load.used_span(span(request, chosen)?)?,
        alignment_bytes: chosen.facts().alignment_bytes,
        in_order: request.kind.row().in_order,
        own_files: matches!(chosen, Chosen::Scratch { .. }),
        fill: may_write && !generator && !request.load.is_null(),
        check: request.load.check,
        time_ns: time.as_nanos() as u64,
        time_limited: request.is_time_limited(),
        by_size: request.kind.row().has_series,
        runs: request.runs,
        policy,
    });
    let workload = |goal: &&Goal| plan.all().any(|planned| planned.workload == goal.workload);
    let goals = request.kind.goals().iter().filter(workload).cloned().collect();
    if plan.all().next().is_none() {
        return Err(nothing_to_run(request, chosen, may_write));
    }
    check_room(std::iter::once((chosen, &plan)))?;
    Ok(Plan { goals, ..plan })
}

/// Refuses to write where the files of all targets together, or the files of loop devices below them, do not fit.
pub fn check_room<'a>(all: impl Iterator<Item = (&'a Chosen, &'a Plan)>) -> Result<()> {
    let growths: Vec<(PathBuf, Growth)> = all.enumerate().filter_map(|(at, (chosen, plan))| growth(at, chosen, plan)).collect();
    Ok(ioproof_target::check_free_space(growths.iter().map(|(path, growth)| (path.as_path(), *growth)))?)
}

/// Growth of a target under its plan. A scratch file has no name yet: a made-up one stands for it.
fn growth(at: usize, chosen: &Chosen, plan: &Plan) -> Option<(PathBuf, Growth)> {
    match chosen {
        Chosen::Scratch { path, .. } => {
            let bytes = chosen.size_bytes();
            Some((path.join(format!(".ioproof-scratch-{at}")), Growth { laid_out_bytes: bytes, ..Growth::of_all(bytes, bytes) }))
        }
        Chosen::Existing { target, .. } => {
            let is_written = matches!(target.facts.kind, TargetKind::File | TargetKind::BlockDevice) && !plan.writes.is_empty();
            is_written.then(|| (PathBuf::from(&target.facts.resolved), Growth::of_all(target.facts.size_bytes, plan.span.length_bytes)))
        }
    }
}

/// Nothing of what was asked for fits, or it writes and may not.
fn nothing_to_run(request: &PlanRequest, chosen: &Chosen, may_write: bool) -> anyhow::Error {
    let asked = &request.load.workloads;
    let reads = asked.is_empty() || asked.iter().any(|workload| !workload.writes());
    let given = &chosen.facts().given;
    if !asked.is_empty() && asked.iter().all(|workload| lacks_own_files(workload, chosen.facts())) {
        return complaint(format!("nothing of this can be run on {given}: all of it needs files of its own"), OWN_FILES);
    }
    if !may_write && !reads {
        return complaint(format!("nothing of this can be run on {given}: all of it writes"), to_write(chosen.facts()));
    }
    let sector_bytes = chosen.facts().alignment_bytes;
    if !asked.is_empty() && asked.iter().all(|workload| !workload.block_bytes.is_multiple_of(sector_bytes)) {
        let text = format!(
            "nothing of this can be run on {given}: no block is a multiple of {}, its smallest I/O",
            binary_size(sector_bytes.into())
        );
        return complaint(text, "give such block sizes (--bs), or --buffered to go through the page cache");
    }
    let used = span(request, chosen).map_or(0, |span| span.length_bytes);
    let fits = asked.iter().all(|workload| workload.least_span_bytes() <= used);
    if chosen.facts().kind == TargetKind::Generator && !asked.is_empty() && fits {
        return complaint(format!("nothing of this can be run on {given}"), GENERATORS);
    }
    let text = format!("nothing of this can be run on {given}, of which {} are used", binary_size(used));
    complaint(text, too_small_for(asked))
}

/// A plan without what the filesystem of the scratch file cannot do, as it turns out once that is open.
pub fn possible(plan: Plan, target: &Target, handle: &Handle) -> Result<Plan> {
    if target.facts.kind != TargetKind::Scratch || handle.reserves() {
        return Ok(plan);
    }
    let Plan { reads, mut writes, mut goals, .. } = plan;
    writes.retain(|planned| !planned.workload.shape.needs_reserved_space());
    goals.retain(|goal| !goal.workload.shape.needs_reserved_space());
    if reads.is_empty() && writes.is_empty() {
        let text = format!("nothing of this can be run on {}: {NOT_RESERVED}", visible(&target.facts.given));
        return Err(complaint(text, "name a directory of another filesystem, or other ways: --write-to existing,append"));
    }
    Ok(Plan { reads, writes, goals, ..plan })
}

/// The workloads that the command line asks for: every combination of its lists.
fn asked(request: &PlanRequest, generator: bool) -> Vec<Workload> {
    if request.load.workloads.is_empty() && generator {
        // A generator device may move no more than a page at once, and has nothing to flush.
        let small = |w: &&Workload| w.block_bytes == 4096 && w.durability == Durability::None && matches!(w.read_percent, 0 | 100);
        return BASE_WORKLOADS.iter().filter(small).cloned().collect();
    }
    request.load.workloads.clone()
}

pub fn time(request: &PlanRequest, chosen: &Chosen) -> Duration {
    let [of_scratch, thorough] = request.kind.row().time;
    request.time.unwrap_or(match chosen {
        _ if request.quick => QUICK,
        Chosen::Scratch { .. } => of_scratch,
        Chosen::Existing { .. } => thorough,
    })
}

fn span(request: &PlanRequest, chosen: &Chosen) -> Result<Span> {
    let all = if chosen.facts().kind == TargetKind::Generator { GENERATOR_BYTES } else { chosen.size_bytes() };
    let offset_bytes = request.offset_bytes.unwrap_or(0);
    let whole = all.checked_sub(offset_bytes).filter(|rest| *rest > 0).ok_or_else(|| {
        if offset_bytes == 0 {
            let text = format!("nothing of {} can be used: it has no whole block", chosen.facts().given);
            return complaint(text, "give a larger --size, or a larger file");
        }
        let text = format!("--offset {} is beyond the end of {}", binary_size(offset_bytes), chosen.facts().given);
        complaint(text, format!("it has {}", binary_size(all)))
    })?;
    let default = match chosen {
        Chosen::Existing { .. } if chosen.is_written() && request.kind.standard().is_none() => whole.min(WRITTEN_BYTES),
        _ => whole,
    };
    let asked = match chosen {
        Chosen::Scratch { .. } => whole,
        Chosen::Existing { .. } => request.size.map_or(default, |size: TargetExtent| size.in_bytes(all)).min(whole),
    };
    // Whole MiB, so that every block size fits; a smaller target keeps whole blocks of its own.
    let unit = if asked >= 1 << 20 { 1 << 20 } else { u64::from(chosen.facts().alignment_bytes.max(1)) };
    Ok(Span { offset_bytes, length_bytes: asked / unit * unit })
}
