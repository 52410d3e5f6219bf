//! `ioproof powercut write` as it is typed: flags and addresses that cannot be meant, targets that cannot be written, and what is said on the way.

use crate::common::witness::{WitnessProgram, WriterProgram};
use crate::common::{MIB, ProgramOutput, Sandbox};

/// A file of 4 MiB, a folder, and a witness.
fn sandbox() -> (Sandbox, WitnessProgram) {
    let sandbox = Sandbox::new();
    sandbox.file("a cut", 4 * MIB);
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    let witness = WitnessProgram::start(&sandbox);
    (sandbox, witness)
}

fn write(sandbox: &Sandbox, witness: &WitnessProgram, target: &str, more: &[&str]) -> ProgramOutput {
    sandbox.run(&[&["powercut", "write", target, "--witness", &witness.address], more].concat())
}

const CONSENT: [&str; 2] = ["--overwrite", "a cut"];

#[test]
fn an_address_that_can_be_none_is_refused_at_once_and_the_forms_are_named() {
    let sandbox = Sandbox::new();
    sandbox.file("cut", MIB);
    for address in ["", "999.1.1.1", "[::1", "[::1]:99999", "127.0.0.1:-1", "http://vault"] {
        sandbox.run(&["powercut", "write", "cut", "--overwrite", "cut", "--witness", address]).refuses(&["[2001:db8::1]:PORT"]);
        sandbox.run(&["powercut", "list", "--witness", address]).refuses(&["HOST:PORT"]);
    }
    for address in ["0.0.0.0:70000", "7745"] {
        sandbox.run(&["powercut", "witness", "--listen", address]).refuses(&["--listen", ":PORT"]);
    }
    let (sandbox, _witness) = self::sandbox();
    sandbox.run(&["powercut", "list", "--witness", "::1:7763"]).refuses(&["if a port was meant: [::1]:7763"]);
}

#[test]
fn a_port_alone_is_listened_at_everywhere() {
    let sandbox = Sandbox::new();
    let witness = WitnessProgram::listening(&sandbox, ":0", &[]);
    let (_, port) = witness.address.rsplit_once(':').unwrap();
    assert_eq!(sandbox.run(&["powercut", "list", "--witness", &format!("localhost:{port}"), "--json"]).status, 0);
}

#[test]
fn a_target_that_cannot_be_written_says_how_to_make_one() {
    let (sandbox, witness) = sandbox();
    sandbox.file("empty", 0);
    std::fs::write(sandbox.path("small"), "hello\n").unwrap();
    for target in ["empty", "small", "none"] {
        let said = write(&sandbox, &witness, target, &["--overwrite", target]);
        said.refuses(&[target, "truncate -s 256M"]);
        assert!(!said.stderr.contains("scratch"), "{said:?}");
    }
    write(&sandbox, &witness, "a cut", &["--overwrite", "a cut", "--key-file", "folder"]).refuses(&["--key-file folder/witness.key"]);
    write(&sandbox, &witness, "a cut", &["--overwrite", "a cut", "--key-file", "/dev/null"]).refuses(&["name a regular file"]);
}

#[test]
fn flags_for_blocks_are_refused_on_a_directory() {
    let (sandbox, witness) = sandbox();
    for flag in [["--sync", "dsync"], ["--order", "random"], ["--writes-per-sync", "3"], ["--bs", "4KiB"], ["--size", "1MiB"]] {
        write(&sandbox, &witness, "folder", &flag).refuses(&[flag[0], "no effect on a directory", "--names"]);
    }
    assert_eq!(std::fs::read_dir(sandbox.path("folder")).unwrap().count(), 0);
    write(&sandbox, &witness, "a cut", &["--overwrite", "a cut", "--names", "create"]).refuses(&["--names is for a directory"]);
}

#[test]
fn a_command_that_cuts_nothing_is_told_and_one_that_never_runs_is_refused() {
    let (sandbox, witness) = sandbox();
    let try_with = |more: &[&str]| write(&sandbox, &witness, "a cut", &[&CONSENT[..], more].concat());
    try_with(&["--cut-with", " "]).refuses(&["--cut-with", "no command is named"]);
    try_with(&["--cut-after", "1s"]).refuses(&["--cut-with"]);
    try_with(&["--cut-with", "true", "--time", "2s"]).refuses(&["before the command of --cut-with is run", "--cut-after"]);
    let said = try_with(&["--cut-with", "true", "--cut-after", "10ms", "--time", "500ms"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stdout.contains("no write stopped until the end") && said.stderr.contains("has ended without an error"), "{said:?}");
    let said = try_with(&["--cut-with", "exec sleep 1000", "--cut-after", "10ms", "--time", "500ms"]);
    assert!(said.status == 0 && said.stderr.contains("has not ended, and is ended"), "{said:?}");
    try_with(&["--cut-with", "exit 7", "--cut-after", "10ms", "--time", "60s"]).refuses(&["ended with exit status: 7"]);
}

#[test]
fn the_command_that_checks_is_whole_and_a_size_that_there_is_not_is_said() {
    let (sandbox, witness) = sandbox();
    let said = write(&sandbox, &witness, "a cut", &["--overwrite", "a cut", "--time", "500ms", "--size", "1TiB"]);
    assert_eq!(said.status, 0, "{said:?}");
    let command = format!("ioproof powercut check 'a cut' --witness {} --campaign ", witness.address);
    assert!(said.stdout.lines().last().unwrap().contains(&command), "{said:?}");
    assert!(said.stderr.contains("--size 1 TiB is more than a cut has: 4 MiB are used"), "{said:?}");
    let said = WriterProgram::begin(&sandbox, "a cut", &witness.address, &[]).end();
    let campaign = said.json()["campaign"].as_str().unwrap().to_owned();
    assert!(said.stderr.contains(&format!("when it is back: {command}{campaign}\n")), "{said:?}");
}
