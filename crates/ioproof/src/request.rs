//! Requests: flags, settled once. Nothing below a verb knows a command line; what a flag left open has its default here.

mod extent;
mod latency_target;
mod openings;
mod sides;

pub use extent::Extent;
pub use latency_target::LatencyTarget;
pub use openings::Openings;
pub use sides::{Several, Side};

use crate::cli::Verify;
use crate::compared::Baseline;
use crate::load::Load;
use crate::reports::{self, Settled};
use anyhow::Result;
use ioproof_core::faults::Faults;
use ioproof_core::job::{Placement, Recording, Span, Until};
use ioproof_core::policy::Policy;
use ioproof_core::record::RunRecord;
use ioproof_core::syncs::Goal;
use ioproof_core::units::binary_size;
use ioproof_core::workload::Workload;
use ioproof_database::postgres::without_password;
use ioproof_engine::BackendChoice;
use ioproof_pages::health::Admission;
use ioproof_process::memory_room::Needs;
use ioproof_runner::Generate;
use ioproof_store::run_id;
use ioproof_target::System;
use std::path::PathBuf;
use std::time::Duration;

/// A request to measure one target, or several.
#[derive(Debug, Clone)]
pub struct VerifyRequest {
    /// A directory, a file or a device; none: a scratch file in `dir` or here.
    pub target: Option<PathBuf>,
    /// Directory of the scratch file.
    pub dir: Option<PathBuf>,
    /// The targets where there are several; none for a single one.
    pub several: Option<Several>,
    /// Size of the scratch file, or the part of the target that is used.
    pub size: Option<Extent>,
    /// First byte that is used, where it was named.
    pub offset_bytes: Option<u64>,
    /// Time for everything.
    pub time: Option<Duration>,
    /// Runs of each workload.
    pub runs: Option<u32>,
    /// About a minute in all.
    pub quick: bool,
    /// Datasheet by name or file.
    pub datasheet: Option<String>,
    /// The file that may be overwritten.
    pub overwrite: Option<PathBuf>,
    /// Serial number of the device that may be destroyed.
    pub destroy: Option<String>,
    /// Second consent.
    pub destroy_unknown_content: bool,
    /// Further consent: users of the target may be out of sight.
    pub destroy_unseen_users: bool,
    /// State that the drive must be in.
    pub admit: Option<Admission>,
    /// Bring the target to steady state before its writes are measured.
    pub precondition: bool,
    /// Only show.
    pub dry_run: bool,
    /// Thresholds.
    pub policy: Policy,
    /// Seed of offsets, data and the order of rounds. Below 2^53, so that every reader of JSON gives the same number back.
    pub seed: u64,
    /// The run that this one is held against as it ends.
    pub baseline: Option<Baseline>,
    /// Reports that are written, and the format on standard output.
    pub outputs: Settled,
    /// Show a full screen of the run.
    pub live: bool,
    /// An I/O outstanding for longer ends the run as hung. Nanoseconds.
    pub io_timeout_ns: u64,
    /// The load.
    pub load: LoadRequest,
    /// Its workloads are the cells of a sweep.
    pub sweep: Option<Sweeping>,
    /// The command line as typed, for the record.
    pub command: Vec<String>,
}

/// A sweep that was asked for.
#[derive(Debug, Clone)]
pub struct Sweeping {
    /// The verb: `sweep` or `sync`.
    pub verb: &'static str,
    /// All cells are measured, also those that would only queue.
    pub full: bool,
    /// The interrupted run that goes on.
    pub taken_up: Option<Box<RunRecord>>,
    /// Limits that its cells are held against.
    pub goals: Vec<Goal>,
}

/// A load that was asked for.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The workloads that were named; none: the usual ones.
    pub workloads: Vec<Workload>,
    /// The way in which I/O is made, of several backends by the first.
    pub generate: Generate,
    /// The backends, each once.
    pub backends: Vec<BackendChoice>,
    /// Records beyond counts and latency.
    pub recording: Recording,
    /// End of a round other than after its time.
    pub until: Option<Until>,
    /// CPUs that workers take in turn.
    pub cpus: Vec<Vec<u32>>,
    /// Buffers in huge pages.
    pub huge_pages: bool,
    /// Part of its own for each worker. Bytes.
    pub worker_span: Option<u64>,
    /// The most workers of a workload.
    pub most_workers: u32,
    /// Each worker ends a run of writes with an fsync.
    pub end_fsync: bool,
    /// Latency that is to be kept, for which the highest rate is searched for.
    pub latency_target: Option<LatencyTarget>,
    /// Data is written with headers and read back.
    pub check: bool,
}

impl VerifyRequest {
    /// Settles the flags.
    ///
    /// # Errors
    /// When they contradict each other, name CPUs that are not there, or a baseline that cannot be read.
    pub fn settle(args: Verify, system: &System) -> Result<Self> {
        args.load.check()?;
        let several = Several::settle(&args)?;
        let (destroy, overwrite) = match several {
            Some(_) => (None, None),
            None => (sides::only("--destroy", args.destroy)?, sides::only("--overwrite", args.overwrite)?),
        };
        let default = Policy::default();
        let policy = Policy {
            threshold_block: args.threshold.unwrap_or(default.threshold_block),
            threshold_filesystem: args.threshold_filesystem.unwrap_or(default.threshold_filesystem),
            ..default
        };
        Ok(Self {
            load: LoadRequest::settle(&args.load, system, args.faults)?,
            target: args.target,
            dir: args.dir,
            size: args.size,
            offset_bytes: args.offset,
            time: args.time,
            runs: args.runs,
            quick: args.quick,
            datasheet: args.datasheet,
            several,
            overwrite,
            destroy,
            destroy_unknown_content: args.destroy_unknown_content,
            destroy_unseen_users: args.destroy_unseen_users,
            admit: args.admit,
            precondition: args.precondition,
            dry_run: args.dry_run,
            policy,
            seed: args.seed.unwrap_or_else(|| run_id::seed() >> 11),
            baseline: Baseline::find(args.baseline.baseline.as_deref(), args.baseline.fail_if)?,
            outputs: reports::settle(&args.outputs)?,
            live: args.live,
            io_timeout_ns: args.io_timeout.as_nanos() as u64,
            sweep: None,
            command: command(),
        })
    }
}

impl VerifyRequest {
    /// True where its workloads are cells of a matrix.
    pub fn is_matrix(&self) -> bool {
        self.sweep.as_ref().is_some_and(|sweep| sweep.verb == ioproof_core::sweep::VERB)
    }
}

/// The command line as typed, but for a password in the address of a server.
pub fn command() -> Vec<String> {
    std::env::args_os().map(|word| without_password(&word.to_string_lossy())).collect()
}

impl LoadRequest {
    /// Settles the flags of a load.
    ///
    /// # Errors
    /// When the CPUs asked for are not there.
    pub fn settle(load: &Load, system: &System, faults: Option<Faults>) -> Result<Self> {
        let backends = load.backends();
        let first = backends.first().copied().unwrap_or(BackendChoice::AUTO);
        Ok(Self {
            workloads: load.workloads(),
            generate: Generate { polled: load.polled, kernel_submits: load.kernel_submits, faults, ..Generate::by(first) },
            backends,
            recording: load.recording(),
            until: load.until(),
            cpus: load.cpus(system)?,
            huge_pages: load.huge_pages,
            worker_span: load.worker_span,
            most_workers: load.most_workers(),
            end_fsync: load.end_fsync,
            latency_target: load.latency_target,
            check: load.check,
        })
    }

    /// The way in which I/O of a workload is made: by a backend of its own where there are several.
    pub fn generate_for(&self, workload: &Workload) -> Generate {
        let own = workload.backend.as_ref().and_then(|name| name.parse().ok());
        Generate { backend: own.unwrap_or(self.generate.backend), ..self.generate }
    }

    /// Memory and threads of a workload on so much of its targets.
    pub fn needs(&self, workload: &Workload, span_bytes: u64) -> Needs {
        Needs::of(workload, self.generate_for(workload).backend, span_bytes)
    }

    /// True where no I/O is done at all.
    pub fn is_null(&self) -> bool {
        !self.generate.backend.moves_data()
    }

    /// The part of the span that is used: all, or what the workers' own parts take together.
    ///
    /// # Errors
    /// When the parts do not fit.
    pub fn used_span(&self, whole: Span) -> Result<Span> {
        let Some(each) = self.worker_span else { return Ok(whole) };
        let needed = each.saturating_mul(self.most_workers.into());
        if needed > whole.length_bytes {
            let (each, whole) = (binary_size(each), binary_size(whole.length_bytes));
            let text = format!("{} parts of {each} do not fit into {whole}", self.most_workers);
            return Err(ioproof_process::complaint::complaint(text, "make --worker-span smaller, or --size larger, or take fewer workers"));
        }
        Ok(Span { length_bytes: needed, ..whole })
    }

    /// Places of the workers of a workload: their CPUs, and their parts of the span.
    pub fn placement(&self, span: Span, workers: u32) -> Placement {
        let part = |each: u64| move |n: u32| Span { offset_bytes: span.offset_bytes + u64::from(n) * each, length_bytes: each };
        Placement {
            cpus: self.cpus.clone(),
            huge_pages: self.huge_pages,
            spans: self.worker_span.map(|each| (0..workers).map(part(each)).collect()).unwrap_or_default(),
            ..Placement::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing::load as settled;

    #[test]
    fn workers_have_parts_of_their_own() {
        let whole = Span { offset_bytes: 4096, length_bytes: 1 << 20 };
        let load = settled("--rw read --worker-span 64KiB --workers 2,4");
        assert_eq!(load.used_span(whole).unwrap(), Span { offset_bytes: 4096, length_bytes: 256 << 10 });
        let spans = load.placement(whole, 2).spans;
        assert_eq!(spans.iter().map(|span| span.offset_bytes).collect::<Vec<_>>(), [4096, 4096 + (64 << 10)]);
        assert!(settled("--rw read --worker-span 1MiB").used_span(whole).is_err());
        assert!(settled("--rw read").placement(whole, 4).spans.is_empty());
    }
}
