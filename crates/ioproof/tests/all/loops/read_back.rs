//! Data that a filesystem's page cache holds as they were written, though its device lost them or never got them. Needs root.

use crate::common::loops::{LoopDevice, Mount, hole, tool};
use crate::common::{MIB, Sandbox, said, signal, wait_until};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command};

/// Memory that a process has of a file that it has mapped. KiB.
fn mapped_kib(process: &Child, name: &str) -> u64 {
    let maps = fs::read_to_string(format!("/proc/{}/smaps", process.id())).unwrap();
    let of_file = maps.lines().skip_while(|line| !line.ends_with(name));
    let resident = of_file.filter_map(|line| line.strip_prefix("Rss:")).next();
    resident.map_or(0, |kib| kib.trim().trim_end_matches(" kB").parse().unwrap())
}

/// Turns one bit of a file below its filesystem: in the image, where its bytes lie.
fn damage(image: &Path, file: &Path) {
    let (bytes, whole) = (fs::read(file).unwrap(), fs::read(image).unwrap());
    let block = &bytes[4096..8192];
    let at = whole.chunks(4096).position(|chunk| chunk == block).unwrap() as u64 * 4096;
    File::options().write(true).open(image).unwrap().write_all_at(&[block[200] ^ 1], at + 200).unwrap();
}

/// An ext4 of 64 MiB at `mounted`. Without a journal, so that it goes on where its device fails.
fn mounted(sandbox: &Sandbox) -> (LoopDevice, Mount) {
    let image = hole(sandbox, "image", 64 * MIB);
    tool("mkfs.ext4", &["-q", "-b", "4096", "-O", "^has_journal", image.to_str().unwrap()]);
    let device = LoopDevice::new(&[], &image);
    let mounted = Mount::new(sandbox, "mounted", &[&device.device]);
    (device, mounted)
}

#[test]
fn what_the_page_cache_could_not_bring_to_the_drive_fails_a_job_that_syncs_nothing() {
    let sandbox = Sandbox::new();
    let (device, mounted) = mounted(&sandbox);
    let job = ["run", "--name=a", "--filename=mounted/file", "--size=16m", "--bs=64k", "--rw=write"];
    assert_eq!(sandbox.run(&[&job[..], &["--end_fsync=1"]].concat()).status, 0);
    let written = || fs::metadata(mounted.0.join("file")).unwrap().modified().unwrap();
    let before = written();
    let child = sandbox.begin(&[&job[..], &["--time_based", "--runtime=600", "--rate_iops=100"]].concat());
    wait_until("the first writes", || written() != before);
    device.shrink(MIB);
    // It fails, and that is what it is for.
    let _ = Command::new("sync").arg("--file-system").arg(&mounted.0).status();
    signal(&child, "-INT");
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 2 && said.stderr.contains("did not all reach the drive: Input/output error"), "{said:?}");
}

#[test]
fn what_a_device_lost_is_found_though_another_process_keeps_it_mapped() {
    let sandbox = Sandbox::new();
    let (device, mounted) = mounted(&sandbox);
    let on_it = ["--name=a", "--filename=mounted/file", "--size=1m", "--bs=64k"];
    let write = [&["run"], &on_it[..], &["--rw=write", "--verify=crc32c"]].concat();
    sandbox.succeeds(&write);

    let keep = ["--rw=read", "--ioengine=mmap", "--invalidate=0", "--time_based", "--runtime=120", "--rate_iops=200"];
    let mut keeper = sandbox.begin(&[&["run"], &on_it[..], &keep].concat());
    wait_until("all of it in memory", || mapped_kib(&keeper, "/mounted/file") == 1024);
    damage(&device.backing, &mounted.0.join("file"));
    let only = sandbox.run(&[&write[..], &["--verify_only=1"]].concat());
    assert!(keeper.try_wait().unwrap().is_none(), "it held the file to the end");
    signal(&keeper, "-INT");
    let kept = said(keeper.wait_with_output().unwrap());
    assert!(kept.stderr.contains("interrupted"), "{kept:?}");
    assert!(only.status != 0 && only.stderr.contains("corrupt at byte 4096: "), "{only:?}");
}
