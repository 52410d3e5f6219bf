//! Losses and changes that show late: writes that are lost when the page cache brings them to the drive, and changes of a file that is served, which the
//! kernel does not know of at once. Needs root.

use crate::common::loops::{LoopDevice, Mount};
use crate::common::{MIB, Sandbox};
use std::os::unix::fs::FileExt;
use std::path::Path;

#[test]
fn data_that_the_page_cache_took_and_the_drive_did_not_is_told_as_lost() {
    let sandbox = Sandbox::new();
    let _mounted = Mount::memory(&sandbox, "small", "size=8m");
    let device = LoopDevice::empty(&sandbox, "small/image", 64 * MIB);
    // Holes of a file that has a name are held against what is free.
    std::fs::remove_file(&device.backing).unwrap();
    let filename = format!("--filename={}", device.device);
    let job = ["run", "--name=a", "--rw=write", "--size=32m", "--bs=64k", "--verify=crc32c", &filename, "--destroy", device.name()];
    let said = sandbox.run(&job);
    assert_eq!(said.status, 1, "{said:?}");
}

#[test]
fn a_change_below_a_served_filesystem_is_seen_before_the_kernel_asks_for_it_again() {
    let sandbox = Sandbox::new();
    // Attributes are kept for ten minutes, far longer than this takes.
    let (below, above) = Mount::served(&sandbox, &["-o", "attr_timeout=600"]);
    let file = above.0.join("file");
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
