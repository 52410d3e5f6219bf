//! Workloads that were asked for and will not be run, with the reason and the way to have them.

use crate::request::PlanRequest;
use ioproof_core::facts::{TargetFacts, TargetKind};
use ioproof_core::plan::Plan;
use ioproof_core::record::RunRecord;
use ioproof_core::text::visible;
use ioproof_core::units::binary_size;
use ioproof_core::workload::Workload;

/// The reason against workloads on a file whose space was set aside.
pub const NOT_RESERVED: &str = "its filesystem sets no space aside before it is written (fallocate)";

/// The way to workloads that grow files or use several.
pub const OWN_FILES: &str = "give a directory as the target, in which they are made and removed again";

/// True for a workload that grows files or uses several, on a target in which none are made.
pub fn lacks_own_files(workload: &Workload, facts: &TargetFacts) -> bool {
    facts.kind != TargetKind::Scratch && workload.shape.needs_own_files()
}

/// The directions that generator devices take.
pub const GENERATORS: &str = "/dev/zero is read, /dev/null is written (--rw randread, --rw randwrite)";

pub fn to_write(facts: &TargetFacts) -> String {
    let given = visible(&facts.given);
    match facts.kind {
        TargetKind::File => format!("--overwrite {given} consents; what the file holds is lost"),
        TargetKind::Generator => GENERATORS.to_owned(),
        _ => format!(
            "--destroy SERIAL consents, with its serial number as in `ioproof list {given}` (of a loop device its kernel name); all data on it is lost"
        ),
    }
}

pub fn load_notes(request: &PlanRequest, plan: &Plan, facts: &TargetFacts, reserves: bool) -> Vec<String> {
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
fn left_out<'a>(request: &'a PlanRequest, plan: &'a Plan) -> impl Iterator<Item = &'a Workload> {
    request.load.workloads.iter().filter(|w| !plan.all().any(|p| p.workload == **w))
}

/// The number of workloads that will not be run, and the way to have them; none where all will be.
pub fn less_than_asked(request: &PlanRequest, record: &RunRecord) -> Option<(String, String)> {
    let (plan, facts) = (record.plan.as_ref()?, &record.targets.first()?.facts);
    let all: Vec<&Workload> = left_out(request, plan).collect();
    let first = all.first()?;
    let (count, asked) = (all.len(), request.load.workloads.len());
    let text = format!("{count} of {asked} workloads that were asked for will not be run, {} among them", first.title());
    let hint = if request.kind.standard().is_some() {
        format!("the target takes direct I/O in multiples of {} bytes only; the report says what is missing", facts.alignment_bytes)
    } else if all.iter().all(|workload| lacks_own_files(workload, facts)) {
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

/// The way to room for these workloads, and how much of it all of them need.
pub fn too_small_for<'a>(workloads: impl IntoIterator<Item = &'a Workload>) -> String {
    let least = workloads.into_iter().max_by_key(|workload| workload.least_span_bytes());
    let several = least.is_some_and(|workload| workload.shape.more_files > 0);
    let of_least = least.map(|workload| format!(" (at least {})", binary_size(workload.least_span_bytes()))).unwrap_or_default();
    let (each, fewer) = if several { (" in each of its files", ", fewer files (--files)") } else { ("", "") };
    format!("the largest block must fit once for every worker{each}: a larger --size or file{of_least}{fewer}, or smaller blocks (--bs)")
}
