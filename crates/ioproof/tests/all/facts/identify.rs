//! `list` and `identify` on this machine, whatever its drives are; bad input; and captures that replay.

use crate::common;
use crate::common::{MIB, Sandbox};
use serde_json::Value;
use std::path::Path;

/// The drives of this machine; none in a container that hides them.
fn drives(sandbox: &Sandbox) -> Vec<Value> {
    let said = sandbox.succeeds(&["list", "--json"]);
    said.json()["drives"].as_array().unwrap().clone()
}

#[test]
fn the_list_has_a_line_for_each_drive_and_says_the_same_as_its_json() {
    let sandbox = Sandbox::new();
    let drives = drives(&sandbox);
    let said = sandbox.run(&["list"]);
    assert_eq!(said.status, 0);
    if drives.is_empty() {
        assert!(said.stdout.is_empty() && said.stderr.contains("no drives here"), "{said:?}");
        return;
    }
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines[0].starts_with("name"), "{}", said.stdout);
    assert_eq!(lines.len(), drives.len() + 1);
    for (line, drive) in lines[1..].iter().zip(&drives) {
        assert!(line.starts_with(drive["name"].as_str().unwrap()), "{line}");
        if let Some(serial) = drive["facts"]["serial"]["value"].as_str() {
            assert!(line.contains(serial), "the serial number is complete, since --destroy asks for it: {line}");
        }
    }
}

#[test]
fn a_directory_is_identified_down_to_its_drive() {
    let sandbox = Sandbox::new();
    let said = sandbox.succeeds(&["identify", ".", "--json"]);
    let json = said.json();
    assert_eq!(json["target"]["kind"], "directory");
    assert!(json["target"]["filesystem"]["fs_type"].as_str().is_some_and(|t| !t.is_empty()), "{json}");
    let drives = json["drives"].as_array().unwrap();
    assert!(!drives.is_empty() || !json["notes"].as_array().unwrap().is_empty(), "a drive, or why there is none");
    for field in drives.iter().flat_map(|d| d["pages"].as_array().unwrap()).flat_map(|p| p["fields"].as_array().unwrap()) {
        assert!(field["source"].as_str().is_some_and(|source| !source.is_empty()), "every fact has its source: {field}");
    }
    let text = sandbox.run(&["identify", "."]);
    assert!(text.status == 0 && text.stdout.starts_with(".: directory"), "{text:?}");
}

#[test]
fn an_empty_file_that_nobody_could_measure_is_identified() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.work().join("empty"), "").unwrap();
    assert_eq!(sandbox.run(&["identify", "empty", "--json"]).json()["target"]["kind"], "file");
}

#[test]
fn what_tells_nothing_is_refused_with_a_way_on() {
    let sandbox = Sandbox::new();
    sandbox.run(&["identify", "/no/such/device"]).refuses(&["no such target", "ioproof list"]);
    sandbox.run(&["identify", "/dev/zero"]).refuses(&["character device of no drive", "ioproof list"]);
    sandbox.run(&["identify", "/proc/self/stat"]).refuses(&["lies on proc"]);
    sandbox.run(&["identify", "--from", "absent.txt"]).refuses(&["cannot read absent.txt"]);
    sandbox.file("full", MIB);
    sandbox.run(&["identify", ".", "--capture", "full"]);
    assert_eq!(std::fs::metadata(sandbox.work().join("full")).unwrap().len(), MIB, "a file that is there is left alone");
    let none = sandbox.run(&["identify"]);
    assert!(none.status == 2 && none.stderr.contains("TARGET"), "{none:?}");
    let both = sandbox.run(&["identify", ".", "--from", "-"]);
    assert!(both.status == 2 && both.stderr.contains("--from"), "{both:?}");
}

#[test]
fn nonsense_from_another_tool_is_told() {
    let sandbox = Sandbox::new();
    sandbox.file("noise", MIB);
    let said = sandbox.run(&["identify", "--from", "noise"]);
    assert!(said.status == 2 && said.stdout.is_empty(), "{said:?}");
}

#[test]
fn what_another_tool_printed_is_read_from_a_file_and_from_standard_input() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/pages/sata-smartctl.json");
    let sandbox = Sandbox::new();
    let by_name = sandbox.run(&["identify", "--from", file, "--json"]).json();
    let fields: Vec<&Value> =
        by_name["drives"][0]["pages"].as_array().unwrap().iter().flat_map(|page| page["fields"].as_array().unwrap()).collect();
    assert!(fields.iter().any(|field| field["key"] == "model" && field["value"] == "QEMU HARDDISK"), "{by_name}");
    let mut command = sandbox.command(&["identify", "--from", "-", "--json"]);
    let piped = common::said(command.stdin(std::fs::File::open(file).unwrap()).output().unwrap());
    assert_eq!(piped.json()["drives"], by_name["drives"]);
}

#[test]
fn a_capture_replays_and_holds_no_serial_number() {
    let sandbox = Sandbox::new();
    let Some(drive) = drives(&sandbox).into_iter().next() else { return };
    let node = format!("/dev/{}", drive["name"].as_str().unwrap());
    if !Path::new(&node).exists() {
        return;
    }
    let said = sandbox.succeeds(&["identify", &node, "--json", "--capture", "plain"]);
    let again = replay(&sandbox.work().join("plain"));
    assert_eq!(again, stable(&said.json()["drives"][0]["facts"]), "what was captured tells the same again");
    assert_eq!(sandbox.run(&["identify", &node, "--capture", "plain"]).status, 2, "a folder with something in it is left alone");

    sandbox.succeeds(&["identify", &node, "--json", "--capture", "anonymous", "--anonymise"]);
    if let Some(serial) = drive["facts"]["serial"]["value"].as_str().filter(|s| s.len() >= 4 && s.bytes().any(|b| b.is_ascii_digit())) {
        let holding = files_holding(&sandbox.work().join("anonymous"), serial.as_bytes());
        assert!(holding.is_empty(), "{holding:?}");
    }
}

/// The facts that a captured machine tells about its first drive.
fn replay(folder: &Path) -> Value {
    let expected: Value = serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let stack: ioproof_core::facts::StackNode = serde_json::from_value(expected["stack"].clone()).unwrap();
    let system = ioproof_target::System::captured(folder);
    let facts = ioproof_device::identify(&system, stack.drives()[0]);
    stable(&serde_json::from_str(&serde_json::to_string(&facts).unwrap()).unwrap())
}

/// Facts without what changes by the second, and without the units and the form of the link, which JSON adds.
fn stable(facts: &Value) -> Value {
    let mut facts = facts.clone();
    let fields = facts.as_object_mut().unwrap();
    fields.retain(|key, _| !key.starts_with("link"));
    fields.values_mut().filter_map(Value::as_object_mut).for_each(|fact| drop(fact.remove("unit")));
    fields.remove("temperature_celsius");
    fields.remove("utilized_bytes");
    facts
}

fn files_holding(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_holding(&path, bytes));
        } else if entry.file_type().unwrap().is_file() && std::fs::read(&path).unwrap().windows(bytes.len()).any(|window| window == bytes) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_drive_that_tells_nothing_of_its_health_is_not_admitted() {
    let sandbox = Sandbox::new();
    let tells = drives(&sandbox).iter().any(|drive| drive["health"]["state"] != "unknown");
    if !tells {
        let said = sandbox.run(&["verify", ".", "--size", "1MiB", "--time", "1s", "--admit", "healthy"]);
        assert!(said.status == 2 && said.stderr.contains("admit"), "{said:?}");
        assert!(sandbox.runs().is_empty(), "nothing is measured");
    }
}
