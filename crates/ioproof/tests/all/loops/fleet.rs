//! A fleet on real Slurm with several slurmd of this machine, and on a real sshd of loopback addresses.

mod cluster;
mod sshd;

use crate::common::loops::{LoopDevice, Mount, mkfs};
use crate::common::{MIB, Sandbox, said, wait_until};
use crate::fleets::{node, phases, plan, processes, stand_in, status};
use cluster::Cluster;
use serde_json::Value;
use sshd::Sshd;
use std::process::Stdio;

fn end(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(node(sandbox, name).join("end.json")).unwrap()).unwrap()
}

fn done(attempts: usize) -> (String, usize) {
    ("done".to_owned(), attempts)
}

#[test]
fn slurm_measures_each_node_and_says_which_it_cannot() {
    let sandbox = Sandbox::new();
    let cluster = Cluster::new(&sandbox, 4, 3);
    let drives: Vec<LoopDevice> = ["d1", "d2", "d3", "d4"].iter().map(|name| LoopDevice::empty(&sandbox, name, 64 * MIB)).collect();
    mkfs(&drives[3].device);
    let _mounted = Mount::new(&sandbox, "point", &[&drives[3].device]);
    let dies = stand_in(&sandbox, "dies", "[ -e $HERE/died ] && exec $REAL \"$@\"\ntouch $HERE/died\nsleep 1000");
    let of = |drive: &LoopDevice| format!("\"{}\"", drive.device);
    let nodes = [
        ("n1", format!("group = \"a\"\ntargets = [{}, {}]", of(&drives[0]), of(&drives[3]))),
        ("n2", format!("group = \"a\"\ntargets = [{}]\nprogram = \"{dies}\"", of(&drives[1]))),
        ("n3", format!("group = \"b\"\ntargets = [{}]", of(&drives[2]))),
        // Its slurmd does not run.
        ("n4", "group = \"b\"".to_owned()),
    ];
    let lines = "limit = \"5m\"\nat_once_per_group = 1\n[slurm]\npartition = \"all\"";
    plan(&sandbox, lines, &nodes.each_ref().map(|(name, lines)| (*name, lines.as_str())));
    let mut command = cluster.command(&sandbox, &["fleet", "run", "plan.toml", "--launcher", "slurm"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("a node at work", || sandbox.work().join("died").exists() || child.try_wait().unwrap().is_some());
    // One dies in the middle, and the controller is away for a moment.
    cluster.restart_controller();
    cluster.kill_jobs_on("n2");
    let said = said(child.wait_with_output().unwrap());
    let state = status(&sandbox);
    assert_eq!(phases(&state), [done(1), done(2), done(1), ("failed".to_owned(), 2)], "{said:?}\n{}", cluster.log());
    assert!(state["nodes"][3]["reason"].as_str().unwrap().contains("Slurm says that the node is"), "{state}");
    assert!(end(&sandbox, "n1")["refused"][0]["reason"].as_str().unwrap().contains("is mounted at"), "a drive in use stops nothing");
    for name in ["n1", "n2", "n3"] {
        let end = end(&sandbox, name);
        assert!(
            end["drives"].as_array().unwrap().len() == 1
                && end["clock"]["offset_ns"].as_i64().is_some_and(|off| off.abs() < 60_000_000_000),
            "{end}"
        );
    }
    assert_eq!(cluster.jobs(), [] as [String; 0]);
}

#[test]
fn a_fleet_that_is_cancelled_leaves_nothing_on_slurm() {
    let sandbox = Sandbox::new();
    let cluster = Cluster::new(&sandbox, 2, 2);
    let hangs = stand_in(&sandbox, "hangs", "touch $HERE/begun\nsleep 1000");
    plan(&sandbox, "limit = \"5m\"\nat_once = 1", &[("n[1-2]", &format!("program = \"{hangs}\""))]);
    let begun = said(cluster.command(&sandbox, &["fleet", "run", "plan.toml", "--launcher", "slurm", "--detach"]).output().unwrap());
    wait_until("a node at work", || sandbox.work().join("begun").exists());
    // A kill between `sbatch` and the state: the jobs are found by their name, and none is submitted twice.
    let file = sandbox.work().join("plan/state.json");
    let mut state: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    for node in state["nodes"].as_array_mut().unwrap() {
        node["phase"] = "waiting".into();
        node["attempts"] = Value::Array(Vec::new());
    }
    std::fs::write(&file, state.to_string()).unwrap();
    let again = said(cluster.command(&sandbox, &["fleet", "run", "plan.toml", "--launcher", "slurm", "--detach"]).output().unwrap());
    assert_eq!((phases(&status(&sandbox)).len(), cluster.jobs().len()), (2, 2), "{again:?}");
    let shown = said(cluster.command(&sandbox, &["fleet", "status", "plan"]).output().unwrap());
    assert!(shown.stdout.contains("  running\n") && shown.stdout.contains("  queued: JobArrayTaskLimit\n"), "{begun:?} {shown:?}");
    let cancelled = said(cluster.command(&sandbox, &["fleet", "cancel", "plan"]).output().unwrap());
    assert_eq!(cancelled.status, 0, "{cancelled:?}");
    assert_eq!((cluster.jobs(), processes(&sandbox.work().join("plan"))), (Vec::new(), Vec::new()));
    assert!(!node(&sandbox, "n1").join("work").exists());
    // A partition that is not there.
    plan(&sandbox, "limit = \"5m\"\n[slurm]\npartition = \"none\"", &[("n1", "")]);
    let refused =
        said(cluster.command(&sandbox, &["fleet", "run", "plan.toml", "--launcher", "slurm", "--out", "other"]).output().unwrap());
    assert!(refused.status == 2 && refused.stdout.contains("partition"), "{refused:?}");
}

#[test]
fn ssh_measures_each_node_and_fetches_again_what_is_damaged() {
    let sandbox = Sandbox::new();
    let sshd = Sshd::new(&sandbox);
    let drives: Vec<LoopDevice> = ["d1", "d2"].iter().map(|name| LoopDevice::empty(&sandbox, name, 64 * MIB)).collect();
    let damages = stand_in(
        &sandbox,
        "damages",
        "$REAL \"$@\"\nstatus=$?\nfor f in out/loop*.json; do cp $f $HERE/whole; sed -i 's/verify/VERIFY/' $f; done\nexit $status",
    );
    let nodes = [
        ("n1", format!("address = \"127.0.0.1\"\ntargets = [\"{}\"]", drives[0].device)),
        // Its clock is an hour ahead, and a file changes behind its back.
        ("n2", format!("address = \"127.0.0.2\"\ntargets = [\"{}\"]\nprogram = \"{damages}\"", drives[1].device)),
        ("n3", "address = \"127.0.0.3\"".to_owned()),
    ];
    plan(&sandbox, &format!("limit = \"5m\"\n{}", sshd.lines()), &nodes.each_ref().map(|(name, lines)| (*name, lines.as_str())));
    let said = sandbox.run(&["fleet", "run", "plan.toml", "--launcher", "ssh"]);
    let state = status(&sandbox);
    assert_eq!(phases(&state), [done(1), done(1), ("failed".to_owned(), 2)], "{said:?}");
    assert!(state["nodes"][2]["reason"].as_str().unwrap().contains("127.0.0.3 is not reached"), "{state}");
    assert!(said.stderr.contains("n2: its clock is 3600 s ahead") || said.stderr.contains("n2: its clock is 3599 s ahead"), "{said:?}");
    assert!(end(&sandbox, "n1")["clock"]["offset_ns"].as_i64().unwrap().abs() < 60_000_000_000);
    let file = format!("{}.json", drives[1].name());
    let (whole, damaged) = (node(&sandbox, "n2").join(&file), node(&sandbox, "n2").join(format!("{file}.damaged")));
    assert!(said.stderr.contains("fetched again") && damaged.exists() && !whole.exists(), "{said:?}");
    // It is whole again where it was made.
    let there = sshd.folder().join(format!("ioproof-fleet-{}-n2/out", state["id"].as_str().unwrap())).join(&file);
    std::fs::copy(sandbox.work().join("whole"), there).unwrap();
    let collected = sandbox.run(&["fleet", "collect", "plan"]);
    assert!(whole.exists() && !damaged.exists(), "{collected:?}");
    // Another fleet on the same machine would measure the same drives.
    let hangs = stand_in(&sandbox, "hangs", "sleep 1000");
    let one = format!("address = \"127.0.0.1\"\nprogram = \"{hangs}\"");
    plan(&sandbox, &format!("limit = \"5m\"\n{}", sshd.lines()), &[("n1", &one)]);
    let fleet = |out, more: &[&str]| sandbox.run(&[&["fleet", "run", "plan.toml", "--launcher", "ssh", "--out", out], more].concat());
    fleet("first", &["--detach"]);
    let second = fleet("second", &[]);
    assert!(second.status == 2 && second.stdout.contains("another fleet measures there"), "{second:?}");
    let cancelled = sandbox.run(&["fleet", "cancel", "first"]);
    assert!(cancelled.status == 0 && processes(sshd.folder()).is_empty(), "{cancelled:?}");
    let left: Vec<_> = std::fs::read_dir(sshd.folder()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn only_drives_of_the_list_are_written() {
    let sandbox = Sandbox::new();
    let [one, two, used] = ["d1", "d2", "d3"].map(|name| LoopDevice::empty(&sandbox, name, 64 * MIB));
    let held = LoopDevice::new(&[], std::path::Path::new(&used.device));
    std::fs::write(sandbox.work().join("serials.txt"), format!("# rack 7\n{}  # the first\nS4YPNE0N800120\n", one.name())).unwrap();
    let drives = [one.device.as_str(), &two.device, &used.device];
    let load = ["--rw", "randread,randwrite", "--depth", "1", "--time", "1s", "--runs", "1"];
    let words = [&["verify", "--all-idle-drives", "--out", "node", "--consent", "serials.txt"], &drives[..], &load[..]].concat();
    let said = sandbox.run(&words);
    let end: Value = serde_json::from_slice(&std::fs::read(sandbox.work().join("node/end.json")).unwrap()).unwrap();
    let measured: Vec<&str> = end["drives"].as_array().unwrap().iter().map(|drive| drive["path"].as_str().unwrap()).collect();
    assert_eq!(measured, drives[..2], "{said:?}");
    assert!(end["refused"][0]["reason"].as_str().unwrap().contains(held.name()), "{end}");
    assert!(!one.content().is_empty() && two.content().is_empty() && used.content().is_empty());
}
