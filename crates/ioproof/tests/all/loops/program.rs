//! The real program on real block devices and filesystems: loop devices that the test itself makes. Needs root.
//!
//! Every refusal is held against a checksum of the whole device before and after. What could endanger the host runs in the virtual machine (rig/).

use crate::common;
use crate::common::loops::{LoopDevice, Mount, hole, mkfs, tool};
use crate::common::{MIB, ProgramOutput, Sandbox, noise, rules, said, wait_until};
use std::path::Path;
use std::process::Command;

/// A loop device on a file of one hole.
fn empty(sandbox: &Sandbox, mib: u64) -> LoopDevice {
    LoopDevice::empty(sandbox, "disk", mib * MIB)
}

/// A loop device on a file of random bytes.
fn full(sandbox: &Sandbox, mib: u64, flags: &[&str]) -> LoopDevice {
    LoopDevice::new(flags, &sandbox.file("disk", mib * MIB))
}

/// Asserts that verification with consent is refused for these reasons, and that not a byte changes.
#[track_caller]
fn refused(disk: &LoopDevice, sandbox: &Sandbox, target: &str, consent: &str, reasons: &[&str]) {
    disk.refuses(sandbox, &["verify", target, "--time", "1s", "--runs", "1", "--destroy", consent], reasons);
}

/// A partition of the table that `partition` makes; a kernel that cannot read such tables is told about it.
fn part(disk: &LoopDevice, number: u64) -> String {
    let path = format!("{}p{number}", disk.device);
    if !Path::new(&path).exists() {
        let start = 2048 + (number - 1) * 30_720;
        tool("addpart", &[&disk.device, &number.to_string(), &start.to_string(), "30720"]);
    }
    path
}

#[test]
fn a_device_is_only_read_without_consent() {
    let sandbox = Sandbox::new();
    let disk = full(&sandbox, 16, &[]);
    let report = sandbox.verify(&[&disk.device, "--json"]).json();
    assert_eq!(report["run"]["plan"]["writes"].as_array().unwrap().len(), 0);
    assert_eq!(report["run"]["targets"][0]["facts"]["layer"], "block");
    assert!(disk.bytes() == noise(16 * MIB));
}

#[test]
fn an_empty_device_is_written_with_consent_and_again_afterwards() {
    let sandbox = Sandbox::new();
    let disk = LoopDevice::new(&["--direct-io=on"], &hole(&sandbox, "disk", 16 * MIB));
    for (more, rounds) in [(&[][..], 10), (&["--rw", "randread,randwrite", "--ios", "50"], 2)] {
        let said = sandbox.verify(&[&[&disk.device, "--destroy", disk.name(), "--json"], more].concat());
        let report = said.json();
        assert!(matches!(said.status, 0 | 3), "{more:?}: {said:?}");
        assert_eq!(report["run"]["targets"][0]["content"]["filled_bytes"], 16 * MIB);
        assert_eq!(common::rounds(&report).len(), rounds);
    }
    assert!(disk.bytes().chunks(4096).all(|block| block.starts_with(b"IOPROOF")));
}

#[test]
fn checked_data_on_a_device_of_large_sectors_is_known_again() {
    let sandbox = Sandbox::new();
    let disk = LoopDevice::new(&["--sector-size", "4096"], &hole(&sandbox, "disk", 4 * MIB));
    let words = [&disk.device, "--destroy", disk.name(), "--rw", "randwrite", "--runs", "1", "--ios", "50"];
    let verify = |more: &[&str]| sandbox.run(&[&["verify"], &words[..], more].concat());
    for _ in 0..2 {
        let said = verify(&["--bs", "4KiB", "--check"]);
        assert!(matches!(said.status, 0 | 3), "{said:?}");
    }
    verify(&["--bs", "512,6KiB"]).refuses(&["no block is a multiple of 4 KiB", "--bs"]);
}

#[test]
fn an_empty_device_that_is_only_read_shows_fantasy() {
    let sandbox = Sandbox::new();
    let disk = empty(&sandbox, 16);
    let report = sandbox.verify(&[&disk.device, "--json"]).json();
    assert!(rules(&report).contains(&"unwritten".to_owned()));
}

#[test]
fn a_loop_device_without_direct_io_is_the_page_cache() {
    let sandbox = Sandbox::new();
    let disk = full(&sandbox, 16, &["--direct-io=off"]);
    let report = sandbox.verify(&[&disk.device, "--json"]).json();
    let counted =
        common::rounds(&report)[0]["devices"].as_array().unwrap().iter().any(|d| d["is_drive"] == true && d["name"] != disk.name());
    // Where the drive under the file has no counters, as on a container's root, nothing can be held against it.
    assert_eq!(counted, rules(&report).contains(&"page-cache".to_owned()), "{:?}", rules(&report));
}

#[test]
fn a_loop_device_through_the_page_cache_is_advised_against() {
    let sandbox = Sandbox::new();
    let disk = LoopDevice::new(&["--direct-io=off"], &hole(&sandbox, "disk", 16 * MIB));
    let advised = |sandbox: &Sandbox| {
        let advice = sandbox.run(&["doctor", disk.name(), "--json"]).json()["advice"].clone();
        let of = advice.as_array().unwrap().iter().find(|advice| advice["rule"] == "loop-cache").cloned();
        of.map(|advice| advice["mend"].as_str().unwrap().to_owned())
    };
    let mend = advised(&sandbox).unwrap();
    assert_eq!(mend, format!("losetup --direct-io=on {}", disk.device));
    tool("losetup", &["--direct-io=on", &disk.device]);
    assert_eq!(advised(&sandbox), None);
}

#[test]
fn a_list_says_what_a_loop_device_lies_on_and_what_lies_on_it() {
    let sandbox = Sandbox::new();
    let below = empty(&sandbox, 16);
    let above = LoopDevice::new(&["--read-only"], Path::new(&below.device));
    let said = sandbox.run(&["list", &below.device]);
    assert!(said.stdout.contains(&format!("{} ({})", above.name(), below.device)), "{said:?}");
    drop(above);
    assert!(said.stdout.contains(&format!("(loop) {}", below.backing.display())), "{said:?}");
    tool("mkswap", &[&below.device]);
    assert!(sandbox.run(&["list", below.name()]).stdout.contains("holds "), "what it holds counts as a use");
}

#[test]
fn two_names_of_one_file_are_never_written() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let path = sandbox.work().join(std::ffi::OsStr::from_bytes(b"non\xffutf8.img"));
    std::fs::File::create(&path).unwrap().set_len(64 * MIB).unwrap();
    let (front, back) = (LoopDevice::new(&[], &path), LoopDevice::new(&["--offset", "33554432"], &path));
    mkfs(&back.device);
    let _mount = Mount::new(&sandbox, "mounted", &[&back.device]);
    refused(&front, &sandbox, &front.device, front.name(), &["also backs", back.name()]);
    std::fs::remove_file(&path).unwrap();
    sandbox.verify(&[&front.device, "--destroy", front.name()]).refuses(&["also backs", back.name()]);
}

#[test]
fn consent_must_name_the_device() {
    let sandbox = Sandbox::new();
    let disk = empty(&sandbox, 1);
    refused(&disk, &sandbox, &disk.device, "loop99", &["loop99"]);
    refused(&disk, &sandbox, &disk.device, &disk.device, &[&disk.device]);
    let path = disk.backing.display().to_string();
    sandbox.verify(&[&disk.device, "--overwrite", &path]).refuses(&["--destroy"]);
}

#[test]
fn a_device_that_holds_anything_is_never_written() {
    let sandbox = Sandbox::new();
    let ext4 = LoopDevice::empty(&sandbox, "ext4", 16 * MIB);
    mkfs(&ext4.device);
    refused(&ext4, &sandbox, &ext4.device, ext4.name(), &["ext4"]);
    let unknown = full(&sandbox, 4, &[]);
    refused(&unknown, &sandbox, &unknown.device, unknown.name(), &["--destroy-unknown-content"]);
    let swap = LoopDevice::empty(&sandbox, "swap", 4 * MIB);
    tool("mkswap", &[&swap.device]);
    refused(&swap, &sandbox, &swap.device, swap.name(), &["swap"]);
}

#[test]
fn unknown_content_is_written_with_the_second_consent() {
    let sandbox = Sandbox::new();
    let disk = full(&sandbox, 4, &[]);
    let said = sandbox.verify(&[&disk.device, "--destroy", disk.name(), "--destroy-unknown-content", "--json"]);
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    assert!(disk.bytes() != noise(4 * MIB));
}

#[test]
fn a_mounted_device_its_partitions_and_its_links_are_never_written() {
    let sandbox = Sandbox::new();
    let image = hole(&sandbox, "disk", 32 * MIB);
    partition(image.to_str().unwrap());
    let disk = LoopDevice::new(&["--partscan"], &image);
    let [first, second] = [1, 2].map(|number| part(&disk, number));
    mkfs(&first);
    let mount = Mount::new(&sandbox, "mounted", &[&first]);
    std::fs::write(mount.0.join("precious"), "data").unwrap();
    tool("sync", &["-f", mount.path()]);
    std::os::unix::fs::symlink(&disk.device, sandbox.work().join("by-id")).unwrap();
    refused(&disk, &sandbox, &disk.device, disk.name(), &["mount"]);
    refused(&disk, &sandbox, &sandbox.path("by-id"), disk.name(), &["mount"]);
    refused(&disk, &sandbox, &first, disk.name(), &["partition"]);
    refused(&disk, &sandbox, &second, disk.name(), &["partition"]);
    // Reading a mounted disk harms nothing.
    let report = sandbox.verify(&[&disk.device, "--json"]).json();
    assert_eq!(report["run"]["plan"]["writes"].as_array().unwrap().len(), 0);
}

/// Two partitions of 15 MiB.
fn partition(device: &str) {
    use std::io::Write;
    let mut sfdisk = Command::new("sfdisk").args(["--quiet", device]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    sfdisk.stdin.take().unwrap().write_all(b"label: gpt\nsize=15MiB\nsize=15MiB\n").unwrap();
    assert!(sfdisk.wait().unwrap().success());
}

#[test]
fn a_dry_run_tells_whether_the_write_rule_allows_it() {
    let sandbox = Sandbox::new();
    let disk = empty(&sandbox, 16);
    let before = disk.content();
    let allowed = sandbox.run(&["verify", &disk.device, "--destroy", disk.name(), "--dry-run"]);
    assert!(allowed.status == 0 && allowed.stdout.contains("would be written"), "{allowed:?}");
    assert!(allowed.stdout.contains("all of it was read"), "the power of the search is told: {allowed:?}");
    assert!(before == disk.content());
    mkfs(&disk.device);
    sandbox.run(&["verify", &disk.device, "--destroy", disk.name(), "--dry-run"]).refuses(&["ext4"]);
}

#[test]
fn filesystems_that_cannot_take_a_scratch_file() {
    let sandbox = Sandbox::new();
    let disk = empty(&sandbox, 32);
    mkfs(&disk.device);
    {
        let small = Mount::new(&sandbox, "small", &[&disk.device]);
        sandbox.verify(&[small.path(), "--size", "1GiB"]).refuses(&["1 GiB"]);
    }
    let fixed = Mount::new(&sandbox, "fixed", &["-o", "ro", &disk.device]);
    sandbox.verify(&[fixed.path(), "--size", "1MiB"]).refuses(&["read-only"]);
    let memory = Mount::memory(&sandbox, "memory", "mode=755");
    sandbox.verify(&[memory.path(), "--size", "1MiB"]).refuses(&["memory"]);
    let ramfs = Mount::new(&sandbox, "ramfs", &["-t", "ramfs", "none"]);
    sandbox.verify(&[ramfs.path(), "--size", "1MiB"]).refuses(&["memory"]);
    assert!(sandbox.runs().is_empty());
}

#[test]
fn overlayfs_is_measured_with_a_warning() {
    let sandbox = Sandbox::new();
    let disk = empty(&sandbox, 64);
    mkfs(&disk.device);
    let under = Mount::new(&sandbox, "under", &[&disk.device]);
    let overlay = overlay(&sandbox, &under, "");
    let said = sandbox.verify(&[overlay.path(), "--size", "8MiB", "--json"]);
    let report = said.json();
    assert_eq!(report["run"]["targets"][0]["facts"]["filesystem"]["fs_type"], "overlay");
    let notes = report["run"]["notes"].to_string();
    assert!(notes.contains("overlay"), "{notes}");
    assert_eq!(report["run"]["targets"][0]["drives"].as_array().unwrap().len(), 0);
}

/// An overlay with its layers in this folder, mounted with further options.
fn overlay(sandbox: &Sandbox, under: &Mount, more: &str) -> Mount {
    for folder in ["lower", "upper", "work"] {
        std::fs::create_dir(under.0.join(folder)).unwrap();
    }
    let options = ["lower", "upper", "work"].map(|f| format!("{f}dir={}/{f}", under.path())).join(",") + more;
    Mount::new(sandbox, "overlay", &["-t", "overlay", "-o", &options, "overlay"])
}

#[test]
fn an_overlay_that_writes_to_memory_is_no_drive() {
    let sandbox = Sandbox::new();
    let memory = Mount::memory(&sandbox, "memory", "mode=755");
    let overlay = overlay(&sandbox, &memory, "");
    sandbox.verify(&[overlay.path(), "--size", "1MiB"]).refuses(&["tmpfs", "memory and no drive"]);
    sandbox.run(&["sync", overlay.path(), "--size", "1MiB"]).refuses(&["memory and no drive"]);
}

#[test]
fn a_volatile_overlay_meets_no_limit_of_syncs() {
    let sandbox = Sandbox::new();
    let disk = empty(&sandbox, 64);
    mkfs(&disk.device);
    let under = Mount::new(&sandbox, "under", &[&disk.device]);
    let overlay = overlay(&sandbox, &under, ",volatile");
    let said = sandbox.run(&["sync", overlay.path(), "--size", "8MiB", "--as", "etcd", "--time", "2s", "--json"]);
    let findings = said.json()["judgement"]["findings"].clone();
    let is_told = |finding: &serde_json::Value| finding["rule"] == "unflushed" && finding["effect"] == "invalid";
    assert!(said.status == 3 && findings.as_array().unwrap().iter().any(is_told), "{} {findings}", said.status);
}

/// A user without rights, with a sandbox that it can reach: the checkout may lie where others cannot enter, so the sandbox is mounted below /tmp.
struct Unprivileged {
    sandbox: Sandbox,
    public: Option<Mount>,
}

impl Unprivileged {
    fn new() -> Self {
        let sandbox = Sandbox::untested();
        let home = sandbox.work().parent().unwrap().display().to_string();
        common::copy_program(&Path::new(&home).join("ioproof"));
        tool("chown", &["-R", "nobody", &home]);
        let point = tempfile::Builder::new().prefix("ioproof-test-").tempdir().unwrap().keep();
        tool("mount", &["--bind", &home, point.to_str().unwrap()]);
        Self { sandbox, public: Some(Mount(point)) }
    }

    /// Runs the program with 8 MiB of lockable memory, the default of many systems.
    fn run(&self, args: &[&str]) -> ProgramOutput {
        let mut command = Command::new("setpriv");
        self.sandbox.prepare(&mut command);
        let home = &self.public.as_ref().unwrap().0;
        command.current_dir(home.join("work")).env("XDG_STATE_HOME", home.join("state")).env("HOME", home);
        command.args(["--reuid=nobody", "--clear-groups", "--bounding-set=-all", "sh", "-c", "ulimit -l 8192; exec \"$@\"", "sh"]);
        said(command.arg(home.join("ioproof")).args(args).output().unwrap())
    }
}

impl Drop for Unprivileged {
    fn drop(&mut self) {
        let point = self.public.take().map(|mount| mount.0.clone());
        point.map(std::fs::remove_dir).transpose().unwrap();
    }
}

#[test]
fn little_lockable_memory_falls_back_by_itself() {
    let nobody = Unprivileged::new();
    // 4 workers x 32 x 128 KiB are 16 MiB of buffers.
    let said = nobody.run(&["verify", "--size", "32MiB", "--time", "1s", "--runs", "1", "--json"]);
    let report = said.json();
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    let rounds = common::rounds(&report);
    assert_eq!(rounds.len(), 10);
    assert!(rounds.iter().all(|r| r["outcome"] == "complete"));
    let large = rounds.iter().find(|r| r["workload"]["block_bytes"] == 131_072).unwrap();
    assert!(large["engine"]["fallbacks"].to_string().contains("locked memory"), "{}", large["engine"]);
}

#[test]
fn what_a_user_may_not_touch_is_told() {
    let nobody = Unprivileged::new();
    let work = nobody.sandbox.work();
    let disk = empty(&nobody.sandbox, 1);
    nobody.run(&["verify", &disk.device]).refuses(&["ermission denied"]);
    std::fs::write(work.join("secret"), noise(MIB)).unwrap();
    tool("chmod", &["600", work.join("secret").to_str().unwrap()]);
    nobody.run(&["verify", "secret"]).refuses(&["ermission denied"]);
    std::fs::create_dir(work.join("locked")).unwrap();
    nobody.run(&["verify", "locked"]).refuses(&["ermission denied"]);
    std::fs::create_dir(work.parent().unwrap().join("state")).unwrap();
    // Where the run cannot be stored it is measured all the same.
    let said = nobody.run(&["verify", "--size", "1MiB", "--time", "1s", "--runs", "1"]);
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    for words in ["warning: the run is not stored", "ermission denied", "XDG_STATE_HOME"] {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
}

#[test]
fn what_comes_onto_a_device_before_the_first_job_begins_stays() {
    let sandbox = Sandbox::new();
    let disk = empty(&sandbox, 64);
    let run = |before: &str| {
        let (file, destroy, command) =
            (format!("--filename={}", disk.device), format!("--destroy={}", disk.name()), format!("--exec_prerun={before}"));
        let first = ["run", "--name=a", "--rw=write", "--bs=64k", "--io_size=1m", "--allow-exec", &file, &destroy, &command];
        let second = ["--name=b", "--stonewall", "--rw=randwrite", "--bs=64k", "--io_size=1m", &file];
        sandbox.run(&[&first[..], &second].concat())
    };
    let fine = run("true");
    assert_eq!(fine.status, 0, "{fine:?}");
    // The commands run after the consent was held against the device, and before the jobs begin.
    let [diary, filesystem] = ["diary", "filesystem"].map(|name| sandbox.work().join(name));
    std::fs::write(&diary, "dear diary").unwrap();
    hole(&sandbox, "filesystem", 64 * MIB);
    mkfs(filesystem.to_str().unwrap());
    for (copied, words) in [
        (&diary, "than when this run began, and is not written"),
        (&filesystem, "(it bears a signature of ext2, ext3 or ext4), and is not"),
    ] {
        tool("blkdiscard", &["-z", &disk.device]);
        let said = run(&format!("dd if={} of={} conv=notrunc status=none", copied.display(), disk.device));
        assert!(said.status == 2 && said.stderr.contains(words), "{said:?}");
        assert!(disk.bytes().starts_with(&std::fs::read(copied).unwrap()), "it was written");
    }
}

#[test]
fn blocks_that_are_too_small_for_direct_io_on_a_filesystem_are_left_out() {
    let sandbox = Sandbox::new();
    for (kind, unit) in [("ext4", 512), ("btrfs", 4096)] {
        let _mounted = Mount::of(&sandbox, kind, kind, 128);
        let words = ["sync", kind, "--size", "4MiB", "--bs", "512,4KiB", "--sync", "fdatasync", "--runs", "1", "--ios", "8", "--json"];
        let said = sandbox.run(&words);
        let measured = said.json()["run"]["jobs"].as_array().unwrap().len();
        assert_eq!(measured, if unit == 512 { 2 } else { 1 }, "{said:?}");
        assert_eq!(said.stderr.contains("multiples of 4096 bytes only"), unit == 4096, "{said:?}");
    }
}

#[test]
fn a_scratch_file_that_cannot_be_removed_is_said() {
    let sandbox = Sandbox::new();
    let (mounted, _disk) = Mount::of(&sandbox, "btrfs", "btrfs", 128);
    tool("chattr", &["+a", mounted.path()]);
    let said = sandbox.run(&["sync", "btrfs", "--size", "4MiB", "--bs", "4KiB", "--sync", "fdatasync", "--runs", "1", "--ios", "8"]);
    let left: Vec<_> = std::fs::read_dir(mounted.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!left.is_empty() && left.iter().all(|name| said.stderr.contains(&format!("{name} is of ioproof"))), "{left:?} {said:?}");
}

#[test]
fn a_job_that_is_to_fill_its_filesystem_ends_where_there_is_no_space() {
    let sandbox = Sandbox::new();
    for kind in ["ext4", "btrfs"] {
        let at = format!("{kind}-mounted");
        let _mounted = Mount::of(&sandbox, kind, &at, 128);
        // The last of larger blocks is cut short.
        for [direct, block] in [["--direct=0", "--bs=64k"], ["--direct=0", "--bs=768k"], ["--direct=1", "--bs=64k"]] {
            let file = format!("--filename={at}/f");
            let job = [
                "run",
                "--name=a",
                "--rw=write",
                block,
                "--size=1g",
                "--fill_device=1",
                "--unlink=1",
                direct,
                &file,
                "--output-format=json",
            ];
            let said = sandbox.run(&job);
            assert_eq!(said.status, 0, "{kind} {direct} {block}: {said:?}");
            let written = said.json()["jobs"][0]["write"]["io_bytes"].as_u64().unwrap();
            assert!((16 * MIB..128 * MIB).contains(&written), "{kind} {direct}: {written}");
        }
    }
}

/// A loop device of 32 MiB on a filesystem in memory that has room for a quarter of it.
fn thin(sandbox: &Sandbox) -> (LoopDevice, Mount) {
    let mounted = Mount::memory(sandbox, "small", "size=8m");
    let disk = LoopDevice::empty(sandbox, "small/disk", 32 * MIB);
    // Holes of a file that has a name are held against what is free.
    std::fs::remove_file(sandbox.work().join("small/disk")).unwrap();
    (disk, mounted)
}

#[test]
fn a_job_that_goes_on_says_that_its_writes_failed_and_a_full_device_fails_it() {
    let sandbox = Sandbox::new();
    let (disk, _mounted) = thin(&sandbox);
    let file = format!("--filename={}", disk.device);
    let job = ["run", "--name=a", "--rw=write", "--bs=64k", "--size=32m", "--direct=1", "--output-format=json", &file];
    let consent = ["--destroy", disk.name(), "--destroy-unknown-content"];
    let run = |more: &[&str]| sandbox.run(&[&job[..], &consent, more].concat());
    for (more, status) in [("--continue_on_error=all", 2), ("--ignore_error=,ENOSPC", 0)] {
        let said = run(&[more]);
        assert_eq!(said.status, status, "{more}: {said:?}");
        let failed = said.stderr.lines().find(|line| line.contains("of 512 I/Os failed, and it went on")).unwrap_or_default();
        assert!(failed.starts_with("warning: job a: ") && failed.contains("No space left on device"), "{more}: {said:?}");
        assert!(said.json().to_string().contains("of 512 I/Os failed, and it went on"), "{more}: {said:?}");
    }
    let said = run(&["--fill_device=1", "--offset=16m", "--size=16m"]);
    assert!(said.status == 0 && said.stderr.contains("warning: a: fill_device: nothing was written"), "{said:?}");
}

#[test]
fn a_dry_run_asks_the_kernel_who_holds_a_device() {
    let sandbox = Sandbox::new();
    let disk = empty(&sandbox, 16);
    let file = format!("--filename={}", disk.device);
    let dry_run = || {
        let job = ["run", "--name=a", "--rw=write", "--bs=64k", "--size=1m", "--direct=1", "--dry-run", &file];
        sandbox.run(&[&job[..], &["--destroy", disk.name()]].concat())
    };
    let before = disk.content();
    let said = dry_run();
    assert!(said.status == 0 && said.stdout.contains("it may be written"), "{said:?}");
    let holder = disk.hold().unwrap();
    let said = dry_run();
    assert!(said.status == 2 && said.stderr.contains("is in use") && said.stdout.contains("REFUSED"), "{said:?}");
    drop(holder);
    // What another test starts has the descriptor too, until it is another program.
    wait_until("nobody holds it", || disk.hold().is_ok());
    assert_eq!(dry_run().status, 0);
    assert!(before == disk.content());
}

#[test]
fn of_several_devices_the_one_in_use_is_said_to_be_in_use() {
    let sandbox = Sandbox::new();
    let [first, second] = ["first", "second"].map(|name| LoopDevice::empty(&sandbox, name, 16 * MIB));
    let _holder = second.hold().unwrap();
    let files = [&first, &second].map(|disk| format!("--filename={}", disk.device));
    let jobs = ["run", "--rw=write", "--bs=64k", "--size=1m", "--direct=1", "--name=a", &files[0], "--name=b", "--stonewall", &files[1]];
    let said = sandbox.run(&[&jobs[..], &["--destroy", first.name(), "--destroy", second.name()]].concat());
    assert!(said.status == 2 && said.stderr.contains("is in use") && !said.stderr.contains("does not name"), "{said:?}");
}

#[test]
fn a_sweep_of_another_loop_device_of_the_same_name_is_not_gone_on_with() {
    let sandbox = Sandbox::new();
    let [first, second] = ["first", "second"].map(|name| sandbox.file(name, 4 << 20));
    // A number that nobody is given who asks for a free one.
    let device = format!("/dev/loop{}", 4711 + std::process::id() % 8);
    let words = ["sweep", &device, "--backend", "null", "--rw", "randread", "--depth", "1,2,4,8", "--full", "--runs", "3", "--time", "3s"];
    let resumed = |file: &Path| {
        let _attached = LoopDevice::at(&device, file);
        sandbox.run(&["sweep", "--resume", "last", "--json"])
    };
    let attached = LoopDevice::at(&device, &first);
    sandbox.interrupt(sandbox.begin(&words), 2, || {});
    drop(attached);
    let refused = resumed(&second);
    let whole = resumed(&first);
    refused.refuses(&["the target is not the one that run", "its inode was"]);
    let notes = whole.json()["run"]["notes"].to_string();
    assert!(notes.contains("goes on with run"), "the same file on a device that was set up anew: {whole:?}");
}
