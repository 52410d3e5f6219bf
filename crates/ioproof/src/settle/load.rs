//! From the flags of a load to the load.

use crate::flags::load::LoadFlags;
use anyhow::Result;
use ioproof_core::faults::Faults;
use ioproof_core::job::Placement;
use ioproof_engine::BackendChoice;
use ioproof_runner::Generate;
use ioproof_session::request::LoadRequest;
use ioproof_target::System;

/// Settles the flags of a load.
///
/// # Errors
/// When the CPUs asked for are not there.
pub fn settle(load: &LoadFlags, system: &System, faults: Option<Faults>) -> Result<LoadRequest> {
    let backends = load.backends();
    let first = backends.first().copied().unwrap_or(BackendChoice::AUTO);
    Ok(LoadRequest {
        workloads: load.workloads(),
        generate: Generate { polled: load.polled, kernel_submits: load.kernel_submits, faults, ..Generate::by(first) },
        backends,
        recording: load.recording(),
        until: load.until(),
        placement: Placement { cpus: load.cpus(system)?, huge_pages: load.huge_pages, ..Placement::default() },
        worker_span: load.worker_span,
        most_workers: load.most_workers(),
        end_fsync: load.end_fsync,
        latency_target: load.latency_target,
        check: load.check,
    })
}
