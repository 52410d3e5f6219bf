//! `ioproof verify --rw ...` with the flags of a load, on the real engine: what was asked for is what is recorded, and nothing else is touched.

use crate::common;
use crate::common::{MIB, Sandbox, noise};
use serde_json::Value;

/// The report of one run of each workload on a small scratch file.
#[track_caller]
fn report(sandbox: &Sandbox, words: &str) -> Value {
    let args: Vec<&str> = words.split_whitespace().collect();
    let said = sandbox.verify(&[&["--size", "16MiB", "--depth", "4", "--workers", "2", "--json", "--rw"], &args[..]].concat());
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    said.json()
}

fn rounds(report: &Value) -> Vec<Value> {
    common::rounds(report)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn notes(report: &Value) -> Vec<&str> {
    report["run"]["notes"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect()
}

#[test]
fn sizes_are_mixed_and_latency_is_split() {
    let report = report(&Sandbox::new(), "randread --bs 4KiB:60/16KiB:40 --distribution zipf:1.2 --split-latency --backend libaio");
    let read = &rounds(&report)[0]["read"];
    let (ios, bytes) = (number(&read["ios"]), number(&read["bytes"]));
    assert!(bytes > ios * 4096 && bytes < ios * 16384, "{ios} I/Os of {bytes} B");
    for part in ["submission", "completion"] {
        assert_eq!(number(&read[part]["count"]), ios, "{part}");
    }
    assert_eq!(rounds(&report)[0]["workload"]["shape"]["order"]["zipf"]["theta_milli"], 1200);
    assert!(read.get("response").is_none(), "a closed loop has no response time of its own");
}

#[test]
fn an_open_loop_asks_for_no_more_than_its_rate_and_has_response_times() {
    let report = report(&Sandbox::new(), "randread --rate 400");
    let round = &rounds(&report)[0];
    let (ios, seconds) = (number(&round["read"]["ios"]), number(&round["elapsed_ns"]) as f64 / 1e9);
    // What had to wait before the measurement began may be done within it, but not more than the queue holds.
    assert!(ios as f64 <= 400.0 * seconds + 16.0, "{ios} in {seconds} s");
    let sum = |histogram: &Value| histogram["sum_ns"].as_f64().unwrap();
    // Those that outlive the measurement are timed beside what it counts.
    assert!((ios..=ios + 16).contains(&number(&round["read"]["response"]["count"])));
    assert!(sum(&round["read"]["response"]) >= sum(&round["read"]["latency"]));
}

#[test]
fn syncs_follow_the_writes_that_they_are_for() {
    let report = report(&Sandbox::new(), "randwrite --sync fsync:4 --end-fsync --ios 40");
    let round = &rounds(&report)[0];
    assert_eq!(number(&round["write"]["ios"]), 80, "40 of each worker");
    let syncs = number(&round["sync"]["ios"]);
    assert!((20..=22).contains(&syncs), "one in four, and one at the end of each worker that has not just synced: {syncs}");
}

#[test]
fn a_job_ends_after_so_many_bytes() {
    let report = report(&Sandbox::new(), "read --bytes 1MiB --bs 64KiB");
    assert_eq!(number(&rounds(&report)[0]["read"]["bytes"]), 2 * MIB, "1 MiB of each worker");
}

#[test]
fn trims_are_mixed_in() {
    let report = report(&Sandbox::new(), "randrw:40:30 --bs 64KiB");
    let round = &rounds(&report)[0];
    for direction in ["read", "write", "trim"] {
        assert!(number(&round[direction]["ios"]) > 0, "{direction}");
    }
    assert!(notes(&report).iter().any(|n| n.contains("reads beside trims")), "{:?}", notes(&report));
}

#[test]
fn what_only_trims_is_measured() {
    let report = report(&Sandbox::new(), "randtrim --bs 64KiB");
    assert!(report["judgement"]["rows"][0]["measured"]["median"].as_f64().unwrap() > 0.0);
}

#[test]
fn only_the_parts_of_the_workers_are_written() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", 16 * MIB);
    let args =
        ["data", "--overwrite", "data", "--rw", "randwrite", "--offset", "4MiB", "--workers", "2", "--worker-span", "2MiB", "--json"];
    let report = sandbox.verify(&args).json();
    let span = &rounds(&report)[0]["span"];
    assert_eq!((number(&span["offset_bytes"]), number(&span["length_bytes"])), (4 * MIB, 4 * MIB));
    let (before, after) = (noise(16 * MIB), std::fs::read(&file).unwrap());
    let (start, end) = (4 << 20, 8 << 20);
    assert!(before[..start] == after[..start] && before[end..] == after[end..], "bytes outside of the span were changed");
    assert!(after[start..end].chunks(4096).zip(before[start..end].chunks(4096)).all(|(a, b)| a != b), "all of it was filled");
}

#[test]
fn every_backend_runs_by_its_name() {
    let sandbox = Sandbox::new();
    for name in ["libaio", "posixaio", "psync", "pvsync2", "mmap", "null"] {
        let report = report(&sandbox, &format!("randread --backend {name}"));
        let round = &rounds(&report)[0];
        assert_eq!((round["engine"]["backend"].as_str(), round["outcome"].as_str()), (Some(name), Some("complete")));
        assert_eq!(report["run"]["config"]["backend"], name);
    }
}

#[test]
fn without_io_nothing_is_written_and_no_drive_is_judged() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", 4 * MIB);
    let args = ["data", "--overwrite", "data", "--rw", "randwrite", "--backend", "null"];
    let said = sandbox.verify(&args);
    assert!(said.stdout.contains("No I/O was done (--backend null)"), "{said:?}");
    assert!(std::fs::read(&file).unwrap() == noise(4 * MIB));
    let report = sandbox.verify(&[&args[..], &["--json"]].concat()).json();
    assert!(number(&rounds(&report)[0]["write"]["ios"]) > 0);
    assert_eq!(report["run"]["targets"][0]["drives"].as_array().unwrap().len(), 0);
    sandbox.verify(&["data", "--backend", "null", "--datasheet", "intel-dc-p3700"]).refuses(&["--backend null", "--datasheet"]);
    sandbox.run(&["sync", "--as", "etcd", "--backend", "null"]).refuses(&["nothing to hold against the limit of etcd", "leave out --as"]);
}

#[test]
fn what_was_written_is_read_back_and_good() {
    let report = report(&Sandbox::new(), "randwrite,write --check --bs 4KiB:50/12KiB:50");
    let checks: Vec<Value> = rounds(&report).iter().filter_map(|r| r.get("check").cloned()).collect();
    assert_eq!(checks.len(), 2, "one pass for each workload");
    for check in checks {
        assert!(number(&check["good"]) > 0, "{check}");
        for bad in ["corrupt", "misplaced", "stale", "torn"] {
            assert_eq!(number(&check[bad]), 0, "{check}");
        }
    }
}

#[test]
fn lost_data_is_found_and_said() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    // Some of the writes are reported as done and are not, as by a drive that lies.
    let lies = ["--faults", "drop_writes=0.2,seed=7", "--time", "2s", "--runs", "1"];
    let said =
        sandbox.run(&[&["verify", "data", "--overwrite", "data", "--rw", "randwrite", "--check", "--depth", "2"], &lies[..]].concat());
    assert_eq!(said.status, 1, "{said:?}");
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("DATA WAS LOST: ") && text.contains("the first: "), "{text}");
}

#[test]
fn a_rate_is_searched_for_and_then_proved() {
    let sandbox = Sandbox::new();
    let args = ["--size", "16MiB", "--rw", "randread", "--depth", "4", "--workers", "1", "--latency-target", "p50:10s", "--json"];
    let report = sandbox.verify(&args).json();
    let said = notes(&report).into_iter().find(|n| n.contains("p50 up to 10 s")).unwrap();
    assert!(rounds(&report).len() > 1, "{said}");
    assert!(rounds(&report)[0]["workload"].get("shape").is_none(), "the first step is a closed loop");
    assert!(rounds(&report)[1]["workload"]["shape"]["pace"]["fixed"].is_object());
    // Where the host is too busy to deliver even a quarter of what it just did, nothing is found; else the plan holds what was.
    if let Some(planned) = report["run"]["plan"]["reads"].as_array().unwrap().first() {
        let rate = number(&planned["workload"]["shape"]["pace"]["fixed"]["ios_per_s"]);
        assert!(said.contains(&format!("{rate} IOPS is the highest rate that holds it")), "{said}");
        assert_eq!(rounds(&report).last().unwrap()["workload"], planned["workload"]);
        assert_eq!(report["run"]["searches"][0]["found"]["rate"], planned["workload"]["shape"]["pace"]["fixed"]["ios_per_s"]);
    }
    let tried = report["run"]["searches"][0]["steps"].as_array().unwrap().len();
    assert!(tried > 0 && tried < rounds(&report).len());
}

#[test]
fn what_needs_consent_is_not_left_out_in_silence() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", 4 * MIB);
    let report = sandbox.verify(&["data", "--rw", "randread,randtrim", "--json"]).json();
    assert!(notes(&report).iter().any(|n| n.contains("not run: random trim 4 KiB")), "{:?}", notes(&report));
    sandbox.verify(&["data", "--rw", "trim"]).refuses(&["nothing of this can be run", "--overwrite"]);
    assert!(std::fs::read(&file).unwrap() == noise(4 * MIB), "trimming counts as writing");
}

#[test]
fn the_generator_is_tested_once_a_day() {
    let sandbox = Sandbox::untested();
    let kept = sandbox.self_test();
    let dry = sandbox.run(&["verify", "--dry-run", "--size", "16MiB"]);
    assert!(dry.status == 0 && !kept.exists(), "a dry run measures nothing");
    let first = report(&sandbox, "randread");
    let bytes = std::fs::read(&kept).unwrap();
    let second = report(&sandbox, "randread");
    assert!(std::fs::read(&kept).unwrap() == bytes, "it was measured again");
    assert_eq!(first["run"]["self_test"]["loop_ns_per_io"], second["run"]["self_test"]["loop_ns_per_io"]);
    std::fs::write(&kept, "{ broken").unwrap();
    assert!(number(&report(&sandbox, "randread")["run"]["self_test"]["looked_ns"]) > 0);
    assert!(std::fs::read(&kept).unwrap() != b"{ broken", "a broken file is replaced");
}

#[test]
fn a_latency_target_that_every_rate_misses_is_told_with_its_steps() {
    let sandbox = Sandbox::new();
    let args =
        ["verify", "--runs", "1", "--size", "16MiB", "--rw", "randread", "--depth", "1", "--workers", "1", "--latency-target", "p50:1ns"];
    let for_time = |time| sandbox.run(&[&args[..], &["--time", time]].concat());
    let said = for_time("1s");
    // Where steps are too short for the machine, it says to give it longer.
    let said = if said.stdout.contains("the latency target cannot be told") { for_time("60s") } else { said };
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.stdout.contains("the latency target was missed at every rate that "), "{}", said.stdout);
    let words = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("p50 up to 1 ns: ") && words.contains(" steps: "), "{words}");
}

#[test]
fn what_does_not_fit_is_not_told_to_lack_a_consent() {
    let sandbox = Sandbox::new();
    sandbox.file("odd", 512);
    let small = sandbox.verify(&["odd", "--rw", "randread"]);
    small.refuses(&["of which", "are used", "a larger --size or file"]);
    assert!(!small.stderr.contains("--overwrite"), "{}", small.stderr);
    let missing = sandbox.run(&["run", "--name=a", "--filename=/dev/nvme97n1", "--rw=read", "--size=1m"]);
    missing.refuses(&["/dev/nvme97n1: no such target"]);
}
