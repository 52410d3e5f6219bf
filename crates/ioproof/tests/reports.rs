//! A run is stored once and can be shown in every format afterwards.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

mod common;

use common::Sandbox;

#[test]
fn every_format_from_one_run() {
    let sandbox = Sandbox::new();
    let measured = sandbox.verify(&["--size", "16MiB", "--json", "-o", "now.html"]);
    let files = ["x.json", "x.md", "x.csv", "x.html", "x.txt"];
    let args: Vec<&str> = files.iter().flat_map(|f| ["-o", f]).collect();
    let said = sandbox.run(&[&["report", "last"], args.as_slice()].concat());
    assert_eq!((said.status, said.stdout.as_str()), (0, ""), "{said:?}");
    let read = |name: &str| std::fs::read_to_string(sandbox.work().join(name)).unwrap();
    assert!(files.iter().all(|f| read(f).contains("4 KiB") || read(f).contains("4096")));
    assert_eq!(read("x.html"), read("now.html"), "a report is the same later");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&read("x.json")).unwrap(), measured.json());
    assert!(read("x.html").starts_with("<!DOCTYPE html>") || read("x.html").starts_with("<!doctype html>"));
    let left = sandbox.left_behind();
    assert_eq!(left, ["now.html", "x.csv", "x.html", "x.json", "x.md", "x.txt"]);
}

#[test]
fn a_workbook_is_the_same_later_and_needs_stacks() {
    let sandbox = Sandbox::new();
    sandbox.verify(&["--size", "16MiB", "-o", "now.xlsx"]);
    assert_eq!(sandbox.run(&["report", "last", "-o", "later.xlsx"]).status, 0);
    let read = |name: &str| std::fs::read(sandbox.work().join(name)).unwrap();
    assert!(read("now.xlsx").starts_with(b"PK") && read("now.xlsx") == read("later.xlsx"));
    for size in ["1", "99999999999999"] {
        let mut command = sandbox.command(&["report", "last", "-o", "small.xlsx"]);
        common::said(command.env("RUST_MIN_STACK", size).output().unwrap()).refuses(&["RUST_MIN_STACK", "unset"]);
    }
    assert_eq!(sandbox.left_behind(), ["later.xlsx", "now.xlsx"]);
}

#[test]
fn judging_again_by_the_same_rules_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.verify(&["--size", "16MiB"]);
    let stored = sandbox.run(&["report", "last", "--json"]).json();
    let again = sandbox.run(&["report", "last", "--json", "--rejudge"]).json();
    assert_eq!(stored["judgement"], again["judgement"]);
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id_and_by_its_path() {
    let sandbox = Sandbox::new();
    sandbox.verify(&["--size", "16MiB"]);
    let id = sandbox.runs().remove(0);
    let path = sandbox.state().join("ioproof/runs").join(&id).display().to_string();
    for name in [id.as_str(), &id[..8], &path, "last"] {
        assert!(sandbox.run(&["runs", "show", name]).stdout.contains(&id), "{name}");
    }
}

#[test]
fn a_damaged_record_is_named() {
    let sandbox = Sandbox::new();
    sandbox.verify(&["--size", "16MiB"]);
    let id = sandbox.runs().remove(0);
    let record = sandbox.state().join("ioproof/runs").join(&id).join("run.json");
    std::fs::write(&record, "{ \"id\": 3 }").unwrap();
    sandbox.run(&["report", "last"]).refuses(&["run.json", "line 1"]);
    let list = sandbox.run(&["runs", "list"]);
    assert!(list.status == 0 && list.stdout.contains("unreadable"), "{list:?}");
}

#[test]
fn an_output_that_cannot_be_written_costs_no_run() {
    let sandbox = Sandbox::new();
    sandbox.verify(&["--size", "16MiB", "-o", "no/such/x.html"]).refuses(&["no/such/x.html"]);
    assert!(sandbox.runs().is_empty());
    let notes = sandbox.file("notes.md", 1 << 20);
    sandbox.verify(&["--size", "16MiB", "-o", "notes.md"]).refuses(&["notes.md exists and is not what ioproof wrote"]);
    sandbox.verify(&["notes.md", "-o", "notes.md"]).refuses(&["notes.md exists and is not what ioproof wrote"]);
    assert!(std::fs::read(notes).unwrap() == common::noise(1 << 20));
    std::fs::create_dir(sandbox.work().join("d.html")).unwrap();
    sandbox.verify(&["--size", "16MiB", "-o", "d.html"]).refuses(&["d.html"]);
}
