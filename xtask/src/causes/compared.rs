//! Comparisons held against the truth: two loop devices that are throttled alike, and one that is throttled by a tenth more, compared by runs one after the other and by runs in turns.

use super::cause::{CAUSE, Cause, Content, Ground, Meddling, Place};
use super::scene::Scene;
use super::{Setting, quiet, trial};
use crate::attack::program::{Call, Running, Surroundings};
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A loop device of which a control group allows so many reads a second: far fewer than it could do, so that a busy host has no part in it.
const fn throttled(value: &'static str) -> Meddling {
    Meddling::Group { controller: "blkio", file: "blkio.throttle.read_iops_device", value }
}

const EQUAL: &[Meddling] = &[throttled("DEVICE 1000")];
const SLOWER: &[Meddling] = &[throttled("DEVICE 900")];

const LOAD: &str = "--rw randread --workers 1 --depth 4 --runs 12 --json";

/// Time that a drive is measured for.
const TIME_S: u32 = 8;

/// Words of an answer that are counted.
const ANSWERS: [&str; 3] = ["better", "worse", "cannot_tell"];

/// The answers to one figure over all repetitions, in the order of [`ANSWERS`].
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts([usize; 3]);

impl Counts {
    fn add(&mut self, answer: &str) {
        if let Some(at) = ANSWERS.iter().position(|known| *known == answer) {
            self.0[at] += 1;
        }
    }

    fn line(self) -> String {
        ANSWERS.iter().zip(self.0).map(|(answer, n)| format!("{n} {}", answer.replace('_', " "))).collect::<Vec<_>>().join(", ")
    }
}

/// Compares the drives so often and prints what was said of each figure.
pub fn print(repetitions: usize, setting: &Setting) -> Result<()> {
    let place = Place::Loop { content: Content::Random, ground: Ground::Disk, direct: true };
    let of = |meddling| Cause { place, meddling, ..CAUSE };
    let causes = [of(EQUAL), of(EQUAL), of(SLOWER)];
    if let Some(reason) = trial::obstacle(&causes[0]) {
        bail!("{reason}");
    }
    let scene = |(number, cause): (usize, &Cause)| Scene::make(cause, &setting.folder.join(format!("compared-{number}")));
    let scenes = causes.iter().enumerate().map(scene).collect::<Result<Vec<Scene>>>()?;
    let mut counts = [("one after the other, equal", Counts::default()), ("one after the other, slower by a tenth", Counts::default())]
        .into_iter()
        .chain([("in turns, equal", Counts::default()), ("in turns, slower by a tenth", Counts::default())])
        .collect::<Vec<_>>();
    for number in 1..=repetitions {
        quiet::wait(setting.patience.quiet)?;
        for (at, rows) in repetition(&scenes, setting)?.iter().enumerate() {
            for row in rows {
                println!("{number:>3} {}: {}", counts[at].0, row.line());
                counts[at].1.add(&row.answer);
            }
        }
    }
    for (what, counts) in counts {
        println!("{what}: {}", counts.line());
    }
    Ok(())
}

/// One figure of a comparison.
#[derive(Debug, PartialEq)]
struct Row {
    figure: String,
    change: f64,
    answer: String,
    doubts: String,
}

impl Row {
    fn line(&self) -> String {
        let Self { figure, change, answer, doubts } = self;
        let doubts = if doubts.is_empty() { String::new() } else { format!(" (doubted: {doubts})") };
        format!("{figure} {:+.1} %, {}{doubts}", change * 100.0, answer.replace('_', " "))
    }
}

/// Three runs one after the other, of which the second and the third are held against the first; then the first drive in turns with each of the others.
fn repetition(scenes: &[Scene], setting: &Setting) -> Result<[Vec<Row>; 4]> {
    let [a, b, c] = scenes else { bail!("three drives were made") };
    let run = |scene: &Scene| -> Result<String> {
        let said = call(&format!("verify {} {LOAD} --time {TIME_S}s", scene.target.display()), a, setting)?;
        Ok(said["run"]["id"].as_str().context("no run was told")?.to_owned())
    };
    let ids = [run(a)?, run(b)?, run(c)?];
    let compare = |other: &str| call(&format!("compare {} {other} --json", ids[0]), a, setting);
    let turns = |other: &Scene| -> Result<Value> {
        let words = format!("verify --interleave {} {} {LOAD} --time {}s", a.target.display(), other.target.display(), 2 * TIME_S);
        Ok(call(&words, a, setting)?["comparison"].clone())
    };
    let all = [compare(&ids[1])?, compare(&ids[2])?, turns(b)?, turns(c)?];
    Ok(all.map(|comparison| rows(&comparison)))
}

fn call(words: &str, scene: &Scene, setting: &Setting) -> Result<Value> {
    let around = Surroundings { program: setting.program.clone(), work: scene.work(), home: scene.home() };
    let mut call = Call::text(words);
    call.script = trial::script(&scene.groups);
    let ended = Running::start(call, 1, &around)?.wait()?;
    serde_json::from_str(&ended.stdout).with_context(|| format!("no JSON was printed by: {}", ended.command))
}

/// Every figure of a comparison of two runs.
fn rows(comparison: &Value) -> Vec<Row> {
    let row = |row: &Value| {
        let against = &row["against"][0];
        let figure = row["statistic"].as_str().or(row["metric"].as_str()).unwrap_or_default().to_owned();
        let doubts = against["doubts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
        let (change, answer) = (against["change"].as_f64()?, against["answer"].as_str()?.to_owned());
        Some(Row { figure, change, answer, doubts })
    };
    comparison["rows"].as_array().into_iter().flatten().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_of_a_comparison_are_read_and_counted() {
        let text = r#"{"rows": [
            {"metric": "iops", "against": [{"change": -0.1, "answer": "worse", "doubts": ["busy-host"]}]},
            {"metric": "latency", "statistic": "mean", "against": [{"change": 0.01, "answer": "cannot_tell"}]},
            {"metric": "latency", "statistic": "p99", "against": [null]}
        ]}"#;
        let rows = rows(&serde_json::from_str(text).unwrap());
        let lines: Vec<String> = rows.iter().map(Row::line).collect();
        assert_eq!(lines, ["iops -10.0 %, worse (doubted: busy-host)", "mean +1.0 %, cannot tell"]);
        let mut counts = Counts::default();
        rows.iter().for_each(|row| counts.add(&row.answer));
        assert_eq!(counts.line(), "0 better, 1 worse, 1 cannot tell");
    }
}
