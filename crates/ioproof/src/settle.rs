//! Flags become requests here, once: the plan and the consents for a session, and where results go. What a flag left open has its default here.

mod load;
mod targets;

use crate::flags::verify::VerifyFlags;
use crate::reports::{self, Settled};
use anyhow::Result;
use ioproof_core::policy::Policy;
use ioproof_database::postgres::without_password;
use ioproof_session::compared::{Baseline, FailIf};
use ioproof_session::request::{PlanRequest, SessionRequest};
use ioproof_store::run_id;
use ioproof_target::System;

/// Where results go, and how the run is shown.
#[derive(Debug, Clone)]
pub struct RunOutputs {
    /// Reports that are written, and the format on standard output.
    pub reports: Settled,
    pub live: bool,
    /// Only show what would be done.
    pub dry_run: bool,
    /// The run that this one is held against as it ends.
    pub baseline: Option<Baseline>,
    /// The answer at which targets in turns fail.
    pub fail_if: Option<FailIf>,
}

/// Settles the flags of `verify`, which other verbs have too.
///
/// # Errors
/// When they contradict each other, name CPUs that are not there, or a baseline that cannot be read.
pub fn settle(args: VerifyFlags, system: &System) -> Result<(SessionRequest, RunOutputs)> {
    args.load.check()?;
    let (targets, kind) = targets::settle(&args)?;
    let default = Policy::default();
    let policy = Policy {
        threshold_block: args.threshold.unwrap_or(default.threshold_block),
        threshold_filesystem: args.threshold_filesystem.unwrap_or(default.threshold_filesystem),
        ..default
    };
    let plan = PlanRequest {
        kind,
        load: load::settle(&args.load, system, args.faults)?,
        size: args.size,
        offset_bytes: args.offset,
        time: args.time,
        runs: args.runs,
        quick: args.quick,
        datasheet: args.datasheet,
        admit: args.admit,
        precondition: args.precondition,
        policy,
        seed: args.seed.unwrap_or_else(|| run_id::seed() >> 11),
        io_timeout_ns: args.io_timeout.as_nanos() as u64,
        command: command(),
    };
    let outputs = RunOutputs {
        reports: reports::settle(&args.outputs)?,
        live: args.live,
        dry_run: args.dry_run,
        baseline: Baseline::find(args.baseline.baseline.as_deref(), args.baseline.fail_if)?,
        fail_if: args.baseline.fail_if,
    };
    Ok((SessionRequest { targets, plan }, outputs))
}

/// The command line as typed, but for a password in the address of a server.
pub fn command() -> Vec<String> {
    std::env::args_os().map(|word| without_password(&word.to_string_lossy())).collect()
}
