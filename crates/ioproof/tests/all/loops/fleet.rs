//! A fleet on real Slurm with several slurmd of this machine, and on a real sshd of loopback addresses.

mod cluster;
mod sshd;

use crate::common::loops::{LoopDevice, Mount, mkfs, tool};
use crate::common::{MIB, Sandbox, said, wait_until};
use crate::fleets::{node, phases, plan, processes, stand_in, status};
use crate::runs::fleet::Made;
use cluster::Cluster;
use serde_json::Value;
use sshd::Sshd;
use std::path::Path;
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
    drains_a_node(&sandbox, &cluster);
}

/// A drive whose last verdict is bad takes its node out of Slurm, with the reason.
fn drains_a_node(sandbox: &Sandbox, cluster: &Cluster) {
    let memory = Mount::memory(sandbox, "memory", "size=8m");
    let file = Path::new(memory.path()).join("drive");
    std::fs::write(&file, vec![0; MIB as usize]).unwrap();
    let drive = LoopDevice::new(&[], &file);
    let run = "20261121-031500-3f9a";
    let store = sandbox.state().join("ioproof/runs");
    std::fs::create_dir_all(&store).unwrap();
    tool("cp", &["-r", &format!("{}/../../fixtures/runs/{run}", env!("CARGO_MANIFEST_DIR")), &store.display().to_string()]);
    let record = store.join(run).join("run.json");
    std::fs::write(&record, std::fs::read_to_string(&record).unwrap().replace("nvme0n1", drive.name())).unwrap();
    let words = ["check", &drive.device, "--slurm-health", "--drain", "--node", "n1"];
    let drained = said(cluster.command(sandbox, &words).output().unwrap());
    assert!(drained.status == 1 && drained.stderr.contains("drained n1"), "{drained:?}");
    let node = cluster.ask("scontrol", &["show", "node", "n1"]);
    assert!(node.contains("State=IDLE+DRAIN ") && node.contains(&format!("Reason={}", drained.stdout.trim())), "{node}");
    let again = said(cluster.command(sandbox, &words).output().unwrap());
    assert!(again.status == 1 && again.stderr.contains("n1 is drained already (IDLE+DRAIN)"), "{again:?}");
}

#[test]
fn twelve_nodes_on_slurm_name_three_faults_and_no_other() {
    let sandbox = Sandbox::new();
    let cluster = Cluster::new(&sandbox, 12, 12);
    // Each node has two drives whose run files are there already: what is measured must not depend on this machine.
    let made = Made::new();
    for at in 0..24 {
        sandbox.file(&format!("S{at:02}"), 4096);
        std::fs::write(sandbox.work().join(format!("S{at:02}.json")), made.file_of_rack(at)).unwrap();
    }
    let has_run = "for f in \"$@\"; do [ -f \"$f.json\" ] && cp \"$f.json\" .; done\n";
    let dies = "[ -e $HERE/died ] || { touch $HERE/died; sleep 1000; }\n";
    let [runs, dies] =
        [("runs", ""), ("dies", dies)].map(|(name, before)| stand_in(&sandbox, name, &format!("{before}{has_run}exec $REAL \"$@\"")));
    let lines = |at: usize| {
        let [one, two] = [2 * at, 2 * at + 1].map(|drive| sandbox.path(&format!("S{drive:02}")));
        format!("targets = [\"{one}\", \"{two}\"]\nprogram = \"{}\"", if at == 5 { &dies } else { &runs })
    };
    let nodes: Vec<(String, String)> = (0..12).map(|at| (format!("n{}", at + 1), lines(at))).collect();
    plan(&sandbox, "limit = \"5m\"\nat_once = 6", &nodes.iter().map(|(name, lines)| (name.as_str(), lines.as_str())).collect::<Vec<_>>());
    let mut command = cluster.command(&sandbox, &["fleet", "run", "plan.toml", "--launcher", "slurm"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("a node at work", || sandbox.work().join("died").exists() || child.try_wait().unwrap().is_some());
    cluster.kill_jobs_on("n6");
    let ran = said(child.wait_with_output().unwrap());
    let attempts = (1..=12).map(|node| done(if node == 6 { 2 } else { 1 })).collect::<Vec<_>>();
    assert_eq!(phases(&status(&sandbox)), attempts, "{ran:?}\n{}", cluster.log());
    let told = sandbox.run(&["fleet", "report", "plan"]);
    assert!(told.status == 1 && told.stdout.starts_with("24 drives on 12 nodes: 3 drives at fault\n"), "{told:?}");
    for fault in ["S03 on n2", "slow: ", "S09 on n5", "slow link: ", "S14 on n8", "health failing: "] {
        assert!(told.stdout.contains(fault), "{fault}: {told:?}");
    }
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
    // Of a job that the queue has forgotten the accounts are asked, which are off here.
    let gone = serde_json::json!([{ "handle": "ioproof-gone/0", "began_at": "2026-11-28T22:23:00Z" }]);
    (state["nodes"][0]["phase"], state["nodes"][0]["attempts"]) = ("running".into(), gone);
    std::fs::write(&file, state.to_string()).unwrap();
    cluster.command(&sandbox, &["fleet", "collect", "plan"]).output().unwrap();
    assert_eq!(status(&sandbox)["nodes"][0]["reason"], "Slurm does not know its job any more");
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
