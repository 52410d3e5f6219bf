//! Ways to one NVMe drive against each other: through the kernel's block layer, and past it. The drive is an emulated one of the rig, so only the ratios of one
//! boot say anything.
//!
//! `rig/nvme_rates.sh` runs all of them in alternating rounds; the machine is started once for a table.

use super::interval::Ratio;
use super::program::number;
use super::setting::Setting;
use super::table::{least, median};
use super::{Kind, Row};
use crate::{command, workspace_root};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

pub const KIND: Kind = Kind {
    name: "nvme",
    columns: &["IOPS", "io_uring IOPS", "ratio", "to reach"],
    titles: || LINES.iter().map(|line| line.title).collect(),
    run,
};

/// The way that the others are held against.
const BASE: &str = "io_uring";

struct Line {
    title: &'static str,
    /// With `+polled` behind it where completions are polled for in the kernel (`--polled`).
    backend: &'static str,
    depth: u32,
    /// Least ratio of IOPS.
    least: f64,
}

const LINES: [Line; 4] = [
    Line { title: "io_uring_cmd, polled queue, depth 1", backend: "io_uring_cmd+polled", depth: 1, least: 1.1 },
    Line { title: "io_uring_cmd, polled queue, depth 32", backend: "io_uring_cmd+polled", depth: 32, least: 1.25 },
    Line { title: "polled, depth 1", backend: "polled", depth: 1, least: 2.5 },
    Line { title: "polled, depth 32", backend: "polled", depth: 32, least: 3.0 },
];

/// IOPS of each round, by backend and depth.
type Rates = BTreeMap<(String, u32), Vec<f64>>;

/// Rates of all lines from one machine, or the reason for which there are none.
static MEASURED: Mutex<Option<Result<Rates, String>>> = Mutex::new(None);

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let line = &LINES[index];
    let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    let rates = match measured.get_or_insert_with(|| measure(setting).map_err(|error| format!("{error:#}"))) {
        Ok(rates) => rates,
        Err(reason) => return Ok(Row::Without(reason.clone())),
    };
    let of = |backend: &str| rates.get(&(backend.to_owned(), line.depth)).with_context(|| format!("no rates of {backend}"));
    let (ours, base) = (of(line.backend)?, of(BASE)?);
    let ratio = Ratio::of(ours, base);
    Ok(Row::Cells(vec![whole(ours), whole(base), ratio.words(), least(ratio.median, Some(line.least), 2)]))
}

fn whole(rates: &[f64]) -> String {
    format!("{:.0}", median(rates))
}

/// Starts the machine as `cargo xtask rig` does, and reads what its script prints.
fn measure(setting: &Setting) -> Result<Rates> {
    let script = workspace_root().join("rig/nvme_rates.sh");
    let backends: BTreeSet<&str> = LINES.iter().map(|line| line.backend).chain([BASE]).collect();
    let depths: BTreeSet<u32> = LINES.iter().map(|line| line.depth).collect();
    let runs = setting.rounds * backends.len() * depths.len();
    // Each run takes its time and a few seconds beside it.
    let timeout = 120 + runs as u64 * (3 * u64::from(setting.seconds) + 20);
    let mut rig = Command::new(std::env::current_exe().context("cannot find this program")?);
    rig.args(["rig", "run", "--timeout", &timeout.to_string()]).arg(script);
    let list = |words: Vec<String>| words.join(",");
    rig.args([setting.rounds.to_string(), setting.seconds.to_string()]);
    rig.args([list(depths.iter().map(u32::to_string).collect()), list(backends.iter().map(|name| (*name).to_owned()).collect())]);
    read(&String::from_utf8_lossy(&command::output(&mut rig)?))
}

/// Lines `report BACKEND DEPTH JSON`; other lines are the machine's.
fn read(text: &str) -> Result<Rates> {
    let mut rates = Rates::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("report ")) {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().context("a line of the machine is cut short");
        let (backend, depth, json) = (word()?, word()?.parse()?, word()?);
        let report: Value = serde_json::from_str(json).with_context(|| format!("the report of {backend} is no JSON"))?;
        let round = &report["run"]["stages"][0]["rounds"][0];
        if round["engine"]["backend"] != backend.trim_end_matches("+polled") {
            bail!("{backend} was asked for, and {} measured", round["engine"]["backend"]);
        }
        let iops = number(&round["read"]["ios"])? * 1e9 / number(&round["elapsed_ns"])?;
        rates.entry((backend.to_owned(), depth)).or_default().push(iops);
    }
    if rates.is_empty() {
        bail!("the machine measured nothing: {}", text.lines().last().unwrap_or_default());
    }
    Ok(rates)
}
