//! `identify --from FILE`: what other tools printed, whole, cut, of several drives and in several files; and what is refused.

use crate::common;
use crate::common::{ProgramOutput, Sandbox};
use serde_json::Value;
use std::fs;
use std::path::Path;

const SMART: &str = "nvme-cli-1-smart-log.txt";
const CONTROLLER: &str = "nvme-cli-1-id-ctrl-9200.txt";
const ATA: &str = "smartctl-7.2-ata-failing.txt";
const JSON: &str = "smartctl-7.3-emulated-sata-json.txt";

fn fixture(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/paste").join(name)).unwrap()
}

/// Up to and with the first line that contains this.
fn until(text: &str, last: &str) -> String {
    let end = text.lines().position(|line| line.contains(last)).unwrap();
    text.lines().take(end + 1).map(|line| format!("{line}\n")).collect()
}

fn identify(sandbox: &Sandbox, texts: &[&str], further: &[&str]) -> ProgramOutput {
    let names: Vec<String> = (0..texts.len()).map(|at| format!("{at}.txt")).collect();
    for (name, text) in names.iter().zip(texts) {
        fs::write(sandbox.work().join(name), text).unwrap();
    }
    let from = names.iter().flat_map(|name| ["--from", name.as_str()]);
    let said = sandbox.run(&[&["identify"], from.collect::<Vec<_>>().as_slice(), further].concat());
    assert!(!said.stderr.contains("panicked"), "{said:?}");
    said
}

fn health(sandbox: &Sandbox, text: &str) -> Value {
    identify(sandbox, &[text], &["--json"]).json()["drives"][0]["health"].clone()
}

#[test]
fn half_a_log_is_not_ok() {
    let sandbox = Sandbox::new();
    let half = until(&fixture(SMART), "temperature  ");
    let told = health(&sandbox, &half);
    assert_eq!(told["state"], "OK as far as told");
    assert_eq!(told["rests_on"], serde_json::json!(["critical warnings"]));
    assert_eq!(told["not_told"], serde_json::json!(["spare", "wear", "media errors", "the rest of a text that ends early"]));
    let text = identify(&sandbox, &[&half], &[]).stdout;
    assert!(text.contains("OK as far as told") && text.contains("not told: spare, wear, media errors"), "{text}");
    assert!(text.contains("! the text ends early, after line 6"), "{text}");
    assert_eq!(health(&sandbox, &fixture(SMART))["state"], "OK");
}

#[test]
fn a_verdict_without_its_grounds_is_not_ok() {
    let sandbox = Sandbox::new();
    let whole = fixture(ATA);
    assert_eq!(health(&sandbox, &whole)["state"], "failing");
    let passed = until(&whole, "self-assessment test result").replace("FAILED!", "PASSED");
    let told = health(&sandbox, &passed);
    assert_eq!(told["state"], "OK as far as told");
    let text = identify(&sandbox, &[&passed], &[]).stdout;
    assert!(text.contains("ends early") && text.contains("Vendor Specific SMART Attributes"), "{text}");
}

#[test]
fn json_that_was_cut_is_not_ok() {
    let sandbox = Sandbox::new();
    let whole = fixture(JSON);
    assert_eq!(health(&sandbox, &whole)["state"], "OK");
    for end in ["\"ata_smart_error_log\"", "\"ata_device_statistics\"", "\"id\": 9"] {
        let Some(at) = whole.find(end) else { continue };
        let told = health(&sandbox, &whole[..at]);
        assert_ne!(told["state"], "OK", "{end}");
        assert!(told["not_told"].as_array().unwrap().iter().any(|what| what == "the rest of a text that ends early"), "{told}");
    }
}

#[test]
fn two_drives_are_two_blocks() {
    let sandbox = Sandbox::new();
    let both = [fixture(CONTROLLER), fixture(ATA)].concat();
    let drives = identify(&sandbox, &[&both], &["--json"]).json()["drives"].as_array().unwrap().clone();
    assert_eq!(drives.len(), 2, "{drives:?}");
    assert_eq!([&drives[0]["health"]["state"], &drives[1]["health"]["state"]], ["unknown", "failing"]);
    assert!(drives.iter().all(|drive| drive["facts"]["serial"]["value"].is_string()), "{drives:?}");
    let text = identify(&sandbox, &[&both], &[]).stdout;
    assert_eq!(text.lines().filter(|line| line.starts_with("drive ")).count(), 2, "{text}");
    assert!(text.starts_with("drive "), "{text}");
    let listed = identify(&sandbox, &[&fixture("nvmecontrol-devlist-p3700.txt")], &["--json"]).json();
    assert_eq!(listed["drives"].as_array().unwrap().len(), 3);
}

#[test]
fn what_names_no_drive_beside_several_stands_alone_and_says_so() {
    let sandbox = Sandbox::new();
    let log = "critical_warning : 0\navailable_spare : 100%\npercentage_used : 0%\nmedia_errors : 7\n";
    let said = identify(&sandbox, &[&fixture(CONTROLLER), &fixture(ATA), log], &["--json"]).json();
    let drives = said["drives"].as_array().unwrap();
    assert_eq!(drives.len(), 3);
    let problems = drives[2]["pages"][0]["problems"].to_string();
    assert!(problems.contains("whose it is cannot be told"), "{problems}");
    assert_eq!(drives[0]["health"]["state"], "unknown", "the errors of a log that names nobody are nobody's");
}

#[test]
fn several_files_of_one_drive_are_one_drive_and_every_source_names_its_file() {
    let sandbox = Sandbox::new();
    let log = fixture(SMART).lines().skip(4).map(|line| format!("{line}\n")).collect::<String>();
    let said = identify(&sandbox, &[&fixture(CONTROLLER), &log], &["--json"]).json();
    let drives = said["drives"].as_array().unwrap();
    assert_eq!((drives.len(), &drives[0]["health"]["state"]), (1, &Value::from("OK")));
    for (page, file) in drives[0]["pages"].as_array().unwrap().iter().zip(["0.txt: ", "1.txt: "]) {
        let fields = page["fields"].as_array().unwrap();
        assert!(fields.iter().all(|field| field["source"].as_str().unwrap().starts_with(file)), "{page}");
    }
    let bad = identify(&sandbox, &[&log, "nothing of interest\n"], &[]);
    assert!(bad.status == 2 && bad.stderr.contains("1.txt"), "{bad:?}");
}

#[test]
fn reading_and_capturing_at_once_are_refused_with_the_way_of_each() {
    let sandbox = Sandbox::new();
    let said = identify(&sandbox, &[&fixture(SMART)], &["--capture", "folder"]);
    said.refuses(&["--capture writes what a drive here answers", "ioproof identify TARGET --capture DIR", "ioproof identify --from FILE"]);
    assert!(!sandbox.work().join("folder").exists());
    fs::create_dir(sandbox.work().join("d")).unwrap();
    identify(&sandbox, &[&fixture(SMART)], &["--from", "d"]).refuses(&["d is a folder, which is shown alone"]);
}

#[test]
fn attributes_are_a_line_each_with_their_names() {
    let sandbox = Sandbox::new();
    let text = identify(&sandbox, &[&fixture(ATA)], &[]).stdout;
    let row = text.lines().find(|line| line.trim_start().starts_with("187 ")).unwrap();
    assert!(row.contains("Reported Uncorrect") && row.contains("-O--CK") && row.contains("412"), "{row}");
    assert_eq!(text.lines().filter(|line| line.contains("attribute 187")).count(), 0, "{text}");
    let json = identify(&sandbox, &[&fixture(ATA)], &["--json"]).json();
    let fields = json["drives"][0]["pages"][0]["fields"].as_array().unwrap();
    assert!(fields.iter().any(|field| field["key"] == "attribute_187_reading" && field["value"] == "412"), "{json}");
}

#[test]
fn the_heading_tells_model_serial_and_temperature() {
    let sandbox = Sandbox::new();
    let text = identify(&sandbox, &[&fixture(JSON)], &[]).stdout;
    let heading: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    for title in ["  model ", "  serial ", "  firmware ", "  size ", "  temperature ", "  health "] {
        assert!(heading.iter().any(|line| line.starts_with(title)), "{title}: {heading:?}");
    }
}

#[test]
fn a_file_is_described() {
    let sandbox = Sandbox::new();
    sandbox.file("data", common::MIB);
    let said = sandbox.run(&["identify", "data", "--json"]).json();
    let fields = said["file"]["fields"].as_array().unwrap();
    let told = |key: &str| fields.iter().find(|field| field["key"] == key).map(|field| field["value"].clone());
    assert_eq!(told("size_bytes"), Some(common::MIB.into()), "{said}");
    for key in ["allocated_bytes", "data_pieces", "holes_bytes", "direct_io"] {
        assert!(told(key).is_some(), "{key}: {said}");
    }
}
