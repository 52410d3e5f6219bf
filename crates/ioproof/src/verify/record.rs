//! Plan and record: the workloads that will be run, and the record that a run begins with.

use crate::request::{Extent, VerifyRequest};
use crate::sources::load::Tasks;
use crate::verify::identify::Facts;
use crate::verify::target::Chosen;
use crate::verify::{estimate, method};
use anyhow::Result;
use ioproof_core::facts::{TargetFacts, TargetKind};
use ioproof_core::job::Span;
use ioproof_core::plan::{BASE_WORKLOADS, Plan, Request};
use ioproof_core::record::{Config, JobRecord, RunRecord, RunStatus, SCHEMA_VERSION, TargetRecord};
use ioproof_core::sweep;
use ioproof_core::syncs::{self, Goal};
use ioproof_core::text::visible;
use ioproof_core::units::binary_size;
use ioproof_core::workload::{Durability, Workload};
use ioproof_process::complaint::complaint;
use ioproof_store::config_hash::rehash;
use ioproof_store::run_id;
use ioproof_target::{Growth, Handle, Target};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Time for everything with `--quick`, which is the default for a scratch file.
const QUICK: Duration = Duration::from_secs(60);
/// Time for a sweep, whose cells are many.
const SWEEP: Duration = Duration::from_secs(300);
/// Time for the ways of making writes durable on scratch files.
const SYNC: Duration = Duration::from_secs(60);
/// The same where more is filled first.
const SYNC_THOROUGH: Duration = Duration::from_secs(180);
/// Time for everything on a device or a file that exists.
const THOROUGH: Duration = Duration::from_secs(600);
/// Part of a device or file that is written where `--size` does not say: filling more would take most of the time.
const WRITTEN_BYTES: u64 = 16 << 30;
/// Part of a generator device that is used; it has no size. Bytes.
const GENERATOR_BYTES: u64 = 1 << 30;

/// Makes the plan.
///
/// # Errors
/// When nothing of what is wanted can be run on this target.
pub fn plan(request: &VerifyRequest, chosen: &Chosen, facts: &Facts) -> Result<Plan> {
    let policy = &request.policy;
    let generator = chosen.facts().kind == TargetKind::Generator;
    let may_write = chosen.is_written(request);
    let is_sink = generator && may_write;
    if request.load.check && generator {
        let text = format!("--check: {} keeps nothing that could be read back", chosen.facts().given);
        return Err(complaint(text, "check a file or a device"));
    }
    let plan = Plan::make(&Request {
        only: &asked(request, generator),
        datasheet: facts.datasheet.as_ref().map(|d| &d.datasheet),
        capacity_bytes: facts.datasheet.as_ref().and_then(|d| d.capacity_bytes),
        drive_bytes: facts.drives.iter().map(|drive| drive.capacity_bytes.value).min(),
        may_write,
        may_read: !is_sink,
        span: request.load.used_span(span(request, chosen)?)?,
        alignment_bytes: chosen.facts().alignment_bytes,
        in_order: request.sweep.as_ref().is_some_and(|sweep| sweep.verb == syncs::VERB),
        own_files: matches!(chosen, Chosen::Scratch { .. }),
        fill: may_write && !generator && !request.load.is_null(),
        check: request.load.check,
        time_ns: time(request, chosen).as_nanos() as u64,
        time_limited: request.runs.is_none() || request.time.is_some() || request.quick,
        by_size: request.is_matrix(),
        runs: request.runs,
        policy,
    });
    let workload = |goal: &&Goal| plan.all().any(|planned| planned.workload == goal.workload);
    let goals = request.sweep.iter().flat_map(|sweep| &sweep.goals).filter(workload).cloned().collect();
    if plan.all().next().is_none() {
        return Err(nothing_to_run(request, chosen, may_write));
    }
    check_room(chosen, &plan)?;
    Ok(Plan { goals, ..plan })
}

/// Refuses to write a file whose holes would take more of its filesystem than is free, or a device that lies on such a file: that belongs to others, who get their errors then.
fn check_room(chosen: &Chosen, plan: &Plan) -> Result<()> {
    let Chosen::Existing(target) = chosen else { return Ok(()) };
    if !matches!(target.facts.kind, TargetKind::File | TargetKind::BlockDevice) || plan.writes.is_empty() {
        return Ok(());
    }
    let growth = Growth::of_all(target.facts.size_bytes, plan.span.length_bytes);
    Ok(ioproof_target::check_free_space([(Path::new(&target.facts.resolved), growth)].into_iter())?)
}

/// Nothing of what was asked for fits, or it writes and may not.
fn nothing_to_run(request: &VerifyRequest, chosen: &Chosen, may_write: bool) -> anyhow::Error {
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
    let text = format!("nothing of this can be run on {given}, of which {} are used", binary_size(used));
    complaint(text, too_small_for(asked))
}

/// The way to room for these workloads, and how much of it all of them need.
fn too_small_for<'a>(workloads: impl IntoIterator<Item = &'a Workload>) -> String {
    let least = workloads.into_iter().max_by_key(|workload| workload.least_span_bytes());
    let several = least.is_some_and(|workload| workload.shape.more_files > 0);
    let of_least = least.map(|workload| format!(" (at least {})", binary_size(workload.least_span_bytes()))).unwrap_or_default();
    let (each, fewer) = if several { (" in each of its files", ", fewer files (--files)") } else { ("", "") };
    format!("the largest block must fit once for every worker{each}: a larger --size or file{of_least}{fewer}, or smaller blocks (--bs)")
}

/// A plan without what the filesystem of the scratch file cannot do, as it turns out once that is open.
///
/// # Errors
/// When nothing is left.
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

/// The reason against workloads on a file whose space was set aside.
const NOT_RESERVED: &str = "its filesystem sets no space aside before it is written (fallocate)";

/// The way to workloads that grow files or use several.
const OWN_FILES: &str = "give a directory as the target, in which they are made and removed again";

/// True for a workload that grows files or uses several, on a target in which none are made.
fn lacks_own_files(workload: &Workload, facts: &TargetFacts) -> bool {
    facts.kind != TargetKind::Scratch && workload.shape.needs_own_files()
}

/// The way to consent to writes on a target.
fn to_write(facts: &TargetFacts) -> String {
    let given = visible(&facts.given);
    match facts.kind {
        TargetKind::File => format!("--overwrite {given} consents; what the file holds is lost"),
        _ => format!(
            "--destroy SERIAL consents, with its serial number as in `ioproof list {given}` (of a loop device its kernel name); all data on it is lost"
        ),
    }
}

/// The workloads that the command line asks for: every combination of its lists.
fn asked(request: &VerifyRequest, generator: bool) -> Vec<Workload> {
    if request.load.workloads.is_empty() && generator {
        // A generator device may move no more than a page at once, and has nothing to flush.
        let small = |w: &&Workload| w.block_bytes == 4096 && w.durability == Durability::None && matches!(w.read_percent, 0 | 100);
        return BASE_WORKLOADS.iter().filter(small).cloned().collect();
    }
    request.load.workloads.clone()
}

/// The record of a run that begins.
pub fn open(request: &VerifyRequest, target: &Target, handle: &Handle, facts: Facts, plan: Plan) -> RunRecord {
    let mut notes = facts.notes;
    notes.extend(target.facts.notes.iter().chain(handle.notes()).cloned());
    notes.extend(load_notes(request, &plan, &target.facts, handle.reserves()));
    let mut seen = BTreeSet::new();
    notes.retain(|n| seen.insert(n.clone()));
    let started_at = ioproof_runner::now().rfc3339;
    let target = TargetRecord { drives: facts.drives, datasheet: facts.datasheet, ..TargetRecord::new(target.facts.clone()) };
    let tasks = tasks(request, plan.span);
    let mut record = RunRecord {
        schema_version: SCHEMA_VERSION,
        id: run_id::new_id(&started_at),
        program_version: env!("CARGO_PKG_VERSION").into(),
        verb: request.sweep.as_ref().map_or("verify", |sweep| sweep.verb).into(),
        started_at,
        ended_at: None,
        status: RunStatus::Running,
        config: config(request, &plan),
        config_sha256: String::new(),
        host: facts.host,
        targets: vec![target],
        jobs: plan.all().map(|planned| tasks.record_of(&planned.workload, planned.claims.clone())).collect(),
        policy: request.policy.clone(),
        plan: Some(plan),
        self_test: None,
        health: vec![],
        searches: vec![],
        warnings: vec![],
        notes,
        databases: Vec::new(),
        stages: Vec::new(),
    };
    rehash(&mut record);
    record
}

/// One record of several directories or devices that are measured in one run: that of the first, with the others as further targets that have jobs of their own.
pub fn joined(request: &VerifyRequest, mut first: RunRecord, others: impl IntoIterator<Item = RunRecord>) -> RunRecord {
    for (target, other) in (1..).zip(others) {
        first.targets.extend(other.targets);
        first.jobs.extend(other.jobs.into_iter().map(|job| JobRecord { targets: vec![target], ..job }));
        first.notes.extend(other.notes);
    }
    let mut seen = BTreeSet::new();
    first.notes.retain(|note| seen.insert(note.clone()));
    first.warnings = method::warnings(request, &first);
    rehash(&mut first);
    first
}

/// The maker of this run's tasks.
pub fn tasks(request: &VerifyRequest, span: Span) -> Tasks<'_> {
    Tasks::new(&request.load, span, request.seed, request.io_timeout_ns)
}

/// Notes on the load beside its workloads.
fn load_notes(request: &VerifyRequest, plan: &Plan, facts: &TargetFacts, reserves: bool) -> Vec<String> {
    let parts = request.load.worker_span.map(|each| format!("each worker works on a part of its own of {}", binary_size(each)));
    let trims = || plan.writes.iter().map(|p| &p.workload).filter(|w| w.trims());
    let read = trims().any(|w| w.read_percent > 0);
    let read = read.then(|| "reads beside trims may find trimmed blocks, for which a drive need not look".to_owned());
    let again = trims().any(|w| w.read_percent == 0 && w.shape.trim_percent == 100);
    let again = again.then(|| "blocks are trimmed again and again, for which little need be done once they are".to_owned());
    let left_out = left_out(request, plan)
        .map(|w| format!("not run: {}, queue depth {}, which {}", w.title(), w.concurrency(), why_left_out(w, plan, facts, reserves)));
    [parts, read, again].into_iter().flatten().chain(left_out).collect()
}

/// The reason for which a workload is not run, as far as the plan shows it.
fn why_left_out(workload: &Workload, plan: &Plan, facts: &TargetFacts, reserves: bool) -> &'static str {
    match () {
        () if lacks_own_files(workload, facts) => "needs files of its own (a directory as the target)",
        () if is_finer(workload, facts) => "has smaller blocks than the target takes (O_DIRECT)",
        () if !reserves && workload.shape.needs_reserved_space() => "needs space set aside, which the filesystem does not do (fallocate)",
        () if workload.writes() && plan.writes.is_empty() => "needs consent to write, or does not fit the target",
        () => "does not fit the target",
    }
}

/// True where direct I/O of its blocks is impossible on the target.
fn is_finer(workload: &Workload, facts: &TargetFacts) -> bool {
    !workload.shape.buffered && !workload.smallest_block_bytes().is_multiple_of(facts.alignment_bytes.max(1))
}

/// The workloads that were asked for and will not be run.
fn left_out<'a>(request: &'a VerifyRequest, plan: &'a Plan) -> impl Iterator<Item = &'a Workload> {
    request.load.workloads.iter().filter(|w| !plan.all().any(|p| p.workload == **w))
}

/// The number of workloads that will not be run, and the way to have them; none where all will be.
pub fn less_than_asked(request: &VerifyRequest, record: &RunRecord) -> Option<(String, String)> {
    let (plan, facts) = (record.plan.as_ref()?, &record.targets.first()?.facts);
    let all: Vec<&Workload> = left_out(request, plan).collect();
    let first = all.first()?;
    let (count, asked) = (all.len(), request.load.workloads.len());
    let text = format!("{count} of {asked} workloads that were asked for will not be run, {} among them", first.title());
    let hint = if all.iter().all(|workload| lacks_own_files(workload, facts)) {
        format!("they need files of their own: {OWN_FILES}")
    } else if all.iter().all(|workload| is_finer(workload, facts)) {
        format!("the target takes direct I/O in multiples of {} bytes only (--bs, or --buffered)", facts.alignment_bytes)
    } else if all.iter().all(|workload| workload.shape.needs_reserved_space()) {
        "they need a filesystem that sets space aside (fallocate), and room for it".to_owned()
    } else if first.writes() && plan.writes.is_empty() {
        format!("they write: {}", to_write(facts))
    } else if all.iter().any(|workload| is_finer(workload, facts) || lacks_own_files(workload, facts)) {
        "the report notes why, of each".to_owned()
    } else {
        too_small_for(all.iter().copied())
    };
    Some((text, hint))
}

/// The line that is said when a run begins.
pub fn opening(request: &VerifyRequest, record: &RunRecord) -> String {
    let (Some(target), Some(plan)) = (record.target(), &record.plan) else { return String::new() };
    let given = visible(&target.facts.given);
    let what = match target.facts.kind {
        TargetKind::Scratch => format!("a scratch file of {} in {given}", binary_size(target.facts.size_bytes)),
        _ => format!("{} of {given}", binary_size(plan.span.length_bytes)),
    };
    let reads = !plan.reads.is_empty() || plan.writes.iter().any(|planned| planned.workload.read_percent > 0);
    let written = match (!reads, plan.writes.is_empty()) {
        (_, true) if target.facts.kind == TargetKind::Scratch => "reading what is written first",
        (_, true) => "only reading",
        (true, false) => "only writing",
        (false, false) => "reading and writing",
    };
    let time = estimate::words(plan, request.load.latency_target.is_some());
    let workloads = match plan.all().count() {
        1 => "1 workload".to_owned(),
        n => format!("{n} workloads"),
    };
    let doing = match record.verb.as_str() {
        sweep::VERB => "sweeping",
        syncs::VERB => "measuring durable writes on",
        _ => "verifying",
    };
    let aside: Vec<&str> = [(request.precondition, "preconditioning"), (request.load.check, "reading back")]
        .into_iter()
        .filter_map(|(is, what)| is.then_some(what))
        .collect();
    let aside = if aside.is_empty() { String::new() } else { format!(" beside {}", aside.join(" and ")) };
    format!("{doing} {what}, {written}, {workloads}, {time}{aside}")
}

/// Time for everything.
pub fn time(request: &VerifyRequest, chosen: &Chosen) -> Duration {
    let is_scratch = matches!(chosen, Chosen::Scratch { .. });
    if let Some(sweep) = request.sweep.as_ref().filter(|_| !request.quick) {
        let of_verb = match (sweep.verb == syncs::VERB, is_scratch) {
            (true, true) => SYNC,
            (true, false) => SYNC_THOROUGH,
            (false, _) => SWEEP,
        };
        return request.time.unwrap_or(of_verb);
    }
    let quick = request.quick || is_scratch;
    request.time.unwrap_or(if quick { QUICK } else { THOROUGH })
}

fn span(request: &VerifyRequest, chosen: &Chosen) -> Result<Span> {
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
        Chosen::Existing(_) if chosen.is_written(request) => whole.min(WRITTEN_BYTES),
        _ => whole,
    };
    let asked = match chosen {
        Chosen::Scratch { .. } => whole,
        Chosen::Existing(_) => request.size.map_or(default, |s: Extent| s.of(all)).min(whole),
    };
    // Whole MiB, so that every block size fits; a smaller target keeps whole blocks of its own.
    let unit = if asked >= 1 << 20 { 1 << 20 } else { u64::from(chosen.facts().alignment_bytes.max(1)) };
    Ok(Span { offset_bytes, length_bytes: asked / unit * unit })
}

fn config(request: &VerifyRequest, plan: &Plan) -> Config {
    Config {
        command: request.command.clone(),
        time_s: plan.time_ns as f64 / 1e9,
        quick: request.quick,
        strict: false,
        runs: request.runs,
        backend: request.load.backends.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(","),
        seed: request.seed,
        faults: request.load.generate.faults.map(|f| serde_json::to_string(&f).unwrap_or_default()),
    }
}
