//! Rounds: the figures of each, and their groups by purpose.

use super::{Conditions, counted};
use ioproof_core::record::{CheckResult, DriveBracket, Part, Purpose, RunRecord, Stage};
use ioproof_core::text::visible;
use ioproof_core::units::three_digits;

/// One job's part of one stage.
pub(crate) struct RoundView {
    /// Position among all rounds of the run, from 0.
    pub number: usize,
    /// Position of its stage.
    pub stage: u32,
    /// Position of its job.
    pub job: u32,
    pub purpose: Purpose,
    pub conditions: Conditions,
    pub repetition: u32,
    pub started_at: String,
    pub outcome: &'static str,
    pub elapsed_ns: u64,
    /// Warm-up at the start of the measurement, as it was detected; `None` where too little was recorded to tell.
    pub warm_up_ns: Option<u64>,
    pub ios: u64,
    pub iops: f64,
    pub bytes_per_s: f64,
    /// I/Os that were timed: with those that outlived the measurement, and without writes whose sync did.
    pub latency_samples: u64,
    pub latency_mean_ns: Option<f64>,
    pub latency_p99_ns: Option<u64>,
    pub latency_max_ns: Option<u64>,
    /// I/Os outstanding on average; `None` where nothing was timed.
    pub depth_mean: Option<f64>,
    pub sync_ios: u64,
    pub trim_ios: u64,
    pub check: Option<CheckResult>,
    pub errors: u64,
    /// Temperature of the drive at the end; none where there are several, which the stages show.
    pub temperature_celsius: Option<f64>,
    pub previous: String,
    pub error: String,
}

impl RoundView {
    pub(crate) fn new(number: usize, part: Part, record: &RunRecord) -> Self {
        let (stage, round) = (part.stage, part.round);
        let latency = round.latency();
        let enough = latency.samples_beyond(0.99) >= record.policy.percentile_samples;
        Self {
            number,
            stage: stage.index,
            job: round.job,
            purpose: stage.purpose,
            conditions: Conditions::of_job(round.job, record).unwrap_or_else(|| Conditions::new(&part.job.workload)),
            repetition: stage.repetition,
            started_at: visible(&stage.started_at),
            outcome: round.outcome.title(),
            elapsed_ns: round.elapsed_ns,
            warm_up_ns: round.warm_up_ns(),
            ios: round.ios(),
            iops: round.iops(),
            bytes_per_s: round.bytes_per_s(),
            latency_samples: latency.count(),
            latency_mean_ns: latency.mean_ns(),
            latency_p99_ns: latency.quantile_ns(0.99).filter(|_| enough),
            latency_max_ns: latency.max_ns(),
            depth_mean: (latency.count() > 0).then(|| round.outstanding()).filter(|depth| depth.is_finite()),
            sync_ios: round.sync.ios,
            trim_ios: round.trim.ios,
            check: round.check.clone(),
            errors: round.errors.total(),
            temperature_celsius: only_drive(stage).and_then(|drive| drive.after.temperature_celsius),
            previous: stage.state_before.previous_workload.as_deref().map(visible).unwrap_or_default(),
            error: round.errors.first.as_ref().map(|error| visible(&error.sentence())).unwrap_or_default(),
        }
    }

    /// The purpose of its stage in a word.
    pub(crate) fn purpose_text(&self) -> &'static str {
        self.purpose.title()
    }

    /// `31.9`: I/Os outstanding on average.
    pub(crate) fn depth_text(&self) -> String {
        self.depth_mean.map_or_else(|| "-".to_owned(), three_digits)
    }
}

fn only_drive(stage: &Stage) -> Option<&DriveBracket> {
    match stage.drives.as_slice() {
        [drive] => Some(drive),
        _ => None,
    }
}

/// Rounds of one purpose, under its heading.
pub(crate) struct RoundGroup<'a> {
    pub heading: &'static str,
    pub rounds: Vec<&'a RoundView>,
}

impl RoundGroup<'_> {
    /// `All 60 rounds`, or the heading of those that count for no figure.
    pub(crate) fn title(&self) -> String {
        let n = self.rounds.len() as u64;
        if self.rounds.iter().all(|round| round.purpose == Purpose::Measure) {
            format!("All {}", counted(n, "round"))
        } else {
            format!("{} ({})", self.heading, counted(n, "round"))
        }
    }
}

/// The rounds by the purpose of their stages, measured ones first; only those count for a figure.
pub(super) fn groups(rounds: &[RoundView]) -> Vec<RoundGroup<'_>> {
    let purposes = [Purpose::Measure, Purpose::Search, Purpose::Precondition, Purpose::ReadBack, Purpose::Tell, Purpose::Together];
    let group = |purpose| RoundGroup {
        heading: match purpose {
            Purpose::Measure => "Rounds",
            Purpose::Search => "Steps of searches, which count for no figure",
            Purpose::Precondition => "Preconditioning, which counts for no figure",
            Purpose::ReadBack => "Reading back, which counts for no figure",
            Purpose::Tell => "Further runs to tell what limits, which count for no figure",
            Purpose::Together => "All targets at once, held against each alone",
        },
        rounds: rounds.iter().filter(|round| round.purpose == purpose).collect(),
    };
    purposes.map(group).into_iter().filter(|group| !group.rounds.is_empty()).collect()
}
