//! Evidence of job files: figures of the page cache, disturbances, drives side by side and kills are told by the stored run, as for any other verb. Needs root.

use crate::common;
use crate::common::loops::LoopDevice;
use crate::common::{MIB, Sandbox, rules, wait_until};
use serde_json::Value;
use std::process::{Child, Command};

/// A loop device that hands I/O on past the page cache, on a file of random bytes.
fn drive(sandbox: &Sandbox, name: &str) -> LoopDevice {
    LoopDevice::new(&["--direct-io=on"], &sandbox.file(name, 32 * MIB))
}

/// The stored run of the last job file.
fn stored(sandbox: &Sandbox) -> Value {
    sandbox.run(&["report", "last", "--json"]).json()
}

fn has_counters(report: &Value) -> bool {
    common::rounds(report)[0]["devices"].as_array().is_some_and(|devices| devices.iter().any(|d| d["is_drive"] == true))
}

#[test]
fn a_figure_of_the_page_cache_is_called_so() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 32 * MIB);
    let job =
        ["run", "--name=c", "--filename=data", "--rw=randread", "--bs=4k", "--size=32m", "--loops=20", "--invalidate=0", "--pre_read=1"];
    let said = sandbox.succeeds(&job);
    let report = stored(&sandbox);
    // Where the drive under the file has no counters, as on a container's root, nothing can be held against it.
    if has_counters(&report) {
        assert!(rules(&report).contains(&"page-cache".to_owned()), "{:?}", rules(&report));
        assert!(said.stderr.contains("warning: c: only ") && said.stderr.contains("reached the drive"), "{said:?}");
        let row = &report["judgement"]["rows"][0];
        assert_eq!(row["limited_by"], "memory: a cache answered instead of the drive");
        let reason = report["judgement"]["exit_reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("not the drive's"), "{reason}");
        assert_eq!(sandbox.run(&[&job[..], &["--strict"]].concat()).status, 2, "the audit finds the page cache before");
    }
}

#[test]
fn two_drives_in_one_job_file_are_two_rows_each_with_its_own_counters() {
    let sandbox = Sandbox::new();
    let (one, two) = (drive(&sandbox, "one"), drive(&sandbox, "two"));
    let text = format!(
        "[global]\nrw=randread\nbs=4k\ndirect=1\nioengine=psync\nnumber_ios=200\n[same]\nfilename={}\n[same]\nfilename={}\n",
        one.device, two.device
    );
    std::fs::write(sandbox.work().join("two.fio"), text).unwrap();
    sandbox.succeeds(&["run", "two.fio"]);
    let report = stored(&sandbox);
    let rows = report["judgement"]["rows"].as_array().unwrap();
    let targets: Vec<&str> = rows.iter().map(|row| row["target"].as_str().unwrap()).collect();
    assert_eq!(targets, [one.device.as_str(), two.device.as_str()]);
    assert_eq!(report["run"]["stages"].as_array().unwrap().len(), 1, "they ran side by side");
    let counted = |name: &str| -> u64 {
        let devices = report["run"]["stages"][0]["devices"].as_array().unwrap();
        devices.iter().find(|device| device["name"] == name).unwrap()["read_ios"].as_u64().unwrap()
    };
    assert!(counted(one.name()) >= 200 && counted(two.name()) >= 200);
}

#[test]
fn another_process_on_the_drive_is_told() {
    let sandbox = Sandbox::new();
    let disk = drive(&sandbox, "disk");
    let before = disk.reads();
    let script = format!("while :; do dd if={} of=/dev/null bs=1M iflag=direct 2>/dev/null; done", disk.device);
    let mut other = Command::new("sh").args(["-c", &script]).spawn().unwrap();
    wait_until("the other's reads", || disk.reads() >= before + 32);
    // One read a hundredth of a second is nothing beside the other's.
    let said = sandbox.run(&[
        "run",
        "--name=a",
        "--filename",
        &disk.device,
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--rate_iops=100",
        "--number_ios=100",
    ]);
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(said.status, 0, "{said:?}");
    let report = stored(&sandbox);
    // The drive is what lies at the bottom, under the loop device; a container's root has no counters.
    if has_counters(&report) {
        assert!(rules(&report).contains(&"foreign-io".to_owned()), "{:?}", rules(&report));
    }
}

/// Starts a job file of three stages, of which the last would take long, and waits until two are stored.
fn start(sandbox: &Sandbox) -> Child {
    let text = "[global]\nfilename=data\nrw=randread\nbs=4k\nsize=4m\n[a]\n[b]\nstonewall\n[c]\nstonewall\ntime_based\nruntime=600\n";
    std::fs::write(sandbox.work().join("job.fio"), text).unwrap();
    let mut child = sandbox.begin(&["run", "job.fio"]);
    sandbox.wait_for_stages(&mut child, 2);
    child
}

#[test]
fn a_kill_leaves_the_stages_that_had_ended() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let mut child = start(&sandbox);
    child.kill().unwrap();
    child.wait().unwrap();
    let report = stored(&sandbox);
    assert_eq!(report["run"]["status"]["state"], "interrupted");
    let names: Vec<&str> = report["judgement"]["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(report["run"]["stages"].as_array().unwrap().len(), 2);
}

// Among tests that attach loop devices one by one, so that nobody attaches this one meanwhile.
#[test]
fn an_empty_loop_device_is_refused_with_what_attaches_a_file() {
    let sandbox = Sandbox::new();
    let is_empty = |name: &String| std::fs::read_to_string(format!("/sys/block/{name}/size")).is_ok_and(|size| size.trim() == "0");
    let free = (0..8).map(|number| format!("loop{number}")).find(|name| is_empty(name) && std::path::Path::new("/dev").join(name).exists());
    if let Some(free) = free {
        sandbox.run(&["identify", &format!("/dev/{free}")]).refuses(&["nothing is attached to", "losetup"]);
    }
}
