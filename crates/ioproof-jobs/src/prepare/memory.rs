//! Memory of all clones that run side by side, held against what the host has to give, before anything is opened or made.

use crate::request::FioRequest;
use crate::subjob::Subjob;
use crate::tasks;
use anyhow::Result;
use ioproof_core::units::binary_size;
use ioproof_engine::job_memory_bytes;
use ioproof_process::memory_room::{self, MemoryNeeds};
use ioproof_process::messages;
use ioproof_target::System;

/// Warns where a stage takes more than half of the memory that the host has to give.
///
/// # Errors
/// When limits of this process leave too little, or it takes more than all: the kernel would end this or another program rather than refuse.
pub(crate) fn check(system: &System, request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    let possible = |stage: &Vec<usize>| stage.iter().map(|at| &clones[*at]).filter(|clone| clone.impossible.is_none()).collect();
    let stages: Vec<Vec<&Subjob>> = request.schedule.stages.iter().map(possible).collect();
    let needs = |clone: &&Subjob| {
        let spec = &clone.compiled.spec;
        let (workers, span_bytes) = (spec.workload.workers.into(), spec.span.length_bytes.saturating_mul(clone.files.len() as u64));
        let mapped_bytes = tasks::generate(&clone.compiled).map_or(0, |by| MemoryNeeds::mapped_bytes(by.backend, workers, span_bytes));
        MemoryNeeds { workers, bytes: job_memory_bytes(spec), mapped_bytes }
    };
    let stages: Vec<Vec<MemoryNeeds>> = stages.iter().map(|stage| stage.iter().map(needs).collect()).collect();
    memory_room::check_together(system, stages.iter().cloned())?;
    let of_stage = |stage: &Vec<MemoryNeeds>| stage.iter().map(|needs| needs.bytes).fold(0, u64::saturating_add);
    let most_bytes = stages.iter().map(of_stage).max().unwrap_or(0);
    if let Some(there) = memory_room::available_bytes(system).filter(|there| most_bytes > there / 2) {
        let (takes, there) = (binary_size(most_bytes), binary_size(there));
        messages::warning(&format!(
            "the buffers and maps of the jobs that run side by side take {takes}, and {there} of memory are available"
        ));
    }
    Ok(())
}
