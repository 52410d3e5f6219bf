//! Losses and changes that show late: writes that are lost when the page cache brings them to the drive, and changes of a file that is served, which the
//! kernel does not know of at once. Needs root.

use crate::common::mounts::{LoopDevice, Mounted, folder, succeeds};
use crate::common::{MIB, Sandbox};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

#[test]
fn data_that_the_page_cache_took_and_the_drive_did_not_is_told_as_lost() {
    let sandbox = Sandbox::new();
    let small = folder(&sandbox, "small");
    succeeds("mount", &["-t", "tmpfs", "-o", "size=8m", "tmpfs", small.to_str().unwrap()]);
    let _mounted = Mounted(small.clone());
    let image = small.join("image");
    std::fs::File::create(&image).unwrap().set_len(64 * MIB).unwrap();
    let device = LoopDevice::attach(&[], &image);
    // Holes of a file that has a name are held against what is free.
    std::fs::remove_file(&image).unwrap();
    let name = device.name();
    let filename = format!("--filename={}", device.device);
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
