//! `verify --all-idle-drives`: one run file a drive, and the end that tells all of them. Files stand in for drives.

use crate::common::{MIB, Sandbox};
use serde_json::Value;

/// The end in a folder where the program is run.
fn end(sandbox: &Sandbox, folder: &str) -> Value {
    serde_json::from_slice(&std::fs::read(sandbox.work().join(folder).join("end.json")).unwrap()).unwrap()
}

const LOAD: [&str; 8] = ["--rw", "randread", "--depth", "1", "--time", "1s", "--runs", "1"];

#[test]
fn each_drive_has_a_run_file_and_one_that_is_refused_stops_nothing() {
    let sandbox = Sandbox::new();
    for name in ["a.img", "b.img"] {
        sandbox.file(name, 16 * MIB);
    }
    let dry = sandbox.run(&["verify", "--all-idle-drives", "a.img", "missing", "--out", "node", "--dry-run"]);
    assert!(dry.stdout.contains("a.img: would be read") && dry.stdout.contains("missing: would not be measured"), "{dry:?}");
    assert!(!sandbox.work().join("node").exists());
    let words = [&["verify", "--all-idle-drives", "a.img", "missing", "b.img", "--out", "node"], &LOAD[..]].concat();
    let said = sandbox.measures(&words);
    let end = end(&sandbox, "node");
    let files: Vec<&str> = end["drives"].as_array().unwrap().iter().map(|drive| drive["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["a.img.json", "b.img.json"]);
    assert_eq!(end["refused"][0]["path"], "missing");
    assert_eq!(end["exit_status"], said.status);
    assert!(said.stdout.contains("missing: not measured: ") && end["last_finished_at"].as_str() >= end["first_finished_at"].as_str());
    for (name, path) in [("a.img.json", "a.img"), ("b.img.json", "b.img")] {
        let run: Value = serde_json::from_slice(&std::fs::read(sandbox.work().join("node").join(name)).unwrap()).unwrap();
        assert_eq!(run["run"]["targets"][0]["facts"]["given"], path);
        // The command measures this drive alone.
        let command: Vec<&str> = run["run"]["config"]["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        assert_eq!(command[1..], [&["verify", path], &LOAD[..]].concat());
    }
    // A second time there is nothing left to do.
    let runs = sandbox.runs();
    let again = sandbox.run(&words);
    assert_eq!((again.status, sandbox.runs()), (said.status, runs), "{again:?}");
    assert!(again.stderr.contains("was measured before"));
}

#[test]
fn a_node_without_a_drive_that_can_be_measured_says_so() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(&["verify", "--all-idle-drives", ".", "--out", "node", "--quick"]);
    assert!(said.status == 2 && said.stdout.contains("a directory is no drive"), "{said:?}");
    sandbox.run(&["verify", "--all-idle-drives"]).refuses(&["--out"]);
    sandbox.run(&["verify", "--all-idle-drives", "--out", "x", "--destroy", "S1"]).refuses(&["--destroy"]);
    sandbox.run(&["verify", "--all-idle-drives", "--out", "x", "--consent", "missing.txt"]).refuses(&["missing.txt"]);
}

#[test]
fn drives_at_once_have_a_process_each() {
    let sandbox = Sandbox::new();
    for name in ["a.img", "b.img", "c.img"] {
        sandbox.file(name, 16 * MIB);
    }
    let words = ["verify", "--all-idle-drives", "a.img", "missing", "b.img", "c.img", "--out", "node", "--at-once", "2"];
    let said = sandbox.measures(&[&words[..], &LOAD[..]].concat());
    let end = end(&sandbox, "node");
    let files: Vec<&str> = end["drives"].as_array().unwrap().iter().map(|drive| drive["file"].as_str().unwrap()).collect();
    assert_eq!((files, end["refused"][0]["path"].as_str()), (vec!["a.img.json", "b.img.json", "c.img.json"], Some("missing")), "{said:?}");
    // What a process says of its drive is the reason.
    std::fs::write(sandbox.work().join("empty.img"), "").unwrap();
    let said = sandbox.run(&["verify", "--all-idle-drives", "empty.img", "--out", "other", "--at-once", "2", "--quick"]);
    assert!(said.status == 2 && said.stdout.contains("empty.img: not measured: "), "{said:?}");
    // A signal ends all of them, and each has its report.
    let before = sandbox.runs().len();
    let long = [
        "verify",
        "--all-idle-drives",
        "a.img",
        "b.img",
        "c.img",
        "--out",
        "long",
        "--at-once",
        "2",
        "--rw",
        "randread",
        "--time",
        "1000s",
        "--runs",
        "500",
    ];
    let child = sandbox.begin(&long);
    crate::common::wait_until("two runs", || sandbox.runs().len() >= before + 2 && sandbox.stages() > 0);
    crate::common::signal(&child, "-TERM");
    let said = crate::common::said(child.wait_with_output().unwrap());
    let end = self::end(&sandbox, "long");
    assert!(said.status == 3 && end["interrupted"] == true && end["refused"][0]["path"] == "c.img", "{said:?} {end}");
}
