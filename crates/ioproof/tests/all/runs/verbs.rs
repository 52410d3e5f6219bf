//! `ioproof runs`: listed, found, named, removed, and carried to another machine, whatever the store or a file holds.

mod concurrent;
mod export;
mod import;
mod listing;
mod names;
mod removal;

use crate::common::Sandbox;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

const PLANNED: &str = "20261121-031500-3f9a";
const JOB_FILE: &str = "20261203-101500-7b21";

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs")
}

fn store(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.state().join("ioproof/runs");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A stored run as it came.
fn put(sandbox: &Sandbox, fixture: &str) -> PathBuf {
    put_at(store(sandbox).join(fixture), fixture)
}

fn put_at(to: PathBuf, fixture: &str) -> PathBuf {
    assert!(!to.exists(), "{}", to.display());
    assert!(Command::new("cp").arg("-r").args([fixtures().join(fixture), to.clone()]).status().unwrap().success());
    to
}

/// A stored run under another id, with some words of its record replaced.
fn put_as(sandbox: &Sandbox, id: &str, words: &[(&str, &str)]) -> PathBuf {
    let to = put_at(store(sandbox).join(id), JOB_FILE);
    let mut record = fs::read_to_string(to.join("run.json")).unwrap().replace(JOB_FILE, id);
    for (old, new) in words {
        assert!(record.contains(old), "{old}");
        record = record.replace(old, new);
    }
    fs::write(to.join("run.json"), record).unwrap();
    to
}

/// Holds the lock of a run, as its process does.
fn go_on(folder: &std::path::Path) -> File {
    let lock = File::create(folder.join("lock")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
    lock
}

fn listed(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let said = sandbox.succeeds(&[&["runs", "list", "--json"], arguments].concat());
    said.json()["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
}
