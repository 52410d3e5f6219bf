//! `layers --drive`: filesystems made on whole loop devices that the test itself makes. Needs root.
//!
//! Every refusal is held against the whole content of the device before and after, and behind every end the device must be free: the kernel gives it exclusively only while no
//! mount of any process has it.

use crate::common;
use crate::common::loops::{LoopDevice, Mount, hole, mkfs, tool};
use crate::common::{MIB, ProgramOutput, Sandbox, noise, said, signal, wait_until};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

/// A loop device on a file of one hole.
fn drive(sandbox: &Sandbox, mib: u64) -> LoopDevice {
    LoopDevice::empty(sandbox, "disk", mib * MIB)
}

/// Another than the first of a test, in a folder that no test looks into.
fn beside(sandbox: &Sandbox, name: &str, mib: u64) -> LoopDevice {
    LoopDevice::empty(sandbox, &format!("../{name}"), mib * MIB)
}

impl LoopDevice {
    /// The command of a short run with consent.
    fn words<'a>(&'a self, kind: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let words = ["layers", "--drive", &self.device, "--fs", kind, "--destroy", self.name(), "--size", "32MiB", "--json"];
        [&words[..], more].concat()
    }
}

/// Folders of a run by its process, which others need not have removed.
fn folders(pid: u32) -> Vec<String> {
    let names = std::fs::read_dir("/run").unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(&format!(".ioproof-fs-{pid}-"))).collect()
}

/// Mounts that this process sees.
fn mounts() -> String {
    std::fs::read_to_string("/proc/self/mounts").unwrap()
}

/// Runs it, and asserts that it leaves nothing behind, whatever it says.
#[track_caller]
fn ran(sandbox: &Sandbox, drive: &LoopDevice, mut command: Command) -> ProgramOutput {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let said = said(child.wait_with_output().unwrap());
    assert_eq!((folders(pid), sandbox.left_behind()), (Vec::new(), vec!["disk".to_owned()]), "{said:?}");
    assert!(drive.hold().is_ok(), "it is still in use: {said:?}");
    said
}

#[track_caller]
fn measures(kind: &str, rows: &[&str], more: &[&str]) -> serde_json::Value {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let words = drive.words(kind, &[&["--runs", "1", "--time", "2s"], more].concat());
    let said = ran(&sandbox, &drive, sandbox.command(&words));
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    let report = said.json();
    let of_row = |row: &serde_json::Value| row["kind"].as_str().unwrap().to_owned();
    let found: Vec<String> = report["judgement"]["layers"]["rows"].as_array().unwrap().iter().map(of_row).collect();
    assert_eq!(found, rows);
    let target = &report["run"]["targets"][0]["facts"];
    assert_eq!(target["given"], format!("{kind} on {}", drive.device));
    assert_eq!((&target["filesystem"]["fs_type"], &target["filesystem"]["source"]), (&kind.into(), &drive.device.as_str().into()));
    let notes = report["run"]["notes"].to_string();
    assert!(notes.contains(&format!("mkfs.{kind} -q")) && notes.contains("before it was written"), "{notes}");
    assert_eq!(report["run"]["databases"][0]["target"], 0);
    // It stays, and nobody takes it for an empty drive.
    drive.refuses(&sandbox, &drive.words(kind, &[]), &["it bears a signature of"]);
    tool("blkdiscard", &["-f", &drive.device]);
    assert_eq!(sandbox.run(&drive.words(kind, &["--dry-run"])).status, 0, "the drive is empty again");
    report
}

const OF_EXTENTS: [&str; 4] = ["block_reads", "filesystem_reads", "filesystem_writes", "database"];

#[test]
fn layers_of_a_new_ext4() {
    measures("ext4", &OF_EXTENTS, &["--mkfs-opt", "-b 4096", "--mkfs-opt", "-E lazy_itable_init=0", "--mount-opt", "noatime,commit=30"]);
}

#[test]
fn layers_of_a_new_xfs() {
    measures("xfs", &OF_EXTENTS, &[]);
}

#[test]
fn layers_of_a_new_btrfs() {
    // Its addresses are of a device inside of it.
    let report = measures("btrfs", &OF_EXTENTS[1..], &["--mount-opt", "compress=zstd"]);
    assert!(common::rules(&report).contains(&"database-compressed".to_owned()), "{report}");
}

/// The command of a short run on both drives with consent to the first.
fn of_two<'a>(one: &'a LoopDevice, two: &'a LoopDevice, kind: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    one.words(kind, &[&["--drive", &two.device][..], more].concat())
}

#[test]
fn layers_of_a_new_btrfs_on_two_drives() {
    let sandbox = Sandbox::new();
    let (one, two) = (drive(&sandbox, 512), beside(&sandbox, "second", 512));
    let both = ["--destroy", two.name(), "--runs", "1", "--time", "2s"];
    let dry = sandbox.run(&[&of_two(&one, &two, "btrfs:mirror", &both)[..], &["--dry-run"]].concat()).json();
    let makes = dry["makes"].to_string();
    assert!(makes.contains("-d raid1") && makes.contains(&one.device) && makes.contains(&two.device), "{makes}");
    assert!(two.hold().is_ok(), "a rehearsal holds nothing");
    let said = ran(&sandbox, &one, sandbox.command(&of_two(&one, &two, "btrfs:mirror", &both)));
    assert!(matches!(said.status, 0 | 3) && two.hold().is_ok(), "{said:?}");
    let report = said.json();
    let facts = &report["run"]["targets"][0]["facts"];
    let under: Vec<&str> = facts["stack"]["under"].as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!((facts["stack"]["kind"].as_str(), under), (Some("pool"), vec![one.name(), two.name()]));
    // A mirror writes all of it twice.
    let row =
        |kind: &str| report["judgement"]["layers"]["rows"].as_array().unwrap().iter().find(|row| row["kind"] == kind).unwrap().clone();
    let bytes = row("filesystem_writes")["drive_bytes_per_byte"]["median"].as_f64().unwrap();
    assert!(bytes >= 2.0, "{bytes}");
    // Before it was made: each alone, and both at once.
    let stages = report["run"]["stages"].as_array().unwrap();
    let purposes: Vec<&str> = stages.iter().take(4).map(|stage| stage["purpose"].as_str().unwrap()).collect();
    assert_eq!(purposes, ["measure", "measure", "together", "measure"]);
    let raw: Vec<&str> =
        report["run"]["targets"].as_array().unwrap()[1..].iter().map(|of| of["facts"]["given"].as_str().unwrap()).collect();
    assert_eq!(raw, [&one.device, &two.device]);
    assert_eq!(report["judgement"]["together"]["rows"][0]["members"].as_array().unwrap().len(), 2);
    // Whether the page cache stood between goes by the filesystem of the test.
    let says = report["judgement"]["layers"]["says"].to_string();
    assert!(says.contains("of all 2 drives at once") || says.contains("cannot be held against those of its drives"), "{says}");
}

#[test]
fn no_drive_is_written_while_one_is_refused() {
    let sandbox = Sandbox::new();
    let (one, two) = (drive(&sandbox, 160), beside(&sandbox, "second", 160));
    let before = two.content();
    let refuses = |words: &[&str], reasons: &[&str]| {
        one.refuses(&sandbox, words, reasons);
        assert!(two.content() == before, "{words:?} changed the second");
    };
    refuses(&of_two(&one, &two, "btrfs:mirror", &[]), &[two.name(), "is written only with --destroy"]);
    refuses(&of_two(&one, &two, "btrfs:mirror", &["--destroy", "loop999"]), &["--destroy"]);
    refuses(&of_two(&one, &two, "btrfs:mirror", &["--destroy", two.name(), "--destroy", "loop999"]), &["\"loop999\" names none"]);
    refuses(&of_two(&one, &two, "btrfs", &["--destroy", two.name()]), &["is not said", "btrfs:mirror"]);
    refuses(&of_two(&one, &two, "ext4", &["--destroy", two.name()]), &["ext4"]);
    refuses(&of_two(&one, &two, "btrfs:raid10", &["--destroy", two.name()]), &["takes at least 4 drives"]);
    refuses(&of_two(&one, &one, "btrfs:mirror", &["--destroy", one.name()]), &["is named twice"]);
    refuses(&one.words("btrfs:mirror", &[]), &["takes at least 2 drives"]);
    refuses(&one.words("btrfs:raid9", &[]), &["btrfs"]);
    let third = beside(&sandbox, "third", 160);
    tool("mkfs.ext4", &["-q", &third.device]);
    refuses(
        &of_two(&one, &two, "btrfs:stripe", &["--destroy", two.name(), "--drive", &third.device, "--destroy", third.name()]),
        &["it bears a signature of"],
    );
    let _held = two.hold().unwrap();
    refuses(&of_two(&one, &two, "btrfs:stripe", &["--destroy", two.name()]), &["is in use"]);
}

#[test]
fn ctrl_c_takes_all_of_it_down() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let child = sandbox.begin(&drive.words("ext4", &["--runs", "500", "--time", "1000s"]));
    let pid = child.id();
    let meanwhile = || {
        assert_eq!(folders(pid).len(), 1);
        assert!(!mounts().contains(&format!(".ioproof-fs-{pid}-")), "others see it");
        assert!(drive.hold().is_err(), "it is mounted");
    };
    let said = sandbox.interrupt(child, 1, meanwhile);
    assert!(said.status == 3 && said.json()["run"]["status"]["state"] == "interrupted", "{said:?}");
    assert_eq!((folders(pid), sandbox.left_behind()), (Vec::new(), vec!["disk".to_owned()]));
    assert!(drive.hold().is_ok(), "it is free");
}

#[test]
fn a_kill_leaves_an_empty_folder_which_the_next_run_removes() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let mut child = sandbox.begin(&drive.words("xfs", &["--runs", "500", "--time", "1000s"]));
    let pid = child.id();
    // Nobody may look if the device is free meanwhile: that would take it.
    wait_until("a mount and a run", || !folders(pid).is_empty() && !sandbox.runs().is_empty() || child.try_wait().unwrap().is_some());
    assert!(drive.hold().is_err(), "it is mounted");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the kernel takes the mount down", || drive.hold().is_ok());
    for left in folders(pid) {
        // Another run may remove it at any time.
        assert!(std::fs::read_dir(Path::new("/run").join(left)).map_or(0, Iterator::count) == 0);
    }
    let other = Sandbox::new();
    let second = self::drive(&other, 512);
    ran(&other, &second, with_program(&other, &second, "ext4", "exit 1"));
    assert_eq!(folders(pid), [] as [String; 0]);
}

/// The command with another program in the place of the one that makes this filesystem.
fn with_program(sandbox: &Sandbox, drive: &LoopDevice, kind: &str, script: &str) -> Command {
    let folder = sandbox.state().join("programs");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join(format!("mkfs.{kind}"));
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = sandbox.command(&drive.words(kind, &["--runs", "1", "--time", "2s"]));
    command.env("PATH", format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", folder.display()));
    command
}

#[test]
fn a_program_that_fails_is_told_and_nothing_stays() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let before = drive.content();
    ran(&sandbox, &drive, with_program(&sandbox, &drive, "ext4", "echo the drive is odd >&2\nexit 1"))
        .refuses(&["mkfs.ext4 fails: the drive is odd"]);
    ran(&sandbox, &drive, with_program(&sandbox, &drive, "ext4", "exit 0")).refuses(&["cannot be mounted"]);
    assert!(before == drive.content());
    let files = sandbox.state().join("files");
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("file"), "x").unwrap();
    let with_files = format!("for d; do :; done\n/usr/sbin/mkfs.ext4 -q -F -d {} $d", files.display());
    ran(&sandbox, &drive, with_program(&sandbox, &drive, "ext4", &with_files)).refuses(&["has files, so it is another one"]);
    tool("blkdiscard", &["-f", &drive.device]);
    // Half of it is the journal, so that the database does not fit.
    let full = drive.words("ext4", &["--mkfs-opt", "-J size=250"]);
    ran(&sandbox, &drive, sandbox.command(&full)).refuses(&["left to others", "--size"]);
}

#[test]
fn ctrl_c_ends_the_program_that_makes_it() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let (before, begun) = (drive.content(), sandbox.state().join("begun"));
    let mut command = with_program(&sandbox, &drive, "ext4", &format!("touch {}\nexec sleep 1000", begun.display()));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    wait_until("the program that makes it", || begun.exists() || child.try_wait().unwrap().is_some());
    signal(&child, "-INT");
    let said = said(child.wait_with_output().unwrap());
    let words = "interrupted before anything was measured: ";
    assert!(said.status == 3 && said.stderr.contains(words) && said.stderr.contains("mkfs.ext4 was ended before it was done"), "{said:?}");
    assert!(folders(pid).is_empty() && drive.hold().is_ok() && before == drive.content());
}

#[test]
fn the_program_is_given_the_very_device_out_of_the_reach_of_others() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let seen = sandbox.state().join("seen");
    let script = format!("for d; do :; done\nstat -c '%F %t:%T %n' $d > {}\nexit 1", seen.display());
    ran(&sandbox, &drive, with_program(&sandbox, &drive, "ext4", &script)).refuses(&["mkfs.ext4 fails"]);
    let number = rustix::fs::stat(&drive.device).unwrap().st_rdev;
    let text = std::fs::read_to_string(seen).unwrap();
    let expected = format!("block special file {:x}:{:x} /run/.ioproof-fs-", rustix::fs::major(number), rustix::fs::minor(number));
    assert!(text.starts_with(&expected) && text.trim_end().ends_with("/device"), "{text}");
}

#[test]
fn somebody_who_takes_the_device_first_keeps_it() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let before = drive.content();
    // Another one holds it by the time that the program comes to open it.
    for kind in ["ext4", "xfs", "btrfs"] {
        let taken = format!(
            "import os, subprocess, sys\nos.open({:?}, os.O_RDONLY | os.O_EXCL)\nsys.exit(subprocess.call([\"/usr/sbin/mkfs.{kind}\"] + sys.argv[1:]))",
            drive.device
        );
        let taking = sandbox.state().join("taking.py");
        std::fs::create_dir_all(sandbox.state()).unwrap();
        std::fs::write(&taking, taken).unwrap();
        let script = format!("exec python3 {} \"$@\"", taking.display());
        let said = ran(&sandbox, &drive, with_program(&sandbox, &drive, kind, &script));
        said.refuses(&[&format!("mkfs.{kind} fails")]);
        assert!(said.stderr.contains("in use by the system") || said.stderr.to_lowercase().contains("busy"), "{said:?}");
        assert!(before == drive.content(), "{kind}");
    }
}

#[test]
fn nothing_is_done_without_consent_to_this_very_drive() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let device = drive.device.as_str();
    let bare = ["layers", "--drive", device, "--fs", "ext4", "--size", "32MiB"];
    drive.refuses(&sandbox, &bare, &["is written only with --destroy"]);
    drive.refuses(&sandbox, &[&bare[..], &["--destroy", "loop999"]].concat(), &["\"loop999\" does not name"]);
    drive.refuses(&sandbox, &[&bare[..], &["--destroy", device]].concat(), &["does not name"]);
    drive.refuses(&sandbox, &[&bare[..], &["--dry-run"]].concat(), &["is written only with --destroy"]);
    drive.refuses(&sandbox, &drive.words("ext4", &["--mkfs-opt", "-F"]), &["is no option of mkfs.ext4"]);
    drive.refuses(&sandbox, &drive.words("ext4", &["--mkfs-opt", "-J device=loop0"]), &["is no option of mkfs.ext4"]);
    drive.refuses(&sandbox, &drive.words("xfs", &["--mount-opt", "logdev=/dev/loop0"]), &["is no option of a mount of xfs"]);
    drive.refuses(&sandbox, &drive.words("ext4", &["--dir", "."]), &["--dir"]);
    drive.refuses(&sandbox, &["layers", "--dir", ".", "--destroy", drive.name()], &["--drive"]);
    let file = sandbox.path("disk");
    sandbox.run(&["layers", "--drive", &file, "--fs", "ext4", "--destroy", "disk"]).refuses(&["is no drive"]);
}

#[test]
fn a_drive_that_is_too_small_is_refused_before_anything() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 128);
    drive.refuses(&sandbox, &drive.words("xfs", &[]), &["has 128 MiB, and", "is needed"]);
    drive.refuses(
        &sandbox,
        &["layers", "--drive", &drive.device, "--fs", "ext4", "--destroy", drive.name(), "--db", "none", "--size", "128MiB"],
        &["is needed"],
    );
}

#[test]
fn data_takes_a_second_consent_and_a_filesystem_has_none() {
    let sandbox = Sandbox::new();
    let backing = hole(&sandbox, "disk", 512 * MIB);
    std::fs::File::options().write(true).open(&backing).unwrap().write_all_at(&noise(MIB), 300 * MIB).unwrap();
    let drive = LoopDevice::new(&[], &backing);
    drive.refuses(&sandbox, &drive.words("ext4", &[]), &["--destroy-unknown-content"]);
    drive.refuses(&sandbox, &drive.words("ext4", &["--dry-run"]), &["--destroy-unknown-content"]);
    tool("mkfs.ext4", &["-q", "-F", &drive.device]);
    for kind in ["ext4", "xfs", "btrfs"] {
        drive.refuses(&sandbox, &drive.words(kind, &["--destroy-unknown-content"]), &["ext"]);
    }
}

#[test]
fn a_drive_in_use_is_refused() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let held = drive.hold().unwrap();
    drive.refuses(&sandbox, &drive.words("ext4", &[]), &["is in use"]);
    drive.refuses(&sandbox, &drive.words("ext4", &["--dry-run"]), &["is in use"]);
    drop(held);
    let above = LoopDevice::new(&["--read-only"], Path::new(&drive.device));
    drive.refuses(&sandbox, &drive.words("xfs", &[]), &[above.name()]);
    drop(above);
    tool("addpart", &[&drive.device, "1", "2048", "600000"]);
    drive.refuses(&sandbox, &drive.words("ext4", &[]), &["partition"]);
    let part = format!("{}p1", drive.device);
    tool("mkfs.ext4", &["-q", &part]);
    let _mounted = Mount::new(&sandbox, "point", &[&part]);
    let on_part = ["layers", "--drive", &part, "--fs", "ext4", "--destroy", drive.name()];
    sandbox.run(&drive.words("ext4", &["--destroy-unknown-content"])).refuses(&["is mounted at"]);
    sandbox.run(&on_part).refuses(&["is mounted at"]);
}

#[test]
fn a_mounted_drive_is_refused() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    mkfs(&drive.device);
    let _mounted = Mount::new(&sandbox, "point", &["-o", "ro", &drive.device]);
    drive.refuses(&sandbox, &drive.words("btrfs", &["--destroy-unknown-content"]), &["is mounted at"]);
}

#[test]
fn a_dry_run_names_every_step_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let drive = self::drive(&sandbox, 512);
    let before = drive.content();
    let words = drive.words("xfs", &["--dry-run", "--mkfs-opt", "-m reflink=0", "--mount-opt", "noatime"]);
    let dry = sandbox.run(&words).json();
    let makes = dry["makes"].to_string();
    for step in [
        "before it was written",
        "all data on it would be lost: mkfs.xfs -q -m reflink=0",
        "mounted with noatime",
        "a scratch file of 32 MiB",
        "SQLite",
    ] {
        assert!(makes.contains(step), "{step}: {makes}");
    }
    assert_eq!(dry["layers"].as_array().unwrap().len(), 4);
    assert!(before == drive.content() && drive.hold().is_ok());
}
