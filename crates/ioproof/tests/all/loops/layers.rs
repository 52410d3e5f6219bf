//! `layers` on ext4 on a loop device, whose counters are nobody else's: what a commit of SQLite sends to the drive, and what a journal of data costs. Needs root.

use crate::common::loops::{LoopDevice, Mount, mkfs};
use crate::common::{MIB, Sandbox};
use serde_json::Value;

/// ext4 with these mount options on a new file of the sandbox.
fn ext4(sandbox: &Sandbox, options: &str) -> (Mount, LoopDevice) {
    let device = LoopDevice::empty(sandbox, "image", 1024 * MIB);
    mkfs(&device.device);
    (Mount::new(sandbox, "mounted", &["-o", options, &device.device]), device)
}

/// The findings of this rule.
fn found<'a>(report: &'a Value, rule: &str) -> Vec<&'a Value> {
    report["judgement"]["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == rule).collect()
}

#[test]
fn data_that_goes_through_the_journal_is_written_twice() {
    let sandbox = Sandbox::new();
    let (mounted, _device) = ext4(&sandbox, "data=journal");
    let place = mounted.path();
    // Of large writes the journal's own records are a small part. A slow drive needs longer for enough of them.
    let measured = |time: &str| {
        let words =
            ["layers", "--dir", place, "--db", "none", "--page", "64KiB", "--runs", "1", "--time", time, "--size", "16MiB", "--json"];
        let said = sandbox.run(&words);
        assert_eq!(said.status, 3, "{said:?}");
        said.json()
    };
    let report = ["6s", "20s", "60s"].iter().map(|time| measured(time)).find(|report| !found(report, "data-journal").is_empty());
    let report = report.expect("it is not told");
    let findings = found(&report, "data-journal");
    let figure = findings[0]["evidence"].as_array().unwrap().iter().find_map(|evidence| evidence["number"].as_f64()).unwrap();
    assert!(findings.len() == 1 && (1.5..3.0).contains(&figure), "{findings:?}");
    // It reads and writes through the page cache then, whatever is asked for.
    assert!(!found(&report, "page-cache").is_empty(), "{report}");
    assert!(report["judgement"]["layers"]["says"].to_string().contains("a cache answered"));
}

#[test]
fn a_commit_of_sqlite_has_its_flushes_and_bytes_at_the_device() {
    let sandbox = Sandbox::new();
    let (mounted, device) = ext4(&sandbox, "defaults");
    let place = mounted.path();
    let words = ["layers", "--dir", place, "--db", "sqlite,sqlite:rollback", "--runs", "1", "--time", "6s", "--size", "16MiB", "--json"];
    let said = sandbox.measures(&words);
    let report = said.json();
    assert!(found(&report, "data-journal").is_empty() && found(&report, "commits-unsynced").is_empty(), "{report}");
    let (blocks, reads) = (&report["judgement"]["layers"]["rows"][0], &report["judgement"]["layers"]["rows"][1]);
    assert_eq!((&blocks["kind"], &reads["kind"]), (&"block_reads".into(), &"filesystem_reads".into()));
    assert!(blocks["title"].as_str().unwrap().ends_with(&device.device) && reads["share"]["median"].as_f64().unwrap() > 0.0, "{reads}");
    let span = |row: &Value| &report["run"]["jobs"][row["job"].as_u64().unwrap() as usize]["span"];
    assert_eq!(span(blocks)["length_bytes"], span(reads)["length_bytes"], "the same blocks");
    let stages = report["run"]["stages"].as_array().unwrap();
    // Of the loop device itself: the drive below has the writes of others too.
    let of = |database: u64| {
        let stage = stages.iter().find(|stage| stage["databases"][0]["database"] == database).unwrap();
        let devices = stage["devices"].as_array().unwrap();
        let counters = devices.iter().find(|counted| counted["name"] == device.name()).unwrap();
        let commits = stage["databases"][0]["total_transactions"].as_f64().unwrap();
        (counters["flush_ios"].as_f64().unwrap() / commits, counters["write_bytes"].as_f64().unwrap() / commits)
    };
    let (flushes, bytes) = of(0);
    // A log that still grows has a commit of ext4's journal behind each of its syncs, and with it a second flush; one that was begun anew does not.
    assert!((0.9..2.3).contains(&flushes), "{flushes} flushes a commit of the log");
    assert!(bytes > 4096.0, "{bytes} bytes a commit");
    let (of_rollback, _) = of(1);
    assert!(of_rollback > 2.5, "{of_rollback} flushes a commit of the rollback journal, {flushes} of the log");
}
