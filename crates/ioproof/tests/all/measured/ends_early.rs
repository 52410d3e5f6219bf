//! Runs that do not end as planned, and what they leave: Ctrl-C, SIGKILL, failing, vanishing and hanging drives.

use crate::common;
use crate::common::{MIB, ProgramOutput, Sandbox, rules, said, signal};
use std::process::Child;

/// Starts a run that would take long and waits until it has stored this many stages.
fn start(sandbox: &Sandbox, target: &[&str], stages: usize) -> Child {
    let mut child = sandbox.begin(&[&["verify", "--time", "10m", "--runs", "500", "--json"], target].concat());
    sandbox.wait_for_stages(&mut child, stages);
    child
}

const SCRATCH: [&str; 2] = ["--size", "16MiB"];

#[test]
fn ctrl_c_still_reports() {
    let sandbox = Sandbox::new();
    let child = start(&sandbox, &SCRATCH, 2);
    signal(&child, "-INT");
    let said = said(child.wait_with_output().unwrap());
    assert_eq!(said.status, 3, "{said:?}");
    let report = said.json();
    assert_eq!(report["run"]["status"]["state"], "interrupted");
    assert!(report["judgement"]["rows"].as_array().unwrap().iter().any(|r| r["measured"].is_object()));
    assert!(sandbox.left_behind().is_empty());
    assert!(sandbox.run(&["runs", "list"]).stdout.contains("interrupted"));
    let report = sandbox.run(&["report", "last"]).stdout;
    assert!(report.contains("Not reached: ") && report.contains(" more."), "{report}");
}

#[test]
fn kill_leaves_a_run_marked_interrupted_and_nothing_else() {
    let sandbox = Sandbox::new();
    let mut child = start(&sandbox, &SCRATCH, 3);
    assert!(sandbox.run(&["runs", "list"]).stdout.contains("running"));
    signal(&child, "-KILL");
    child.wait().unwrap();
    assert!(sandbox.left_behind().is_empty());
    let list = sandbox.run(&["runs", "list"]);
    assert!(list.stdout.contains("interrupted"), "{list:?}");
    let shown = sandbox.run(&["report", "last", "--json"]).json();
    assert_eq!(shown["run"]["status"]["state"], "interrupted");
    assert!(common::rounds(&shown).len() >= 3);
    assert!(sandbox.run(&["runs", "show", "last"]).stdout.contains("interrupted"));
}

#[test]
fn what_was_measured_is_reported_though_the_target_can_be_used_no_more() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("data", 16 * MIB);
    let child = start(&sandbox, &["data", "--backend", "mmap", "-o", "report.json"], 2);
    std::fs::File::options().write(true).open(path).unwrap().set_len(0).unwrap();
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 3 && said.stderr.contains("cannot be mapped") && said.stderr.contains("stored in"), "{said:?}");
    let report = said.json();
    assert_eq!((&report["run"]["status"]["state"], &report["judgement"]["exit_status"]), (&"failed".into(), &3.into()));
    assert!(common::rounds(&report).len() >= 2 && sandbox.work().join("report.json").exists());
}

fn with_faults(sandbox: &Sandbox, faults: &str) -> ProgramOutput {
    sandbox.file("data", 4 * MIB);
    sandbox.verify(&["data", "--faults", faults, "--io-timeout", "500ms", "--json"])
}

#[test]
fn io_errors_are_reported_and_decide_nothing() {
    let sandbox = Sandbox::new();
    // From the first I/O on: how many a round manages on a busy disk is not ours to say. The engine's own tests let it fail midway.
    let said = with_faults(&sandbox, "fail_after=0");
    assert_eq!(said.status, 2, "no round counts: {said:?}");
    let report = said.json();
    assert!(rules(&report).starts_with(&["faults-injected".to_owned(), "io-errors".to_owned()]), "{:?}", rules(&report));
    assert!(common::rounds(&report).iter().all(|r| r["errors"]["failed"].as_u64() > Some(0)));
    assert_eq!(sandbox.runs().len(), 1);
}

#[test]
fn a_drive_that_disappears_ends_the_run() {
    let sandbox = Sandbox::new();
    let report = with_faults(&sandbox, "gone_after=0").json();
    assert_eq!(report["run"]["status"]["state"], "failed");
    assert!(report["run"]["status"]["reason"].as_str().unwrap().contains("gone"));
    assert_eq!(common::rounds(&report).len(), 1, "nothing is tried after that");
}

#[test]
fn io_that_never_returns_still_gives_a_report() {
    let sandbox = Sandbox::new();
    for backend in ["io_uring", "psync"] {
        let data = sandbox.file("data", 4 * MIB);
        let said = sandbox.verify(&["data", "--faults", "hang_at=1", "--io-timeout", "500ms", "--backend", backend, "--json"]);
        let report = said.json();
        assert_eq!(report["run"]["status"]["state"], "hung", "{backend}");
        assert_eq!(common::rounds(&report)[0]["outcome"], "hung");
        assert!(rules(&report).contains(&"io-errors".to_owned()));
        std::fs::remove_file(data).unwrap();
    }
}

#[test]
fn a_scratch_file_that_cannot_be_written_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.verify(&["--size", "16MiB", "--faults", "fail_after=2"]).refuses(&["could not be written in full", "write at byte"]);
    assert!(sandbox.run(&["runs", "list"]).stdout.contains("failed"));
    assert!(sandbox.left_behind().is_empty());
}
