//! Losses and changes that show late: writes that are lost when the page cache brings them to the drive, and changes of a file that is served, which the
//! kernel does not know of at once; and filesystems that set no space aside. Needs root.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

mod common;

use common::{MIB, Sandbox};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn succeeds(program: &str, args: &[&str]) {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
}

/// Something that is mounted, and taken off when dropped.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// A loop device, detached when dropped.
struct Loop(String);

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

fn folder(sandbox: &Sandbox, name: &str) -> PathBuf {
    let path = sandbox.work().join(name);
    std::fs::create_dir(&path).unwrap();
    path
}

#[test]
fn data_that_the_page_cache_took_and_the_drive_did_not_is_told_as_lost() {
    let sandbox = Sandbox::new();
    let small = folder(&sandbox, "small");
    succeeds("mount", &["-t", "tmpfs", "-o", "size=8m", "tmpfs", small.to_str().unwrap()]);
    let _mounted = Mounted(small.clone());
    let image = small.join("image");
    std::fs::File::create(&image).unwrap().set_len(64 * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    let name = device.0.trim_start_matches("/dev/");
    let filename = format!("--filename={}", device.0);
    let job = ["run", "--name=a", "--rw=write", "--size=32m", "--bs=64k", "--verify=crc32c", &filename, "--destroy", name];
    let said = sandbox.run(&job);
    assert_eq!(said.status, 1, "{said:?}");
}

#[test]
fn a_change_below_a_served_filesystem_is_seen_before_the_kernel_asks_for_it_again() {
    let sandbox = Sandbox::new();
    let (below, above) = (folder(&sandbox, "below"), folder(&sandbox, "above"));
    let [from, to] = [&below, &above].map(|path: &PathBuf| path.to_str().unwrap().to_owned());
    // Attributes are kept for a minute, far longer than this takes.
    succeeds("bindfs", &["-o", "attr_timeout=60", &from, &to]);
    let _mounted = Mounted(above.clone());
    let file = above.join("file");
    let job = |file: &Path| sandbox.run(&["run", "--name=a", "--rw=write", "--size=1m", &format!("--filename={}", file.display())]);
    assert_eq!(job(&file).status, 0);
    assert_eq!(job(&file).status, 0, "its own file, unchanged");
    let hidden = std::fs::File::options().write(true).open(below.join("file")).unwrap();
    hidden.write_all_at(b"somebody's data", 0).unwrap();
    let refused = job(&file);
    assert_eq!(refused.status, 2, "{refused:?}");
    let mut there = [0; 15];
    std::fs::File::open(below.join("file")).unwrap().read_exact_at(&mut there, 0).unwrap();
    assert_eq!(&there, b"somebody's data");
}

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

/// A file of noise on a small filesystem of this kind, most of whose room it takes.
fn nearly_full(sandbox: &Sandbox, kind: &str, mib: u64) -> (Mounted, Loop, PathBuf) {
    let (image, at) = (sandbox.work().join(kind), folder(sandbox, &format!("on-{kind}")));
    std::fs::File::create(&image).unwrap().set_len(320 * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    succeeds(&format!("mkfs.{kind}"), &["-q", &device.0]);
    succeeds("mount", &[&device.0, at.to_str().unwrap()]);
    let mounted = Mounted(at.clone());
    let file = at.join("data");
    std::fs::write(&file, common::noise(mib * MIB)).unwrap();
    // What the page cache holds has no blocks yet.
    std::fs::File::open(&file).unwrap().sync_all().unwrap();
    (mounted, device, file)
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
    let (image, at) = (sandbox.work().join("image"), folder(&sandbox, "on-ext2"));
    std::fs::File::create(&image).unwrap().set_len(64 * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    succeeds("mkfs.ext2", &["-q", &device.0]);
    succeeds("mount", &[&device.0, at.to_str().unwrap()]);
    let _mounted = Mounted(at);
    let sync = |size: &str| sandbox.run(&["sync", "on-ext2", "--runs", "1", "--time", "3s", "--size", size]);
    sync("32MiB").refuses(&["needs ", "MiB free"]);
    let said = sync("9MiB");
    assert!(matches!(said.status, 0 | 3) && !said.stderr.contains("span"), "{said:?}");
}
