//! `ioproof powercut` where something is not as it should be: a witness that goes and comes, another key, another file, two writers, a campaign that was written over.

use crate::common::witness::{WitnessProgram, WriterProgram, check, check_of, write, write_to};
use crate::common::{MIB, Sandbox, noise, wait_until};
use std::net::TcpListener;
use std::os::unix::fs::FileExt;

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
    // It made the key. Another witness may get its port by now, and nobody listens at port 1.
    WitnessProgram::start(&sandbox).kill();
    let address = "127.0.0.1:1".to_owned();
    let before = std::fs::read(sandbox.path("cut")).unwrap();
    let words = ["powercut", "write", "cut", "--overwrite", "cut", "--witness", &address];
    sandbox.run(&words).refuses(&["the witness was not to be reached", "refused", "ioproof powercut witness"]);
    assert!(std::fs::read(sandbox.path("cut")).unwrap() == before, "nothing is written without a witness");
    check_of(&sandbox, "cut", &address, &[]).refuses(&[&address, "refused", "firewall"]);
}

#[test]
fn a_witness_that_goes_keeps_what_it_had_and_the_writer_says_so() {
    let sandbox = sandbox();
    let witness = WitnessProgram::listening(&sandbox, OWN, &[]);
    let writer = WriterProgram::begin(&sandbox, "cut", &witness.address, &[]);
    witness.wait_until_it_has(&sandbox, SOME);
    let address = witness.kill();
    let said = writer.end();
    let document = said.json();
    let [acknowledged, stored] = ["acknowledged", "stored"].map(|name| document[name].as_u64().unwrap());
    assert!(stored > 0 && stored <= acknowledged, "{document}");
    assert_eq!(document["not_stored"].is_string(), stored < acknowledged, "{document}");
    assert_eq!(said.status, if stored < acknowledged { 3 } else { 0 }, "{said:?}");
    let witness = WitnessProgram::listening(&sandbox, &address, &[]);
    let found = check(&sandbox, &witness, &["--drive-alone"]);
    assert!(found.status == 0 && found.json()["acknowledged"].as_u64().unwrap() >= stored, "{found:?}");
}

#[test]
fn a_witness_that_comes_back_goes_on_with_the_session() {
    let sandbox = sandbox();
    let witness = WitnessProgram::listening(&sandbox, OWN, &[]);
    let writer = WriterProgram::begin(&sandbox, "cut", &witness.address, &[]);
    witness.wait_until_it_has(&sandbox, SOME);
    let kept = witness.list(&sandbox)["campaigns"][0]["size_bytes"].as_u64().unwrap();
    let witness = WitnessProgram::listening(&sandbox, &witness.kill(), &[]);
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
    let witness = WitnessProgram::start(&sandbox);
    let _other = WitnessProgram::start(&stranger);
    let words = ["powercut", "write", "cut", "--overwrite", "cut", "--witness", &witness.address];
    stranger.run(&words).refuses(&["another key", "--key-file"]);
    check(&stranger, &witness, &[]).refuses(&["another key", "--key-file"]);
}

#[test]
fn a_file_that_was_exchanged_is_not_blamed() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
    write(&sandbox, &witness, &[]);
    std::fs::rename(sandbox.path("other"), sandbox.path("cut")).unwrap();
    check(&sandbox, &witness, &["--drive-alone"]).refuses(&["is not what campaign", "inode"]);
    std::fs::remove_file(sandbox.path("cut")).unwrap();
    check(&sandbox, &witness, &["--drive-alone"]).refuses(&["cut: no such target"]);
}

#[test]
fn of_two_writers_at_one_file_or_one_campaign_the_second_is_refused() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
    let writer = WriterProgram::begin(&sandbox, "cut", &witness.address, &[]);
    let again = ["powercut", "write", "cut", "--overwrite", "cut", "--witness", &witness.address];
    sandbox.run(&again).refuses(&["is open for writing in process"]);
    let document = writer.end().json();
    assert!(document["stored"] == document["acknowledged"] && document["ended"] == serde_json::json!([]), "{document}");
    let names = ["powercut", "write", ".", "--witness", &witness.address];
    let mut child = sandbox.begin(&names);
    let live = || witness.list(&sandbox)["campaigns"].as_array().unwrap().iter().find(|one| one["is_live"] == true).cloned();
    wait_until("a state", || live().is_some());
    let campaign = live().unwrap()["campaign"].as_str().unwrap().to_owned();
    let second = sandbox.run(&[&names[..], &["--campaign", &campaign]].concat());
    child.kill().unwrap();
    child.wait().unwrap();
    second.refuses(&["is writing to this campaign", "without --campaign", "trying for 15 s"]);
}

#[test]
fn a_campaign_that_another_one_wrote_over_is_not_blamed_and_the_newest_is_checked() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
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
    let witness = WitnessProgram::start(&sandbox);
    let (_, port) = witness.address.rsplit_once(':').unwrap();
    assert_eq!([reached(&witness.address), reached(&format!("localhost:{port}"))], [0, 0]);
    drop(witness);
    if TcpListener::bind("[::1]:0").is_ok() {
        let witness = WitnessProgram::listening(&sandbox, "[::1]:0", &[]);
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
    let witness = WitnessProgram::start(&sandbox);
    wait_until("a state", || witness.list(&sandbox)["campaigns"].is_array());
    check(&sandbox, &witness, &[]).refuses(&["no campaign yet", "ioproof powercut write"]);
}

fn put(sandbox: &Sandbox, place: u64, bytes: &[u8]) {
    let file = std::fs::OpenOptions::new().write(true).open(sandbox.path("cut")).unwrap();
    file.write_all_at(bytes, place).unwrap();
    file.sync_all().unwrap();
}

fn sum(document: &serde_json::Value, of: &str) -> u64 {
    document["streams"].as_array().unwrap().iter().map(|line| line[of].as_u64().unwrap()).sum()
}

#[test]
fn without_a_cut_nothing_is_said_of_the_drive_whatever_is_there() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
    write(&sandbox, &witness, &[]);
    put(&sandbox, 0, &[0; 1 << 20]);
    let said = check(&sandbox, &witness, &[]);
    let found = said.json();
    assert!(sum(&found, "lost") > 5 && found["habit"].is_null() && found["failed_cuts"] == 0, "{found}");
    assert!(said.status == 3 && found["says"].to_string().contains("nothing of it is said of the drive"), "{said:?}");
    assert!(found["says"].to_string().contains("more\""), "the list goes on: {found}");
    let cut = check(&sandbox, &witness, &["--drive-alone"]);
    assert!(cut.status == 1 && cut.json()["habit"].is_object(), "zeros are what a drive leaves that loses: {cut:?}");
}

#[test]
fn what_others_wrote_over_a_campaign_is_no_loss_of_the_drive() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
    write(&sandbox, &witness, &["--sync", "fdatasync"]);
    put(&sandbox, 0, &noise(6 * (16 << 10)));
    let six = check(&sandbox, &witness, &["--drive-alone"]);
    let found = six.json();
    assert_eq!((six.status, sum(&found, "foreign"), sum(&found, "lost")), (3, 6, 0), "{six:?}");
    assert!(found["habit"].is_null() && found["clean_cuts"] == 0 && found["failed_cuts"] == 0, "{found}");
    put(&sandbox, 0, &noise(4 * MIB));
    let all = check(&sandbox, &witness, &["--drive-alone"]).json();
    assert_eq!((sum(&all, "intact"), sum(&all, "foreign")), (0, sum(&all, "blocks")), "trims too, behind which zeros were read: {all}");
    let elsewhere = Sandbox::new();
    let second = WitnessProgram::start(&elsewhere);
    let key = elsewhere.config().join("ioproof/witness.key");
    let words = ["--key-file", key.to_str().unwrap(), "--time", "500ms", "--sync", "dsync"];
    let over = write_to(&sandbox, "cut", &second.address, &words)["campaign"].as_str().unwrap().to_owned();
    let found = check(&sandbox, &witness, &["--drive-alone"]);
    assert!(found.status == 3 && found.json()["says"].to_string().contains(&format!("blocks of campaign {over}")), "{found:?}");
}

#[test]
fn a_campaign_that_is_still_being_written_was_not_cut() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
    let writer = WriterProgram::begin(&sandbox, "cut", &witness.address, &[]);
    witness.wait_until_it_has(&sandbox, SOME);
    let said = check(&sandbox, &witness, &["--drive-alone"]);
    assert!(said.status == 3 && said.json()["was_cut"] == false && said.stdout.contains("still being written"), "{said:?}");
    assert_eq!(writer.end().status, 0);
    assert_eq!(check(&sandbox, &witness, &["--drive-alone"]).json()["was_cut"], true);
}

#[test]
fn a_damaged_record_of_the_witness_is_told_and_nothing_is_called_complete() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
    let writer = WriterProgram::begin(&sandbox, "cut", &witness.address, &[]);
    // Longer than what is damaged, however fast that is written.
    witness.wait_until_it_has(&sandbox, 8192);
    let document = writer.end().json();
    let campaign = document["campaign"].as_str().unwrap();
    let record = sandbox.state().join("ioproof/witness").join(campaign).join("session-0000000001");
    // The writer need not wait until its end is kept, too.
    wait_until("a state", || witness.list(&sandbox)["campaigns"][0]["is_live"] == false);
    let bytes = std::fs::read(&record).unwrap();
    std::fs::write(&record, [&bytes[..5000], &[!bytes[5000], !bytes[5001], !bytes[5002], !bytes[5003]], &bytes[5004..]].concat()).unwrap();
    let said = check(&sandbox, &witness, &["--drive-alone"]);
    assert!(said.status == 3 && said.stdout.contains("records at the witness are damaged"), "{said:?}");
    assert!(said.json()["acknowledged"].as_u64() < document["acknowledged"].as_u64() && said.json()["clean_cuts"] == 0, "{said:?}");
    std::fs::write(&record, [&bytes[..30], &[0; 40], &bytes[70..]].concat()).unwrap();
    check(&sandbox, &witness, &["--drive-alone"]).refuses(&["cannot read session 1 of campaign", campaign]);
}

#[test]
fn what_bears_the_name_of_a_session_in_one_campaign_hides_no_other_one() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
    let mine = write(&sandbox, &witness, &[])["campaign"].as_str().unwrap().to_owned();
    let other = write_to(&sandbox, "other", &witness.address, &["--time", "300ms"])["campaign"].as_str().unwrap().to_owned();
    let session = sandbox.state().join("ioproof/witness").join(&other).join("session-0000000002");
    std::fs::create_dir(&session).unwrap();
    assert_eq!(check(&sandbox, &witness, &["--drive-alone"]).json()["campaign"], mine.as_str());
    let listed = witness.list(&sandbox)["campaigns"].clone();
    assert_eq!((&listed[0]["target"], &listed[1]["target"]), (&"cut".into(), &"other".into()), "{listed}");
    check(&sandbox, &witness, &["--drive-alone", "--campaign", &other]).refuses(&["session 2 of campaign"]);
}

#[test]
fn a_campaign_is_found_by_its_target_or_the_beginning_of_its_name_and_goes_on_only_as_it_began() {
    let sandbox = sandbox();
    let witness = WitnessProgram::start(&sandbox);
    let first = write(&sandbox, &witness, &[])["campaign"].as_str().unwrap().to_owned();
    let elsewhere = write_to(&sandbox, "other", &witness.address, &["--time", "300ms"])["campaign"].as_str().unwrap().to_owned();
    let found = check(&sandbox, &witness, &["--drive-alone"]);
    assert_eq!((found.status, &found.json()["campaign"]), (0, &first.as_str().into()), "the newest is of another file: {found:?}");
    let listed = witness.list(&sandbox)["campaigns"].clone();
    assert_eq!((&listed[0]["target"], &listed[1]["target"]), (&"cut".into(), &"other".into()), "{listed}");
    assert!(listed[0]["host"].is_string() && (&listed[0]["written"], &listed[0]["checks"]) == (&1.into(), &1.into()), "{listed}");
    let table = sandbox.run(&["powercut", "list", "--witness", &witness.address]).stdout;
    assert!(table.contains("TARGET") && table.contains("other"), "{table}");
    let short = &first[..31];
    assert_eq!(check(&sandbox, &witness, &["--drive-alone", "--campaign", short]).json()["campaign"], first.as_str());
    let refuses = |more: &[&str], words: &[&str]| {
        let write = ["powercut", "write", "cut", "--overwrite", "cut", "--time", "100ms", "--witness", &witness.address];
        sandbox.run(&[&write[..], more].concat()).refuses(words);
    };
    refuses(&["--campaign", &elsewhere], &["it wrote to other, and cut is another", "without --campaign"]);
    refuses(&["--campaign", short, "--bs", "4KiB"], &["other streams or blocks", "--bs"]);
    refuses(&["--campaign", &"f".repeat(32)], &["no such campaign", "32 digits"]);
    assert_eq!(write(&sandbox, &witness, &["--campaign", short])["session"], 4, "one that was written, and two results");
}
