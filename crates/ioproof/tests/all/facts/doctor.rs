//! `ioproof doctor` on this machine, whatever it is: what must hold on every one.

use crate::common::{ProgramOutput, Sandbox};
use serde_json::Value;

/// The exit status that the advice stands for.
fn status_of(document: &Value) -> i32 {
    let advice = document["advice"].as_array().unwrap();
    if advice.iter().any(|advice| advice["severity"] != "info") { 3 } else { 0 }
}

fn names(document: &Value) -> Vec<String> {
    document["drives"].as_array().unwrap().iter().map(|drive| drive["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_exit_status_is_that_of_the_advice() {
    let said: ProgramOutput = Sandbox::new().run(&["doctor", "--json"]);
    let document = said.json();
    assert_eq!((document["schema_version"].as_u64(), document["exit_status"].as_i64()), (Some(1), Some(said.status.into())));
    assert_eq!(said.status, status_of(&document), "{said:?}");
    for advice in document["advice"].as_array().unwrap() {
        let evidence = advice["evidence"].as_array().unwrap();
        assert!(!evidence.is_empty() && evidence.iter().all(|figure| figure["value"].as_str().unwrap().ends_with(')')), "{advice}");
    }
}

#[test]
fn every_fact_has_its_source() {
    let document = Sandbox::new().run(&["doctor", "--json"]).json();
    let pages = document["drives"].as_array().unwrap().iter().flat_map(|drive| drive["pages"].as_array().unwrap());
    let pages: Vec<&Value> = document["host"].as_array().unwrap().iter().chain(pages).collect();
    assert!(pages.iter().any(|page| page["name"] == "host"));
    let fields: Vec<&Value> = pages.iter().flat_map(|page| page["fields"].as_array().unwrap()).collect();
    for key in ["kernel", "cpus_usable", "clock_cost_ns", "cpu_busy_percent", "runnable_others"] {
        assert_eq!(fields.iter().filter(|field| field["key"] == key).count(), 1, "{key}");
    }
    assert!(fields.iter().all(|field| !field["source"].as_str().unwrap().is_empty()));
}

#[test]
fn the_text_says_what_json_says() {
    let sandbox = Sandbox::new();
    let document = sandbox.run(&["doctor", "--json"]).json();
    let text = sandbox.run(&["doctor"]).stdout;
    for advice in document["advice"].as_array().unwrap() {
        // What is measured anew each time may fall on either side of its limit.
        if !["clock-cost", "cpu-busy", "run-queue", "steal", "drive-busy"].contains(&advice["rule"].as_str().unwrap()) {
            assert!(text.contains(&format!("  {} ", advice["rule"].as_str().unwrap())), "{advice} is missing in\n{text}");
        }
    }
    assert!(text.lines().last().unwrap().contains(" rules looked at the host and "), "{text}");
}

#[test]
fn a_target_names_its_drives() {
    let sandbox = Sandbox::new();
    let under = names(&sandbox.run(&["doctor", ".", "--json"]).json());
    let all = names(&sandbox.run(&["doctor", "--json"]).json());
    let real = |name: &String| std::path::Path::new(&format!("/sys/block/{name}/device")).exists();
    assert!(under.iter().filter(|name| real(name)).all(|name| all.contains(name)), "{under:?} {all:?}");
    assert!(names(&sandbox.run(&["doctor", "/dev/zero", "--json"]).json()).is_empty());
}

#[test]
fn what_is_no_drive_is_told_in_the_right_words() {
    let sandbox = Sandbox::new();
    let null = sandbox.run(&["doctor", "/dev/null"]);
    assert!(null.stderr.contains("the host alone was looked at") && null.status != 2, "{null:?}");
    sandbox.file("empty", 0);
    assert_ne!(sandbox.run(&["doctor", "empty"]).status, 2, "an empty file lies on a drive as well as any other");
    std::os::unix::fs::symlink("/no/where", sandbox.work().join("link")).unwrap();
    sandbox.run(&["doctor", "link"]).refuses(&["is a link to /no/where"]);
    let evil = sandbox.run(&["doctor", "x\u{1b}[31m"]);
    assert!(!evil.stderr.contains('\u{1b}') && evil.status == 2, "{evil:?}");
}

#[test]
fn kernel_names_are_targets() {
    let sandbox = Sandbox::new();
    let name = names(&sandbox.run(&["doctor", "--json"]).json()).into_iter().next();
    let Some(name) = name.filter(|name| std::path::Path::new("/dev").join(name).exists()) else { return };
    assert_eq!(names(&sandbox.run(&["doctor", &name, "--json"]).json()), std::slice::from_ref(&name));
    let listed = sandbox.run(&["list", &name, "--json"]).json();
    assert_eq!(names(&listed), std::slice::from_ref(&name));
    sandbox.run(&["verify", &name, "--dry-run"]).refuses(&["name of a block device", &format!("/dev/{name}")]);
    assert!(sandbox.left_behind().is_empty());
}

#[test]
fn nothing_is_left_behind_and_mistakes_are_told() {
    let sandbox = Sandbox::new();
    sandbox.run(&["doctor", "."]);
    sandbox.run(&["doctor", "/no/such/target"]).refuses(&["no such target"]);
    sandbox.run(&["doctor", ".", "--jsn"]).refuses(&["--json"]);
    assert!(sandbox.left_behind().is_empty() && sandbox.runs().is_empty());
    let help = sandbox.run(&["doctor", "--help"]);
    assert!(help.status == 0 && help.stdout.contains("Examples:") && help.stdout.contains("Exit status: 3"));
}
