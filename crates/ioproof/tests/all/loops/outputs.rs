//! Outputs and stored runs on filesystems that fill up, or that keep no extended attributes. Needs root, to mount them.

use crate::common;
use crate::common::loops::{Mount, hole, tool};
use crate::common::{MIB, Sandbox};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A filesystem in memory, wherever it is wanted.
fn memory(at: PathBuf, options: &str) -> Mount {
    Mount::at(at, &["-t", "tmpfs", "-o", options, "none"])
}

/// Own files are named, proved and removed by the descriptors that hold them.
#[test]
fn without_proc_nothing_begins_and_nothing_is_left() {
    let sandbox = Sandbox::new();
    let script = r#"mount -t tmpfs none /proc && exec "$0" "$@""#;
    for args in
        [&["layers", "--dir", ".", "--size", "32MiB"][..], &["verify", ".", "--rw", "randread", "-o", "run.json"], &["runs", "list"]]
    {
        let mut command = Command::new("unshare");
        sandbox.prepare(&mut command);
        command.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_ioproof")]).args(args);
        common::said(command.output().unwrap()).refuses(&["/proc is not mounted here", "mount -t proc proc /proc"]);
        assert!(sandbox.left_behind().is_empty(), "{args:?}");
    }
}

fn leftovers(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.')).collect()
}

#[test]
fn a_state_folder_that_is_full_loses_nothing() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    // Room for the beginning of a run and for some of its rounds.
    let state = memory(sandbox.state(), "size=128k");
    let said = sandbox.run(&["verify", "data", "--runs", "6", "--time", "6s"]);
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    assert_eq!(said.stderr.matches("warning: the run is not stored: ").count(), 1, "said once: {}", said.stderr);
    let folder = sandbox.state().join("ioproof/runs").display().to_string();
    for words in ["No space left on device", "it would be in ", &folder, "XDG_STATE_HOME", "-o run.json", "ioproof report run.json"] {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
    assert!(said.stdout.contains("Claims and reasons") && said.stdout.contains("rules version"), "all of it is shown: {}", said.stdout);
    assert!(!said.stdout.contains("next: ioproof report") && !said.stderr.contains("stored in"), "{said:?}");
    let kept = sandbox.run(&["verify", "data", "--runs", "6", "--time", "6s", "-o", "run.json"]);
    assert!(kept.stdout.contains("exit status") && !kept.stdout.contains("Claims and reasons"), "{kept:?}");
    assert!(!kept.stdout.contains("next: ioproof report"), "{kept:?}");
    assert!(sandbox.run(&["report", "run.json"]).stdout.contains("Claims and reasons"));
    state.fill();
    let job = ["run", "--name=a", "--filename=data", "--rw=read", "--bs=64k", "--size=1m"];
    let said = sandbox.run(&job);
    assert!(said.status == 0 && said.stdout.contains("IO depths") && said.stderr.contains("the run is not stored: "), "{said:?}");
    sandbox.succeeds(&["runs", "list"]);
}

#[test]
fn a_store_that_is_full_takes_no_import_and_gives_its_room_back() {
    let sandbox = Sandbox::new();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261121-031500-3f9a");
    for name in ["x.ioproof", "y.ioproof"] {
        assert_eq!(sandbox.run(&["runs", "export", fixture, "-o", name]).status, 0);
    }
    let state = memory(sandbox.state(), "size=128k");
    let said = sandbox.run(&["runs", "import", "x.ioproof"]);
    assert!(
        said.status == 2 && said.stderr.contains("No space left on device") && said.stderr.contains("hint: make room there"),
        "{said:?}"
    );
    assert!(sandbox.runs().is_empty(), "{:?}", sandbox.runs());
    drop(state);
    let state = memory(sandbox.state(), "size=1m");
    assert_eq!(sandbox.run(&["runs", "import", "x.ioproof"]).status, 0);
    state.fill();
    assert_eq!(sandbox.run(&["runs", "list"]).stdout.lines().count(), 2);
    let said = sandbox.run(&["runs", "rm", "3f9a"]);
    assert!(said.status == 0 && sandbox.runs().is_empty(), "removing needs no room: {said:?}");
}

#[test]
fn a_run_that_has_ended_outlives_the_loss_of_all_that_was_not_synced() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let (image, at) = (hole(&sandbox, "image", 400 * MIB), sandbox.state());
    tool("mkfs.xfs", &["-q", image.to_str().unwrap()]);
    let mount = || Mount::at(at.clone(), &["-o", "loop", image.to_str().unwrap()]);
    let mounted = mount();
    assert!(matches!(sandbox.run(&["verify", "data", "--runs", "2", "--time", "2s"]).status, 0 | 3));
    // Nothing that is still in memory is written any more (xfs_io(8)).
    tool("xfs_io", &["-x", "-c", "shutdown", at.to_str().unwrap()]);
    drop(mounted);
    let _mounted = mount();
    let report = sandbox.run(&["report", "last", "--json"]).json();
    assert!(report["run"]["status"]["state"] == "complete" && common::rounds(&report).len() >= 2);
}

#[test]
fn results_that_find_no_room_are_told_with_their_file_and_stay_in_the_store() {
    let sandbox = Sandbox::new();
    let full = Mount::memory(&sandbox, "full", "size=16k");
    full.fill();
    let job = ["run", "--name=a", "--ioengine=null", "--rw=read", "--size=64k", "--output=full/out"];
    let said = sandbox.run(&job);
    assert_eq!(said.status, 2, "{said:?}");
    for words in ["full/out", "No space left on device", "the run is stored, and `ioproof report "] {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
    assert!(sandbox.run(&["report", "last"]).stdout.contains("null"));
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261121-031500-3f9a");
    sandbox.run(&["report", run, "-o", "full/x.html"]).refuses(&["full/x.html", "No space left on device"]);
    // Neither is there room for the run: then they are on standard output.
    let _state = memory(sandbox.state().join("ioproof/runs"), "size=4k,nr_inodes=3");
    let said = sandbox.run(&job);
    assert!(said.status == 2 && said.stdout.contains("IO depths") && said.stderr.contains("on standard output"), "{said:?}");
    assert_eq!(leftovers(&full.0), Vec::<String>::new());
}

#[test]
fn without_extended_attributes_nothing_is_known_for_ours() {
    let sandbox = Sandbox::new();
    let ram = Mount::new(&sandbox, "ram", &["-t", "ramfs", "none"]);
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261203-101500-7b21");
    let report = || sandbox.run(&["report", run, "-o", "ram/x.md"]);
    assert_eq!(report().status, 0);
    report().refuses(&["ram/x.md", "is not what ioproof wrote", "remove it, or give another name"]);
    let job = ["run", "--name=a", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k", "--rate_iops=50", "--status-interval=100ms"];
    for options in [&["--output=ram/n"][..], &["--output=/dev/null", "--write_iops_log=ram/l"]] {
        let results = |more: &[&str]| sandbox.run(&[&job[..], options, more].concat());
        assert_eq!(results(&[]).status, 0, "results so far go below");
        results(&[]).refuses(&["ram/", "--overwrite="]);
    }
    assert_eq!(sandbox.run(&[&job[..], &["--output=ram/n", "--overwrite=ram/n"]].concat()).status, 0);
    assert_eq!(leftovers(&ram.0), Vec::<String>::new());
}

#[test]
fn a_file_in_memory_takes_consent_to_be_written_again() {
    // What somebody writes there through a mapping leaves no sign in its times.
    let sandbox = Sandbox::new();
    let _memory = Mount::memory(&sandbox, "memory", "size=8m");
    let job = ["run", "--name=a", "--filename=memory/f", "--rw=write", "--bs=4k", "--size=64k"];
    assert_eq!(sandbox.run(&job).status, 0);
    sandbox.run(&job).refuses(&["--overwrite"]);
    assert_eq!(sandbox.run(&[&job[..], &["--overwrite", "memory/f"]].concat()).status, 0);
}
