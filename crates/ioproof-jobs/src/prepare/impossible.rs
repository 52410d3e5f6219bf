//! Clones that cannot run on their files, as one whose blocks are larger than its part: the others run all the same, as in fio, and this one fails.

use crate::request::FioRequest;
use crate::subjob::{LaidOut, Subjob};
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_fio::compile::compile;
use ioproof_fio::complaint::shortened;
use ioproof_fio::jobs::FioJob;
use ioproof_fio::region::Existing;
use ioproof_fio::schedule::Instance;
use ioproof_fio::settings::{JobSettings, Region};
use ioproof_fio::values::Amount;
use ioproof_process::complaint::complaint;

const ROOM_BYTES: u64 = 1 << 30;

/// The way to find out more.
const HINT: &str = "`ioproof run --showcmd` shows each job as it was read";

/// A clone in its place of the schedule that touches no file and fails for this reason.
pub(crate) fn subjob(job: &FioJob, instance: &Instance, seed: u64, reason: String) -> Result<Subjob> {
    let files = ioproof_fio::settings::FileSettings { size_bytes: None, append: false, ..job.settings.files.clone() };
    let region = Region { size: Some(Amount::Bytes(ROOM_BYTES)), ..Region::default() };
    let settings = JobSettings { region, files, ..job.settings.clone() };
    let endless = Existing { is_endless: true, ..Existing::default() };
    let compiled = compile(&settings, instance.clone, instance.number, &[endless], seed).map_err(|_| refusal(job, &reason))?;
    let instance = Instance { files: Vec::new(), ..instance.clone() };
    Ok(Subjob {
        job: instance.job,
        instance,
        compiled,
        files: Vec::new(),
        laid_out: LaidOut::default(),
        buffers: None,
        by_name: None,
        impossible: Some(reason),
    })
}

/// Refuses to run where nothing is left to run.
pub(crate) fn check(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    let Some(first) = clones.first().filter(|_| clones.iter().all(|clone| clone.impossible.is_some())) else { return Ok(()) };
    Err(refusal(request.job(first), first.impossible.as_deref().unwrap_or_default()))
}

fn refusal(job: &FioJob, reason: &str) -> anyhow::Error {
    complaint(format!("{}: job {}: {}", job.place, visible(&shortened(&job.name)), visible(reason)), HINT)
}
