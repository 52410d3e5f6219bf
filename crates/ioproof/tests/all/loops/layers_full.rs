//! `layers` on a filesystem that somebody else fills meanwhile. Needs root.

use crate::common::loops::Mount;
use crate::common::{MIB, Sandbox, said, wait_until};
use rustix::fs::FallocateFlags;
use std::fs::{self, File};
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

/// Takes all room at once.
fn fill(file: &Path) {
    let file = File::create(file).unwrap();
    let (mut at, mut piece) = (0, 256 * MIB);
    while piece >= 4096 {
        match rustix::fs::fallocate(&file, FallocateFlags::empty(), at, piece) {
            Ok(()) => at += piece,
            Err(_) => piece /= 2,
        }
    }
}

#[test]
fn a_disk_that_somebody_fills_ends_the_database_and_not_the_program() {
    let sandbox = Sandbox::new();
    let (mounted, _device) = Mount::of(&sandbox, "btrfs", "mounted", 400);
    let child = sandbox.begin(&["layers", "--dir", "mounted", "--size", "16MiB", "--time", "12s", "--runs", "2"]);
    wait_until("a database", || names(&mounted.0).iter().any(|name| name.ends_with("-shm")));
    fill(&mounted.0.join("somebody-elses"));
    // The index of SQLite's log is mapped, and this filesystem gives no room for a page of it that is written again. Whoever writes first meets it: SQLite, or the
    // durable writes beside it.
    let is_met = |text: &str| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let of_database = text.contains("a database failed") && text.contains("full");
        of_database || text.contains("I/Os failed") && text.contains("No space left on device")
    };
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 3 && is_met(&said.stdout), "{said:?}");
    assert_eq!(names(&mounted.0), ["somebody-elses"]);
}
