//! The verb `sync`: what durable writes cost. What differs in its front are the loads of its presets.

pub mod presets;
mod show_loss;

use super::verify::measure;
use crate::flags::load::LoadFlags;
use crate::flags::verify::VerifyFlags;
use crate::settle::{self, RunOutputs};
use anyhow::Result;
use clap::Args;
use ioproof_core::workload::Workload;
use ioproof_engine::BackendChoice;
use ioproof_process::complaint::complaint;
use ioproof_process::messages;
use ioproof_session::request::{RunKind, SessionRequest};
use ioproof_target::System;
use presets::SyncPreset;
use std::path::Path;

pub const EXAMPLES: &str = "Examples:
  ioproof sync /mnt/data                  every way of making a write durable, on scratch files, in a minute
  ioproof sync /mnt/data --as etcd        whether the disk is fast enough for etcd: p99 of fdatasync at most 10 ms
  ioproof sync /dev/nvme0n1 --as ceph-journal --destroy S4YPNE0N800120
                                          the journal of Ceph on a whole drive: ALL DATA ON THE DRIVE IS LOST
  ioproof sync /mnt/data --as postgres-wal -o wal.html
  ioproof sync /mnt/data --sync fdatasync,dsync --bs 4KiB,16KiB --workers 1,8
                                          the ways, sizes and writers of your own; what is left out is the preset's
                                          (its loads that vary what you typed are not run)
  ioproof sync --show-loss /mnt/data      what is gone after a power cut, and what fsync kept; --after says it
  ioproof compare RUN RUN                 two drives by this one command on each

A commit is one write, or one group of writes, that is durable. Flags are those of verify.
Exit status: 1 a limit of the preset is missed; 3 it cannot be told; else as verify.";

/// Flags of `sync`.
#[derive(Debug, Args)]
pub struct SyncFlags {
    /// The durable writes of this program  [default: ways]
    #[arg(long = "as", value_name = "PRESET", value_parser = presets::names())]
    pub preset: Option<presets::SyncPreset>,
    /// Measure nothing: show what a power cut takes of writes without fsync, with files in a folder of its own in a directory
    #[arg(long)]
    pub show_loss: bool,
    /// With --show-loss, after the cut: say what is there
    #[arg(long, requires = "show_loss")]
    pub after: bool,
    /// Flags of `verify`.
    #[command(flatten)]
    pub verify: VerifyFlags,
}

/// Runs `sync` and gives the exit status.
pub fn run(args: SyncFlags) -> Result<u8> {
    let system = System::host();
    if args.show_loss {
        return show_loss::run(&args, &system);
    }
    let (request, outputs) = settle(args, &system)?;
    measure(&system, &request, &outputs)
}

fn settle(args: SyncFlags, system: &System) -> Result<(SessionRequest, RunOutputs)> {
    let mut verify = args.verify;
    if verify.load.check || verify.load.latency_target.is_some() {
        return Err(complaint("sync checks no data and searches for no rate", "`ioproof verify` does (--check, --latency-target)"));
    }
    if !verify.interleave.is_empty() || !verify.more.is_empty() {
        return Err(complaint("sync has one target", "measure each, and hold them against each other: ioproof compare RUN RUN"));
    }
    if verify.load.backends().len() > 1 {
        return Err(complaint("sync has one backend", "measure with each, and hold them against each other: ioproof compare RUN RUN"));
    }
    let (is_named, preset) = (args.preset.is_some(), args.preset.unwrap_or(presets::USUAL));
    let (workloads, left_out) = workloads(&verify.load, preset)?;
    if is_named {
        say_left_out(preset, &left_out);
    }
    // Databases write and sync by calls that wait; asynchronous ones would measure how the kernel hands syncs on.
    if verify.load.backend == [BackendChoice::AUTO] && !takes_commands_only(system, verify.target.as_deref()) {
        verify.load.backend = vec![BackendChoice::PSYNC];
    }
    // The flags are checked with what is measured in the end.
    presets::fill(&mut verify.load, preset.loads[0]);
    let (mut request, outputs) = settle::settle(verify, system)?;
    request.plan.load.most_workers = workloads.iter().map(|workload| workload.workers).max().unwrap_or(1);
    request.plan.load.workloads = workloads;
    let goals = preset.goals(&request.plan.load.workloads);
    if request.plan.load.is_null() && !goals.is_empty() {
        let text = format!("--backend null does no I/O: there is nothing to hold against the limit of {}", preset.name);
        return Err(complaint(text, "leave out --as or --backend null"));
    }
    if let Some(limit) = preset.limit.filter(|_| goals.is_empty()) {
        let name = preset.name;
        messages::warning(&format!("the limit of {name} is not judged: with what was typed none of these loads is that of {name}"));
        messages::hint(&format!("leave out what differs from it: {} ({})", preset.loads[0], limit.source));
    }
    request.plan.kind = RunKind::Sync(goals);
    Ok((request, outputs))
}

/// True for the character device of an NVMe namespace.
fn takes_commands_only(system: &System, target: Option<&Path>) -> bool {
    target.is_some_and(|path| ioproof_target::resolve(system, path).is_ok_and(|target| target.is_character_device()))
}

/// The workloads of all loads of a preset, each once, with what was typed in the place of what they say; and the loads that are left out, because what was typed
/// is what they vary.
fn workloads(typed: &LoadFlags, preset: SyncPreset) -> Result<(Vec<Workload>, Vec<&'static str>)> {
    let mut all: Vec<Workload> = Vec::new();
    let mut left_out = Vec::new();
    for (at, flags) in preset.loads.iter().enumerate() {
        let mut load = typed.clone();
        presets::fill(&mut load, flags);
        let is_first = at == 0;
        if !is_first && (presets::varies_what_was_typed(typed, preset.loads[0], flags) || load.check().is_err()) {
            left_out.push(*flags);
            continue;
        }
        load.check()?;
        for workload in load.workloads() {
            if !all.contains(&workload) {
                all.push(workload);
            }
        }
    }
    Ok((all, left_out))
}

/// Names the loads that are not run of a preset that was asked for by name, so that a way that is missing is no surprise.
fn say_left_out(preset: SyncPreset, left_out: &[&str]) {
    if !left_out.is_empty() {
        let text = format!("of `{}` left out, since they vary what was typed: {}", preset.name, left_out.join("; "));
        messages::note(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::load;

    /// Ids of the workloads of these flags, and the number of loads that are left out.
    fn ids(flags: &str, preset: SyncPreset) -> (Vec<String>, usize) {
        let (all, left_out) = workloads(&load::parsed(flags).unwrap(), preset).unwrap();
        (all.iter().map(Workload::id).collect(), left_out.len())
    }

    #[test]
    fn what_was_typed_goes_before_a_preset_and_every_way_comes_once() {
        let (usual, left_out) = workloads(&load::parsed("").unwrap(), presets::USUAL).unwrap();
        assert!(usual.len() == 17 && left_out.is_empty() && usual.iter().all(|workload| workload.depth == 1));
        let (typed, _) = ids("--sync fdatasync,dsync --bs 8KiB --workers 1 --write-to existing", presets::USUAL);
        assert_eq!(typed, ["seq-write-fdatasync-8k-1x1", "seq-write-dsync-8k-1x1"]);
    }

    #[test]
    fn loads_that_vary_something_else_than_what_was_typed_stay() {
        let (of_one, left_out) = ids("--workers 1", presets::USUAL);
        assert_eq!((of_one.len(), left_out), (15, 1), "several writers alone are left out: {of_one:?}");
        for flags in ["--bs 8KiB", "--bs 4KiB", "--workers 1"] {
            let (wal, left_out) = ids(flags, presets::named("postgres-wal"));
            assert!(wal.len() == 6 && left_out == 0 && wal.iter().any(|id| id.contains("dsync")), "{flags}: {wal:?}");
        }
        assert_eq!(ids("--sync fdatasync", presets::USUAL).0.len(), 1, "the ways are what the others vary");
    }

    #[test]
    fn a_limit_is_judged_of_its_own_load_alone() {
        let etcd = presets::named("etcd");
        let judged = |flags| etcd.goals(&workloads(&load::parsed(flags).unwrap(), etcd).unwrap().0).len();
        assert_eq!((judged(""), judged("--sync fdatasync,fsync"), judged("--workers 4,1")), (1, 1, 1));
        assert_eq!((judged("--sync fsync"), judged("--bs 4KiB"), judged("--workers 4")), (0, 0, 0));
    }
}
