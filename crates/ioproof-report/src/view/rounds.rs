//! Rounds: the figures of each, and their groups by purpose.

use super::{Conditions, View, counted};
use ioproof_core::record::{Part, Purpose, RunRecord};
use ioproof_core::text::visible;
use ioproof_core::units;
use std::ops::Deref;
use std::time::Duration;

/// One job's part of one stage.
pub(crate) struct RoundView<'a> {
    /// Position among all rounds of the run, from 0.
    pub number: usize,
    pub part: Part<'a>,
    pub conditions: Conditions,
    /// I/Os that were timed: with those that outlived the measurement, and without writes whose sync did.
    pub latency_samples: u64,
    pub latency_mean_ns: Option<f64>,
    pub latency_p99_ns: Option<f64>,
    pub latency_max_ns: Option<f64>,
    /// I/Os outstanding on average; `None` where nothing was timed.
    pub depth_mean: Option<f64>,
}

impl<'a> Deref for RoundView<'a> {
    type Target = Part<'a>;

    fn deref(&self) -> &Part<'a> {
        &self.part
    }
}

impl<'a> RoundView<'a> {
    pub(crate) fn new(number: usize, part: Part<'a>, record: &RunRecord) -> Self {
        let latency = part.latency();
        let enough = latency.samples_beyond(0.99) >= record.policy.percentile_samples;
        Self {
            number,
            conditions: Conditions::of_job(part.round.job, record).unwrap_or_else(|| Conditions::new(&part.job.workload)),
            latency_samples: latency.count(),
            latency_mean_ns: latency.mean_ns(),
            latency_p99_ns: latency.quantile_ns(0.99).filter(|_| enough).map(|ns| ns as f64),
            latency_max_ns: latency.max_ns().map(|ns| ns as f64),
            depth_mean: (latency.count() > 0).then(|| part.outstanding()).filter(|depth| depth.is_finite()),
            part,
        }
    }

    /// Temperature of the drive at the end; none where there are several, which the stages show.
    pub(crate) fn celsius(&self) -> Option<f64> {
        let [drive] = self.stage.drives.as_slice() else { return None };
        drive.after.temperature_celsius
    }

    /// The workload that ran before it.
    pub(crate) fn previous(&self) -> Option<String> {
        self.stage.state_before.previous_workload.as_deref().map(visible).filter(|previous| !previous.is_empty())
    }

    /// The first error; mostly empty.
    pub(crate) fn error(&self) -> String {
        self.errors.first.as_ref().map(|error| visible(&error.sentence())).unwrap_or_default()
    }

    /// The cell of a column of tables of rounds, by its name in whatever case.
    pub(crate) fn cell(&self, column: &str) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        match column.to_ascii_lowercase().as_str() {
            "round" => self.number.to_string(),
            "workload" => self.conditions.full_title(),
            "queue depth" => self.conditions.depth_formula(),
            "qd" => self.conditions.depth_formula().replace(' ', ""),
            "run" => (u64::from(self.stage.repetition) + 1).to_string(),
            "after" => or_dash(self.previous()),
            "outcome" => self.outcome.title().to_owned(),
            "time" => units::duration(Duration::from_nanos(self.elapsed_ns)),
            "iops" => units::iops(self.iops()),
            "throughput" => units::throughput(self.bytes_per_s()),
            "mean" => or_dash(self.latency_mean_ns.map(units::latency)),
            "p99" => or_dash(self.latency_p99_ns.map(units::latency)),
            "max" => or_dash(self.latency_max_ns.map(units::latency)),
            "depth" => or_dash(self.depth_mean.map(units::three_digits)),
            "errors" => self.errors.total().to_string(),
            _ => or_dash(self.celsius().map(|celsius| format!("{celsius:.0}"))),
        }
    }
}

/// Rounds of one purpose, under its heading.
pub(crate) struct RoundGroup<'a> {
    pub heading: &'static str,
    pub rounds: Vec<&'a RoundView<'a>>,
}

impl RoundGroup<'_> {
    /// `All 60 rounds`, or the heading of those that count for no figure.
    pub(crate) fn title(&self) -> String {
        let n = self.rounds.len() as u64;
        if self.rounds.iter().all(|round| round.stage.purpose == Purpose::Measure) {
            format!("All {}", counted(n, "round"))
        } else {
            format!("{} ({})", self.heading, counted(n, "round"))
        }
    }
}

impl View<'_> {
    /// The rounds by the purpose of their stages, measured ones first; only those count for a figure.
    pub(crate) fn round_groups(&self) -> Vec<RoundGroup<'_>> {
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
            rounds: self.rounds.iter().filter(|round| round.stage.purpose == purpose).collect(),
        };
        purposes.map(group).into_iter().filter(|group| !group.rounds.is_empty()).collect()
    }
}
