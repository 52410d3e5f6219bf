//! `ioproof verify` on scratch files and existing files, with the real engine, as a user runs it.

use crate::common;
use crate::common::{MIB, Sandbox, noise, rules};
use serde_json::Value;
use std::os::unix::fs::MetadataExt;

fn workloads(report: &Value) -> Vec<String> {
    common::rounds(report)
        .iter()
        .map(|r| format!("{} {}", r["workload"]["pattern"].as_str().unwrap(), r["workload"]["read_percent"]))
        .collect()
}

#[test]
fn a_scratch_file_is_written_in_full_measured_and_gone() {
    let sandbox = Sandbox::new();
    let said = sandbox.verify(&["--size", "64MiB", "--json"]);
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    let report = said.json();
    assert_eq!(report["schema_version"], 2);
    assert_eq!(report["run"]["targets"][0]["content"]["filled_bytes"], 64 * MIB);
    assert_eq!(report["run"]["targets"][0]["content"]["zero_blocks"], 0);
    assert_eq!(report["run"]["targets"][0]["content"]["unwritten_bytes"].as_u64().unwrap_or(0), 0);
    assert_eq!(common::rounds(&report).len(), 10);
    assert!(common::rounds(&report).iter().all(|round| round["outcome"] == "complete"));
    // A slow drive has a round of a third of a second without an I/O; one of so many I/Os it has not.
    let counted =
        Sandbox::new().verify(&["--size", "16MiB", "--rw", "randread,randwrite", "--depth", "1", "--workers", "1", "--ios", "8", "--json"]);
    for round in common::rounds(&counted.json()) {
        assert_eq!(round["read"]["ios"].as_u64().unwrap() + round["write"]["ios"].as_u64().unwrap(), 8);
    }
    let warnings = report["run"]["warnings"].as_array().unwrap();
    let of_size: Vec<&Value> = warnings.iter().filter(|finding| finding["rule"] == "within-drive-cache").collect();
    assert_eq!(of_size.len(), 1, "said once for the run: {warnings:?}");
    assert_eq!((&of_size[0]["subject"], &of_size[0]["evidence"][0]["number"]), (&"run".into(), &(64.0 * MIB as f64).into()));
    assert!(sandbox.left_behind().is_empty());
    assert_eq!(sandbox.runs().len(), 1);
}

#[test]
fn the_summary_fits_one_screen_and_says_where_the_run_is() {
    let sandbox = Sandbox::new();
    let said = sandbox.verify(&["--size", "32MiB"]);
    // The host decides how many limits and doubts there are.
    let is_of_host = |line: &&str| ["doubt ", "note ", "  "].iter().any(|begin| line.starts_with(begin));
    assert!(said.stdout.lines().filter(|line| !is_of_host(line)).count() <= 40, "{}", said.stdout);
    for word in ["random read 4 KiB", "4 x 32 = 128", "write+sync", "exit status"] {
        assert!(said.stdout.contains(word), "`{word}` in {}", said.stdout);
    }
    assert!(said.stderr.contains("stored in") && said.stderr.contains("left"), "{}", said.stderr);
}

#[test]
fn an_existing_file_is_only_read() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", 8 * MIB);
    let said = sandbox.verify(&["data", "--datasheet", "intel-dc-s3700", "--json"]);
    let report = said.json();
    assert!(workloads(&report).iter().all(|w| w.ends_with(" 100")), "{:?}", workloads(&report));
    assert!(std::fs::read(&file).unwrap() == noise(8 * MIB), "the file was changed");
    let skipped = report["run"]["plan"]["skipped"].as_array().unwrap();
    assert!(skipped.iter().any(|s| s["reason"] == "needs_writing"));
}

#[test]
fn an_existing_file_is_written_when_it_is_named() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", 8 * MIB);
    let said = sandbox.verify(&["data", "--overwrite", "data", "--json"]);
    assert!(workloads(&said.json()).iter().any(|w| w.ends_with(" 0")));
    let after = std::fs::read(&file).unwrap();
    assert!(after.len() as u64 == 8 * MIB && after != noise(8 * MIB));
}

#[test]
fn a_file_with_more_holes_than_there_is_room_is_not_filled() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("sparse", MIB);
    std::fs::File::options().write(true).open(&file).unwrap().set_len(8 << 40).unwrap();
    let refused = sandbox.verify(&["sparse", "--overwrite", "sparse", "--size", "8TiB"]);
    refused.refuses(&["more on this filesystem", "are free"]);
    assert!(file.metadata().unwrap().blocks() * 512 <= 2 * MIB);
}

#[test]
fn consent_for_another_file_is_none() {
    let sandbox = Sandbox::new();
    let (data, other) = (sandbox.file("data", MIB), sandbox.file("other", MIB));
    sandbox.verify(&["data", "--overwrite", "other"]).refuses(&["other"]);
    sandbox.verify(&["data", "--destroy", "data"]).refuses(&["data"]);
    for file in [data, other] {
        assert!(std::fs::read(file).unwrap() == noise(MIB));
    }
    assert!(sandbox.runs().is_empty());
}

#[test]
fn reads_of_holes_are_fantasy() {
    let sandbox = Sandbox::new();
    std::fs::File::create(sandbox.work().join("sparse")).unwrap().set_len(64 * MIB).unwrap();
    let report = sandbox.verify(&["sparse", "--json"]).json();
    assert!(rules(&report).contains(&"unwritten".to_owned()), "{:?}", rules(&report));
    let reasons = report["judgement"]["rows"][0]["reasons"].as_array().unwrap().clone();
    assert!(reasons.iter().any(|r| r["about"] == "unwritten" && r["effect"] == "invalid"));
}

#[test]
fn odd_names_are_harmless() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let name = std::ffi::OsStr::from_bytes(b"x\xff\x1b[31m\n");
    std::fs::write(sandbox.work().join(name), noise(MIB)).unwrap();
    let mut command = sandbox.command(&["verify", "--time", "1s", "--runs", "1"]);
    let said = common::said(command.arg(name).output().unwrap());
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    let list = sandbox.run(&["runs", "list", "--wide"]);
    assert!(!said.stderr.contains('\x1b') && !said.stdout.contains('\x1b') && !list.stdout.contains('\x1b'), "{said:?}");
    assert_eq!(list.stdout.lines().count(), 1);
}

#[test]
fn a_file_can_be_overwritten_again_at_once() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    for _ in 0..6 {
        let said = sandbox.verify(&["data", "--overwrite", "data", "--rw", "randwrite", "--depth", "4", "--json"]);
        assert!(matches!(said.status, 0 | 3), "{said:?}");
    }
}

#[test]
fn what_is_not_the_drives_figure_is_no_success() {
    let sandbox = Sandbox::new();
    std::fs::File::create(sandbox.work().join("sparse")).unwrap().set_len(64 * MIB).unwrap();
    let said = sandbox.verify(&["sparse", "--rw", "randread", "--json"]);
    assert_eq!(said.status, 3);
    assert!(said.json()["judgement"]["exit_reason"].as_str().unwrap().contains("not the drive's"));
}

#[test]
fn targets_that_cannot_be_measured_say_why() {
    let sandbox = Sandbox::new();
    sandbox.file("tiny", 100);
    std::fs::write(sandbox.work().join("empty"), "").unwrap();
    std::os::unix::net::UnixListener::bind(sandbox.work().join("socket")).unwrap();
    std::os::unix::fs::symlink("nowhere", sandbox.work().join("dangling")).unwrap();
    for (target, words) in [
        ("no/such/thing", vec!["no/such/thing"]),
        ("/dev/no-such-device", vec!["/dev/no-such-device"]),
        ("dangling", vec!["dangling"]),
        ("empty", vec!["empty"]),
        ("tiny", vec!["less than one block"]),
        ("socket", vec!["socket"]),
        ("/dev/tty", vec!["/dev/tty"]),
        ("/dev/shm", vec!["memory"]),
        ("/proc", vec!["/proc"]),
    ] {
        sandbox.verify(&[target]).refuses(&words);
    }
    sandbox.verify(&["/dev/null", "--rw", "randread"]).refuses(&["nothing of this can be run on /dev/null", "/dev/zero is read"]);
    sandbox.verify(&["/dev/zero", "--rw", "randwrite"]).refuses(&["all of it writes", "/dev/null is written"]);
    sandbox.verify(&["--size", "100TiB"]).refuses(&["100 TiB"]);
    assert!(sandbox.runs().is_empty());
}

#[test]
fn only_what_is_asked_for_is_run() {
    let sandbox = Sandbox::new();
    let args = ["--size", "16MiB", "--rw", "randread,rw:30", "--bs", "4KiB,16KiB", "--depth", "2", "--workers", "1,2", "--json"];
    let report = sandbox.verify(&args).json();
    let rounds = common::rounds(&report);
    assert_eq!(rounds.len(), 8);
    assert!(rounds.iter().all(|r| r["workload"]["depth"] == 2 && r["outcome"] == "complete"));
    sandbox.file("data", MIB);
    sandbox.verify(&["data", "--rw", "write"]).refuses(&["nothing of this can be run", "--overwrite"]);
    let said = sandbox.verify(&["--bs", "4KiB"]);
    assert!(said.status == 2 && said.stderr.contains("--rw"), "{said:?}");
}

#[test]
fn a_dry_run_does_nothing() {
    let sandbox = Sandbox::new();
    let said = sandbox.succeeds(&["verify", "--dry-run", "--size", "1GiB", "--datasheet", "intel-dc-p3700"]);
    assert!(said.stdout.contains("written in full, 1 GiB") && said.stdout.contains("would be written at 2000 MB/s"), "{}", said.stdout);
    assert!(sandbox.left_behind().is_empty() && sandbox.runs().is_empty());
    let json = sandbox.run(&["verify", "--dry-run", "--json"]).json();
    assert!(json["bytes_to_write"].as_u64().unwrap() > 1 << 30);
}

#[test]
fn a_dry_run_tells_what_preconditioning_would_write() {
    let sandbox = Sandbox::new();
    let dry = ["verify", "--dry-run", "--size", "32MiB", "--time", "30s", "--rw", "randwrite"];
    let with = [&dry[..], &["--precondition"]].concat();
    let text = sandbox.run(&with).stdout;
    assert!(
        text.contains("preconditioning: 2 sequential passes over 32 MiB, then random write 4 KiB")
            && text.contains("until steady, 5 to 25 rounds"),
        "{text}"
    );
    let bytes = |args: &[&str]| sandbox.run(&[args, &["--json"]].concat()).json()["bytes_to_write"].as_u64().unwrap();
    assert!(bytes(&with) > bytes(&dry) + 64 * MIB);
}

#[test]
fn a_pace_slower_than_the_runs_is_said_before_and_after() {
    let sandbox = Sandbox::new();
    let args = ["verify", "--size", "16MiB", "--time", "1s", "--workers", "1", "--rw", "randread", "--think", "1000s"];
    let said = "a run lasts 0.25 s, and at this pace an I/O comes every 1000 s";
    let dry = sandbox.run(&[&args[..], &["--dry-run"]].concat());
    assert!(dry.stderr.contains(&format!("warning: {said}")) && dry.stderr.contains("hint: give --time "), "{dry:?}");
    let run = sandbox.run(&args);
    assert!(run.stderr.contains(&format!("warning: {said}")), "{run:?}");
    let told = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    // The first I/O is sent at once; where it takes long it falls into what is measured.
    let words = if run.status == 2 { format!("nothing was measured. Most likely because {said}") } else { said.to_owned() };
    assert!(matches!(run.status, 0 | 2 | 3) && told.contains(&words), "{run:?}");
}

#[test]
fn a_time_that_cannot_suffice_is_said_once() {
    let said = Sandbox::new().run(&["verify", "--size", "16MiB", "--time", "1ms", "--dry-run"]);
    assert_eq!(said.stderr.matches("warning: --time 1 ms is too short").count(), 1, "{said:?}");
}

#[test]
fn generators_show_their_own_cost_and_no_drive() {
    let sandbox = Sandbox::new();
    let zero = sandbox.verify(&["/dev/zero", "--json"]).json();
    assert!(workloads(&zero).iter().all(|w| w.ends_with(" 100")));
    let null = sandbox.verify(&["/dev/null", "--json"]).json();
    assert!(workloads(&null).iter().all(|w| w.ends_with(" 0")));
    assert_eq!(null["run"]["targets"][0]["drives"].as_array().unwrap().len(), 0);
}

/// A datasheet with one claim that no drive keeps and one that every drive exceeds.
const EXTREMES: &str = r#"name = "extremes"
vendor = "Test"
family = "Extremes"
models = []
interface = "nvme"
[[variant]]
capacity = "CAPACITY"
[[claim]]
metric = "iops"
value = 50000
unit = "kIOPS"
qualifier = "up to"
pattern = "random"
mix = "read"
block_size = "4KiB"
queue_depth = 8
source = "test"
confidence = "high"
[[claim]]
metric = "iops"
value = 10
unit = "IOPS"
qualifier = "up to"
pattern = "random"
mix = "write"
block_size = "4KiB"
queue_depth = 8
source = "test"
confidence = "high"
"#;

/// Size of the drive at the bottom of a stack.
fn drive_bytes(node: &Value) -> Option<u64> {
    match node["under"].as_array().and_then(|under| under.first()) {
        Some(under) => drive_bytes(under),
        None => node["size_bytes"].as_u64(),
    }
}

#[test]
fn claims_are_judged_from_six_runs_on() {
    let sandbox = Sandbox::new();
    let dry = sandbox.run(&["verify", "--dry-run", "--json"]).json();
    let capacity = drive_bytes(&dry["target"]["stack"]);
    std::fs::write(sandbox.work().join("extremes.toml"), EXTREMES.replace("CAPACITY", &capacity.unwrap_or(1 << 30).to_string())).unwrap();
    let said = sandbox.run(&["verify", "--size", "16MiB", "--datasheet", "extremes.toml", "--time", "1s", "--json"]);
    let few = said.json();
    assert_eq!((said.status, few["judgement"]["rows"][0]["verdict"].as_str()), (3, Some("cannot_tell")), "one run each");
    // Six runs of so many I/Os, however long they take.
    let conditions = "--rw randread,randwrite --bs 4KiB --depth 8 --workers 1 --ios 4000 --runs 6 --time 10m --json";
    let conditions: Vec<&str> = conditions.split(' ').collect();
    let said = sandbox.run(&[&["verify", "--size", "16MiB", "--datasheet", "extremes.toml"], &conditions[..]].concat());
    let report = said.json();
    let rows = &report["judgement"]["rows"];
    // A figure is held against a drive only where its capacity is known: not below overlayfs, as in a container.
    // Nor while somebody else keeps the drive busy, as other tests may at the same time.
    let has = |effect: &str| rows[0]["reasons"].as_array().unwrap().iter().any(|reason| reason["effect"] == effect);
    let is_incomparable = has("harder") || has("incomparable");
    // Nor at a low priority beside others: then nothing can be told.
    let expected = match (has("held_back"), is_incomparable) {
        (true, _) => "cannot_tell",
        (_, true) => "indicative",
        _ => "misses",
    };
    assert!(capacity.is_some() || is_incomparable);
    assert_eq!((rows[0]["verdict"].as_str(), rows[1]["verdict"].as_str()), (Some(expected), Some("indicative")), "{rows}");
    assert_eq!(said.status == 1, expected == "misses", "{said:?}");
    assert_eq!(rows[0]["measured"]["runs"], 6);
    assert_eq!(rows[0]["workload"]["depth"], 8);
    assert!(rules(&report).contains(&"above-claim".to_owned()));
}
