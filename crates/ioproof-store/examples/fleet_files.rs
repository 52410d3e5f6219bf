//! Makes the folder of a fleet with so many run files, for `cargo xtask bench fleet`: `fleet_files RUN DIR COUNT`. RUN is a stored run, of which each drive gets a copy
//! with a node, a serial number and figures of its own (lognormal noise of 3 %). One drive in a thousand is a fifth slower, one has half a link, one fails.

#![expect(clippy::unwrap_used, reason = "a file that cannot be made ends it")]

use ioproof_core::judgement::Judgement;
use ioproof_core::record::{DriveBracket, DriveState, RunRecord};
use ioproof_core::splitmix::next;
use ioproof_store::run_file::STAMP;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// Drives of a node.
const DRIVES: usize = 8;
const NOISE: f64 = 0.03;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    run: &'a RunRecord,
    judgement: &'a Judgement,
}

fn main() {
    let mut words = std::env::args_os().skip(1);
    let (run, dir, count) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let (run, dir): (&Path, &Path) = (run.as_ref(), dir.as_ref());
    let count: usize = count.to_str().unwrap().parse().unwrap();
    let read = |path: &Path| fs::read(path).unwrap();
    let mut record: RunRecord = serde_json::from_slice(&read(&run.join("run.json"))).unwrap();
    let mut stages: Vec<_> = fs::read_dir(run.join("stages")).unwrap().map(|entry| entry.unwrap().path()).collect();
    stages.sort();
    record.stages = stages.iter().map(|path| serde_json::from_slice(&read(path)).unwrap()).collect();
    let judgement: Judgement = serde_json::from_slice(&read(&run.join("judgement.json"))).unwrap();
    let mut state = 43;
    for at in 0..count {
        let (record, judgement) = drive(record.clone(), judgement.clone(), at, &mut state);
        let node = dir.join("nodes").join(format!("node{:05}", at / DRIVES));
        fs::create_dir_all(&node).unwrap();
        let mut bytes =
            serde_json::to_vec(&Document { schema_version: record.schema_version, run: &record, judgement: &judgement }).unwrap();
        bytes.push(b'\n');
        fs::write(node.join(format!("S{at:07}.json")), STAMP.stamped(bytes)).unwrap();
    }
}

/// The run of one drive.
fn drive(mut record: RunRecord, mut judgement: Judgement, at: usize, state: &mut u64) -> (RunRecord, Judgement) {
    record.id = format!("20261128-{:02}{:02}00-{at}-0000", at / 3600 % 24, at / 60 % 60);
    record.started_at = format!("2026-11-{:02}T{:02}:{:02}:00Z", 27 + at / 5000 % 3, at / 3600 % 24, at / 60 % 60);
    judgement.exit_status = 0;
    judgement.exit_reason = "measured".into();
    let slower = if at % 1000 == 7 { 0.8 } else { 1.0 };
    for row in &mut judgement.rows {
        row.verdict = None;
        let change = (NOISE * normal(state)).exp() * slower;
        let change = if row.metric == ioproof_core::metric::Metric::Latency { 1.0 / change } else { change };
        row.measured = row.measured.map(|mut measured| {
            (measured.low, measured.median, measured.high) = (measured.low * change, measured.median * change, measured.high * change);
            measured
        });
    }
    let drive = &mut record.targets[0].drives[0];
    drive.serial.as_mut().unwrap().value = format!("S{at:07}");
    if let Some(link) = drive.link.as_mut().filter(|_| at % 1000 == 107) {
        link.limit_bytes_per_s /= 2.0;
    }
    let health = if at % 1000 == 207 { "failing" } else { "OK" };
    let after = DriveState { present: true, health: Some(health.into()), used_percent: Some((at % 12) as f64), ..DriveState::default() };
    record.health = vec![DriveBracket { name: drive.name.clone(), before: DriveState::default(), after }];
    (record, judgement)
}

fn normal(state: &mut u64) -> f64 {
    let mut fraction = || ((next(state) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    (-2.0 * fraction().ln()).sqrt() * (fraction() * std::f64::consts::TAU).cos()
}
