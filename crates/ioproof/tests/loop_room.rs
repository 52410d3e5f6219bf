//! Room on filesystems that set none aside, write elsewhere or share what files have in common: what would fill them is refused before anything is written. Needs root.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

mod common;

use common::mounts::{Loop, Mounted, folder, succeeds};
use common::{MIB, Sandbox};
use std::path::{Path, PathBuf};

#[test]
fn where_no_space_is_set_aside_what_needs_it_is_left_out_and_said() {
    let sandbox = Sandbox::new();
    let (below, above) = (folder(&sandbox, "below"), folder(&sandbox, "above"));
    succeeds("bindfs", &[below.to_str().unwrap(), above.to_str().unwrap()]);
    let _mounted = Mounted(above);
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
fn mounted(sandbox: &Sandbox, kind: &str, mib: u64) -> (Mounted, Loop) {
    let (image, at) = (sandbox.work().join(kind), folder(sandbox, &format!("on-{kind}")));
    std::fs::File::create(&image).unwrap().set_len(mib * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    succeeds(&format!("mkfs.{kind}"), &["-q", &device.0]);
    succeeds("mount", &[&device.0, at.to_str().unwrap()]);
    (Mounted(at), device)
}

/// A file of noise on a small filesystem of this kind, most of whose room it takes.
fn nearly_full(sandbox: &Sandbox, kind: &str, mib: u64) -> (Mounted, Loop, PathBuf) {
    let (mounted, device) = mounted(sandbox, kind, 320);
    let file = mounted.0.join("data");
    std::fs::write(&file, common::noise(mib * MIB)).unwrap();
    // What the page cache holds has no blocks yet.
    std::fs::File::open(&file).unwrap().sync_all().unwrap();
    (mounted, device, file)
}

#[test]
fn a_device_on_a_file_with_holes_takes_no_more_than_its_filesystem_has() {
    let sandbox = Sandbox::new();
    let (outer, _device) = mounted(&sandbox, "ext4", 64);
    let image = outer.0.join("image");
    std::fs::File::create(&image).unwrap().set_len(200 * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    succeeds("mkfs.ext4", &["-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", &device.0]);
    let inner = Mounted(folder(&sandbox, "inner"));
    succeeds("mount", &[&device.0, inner.0.to_str().unwrap()]);
    let holes = ["has holes", "make room where that file lies"];
    for more in [&[][..], &["--dry-run"]] {
        sandbox.verify(&[&["inner", "--rw", "write", "--size", "100MiB"], more].concat()).refuses(&holes);
        let said = sandbox.run(&[&["run", "--name=a", "--rw=write", "--size=100m", "--filename=inner/f"], more].concat());
        assert!(said.status == 2 && holes.iter().all(|part| said.stderr.contains(part)), "{said:?}");
        sandbox.run(&[&["layers", "--dir", "inner", "--db", "none", "--size", "100MiB"], more].concat()).refuses(&holes);
    }
    assert_eq!(std::fs::read_dir(&inner.0).unwrap().count(), 1, "nothing but lost+found");
    // What fits there is written.
    assert_eq!(sandbox.run(&["run", "--name=a", "--rw=write", "--size=4m", "--filename=inner/f"]).status, 0);
    succeeds("umount", &[inner.0.to_str().unwrap()]);
    let name = device.0.trim_start_matches("/dev/");
    succeeds("wipefs", &["--quiet", "--all", &device.0]);
    let whole = ["--rw", "write", "--size", "100%", "--destroy", name, "--destroy-unknown-content"];
    for more in [&[][..], &["--dry-run"]] {
        sandbox.verify(&[&[device.0.as_str()], &whole[..], more].concat()).refuses(&holes);
    }
}

#[test]
fn what_is_written_over_elsewhere_must_have_room() {
    let sandbox = Sandbox::new();
    let refuses = |file: &Path, is_refused: bool| {
        let file = file.to_str().unwrap();
        let name = format!("--filename={file}");
        let said = sandbox.run(&["run", "--name=a", "--rw=randwrite", "--bs=64k", "--size=150m", "--dry-run", "--overwrite", file, &name]);
        assert_eq!(said.status == 2 && said.stderr.contains("what is written over takes new room"), is_refused, "{said:?}");
    };
    let (_mounted, _device, on_xfs) = nearly_full(&sandbox, "xfs", 150);
    refuses(&on_xfs, false);
    let copy = on_xfs.with_file_name("copy");
    succeeds("cp", &["--reflink=always", on_xfs.to_str().unwrap(), copy.to_str().unwrap()]);
    refuses(&copy, true);
    let (_mounted, _device, on_btrfs) = nearly_full(&sandbox, "btrfs", 200);
    refuses(&on_btrfs, true);
    // Subvolumes have numbers of their own, and one room.
    let names = ["one", "other"].map(|name| on_btrfs.with_file_name(name).to_str().unwrap().to_owned());
    names.iter().for_each(|name| succeeds("btrfs", &["subvolume", "create", name]));
    let job = |directories: &[String]| {
        let mut words = vec!["run".to_owned(), "--rw=write".into(), "--size=24m".into(), "--dry-run".into(), "--fallocate=none".into()];
        directories.iter().for_each(|directory| words.extend(["--name=a".into(), format!("--directory={directory}")]));
        sandbox.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!([job(&names[..1]).status, job(&names).status], [0, 2], "{:?}", job(&names));
}

#[test]
fn scratch_files_that_reserve_nothing_must_have_room_together() {
    let sandbox = Sandbox::new();
    let _mounted = mounted(&sandbox, "ext2", 64);
    let sync = |size: &str| sandbox.run(&["sync", "on-ext2", "--runs", "1", "--time", "3s", "--size", size]);
    sync("32MiB").refuses(&["needs ", "MiB free"]);
    let said = sync("9MiB");
    assert!(matches!(said.status, 0 | 3) && !said.stderr.contains("span"), "{said:?}");
}

#[test]
fn a_scratch_file_of_btrfs_must_have_room_to_be_written_over() {
    let sandbox = Sandbox::new();
    let _mounted = mounted(&sandbox, "btrfs", 320);
    let verify = |size: &str| sandbox.run(&["verify", "on-btrfs", "--rw", "randread", "--runs", "1", "--time", "1s", "--size", size]);
    verify("200MiB").refuses(&["needs 400 MiB"]);
    let folders = ["on-btrfs/one", "on-btrfs/other"];
    folders.iter().for_each(|name| std::fs::create_dir(sandbox.work().join(name)).unwrap());
    let of_two = ["verify", folders[0], folders[1], "--rw", "randwrite", "--runs", "1", "--time", "2s", "--size", "80MiB"];
    sandbox.run(&of_two).refuses(&["needs 240 MiB"]);
    assert!(matches!(verify("32MiB").status, 0 | 3));
}
