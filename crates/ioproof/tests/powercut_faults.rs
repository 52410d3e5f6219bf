//! `ioproof powercut` where something is not as it should be: a witness that goes and comes, another key, another file, two writers, a campaign that was written over.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

mod common;

use common::witness::{Witness, Writer, check, check_of, wait_until, write, write_to};
use common::{MIB, Sandbox};
use std::net::TcpListener;

/// Of other tests nobody listens there, so a port that a witness had is still free when it comes back.
const OWN: &str = "127.70.43.7:0";

/// Bytes that a witness has kept once some acknowledgements are among them.
const SOME: u64 = 4096;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("cut", 4 * MIB);
    sandbox.file("other", 4 * MIB);
    sandbox
}

#[test]
fn a_witness_that_is_not_there_is_told_with_its_reason() {
    let sandbox = sandbox();
    let witness = Witness::start(&sandbox);
    let address = witness.kill();
    let before = std::fs::read(sandbox.path("cut")).unwrap();
    let words = ["powercut", "write", "cut", "--overwrite", "cut", "--witness", &address];
    sandbox.run(&words).refuses(&["the witness was not to be reached", "refused", "ioproof powercut witness"]);
    assert!(std::fs::read(sandbox.path("cut")).unwrap() == before, "nothing is written without a witness");
    check_of(&sandbox, "cut", &address, &[]).refuses(&[&address, "refused", "firewall"]);
}

#[test]
fn a_witness_that_goes_keeps_what_it_had_and_the_writer_says_so() {
    let sandbox = sandbox();
    let witness = Witness::listening(&sandbox, OWN, &[]);
    let writer = Writer::begin(&sandbox, "cut", &witness.address, &[]);
    witness.wait_until_it_has(&sandbox, SOME);
    let address = witness.kill();
    let said = writer.end();
    assert_eq!(said.status, 0, "{said:?}");
    let document = said.json();
    let [acknowledged, stored] = ["acknowledged", "stored"].map(|name| document[name].as_u64().unwrap());
    assert!(stored > 0 && stored <= acknowledged, "{document}");
    assert_eq!(document["not_stored"].is_string(), stored < acknowledged, "{document}");
    let witness = Witness::listening(&sandbox, &address, &[]);
    let found = check(&sandbox, &witness, &["--drive-alone"]);
    assert!(found.status == 0 && found.json()["acknowledged"].as_u64().unwrap() >= stored, "{found:?}");
}

#[test]
fn a_witness_that_comes_back_goes_on_with_the_session() {
    let sandbox = sandbox();
    let witness = Witness::listening(&sandbox, OWN, &[]);
    let writer = Writer::begin(&sandbox, "cut", &witness.address, &[]);
    witness.wait_until_it_has(&sandbox, SOME);
    let kept = witness.list(&sandbox)["campaigns"][0]["size_bytes"].as_u64().unwrap();
    let witness = Witness::listening(&sandbox, &witness.kill(), &[]);
    witness.wait_until_it_has(&sandbox, kept + SOME);
    let document = writer.end().json();
    assert!(document["stored"] == document["acknowledged"] && document["not_stored"].is_null(), "{document}");
    let found = check(&sandbox, &witness, &["--drive-alone"]);
    assert_eq!((found.status, &found.json()["acknowledged"]), (0, &document["stored"]), "{found:?}");
    assert_eq!(witness.list(&sandbox)["campaigns"][0]["sessions"], 2, "one that was written, and its result");
}

#[test]
fn another_key_is_told_to_writers_and_checks() {
    let (sandbox, stranger) = (sandbox(), sandbox());
    let witness = Witness::start(&sandbox);
    let _other = Witness::start(&stranger);
    let words = ["powercut", "write", "cut", "--overwrite", "cut", "--witness", &witness.address];
    stranger.run(&words).refuses(&["another key", "--key-file"]);
    check(&stranger, &witness, &[]).refuses(&["another key", "--key-file"]);
}

#[test]
fn a_file_that_was_exchanged_is_not_blamed() {
    let sandbox = sandbox();
    let witness = Witness::start(&sandbox);
    write(&sandbox, &witness, &[]);
    std::fs::rename(sandbox.path("other"), sandbox.path("cut")).unwrap();
    check(&sandbox, &witness, &["--drive-alone"]).refuses(&["is not what campaign", "inode"]);
    std::fs::remove_file(sandbox.path("cut")).unwrap();
    check(&sandbox, &witness, &["--drive-alone"]).refuses(&["cut: no such target"]);
}

#[test]
fn of_two_writers_at_one_file_or_one_campaign_the_second_is_refused() {
    let sandbox = sandbox();
    let witness = Witness::start(&sandbox);
    let writer = Writer::begin(&sandbox, "cut", &witness.address, &[]);
    let again = ["powercut", "write", "cut", "--overwrite", "cut", "--witness", &witness.address];
    sandbox.run(&again).refuses(&["is open for writing in process"]);
    let campaign = witness.list(&sandbox)["campaigns"][0]["campaign"].as_str().unwrap().to_owned();
    let other = ["powercut", "write", "other", "--overwrite", "other", "--witness", &witness.address, "--campaign", &campaign];
    sandbox.run(&other).refuses(&["is writing to this campaign", "without --campaign", "trying for 15 s"]);
    let document = writer.end().json();
    assert!(document["stored"] == document["acknowledged"] && document["ended"] == serde_json::json!([]), "{document}");
}

#[test]
fn a_campaign_that_another_one_wrote_over_is_not_blamed_and_the_newest_is_checked() {
    let sandbox = sandbox();
    let witness = Witness::start(&sandbox);
    let first = write(&sandbox, &witness, &[])["campaign"].as_str().unwrap().to_owned();
    let second = write(&sandbox, &witness, &[])["campaign"].as_str().unwrap().to_owned();
    check(&sandbox, &witness, &["--drive-alone", "--campaign", &first]).refuses(&["was written to the same target later", &second]);
    let elsewhere = write_to(&sandbox, "other", &witness.address, &["--time", "500ms"])["campaign"].clone();
    let found = check(&sandbox, &witness, &["--drive-alone", "--campaign", &second]);
    assert_eq!(found.status, 0, "another file was written later: {found:?}");
    let newest = check_of(&sandbox, "other", &witness.address, &["--drive-alone"]);
    assert_eq!((newest.status, &newest.json()["campaign"]), (0, &elsewhere), "a result makes its campaign no newer: {newest:?}");
}

#[test]
fn a_witness_is_reached_by_addresses_of_both_families_and_by_name() {
    let sandbox = sandbox();
    let reached = |address: &str| sandbox.run(&["powercut", "list", "--witness", address, "--json"]).status;
    let witness = Witness::start(&sandbox);
    let (_, port) = witness.address.rsplit_once(':').unwrap();
    assert_eq!([reached(&witness.address), reached(&format!("localhost:{port}"))], [0, 0]);
    drop(witness);
    if TcpListener::bind("[::1]:0").is_ok() {
        let witness = Witness::listening(&sandbox, "[::1]:0", &[]);
        assert!(witness.address.starts_with("[::1]:") && reached(&witness.address) == 0, "{}", witness.address);
    } else {
        let refused = sandbox.run(&["powercut", "witness", "--listen", "[::1]:0"]);
        refused.refuses(&["cannot listen at [::1]:0", "--listen"]);
    }
    sandbox.run(&["powercut", "list", "--witness", "no.such.host.invalid"]).refuses(&["no.such.host.invalid:7741", "spelled"]);
}

#[test]
fn a_check_before_anything_was_written_says_what_to_do() {
    let sandbox = sandbox();
    let witness = Witness::start(&sandbox);
    wait_until(|| witness.list(&sandbox)["campaigns"].is_array());
    check(&sandbox, &witness, &[]).refuses(&["no such campaign", "ioproof powercut write"]);
}
