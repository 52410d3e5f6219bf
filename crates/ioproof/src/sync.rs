//! The verb `sync`: what durable writes cost. Its ways are cells of a sweep that are all measured, each pass in random order (`sources::sweep`); here is what
//! differs in the front, the loads of its presets, and `show_loss`, which measures nothing.

pub mod presets;
pub mod show_loss;

use crate::cli;
use crate::complaint::complaint;
use crate::load::Load;
use crate::request::{Sweeping, VerifyRequest};
use crate::verify;
use anyhow::Result;
use ioproof_core::syncs;
use ioproof_core::workload::Workload;
use ioproof_engine::BackendChoice;
use ioproof_target::System;
use presets::Preset;

/// Runs `sync` and gives the exit status.
///
/// # Errors
/// When nothing can be measured.
pub fn run(args: cli::Sync) -> Result<u8> {
    let system = System::host();
    if args.show_loss {
        return show_loss::run(&args, &system);
    }
    let request = settle(args, &system)?;
    verify::measure_request(&system, request)
}

fn settle(args: cli::Sync, system: &System) -> Result<VerifyRequest> {
    let mut verify = args.verify;
    if verify.load.check || verify.load.latency_target.is_some() {
        return Err(complaint("sync checks no data and searches for no rate", "`ioproof verify` does (--check, --latency-target)"));
    }
    if !verify.interleave.is_empty() {
        return Err(complaint("sync has one target", "measure each, and hold them against each other: ioproof compare RUN RUN"));
    }
    if verify.load.backends().len() > 1 {
        return Err(complaint("sync has one backend", "measure with each, and hold them against each other: ioproof compare RUN RUN"));
    }
    let preset = args.preset.unwrap_or(presets::USUAL);
    let workloads = workloads(&verify.load, preset)?;
    // Databases write and sync by calls that wait; asynchronous ones would measure how the kernel hands syncs on.
    if verify.load.backend == [BackendChoice::AUTO] {
        verify.load.backend = vec![BackendChoice::PSYNC];
    }
    // The flags are checked with what is measured in the end.
    presets::fill(&mut verify.load, preset.loads[0]);
    let mut request = VerifyRequest::settle(verify, system)?;
    request.load.most_workers = workloads.iter().map(|workload| workload.workers).max().unwrap_or(1);
    request.load.workloads = workloads;
    let goals = preset.goals(&request.load.workloads);
    Ok(VerifyRequest { sweep: Some(Sweeping { verb: syncs::VERB, full: true, taken_up: None, goals }), ..request })
}

/// The workloads of all loads of a preset, each once. Where ways, sizes, writers or files were typed, they are those of its first load with what was typed in
/// their place.
fn workloads(typed: &Load, preset: Preset) -> Result<Vec<Workload>> {
    let mut all: Vec<Workload> = Vec::new();
    let loads = if presets::are_named(typed) { &preset.loads[..1] } else { preset.loads };
    for flags in loads {
        let mut load = typed.clone();
        presets::fill(&mut load, flags);
        load.check()?;
        for workload in load.workloads() {
            if !all.contains(&workload) {
                all.push(workload);
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    #[test]
    fn what_was_typed_goes_before_a_preset_and_every_way_comes_once() {
        let usual = workloads(&load::parsed("").unwrap(), presets::USUAL).unwrap();
        assert!(usual.len() > 12 && usual.iter().all(|workload| workload.depth == 1));
        let typed = load::parsed("--sync fdatasync,dsync --bs 8KiB --workers 1 --write-to existing").unwrap();
        let ids: Vec<String> = workloads(&typed, presets::USUAL).unwrap().iter().map(Workload::id).collect();
        assert_eq!(ids, ["seq-write-fdatasync-8k-1x1", "seq-write-dsync-8k-1x1"]);
    }
}
