//! Two programs in turn on the same target, held against each other by IOPS and by CPU time per I/O.

use super::setting::{Place, Setting};
use super::table::{least, median, most, spread};
use super::{Row, fio, program};
use anyhow::Result;

#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub iops: f64,
    /// User and system time of all workers over I/Os. Nanoseconds.
    pub cpu_ns_per_io: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// `verify`: latency as a whole.
    Verify,
    /// `run`: fio's options, and latency split into submission and completion.
    Run,
}

/// The conditions of one line, 4 KiB at random with queue depth 32 per worker, and what is to be reached.
#[derive(Debug, Clone, Copy)]
pub struct Conditions {
    pub verb: Verb,
    pub place: Place,
    pub rw: &'static str,
    pub workers: u32,
    /// Least ratio of IOPS; `None` where the drive sets the rate.
    pub least_iops: Option<f64>,
    /// Most ratio of CPU time per I/O; `None` where the line is for comparison.
    pub most_cpu: Option<f64>,
}

/// The columns of such a line; the other program stands in them as `peer`.
pub const COLUMNS: &[&str] = &["ioproof kIOPS", "peer kIOPS", "ratio", "to reach", "ioproof CPU ns", "peer CPU ns", "ratio", "to reach"];

/// Runs ioproof and the peer in turn and gives one line of the table.
pub fn run(setting: &Setting, conditions: &Conditions, peer: impl Fn() -> Result<Sample>) -> Result<Row> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        ours.push(ioproof(setting, conditions, &[])?);
        theirs.push(peer()?);
    }
    Ok(Row::Cells(cells(conditions, &ours, &theirs)))
}

/// Runs ioproof once under these conditions, with further flags of its verb.
pub fn ioproof(setting: &Setting, conditions: &Conditions, flags: &[&str]) -> Result<Sample> {
    if conditions.verb == Verb::Run {
        return fio::sample_of_run(setting, conditions, flags);
    }
    let workers = conditions.workers.to_string();
    let more = [&["--depth", "32", "--workers", &workers], flags].concat();
    program::sample(&program::round(setting, setting.path(conditions.place)?, conditions.rw, &more)?)
}

fn cells(conditions: &Conditions, ours: &[Sample], theirs: &[Sample]) -> Vec<String> {
    let rates = |samples: &[Sample]| samples.iter().map(|s| s.iops / 1e3).collect::<Vec<_>>();
    let costs = |samples: &[Sample]| samples.iter().map(|s| s.cpu_ns_per_io).collect::<Vec<_>>();
    let (rate, cost) = ([rates(ours), rates(theirs)], [costs(ours), costs(theirs)]);
    let ratio = |[ours, theirs]: &[Vec<f64>; 2]| median(ours) / median(theirs);
    vec![
        spread(&rate[0]),
        spread(&rate[1]),
        format!("{:.2}", ratio(&rate)),
        least(ratio(&rate), conditions.least_iops, 2),
        spread(&cost[0]),
        spread(&cost[1]),
        format!("{:.2}", ratio(&cost)),
        most(ratio(&cost), conditions.most_cpu, 2),
    ]
}
