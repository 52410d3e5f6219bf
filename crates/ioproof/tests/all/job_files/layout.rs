//! The files that jobs need, before the jobs run: a thousand of them, Ctrl-C and SIGKILL in the midst, what is left and whose it is, and what does not fit.

use crate::common::{ProgramOutput, Sandbox, said, signal, wait_until};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Child, Command};

/// A job that reads many small files, so that each is made and filled first.
const MANY: [&str; 7] = ["run", "--name=job", "--rw=read", "--bs=4k", "--filesize=4k", "--nrfiles=1000", "--ioengine=psync"];

/// Starts a job and waits until it has made so many files.
fn start(sandbox: &Sandbox, job: &[&str], files: usize) -> Child {
    let child = sandbox.begin(job);
    wait_until("files of a run", || sandbox.left_behind().len() >= files);
    child
}

/// Files that a run leaves that is killed while it lays out many.
fn killed(sandbox: &Sandbox) -> Vec<PathBuf> {
    let mut child = start(sandbox, &MANY, 100);
    signal(&child, "-KILL");
    child.wait().unwrap();
    let left: Vec<PathBuf> = sandbox.left_behind().iter().map(|name| sandbox.work().join(name)).collect();
    assert!((100..=1000).contains(&left.len()), "{}", left.len());
    left
}

fn run(sandbox: &Sandbox, job: &[&str]) -> ProgramOutput {
    sandbox.run(&[&["run", "--output-format=json", "--name=job", "--bs=4k", "--ioengine=psync"], job].concat())
}

fn lengths(sandbox: &Sandbox) -> Vec<u64> {
    sandbox.left_behind().iter().map(|name| sandbox.work().join(name).metadata().unwrap().len()).collect()
}

fn written_bytes(said: &ProgramOutput) -> Option<u64> {
    let report: Value = said.json();
    report["jobs"][0]["write"]["io_bytes"].as_u64()
}

#[test]
fn ctrl_c_while_files_are_made_leaves_none_of_them() {
    let sandbox = Sandbox::new();
    sandbox.file("mine", 4096);
    let child = start(&sandbox, &MANY, 200);
    signal(&child, "-INT");
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 3 && said.stdout.is_empty(), "{said:?}");
    assert!(
        said.stderr.contains("interrupted before anything was measured: ") && said.stderr.contains("what this run made is removed"),
        "{}",
        said.stderr
    );
    assert_eq!(sandbox.left_behind(), ["mine"]);
}

#[test]
fn what_a_killed_run_laid_out_is_taken_up_with_consent() {
    let sandbox = Sandbox::new();
    killed(&sandbox);
    sandbox.run(&MANY).refuses(&["either was killed while it wrote"]);
    let work = sandbox.work().to_str().unwrap().to_owned();
    let again = sandbox.succeeds(&[&MANY[..], &["--output-format=json", "--overwrite-all-in", &work]].concat());
    assert_eq!(again.json()["jobs"][0]["read"]["io_bytes"].as_u64(), Some(1000 * 4096));
    assert!(lengths(&sandbox).iter().all(|length| *length == 4096));
    let write = sandbox.run(&[&MANY[..], &["--rw=write", "--output-format=json"]].concat());
    assert_eq!(written_bytes(&write), Some(1000 * 4096), "{write:?}");
}

#[test]
fn what_somebody_put_into_or_in_place_of_a_killed_runs_file_stays() {
    let sandbox = Sandbox::new();
    let left = killed(&sandbox);
    let (written, copied) = (&left[50], &left[80]);
    let mut content = std::fs::read(written).unwrap();
    content.resize(4096, 0);
    content[1000..1010].copy_from_slice(b"some words");
    std::fs::write(written, &content).unwrap();
    // A copy with all attributes, by the same name.
    let copy = sandbox.work().join("copy");
    assert!(Command::new("cp").arg("-a").args([copied, &copy]).status().unwrap().success());
    std::fs::write(&copy, &content).unwrap();
    std::fs::rename(&copy, copied).unwrap();
    for job in [vec!["--rw=write"], vec!["--rw=randrw"]] {
        let said = sandbox.run(&[&MANY[..], &job].concat());
        said.refuses(&[
            "not written: ",
            "either was killed while it wrote or somebody changed it since",
            "if nobody changed it since, add --overwrite",
        ]);
    }
    let read = ["--filename", copied.to_str().unwrap(), "--rw=write"];
    run(&sandbox, &read).refuses(&["the ledger in the state folder does not know it"]);
    for path in [written, copied] {
        assert_eq!(std::fs::read(path).unwrap(), content, "{}", path.display());
    }
}

#[test]
fn what_a_finished_run_made_may_be_written_again_and_removed() {
    let sandbox = Sandbox::new();
    let files = ["--filesize=4k", "--nrfiles=300"];
    for rw in ["--rw=read", "--rw=write", "--rw=write"] {
        let said = run(&sandbox, &[&files[..], &[rw]].concat());
        assert_eq!(said.status, 0, "{said:?}");
        assert_eq!(sandbox.left_behind().len(), 300);
    }
    assert_eq!(run(&sandbox, &[&files[..], &["--rw=write", "--unlink=1"]].concat()).status, 0);
    assert!(sandbox.left_behind().is_empty());
}

#[test]
fn files_that_do_not_fit_together_are_refused_before_any_is_made() {
    let sandbox = Sandbox::new();
    let said = run(&sandbox, &["--rw=write", "--size=1p", "--numjobs=3"]);
    said.refuses(&["needs 3072 TiB more on this filesystem", "are free", "make room"]);
    // Without reserved space it is what will be written that counts.
    run(&sandbox, &["--rw=write", "--size=1p", "--fallocate=none"]).refuses(&["needs 1024 TiB more"]);
    for until in [&["--io_size=2p"][..], &["--runtime=1", "--time_based"], &["--loops=2"], &["--norandommap"]] {
        for rw in ["--rw=randwrite", "--rw=randrw"] {
            run(&sandbox, &[until, &[rw, "--size=1p", "--fallocate=none"]].concat()).refuses(&["needs 1024 TiB more"]);
        }
    }
    assert!(sandbox.left_behind().is_empty());
    std::fs::File::create(sandbox.path("data")).unwrap().set_len(10 << 40).unwrap();
    for name in ["data", "./data"] {
        let words = [&format!("--filename={name}"), "--size=10t", "--rw=randwrite", "--overwrite", name];
        run(&sandbox, &words).refuses(&["needs 10 TiB more"]);
    }
    std::fs::remove_file(sandbox.path("data")).unwrap();
    // A gap of 960 KiB behind each block stays.
    assert_eq!(run(&sandbox, &["--rw=write:16368k", "--bs=16k", "--size=1t", "--io_size=64k", "--fallocate=none"]).status, 0);
    let sparse = run(&sandbox, &["--rw=randwrite", "--size=1t", "--io_size=64k", "--fallocate=none"]);
    assert_eq!(sparse.status, 0, "{sparse:?}");
}

#[test]
fn of_a_range_each_file_has_its_own_size_and_the_same_in_every_run() {
    let job = ["--rw=write", "--filesize=8k-64k", "--nrfiles=12"];
    let found = [0, 1].map(|_| {
        let sandbox = Sandbox::new();
        let said = run(&sandbox, &job);
        let lengths = lengths(&sandbox);
        assert_eq!(written_bytes(&said), Some(lengths.iter().sum()), "{said:?}");
        lengths
    });
    assert!(found[0].iter().all(|length| (8192..=65536).contains(length) && length % 4096 == 0), "{found:?}");
    assert!(found[0].iter().any(|length| *length != found[0][0]), "{found:?}");
    assert_eq!(found[0], found[1]);
    let sandbox = Sandbox::new();
    assert_eq!(written_bytes(&run(&sandbox, &[&job[..], &["--size=64k"]].concat())), Some(65536));
    assert_eq!(lengths(&sandbox), found[0]);
}

#[test]
fn a_file_is_as_long_as_it_was_written_where_nothing_makes_it_longer() {
    let part = ["--rw=write", "--size=1m", "--io_size=64k"];
    for (how, length) in
        [("--fallocate=none", 65536), ("--fallocate=keep", 65536), ("--create_on_open=1", 65536), ("--fallocate=truncate", 1 << 20)]
    {
        let sandbox = Sandbox::new();
        assert_eq!(run(&sandbox, &[&part[..], &[how]].concat()).status, 0);
        assert_eq!(lengths(&sandbox), [length], "{how}");
    }
}
