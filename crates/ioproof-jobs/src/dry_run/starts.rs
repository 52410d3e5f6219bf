//! The start of each clone on its files, as far as it can be told without opening them and without I/O.

use crate::request::FioRequest;
use crate::subjob::Subjob;
use crate::{affinity, prepare, tasks};
use ioproof_core::facts::{TargetFacts, TargetKind};
use ioproof_engine::{EngineError, Options, TargetLimits};
use ioproof_fio::results::JobFailure;
use ioproof_runner::{Failure, Ledgers};
use ioproof_session::clock::clock_choice;
use ioproof_target::{OpenRequest, Space, System, Target};
use std::path::Path;

/// Files by their names, which are one target.
const NAMES: OpenRequest =
    OpenRequest { write: true, only_grows: false, direct: false, size_bytes: 0, space: Space::Sparse, whole: false, make: false };

/// Failures of clones before their first I/O, or with it for certain.
pub(crate) fn failures(system: &System, request: &FioRequest, clones: &[Subjob]) -> Vec<JobFailure> {
    let of = |clone: &Subjob| {
        let Failure { text, hint, .. } = failure(system, request, clone)?;
        Some(JobFailure { job: clone.instance.name.clone(), text, hint })
    };
    clones.iter().filter_map(of).collect()
}

fn failure(system: &System, request: &FioRequest, clone: &Subjob) -> Option<Failure> {
    if let Some(reason) = &clone.impossible {
        return Some(Failure::from((reason.clone(), rustix::io::Errno::INVAL.raw_os_error())));
    }
    let job = request.job(clone);
    if job.settings.files.create_only {
        return None;
    }
    let wishes = prepare::wishes(job, &clone.instance, &clone.compiled, request.line.general.readonly);
    let mut targets: Vec<TargetLimits> = wishes.iter().map(|(path, wish)| limits(system, path, *wish)).collect();
    if clone.compiled.engine.is_by_name() {
        targets = vec![TargetLimits { size_bytes: u64::MAX, ..limits(system, Path::new("."), NAMES) }];
    }
    let spec = &clone.compiled.spec;
    if let Err(refused) = affinity::stands(system, spec, &job.settings.host) {
        return Some(refused.into());
    }
    let generate = match tasks::generate(&clone.compiled) {
        Ok(generate) => generate,
        Err(unknown) => return Some(EngineError::from(unknown).into()),
    };
    let options = Options {
        polled: generate.polled,
        kernel_submits: generate.kernel_submits,
        batching: generate.batching,
        ..Options::new(generate.backend, clock_choice(system))
    };
    let preview = || ioproof_engine::preview(spec, &targets, &options).err().map(Failure::from);
    Ledgers::fit(spec).err().or_else(preview)
}

/// Limits of a file that is not open; one that is yet to be made takes after its directory. Whether it may be opened is told elsewhere.
fn limits(system: &System, path: &Path, wish: OpenRequest) -> TargetLimits {
    let known = ioproof_target::resolve_any(system, path).or_else(|_| ioproof_target::resolve(system, ioproof_target::folder_of(path)));
    let known = known.ok();
    let takes_passthrough = known.as_ref().is_some_and(Target::takes_passthrough);
    let is_character_device = known.as_ref().is_some_and(Target::is_character_device);
    let takes_scsi_commands = known.as_ref().is_some_and(|target| target.takes_scsi_commands(system));
    let is_bound = known.as_ref().is_some_and(|target| target.bound().is_some());
    let facts: Option<TargetFacts> = known.map(|target| target.facts);
    let generator = facts.as_ref().is_some_and(|facts| facts.kind == TargetKind::Generator);
    let direct = wish.direct && !generator;
    let has_bytes = facts.as_ref().map_or(0, |facts| facts.size_bytes);
    TargetLimits {
        may_read: true,
        may_write: true,
        direct,
        alignment_bytes: facts.filter(|_| direct).map_or(1, |facts| facts.alignment_bytes),
        takes_nvme_commands: takes_passthrough || is_bound,
        takes_passthrough,
        takes_scsi_commands,
        is_character_device,
        is_bound,
        size_bytes: if generator { u64::MAX } else { has_bytes.max(wish.size_bytes) },
    }
}
