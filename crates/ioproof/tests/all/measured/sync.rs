//! `sync`: every way does what its name says, on files of its own, and is told with its rates, latencies and flushes.

use crate::common::Sandbox;
use serde_json::Value;

/// A run of one round of 40 writes for each way.
fn of_ways(sandbox: &Sandbox, more: &[&str]) -> Value {
    of_runs(sandbox, "1", more)
}

fn of_runs(sandbox: &Sandbox, runs: &str, more: &[&str]) -> Value {
    let words = ["sync", ".", "--size", "4MiB", "--runs", runs, "--ios", "40", "--json"];
    let said = sandbox.run(&[&words[..], more].concat());
    assert!(said.status != 2, "{said:?}");
    said.json()
}

/// Of each way: its name, the writes, the syncs and the bytes of its round.
fn counts(report: &Value) -> Vec<(String, u64, u64, u64)> {
    let jobs = report["run"]["jobs"].as_array().unwrap();
    let mut all = Vec::new();
    for stage in report["run"]["stages"].as_array().unwrap() {
        for round in stage["rounds"].as_array().unwrap() {
            let workload = &jobs[round["job"].as_u64().unwrap() as usize]["workload"];
            let name = match &workload["durability"] {
                Value::String(name) => name.clone(),
                other => other.to_string(),
            };
            let count = |of: &str, what: &str| round[of][what].as_u64().unwrap();
            all.push((name, count("write", "ios"), count("sync", "ios"), count("write", "bytes")));
        }
    }
    all
}

fn count_of<'a>(counts: &'a [(String, u64, u64, u64)], name: &str) -> &'a (String, u64, u64, u64) {
    counts.iter().find(|(of, ..)| of == name).unwrap_or_else(|| panic!("{name}: {counts:?}"))
}

#[test]
fn nvme_commands_go_to_no_file() {
    let sandbox = Sandbox::new();
    for backend in ["psync", "io_uring"] {
        let said = sandbox.run(&["sync", ".", "--size", "4MiB", "--sync", "fua", "--backend", backend]);
        let hint = if backend == "psync" { "--sync dsync" } else { "--backend psync" };
        assert!(said.status == 2 && said.stderr.contains(hint), "{said:?}");
    }
}

#[test]
fn every_way_syncs_as_often_as_its_name_says() {
    let sandbox = Sandbox::new();
    let ways = "fdatasync,fsync,dsync,sync,fdatasync:8,range:8,none";
    let report = of_ways(&sandbox, &["--sync", ways, "--bs", "4KiB", "--workers", "1", "--write-to", "existing", "--files", "1"]);
    let counts = counts(&report);
    for (name, syncs) in [
        ("fdatasync_each", 40),
        ("fsync_each", 40),
        ("dsync", 0),
        ("sync", 0),
        ("{\"fdatasync_every\":8}", 5),
        ("{\"sync_file_range_every\":8}", 5),
        ("none", 0),
    ] {
        let (_, writes, found, bytes) = count_of(&counts, name);
        assert_eq!((*writes, *found, *bytes), (40, syncs, 40 * 4096), "{name}");
    }
    assert_eq!(report["run"]["verb"], "sync");
    let ways = report["judgement"]["syncs"]["ways"].as_array().unwrap();
    assert_eq!(ways.len(), 7);
    assert!(ways[0]["flushes_per_commit"].is_number() && ways[0]["sync"]["samples"] == 40, "{}", ways[0]);
    assert!(ways[6].get("commits_per_s").is_none(), "without a sync nothing is committed");
}

#[test]
fn files_share_the_size_once() {
    let sandbox = Sandbox::new();
    let words =
        ["sync", ".", "--as", "sysbench", "--files", "32", "--size", "4MiB", "--workers", "2", "--runs", "1", "--ios", "5", "--json"];
    let said = sandbox.run(&words);
    assert!(said.status != 2, "{said:?}");
    let spans: Vec<u64> =
        said.json()["run"]["jobs"].as_array().unwrap().iter().map(|job| job["span"]["length_bytes"].as_u64().unwrap()).collect();
    assert!(spans.iter().all(|span| *span == 128 << 10), "{spans:?}");
}

#[test]
fn several_files_are_synced_one_or_all() {
    let sandbox = Sandbox::new();
    let files = ["--rw", "randwrite", "--bs", "4KiB", "--workers", "1", "--files", "4", "--write-to", "existing"];
    let counted = counts(&of_ways(&sandbox, &[&files[..], &["--sync", "fsync,fsync-all:1,fsync-all:10"]].concat()));
    assert_eq!(count_of(&counted, "fsync_each").2, 40);
    assert_eq!(count_of(&counted, "{\"fsync_all_every\":1}").2, 160, "each of four files after each write");
    assert_eq!(count_of(&counted, "{\"fsync_all_every\":10}").2, 16);
}

#[test]
fn a_file_grows_anew_in_each_round_and_nothing_is_left() {
    let sandbox = Sandbox::new();
    let words = ["--rw", "write", "--bs", "4KiB", "--workers", "1", "--sync", "fdatasync", "--write-to", "append,append-reserved,reserved"];
    let report = of_runs(&sandbox, "2", &words);
    let rounds = counts(&report);
    assert!(rounds.len() == 6 && rounds.iter().all(|round| round.1 == 40 && round.2 == 40), "{rounds:?}");
    assert!(sandbox.left_behind().is_empty());
}

#[test]
fn a_preset_writes_as_its_program_does_and_answers_its_limit() {
    let sandbox = Sandbox::new();
    let report = of_runs(&sandbox, "6", &["--as", "etcd"]);
    let workload = &report["run"]["jobs"][0]["workload"];
    assert_eq!((&workload["block_bytes"], &workload["shape"]["buffered"]), (&2300.into(), &true.into()));
    let goal = &report["judgement"]["syncs"]["goals"][0];
    assert_eq!((&goal["goal"]["name"], &goal["goal"]["most_ns"]), (&"etcd".into(), &10_000_000.into()));
    assert!(goal["verdict"].is_string() && goal["share_beyond"]["runs"] == 6, "{goal}");
    let text = sandbox.run(&["report", "last"]).stdout;
    assert!(text.contains("Durable writes") && text.contains("it asks for at most 10 ms"), "{text}");
}

#[test]
fn an_existing_file_is_written_with_consent_only_and_never_grows() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("data");
    std::fs::write(&file, vec![7; 4 << 20]).unwrap();
    sandbox.run(&["sync", "data", "--runs", "1", "--ios", "10"]).refuses(&["all of it writes", "--overwrite data"]);
    assert!(std::fs::read(&file).unwrap().iter().all(|byte| *byte == 7));
    let said = sandbox.run(&["sync", "data", "--overwrite", "data", "--runs", "1", "--ios", "10", "--json"]);
    assert!(said.status != 2, "{said:?}");
    let jobs = said.json()["run"]["jobs"].as_array().unwrap().clone();
    assert!(
        jobs.iter().all(|job| job["workload"]["shape"].get("growth").is_none() && job["workload"]["shape"].get("more_files").is_none())
    );
    assert!(said.json()["run"]["notes"].to_string().contains("files of its own"));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 4 << 20);
    let hint = ["nothing of this can be run on data: all of it needs files of its own", "give a directory"];
    for more in [&["--as", "etcd"][..], &["--files", "4"], &["--write-to", "append"]] {
        sandbox.run(&[&["sync", "data", "--overwrite", "data"], more].concat()).refuses(&hint);
        sandbox.run(&[&["sync", "data"], more].concat()).refuses(&hint);
    }
    let fewer = sandbox.run(&["sync", "data", "--overwrite", "data", "--write-to", "existing,append", "--runs", "1", "--ios", "10"]);
    assert!(fewer.stderr.contains("they need files of their own: give a directory"), "{fewer:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.run(&["sync", "--as", "oracle"]).refuses(&["etcd"]);
    sandbox.run(&["sync", "--interleave", "a", "b"]).refuses(&["sync has one target"]);
    sandbox.run(&["sync", ".", "--interleave", "a", "b"]).refuses(&["sync has one target", "ioproof compare RUN RUN"]);
    sandbox.run(&["sync", "--check"]).refuses(&["checks no data"]);
    sandbox.run(&["sync", "--sync", "fsync-all:0"]).refuses(&["no number of writes"]);
    sandbox.run(&["sync", "--write-to", "anew"]).refuses(&["append-reserved"]);
    sandbox
        .run(&["verify", "--interleave", "a", "b", "--rw", "randwrite", "--buffered"])
        .refuses(&["--buffered does not go with --interleave"]);
}

#[test]
fn every_format_has_the_ways_and_the_answers() {
    let sandbox = Sandbox::new();
    let files = ["x.html", "x.md", "x.xml", "x.prom", "x.csv", "x.xlsx"].map(|name| sandbox.path(name));
    let outputs: Vec<&str> = files.iter().flat_map(|file| ["-o", file]).collect();
    of_runs(&sandbox, "6", &[&["--as", "etcd"], &outputs[..]].concat());
    let text = |at: usize| std::fs::read_to_string(&files[at]).unwrap();
    for (at, words) in [
        (0, ["Durable writes</h2>", "fdatasync, appended in reserved space, buffered", "it asks for at most 10 ms"]),
        (1, ["## Durable writes", "| fdatasync, appended in reserved space, buffered |", "it asks for at most 10 ms"]),
        (2, ["syncs are as fast as etcd asks", "classname=\"ioproof.sync\"", "testcase"]),
        (3, ["ioproof_result_commits_per_second", "ioproof_result_flushes_per_commit", "ioproof_verdict{"]),
        (4, ["commits", "flushes_per_commit", "sync_latency"]),
    ] {
        words.iter().for_each(|word| assert!(text(at).contains(word), "{}: {word}: {}", files[at], text(at)));
    }
    assert!(text(0).contains("etcd, which asks for syncs of at most 10 ms (p99).") && !text(0).contains("No datasheet, so no verdict"));
    assert!(std::fs::read(&files[5]).unwrap().starts_with(b"PK"));
}

#[test]
fn a_limit_is_that_of_the_programs_own_load() {
    let sandbox = Sandbox::new();
    let of = |more: &[&str]| {
        sandbox.run(&[&["sync", ".", "--as", "etcd", "--size", "4MiB", "--runs", "1", "--ios", "5", "--json"], more].concat())
    };
    for more in [&["--sync", "fsync"][..], &["--bs", "4KiB"]] {
        let other = of(more);
        assert!(other.stderr.contains("the limit of etcd is not judged"), "{more:?}: {other:?}");
        assert!(other.json()["judgement"]["syncs"].get("goals").is_none(), "{more:?}: {other:?}");
    }
    let own = of(&[]);
    assert!(own.json()["judgement"]["syncs"]["goals"][0]["goal"]["name"] == "etcd" && !own.stderr.contains("not judged"), "{own:?}");
}

#[test]
fn loads_that_are_left_out_and_runs_without_room_are_said() {
    let sandbox = Sandbox::new();
    let dry = |more: &[&str]| sandbox.run(&[&["sync", ".", "--size", "16MiB", "--dry-run"], more].concat());
    let one = dry(&["--as", "ways", "--workers", "1", "--time", "10s"]);
    assert!(one.stderr.contains("left out, since they vary what was typed") && one.stderr.contains("--workers 4,16"), "{one:?}");
    assert!(one.stdout.contains("of each in this time (6 to 30 runs are meant)") && one.stderr.contains("has room for about"), "{one:?}");
    let all = dry(&["--as", "postgres-wal", "--bs", "8KiB"]);
    assert!(!all.stderr.contains("left out") && all.stdout.contains("O_DSYNC"), "{all:?}");
}

#[test]
fn a_rehearsal_refuses_what_the_run_would_refuse() {
    let sandbox = Sandbox::new();
    for (size, words) in [("1MiB", "of which 1 MiB are used"), ("8MiB", "of which 8 MiB are used")] {
        for more in [&[][..], &["--dry-run"]] {
            let refused = sandbox.run(&[&["sync", ".", "--as", "sysbench", "--size", size], more].concat());
            refused.refuses(&[words, "in each of its files: a larger --size or file (at least 32 MiB)"]);
            assert!(!refused.stderr.contains("measuring") && sandbox.left_behind().is_empty(), "{refused:?}");
        }
    }
    let enough = sandbox.run(&["sync", ".", "--as", "sysbench", "--size", "32MiB", "--dry-run"]);
    assert_eq!(enough.status, 0, "the size that is named is enough: {enough:?}");
}
