//! The highest rate at which a drive keeps a promise of latency: which rate to try next, given what the tries so far have shown.
//!
//! The rate grows twofold until one fails; between the highest that held and the lowest that failed it is then bisected, by ratio. Latency is noisy and a
//! single hiccup must not cost half of the answer, so a rate that failed is tried once more before it counts. Of two tries the better counts, so the
//! answer leans upwards by about as much as two tries differ. The rates are of an open loop and the latency is the response time, counted
//! from the arrival: in a closed loop a drive that cannot keep up slows its own load down, and every rate would seem to hold.

mod depth;

pub use depth::{DepthGoal, DepthSearch, Next};

use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// Share of the asked rate that must be delivered, else the drive does not keep up and its queue only grows.
pub const LEAST_DELIVERED: f64 = 0.98;
/// Factor by which the rate grows while none has failed, and shrinks while none has held.
const GROWTH: u64 = 2;

/// Goal of a search, and the limits of its effort.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Goal {
    /// Limit that the quantile must not exceed. Nanoseconds of response time.
    pub target_ns: u64,
    /// The quantile, 0 to 1; the caller measures it.
    pub quantile: f64,
    /// The first rate. I/Os per second.
    pub first_ios_per_s: u64,
    /// Nothing beyond it is tried. I/Os per second.
    pub ceiling_ios_per_s: u64,
    /// The search ends when the lowest rate that failed exceeds the highest that held by less than this share of it.
    pub precision: f64,
    /// Most tries, repeated ones included.
    pub most_steps: u32,
}

/// Result of one try.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probe {
    /// The quantile of the response time; `None`: too few samples to tell. Nanoseconds.
    pub quantile_ns: Option<u64>,
    /// I/Os completed per second.
    pub delivered_ios_per_s: f64,
}

/// Answer of a try about its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The quantile is at or below the target.
    Holds,
    /// The quantile is above the target.
    TooSlow,
    /// Less than [`LEAST_DELIVERED`] of the rate was delivered.
    NotDelivered,
    /// The quantile rests on too few samples. A longer try would tell.
    CannotTell,
}

/// One try.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// I/Os per second that were asked for.
    pub ios_per_s: u64,
    /// Its measurement.
    pub probe: Probe,
    /// The answer that follows from it.
    pub answer: Answer,
}

/// Reason for which a search is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The highest rate that held and the lowest that failed are as close as was asked for.
    Close,
    /// The highest rate that may be tried held; the drive may do more.
    AtCeiling,
    /// Not even the lowest rate held.
    NothingHolds,
    /// Below the rates that failed, and up to the ceiling where none failed, the tries gave too few samples to tell.
    CannotTell,
    /// The tries are used up; what was found is less precise than was asked for, or nothing.
    OutOfSteps,
}

/// The answer of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// The highest rate that held. I/Os per second.
    pub rate: u64,
    /// The quantile at this rate. Nanoseconds.
    pub latency_ns: u64,
    /// The highest rate that held and the lowest that failed; the same twice where none failed. I/Os per second.
    pub bracket: (u64, u64),
}

/// A search that is over, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Searched {
    /// The conditions, without the pace of a try.
    pub workload: Workload,
    /// The goal.
    pub goal: Goal,
    /// Every try, in the order of time.
    pub steps: Vec<Step>,
    /// Reason for which it ended.
    pub ending: Ending,
    /// The rate, where one held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct GoalSearch {
    goal: Goal,
    steps: Vec<Step>,
    /// The highest rate that held, and its quantile.
    held: Option<(u64, u64)>,
    /// The lowest rate that failed, twice.
    failed: Option<u64>,
    /// A rate that failed once.
    doubtful: Option<u64>,
    /// The highest rate at which there were too few samples: nothing at or below it is worth trying.
    untold: Option<u64>,
}

impl GoalSearch {
    /// A search that has tried nothing yet. Rates are at least 1 per second.
    pub fn new(goal: Goal) -> Self {
        let ceiling_ios_per_s = goal.ceiling_ios_per_s.max(1);
        let goal = Goal { ceiling_ios_per_s, first_ios_per_s: goal.first_ios_per_s.clamp(1, ceiling_ios_per_s), ..goal };
        Self { goal, steps: Vec::new(), held: None, failed: None, doubtful: None, untold: None }
    }

    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// The tries so far, in the order of time.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The rate to try next, I/Os per second; `None` when the search is over.
    pub fn next_rate(&self) -> Option<u64> {
        self.next().ok()
    }

    /// Reason for which the search is over; `None` while it is not.
    pub fn ending(&self) -> Option<Ending> {
        self.next().err()
    }

    /// The search as it is stored; `None` while it goes on.
    pub fn stored(&self, workload: Workload) -> Option<Searched> {
        let ending = self.ending()?;
        Some(Searched { workload, goal: self.goal, steps: self.steps.clone(), ending, found: self.result() })
    }

    /// Best rate so far; `None` where no rate has held.
    pub fn result(&self) -> Option<Found> {
        self.held.map(|(rate, latency_ns)| Found { rate, latency_ns, bracket: (rate, self.failed.unwrap_or(rate)) })
    }

    /// Takes what a try at `ios_per_s` has shown. A try outside of what is still open counts as a step and changes nothing.
    /// A rate below 1 per second is taken as 1.
    pub fn tell(&mut self, ios_per_s: u64, probe: Probe) {
        let ios_per_s = ios_per_s.max(1);
        let answer = self.answer(ios_per_s, probe);
        self.steps.push(Step { ios_per_s, probe, answer });
        let above_held = self.held.is_none_or(|(held, _)| ios_per_s > held);
        if !above_held || self.failed.is_some_and(|failed| ios_per_s >= failed) {
            return;
        }
        let again = self.doubtful.take() == Some(ios_per_s);
        match (answer, probe.quantile_ns) {
            (Answer::Holds, Some(latency_ns)) => self.held = Some((ios_per_s, latency_ns)),
            // That there were too few samples is no accident that a second try would mend.
            (Answer::CannotTell, _) if self.held.is_none() => self.untold = self.untold.max(Some(ios_per_s)),
            _ if again => self.failed = Some(ios_per_s),
            _ => self.doubtful = Some(ios_per_s),
        }
    }

    fn answer(&self, ios_per_s: u64, probe: Probe) -> Answer {
        match probe.quantile_ns {
            _ if probe.delivered_ios_per_s < ios_per_s as f64 * LEAST_DELIVERED => Answer::NotDelivered,
            None => Answer::CannotTell,
            Some(ns) if ns > self.goal.target_ns => Answer::TooSlow,
            Some(_) => Answer::Holds,
        }
    }

    /// The next rate, or why there is none.
    fn next(&self) -> Result<u64, Ending> {
        let ceiling = self.goal.ceiling_ios_per_s;
        // Nothing at or below the floor is worth trying.
        let floor = self.held.map(|(rate, _)| rate).max(self.untold);
        let over = if self.held.is_some() { Ending::Close } else { Ending::CannotTell };
        let next = match (floor, self.failed) {
            (None, Some(1)) => Err(Ending::NothingHolds),
            (None, None) => Ok(self.goal.first_ios_per_s),
            (None, Some(failed)) => Ok(failed / GROWTH),
            (Some(floor), None) if floor < ceiling => Ok(floor.saturating_mul(GROWTH).min(ceiling)),
            (Some(_), None) => Err(if self.held.is_some() { Ending::AtCeiling } else { Ending::CannotTell }),
            (Some(floor), Some(failed)) => self.between(floor, failed).ok_or(over),
        };
        let next = self.doubtful.map_or(next, Ok);
        if self.steps.len() >= self.goal.most_steps as usize { next.and(Err(Ending::OutOfSteps)) } else { next }
    }

    /// The geometric mean, where the two are not close enough yet.
    fn between(&self, low: u64, high: u64) -> Option<u64> {
        let close = high as f64 <= low as f64 * (1.0 + self.goal.precision.max(0.0)) || high <= low.saturating_add(1);
        let middle = (low as f64 * high as f64).sqrt() as u64;
        (!close).then(|| middle.clamp(low + 1, high - 1))
    }
}

#[cfg(test)]
mod tests;
