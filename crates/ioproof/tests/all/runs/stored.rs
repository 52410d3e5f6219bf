//! The run store: listed by summaries, whatever else lies in it.

use crate::common;
use crate::common::{Sandbox, said};
use std::path::{Path, PathBuf};
use std::process::Command;

const OLDER: &str = "20261121-031500-3f9a";

fn runs(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.state().join("ioproof/runs");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A copy of a stored run of an earlier version, which has no summary.
fn copy(sandbox: &Sandbox, id: &str) -> PathBuf {
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs").join(OLDER);
    let to = runs(sandbox).join(id);
    assert!(Command::new("cp").arg("-r").args([&from, &to]).status().unwrap().success());
    to
}

fn listed(sandbox: &Sandbox) -> serde_json::Value {
    sandbox.run(&["runs", "list", "--json"]).json()["runs"].take()
}

#[test]
fn a_list_reads_summaries_alone() {
    let sandbox = Sandbox::new();
    let older = copy(&sandbox, OLDER);
    let before = listed(&sandbox);
    assert!(older.join("summary.json").is_file(), "it is made when the run is first listed");
    assert!(before[0]["rounds"].as_u64() > Some(0) && before[0]["headline"].is_string(), "{before}");
    // Rounds that no reader understands show that nobody reads them.
    for entry in std::fs::read_dir(older.join("stages")).unwrap() {
        std::fs::write(entry.unwrap().path(), "no round").unwrap();
    }
    assert_eq!(listed(&sandbox), before);
    let table = sandbox.run(&["runs", "list", "--wide"]);
    assert!(table.stdout.contains("complete") && !table.stdout.contains("unreadable"), "{table:?}");
    // One that somebody changed is made anew.
    add_a_digit(&older.join("summary.json"), "\"rounds\":");
    assert_eq!(listed(&sandbox)[0]["rounds"], 0);
    std::fs::write(older.join("summary.json"), before.to_string()).unwrap();
    assert_eq!(listed(&sandbox)[0]["rounds"], 0);
}

#[test]
fn a_stage_that_is_damaged_takes_only_itself_away() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 << 20);
    sandbox.run(&["verify", "data", "--rw", "read,randread", "--time", "2s", "--runs", "3"]);
    let stages = sandbox.without_digests(&sandbox.runs()[0]).join("stages");
    let before = common::rounds(&sandbox.run(&["report", "last", "--json"]).json()).len();
    std::fs::write(stages.join("0000.json"), "").unwrap();
    let report = sandbox.run(&["report", "last", "--json"]).json();
    let notes = report["run"]["notes"].to_string();
    assert!(notes.contains("a stage is missing here") && notes.contains("stages/0000.json"), "{notes}");
    assert_eq!(common::rounds(&report).len(), before - 1);
    for (what, said) in [("{}", "stages/0000.json holds none, or another"), ("gone", "stages are missing here before")] {
        if what == "gone" { std::fs::remove_file(stages.join("0000.json")) } else { std::fs::write(stages.join("0000.json"), what) }
            .unwrap();
        let report = sandbox.run(&["report", "last", "--json"]).json();
        assert!(report["run"]["notes"].to_string().contains(said), "{}", report["run"]["notes"]);
    }
    std::fs::write(stages.join("../judgement.json"), "").unwrap();
    let report = sandbox.run(&["report", "last", "--json"]).json();
    assert!(report["run"]["notes"].to_string().contains("judged anew") && report["judgement"]["rows"][0].is_object());
}

/// Writes a digit more before a text of a file, which stays a file of its kind.
fn add_a_digit(file: &Path, before: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    let at = text.find(before).unwrap() + before.len();
    std::fs::write(file, format!("{}7{}", &text[..at], &text[at..])).unwrap();
}

#[test]
fn what_was_changed_since_a_run_was_stored_is_told_and_not_believed() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 << 20);
    sandbox.run(&["verify", "data", "--rw", "randread", "--time", "2s", "--runs", "3"]);
    let folder = runs(&sandbox).join(sandbox.runs().remove(0));
    let report = |more: &[&str]| sandbox.run(&[&["report", "last", "--json"], more].concat()).json();
    let whole = report(&[]);
    assert!(!whole["run"]["notes"].to_string().contains("changed or damaged"), "{}", whole["run"]["notes"]);
    let with = |file: &str, before: &str, act: &dyn Fn(&str)| {
        let path = folder.join(file);
        let stored = std::fs::read(&path).unwrap();
        add_a_digit(&path, before);
        act(&report(&[])["run"]["notes"].to_string());
        let shown = sandbox.run(&["runs", "show", "last"]).stdout;
        // Where a line ends depends on how long the path is.
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("changed or damaged since the run was stored"), "{shown}");
        std::fs::write(&path, stored).unwrap();
        assert_eq!(report(&[]), whole, "{file}");
    };
    with("judgement.json", "\"median\": ", &|notes| {
        assert!(notes.contains("it is judged anew") && notes.contains("judgement.json was changed or damaged"), "{notes}");
        assert_eq!(report(&[])["judgement"], report(&["--rejudge"])["judgement"], "it is not what somebody wrote");
    });
    with("stages/0000.json", "\"elapsed_ns\":", &|notes| {
        assert!(notes.contains("a stage is missing here") && notes.contains("0000.json was changed or damaged"), "{notes}");
        let compared = sandbox.run(&["compare", "last", "last"]);
        assert!(compared.stderr.contains("0000.json was changed or damaged"), "{compared:?}");
    });
    with("run.json", "\"seed\": ", &|notes| assert!(notes.contains("run.json was changed or damaged"), "{notes}"));
    with("digests.json", "\"digests_version\":", &|notes| assert!(notes.contains("digests.json is of format 71"), "{notes}"));
    std::fs::write(folder.join("stages/9999.json"), std::fs::read(folder.join("stages/0000.json")).unwrap()).unwrap();
    assert!(report(&[])["run"]["notes"].to_string().contains("9999.json was changed or damaged"), "it was not stored with it");
    std::fs::remove_file(folder.join("stages/9999.json")).unwrap();
    sandbox.without_digests(&sandbox.runs()[0]);
    assert!(report(&[])["run"]["notes"].to_string().contains("digests.json is gone"), "{}", report(&[])["run"]["notes"]);
    std::fs::remove_file(folder.join("summary.json")).unwrap();
    assert_eq!(report(&[]), whole, "as of an earlier version");
}

#[test]
fn stages_that_are_missing_at_the_end_are_told() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 << 20);
    sandbox.run(&["verify", "data", "--rw", "randread", "--time", "2s", "--runs", "3"]);
    let stages = runs(&sandbox).join(sandbox.runs().remove(0)).join("stages");
    let notes = || sandbox.run(&["report", "last", "--json"]).json()["run"]["notes"].to_string();
    assert!(!notes().contains("missing here"), "{}", notes());
    let last = std::fs::read_dir(&stages).unwrap().map(|entry| entry.unwrap().path()).max().unwrap();
    std::fs::remove_file(last).unwrap();
    assert!(notes().contains("stages are missing here at the end"), "{}", notes());
}

#[test]
fn a_run_has_its_summary_from_the_beginning_to_the_end() {
    let sandbox = Sandbox::new();
    let job = ["run", "--name=one", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k"];
    assert_eq!(sandbox.run(&job).status, 0);
    let folder = runs(&sandbox).join(sandbox.runs().remove(0));
    let summary = || -> serde_json::Value { serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap() };
    let first = summary();
    assert_eq!((&first["status"]["state"], &first["jobs"][0], &first["exit_status"]), (&"complete".into(), &"one".into(), &0.into()));
    assert_eq!(first["record_bytes"], folder.join("run.json").metadata().unwrap().len());
    // A summary that does not fit its record, or that no reader understands, is made anew.
    for broken in ["", "{}", "{\"summary_version\":9}"] {
        std::fs::write(folder.join("summary.json"), broken).unwrap();
        assert_eq!(listed(&sandbox)[0]["jobs"][0], "one");
        assert_eq!(summary(), first);
    }
}

#[test]
fn whatever_lies_in_the_store_keeps_no_other_run_from_being_listed() {
    let sandbox = Sandbox::new();
    copy(&sandbox, OLDER);
    let folder = |name: &str| {
        let folder = runs(&sandbox).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    let pipe = |at: &Path| assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
    pipe(&folder("a-pipe").join("run.json"));
    std::os::unix::fs::symlink("/dev/zero", folder("a-link").join("run.json")).unwrap();
    std::fs::create_dir(folder("a-folder").join("run.json")).unwrap();
    std::fs::File::create(folder("endless").join("run.json")).unwrap().set_len(1 << 40).unwrap();
    std::fs::write(folder("text").join("run.json"), "dear diary").unwrap();
    pipe(&copy(&sandbox, "piped-judgement").join("judgement.json.new"));
    let piped = copy(&sandbox, "piped-round");
    pipe(&piped.join("stages/9999.json"));
    std::fs::write(folder("no-run").join("notes"), "nothing").unwrap();
    pipe(&copy(&sandbox, "piped-summary").join("summary.json"));
    let said = sandbox.succeeds(&["runs", "list", "--wide"]);
    let unreadable: Vec<&str> = said.stdout.lines().filter(|line| line.contains("unreadable")).collect();
    assert_eq!(unreadable.len(), 5, "{}", said.stdout);
    for (name, why) in [("a-pipe", "it is a pipe"), ("a-link", "it is a link"), ("a-folder", "no record"), ("endless", "larger than")] {
        assert!(
            unreadable.iter().any(|line| line.starts_with(name) && (line.contains(why) || why == "no record")),
            "{name}: {unreadable:?}"
        );
    }
    assert!(said.stdout.contains("piped-summary") && said.stdout.contains(OLDER) && !said.stdout.contains("no-run"), "{}", said.stdout);
    assert_eq!(sandbox.run(&["report", "a-pipe"]).status, 2);
    let notes = sandbox.run(&["report", "piped-round", "--json"]).json()["run"]["notes"].to_string();
    assert!(notes.contains("a stage is missing here") && notes.contains("pipe"), "{notes}");
}

/// A folder that cannot be read is not an empty one.
#[test]
fn a_store_that_cannot_be_read_is_said() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.state().join("ioproof/runs"), "").unwrap();
    for words in [&["runs", "list"][..], &["runs", "list", "--json"], &["runs", "prune", "--size", "1KiB"], &["report", "last"]] {
        sandbox.run(words).refuses(&["cannot be listed"]);
    }
}

#[test]
fn no_link_in_the_store_is_followed() {
    let sandbox = Sandbox::untested();
    let job = ["run", "--name=one", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k"];
    let precious = sandbox.work().join("precious");
    std::fs::write(&precious, "precious").unwrap();
    std::fs::create_dir_all(sandbox.state().join("ioproof")).unwrap();
    std::os::unix::fs::symlink(&precious, sandbox.self_test()).unwrap();
    assert_eq!(sandbox.run(&job).status, 0);
    let folder = runs(&sandbox).join(sandbox.runs().remove(0));
    std::fs::remove_file(folder.join("summary.json")).unwrap();
    std::os::unix::fs::symlink(&precious, folder.join("summary.json")).unwrap();
    assert_eq!(listed(&sandbox)[0]["jobs"][0], "one");
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
}

#[test]
fn a_report_as_json_is_a_run_that_can_be_shown() {
    let sandbox = Sandbox::new();
    let older = copy(&sandbox, OLDER).display().to_string();
    assert_eq!(sandbox.run(&["report", &older, "-o", "x.json"]).status, 0);
    let [shown, from] = [sandbox.run(&["report", "x.json"]), sandbox.run(&["report", &older])];
    assert_eq!((shown.status, &shown.stdout), (0, &from.stdout));
    std::fs::write(sandbox.work().join("y.json"), "{}").unwrap();
    sandbox.run(&["report", "y.json"]).refuses(&["y.json is no report"]);
    std::fs::copy(runs(&sandbox).join(OLDER).join("run.json"), sandbox.work().join("run.json")).unwrap();
    sandbox.run(&["runs", "show", ""]).refuses(&["the name of a run is empty"]);
}

#[test]
fn pipes_and_endless_files_are_no_input() {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.work().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe.toml")).status().unwrap().success());
    for arguments in [
        &["datasheet", "check", "pipe.toml"][..],
        &["datasheet", "check", "/dev/zero"],
        &["run", "pipe.toml"],
        &["run", "/dev/zero"],
        &["identify", "--from", "pipe.toml"],
        &["verify", "--datasheet", "./pipe.toml"],
    ] {
        assert_eq!(sandbox.run(arguments).status, 2, "{arguments:?}");
    }
    let own = sandbox.config().join("ioproof/datasheets");
    std::fs::create_dir_all(&own).unwrap();
    assert!(Command::new("mkfifo").arg(own.join("x.toml")).status().unwrap().success());
    let list = sandbox.run(&["datasheet", "list"]);
    assert!(list.status == 0 && list.stderr.contains("left out") && list.stderr.contains("pipe"), "{list:?}");
    // What a shell gives as a file is read as before.
    let mut command = Command::new("bash");
    sandbox.prepare(&mut command);
    let script = "$IOPROOF run --parse-only <(printf '[a]\\nioengine=null\\nsize=4k\\n')";
    let said = said(command.env("IOPROOF", env!("CARGO_BIN_EXE_ioproof")).args(["-c", script]).output().unwrap());
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn runs_that_go_on_side_by_side_are_all_stored_whole() {
    let sandbox = Sandbox::new();
    for _ in 0..3 {
        let job = ["run", "--name=a", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k"];
        let side_by_side: Vec<_> = (0..8).map(|_| sandbox.begin(&job)).collect();
        for child in side_by_side {
            let said = said(child.wait_with_output().unwrap());
            assert!(said.status == 0 && !said.stderr.contains("not stored"), "{said:?}");
        }
    }
    let runs = sandbox.state().join("ioproof/runs");
    let stored = std::fs::read_dir(&runs).unwrap().map(|run| run.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(stored.len(), 24);
    assert!(stored.iter().all(|run| run.join("digests.json").is_file() && run.join("stages/0000.json").is_file()), "{stored:?}");
}
