//! `layers`: filesystem and SQLite in turns, with what each commit costs; nothing of it stays, whatever ends it.

use crate::common::{Sandbox, said, wait_until};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One turn of each layer, of half a second.
const QUICK: [&str; 6] = ["layers", "--runs", "1", "--time", "1s", "--size=4MiB"];

fn run(sandbox: &Sandbox, more: &[&str]) -> Value {
    let said = sandbox.measures(&[&QUICK[..], more, &["--json"]].concat());
    said.json()
}

/// Rows of the layers but that of the device below, which not everybody may read.
fn rows(report: &Value) -> Vec<&Value> {
    report["judgement"]["layers"]["rows"].as_array().unwrap().iter().filter(|row| row["kind"] != "block_reads").collect()
}

fn kinds(report: &Value) -> Vec<&str> {
    rows(report).iter().map(|row| row["kind"].as_str().unwrap()).collect()
}

#[test]
fn each_layer_has_a_row_and_nothing_stays() {
    let sandbox = Sandbox::new();
    let report = run(&sandbox, &["--db", "sqlite,sqlite:rollback:normal", "--clients", "2"]);
    assert_eq!(kinds(&report), ["filesystem_reads", "filesystem_writes", "database", "database"]);
    assert_eq!(sandbox.left_behind(), [""; 0]);
    let run = &report["run"];
    let databases = run["databases"].as_array().unwrap();
    assert_eq!(databases[1]["title"], "SQLite, rollback journal, synchronous NORMAL");
    assert_eq!(
        (&databases[0]["clients"], &databases[0]["page_bytes"], &databases[0]["mix"]),
        (&2.into(), &4096.into(), &"tpcb-like".into())
    );
    let stages = run["stages"].as_array().unwrap();
    let of_database = |stage: &&Value| stage["databases"].is_array();
    assert_eq!(stages.iter().filter(of_database).count(), 2);
    for stage in stages.iter().filter(of_database) {
        let round = &stage["databases"][0];
        let count = |name: &str| round[name].as_u64().unwrap();
        assert!(count("transactions") > 0 && count("total_transactions") >= count("transactions"), "{round}");
        assert_eq!(stage["rounds"], Value::Array(vec![]));
    }
    let (verdicts, text) = (&report["judgement"]["layers"]["verdicts"], sandbox.run(&["report", "last"]));
    // One turn has no interval, and not everybody may read the device below.
    let said = if verdicts.is_null() { "no verdict" } else { "past it: cannot tell" };
    assert!(text.stdout.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{text:?}");
    assert!(text.stdout.contains("What a commit costs") && text.stdout.contains("sync call"), "{text:?}");
}

#[test]
fn two_directories_take_turns_and_each_has_its_database() {
    let sandbox = Sandbox::new();
    ["a", "b"].iter().for_each(|name| std::fs::create_dir(sandbox.work().join(name)).unwrap());
    let report = run(&sandbox, &["--dir", "a", "--dir", "b", "--mix", "select-only"]);
    let rows = rows(&report);
    let targets: Vec<u64> = rows.iter().map(|row| row["target"].as_u64().unwrap()).collect();
    assert_eq!(targets, [0, 0, 0, 1, 1, 1]);
    assert!(rows[2]["commits_per_s"].is_null() && rows[2]["per_s"]["median"].as_f64().unwrap() > 0.0, "reads commit nothing");
    assert_eq!(report["run"]["databases"][1]["target"], 1);
    for name in ["a", "b"] {
        assert_eq!(std::fs::read_dir(sandbox.work().join(name)).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn two_runs_are_compared_layer_by_layer_and_so_are_two_directories_of_one() {
    let sandbox = Sandbox::new();
    ["a", "b"].iter().for_each(|name| std::fs::create_dir(sandbox.work().join(name)).unwrap());
    let runs = ["a", "b"].map(|dir| run(&sandbox, &["--dir", dir])["run"]["id"].as_str().unwrap().to_owned());
    let layers = |told: &Value| -> Vec<String> {
        let rows = told["rows"].as_array().unwrap().iter().filter(|row| row["metric"] == "iops");
        rows.map(|row| row["layer"]["kind"].as_str().unwrap().to_owned()).filter(|kind| kind != "block_reads").collect()
    };
    let told = sandbox.run(&["compare", &runs[0], &runs[1], "--fail-if", "worse", "--json"]);
    // One turn of each carries no answer, and so no failure.
    assert_eq!((told.status, layers(&told.json())), (0, ["filesystem_reads", "filesystem_writes", "database"].map(String::from).to_vec()));
    let listed = sandbox.run(&["runs", "list", "--verb", "layers", "--json"]).json();
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(2), "{listed}");
    let text = sandbox.run(&["compare", &runs[0], &runs[1]]);
    for part in ["Layers side by side", "commits of SQLite", "on b and on a cannot be told apart", "too few runs of one or both"] {
        let words = text.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(part), "{part}: {text:?}");
    }
    let both = run(&sandbox, &["--dir", "a", "--dir", "b", "--fail-if", "worse"]);
    let again = sandbox.run(&["compare", "last", "--json"]).json();
    for told in [&both["comparison"], &again] {
        assert_eq!((layers(told).len(), told["runs"][1]["targets"][0].as_str()), (3, Some("b")), "{told}");
    }
    let other = run(&sandbox, &["--dir", "a", "--clients", "2"])["run"]["id"].as_str().unwrap().to_owned();
    sandbox.run(&["compare", &runs[0], &other]).refuses(&["no figure in common", "workers: 1, 2"]);
    sandbox.run(&["layers", "--dir", "a", "--fail-if", "worse"]).refuses(&["two directories"]);
}

#[test]
fn each_number_of_clients_is_measured_against_as_many_writers() {
    let sandbox = Sandbox::new();
    let report = run(&sandbox, &["--clients", "2,1,2"]);
    let of =
        |kind: &'static str| rows(&report).into_iter().filter(move |row| row["kind"] == kind).map(|row| row["clients"].as_u64().unwrap());
    assert_eq!(of("filesystem_reads").collect::<Vec<_>>(), [2]);
    for kind in ["filesystem_writes", "database"] {
        assert_eq!(of(kind).collect::<Vec<_>>(), [1, 2], "{kind}");
    }
    let databases = report["run"]["databases"].as_array().unwrap();
    assert_eq!(databases[1]["cache_bytes"].as_u64(), databases[0]["cache_bytes"].as_u64().map(|bytes| bytes * 2));
    assert!(rows(&report).iter().all(|row| row["kind"] != "database" || row["share"].is_object()));
    assert!(report["judgement"]["layers"]["says"].to_string().contains("too few to tell how commits grow"), "{report}");
    assert_eq!(sandbox.left_behind(), [""; 0]);
}

#[test]
fn a_dry_run_lists_every_step_and_makes_nothing() {
    let sandbox = Sandbox::new();
    let said = sandbox.succeeds(&["layers", "--db", "sqlite:wal:off", "--page", "8KiB", "--dry-run"]);
    for part in [
        "a scratch file of 256 MiB",
        "the very blocks of the file",
        "random read 8 KiB",
        "fdatasync 8 KiB",
        "SQLite, WAL, synchronous OFF, tpcb-like, 1 client",
        "10 turns",
    ] {
        assert!(said.stdout.contains(part), "`{part}` is missing: {}", said.stdout);
    }
    assert_eq!((sandbox.left_behind(), sandbox.runs()), (vec![], vec![]));
    let json = sandbox.run(&["layers", "--db", "none", "--dry-run", "--json"]).json();
    assert_eq!(json["layers"].as_array().unwrap().len(), 3);
}

/// True while a process holds a lock of fcntl(2) on a file.
fn is_locked(path: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = format!(":{}", std::fs::metadata(path).unwrap().ino());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| line.contains("POSIX") && line.split_whitespace().any(|word| word.ends_with(&inode)))
}

#[test]
fn what_was_measured_until_ctrl_c_is_told_and_nothing_stays() {
    let sandbox = Sandbox::new();
    let child = sandbox.begin(&["layers", "--time", "10m", "--runs", "100", "--size", "4MiB"]);
    let said = sandbox.interrupt(child, 4, || {
        let left = sandbox.left_behind();
        assert_eq!(left.len(), 1, "the database has a folder");
        assert!(is_locked(&sandbox.work().join(&left[0]).join("bank.sqlite")), "who looks into it takes itself for the only one else");
    });
    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.stdout.contains("interrupted") && said.stdout.contains("SQLite, WAL"), "{said:?}");
    assert_eq!(sandbox.left_behind(), [""; 0]);
}

#[test]
fn what_a_killed_run_left_goes_with_the_next_and_nothing_else_does() {
    let sandbox = Sandbox::new();
    let theirs = sandbox.work().join(".ioproof-1-00");
    std::fs::create_dir(&theirs).unwrap();
    std::fs::write(theirs.join("file"), "of somebody else").unwrap();
    let mut killed = sandbox.begin(&["layers", "--time", "10m", "--runs", "100", "--size", "4MiB"]);
    let has_database = || sandbox.left_behind().iter().any(|name| sandbox.work().join(name).join("bank.sqlite").exists());
    while !has_database() {
        assert!(killed.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(sandbox.left_behind().len(), 2);
    run(&sandbox, &[]);
    assert_eq!((sandbox.left_behind().len(), std::fs::read(theirs.join("file")).unwrap()), (1, b"of somebody else".to_vec()));
}

#[test]
fn what_cannot_be_done_is_refused_with_what_to_do() {
    let sandbox = Sandbox::new();
    sandbox.file("file", 4096);
    let refuses = |more: &[&str], words: &[&str]| sandbox.run(&[&["layers"], more].concat()).refuses(words);
    refuses(&["--db", "none,sqlite"], &["leave out one"]);
    refuses(&["--dir", "file"], &["is no directory"]);
    refuses(&["--db", "postgres", "--db-bin", "."], &["has no PostgreSQL", "--db-bin DIR"]);
    refuses(&["--db-set", "fsync=off"], &["is of PostgreSQL", "--db postgres"]);
    refuses(&["--db-user", "nobody"], &["--db-user is of PostgreSQL"]);
    refuses(&["--db", "sqlite:off:full"], &["is no database"]);
    refuses(&["--fs", "ext4", "--dir", "."], &["--fs is of a drive"]);
    refuses(&["--db-set", "archive_command=true"], &["beyond the server's own cluster", "max_wal_size"]);
    refuses(&["--size", "8000TiB"], &["needs 8000 TiB more"]);
    assert_eq!(sandbox.left_behind(), ["file"]);
}

/// True where control groups of version 1 are there and this process may make one: then no excuse is taken.
fn makes_memory_groups() -> bool {
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path = own.lines().find_map(|line| line.split_once(":memory:")).map(|(_, path)| path.trim_start_matches('/').to_owned());
    let probe = path.map(|path| std::path::Path::new("/sys/fs/cgroup/memory").join(path).join(format!("probe-{}", std::process::id())));
    probe.is_some_and(|probe| std::fs::create_dir(&probe).and_then(|()| std::fs::remove_dir(&probe)).is_ok())
}

#[test]
fn with_a_limit_on_memory_the_record_has_it_and_no_group_stays() {
    let sandbox = Sandbox::new();
    let limited = |more: &[&str]| sandbox.run(&[&QUICK[..], &["--memory-limit", "192MiB"], more].concat());
    let dry = limited(&["--dry-run"]);
    assert!(dry.status == 0 && dry.stdout.contains("at most 192 MiB of memory"), "{dry:?}");
    sandbox.run(&["layers", "--memory-limit", "64MiB"]).refuses(&["is less than the 128 MiB", "--db-cache"]);
    let may_make_one = makes_memory_groups();
    let said = limited(&["--json"]);
    // Not everybody may make one: then nothing is measured, and it is said who may.
    if !may_make_one && said.status == 2 {
        return said.refuses(&["no control group can be made", "systemd-run --user --scope -p MemoryMax=201326592"]);
    }
    let limits = said.json()["run"]["host"]["limits"].clone();
    let own = |limit: &&Value| limit["source"].as_str().unwrap().contains("/ioproof-memory-");
    let own = limits.as_array().unwrap().iter().find(own).unwrap().clone();
    assert_eq!((&own["resource"], own["value"].as_f64()), (&"memory".into(), Some(201_326_592.0)), "{limits}");
    let folder = std::path::Path::new(own["source"].as_str().unwrap()).parent().unwrap().to_owned();
    assert!(!folder.exists(), "{}", folder.display());
}

#[test]
fn what_cannot_be_made_is_refused_by_a_dry_run_too() {
    let sandbox = Sandbox::new();
    for more in [&["--db", "sqlite"][..], &["--db", "none"]] {
        sandbox.run(&[&["layers", "--size", "900TiB", "--dry-run"], more].concat()).refuses(&["900 TiB", "free"]);
    }
    for (time, said) in [("1s", "is too short for 40 rounds"), ("1000h", "the longest, take")] {
        let dry = sandbox.run(&["layers", "--time", time, "--dry-run"]);
        assert!(dry.status == 0 && dry.stdout.contains(said), "{dry:?}");
    }
    sandbox.run(&["layers", "--db", "postgres", "--db-set", "fsync=maybe", "--dry-run"]).refuses(&["`maybe` is no value of fsync"]);
    sandbox.run(&["layers", "--dir", ".", "--mkfs-opt", "-b 1024"]).refuses(&["cannot be used with"]);
    sandbox.run(&["layers", "--db", "postgres", "--page", "4KiB"]).refuses(&["PostgreSQL has pages of 8 KiB", "leave out --page"]);
}

/// The database that a run made below a directory, once its log is there.
fn bank(at: &Path) -> Option<PathBuf> {
    let folders = std::fs::read_dir(at).ok()?.flatten().map(|entry| entry.path());
    folders.flat_map(|folder| [folder.clone(), folder.join("sqlite")]).map(|folder| folder.join("bank.sqlite-wal")).find(|log| log.exists())
}

#[test]
fn a_checkpoint_that_fails_ends_the_database_though_every_commit_is_in_the_log() {
    let sandbox = Sandbox::new();
    let child = sandbox.begin(&["layers", "--runs", "1", "--time", "30s", "--size=32MiB", "--db", "sqlite"]);
    wait_until("a state", || bank(&sandbox.work()).is_some());
    // The log may become as large as this, and not all of the file lies below it.
    let limit = format!("--fsize={}", 24 << 20);
    assert!(Command::new("prlimit").args(["--pid", &child.id().to_string(), &limit]).status().unwrap().success());
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 3 && said.stdout.contains("a database failed: SQLite: a checkpoint failed: disk"), "{said:?}");
}
