//! Finds the processes that have a file open, for reading too: whoever uses the file behind a loop device takes a part of what it can do.
//!
//! Deliberately absent: who could write to a target, which the write rule asks in more ways (`users.rs`).

use crate::block::users::{is_number, names};
use crate::system::System;
use crate::system::file_numbers::FileNumbers;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The processes but this one that have the file open, as far as procfs shows them: `process 42 (dd)`.
#[must_use]
pub fn openers(system: &System, file: &Path) -> Vec<String> {
    let Ok(meta) = file.metadata() else { return Vec::new() };
    let id = (meta.dev(), meta.ino());
    let own = std::process::id().to_string();
    let is_other = |name: &String| is_number(name) && *name != own;
    // What cannot be listed is not found; the write rule, which must know, asks elsewhere.
    let processes = names(&system.proc("")).unwrap_or_default();
    let mut found: Vec<String> = processes.into_iter().filter(is_other).filter(|pid| has_open(system, pid, id)).collect();
    found.sort();
    let describe = |pid: String| format!("process {pid} ({})", system.proc_text(&format!("{pid}/comm")).unwrap_or_default());
    found.into_iter().map(describe).collect()
}

fn has_open(system: &System, pid: &str, id: (u64, u64)) -> bool {
    let folder = system.proc(&format!("{pid}/fd"));
    let is_it = |name: &String| FileNumbers::at(&folder.join(name)).is_ok_and(|found| found.id == id);
    names(&folder).is_ok_and(|names| names.iter().any(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use std::os::unix::fs::symlink;

    #[test]
    fn whoever_has_the_file_open_is_found() {
        let tree = Tree::new();
        tree.write("srv/data", "something");
        tree.write("srv/other", "something");
        for (pid, file) in [("41", "srv/other"), ("42", "srv/data")] {
            tree.folder(&format!("proc/{pid}/fd"));
            tree.write(&format!("proc/{pid}/comm"), "dd\n");
            symlink(tree.path(file), tree.path(&format!("proc/{pid}/fd/3"))).unwrap();
        }
        assert_eq!(openers(&tree.system(), &tree.path("srv/data")), ["process 42 (dd)"]);
        assert_eq!(openers(&tree.system(), &tree.path("srv/none")), [""; 0]);
    }
}
