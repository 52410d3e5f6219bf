//! Room: what does not fit is refused before anything is written, also where the file of a loop device has holes. Needs root.

use crate::common::loops::{LoopDevice, Mount, tool};
use crate::common::{MIB, Sandbox};
use std::path::Path;

#[test]
fn where_no_space_is_set_aside_what_needs_it_is_left_out_and_said() {
    let sandbox = Sandbox::new();
    let _mounted = Mount::served(&sandbox, &[]);
    let sync = |to: &str, more: &[&str]| {
        let words = ["sync", "above", "--sync", "fdatasync", "--size", "8MiB", "--runs", "1", "--time", "2s", "--write-to", to];
        sandbox.run(&[&words[..], more].concat())
    };
    let said = sync("existing,append,reserved", &["--json"]);
    let run = &said.json()["run"];
    assert_eq!((&run["status"]["state"], run["jobs"].as_array().unwrap().len()), (&"complete".into(), 2), "{said:?}");
    assert!(run["notes"].to_string().contains("which needs space set aside"), "{said:?}");
    assert!(said.stderr.contains("they need a filesystem that sets space aside"), "{said:?}");
    for more in [&[][..], &["--dry-run"]] {
        sync("append-reserved", more).refuses(&["its filesystem sets no space aside", "--write-to existing,append"]);
    }
}

/// A new filesystem of this kind and size, mounted at `on-KIND`.
fn mounted(sandbox: &Sandbox, kind: &str, mib: u64) -> (Mount, LoopDevice) {
    Mount::of(sandbox, kind, &format!("on-{kind}"), mib)
}

/// Makes an ext4 without room for root.
fn mkfs_all(device: &str) {
    tool("mkfs.ext4", &["-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", device]);
}

#[test]
fn a_device_on_a_file_with_holes_takes_no_more_than_its_filesystem_has() {
    let sandbox = Sandbox::new();
    let _outer = mounted(&sandbox, "ext4", 64);
    let device = LoopDevice::empty(&sandbox, "on-ext4/image", 200 * MIB);
    mkfs_all(&device.device);
    let inner = Mount::new(&sandbox, "inner", &[&device.device]);
    let holes = ["has holes", "make room"];
    for more in [&[][..], &["--dry-run"]] {
        sandbox.verify(&[&["inner", "--rw", "write", "--size", "100MiB"], more].concat()).refuses(&holes);
        let said = sandbox.run(&[&["run", "--name=a", "--rw=write", "--size=100m", "--filename=inner/f"], more].concat());
        assert!(said.status == 2 && holes.iter().all(|part| said.stderr.contains(part)), "{said:?}");
        sandbox.run(&[&["layers", "--dir", "inner", "--db", "none", "--size", "100MiB"], more].concat()).refuses(&holes);
    }
    assert_eq!(std::fs::read_dir(&inner.0).unwrap().count(), 1, "nothing but lost+found");
    // What fits there is written.
    assert_eq!(sandbox.run(&["run", "--name=a", "--rw=write", "--size=4m", "--filename=inner/f"]).status, 0);
    tool("umount", &[inner.path()]);
    tool("wipefs", &["--quiet", "--all", &device.device]);
    let whole = ["--rw", "write", "--size", "100%", "--destroy", device.name(), "--destroy-unknown-content"];
    for more in [&[][..], &["--dry-run"]] {
        sandbox.verify(&[&[device.device.as_str()], &whole[..], more].concat()).refuses(&holes);
    }
}

#[test]
fn what_a_filesystem_sets_aside_for_the_page_cache_is_not_taken_for_what_it_takes() {
    let sandbox = Sandbox::new();
    let _mounted = mounted(&sandbox, "xfs", 320);
    sandbox.succeeds(&["run", "--name=a", "--rw=randwrite", "--bs=4k", "--fallocate=none", "--filename=on-xfs/f", "--size=130m"]);
}

#[test]
fn devices_on_files_of_one_filesystem_must_have_room_there_together() {
    let sandbox = Sandbox::new();
    let (outer, _device) = mounted(&sandbox, "ext4", 64);
    let devices = ["one", "two"].map(|name| LoopDevice::empty(&sandbox, &format!("on-ext4/{name}"), 40 * MIB));
    let [one, two] = devices.each_ref().map(|device| device.device.as_str());
    let consents = ["--destroy", devices[0].name(), "--destroy", devices[1].name()];
    let together = ["has holes", "make room"];
    let verify = [&["verify", one, two, "--rw", "write", "--time", "2s"], &consents[..]].concat();
    let jobs = ["run", "--rw=write", "--bs=1m", "--name=x", "--filename", one, "--name=y", "--filename", two];
    for words in [&verify[..], &[&jobs[..], &consents].concat()] {
        sandbox.run(words).refuses(&together);
    }
    // The same where one lies beside the file behind the other.
    let beside = ["--name=y", "--filename=on-ext4/file", "--size=40m"];
    let said = sandbox.run(&[&["run", "--rw=write", "--bs=1m", "--name=x", "--filename", one], &consents[..2], &beside].concat());
    said.refuses(&together);
    // And where both hold filesystems.
    let folders = [(one, "first"), (two, "second")].map(|(device, at)| {
        mkfs_all(device);
        Mount::new(&sandbox, at, &[device])
    });
    let [first, second] = folders.each_ref().map(Mount::path);
    sandbox.run(&["verify", first, second, "--rw", "write", "--size", "28MiB", "--time", "2s"]).refuses(&together);
    let (free, kept) = (free_bytes(&outer.0), 64 * MIB / 20);
    assert!(free > kept + 28 * MIB, "nothing was written: {free}");
    assert_eq!(sandbox.run(&["verify", first, "--rw", "write", "--size", "8MiB", "--time", "2s"]).status, 3, "each alone has room");
}

#[test]
fn a_scratch_file_of_btrfs_must_have_room_to_be_written_over() {
    let sandbox = Sandbox::new();
    let _mounted = mounted(&sandbox, "btrfs", 320);
    let verify = |size: &str| sandbox.run(&["verify", "on-btrfs", "--rw", "randread", "--runs", "1", "--time", "1s", "--size", size]);
    verify("200MiB").refuses(&["needs 400 MiB"]);
    assert!(matches!(verify("32MiB").status, 0 | 3));
}

#[test]
fn what_is_reserved_for_root_and_the_room_of_others_is_not_taken() {
    let sandbox = Sandbox::new();
    let (at, _device) = mounted(&sandbox, "ext4", 128);
    let room = rustix::fs::statvfs(&at.0).unwrap();
    let [free, all] = [room.f_bavail, room.f_blocks].map(|blocks| blocks * room.f_frsize);
    let job = |bytes: u64| {
        sandbox.run(&[
            "run",
            "--name=a",
            "--rw=write",
            "--bs=64k",
            "--filename=on-ext4/f",
            "--dry-run",
            &format!("--size={}", bytes >> 16 << 16),
        ])
    };
    assert_eq!(job(free - all / 20 - MIB).status, 0);
    let said = job(free - MIB);
    assert!(said.status == 2 && said.stderr.contains("are left to others"), "{said:?}");
    let said =
        sandbox.run(&["run", "--name=a", "--rw=write", "--bs=64k", "--filename=on-ext4/f", "--size=1g", "--fill_device=1", "--dry-run"]);
    assert_eq!(said.status, 0, "it is to meet the end: {said:?}");
}

#[test]
fn a_file_that_lies_elsewhere_is_written_by_whoever_knows_that_nobody_uses_it() {
    let sandbox = Sandbox::new();
    let (below, _mounted) = Mount::served(&sandbox, &[]);
    std::fs::write(below.join("data"), vec![7; 1 << 20]).unwrap();
    let _open = std::fs::OpenOptions::new().write(true).open(below.join("data")).unwrap();
    let words = ["run", "--name=a", "--rw=write", "--size=1m", "--filename=above/data", "--overwrite=above/data"];
    sandbox.run(&words).refuses(&["FUSE does not say who has it open", "--destroy-unseen-users"]);
    assert_eq!(std::fs::read(below.join("data")).unwrap(), vec![7; 1 << 20]);
    assert_eq!(sandbox.run(&[&words[..], &["--destroy-unseen-users"]].concat()).status, 0);
}

#[test]
fn a_new_file_that_gets_its_room_while_it_is_written_may_take_all_that_is_not_left_to_others() {
    let sandbox = Sandbox::new();
    for (kind, mib) in [("btrfs", 600), ("xfs", 320)] {
        let (at, _device) = mounted(&sandbox, kind, mib);
        let size = format!("--size={}", free_bytes(&at.0) / 4 / MIB * 3 * MIB);
        let name = format!("--filename={}", at.0.join("f").display());
        let said = sandbox.run(&["run", "--name=a", "--rw=write", "--bs=1m", "--fallocate=none", "--end_fsync=1", &size, &name]);
        assert_eq!(said.status, 0, "{kind}: {said:?}");
    }
}

fn free_bytes(at: &Path) -> u64 {
    let room = rustix::fs::statvfs(at).unwrap();
    room.f_bavail * room.f_frsize
}
