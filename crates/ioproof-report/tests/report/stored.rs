//! Stored runs: `run.json`, `judgement.json` and one file a stage in `stages/`, or in version 1 one file a round in `rounds/`.

use ioproof_core::finding::{Effect, Evidence, Finding, Severity, Subject};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, Stage, upgrade};
use ioproof_core::workload::Workload;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The run of version 1: an Intel DC P3700 with ten workloads, six rounds each. Made up: no figure of it was measured.
pub const VERSION_1: &str = "20261121-031500-3f9a";

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The directory of a stored run.
pub fn directory(id: &str) -> PathBuf {
    repository("fixtures/runs").join(id)
}

pub fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    serde_json::from_slice(&bytes(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The files of a folder in the order of their names, which is that of time.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Puts a stored run of today's version together.
pub fn stored_run(directory: &Path) -> (RunRecord, Judgement) {
    let mut record: RunRecord = read(&directory.join("run.json"));
    record.stages = files(&directory.join("stages")).iter().map(|path| read::<Stage>(path)).collect();
    (record, read(&directory.join("judgement.json")))
}

/// Writes a run the way that it is stored.
pub fn store_run(directory: &Path, record: &RunRecord, judgement: &Judgement) {
    fs::create_dir_all(directory.join("stages")).unwrap();
    let run = RunRecord { stages: Vec::new(), ..record.clone() };
    fs::write(directory.join("run.json"), serde_json::to_string_pretty(&run).unwrap() + "\n").unwrap();
    fs::write(directory.join("judgement.json"), serde_json::to_string_pretty(judgement).unwrap() + "\n").unwrap();
    for stage in &record.stages {
        let path = directory.join(format!("stages/{:04}.json", stage.index));
        fs::write(path, serde_json::to_string(stage).unwrap() + "\n").unwrap();
    }
}

/// The run of version 1 with the judgement that was stored with it.
pub fn version_1() -> &'static (RunRecord, Judgement) {
    static RUN: OnceLock<(RunRecord, Judgement)> = OnceLock::new();
    RUN.get_or_init(|| {
        let directory = directory(VERSION_1);
        let rounds: Vec<Vec<u8>> = files(&directory.join("rounds")).iter().map(|path| bytes(path)).collect();
        let record = upgrade(&bytes(&directory.join("run.json")), &rounds).unwrap();
        let judgement = judgement_of_today(read(&directory.join("judgement.json")), &record);
        (record, judgement)
    })
}

/// The judgement of version 1 in the types of today: jobs take the place of workloads, and evidence in words stays words.
fn judgement_of_today(mut stored: Value, record: &RunRecord) -> Judgement {
    let findings: Vec<Finding> = stored["findings"].as_array().unwrap().iter().map(|finding| finding_of_today(finding, record)).collect();
    stored["findings"] = json!([]);
    for table in ["rows", "latencies"] {
        for row in stored[table].as_array_mut().unwrap() {
            row["job"] = json!(position(&row["workload"], record));
        }
    }
    Judgement { findings, ..serde_json::from_value(stored).unwrap() }
}

fn position(workload: &Value, record: &RunRecord) -> u32 {
    let workload: Workload = serde_json::from_value(workload.clone()).unwrap();
    record.jobs.iter().position(|job| job.workload == workload).unwrap() as u32
}

fn finding_of_today(stored: &Value, record: &RunRecord) -> Finding {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let evidence = stored["evidence"].as_array().unwrap().iter();
    Finding {
        rule: text(&stored["rule"]),
        severity: serde_json::from_value::<Severity>(stored["severity"].clone()).unwrap(),
        subject: stored.get("workload").map_or(Subject::Run, |workload| Subject::Job(position(workload, record))),
        title: text(&stored["title"]),
        evidence: evidence.map(|e| Evidence::text(&text(&e["name"]), text(&e["value"]))).collect(),
        effect: serde_json::from_value::<Effect>(stored["effect"].clone()).unwrap(),
        remedy: text(&stored["remedy"]),
    }
}
