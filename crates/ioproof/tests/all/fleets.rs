//! `ioproof fleet` with processes of this machine as nodes; files stand in for drives. Slurm and SSH are in `loops::fleet`, which needs root.

use crate::common::{MIB, ProgramOutput, Sandbox, signal, wait_until};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A load of a moment.
pub const FLAGS: &str = r#"flags = ["--rw", "randread", "--depth", "1", "--time", "1s", "--runs", "1"]"#;

/// A shell script in the place of ioproof on a node: `$0` stands in the sandbox, `$REAL` is the real one.
pub fn stand_in(sandbox: &Sandbox, name: &str, script: &str) -> String {
    let path = sandbox.work().join(name);
    let text = format!("#!/bin/sh\nHERE={}\nREAL={}\n{script}\n", sandbox.work().display(), env!("CARGO_BIN_EXE_ioproof"));
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// Writes a plan: lines of the whole, then the lines of each node by its name.
pub fn plan(sandbox: &Sandbox, lines: &str, nodes: &[(&str, &str)]) {
    let nodes: String = nodes.iter().map(|(name, lines)| format!("[[nodes]]\nname = \"{name}\"\n{lines}\n")).collect();
    std::fs::write(sandbox.work().join("plan.toml"), format!("{FLAGS}\n{lines}\n{nodes}")).unwrap();
}

pub fn status(sandbox: &Sandbox) -> Value {
    sandbox.run(&["fleet", "status", "plan", "--json"]).json()["state"].clone()
}

/// Each node's phase and the number of its attempts.
pub fn phases(state: &Value) -> Vec<(String, usize)> {
    let of = |node: &Value| (node["phase"].as_str().unwrap().to_owned(), node["attempts"].as_array().unwrap().len());
    state["nodes"].as_array().unwrap().iter().map(of).collect()
}

pub fn node(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.work().join("plan/nodes").join(name)
}

/// Processes that work in a node's folder, or below.
pub fn processes(folder: &std::path::Path) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let is_in = |path: &PathBuf| std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
    all.map(|entry| entry.path()).filter(is_in).map(|path| path.display().to_string()).collect()
}

fn run(sandbox: &Sandbox) -> ProgramOutput {
    sandbox.run(&["fleet", "run", "plan.toml", "--launcher", "local"])
}

#[test]
fn a_node_that_fails_once_is_tried_again_and_each_drive_has_its_file() {
    let sandbox = Sandbox::new();
    for name in ["a.img", "b.img"] {
        sandbox.file(name, 16 * MIB);
    }
    let once = stand_in(
        &sandbox,
        "once",
        "[ -e $HERE/failed ] && exec $REAL \"$@\"\ntouch $HERE/failed\necho 'error: the node is odd' >&2\nexit 2",
    );
    let old = stand_in(
        &sandbox,
        "old",
        "printf \"error: unexpected argument '$2' found\\n\\nFor more information, try '--help'.\\n\" >&2\nexit 2",
    );
    let targets = |names: &str| format!("targets = [{names}]");
    let (a, b) = (format!("\"{}\"", sandbox.path("a.img")), format!("\"{}\"", sandbox.path("b.img")));
    let nodes = [
        ("n1", targets(&format!("{a}, {b}, \"/no/such/drive\""))),
        ("n2", format!("{}\nprogram = \"{once}\"", targets(&a))),
        ("n3", format!("{}\nprogram = \"{old}\"", targets(&b))),
    ];
    plan(&sandbox, "limit = \"10m\"\nat_once = 2", &nodes.each_ref().map(|(name, lines)| (*name, lines.as_str())));
    let said = run(&sandbox);
    assert_eq!(said.status, 2, "a node failed: {said:?}");
    let state = status(&sandbox);
    let done = |attempts| ("done".to_owned(), attempts);
    assert_eq!(phases(&state), [done(1), done(2), ("failed".to_owned(), 2)], "{said:?}");
    assert!(said.stderr.contains("the node is odd; it is tried once more"), "{said:?}");
    assert!(state["nodes"][2]["reason"].as_str().unwrap().contains("unexpected argument '--all-idle-drives'"), "an older ioproof: {state}");
    for (name, file) in [("n1", "a.img.json"), ("n1", "b.img.json"), ("n2", "a.img.json")] {
        let file = node(&sandbox, name).join(file).display().to_string();
        let told = sandbox.run(&["report", &file, "-o", "run.html"]);
        assert_eq!(told.status, 0, "{file}: {}", told.stderr);
    }
    let end: Value = serde_json::from_slice(&std::fs::read(node(&sandbox, "n1").join("end.json")).unwrap()).unwrap();
    assert_eq!((end["fleet"].clone(), end["refused"][0]["path"].as_str()), (state["id"].clone(), Some("/no/such/drive")));
    assert!(!node(&sandbox, "n1").join("work").exists() && node(&sandbox, "n1").join("talk.txt").exists());
    // All of it is over: nothing runs again, and another plan is refused there.
    assert_eq!((run(&sandbox).status, phases(&status(&sandbox))[1].1), (2, 2));
    plan(&sandbox, "limit = \"10m\"", &[("n1", "")]);
    run(&sandbox).refuses(&["holds another fleet", "--out"]);
}

#[test]
fn a_node_that_hangs_is_ended_at_its_limit() {
    let sandbox = Sandbox::new();
    let hangs = stand_in(&sandbox, "hangs", "trap '' TERM\nsleep 1000\nsleep 1000");
    plan(&sandbox, "limit = \"1s\"", &[("n1", &format!("program = \"{hangs}\""))]);
    let said = run(&sandbox);
    assert_eq!((said.status, phases(&status(&sandbox))), (2, vec![("failed".to_owned(), 2)]), "{said:?}");
    assert!(said.stdout.contains("had not ended after 1s"), "{said:?}");
    assert_eq!(processes(&sandbox.work().join("plan")), [] as [String; 0]);
}

#[test]
fn a_fleet_goes_on_after_a_kill_and_is_cancelled_as_a_whole() {
    let sandbox = Sandbox::new();
    sandbox.file("a.img", 16 * MIB);
    let waits = stand_in(&sandbox, "waits", "touch $HERE/begun\nwhile [ ! -e $HERE/go ]; do sleep 0.1; done\nexec $REAL \"$@\"");
    let hangs = stand_in(&sandbox, "hangs", "sleep 1000");
    let first = format!("targets = [\"{}\"]\nprogram = \"{waits}\"", sandbox.path("a.img"));
    plan(&sandbox, "limit = \"10m\"", &[("n1", &first), ("n2", &format!("program = \"{hangs}\""))]);
    let mut child = sandbox.begin(&["fleet", "run", "plan.toml", "--launcher", "local"]);
    wait_until("a node at work", || sandbox.work().join("begun").exists());
    run(&sandbox).refuses(&["another `ioproof fleet` works in"]);
    assert_eq!(sandbox.run(&["fleet", "status", "plan"]).status, 0, "whoever only looks may");
    signal(&child, "-KILL");
    child.wait().unwrap();
    assert!(!processes(&node(&sandbox, "n1")).is_empty(), "the nodes go on");
    std::fs::write(sandbox.work().join("go"), "").unwrap();
    let mut child = sandbox.begin(&["fleet", "run", "plan.toml", "--launcher", "local"]);
    wait_until("the end of a node", || node(&sandbox, "n1").join("end.json").exists() || child.try_wait().unwrap().is_some());
    // It ends no node.
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let said = sandbox.run(&["fleet", "collect", "plan"]);
    assert_eq!(phases(&status(&sandbox)), [("done".to_owned(), 1), ("running".to_owned(), 1)], "{said:?}");
    let said = sandbox.run(&["fleet", "cancel", "plan"]);
    assert!(said.status == 0 && phases(&status(&sandbox))[1].0 == "cancelled", "{said:?}");
    assert_eq!(processes(&sandbox.work().join("plan")), [] as [String; 0]);
    assert!(!node(&sandbox, "n2").join("work").exists());
}

#[test]
fn nodes_that_start_together_say_how_late_they_were() {
    let sandbox = Sandbox::new();
    sandbox.file("a.img", 16 * MIB);
    let targets = format!("targets = [\"{}\"]", sandbox.path("a.img"));
    plan(&sandbox, "limit = \"10m\"\nstart = \"together\"\nstart_in = \"2s\"", &[("n1", &targets), ("n2", &targets)]);
    let said = run(&sandbox);
    assert!(matches!(said.status, 0 | 3) && said.stdout.contains("first drive finished"), "{said:?}");
    let ends =
        ["n1", "n2"].map(|name| serde_json::from_slice::<Value>(&std::fs::read(node(&sandbox, name).join("end.json")).unwrap()).unwrap());
    assert_eq!(ends[0]["start_at"], ends[1]["start_at"]);
    for end in &ends {
        assert!(
            end["start_late_ns"].as_i64().unwrap() >= 0
                && end["drives"][0]["started_at"].as_str() >= end["start_at"].as_str().map(|at| &at[..19]),
            "{end}"
        );
    }
}

#[test]
fn what_is_no_plan_or_no_launcher_is_said() {
    let sandbox = Sandbox::new();
    sandbox.run(&["fleet", "run", "missing.toml", "--launcher", "local"]).refuses(&["missing.toml"]);
    std::fs::write(sandbox.work().join("plan.toml"), "limit = \"1h\"\n").unwrap();
    run(&sandbox).refuses(&["the plan cannot be read", "nodes"]);
    sandbox.run(&["fleet", "status", "."]).refuses(&["is no folder of a fleet"]);
    plan(&sandbox, "limit = \"1m\"", &[("n1", "")]);
    // Slurm's programs are not where this one looks.
    let mut command = sandbox.command(&["fleet", "run", "plan.toml", "--launcher", "slurm"]);
    let said = crate::common::said(command.env("PATH", sandbox.work()).output().unwrap());
    assert!(said.status == 2 && said.stdout.contains("there is no sinfo here"), "{said:?}");
}
