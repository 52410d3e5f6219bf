//! `ioproof powercut` on loop devices, a witness whose disk is full, and `sync --show-loss` on a disk that is copied as a cut leaves it. Needs root.

use crate::common;
use crate::common::mounts::{LoopDevice, Mounted, succeeds};
use crate::common::witness::{WitnessProgram, Writer, check_of};
use crate::common::{MIB, Sandbox};

#[track_caller]
#[test]
fn a_witness_whose_disk_is_full_is_told_at_the_start_and_in_the_middle() {
    let sandbox = Sandbox::new();
    sandbox.file("cut", 4 * MIB);
    let disk = Mounted::new(sandbox.work().join("small"), &["-t", "tmpfs", "-o", "size=1m", "none"]);
    let witness = WitnessProgram::listening(&sandbox, "127.0.0.1:0", &["--dir", &format!("{}/records", disk.path())]);
    let mut writer = Writer::begin(&sandbox, "cut", &witness.address, &[]);
    let _ = std::fs::write(disk.0.join("ballast"), vec![1; MIB as usize]);
    writer.wait_until_it_says("No space left on device");
    let document = writer.end().json();
    assert!(document["not_stored"].as_str().unwrap().contains("No space left on device"), "{document}");
    assert!(document["stored"].as_u64() < document["acknowledged"].as_u64(), "{document}");
    let words = ["powercut", "write", "cut", "--overwrite", "cut", "--witness", &witness.address];
    sandbox.run(&words).refuses(&["the witness refuses", "No space left on device", "make room on the disk of the witness"]);
}

#[test]
fn blocks_that_cannot_be_read_are_counted_over_all_streams() {
    let sandbox = Sandbox::new();
    std::fs::File::create(sandbox.path("image")).unwrap().set_len(4 * MIB).unwrap();
    let witness = WitnessProgram::start(&sandbox);
    let device = LoopDevice::attach(&[], &sandbox.work().join("image"));
    let name = device.name().to_owned();
    let words = ["powercut", "write", &device.device, "--destroy", &name, "--witness", &witness.address, "--time", "500ms"];
    let said = sandbox.run(&words);
    assert_eq!(said.status, 0, "{said:?}");
    std::fs::OpenOptions::new().write(true).open(sandbox.path("image")).unwrap().set_len(MIB / 2).unwrap();
    let found = check_of(&sandbox, &device.device, &witness.address, &["--drive-alone"]).json();
    let unreadable: Vec<u64> = found["streams"].as_array().unwrap().iter().map(|line| line["unreadable"].as_u64().unwrap()).collect();
    let all: u64 = unreadable.iter().sum();
    assert!(unreadable.iter().all(|count| *count < all), "several streams lie behind the cut: {found}");
    assert!(found["says"].to_string().contains(&format!("\"{all} blocks cannot be read")), "{found}");
}

#[test]
fn a_loop_device_on_another_file_is_not_blamed() {
    let sandbox = Sandbox::new();
    let [first, second] = ["first", "second"].map(|name| {
        std::fs::File::create(sandbox.path(name)).unwrap().set_len(4 * MIB).unwrap();
        sandbox.work().join(name)
    });
    let witness = WitnessProgram::start(&sandbox);
    let device = LoopDevice::attach(&[], &first);
    let name = device.name().to_owned();
    let words = ["powercut", "write", &device.device, "--destroy", &name, "--witness", &witness.address, "--time", "500ms"];
    for what in ["an empty device", "one with the blocks of another campaign"] {
        let said = sandbox.run(&words);
        assert_eq!(said.status, 0, "{what}: {said:?}");
    }
    assert_eq!(check_of(&sandbox, &device.device, &witness.address, &["--drive-alone"]).status, 0);
    let path = device.device.clone();
    drop(device);
    let again = LoopDevice::attach(&[], &first);
    assert_eq!(
        check_of(&sandbox, &again.device, &witness.address, &["--drive-alone"]).status,
        0,
        "another name or number, and the same file"
    );
    drop(again);
    succeeds("losetup", &[&path, second.to_str().unwrap()]);
    let other = LoopDevice { backing: second, device: path };
    check_of(&sandbox, &other.device, &witness.address, &["--drive-alone"]).refuses(&["is not what campaign", "inode"]);
}

/// Mounts a disk in a file. Its journal is written when somebody asks for it, and not while the disk is copied.
fn mount(backing: &str, folder: &str) -> (Mounted, LoopDevice) {
    let device = LoopDevice::attach(&[], backing.as_ref());
    (Mounted::new(folder.into(), &["-o", "commit=600", &device.device]), device)
}

#[test]
fn a_buffered_write_is_gone_from_a_disk_that_lost_its_power_and_one_with_fsync_is_there() {
    let sandbox = Sandbox::new();
    let [disk, survived, folder] = ["disk", "survived", "mounted"].map(|name| sandbox.path(name));
    std::fs::File::create(&disk).unwrap().set_len(64 * MIB).unwrap();
    std::fs::create_dir(&folder).unwrap();
    succeeds("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", &disk]);
    let mounted = mount(&disk, &folder);
    let mut child = sandbox.begin(&["sync", "--show-loss", "mounted"]);
    let done = || std::fs::read(format!("{folder}/ioproof-show-loss-1/fsynced")).map_or(0, |content| content.len());
    common::witness::wait_until(|| done() > 4 * 512);
    succeeds("kill", &["-STOP", &child.id().to_string()]);
    let state = || std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    common::witness::wait_until(|| state().contains("State:\tT"));
    // What reached the loop device is in the file, and what is in the filesystem's memory is not.
    std::fs::copy(&disk, &survived).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    drop(mounted);
    let mounted = mount(&survived, &folder);
    let said = sandbox.run(&["sync", "--show-loss", "--after", "mounted", "--json"]);
    drop(mounted);
    let document = said.json();
    let [done, buffered, fsynced, renamed] = ["done", "buffered", "fsynced", "renamed"].map(|name| document[name].as_u64().unwrap());
    assert!(said.status == 3 && done >= 3 && fsynced >= done && renamed + 1 >= done, "the machine itself was not down: {said:?}");
    assert!(buffered < done, "nothing brought it to the disk within seconds: {document}");
}
