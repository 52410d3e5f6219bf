//! A run is stored once and can be shown in every format afterwards.

#[path = "../../../../ioproof-report/tests/report/validate.rs"]
mod validate;

use crate::common;
use crate::common::{ProgramOutput, Sandbox};
use std::os::unix::fs::symlink;

#[test]
fn every_format_from_one_run() {
    let sandbox = Sandbox::new();
    let measured = sandbox.verify(&["--size", "16MiB", "--json", "-o", "now.html"]);
    let files = ["x.json", "x.md", "x.csv", "x.html", "x.txt", "x.xml", "x.prom"];
    let args: Vec<&str> = files.iter().flat_map(|f| ["-o", f]).collect();
    let said = sandbox.run(&[&["report", "last"], args.as_slice()].concat());
    assert_eq!((said.status, said.stdout.as_str()), (0, ""), "{said:?}");
    let read = |name: &str| std::fs::read_to_string(sandbox.work().join(name)).unwrap();
    assert!(files.iter().all(|f| read(f).contains("4 KiB") || read(f).contains("4096")));
    assert_eq!(read("x.html"), read("now.html"), "a report is the same later");
    let mut document = serde_json::from_str::<serde_json::Value>(&read("x.json")).unwrap();
    assert!(document.as_object_mut().unwrap().remove("ioproof_stamp").is_some(), "its digest");
    assert_eq!(document, measured.json());
    assert!(read("x.html").starts_with("<!DOCTYPE html>") || read("x.html").starts_with("<!doctype html>"));
    let left = sandbox.left_behind();
    assert_eq!(left, ["now.html", "x.csv", "x.html", "x.json", "x.md", "x.prom", "x.txt", "x.xml"]);
}

#[test]
fn json_of_a_run_fits_the_published_schema() {
    let published = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/report.schema.json")).unwrap();
    let schema = serde_json::from_str(&published).unwrap();
    let sandbox = Sandbox::new();
    let verified = sandbox.verify(&["--size", "16MiB", "--json"]).json();
    let swept = sandbox.run(&["sweep", "--time", "2s", "--size", "16MiB", "--depth", "1,4,16", "--json"]).json();
    sandbox.run(&["run", "--name=a", "--rw=randwrite", "--bs=4k", "--size=1m", "--filename=x", "--verify=crc32c"]);
    let of_job = sandbox.run(&["report", "last", "--json"]).json();
    for (name, report) in [("verify", verified), ("sweep", swept), ("run", of_job)] {
        validate::validate(&schema, &schema, &report, name).unwrap();
    }
}

const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261203-101500-7b21");

#[test]
fn a_named_format_goes_to_standard_output_in_place_of_the_summary() {
    let sandbox = Sandbox::new();
    let measured = sandbox.verify(&["--size", "16MiB", "--format", "csv", "-o", "x.html", "-o", "-"]);
    assert!(measured.status != 2 && measured.stdout.starts_with("run_id,run_status,"), "{measured:?}");
    let later = sandbox.run(&["report", "last", "--format", "csv"]);
    assert_eq!(later.stdout, measured.stdout);
    sandbox.run(&["report", "last", "--format", "csv", "-o", "plain"]);
    assert_eq!(std::fs::read_to_string(sandbox.work().join("plain")).unwrap(), later.stdout);
    assert_eq!(sandbox.run(&["report", "last", "--format", "json"]).json(), sandbox.run(&["report", "last", "--json"]).json());
    assert_eq!(sandbox.left_behind(), ["plain", "x.html"]);
}

#[test]
fn standard_output_without_a_format_takes_the_text_report() {
    let sandbox = Sandbox::new();
    let text = sandbox.run(&["report", RUN, "--format", "text"]);
    assert_eq!(sandbox.run(&["report", RUN, "-o", "-"]).stdout, text.stdout);
    let measured = sandbox.verify(&["--size", "16MiB", "-o", "-", "-o", "x.md"]);
    assert_eq!(measured.stdout, sandbox.run(&["report", "last", "-o", "-"]).stdout, "in place of the summary");
    assert_eq!(sandbox.left_behind(), ["x.md"]);
}

#[test]
fn a_format_that_says_nothing_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.run(&["report", RUN, "-o", "x.html", "--format", "csv"]).refuses(&["--format csv", "-o -"]);
    sandbox.run(&["report", RUN, "-o", "plain"]).refuses(&["plain", "--format"]);
    sandbox.run(&["report", RUN, "-o", "-", "--json"]).refuses(&["-o -", "--json"]);
    sandbox.run(&["report", RUN, "-o", "d/", "--format", "html"]).refuses(&["d/", "csv"]);
    assert!(sandbox.left_behind().is_empty());
}

#[test]
fn a_folder_takes_all_tables_and_keeps_what_is_not_ours() {
    let sandbox = Sandbox::new();
    let tables = ["latency.csv", "notes.csv", "results.csv", "rounds.csv"];
    let folder = sandbox.work().join("d");
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    for _ in ["new", "again"] {
        assert_eq!(sandbox.run(&["report", RUN, "-o", "d/"]).status, 0);
        assert_eq!(names(), tables);
    }
    std::fs::write(folder.join("rounds.csv"), "mine").unwrap();
    std::fs::remove_file(folder.join("notes.csv")).unwrap();
    sandbox.run(&["report", RUN, "-o", "d/"]).refuses(&["rounds.csv exists and is not what ioproof wrote"]);
    assert_eq!(names(), ["latency.csv", "results.csv", "rounds.csv"], "nothing is written where one cannot be");
    sandbox.run(&["report", RUN, "-o", "d/rounds.csv/"]).refuses(&["rounds.csv"]);
    for place in ["no/such/", "no/such/x.html", "no/such//"] {
        sandbox.run(&["report", RUN, "-o", place]).refuses(&["there is no folder no", "hint: make that folder first"]);
    }
    sandbox.verify(&["--size", "16MiB", "-o", "no/such/"]).refuses(&["there is no folder no"]);
    assert!(sandbox.runs().is_empty(), "it is told before the run");
    sandbox.run(&["report", RUN, "-o", "z/.", "--format", "csv"]).refuses(&["the name of a folder", "leave the slash out"]);
    sandbox.verify(&["--size", "16MiB", "--dry-run", "-o", "later/"]);
    assert!(!sandbox.work().join("later").exists(), "a dry run makes no folder");
}

/// Has a run with this output, and does something while it goes on.
fn meanwhile(sandbox: &Sandbox, output: &str, act: impl FnOnce()) -> ProgramOutput {
    let words = ["verify", "--backend", "null", "--rw", "randread", "--depth", "1", "--time", "10m", "--runs", "500", "-o", output];
    sandbox.interrupt(sandbox.begin(&words), 1, act)
}

#[test]
fn a_folder_that_is_exchanged_during_the_run_stays_the_one_that_was_looked_at() {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.work().join(name);
    std::fs::create_dir(at("d")).unwrap();
    std::fs::create_dir(at("precious")).unwrap();
    let said = meanwhile(&sandbox, "d/", || {
        std::fs::rename(at("d"), at("moved")).unwrap();
        symlink("precious", at("d")).unwrap();
        std::fs::write(at("precious/results.csv"), "mine").unwrap();
    });
    assert!(at("moved/results.csv").is_file() && at("moved/notes.csv").is_file(), "{said:?}");
    assert_eq!(std::fs::read_dir(at("precious")).unwrap().count(), 1);
    assert_eq!(std::fs::read(at("precious/results.csv")).unwrap(), b"mine");
    assert!(said.status == 2 && said.stderr.contains("error: d/results.csv was written as "), "{said:?}");
    assert!(said.stderr.contains(&sandbox.path("moved/results.csv")) && !said.stderr.contains("wrote d/"), "{said:?}");
}

#[test]
fn a_folder_that_somebody_makes_during_the_run_gets_nothing() {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.work().join(name);
    std::fs::create_dir(at("precious")).unwrap();
    let said = meanwhile(&sandbox, "d/", || symlink("precious", at("d")).unwrap());
    assert!(said.status == 2 && said.stderr.contains("d was made by somebody else while the run went on"), "{said:?}");
    assert!(said.stderr.contains("hint: ioproof report last -o d/"), "{said:?}");
    assert_eq!(std::fs::read_dir(at("precious")).unwrap().count(), 0);
    assert_eq!((sandbox.runs().len(), sandbox.run(&["report", "last"]).status), (1, 0), "the run is kept");
    // The folder's folder is held as well.
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.work().join(name);
    std::fs::create_dir(at("above")).unwrap();
    std::fs::create_dir(at("precious")).unwrap();
    let said = meanwhile(&sandbox, "above/d/", || {
        std::fs::rename(at("above"), at("moved")).unwrap();
        symlink("precious", at("above")).unwrap();
    });
    assert!(at("moved/d/results.csv").is_file() && std::fs::read_dir(at("precious")).unwrap().count() == 0, "{said:?}");
    assert!(said.stderr.contains(&sandbox.path("moved/d/results.csv")), "{said:?}");
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
