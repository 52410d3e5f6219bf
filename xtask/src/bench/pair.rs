//! Two programs in turn on the same target, held against each other by IOPS and by CPU time per I/O.

use super::Row;
use super::program::{self, Sample};
use super::setting::{Place, Setting};
use super::table::{least, median, most, spread};
use anyhow::Result;
use std::process::Command;

#[derive(Clone, Copy, PartialEq)]
pub enum Verb {
    Verify,
    Run,
}

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

pub fn run(setting: &Setting, conditions: &Conditions, peer: impl Fn() -> Result<Sample>) -> Result<Row> {
    let pairs = (0..setting.rounds).map(|_| Ok((ioproof(setting, conditions, &[])?, peer()?))).collect::<Result<Vec<_>>>()?;
    let columns =
        |figure: fn(&Sample) -> f64| -> (Vec<f64>, Vec<f64>) { pairs.iter().map(|(our, their)| (figure(our), figure(their))).unzip() };
    let (rates, costs) = (columns(|sample| sample.iops / 1e3), columns(|sample| sample.cpu_ns_per_io));
    let [rate, cost] = [&rates, &costs].map(|(ours, theirs)| median(ours) / median(theirs));
    let mut cells = vec![spread(&rates.0), spread(&rates.1), format!("{rate:.2}"), least(rate, conditions.least_iops, 2)];
    cells.extend([spread(&costs.0), spread(&costs.1), format!("{cost:.2}"), most(cost, conditions.most_cpu, 2)]);
    Ok(Row::Cells(cells))
}

pub fn ioproof(setting: &Setting, conditions: &Conditions, flags: &[&str]) -> Result<Sample> {
    let Conditions { verb, place, rw, workers, .. } = *conditions;
    if verb == Verb::Run {
        let mut run = Command::new(&setting.program);
        run.arg("run");
        return program::sample_of_job(setting, run, place, rw, workers, flags);
    }
    let workers = workers.to_string();
    let more = [&["--depth", "32", "--workers", &workers], flags].concat();
    program::sample(&program::round(setting, setting.path(place)?, rw, &more)?)
}
