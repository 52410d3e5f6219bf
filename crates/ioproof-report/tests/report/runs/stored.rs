//! Stored runs: `run.json`, `judgement.json` and one file a stage in `stages/`.

use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, Stage};
use ioproof_report::{Format, render_in_full};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A planned run: an Intel DC P3700 with ten workloads, six rounds each. Made up: no figure of it was measured.
pub const VERSION_1: &str = "20261121-031500-3f9a";

/// The run of a job file: five jobs in three stages on an NVMe drive and a SATA disk. The first stage runs two jobs on two drives, the second two jobs that share a
/// drive, and around the third nothing was counted. Made up: no figure of it was measured.
pub const JOB_FILE: &str = "20261203-101500-7b21";

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

pub fn stored_run(directory: &Path) -> (RunRecord, Judgement) {
    let mut record: RunRecord = read(&directory.join("run.json"));
    record.stages = files(&directory.join("stages")).iter().map(|path| read::<Stage>(path)).collect();
    (record, read(&directory.join("judgement.json")))
}

/// Writes a run the way that it is stored.
fn store_run(directory: &Path, record: &RunRecord, judgement: &Judgement) {
    fs::create_dir_all(directory.join("stages")).unwrap();
    let run = RunRecord { stages: Vec::new(), ..record.clone() };
    fs::write(directory.join("run.json"), serde_json::to_string_pretty(&run).unwrap() + "\n").unwrap();
    fs::write(directory.join("judgement.json"), serde_json::to_string_pretty(judgement).unwrap() + "\n").unwrap();
    for stage in &record.stages {
        let path = directory.join(format!("stages/{:04}.json", stage.index));
        fs::write(path, serde_json::to_string(stage).unwrap() + "\n").unwrap();
    }
}

/// The planned run with the judgement that was stored with it.
pub fn version_1() -> &'static (RunRecord, Judgement) {
    static RUN: OnceLock<(RunRecord, Judgement)> = OnceLock::new();
    RUN.get_or_init(|| stored_run(&directory(VERSION_1)))
}

/// The run of the job file with its judgement; `UPDATE_FIXTURE=1` judges it anew and stores it as this version does.
pub fn of_job_file() -> &'static (RunRecord, Judgement) {
    static RUN: OnceLock<(RunRecord, Judgement)> = OnceLock::new();
    RUN.get_or_init(|| {
        let directory = directory(JOB_FILE);
        if std::env::var_os("UPDATE_FIXTURE").is_some() {
            let (record, _) = stored_run(&directory);
            store_run(&directory, &record, &judge(&record));
        }
        stored_run(&directory)
    })
}

/// The run of the job file, to be changed.
pub fn job_file() -> RunRecord {
    of_job_file().0.clone()
}

/// A run in this format, with everything that there is of it.
pub fn rendered(format: Format, record: &RunRecord, judgement: &Judgement) -> String {
    let mut out = Vec::new();
    render_in_full(format, record, judgement, &mut out).unwrap();
    String::from_utf8_lossy(&out).into_owned()
}

/// The same of a record with its judgement.
pub fn rendered_run(format: Format, (record, judgement): &(RunRecord, Judgement)) -> String {
    rendered(format, record, judgement)
}

/// The same of a record that is judged anew.
pub fn rejudged(format: Format, record: &RunRecord) -> String {
    rendered(format, record, &judge(record))
}
