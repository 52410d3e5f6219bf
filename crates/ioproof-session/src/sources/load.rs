//! From a workload and the settled request to a task on the run's only target.

use crate::request::{LoadRequest, Openings};
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::plan::Plan;
use ioproof_core::record::{JobRecord, RunRecord};
use ioproof_core::shape::Growth;
use ioproof_core::workload::Workload;
use ioproof_engine::BackendChoice;
use ioproof_runner::{Before, Generate, Task};

/// Failed I/Os of one worker after which a round ends.
const ERROR_LIMIT: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// The ramp, whose results are dropped. Nanoseconds.
    pub ramp_ns: u64,
    /// The measurement. Nanoseconds.
    pub measure_ns: u64,
}

impl Lengths {
    pub fn from_plan(plan: &Plan) -> Self {
        Self { ramp_ns: plan.ramp_ns, measure_ns: plan.measure_ns }
    }

    pub fn of_workload(plan: &Plan, workload: &Workload) -> Self {
        let (ramp_ns, measure_ns) = plan.lengths_of(workload);
        Self { ramp_ns, measure_ns }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Tasks<'a> {
    pub load: &'a LoadRequest,
    /// The part of the target that is used.
    pub span: Span,
    pub seed: u64,
    /// An I/O outstanding for longer ends the run as hung. Nanoseconds.
    pub io_timeout_ns: u64,
    openings: Openings,
}

impl<'a> Tasks<'a> {
    /// Of this load. Its descriptors are told once for all of its workloads, of which there may be thousands.
    pub fn new(load: &'a LoadRequest, span: Span, seed: u64, io_timeout_ns: u64) -> Self {
        Self { load, span, seed, io_timeout_ns, openings: load.openings() }
    }

    /// The same on another part of the target.
    pub fn within(&self, span: Span) -> Self {
        Self { span, ..*self }
    }

    /// The position of the job with this workload on this span, which is added where it is not there.
    pub fn job(&self, record: &mut RunRecord, workload: &Workload) -> u32 {
        let span = self.span_of(workload);
        let known = record.jobs.iter().position(|job| job.workload == *workload && job.span == span);
        let at = known.unwrap_or_else(|| {
            record.jobs.push(self.record_of(workload, Vec::new()));
            record.jobs.len() - 1
        });
        at as u32
    }

    /// A job for the record. Without I/O it has no target.
    pub fn record_of(&self, workload: &Workload, claims: Vec<usize>) -> JobRecord {
        let targets = if self.load.is_null() { Vec::new() } else { vec![0] };
        JobRecord { name: None, targets, workload: workload.clone(), span: self.span_of(workload), claims }
    }

    /// The part of each of its files that a workload uses.
    fn span_of(&self, workload: &Workload) -> Span {
        Span { length_bytes: workload.file_bytes(self.span.length_bytes), ..self.span }
    }

    /// The task of a measured round; `number` sets its seed apart.
    pub fn measured(&self, job: u32, workload: &Workload, number: u32, lengths: Lengths) -> Task {
        let plain = self.plain(job, workload, number, lengths);
        let counted = self.load.until;
        let spec = JobSpec {
            placement: self.load.placement_on(plain.spec.span, workload.workers),
            recording: self.load.recording,
            end_fsync: self.load.end_fsync && workload.writes(),
            // I/Os that are counted out are counted from the first one on.
            ramp_ns: if counted.is_some() { 0 } else { plain.spec.ramp_ns },
            until: counted.unwrap_or(plain.spec.until),
            ..plain.spec
        };
        let growth = workload.shape.growth;
        // A file that grows has no second pass, in which it would not.
        let at_most_bytes = (growth != Growth::Overwrite).then(|| self.span.length_bytes / u64::from(workload.workers.max(1)));
        let spec = JobSpec { at_most_bytes, ..spec };
        let handles = self.openings.positions(workload);
        let (generate, before) = (self.load.generate_for(workload), Before { growth, ..Before::default() });
        Task { spec, handles, generate, before, is_round: true, ..plain }
    }

    /// A task over the whole span with nothing special, for I/O that only prepares or reads back. Its backend is one that moves data: the chosen one, or another where that moves none.
    pub fn plain(&self, job: u32, workload: &Workload, number: u32, lengths: Lengths) -> Task {
        let spec = JobSpec {
            ramp_ns: lengths.ramp_ns,
            seed: self.seed.wrapping_add(u64::from(number) << 16),
            io_timeout_ns: self.io_timeout_ns,
            error_limit: ERROR_LIMIT,
            ..JobSpec::plain(workload.clone(), self.span_of(workload), Until::ElapsedNs(lengths.measure_ns))
        };
        Task::plain(job, workload.title(), spec, vec![0], for_data(self.load.generate_for(workload)))
    }
}

/// The same way where it moves data between drive and memory, else the usual one; without what is under test.
pub fn for_data(generate: Generate) -> Generate {
    let reaches_drive = generate.backend.moves_data() && !generate.backend.is_cached();
    let backend = if reaches_drive { generate.backend } else { BackendChoice::AUTO };
    Generate { backend, polled: false, kernel_submits: false, ..generate }
}
