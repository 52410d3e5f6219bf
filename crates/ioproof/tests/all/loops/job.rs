//! A drive that goes while job files run on it: a loop device whose file is cut to nothing, so that the kernel has no byte of it left. Needs root.

use crate::common::loops::{LoopDevice, hole};
use crate::common::{MIB, ProgramOutput, Sandbox, io, said, signal, wait_until};
use std::process::Child;

/// A loop device on a file of random bytes.
fn drive(sandbox: &Sandbox) -> LoopDevice {
    LoopDevice::new(&[], &sandbox.file("backing", 16 * MIB))
}

/// Starts a job on the device, and pulls that once the job has read from it.
fn pulled(sandbox: &Sandbox, device: &LoopDevice, options: &[&str]) -> Child {
    let job = ["run", "--output-format=json", "--name=a", "--filename", &device.device, "--direct=1", "--time_based", "--runtime=600"];
    let before = device.reads();
    let child = sandbox.begin(&[&job, options].concat());
    wait_until("the job's reads", || device.reads() >= before + 500);
    device.shrink(0);
    child
}

#[test]
fn a_pulled_drive_is_named_in_what_is_said_and_in_the_record() {
    let sandbox = Sandbox::new();
    for engine in ["psync", "io_uring", "libaio"] {
        let device = drive(&sandbox);
        let child = pulled(&sandbox, &device, &["--rw=randread", "--bs=4k", &format!("--ioengine={engine}")]);
        let said = said(child.wait_with_output().unwrap());
        let gone = format!("the target is gone: the kernel has no {} any more (read at byte ", device.name());
        assert_eq!(said.status, 2, "{engine}: {said:?}");
        assert!(format!("{said:?}").contains(&gone), "{engine}: {said:?}");
        assert!(said.json()["jobs"][0]["error"].as_i64().is_some_and(|errno| errno != 0), "{engine}: {said:?}");
        let record = sandbox.run(&["report", "last", "--json"]).json();
        let status = &record["run"]["status"];
        assert_eq!(status["state"], "failed", "{engine}");
        assert!(status["reason"].as_str().unwrap().contains(&gone), "{engine}: {status}");
    }
}

#[test]
fn a_job_that_survives_errors_does_not_survive_its_drive() {
    let sandbox = Sandbox::new();
    let device = drive(&sandbox);
    let child = pulled(&sandbox, &device, &["--rw=randread", "--bs=4k", "--ioengine=psync", "--continue_on_error=io"]);
    let before = io(&child, "syscr");
    wait_until("reads that fail", || io(&child, "syscr") > before + 100);
    signal(&child, "-INT");
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 2 && format!("{said:?}").contains(&format!("the kernel has no {} any more", device.name())), "{said:?}");
}

#[test]
fn what_was_looked_at_before_a_device_was_written_is_in_the_record() {
    let sandbox = Sandbox::new();
    let device = LoopDevice::new(&[], &hole(&sandbox, "empty", 128 * MIB));
    let job = ["--rw=write", "--bs=64k", "--size=1m", "--filename", &device.device];
    let said = sandbox.run(&[&["run", "--destroy", device.name(), "--name=a"], &job[..], &["--name=b"], &job[..]].concat());
    assert_ne!(said.status, 2, "{said:?}");
    let record = sandbox.run(&["report", "last", "--json"]).json();
    let notes = record["run"]["notes"].as_array().unwrap();
    let looked = format!("{}: before it was written: ", device.device);
    let said = notes.iter().filter(|note| note.as_str().unwrap().starts_with(&looked)).count();
    assert_eq!(said, 1, "once, though two jobs write it: {notes:?}");
}

#[test]
fn what_ioproof_reads_to_see_that_a_device_is_as_it_was_is_no_read_of_the_job() {
    let sandbox = Sandbox::new();
    let device = drive(&sandbox);
    let job = ["run", "--output-format=json", "--name=a", "--filename", &device.device, "--rw=randwrite", "--bs=4k", "--io_size=256k"];
    let allowed = ["--direct=1", "--destroy", device.name(), "--destroy-unknown-content"];
    let reads = |said: &ProgramOutput| said.json()["disk_util"][0]["read_ios"].as_u64().unwrap();
    let at_once = sandbox.run(&[&job[..], &allowed].concat());
    assert_eq!((at_once.status, reads(&at_once)), (0, 0), "{at_once:?}");
    let late = sandbox.run(&[&job[..], &allowed, &["--startdelay=1"]].concat());
    let stage = sandbox.run(&["report", "last", "--json"]).json()["run"]["stages"][0].clone();
    assert_eq!(stage["rounds"][0]["looked_at_bytes"], stage["devices"][0]["read_bytes"], "{stage}");
    assert!(reads(&late) > 0 && late.stderr.contains("that ioproof read to see that it was still as it had been"), "{late:?}");
}

#[test]
fn each_block_of_a_drive_is_trimmed_and_then_written() {
    let sandbox = Sandbox::new();
    for order in ["trimwrite", "randtrimwrite"] {
        let device = LoopDevice::new(&[], &hole(&sandbox, "empty", 16 * MIB));
        let rw = format!("--rw={order}");
        let job = ["--name=a", &rw, "--bs=64k", "--size=1m", "--ioengine=libaio", "--iodepth=8", "--output-format=json"];
        let said = sandbox.run(&[&["run", "--destroy", device.name(), "--filename", &device.device][..], &job].concat());
        assert_ne!(said.status, 2, "{said:?}");
        let json = said.json();
        let ios = |direction: &str| json["jobs"][0][direction]["total_ios"].as_u64();
        assert_eq!([ios("read"), ios("write"), ios("trim")], [Some(0), Some(16), Some(16)], "{order}");
        let written = std::fs::read(&device.device).unwrap();
        assert!(written[..1 << 20].chunks(4096).all(|block| block.iter().any(|byte| *byte != 0)), "{order}: a trim came after its write");
        assert!(written[1 << 20..].iter().all(|byte| *byte == 0), "{order}");
    }
}
