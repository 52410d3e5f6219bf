//! `ioproof powercut` on loop devices, a witness whose disk is full, and `sync --show-loss` on a disk that is copied as a cut leaves it. Needs root.

use crate::common::loops::{LoopDevice, Mount, hole, mkfs};
use crate::common::witness::{WitnessProgram, WriterProgram, check_of};
use crate::common::{MIB, Sandbox, said, signal, wait_until};
use std::path::Path;

#[test]
fn a_witness_whose_disk_is_full_is_told_at_the_start_and_in_the_middle() {
    let sandbox = Sandbox::new();
    ["cut", "other"].iter().for_each(|name| drop(sandbox.file(name, 4 * MIB)));
    let disk = Mount::memory(&sandbox, "small", "size=1m");
    let witness = WitnessProgram::listening(&sandbox, "127.0.0.1:0", &["--dir", &sandbox.path("small/records")]);
    let mut writer = WriterProgram::begin(&sandbox, "cut", &witness.address, &[]);
    disk.fill();
    writer.wait_until_it_says("No space left on device");
    // Both wait for the witness, for many seconds.
    let other = sandbox.begin(&["powercut", "write", "other", "--overwrite", "other", "--witness", &witness.address]);
    let document = writer.end().json();
    assert!(document["not_stored"].as_str().unwrap().contains("No space left on device"), "{document}");
    assert!(document["stored"].as_u64() < document["acknowledged"].as_u64(), "{document}");
    let refused = said(other.wait_with_output().unwrap());
    refused.refuses(&["the witness refuses", "No space left on device", "make room on the disk of the witness"]);
}

#[test]
fn blocks_that_cannot_be_read_are_counted_over_all_streams() {
    let sandbox = Sandbox::new();
    let witness = WitnessProgram::start(&sandbox);
    let device = LoopDevice::empty(&sandbox, "image", 4 * MIB);
    let words = ["powercut", "write", &device.device, "--destroy", device.name(), "--witness", &witness.address, "--time", "500ms"];
    sandbox.succeeds(&words);
    std::fs::OpenOptions::new().write(true).open(&device.backing).unwrap().set_len(MIB / 2).unwrap();
    let found = check_of(&sandbox, &device.device, &witness.address, &["--drive-alone"]).json();
    let unreadable: Vec<u64> = found["streams"].as_array().unwrap().iter().map(|line| line["unreadable"].as_u64().unwrap()).collect();
    let all: u64 = unreadable.iter().sum();
    assert!(unreadable.iter().all(|count| *count < all), "several streams lie behind the cut: {found}");
    assert!(found["says"].to_string().contains(&format!("\"{all} blocks cannot be read")), "{found}");
}

#[test]
fn a_loop_device_on_another_file_is_not_blamed() {
    let sandbox = Sandbox::new();
    let [first, second] = ["first", "second"].map(|name| hole(&sandbox, name, 4 * MIB));
    let witness = WitnessProgram::start(&sandbox);
    let device = LoopDevice::new(&[], &first);
    let words = ["powercut", "write", &device.device, "--destroy", device.name(), "--witness", &witness.address, "--time", "500ms"];
    for what in ["an empty device", "one with the blocks of another campaign"] {
        let said = sandbox.run(&words);
        assert_eq!(said.status, 0, "{what}: {said:?}");
    }
    let check = |device: &LoopDevice| check_of(&sandbox, &device.device, &witness.address, &["--drive-alone"]);
    assert_eq!(check(&device).status, 0);
    let path = device.device.clone();
    drop(device);
    let again = LoopDevice::new(&[], &first);
    assert_eq!(check(&again).status, 0, "another name or number, and the same file");
    drop(again);
    check(&LoopDevice::at(&path, &second)).refuses(&["is not what campaign", "inode"]);
}

/// A filesystem on a loop device on a file.
fn mounted(sandbox: &Sandbox, backing: &Path) -> (Mount, LoopDevice) {
    let device = LoopDevice::new(&[], backing);
    // Its journal is written when somebody asks for it, and not while the disk is copied.
    (Mount::new(sandbox, "mounted", &["-o", "commit=600", &device.device]), device)
}

#[test]
fn a_buffered_write_is_gone_from_a_disk_that_lost_its_power_and_one_with_fsync_is_there() {
    let sandbox = Sandbox::new();
    let (disk, survived) = (hole(&sandbox, "disk", 64 * MIB), sandbox.work().join("survived"));
    mkfs(disk.to_str().unwrap());
    let on_disk = mounted(&sandbox, &disk);
    let mut child = sandbox.begin(&["sync", "--show-loss", "mounted"]);
    let done = || std::fs::read(sandbox.path("mounted/ioproof-show-loss-1/fsynced")).map_or(0, |content| content.len());
    wait_until("synced steps", || done() > 4 * 512);
    signal(&child, "-STOP");
    let state = || std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    wait_until("its stop", || state().contains("State:\tT"));
    // What reached the loop device is in the file, and what is in the filesystem's memory is not.
    std::fs::copy(&disk, &survived).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    drop(on_disk);
    let _survived = mounted(&sandbox, &survived);
    let said = sandbox.run(&["sync", "--show-loss", "--after", "mounted", "--json"]);
    let document = said.json();
    let [done, buffered, fsynced, renamed] = ["done", "buffered", "fsynced", "renamed"].map(|name| document[name].as_u64().unwrap());
    assert!(said.status == 3 && done >= 3 && fsynced >= done && renamed + 1 >= done, "the machine itself was not down: {said:?}");
    assert!(buffered < done, "nothing brought it to the disk within seconds: {document}");
}
