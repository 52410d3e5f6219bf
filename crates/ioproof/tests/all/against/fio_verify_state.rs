//! The state of a job that wrote and did not read back: a later one verifies what was written, and nothing else.
//!
//! Needs fio, no root (`cargo xtask test` brings it in). Each program reads its own states.

use super::fio_both::{Ran, fio, ours, run};
use crate::common::{ProgramOutput, said};
use std::process::Command;

const JOB: [&str; 5] = ["--name=job", "--filename=data", "--size=4m", "--bs=4k", "--verify=crc32c"];
const STATE: &str = "local-job-0-verify.state";

/// Another run in the same folder.
fn again(ran: &Ran, program: &str, more: &[&str]) -> ProgramOutput {
    let mut command = if program == "fio" { Command::new("fio") } else { ran.sandbox.command(&["run"]) };
    if program == "fio" {
        ran.sandbox.prepare(&mut command);
    }
    said(command.args(JOB).arg("--output-format=json").args(more).output().unwrap())
}

fn reads(output: &ProgramOutput) -> u64 {
    let json: serde_json::Value =
        output.stdout.find("{\n").and_then(|at| serde_json::from_str(&output.stdout[at..]).ok()).unwrap_or_default();
    json["jobs"][0]["read"]["total_ios"].as_u64().unwrap_or(0)
}

#[test]
fn what_was_never_written_is_not_verified() {
    for order in ["write", "randwrite"] {
        let (read, write) = if order == "write" { ("--rw=read", "--rw=write") } else { ("--rw=randread", "--rw=randwrite") };
        let job = [&JOB[1..], &[write, "--do_verify=0", "--number_ios=100"]].concat();
        for (program, ran) in [("fio", run(fio, &[], &job)), ("ioproof", run(ours, &[], &job))] {
            assert!(ran.output.status == 0 && ran.has(STATE), "{program}: {}", ran.output.stderr);
            assert_ne!(again(&ran, program, &[read]).status, 0, "{program}: the whole file was never written");
            let loaded = again(&ran, program, &[read, "--verify_state_load=1"]);
            assert_eq!(loaded.status, 0, "{program}: {}", loaded.stderr);
            // fio may leave out the last.
            assert!((99..=100).contains(&reads(&loaded)), "{program} {order}: {}", reads(&loaded));
            std::fs::remove_file(ran.sandbox.work().join(STATE)).unwrap();
            assert_ne!(again(&ran, program, &[read, "--verify_state_load=1"]).status, 0, "{program}: there is no state");
        }
    }
}

#[test]
fn damage_is_found_within_what_was_written() {
    let job = [&JOB[1..], &["--rw=write", "--do_verify=0", "--number_ios=100"]].concat();
    let ran = run(ours, &[], &job);
    let path = ran.sandbox.work().join("data");
    let mut content = std::fs::read(&path).unwrap();
    content[99 * 4096 + 700] ^= 1;
    std::fs::write(&path, content).unwrap();
    let loaded = again(&ran, "ioproof", &["--rw=read", "--verify_state_load=1"]);
    assert!(loaded.status == 1 && reads(&loaded) > 0, "{}: {}", loaded.status, loaded.stderr);
}

#[test]
fn a_state_of_another_load_is_refused_and_one_of_others_is_spared() {
    let job = [&JOB[1..], &["--rw=write", "--do_verify=0", "--number_ios=100"]].concat();
    let ran = run(ours, &[], &job);
    let loaded = again(&ran, "ioproof", &["--rw=randread", "--verify_state_load=1"]);
    assert!(loaded.status == 2 && loaded.stderr.contains("went to other places"), "{}", loaded.stderr);
    let mine = run(ours, &[(STATE, "my own words")], &job);
    assert_eq!((mine.output.status, mine.text(STATE).as_str()), (0, "my own words"), "{}", mine.output.stderr);
    let off = run(ours, &[], &[&job[..], &["--verify_state_save=0"]].concat());
    assert!(off.output.status == 0 && !off.has(STATE));
}
