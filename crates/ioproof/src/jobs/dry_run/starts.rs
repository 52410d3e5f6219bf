//! Whether each clone could start on its files, as far as that can be told without opening them and without I/O.

use crate::jobs::ask::Asked;
use crate::jobs::clone::Clone;
use crate::jobs::one::{self, Failure, verify};
use crate::jobs::prepare;
use crate::stages::bench::clock_choice;
use ioproof_core::facts::{TargetFacts, TargetKind};
use ioproof_fio::results::JobFailure;
use ioproof_engine::{EngineError, TargetLimits};
use ioproof_target::{System, OpenRequest};
use std::path::Path;

/// What the clones would fail with before their first I/O, or with it for certain.
pub(super) fn failures(system: &System, asked: &Asked, clones: &[Clone]) -> Vec<JobFailure> {
    let of = |clone: &Clone| {
        let Failure { text, hint, .. } = failure(system, asked, clone)?;
        Some(JobFailure { job: clone.instance.name.clone(), text, hint })
    };
    clones.iter().filter_map(of).collect()
}

fn failure(system: &System, asked: &Asked, clone: &Clone) -> Option<Failure> {
    let job = asked.job(clone);
    if job.settings.files.create_only {
        return None;
    }
    let wishes = prepare::wishes(job, &clone.instance, &clone.compiled, asked.line.general.readonly);
    let targets: Vec<TargetLimits> = wishes.iter().map(|(path, wish)| limits(system, path, *wish)).collect();
    let spec = &clone.compiled.spec;
    if let Err(why) = one::place::stands(system, spec, &job.settings.host) {
        return Some(why.into());
    }
    let ledger = verify::fits(clone).err();
    let options = one::options(&clone.compiled, clock_choice(system)).map_err(EngineError::from);
    let preview = || options.and_then(|options| ioproof_engine::preview(spec, &targets, &options)).err();
    ledger.or_else(preview).map(Failure::from)
}

/// What is known of a file that is not open; one that is yet to be made takes after its directory. Whether it may be opened is told elsewhere.
fn limits(system: &System, path: &Path, wish: OpenRequest) -> TargetLimits {
    let known = ioproof_target::resolve_any(system, path).or_else(|_| ioproof_target::resolve(system, ioproof_target::folder_of(path)));
    let facts: Option<TargetFacts> = known.ok().map(|target| target.facts);
    let generator = facts.as_ref().is_some_and(|facts| facts.kind == TargetKind::Generator);
    let direct = wish.direct && !generator;
    let has_bytes = facts.as_ref().map_or(0, |facts| facts.size_bytes);
    TargetLimits {
        may_read: true,
        may_write: true,
        direct,
        alignment_bytes: facts.filter(|_| direct).map_or(1, |facts| facts.alignment_bytes),
        size_bytes: if generator { u64::MAX } else { has_bytes.max(wish.size_bytes) },
    }
}
