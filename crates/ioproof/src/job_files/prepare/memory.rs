//! Memory of all clones that run side by side, held against what the host has to give, before anything is opened or made.

use crate::complaint::complaint;
use crate::job_files::request::FioRequest;
use crate::job_files::subjob::Subjob;
use crate::memory_room;
use crate::messages;
use anyhow::Result;
use ioproof_core::units::binary_size;
use ioproof_engine::job_memory_bytes;
use ioproof_target::System;

/// Warns where a stage takes more than half of the memory that the host has to give.
///
/// # Errors
/// When limits of this process leave too little, or it takes more than all: the kernel would end this or another program rather than refuse.
pub(super) fn check(system: &System, request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    let possible = |stage: &Vec<usize>| stage.iter().map(|at| &clones[*at]).filter(|clone| clone.impossible.is_none()).collect();
    let stages: Vec<Vec<&Subjob>> = request.schedule.stages.iter().map(possible).collect();
    memory_room::check_together(system, stages.iter().map(|stage| stage.iter().map(|clone| &clone.compiled.spec.workload).collect()))?;
    let Some(available_bytes) = memory_room::available_bytes(system) else { return Ok(()) };
    let of_stage = |stage: &Vec<&Subjob>| stage.iter().map(|clone| job_memory_bytes(&clone.compiled.spec)).fold(0, u64::saturating_add);
    let most_bytes = stages.iter().map(of_stage).max().unwrap_or(0);
    let text = || {
        let (takes, there) = (binary_size(most_bytes), binary_size(available_bytes));
        format!("the buffers and maps of the jobs that run side by side take {takes}, and {there} of memory are available")
    };
    if most_bytes > available_bytes {
        return Err(complaint(text(), "fewer clones (numjobs), less depth (iodepth) or smaller blocks (bs)"));
    }
    if most_bytes > available_bytes / 2 {
        messages::warning(&text());
    }
    Ok(())
}
