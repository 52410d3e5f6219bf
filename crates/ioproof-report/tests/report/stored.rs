//! A stored run: `run.json`, `judgement.json` and one file a round in `rounds/`.

use ioproof_core::record::{Round, RunRecord};
use ioproof_core::verdict::Judgement;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The round files of a run directory in the order of time.
pub fn round_files(directory: &Path) -> Vec<PathBuf> {
    let rounds = fs::read_dir(directory.join("rounds")).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<PathBuf> = rounds.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Puts a stored run together.
pub fn stored_run(directory: &Path) -> (RunRecord, Judgement) {
    let mut record: RunRecord = read(&directory.join("run.json"));
    record.rounds = round_files(directory).iter().map(|path| read::<Round>(path)).collect();
    (record, read(&directory.join("judgement.json")))
}

/// Writes a run the way that it is stored.
pub fn store_run(directory: &Path, record: &RunRecord, judgement: &Judgement) {
    fs::create_dir_all(directory.join("rounds")).unwrap();
    let run = RunRecord { rounds: Vec::new(), ..record.clone() };
    fs::write(directory.join("run.json"), serde_json::to_string_pretty(&run).unwrap() + "\n").unwrap();
    fs::write(directory.join("judgement.json"), serde_json::to_string_pretty(judgement).unwrap() + "\n").unwrap();
    for round in &record.rounds {
        let path = directory.join(format!("rounds/{:04}.json", round.index));
        fs::write(path, serde_json::to_string(round).unwrap() + "\n").unwrap();
    }
}
