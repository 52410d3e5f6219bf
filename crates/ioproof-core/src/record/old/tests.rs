//! Runs of version 1 as they were stored: planned, searched, read back, and of job files.

use super::*;
use crate::record::{JobRecord, Purpose};
use crate::shape::Pace;
use crate::testing::record;
use crate::workload::{Pattern, Workload};
use serde_json::{Value, json};

const PLANNED: Workload = Workload::plain(Pattern::Random, 100, 4096, 1, 8);

fn at_rate(ios_per_s: u64) -> Workload {
    let mut workload = PLANNED;
    workload.shape.pace = Pace::Fixed { ios_per_s };
    workload
}

/// A run of version 1 whose plan is these workloads, on one drive.
fn run(planned: &[Workload]) -> Value {
    let now = serde_json::to_value(record()).unwrap();
    let target = &now["targets"][0];
    let mut plan = now["plan"].clone();
    let planned = |writes: bool| -> Vec<Value> {
        planned.iter().filter(|w| w.writes() == writes).map(|workload| json!({ "workload": workload, "claims": [3] })).collect()
    };
    (plan["reads"], plan["writes"]) = (planned(false).into(), planned(true).into());
    json!({
        "schema_version": 1, "id": "20260101-000000-test", "program_version": "0", "started_at": "2026-01-01T00:00:00Z",
        "status": { "state": "complete" }, "config": now["config"], "config_sha256": "", "target": target["facts"], "host": now["host"],
        "drives": target["drives"], "policy": now["policy"], "plan": plan, "content": target["content"], "notes": ["a note"],
    })
}

/// A round with nothing counted around it.
fn round(index: u32, workload: &Workload, repetition: u32) -> Value {
    let part = json!({ "ios": 1000, "bytes": 4_096_000, "latency": crate::histogram::Histogram::default() });
    json!({
        "index": index, "workload": workload, "span": { "offset_bytes": 4096, "length_bytes": 8192 }, "repetition": repetition,
        "started_at": "2026-01-01T00:00:00Z", "state_before": { "written_bytes": 7, "previous_workload": "seq", "idle_ns": 9 },
        "outcome": "complete", "elapsed_ns": 1_000_000_000, "read": part, "write": part, "sync": part,
        "errors": { "failed": 0, "short": 0, "lost": 0 }, "workers": [], "devices": [], "total_bytes": [1, 2],
        "engine": { "backend": "io_uring", "features": [], "fallbacks": [], "clock": "tsc", "clock_cost_ns": 14.0 },
        "host": { "load_1min": 0.0 }, "intervals": [],
    })
}

fn upgraded(run: &Value, rounds: &[Value]) -> RunRecord {
    let rounds: Vec<Vec<u8>> = rounds.iter().map(|round| serde_json::to_vec(round).unwrap()).collect();
    upgrade(&serde_json::to_vec(run).unwrap(), &rounds).unwrap()
}

/// The purpose and the job's workload of each stage.
fn purposes(record: &RunRecord) -> Vec<(Purpose, &Workload)> {
    record.parts().map(|part| (part.stage.purpose, &part.job.workload)).collect()
}

fn searched(found: u64, steps: &[u64]) -> Value {
    let step =
        |ios_per_s: &u64| json!({ "ios_per_s": ios_per_s, "probe": { "delivered_ios_per_s": *ios_per_s as f64 }, "answer": "holds" });
    json!([{
        "workload": PLANNED, "ending": "close", "steps": steps.iter().map(step).collect::<Vec<_>>(),
        "goal": { "target_ns": 1, "quantile": 0.99, "first_ios_per_s": 1, "ceiling_ios_per_s": 9, "precision": 0.05, "most_steps": 30 },
        "found": { "rate": found, "latency_ns": 1, "bracket": [found, found] },
    }])
}

#[test]
fn a_planned_workload_is_a_job_with_its_claims_and_rounds() {
    let record = upgraded(&run(&[PLANNED]), &[round(0, &PLANNED, 0), round(1, &PLANNED, 1)]);
    assert_eq!((record.schema_version, record.verb.as_str(), record.plan.is_some()), (SCHEMA_VERSION, "verify", true));
    assert_eq!(record.jobs.len(), 1);
    assert_eq!((&record.jobs[0].name, &record.jobs[0].claims, &record.jobs[0].targets), (&None, &vec![3], &vec![0]));
    let repetitions: Vec<u32> = record.parts_of(0).map(|part| part.stage.repetition).collect();
    assert_eq!(repetitions, [0, 1]);
    let stage = &record.stages[1];
    assert_eq!((stage.index, stage.state_before.written_bytes, stage.state_before.idle_ns), (1, 7, 9));
    assert_eq!((stage.rounds[0].read.ios, stage.rounds[0].elapsed_ns), (1000, 1_000_000_000));
    assert_eq!(stage.elapsed_ns, 0, "its length with ramp and drain was not kept");
    assert_eq!(record.notes, ["a note"]);
}

#[test]
fn nothing_in_the_place_of_counters_was_not_counted() {
    let mut counted = round(1, &PLANNED, 1);
    let device = json!({ "name": "nvme0n1", "is_drive": true, "read_ios": 0, "read_bytes": 0, "write_ios": 0, "write_bytes": 0,
        "flush_ios": 0, "busy_ns": 0 });
    (counted["devices"], counted["host"]) = (json!([device]), json!({ "load_1min": 1.5, "cpu_busy": 0.25 }));
    let record = upgraded(&run(&[PLANNED]), &[round(0, &PLANNED, 0), counted]);
    assert_eq!((&record.stages[0].devices, &record.stages[0].host), (&None, &None));
    assert_eq!(record.stages[1].devices.as_ref().unwrap()[0].read_bytes, 0, "counted, and nothing happened");
    assert_eq!(record.stages[1].cpu_busy(), Some(0.25));
}

#[test]
fn temperatures_are_the_only_drives() {
    let mut warm = round(0, &PLANNED, 0);
    (warm["state_before"]["temperature_celsius"], warm["host"]["temperature_celsius"]) = (json!(40.0), json!(44.0));
    let of_one = upgraded(&run(&[PLANNED]), &[warm.clone(), round(1, &PLANNED, 1)]);
    let bracket = &of_one.stages[0].drives[0];
    let read = (bracket.before.temperature_celsius, bracket.after.temperature_celsius);
    assert_eq!((bracket.name.as_str(), read), ("nvme0n1", (Some(40.0), Some(44.0))));
    assert_eq!(of_one.stages[0].host, None, "the drive's temperature says nothing of the host");
    assert!(of_one.stages[1].drives.is_empty(), "nobody looked at the drive");
    let mut two = run(&[PLANNED]);
    let second = two["drives"][0].clone();
    two["drives"].as_array_mut().unwrap().push(second);
    assert!(upgraded(&two, &[warm]).stages[0].drives.is_empty());
}

#[test]
fn a_try_at_the_rate_that_was_found_is_no_measured_round() {
    let mut searching = run(&[at_rate(2000)]);
    searching["searches"] = searched(2000, &[1000, 2000, 4000]);
    let rounds = [
        round(0, &PLANNED, 0),
        round(1, &at_rate(1000), 0),
        round(2, &at_rate(2000), 1),
        round(3, &at_rate(4000), 2),
        round(4, &at_rate(2000), 0),
        round(5, &at_rate(2000), 1),
    ];
    let record = upgraded(&searching, &rounds);
    let found = at_rate(2000);
    assert_eq!(purposes(&record)[4..], [(Purpose::Measure, &found), (Purpose::Measure, &found)]);
    assert!(purposes(&record)[..4].iter().all(|(purpose, _)| *purpose == Purpose::Search));
    assert_eq!(record.parts_of(0).count(), 2);
    assert_eq!(record.jobs[0].workload, found);
    assert!(record.jobs[1..].iter().all(|job| job.claims.is_empty()));
    assert_eq!(record.searches.len(), 1);
}

#[test]
fn a_search_that_was_cut_short_measured_nothing() {
    let mut killed = run(&[PLANNED]);
    killed["config"]["command"] = json!(["ioproof", "verify", "--latency-target", "p99:1ms"]);
    let record = upgraded(&killed, &[round(0, &PLANNED, 0), round(1, &at_rate(1000), 0)]);
    assert_eq!(purposes(&record), [(Purpose::Search, &PLANNED), (Purpose::Search, &at_rate(1000))]);
    assert_eq!(record.parts_of(0).count(), 0);
}

#[test]
fn reading_back_is_told_from_searching() {
    let mut write = Workload::plain(Pattern::Random, 0, 4096, 1, 8);
    write.shape.data.checked = true;
    let mut pass = Workload::plain(Pattern::Sequential, 100, 4096, 1, 32);
    pass.shape.data.checked = true;
    let rounds = [round(0, &write, 0), round(1, &pass, 0)];
    let plain = upgraded(&run(&[write.clone()]), &rounds);
    assert_eq!(purposes(&plain), [(Purpose::Measure, &write), (Purpose::ReadBack, &pass)]);
    let mut paced = write.clone();
    paced.shape.pace = Pace::Fixed { ios_per_s: 500 };
    let mut searching = run(std::slice::from_ref(&paced));
    searching["searches"] = searched(500, &[]);
    let rounds = [round(0, &write, 0), round(1, &paced, 0), round(2, &pass, 0)];
    let record = upgraded(&searching, &rounds);
    assert_eq!(purposes(&record), [(Purpose::Search, &write), (Purpose::Measure, &paced), (Purpose::ReadBack, &pass)]);
}

/// A job file of which only the last job reads.
fn job_file(names: &[&str]) -> (Value, [Value; 3]) {
    let write = Workload::plain(Pattern::Random, 0, 4096, 1, 8);
    let mut run = run(&[PLANNED, write.clone(), write.clone()]);
    run["jobs"] = json!(names);
    (run, [round(0, &write, 0), round(1, &write, 0), round(2, &PLANNED, 0)])
}

#[test]
fn a_job_file_has_no_plan_and_one_job_a_round() {
    let (run, rounds) = job_file(&["first", "second", "reader"]);
    let record = upgraded(&run, &rounds);
    assert_eq!((record.verb.as_str(), &record.plan, record.is_asked()), ("run", &None, true));
    let names: Vec<String> = record.parts().map(|part| part.job.title()).collect();
    assert_eq!(names, ["first", "second", "reader"], "the plan had put reads before writes, and equal workloads into one");
    assert!(record.stages.iter().all(|stage| stage.devices.is_none() && stage.host.is_none() && stage.drives.is_empty()));
    assert_eq!(record.jobs[0].span.offset_bytes, 4096);
}

#[test]
fn names_that_do_not_fit_the_rounds_are_a_note() {
    let (run, rounds) = job_file(&["twice", "reader"]);
    let record = upgraded(&run, &rounds);
    assert!(record.jobs.iter().all(|job: &JobRecord| job.name.is_none()));
    assert!(record.notes.contains(&"jobs: twice, reader".to_owned()));
}

#[test]
fn other_files_are_one_note_and_no_file_is_no_target() {
    let (mut run, rounds) = job_file(&["a", "b", "c"]);
    run["other_targets"] = json!((0..40).map(|n| format!("/f{n}")).collect::<Vec<_>>());
    let record = upgraded(&run, &rounds);
    let notes: Vec<&String> = record.notes.iter().filter(|note| note.starts_with("also used: /f0, /f1, ")).collect();
    assert!(matches!(notes.as_slice(), [one] if one.ends_with("/f31 and 8 more")), "{notes:?}");
    let target = &mut run["target"];
    (target["kind"], target["given"], target["size_bytes"]) = (json!("generator"), json!("no file"), json!(0));
    let record = upgraded(&run, &rounds);
    assert!(record.targets.is_empty() && record.jobs.iter().all(|job| job.targets.is_empty()));
}

#[test]
fn what_is_no_run_is_refused() {
    assert_eq!(version_of(br#"{"schema_version": 1, "id": 5}"#).unwrap(), 1);
    assert!(version_of(b"[]").is_err());
    assert!(upgrade(b"{}", &[]).is_err());
    assert!(upgrade(&serde_json::to_vec(&run(&[PLANNED])).unwrap(), &[b"{}".to_vec()]).is_err());
}
