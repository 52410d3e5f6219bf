//! `sync` asks the kernel for what the programs ask that its presets are named after, by strace: sysbench's fileio and pg_test_fsync.
//!
//! Needs sysbench, PostgreSQL's programs and strace, no root (`cargo xtask test` brings them in).

use crate::common;
use crate::common::{Sandbox, said};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

const FILES: usize = 8;

/// System calls that read, write and sync, in their order: the thread of each and a word with the bytes where it has them.
fn traced(sandbox: &Sandbox, program: &str, arguments: &[&str]) -> Vec<(u32, String)> {
    let trace = sandbox.path("trace");
    let mut command = Command::new("strace");
    let calls = "trace=read,pread64,write,pwrite64,fsync,fdatasync";
    command.args(["-f", "-qq", "-e", calls, "-s", "0", "-o", &trace, program]).args(arguments);
    sandbox.prepare(&mut command);
    let ran = said(command.output().unwrap());
    assert!(matches!(ran.status, 0 | 3), "{program}: {ran:?}");
    let text = String::from_utf8_lossy(&std::fs::read(&trace).unwrap()).into_owned();
    // What another thread did in the middle of a call is shown as two lines, of which the second is no call.
    text.lines().filter_map(call).collect()
}

fn calls(sandbox: &Sandbox, program: &str, arguments: &[&str]) -> Vec<String> {
    traced(sandbox, program, arguments).into_iter().map(|(_, call)| call).collect()
}

/// The same thread by thread: nobody says who comes between a write and its sync.
fn calls_by_thread(sandbox: &Sandbox, program: &str, arguments: &[&str]) -> Vec<String> {
    let mut calls = traced(sandbox, program, arguments);
    calls.sort_by_key(|(thread, _)| *thread);
    calls.into_iter().map(|(_, call)| call).collect()
}

/// The thread with `pwrite64 16384`, `fsync`.
fn call(line: &str) -> Option<(u32, String)> {
    let (thread, call) = line.split_once(char::is_whitespace)?;
    let (name, rest) = call.trim_start().split_once('(')?;
    let mut words = rest.split([',', ')']).map(str::trim);
    let word = match name {
        "fsync" | "fdatasync" => name.to_owned(),
        "read" | "write" | "pread64" | "pwrite64" => format!("{name} {}", words.nth(2)?),
        _ => return None,
    };
    Some((thread.parse().ok()?, word))
}

fn count(calls: &[String], of: &str) -> usize {
    calls.iter().filter(|call| *call == of).count()
}

/// Everything that sysbench does with these flags behind its own preparation.
fn sysbench(sandbox: &Sandbox, flags: &[&str]) -> Vec<String> {
    let files = format!("--file-num={FILES}");
    let same = ["fileio", "--file-total-size=2M", &files, "--file-block-size=16384"];
    let mut prepare = Command::new("sysbench");
    prepare.args(same).arg("prepare").current_dir(sandbox.work());
    assert!(prepare.output().unwrap().status.success());
    let run = ["--threads=1", "--time=0", "--events=600", "--file-test-mode=rndrw"];
    calls(sandbox, "sysbench", &[&same[..], &run, flags, &["run"]].concat())
}

/// The same by the preset, and the round that it measured.
fn preset(sandbox: &Sandbox, sync: &str) -> (Vec<String>, Value) {
    let files = FILES.to_string();
    let words = ["sync", ".", "--as", "sysbench", "--files", &files, "--workers", "1", "--size", "2MiB", "--ios", "200", "--runs", "1"];
    let calls = calls(sandbox, env!("CARGO_BIN_EXE_ioproof"), &[&words[..], &["--sync", sync]].concat());
    let report = sandbox.run(&["report", "last", "--json"]).json();
    (calls, report["run"]["stages"][0]["rounds"][0].clone())
}

/// Syncs for a write, leaving out those after the last I/O.
fn syncs_a_write(calls: &[String]) -> f64 {
    let last = calls.iter().rposition(|call| call == "pwrite64 16384").unwrap();
    count(&calls[..last], "fsync") as f64 / count(&calls[..last], "pwrite64 16384") as f64
}

#[test]
fn sysbench_syncs_every_file_after_a_write_and_so_does_the_preset() {
    let sandbox = Sandbox::new();
    let theirs = sysbench(&sandbox, &["--file-fsync-freq=1"]);
    let (ours, round) = preset(&sandbox, "fsync-all:1");
    let files = FILES as f64;
    for (who, calls) in [("sysbench", &theirs), ("ioproof", &ours)] {
        let syncs = syncs_a_write(calls);
        assert!((syncs - files).abs() < files * 0.2, "{who}: {syncs} syncs a write");
    }
    let writes = round["write"]["ios"].as_u64().unwrap();
    assert_eq!(round["sync"]["ios"].as_u64().unwrap(), writes * FILES as u64);
    assert_eq!((count(&ours, "pwrite64 16384") as u64, round["write"]["bytes"].as_u64().unwrap()), (writes, writes * 16384));
}

#[test]
fn one_file_is_synced_after_each_write_where_that_is_asked_for() {
    let sandbox = Sandbox::new();
    let theirs = sysbench(&sandbox, &["--file-fsync-all=on"]);
    let (ours, round) = preset(&sandbox, "fsync");
    for (who, calls) in [("sysbench", &theirs), ("ioproof", &ours)] {
        let syncs = syncs_a_write(calls);
        assert!((syncs - 1.0).abs() < 0.1, "{who}: {syncs} syncs a write");
    }
    assert_eq!(round["sync"]["ios"], round["write"]["ios"]);
}

#[test]
fn nothing_is_synced_between_where_it_is_turned_off() {
    let sandbox = Sandbox::new();
    let theirs = sysbench(&sandbox, &["--file-fsync-freq=0", "--file-fsync-end=0"]);
    let (ours, round) = preset(&sandbox, "none");
    assert_eq!((count(&theirs, "fsync"), syncs_a_write(&ours), &round["sync"]["ios"]), (0, 0.0, &0.into()));
}

/// PostgreSQL's programs stand in a folder of their version.
fn pg_test_fsync() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").unwrap().map(|entry| entry.unwrap().path().join("bin/pg_test_fsync"));
    versions.into_iter().find(|path| path.exists()).unwrap()
}

#[test]
fn a_page_of_the_log_is_written_and_synced_as_pg_test_fsync_does() {
    let sandbox = Sandbox::new();
    let program = pg_test_fsync();
    let theirs = calls_by_thread(&sandbox, program.to_str().unwrap(), &["-s", "1", "-f", &sandbox.path("wal")]);
    let of_way = |sync: &str| {
        let words = ["sync", ".", "--as", "postgres-wal", "--size", "2MiB", "--ios", "50", "--runs", "1", "--sync", sync];
        calls_by_thread(&sandbox, env!("CARGO_BIN_EXE_ioproof"), &words)
    };
    for (sync, call) in [("fdatasync", "fdatasync"), ("fsync", "fsync")] {
        let pair = ["pwrite64 8192".to_owned(), call.to_owned()];
        let pairs = |calls: &[String]| calls.windows(2).filter(|two| *two == pair.as_slice()).count();
        let ours = of_way(sync);
        assert!(pairs(&theirs) > 10, "pg_test_fsync writes and calls {call}");
        assert_eq!(pairs(&ours), 50, "{sync}");
    }
}

/// Runs a job over a file that is there; strace shows how often it is closed, and has one of these fail.
fn closings(sandbox: &Sandbox, failing: Option<usize>) -> (common::ProgramOutput, Vec<String>) {
    let (file, trace) = (sandbox.path("data"), sandbox.path("trace"));
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=close,pwrite64", "-P", &file, "-o", &trace]);
    if let Some(at) = failing {
        command.args(["-e", &format!("inject=close:error=EDQUOT:when={at}")]);
    }
    let name = format!("--filename={file}");
    command.arg(env!("CARGO_BIN_EXE_ioproof")).args([
        "run",
        "--name=a",
        "--rw=write",
        "--bs=64k",
        "--size=1m",
        &name,
        "--overwrite",
        &file,
    ]);
    sandbox.prepare(&mut command);
    let ran = said(command.output().unwrap());
    let text = String::from_utf8_lossy(&std::fs::read(&trace).unwrap()).into_owned();
    let calls = text.lines().filter_map(|line| ["close(", "pwrite64("].into_iter().find(|call| line.contains(call)));
    (ran, calls.map(str::to_owned).collect())
}

#[test]
fn a_write_that_fails_when_its_file_is_closed_fails_the_job() {
    let sandbox = Sandbox::new();
    let (ran, calls) = closings(&sandbox, None);
    let last_write = calls.iter().rposition(|call| call == "pwrite64(").unwrap();
    let first_after = calls[..last_write].iter().filter(|call| *call == "close(").count() + 1;
    assert_eq!(ran.status, 0, "{ran:?}");
    let (ran, _) = closings(&sandbox, Some(first_after));
    assert!(ran.status == 2 && ran.stderr.contains("what was written may be lost, as closing a file of it told: "), "{ran:?}");
}
