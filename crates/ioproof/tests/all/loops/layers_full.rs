//! `layers` on a filesystem that somebody else fills meanwhile. Needs root.

use crate::common::mounts::{LoopDevice, Mounted, succeeds};
use crate::common::witness::wait_until;
use crate::common::{MIB, Sandbox, said};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Names in a directory and in the folders in it.
fn names(at: &Path) -> Vec<String> {
    let entries = fs::read_dir(at).into_iter().flatten().flatten();
    let both = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        [vec![name], names(&entry.path())].concat()
    };
    entries.flat_map(both).collect()
}

/// Writes until there is no room.
fn fill(file: &Path) {
    let (mut file, piece) = (File::create(file).unwrap(), vec![1; MIB as usize]);
    while file.write_all(&piece).and_then(|()| file.sync_data()).is_ok() {}
}

#[test]
fn a_disk_that_somebody_fills_ends_the_database_and_not_the_program() {
    let sandbox = Sandbox::new();
    let image = LoopDevice::new(&sandbox, "image", 400 * MIB, &[]);
    succeeds("mkfs.btrfs", &["-q", &image.device]);
    let at = sandbox.work().join("mounted");
    let _mounted = Mounted::new(at.clone(), &[&image.device]);
    let child = sandbox.begin(&["layers", "--dir", "mounted", "--size", "16MiB", "--time", "12s", "--runs", "2"]);
    wait_until(|| names(&at).iter().any(|name| name.ends_with("-shm")));
    fill(&at.join("somebody-elses"));
    // The index of SQLite's log is mapped, and this filesystem gives no room for a page of it that is written again.
    let said = said(child.wait_with_output().unwrap());
    // Whoever writes first meets it: SQLite, or the durable writes beside it.
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_told = text.contains("a database failed") && text.contains("full");
    let is_met = text.contains("I/Os failed") && text.contains("No space left on device");
    assert!(said.status == 3 && (is_told || is_met), "{said:?}");
    assert_eq!(names(&at), ["somebody-elses"]);
}
