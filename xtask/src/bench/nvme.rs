//! Ways to one NVMe drive against each other: through the kernel's block layer, and past it. The drive is an emulated one of the rig, so only the ratios of one
//! boot say anything.
//!
//! `rig/nvme_rates.sh` runs all of them in alternating rounds; the machine is started once for a table.

use super::program::number;
use super::setting::Setting;
use super::table::{Ratio, least, median};
use super::{Kind, Row};
use crate::{command, workspace_root};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::OnceLock;

pub const KIND: Kind = Kind {
    name: "nvme",
    columns: &["IOPS", "io_uring IOPS", "ratio", "to reach"],
    titles: || LINES.iter().map(|line| line.0).collect(),
    run,
};

const BASE: &str = "io_uring";

/// Title, backend (with `+polled` where completions are polled for in the kernel), depth, and least ratio of IOPS.
const LINES: [(&str, &str, u32, f64); 4] = [
    ("io_uring_cmd, polled queue, depth 1", "io_uring_cmd+polled", 1, 1.1),
    ("io_uring_cmd, polled queue, depth 32", "io_uring_cmd+polled", 32, 1.25),
    ("polled, depth 1", "polled", 1, 2.5),
    ("polled, depth 32", "polled", 32, 3.0),
];

type Rates = BTreeMap<(String, u32), Vec<f64>>;

/// Rates of all lines from one machine, or the reason for which there are none.
static MEASURED: OnceLock<Result<Rates, String>> = OnceLock::new();

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let (_, backend, depth, aim) = LINES[index];
    let rates = match MEASURED.get_or_init(|| measure(setting).map_err(|error| format!("{error:#}"))) {
        Ok(rates) => rates,
        Err(reason) => return Ok(Row::Without(reason.clone())),
    };
    let of = |backend: &str| rates.get(&(backend.to_owned(), depth)).with_context(|| format!("no rates of {backend}"));
    let (ours, base) = (of(backend)?, of(BASE)?);
    let ratio = Ratio::of(ours, base);
    let whole = |rates: &[f64]| format!("{:.0}", median(rates));
    Ok(Row::Cells(vec![whole(ours), whole(base), ratio.words(), least(ratio.median, Some(aim), 2)]))
}

/// Starts the machine as `cargo xtask rig` does, and reads what its script prints.
fn measure(setting: &Setting) -> Result<Rates> {
    let script = workspace_root().join("rig/nvme_rates.sh");
    let backends: BTreeSet<&str> = LINES.iter().map(|line| line.1).chain([BASE]).collect();
    let depths: BTreeSet<u32> = LINES.iter().map(|line| line.2).collect();
    let runs = setting.rounds * backends.len() * depths.len();
    // Each run takes its time and a few seconds beside it.
    let timeout = 120 + runs as u64 * (3 * u64::from(setting.seconds) + 20);
    let mut rig = Command::new(std::env::current_exe().context("cannot find this program")?);
    rig.args(["rig", "run", "--timeout", &timeout.to_string()]).arg(script);
    rig.args([setting.rounds.to_string(), setting.seconds.to_string()]);
    rig.arg(depths.iter().map(u32::to_string).collect::<Vec<_>>().join(",")).arg(backends.into_iter().collect::<Vec<_>>().join(","));
    read(&String::from_utf8_lossy(&command::output(&mut rig)?))
}

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
    ensure!(!rates.is_empty(), "the machine measured nothing: {}", text.lines().last().unwrap_or_default());
    Ok(rates)
}
