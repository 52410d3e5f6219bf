//! Captured machines replayed: each folder of `fixtures/devices` holds `sys`, perhaps `proc`, and what is expected of them.
//!
//! `IOPROOF_BLESS=1` writes what is found as what is expected, to be looked through before it is kept.
use ioproof_core::facts::StackNode;
use ioproof_device::{CounterSnapshot, host, identify, temperature_celsius};
use ioproof_target::System;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/devices");
    let entries = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

const FILE: &str = "expected.json";

/// True when the expected files are to be written anew. Never in CI, which would then prove nothing.
fn is_blessed() -> bool {
    let is_blessed = std::env::var_os("IOPROOF_BLESS").is_some();
    assert!(!(is_blessed && std::env::var_os("CI").is_some()), "IOPROOF_BLESS rewrites what is expected and has no place in CI");
    is_blessed
}

/// The first disk of a folder that does not say which device is meant.
fn stack_of_tree(folder: &Path) -> StackNode {
    let system = System::captured(folder);
    let name = system.sys_list("block").into_iter().next().unwrap();
    ioproof_target::stack::of_device(&system, &name).unwrap()
}

fn expected(folder: &Path) -> Value {
    let path = folder.join(FILE);
    if !path.exists() && is_blessed() {
        return json!({ "stack": stack_of_tree(folder) });
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// By way of text, so that numbers are rounded as those of the expected file are.
fn plain(value: &impl Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn stack(expected: &Value) -> StackNode {
    serde_json::from_value(expected["stack"].clone()).unwrap()
}

/// Facts of a captured tree, in the form of `expected.json`.
fn found(folder: &Path, stack: &StackNode) -> Value {
    let system = System::captured(folder);
    let devices: Vec<Value> = stack.drives().iter().map(|drive| plain(&identify(&system, drive))).collect();
    let mut found = json!({ "stack": plain(stack), "devices": devices, "counters": since_boot(&system, folder, stack) });
    if folder.join("proc").exists() {
        found["host"] = plain(&host(&system));
    }
    found
}

/// The counters since all of them were zero, as a tree beside the captured one says.
fn since_boot(system: &System, folder: &Path, stack: &StackNode) -> Value {
    let zeros = tempfile::tempdir().unwrap();
    for name in stack.names() {
        let disk = zeros.path().join("sys/block").join(name);
        std::fs::create_dir_all(&disk).unwrap();
        std::fs::write(disk.join("stat"), "0 ".repeat(17)).unwrap();
    }
    let boot = CounterSnapshot::take(&System::captured(zeros.path()), Some(stack));
    let (devices, load) = CounterSnapshot::take(system, Some(stack)).since(&boot);
    assert_eq!(load.load_1min > 0.0, std::fs::read_to_string(folder.join("proc/loadavg")).is_ok_and(|text| !text.starts_with("0.00")));
    plain(&devices)
}

#[test]
fn every_captured_machine_is_told_as_expected() {
    let folders = fixtures();
    assert!(!folders.is_empty());
    let differing: Vec<String> = folders.iter().filter_map(|folder| difference(folder)).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

fn difference(folder: &Path) -> Option<String> {
    let expected = expected(folder);
    let found = found(folder, &stack(&expected));
    let text = serde_json::to_string_pretty(&found).unwrap();
    if found != expected && is_blessed() {
        // At once, since the other tests read it at the same time.
        std::fs::write(folder.join("expected.json.new"), text + "\n").unwrap();
        std::fs::rename(folder.join("expected.json.new"), folder.join(FILE)).unwrap();
        return None;
    }
    (found != expected).then(|| format!("{} differs; found:\n{text}", folder.display()))
}

#[test]
fn the_temperature_is_that_of_the_facts() {
    let mut told = 0;
    for folder in fixtures() {
        let system = System::captured(&folder);
        for drive in stack(&expected(&folder)).drives() {
            let fact = identify(&system, drive).temperature_celsius.map(|fact| fact.value);
            assert_eq!(temperature_celsius(&system, &drive.name), fact, "{}: {}", folder.display(), drive.name);
            told += u32::from(fact.is_some());
        }
    }
    assert!(told > 0);
}

#[test]
fn every_source_in_sys_is_a_file_of_the_tree() {
    for folder in fixtures() {
        let expected = expected(&folder);
        for source in sources(&found(&folder, &stack(&expected))).iter().filter(|source| source.starts_with('/')) {
            assert!(folder.join(&source[1..]).exists(), "{}: {source}", folder.display());
        }
    }
}

fn sources(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => fields.iter().flat_map(|(key, value)| if key == "source" { own(value) } else { sources(value) }).collect(),
        Value::Array(values) => values.iter().flat_map(sources).collect(),
        _ => Vec::new(),
    }
}

fn own(value: &Value) -> Vec<String> {
    value.as_str().map(str::to_owned).into_iter().collect()
}
