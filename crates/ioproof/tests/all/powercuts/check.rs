//! `ioproof powercut write` and `check`, with a witness of the real program: what is there afterwards is told apart from what is not.

use crate::common;
use crate::common::witness::{WitnessProgram, check, write};
use crate::common::{MIB, Sandbox};
use ioproof_powercut::WriteStamp;
use serde_json::Value;
use std::os::unix::fs::FileExt;

fn sum(document: &Value, of: &str) -> u64 {
    document["streams"].as_array().unwrap().iter().map(|line| line[of].as_u64().unwrap()).sum()
}

/// A file of 4 MiB, a witness, and a campaign that was written to it.
fn written(more: &[&str]) -> (Sandbox, WitnessProgram, Value) {
    let sandbox = Sandbox::new();
    sandbox.file("cut", 4 * MIB);
    let witness = WitnessProgram::start(&sandbox);
    let document = write(&sandbox, &witness, more);
    (sandbox, witness, document)
}

#[test]
fn what_was_acknowledged_is_found_and_a_machine_that_runs_on_proves_nothing() {
    let (sandbox, witness, document) = written(&[]);
    let acknowledged = document["acknowledged"].as_u64().unwrap();
    assert!(acknowledged > 0 && document["stored"] == acknowledged && document["ended"] == serde_json::json!([]), "{document}");
    let said = check(&sandbox, &witness, &[]);
    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.stdout.contains("nothing was cut: this machine runs since before the writes"), "{said:?}");
    let found = said.json();
    assert_eq!((found["acknowledged"].as_u64(), sum(&found, "blocks")), (Some(acknowledged), sum(&found, "intact")));
    let streams = found["streams"].as_array().unwrap();
    let flushed = streams.iter().filter(|stream| stream["sync"] == "fdatasync").count();
    assert_eq!((streams.len(), flushed), (5, 3), "two orders with eight writes behind a sync, and trims; two orders with O_DSYNC");
    let alone = check(&sandbox, &witness, &["--drive-alone"]);
    assert_eq!((alone.status, &alone.json()["clean_cuts"]), (0, &1.into()), "{alone:?}");
    let again = check(&sandbox, &witness, &["--drive-alone"]);
    assert_eq!(again.json()["clean_cuts"], 1, "two checks of one session are of one cut");
    let campaign = document["campaign"].as_str().unwrap();
    write(&sandbox, &witness, &["--campaign", campaign]);
    let second = check(&sandbox, &witness, &["--drive-alone", "--campaign", campaign]).json();
    assert_eq!((&second["clean_cuts"], &second["failed_cuts"]), (&2.into(), &0.into()), "{second}");
}

#[test]
fn lost_stale_torn_and_corrupt_blocks_are_told_apart() {
    let (sandbox, witness, _) =
        written(&["--sync", "fdatasync", "--order", "sequential", "--size", "64KiB", "--bs", "4KiB", "--writes-per-sync", "4"]);
    let path = sandbox.path("cut");
    let saved = |place: u64| std::fs::read(&path).unwrap()[place as usize..][..4096].to_vec();
    // Sixteen blocks are written over and over; what stands there now is older than what a second session writes.
    let old = saved(4096);
    let campaign = check(&sandbox, &witness, &[]).json()["campaign"].as_str().unwrap().to_owned();
    write(
        &sandbox,
        &witness,
        &[
            "--sync",
            "fdatasync",
            "--order",
            "sequential",
            "--size",
            "64KiB",
            "--bs",
            "4KiB",
            "--writes-per-sync",
            "4",
            "--campaign",
            &campaign,
        ],
    );
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[0; 4096], 0).unwrap();
    file.write_all_at(&old, 4096).unwrap();
    file.write_all_at(&saved(8192)[..1024], 8192).unwrap();
    file.write_all_at(&[0; 512], 8192).unwrap();
    let mut damaged = saved(12288);
    damaged[300] ^= 1;
    file.write_all_at(&damaged, 12288).unwrap();
    file.write_all_at(&saved(20480), 16384).unwrap();
    file.sync_all().unwrap();
    drop(file);
    let said = check(&sandbox, &witness, &["--drive-alone"]);
    assert_eq!(said.status, 1, "{said:?}");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let again = ["powercut", "check", "cut", "--witness", &witness.address, "--drive-alone"];
    let status = sandbox.command(&again).stdout(full).status().unwrap();
    assert_eq!(status.code(), Some(1));
    let found = said.json();
    for kind in ["lost", "stale", "torn", "corrupt", "misplaced"] {
        assert_eq!(sum(&found, kind), 1, "{kind}: {found}");
    }
    assert_eq!((sum(&found, "intact"), &found["failed_cuts"]), (11, &1.into()), "{found}");
    assert_eq!((&found["habit"]["name"], sum(&found, "torn_within_4096")), (&"damage".into(), 1), "{found}");
}

#[test]
fn a_trim_that_comes_back_is_told_and_one_that_stays_is_well() {
    let (sandbox, witness, _) = written(&["--sync", "fdatasync", "--order", "trim", "--size", "32KiB", "--bs", "4KiB"]);
    let whole = check(&sandbox, &witness, &["--drive-alone"]);
    assert_eq!((whole.status, sum(&whole.json(), "intact")), (0, sum(&whole.json(), "blocks")), "{whole:?}");
    assert_eq!(sum(&whole.json(), "untold"), 0, "a hole reads as zeros");
    let campaign = whole.json()["campaign"].as_str().unwrap().to_owned();
    // One run of eight blocks, of which the first write comes back.
    let mut old = vec![0; 4096];
    let campaign = u128::from_str_radix(&campaign, 16).unwrap().to_be_bytes();
    WriteStamp { campaign, session: 1, stream: 1, place: 0, sequence: 1 }.fill(&mut old);
    let file = std::fs::OpenOptions::new().write(true).open(sandbox.path("cut")).unwrap();
    file.write_all_at(&old, 0).unwrap();
    file.sync_all().unwrap();
    let harmed = check(&sandbox, &witness, &["--drive-alone"]);
    let found = harmed.json();
    assert_eq!((harmed.status, sum(&found, "returned"), &found["habit"]["name"]), (1, 1, &"trims_return".into()), "{harmed:?}");
    assert!(found["says"].to_string().contains("trims come back"), "{found}");
}

#[test]
fn nothing_is_written_without_consent_and_another_target_is_told() {
    let (sandbox, witness, document) = written(&[]);
    let other = sandbox.file("other", 2 * MIB);
    let before = std::fs::read(&other).unwrap();
    let words = ["powercut", "write", "other", "--witness", &witness.address, "--time", "100ms"];
    sandbox.run(&words).refuses(&["other"]);
    sandbox.run(&[&words[..], &["--overwrite", "cut"]].concat()).refuses(&["other"]);
    assert!(std::fs::read(&other).unwrap() == before);
    let campaign = document["campaign"].as_str().unwrap();
    let words = ["powercut", "check", "other", "--witness", &witness.address];
    sandbox.run(&[&words[..], &["--campaign", campaign]].concat()).refuses(&["is not what campaign", "bytes"]);
    check(&sandbox, &witness, &["--campaign", "00..."]).refuses(&["names no campaign"]);
    check(&sandbox, &witness, &["--campaign", &"0".repeat(32)]).refuses(&["no such campaign"]);
    sandbox.run(&["powercut", "write", "/dev/null", "--witness", &witness.address]).refuses(&["keeps nothing over a power cut"]);
    sandbox.run(&["powercut", "write", "cut", "--overwrite", "cut", "--witness", &witness.address, "--bs", "100"]).refuses(&["100 bytes"]);
}

#[test]
fn files_that_are_made_renamed_removed_and_grow_are_found_or_missed() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("bystander"), "of somebody else").unwrap();
    let witness = WitnessProgram::start(&sandbox);
    let said = sandbox.succeeds(&["powercut", "write", ".", "--witness", &witness.address, "--time", "500ms", "--json"]);
    let campaign = said.json()["campaign"].as_str().unwrap().to_owned();
    let check = || sandbox.run(&["powercut", "check", ".", "--witness", &witness.address, "--drive-alone", "--json"]);
    let whole = check();
    assert_eq!(whole.status, 0, "{whole:?}");
    let kinds: Vec<Value> = whole.json()["streams"].as_array().unwrap().iter().map(|line| line["order"].clone()).collect();
    assert_eq!(kinds, ["create", "rename", "remove", "append"]);
    assert!(sum(&whole.json(), "blocks") > 0 && sum(&whole.json(), "blocks") == sum(&whole.json(), "intact"));
    let folder = |stream: u32| sandbox.path(&format!("ioproof-powercut-{campaign}-1-{stream}"));
    std::fs::remove_file(format!("{}/f000001", folder(1))).unwrap();
    std::fs::write(format!("{}/f000001", folder(3)), "back again").unwrap();
    let harmed = check();
    assert_eq!((harmed.status, sum(&harmed.json(), "lost"), sum(&harmed.json(), "stale")), (1, 1, 1), "{harmed:?}");
    std::fs::remove_dir_all(folder(2)).unwrap();
    std::fs::remove_dir_all(folder(4)).unwrap();
    let gone = check().json();
    assert!(gone["streams"][3]["lost"].as_u64().unwrap() == gone["streams"][3]["blocks"].as_u64().unwrap(), "{gone}");
    assert_eq!(
        (&gone["streams"][1]["blocks"], &gone["streams"][1]["lost"]),
        (&1.into(), &1.into()),
        "one file that is renamed over: {gone}"
    );
    assert_eq!(std::fs::read(sandbox.path("bystander")).unwrap(), b"of somebody else");
}

#[test]
fn another_directory_or_a_file_is_not_blamed_for_the_folders_of_a_campaign() {
    let sandbox = Sandbox::new();
    let witness = WitnessProgram::start(&sandbox);
    for name in ["names", "other"] {
        std::fs::create_dir(sandbox.path(name)).unwrap();
    }
    sandbox.file("cut", MIB);
    let said = sandbox.run(&["powercut", "write", "names", "--witness", &witness.address, "--time", "300ms", "--json"]);
    let campaign = said.json()["campaign"].as_str().unwrap().to_owned();
    let check = |target: &str| sandbox.run(&["powercut", "check", target, "--witness", &witness.address, "--drive-alone"]);
    check("other").refuses(&["no campaign that the witness has was written to other", "powercut list"]);
    let named =
        |target: &str| sandbox.run(&["powercut", "check", target, "--witness", &witness.address, "--drive-alone", "--campaign", &campaign]);
    named("other").refuses(&["other is not what campaign", &campaign, "inode", "names", "mounted"]);
    named("cut").refuses(&["no directory"]);
    std::fs::rename(sandbox.path("names"), sandbox.path("renamed")).unwrap();
    std::fs::create_dir(sandbox.path("names")).unwrap();
    check("names").refuses(&["names is not what campaign", "inode"]);
    assert_eq!(check("renamed").status, 0, "it is the same under another name");
}

#[test]
fn a_step_that_was_written_in_part_is_not_acknowledged() {
    let sandbox = Sandbox::new();
    let witness = WitnessProgram::start(&sandbox);
    std::fs::create_dir(sandbox.path("names")).unwrap();
    let mut limited = std::process::Command::new("prlimit");
    // 20 sectors and a half.
    limited.args(["--fsize=10496", env!("CARGO_BIN_EXE_ioproof"), "powercut", "write", "names", "--names", "append"]);
    limited.args(["--witness", &witness.address, "--time", "20s", "--json"]);
    sandbox.prepare(&mut limited);
    let written = common::said(limited.output().unwrap());
    assert!(written.json()["stored"] == 20 && written.json()["ended"].to_string().contains("came back with 256"), "{written:?}");
    let said = sandbox.run(&["powercut", "check", "names", "--witness", &witness.address, "--drive-alone", "--json"]);
    assert!(said.status == 0 && sum(&said.json(), "intact") == 20, "{said:?}");
}
