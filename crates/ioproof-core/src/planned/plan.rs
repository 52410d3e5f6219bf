//! From claims and consent to what will be run: which workloads, in which phase, for how long, and how much that writes.
//!
//! Pure: the caller brings the facts, and a stored plan can be looked at without a drive. `schedule` orders the rounds of a plan, `lengths`
//! says how long each is.

mod goal;
mod lengths;
mod schedule;
mod select;

pub use goal::Goal;
pub use lengths::Rounds;
pub use schedule::Scheduler;
pub use select::{BASE_WORKLOADS, workload_of};

use crate::claim::Datasheet;
use crate::job::Span;
use crate::policy::Policy;
use crate::standard::Standard;
use crate::stats::Estimate;
use crate::workload::{Pattern, Workload};
use serde::{Deserialize, Serialize};

/// Knowledge and wishes of the caller.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub datasheet: Option<&'a Datasheet>,
    /// Workloads that are run instead of the usual ones, where the user names any.
    pub only: &'a [Workload],
    /// Nominal capacity of the matched variant; selects among claims for several capacities.
    pub capacity_bytes: Option<u64>,
    /// Bytes of the drive that holds the span, where one is known.
    pub drive_bytes: Option<u64>,
    pub may_write: bool,
    /// True where the target can be read (`/dev/null` cannot).
    pub may_read: bool,
    /// The part of the target to use.
    pub span: Span,
    /// Smallest unit of I/O. Bytes.
    pub alignment_bytes: u32,
    /// True where workloads stay in the order in which they were named.
    pub in_order: bool,
    /// True where files are made for the run, of which there may be several and which may grow.
    pub own_files: bool,
    /// True where ioproof writes the span in full before it reads.
    pub fill: bool,
    /// True where what a workload wrote is read back before another writes.
    pub check: bool,
    /// Time for everything. Nanoseconds.
    pub time_ns: u64,
    /// True where the time ends the run; otherwise only the runs asked for do.
    pub time_limited: bool,
    /// True where rounds of larger blocks are longer.
    pub by_size: bool,
    /// Runs of each workload, where set by the user.
    pub runs: Option<u32>,
    pub policy: &'a Policy,
}

/// A workload and the claims that it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Planned {
    /// The conditions.
    pub workload: Workload,
    /// Indices into the datasheet's claims.
    pub claims: Vec<usize>,
}

/// A claim that this run does not measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skipped {
    /// Index into the datasheet's claims.
    pub claim: usize,
    /// The reason.
    pub reason: SkipReason,
}

/// Reason for which a claim is not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The figure is for drives of another capacity.
    OtherCapacity,
    /// It needs writing, and there is no consent.
    NeedsWriting,
    /// It needs reading, and the target cannot be read.
    NeedsReading,
    /// It grows files or needs several, and the target is not ours to make them.
    OwnFiles,
    /// Its block size is no multiple of the device's.
    BlockSize,
    /// The target is too small for it.
    TooSmall,
    /// The user asked for other workloads.
    NotAsked,
}

impl SkipReason {
    pub fn title(self) -> &'static str {
        match self {
            Self::OtherCapacity => "for another capacity",
            Self::NeedsWriting => "needs writing, which needs consent: --destroy SERIAL or --overwrite FILE",
            Self::NeedsReading => "needs reading, which the target cannot",
            Self::OwnFiles => "needs files of its own: give a directory",
            Self::BlockSize => "its block size is no multiple of the device's block",
            Self::TooSmall => "the target is too small for it",
            Self::NotAsked => "not asked for",
        }
    }
}

/// Workloads that will be run, and the time for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// Workloads that only read; their rounds are interleaved in random order.
    pub reads: Vec<Planned>,
    /// Workloads that write, each run in blocks, in this order.
    pub writes: Vec<Planned>,
    /// True where the fewest runs are made in two halves, one early and one late, so that an interval speaks for the whole run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub halves: bool,
    /// Claims that are not measured.
    pub skipped: Vec<Skipped>,
    /// The part of the target that is used.
    pub span: Span,
    /// Limits that its workloads are held against, beside claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Goal>,
    /// True where the span is written in full first.
    pub fill: bool,
    /// True where the user named the workloads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// True where rounds of larger blocks are longer; the lengths that follow are then those of a round on average.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_size: bool,
    /// Length of a round's ramp, whose results are dropped. Nanoseconds.
    pub ramp_ns: u64,
    /// Length of a round's measurement. Nanoseconds.
    pub measure_ns: u64,
    /// Time for everything. Nanoseconds.
    pub time_ns: u64,
    /// True where the time ends the run.
    pub time_limited: bool,
    /// Fewest runs of each workload, if time allows.
    pub min_runs: u32,
    /// Most runs of each workload.
    pub max_runs: u32,
    /// Half width over median at which a workload has been run often enough.
    pub precision: f64,
    /// Confidence of the interval.
    pub confidence: f64,
    /// The tests of a standard whose cells these workloads are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<Standard>,
}

/// Shortest run that is worth two halves. Nanoseconds.
const HALVES_NS: u64 = 120_000_000_000;
/// Share of the capacity up to which random writes leave the drive as it was for the sequential ones that follow.
const SMALL_SHARE: u64 = 10;
/// Runs after which a workload ends even where its interval stays wide.
const MOST_RUNS: u32 = 30;
/// Shortest and longest measurement of one round.
const MEASURE_NS: (u64, u64) = (200_000_000, 60_000_000_000);

/// Longest round where runs are counted and no time is given: that of the ten usual workloads in the usual ten minutes.
const COUNTED_ROUND_NS: u64 = 10_000_000_000;

impl Plan {
    pub fn make(request: &Request) -> Self {
        let (mut planned, skipped) = select::select(request);
        let writes = planned.split_off(planned.iter().position(|p| p.workload.writes()).unwrap_or(planned.len()));
        let (min_runs, max_runs) = match request.runs {
            Some(runs) => (runs, runs),
            None => (request.policy.min_runs, MOST_RUNS),
        };
        let runs = if request.time_limited { min_runs } else { request.policy.min_runs };
        let round_ns = round_ns(request, planned.len() + writes.len(), runs);
        let halves = has_halves(request, &writes);
        Self {
            reads: planned,
            writes,
            halves,
            skipped,
            span: request.span,
            goals: Vec::new(),
            fill: request.fill,
            asked: !request.only.is_empty(),
            by_size: request.by_size,
            ramp_ns: round_ns / lengths::RAMP,
            measure_ns: round_ns - round_ns / lengths::RAMP,
            time_ns: request.time_ns,
            time_limited: request.time_limited,
            min_runs,
            max_runs,
            precision: request.policy.precision,
            confidence: request.policy.confidence,
            standard: None,
        }
    }

    /// All workloads in the order of the plan.
    pub fn all(&self) -> impl Iterator<Item = &Planned> {
        self.reads.iter().chain(&self.writes)
    }

    /// True where the values of its runs tell a workload's figure as precisely as the plan asks for.
    pub fn is_precise(&self, values: &[f64]) -> bool {
        Estimate::of(values, self.confidence).is_some_and(|e| e.is_interval() && e.relative_half_width() <= self.precision)
    }

    /// Length of one round with its ramp. Nanoseconds.
    pub fn round_ns(&self) -> u64 {
        // A stored plan may claim any length.
        self.ramp_ns.saturating_add(self.measure_ns)
    }

    /// Bytes that the plan writes at most, when every write workload runs its share of the time at `bytes_per_s`, and the fill.
    pub fn bytes_to_write(&self, bytes_per_s: f64) -> u64 {
        let fill = if self.fill { self.span.length_bytes } else { 0 };
        let rounds = self.rounds();
        let round_s = |workload: &Workload| rounds.round_ns_of(workload) as f64 / 1e9;
        let of_run = |workload: &Workload| f64::from(workload.write_percent()) / 100.0 * bytes_per_s * round_s(workload);
        let bytes_per_run: f64 = self.writes.iter().map(|p| of_run(&p.workload)).sum();
        fill + (bytes_per_run * f64::from(self.min_runs)) as u64
    }
}

/// True where time allows two halves and the second finds the drive as the first did: sequential writes are measured on a drive that was written in order,
/// so on much of a drive they are not run again after random ones.
fn has_halves(request: &Request, writes: &[Planned]) -> bool {
    let is_random = |planned: &Planned| planned.workload.pattern == Pattern::Random;
    let mixes = writes.iter().any(is_random) && !writes.iter().all(is_random);
    let is_small = request.drive_bytes.is_some_and(|bytes| request.span.length_bytes.saturating_mul(SMALL_SHARE) <= bytes);
    request.time_limited && request.time_ns >= HALVES_NS && !request.check && (!mixes || is_small)
}

/// Length of one round with its ramp, so that every workload gets its fewest runs in the time and a tenth of it is left over.
fn round_ns(request: &Request, workloads: usize, runs: u32) -> u64 {
    // A fill is guessed at a quarter of the time; the schedule goes by the clock, so a wrong guess only changes the number of runs.
    let usable = request.time_ns as f64 * if request.fill { 0.65 } else { 0.9 };
    let rounds = (workloads.max(1) as u64 * u64::from(runs.max(1))) as f64;
    let most_ns = if request.time_limited { MEASURE_NS.1 * 5 / 4 } else { COUNTED_ROUND_NS };
    ((usable / rounds) as u64).clamp(MEASURE_NS.0 * 5 / 4, most_ns)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::LazyLock;

    /// All usual workloads on own files of a GiB, in a minute.
    pub(crate) fn request() -> Request<'static> {
        static POLICY: LazyLock<Policy> = LazyLock::new(Policy::default);
        Request {
            datasheet: None,
            only: &[],
            capacity_bytes: None,
            drive_bytes: None,
            may_write: true,
            may_read: true,
            span: Span { offset_bytes: 0, length_bytes: 1 << 30 },
            alignment_bytes: 512,
            in_order: false,
            own_files: true,
            fill: true,
            check: false,
            time_ns: 60_000_000_000,
            time_limited: true,
            by_size: false,
            runs: None,
            policy: &POLICY,
        }
    }

    #[test]
    fn reads_come_first_and_sequential_writes_before_random_ones() {
        let plan = Plan::make(&request());
        assert!(plan.reads.iter().all(|p| !p.workload.writes()));
        assert!(plan.writes.iter().all(|p| p.workload.writes()));
        let ids: Vec<_> = plan.all().map(|p| p.workload.id()).collect();
        assert_eq!(
            ids,
            [
                "seq-read-128k-4x32",
                "rand-read-4k-4x32",
                "rand-read-8k-4x32",
                "rand-read-4k-1x1",
                "seq-write-128k-4x32",
                "rand-write-4k-1x1",
                "rand-write-fdatasync-4k-1x1",
                "rand-write-8k-4x32",
                "rand-mix70-4k-4x32",
                "rand-write-4k-4x32",
            ]
        );
    }

    #[test]
    fn a_long_run_has_halves_unless_they_would_find_another_drive() {
        let short = request();
        let long = Request { time_ns: 600_000_000_000, drive_bytes: Some(2_000_000_000_000), ..short.clone() };
        let has = |request: &Request| Plan::make(request).halves;
        assert!(has(&long) && !has(&short) && !has(&Request { check: true, ..long.clone() }));
        let much = Request { span: Span { offset_bytes: 0, length_bytes: 1_000_000_000_000 }, ..long };
        assert!(!has(&much), "random writes leave it in pieces for sequential ones");
        assert!(
            has(&Request { may_write: false, ..much.clone() })
                && has(&Request { only: &[Workload::plain(Pattern::Random, 0, 4096, 1, 4)], ..much })
        );
    }

    #[test]
    fn without_consent_nothing_is_written() {
        let plan = Plan::make(&Request { may_write: false, fill: false, ..request() });
        assert!(plan.writes.is_empty() && !plan.reads.is_empty());
        assert_eq!(plan.bytes_to_write(1e9), 0);
    }

    #[test]
    fn what_is_asked_for_is_all_that_is_run() {
        let only = [Workload { depth: 3, ..BASE_WORKLOADS[1].clone() }, BASE_WORKLOADS[4].clone()];
        let plan = Plan::make(&Request { only: &only, ..request() });
        let ids: Vec<_> = plan.all().map(|p| p.workload.id()).collect();
        assert_eq!(ids, ["rand-read-4k-4x3", "seq-write-128k-4x32"]);
    }

    #[test]
    fn a_minute_has_room_for_six_runs_of_everything() {
        let plan = Plan::make(&request());
        let rounds = plan.all().count() as u64 * 6;
        assert!(rounds * (plan.ramp_ns + plan.measure_ns) < 45_000_000_000);
        assert!(plan.measure_ns >= 400_000_000);
    }

    #[test]
    fn runs_that_are_counted_without_a_time_are_no_longer_than_those_of_the_usual_workloads() {
        let one = [Workload::plain(Pattern::Random, 100, 4096, 1, 1)];
        let long = Request { only: &one, time_ns: 600_000_000_000, runs: Some(2), ..request() };
        assert_eq!(Plan::make(&Request { time_limited: false, ..long }).round_ns(), 10_000_000_000);
        assert_eq!(Plan::make(&Request { time_limited: true, ..long }).round_ns(), 75_000_000_000);
    }
}
