//! Intervals held against other runs: how often the interval that one run states holds the median of another, on a served drive whose truth stays.

use super::cause::{CAUSE, Cause, Place};
use super::scene::Scene;
use super::served::behaviour::Behaviour;
use super::{Setting, quiet, trial};
use crate::attack::program::{Call, Running, Surroundings};
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Slots and times of the drive: 12 of 3 ms.
const DRIVE: Behaviour = Behaviour::new(12, 3000);

const CALL: &str = "verify TARGET --rw randread --workers 1 --depth 12 --time 9s --runs 8 --json";

/// Median of the IOPS of one run, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stated {
    median: f64,
    low: f64,
    high: f64,
}

/// Measures the drive so often and prints what each run states, and how often that holds for another.
pub fn print(runs: usize, setting: &Setting) -> Result<()> {
    let cause = Cause { place: Place::Served { behaviour: DRIVE, filled: true }, call: CALL, ..CAUSE };
    if let Some(reason) = trial::obstacle(&cause) {
        bail!("{reason}");
    }
    let scene = Scene::make(&cause, &setting.folder.join("intervals"))?;
    let mut all = Vec::new();
    for number in 1..=runs {
        quiet::wait(setting.patience.quiet)?;
        let stated = measure(&scene, setting, number)?;
        println!("run {number:>3}: {:.0} IOPS ({:.0} to {:.0})", stated.median, stated.low, stated.high);
        all.push(stated);
    }
    let (held, pairs) = held(&all);
    println!(
        "the interval of a run holds the median of another in {held} of {pairs} pairs, {:.1} %",
        100.0 * held as f64 / pairs.max(1) as f64
    );
    Ok(())
}

/// One run, with a home of its own: earlier runs have no say.
fn measure(scene: &Scene, setting: &Setting, number: usize) -> Result<Stated> {
    let home = scene.home().join(number.to_string());
    std::fs::create_dir_all(&home)?;
    let around = Surroundings { program: setting.program.clone(), work: scene.work(), home: home.clone() };
    let call = Call::text(&CALL.replace("TARGET", &scene.target.display().to_string()));
    let ended = Running::start(call, 1, &around)?.wait()?;
    let _ = std::fs::remove_dir_all(&home);
    stated(&ended.stdout).with_context(|| format!("no interval of the IOPS was printed by: {}", ended.command))
}

fn stated(report: &str) -> Option<Stated> {
    let report: Value = serde_json::from_str(report).ok()?;
    let row = report["judgement"]["rows"].as_array()?.iter().find(|row| row["metric"] == "iops")?;
    let number = |name: &str| row["measured"][name].as_f64();
    Some(Stated { median: number("median")?, low: number("low")?, high: number("high")? })
}

/// Pairs of runs of which the interval of the first holds the median of the second, and all pairs.
fn held(all: &[Stated]) -> (usize, usize) {
    let holds = |(at, one): (usize, &Stated)| {
        let others = all.iter().enumerate().filter(move |(other, _)| *other != at);
        others.filter(|(_, other)| (one.low..=one.high).contains(&other.median)).count()
    };
    (all.iter().enumerate().map(holds).sum(), all.len() * all.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_held_against_all_others_and_not_itself() {
        let run = |median, low, high| Stated { median, low, high };
        let all = [run(10.0, 9.0, 11.0), run(10.5, 10.4, 12.0), run(20.0, 5.0, 30.0)];
        assert_eq!(held(&all), (3, 6));
        assert_eq!(held(&all[..1]), (0, 0));
    }

    #[test]
    fn the_row_of_the_iops_is_read() {
        let text =
            r#"{"judgement": {"rows": [{"metric": "latency"}, {"metric": "iops", "measured": {"median": 2, "low": 1, "high": 3.5}}]}}"#;
        assert_eq!(stated(text), Some(Stated { median: 2.0, low: 1.0, high: 3.5 }));
        assert_eq!(stated("{}"), None);
    }
}
