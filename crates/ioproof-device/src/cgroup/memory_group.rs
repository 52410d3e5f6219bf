//! A control group of this process and of all that it starts, for a measurement with less memory than the machine has: what is read through the page cache then finds
//! there no more than fits into the limit (`memory.max` of `Documentation/admin-guide/cgroup-v2.rst`, `memory.limit_in_bytes` of `cgroup-v1/memory.rst`).
//!
//! In version 1 it stands below the group of this process. In version 2 a group has either processes or groups below it (all but the root), so there it stands beside the group of this
//! process: below the nearest one above that gives its groups limits on memory (`cgroup.subtree_control`).

use crate::cgroup::{Group, groups};
use ioproof_target::System;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Beginning of its name.
const NAME: &str = "ioproof-memory-";
/// The file that has the processes of a group, and takes one.
const PROCESSES: &str = "cgroup.procs";

/// The group; dropped, this process is where it was before, and the group is gone.
#[derive(Debug)]
pub struct MemoryGroup {
    folder: PathBuf,
    before: PathBuf,
}

impl MemoryGroup {
    /// Has this process, and whatever it starts from here on, use so much memory and no more. What a killed process left is removed first.
    ///
    /// # Errors
    /// When the machine has no groups for memory, or this process may make none.
    pub fn enter(system: &System, limit_bytes: u64) -> io::Result<Self> {
        let all = groups(system, "memory");
        let above = all.iter().find(|group| hands_on(system, group));
        let holds = |group: &&Group| above.is_some_and(|above| above.is_version_2 == group.is_version_2) && has_processes(system, group);
        let Some((above, own)) = above.zip(all.iter().find(holds)) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no control group here hands memory on (the controller `memory`)"));
        };
        let (above, file) = (system.sys(&above.folder), if above.is_version_2 { "memory.max" } else { "memory.limit_in_bytes" });
        remove_left(system, &above);
        let folder = above.join(format!("{NAME}{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| named(&folder, error))?;
        let group = Self { folder, before: system.sys(&own.folder) };
        write(&group.folder.join(file), limit_bytes)?;
        write(&group.folder.join(PROCESSES), std::process::id())?;
        Ok(group)
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // A group that still has a process stays; the next one removes it.
        let _ = write(&self.before.join(PROCESSES), std::process::id());
        let _ = fs::remove_dir(&self.folder);
    }
}

/// True of a group below which a new one can have a limit on memory.
fn hands_on(system: &System, group: &Group) -> bool {
    let text = |file: &str| system.sys_text(&format!("{}/{file}", group.folder));
    match group.is_version_2 {
        true => text("cgroup.subtree_control").is_some_and(|names| names.split_whitespace().any(|name| name == "memory")),
        false => text("memory.limit_in_bytes").is_some(),
    }
}

fn has_processes(system: &System, group: &Group) -> bool {
    system.sys(&group.folder).join(PROCESSES).exists()
}

/// Removes groups of processes that are gone. The kernel removes no group that has a process.
fn remove_left(system: &System, above: &Path) {
    let is_left = |name: &str| {
        let pid = name.strip_prefix(NAME).filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()));
        pid.is_some_and(|pid| !pid.is_empty() && !system.proc(pid).exists())
    };
    let folders = fs::read_dir(above).into_iter().flatten().flatten();
    for left in folders.filter(|entry| is_left(&entry.file_name().to_string_lossy())) {
        let _ = fs::remove_dir(left.path());
    }
}

fn write(file: &Path, number: impl ToString) -> io::Result<()> {
    fs::write(file, number.to_string()).map_err(|error| named(file, error))
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with these files, and what stands in a file of it while the group is entered.
    fn entered(files: &[(&str, &str)], ask: &str) -> io::Result<String> {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        // Process 7 is there, and 8 is gone.
        fs::create_dir_all(root.path().join("proc/7"))?;
        let above = root.path().join(ask).ancestors().nth(2).map_or_else(PathBuf::new, Path::to_path_buf);
        let [others, in_use, left] = ["x", "7", "8"].map(|pid| above.join(format!("{NAME}{pid}")));
        [&others, &in_use, &left].into_iter().try_for_each(fs::create_dir_all)?;
        let group = MemoryGroup::enter(&System::captured(root.path()), 5 << 20)?;
        assert!(others.exists() && in_use.exists() && !left.exists());
        let pid = std::process::id().to_string();
        assert_eq!(fs::read_to_string(group.folder.join(PROCESSES))?, pid);
        let found = fs::read_to_string(root.path().join(ask.replace("PID", &pid)))?;
        let before = group.before.join(PROCESSES);
        drop(group);
        assert_eq!(fs::read_to_string(before)?, pid, "it is back where it was");
        Ok(found)
    }

    #[test]
    fn of_version_1_it_is_below_the_group_of_this_process() {
        let tree = [
            ("proc/self/cgroup", "5:cpu:/x\n4:memory:/job\n"),
            ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/job/cgroup.procs", "1\n"),
        ];
        assert_eq!(entered(&tree, "sys/fs/cgroup/memory/job/ioproof-memory-PID/memory.limit_in_bytes").unwrap(), "5242880");
    }

    #[test]
    fn of_version_2_it_is_below_the_first_that_hands_memory_on() {
        let tree = [
            ("proc/self/cgroup", "0::/user.slice/session.scope\n"),
            ("sys/fs/cgroup/user.slice/session.scope/cgroup.procs", "1\n"),
            ("sys/fs/cgroup/user.slice/session.scope/cgroup.subtree_control", "\n"),
            ("sys/fs/cgroup/user.slice/cgroup.subtree_control", "memory pids\n"),
            ("sys/fs/cgroup/cgroup.subtree_control", "cpu memory\n"),
        ];
        assert_eq!(entered(&tree, "sys/fs/cgroup/user.slice/ioproof-memory-PID/memory.max").unwrap(), "5242880");
    }

    #[test]
    fn a_machine_without_groups_for_memory_says_so() {
        let none = [("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/cgroup.subtree_control", "cpu pids\n")];
        for tree in [&none[..], &[]] {
            assert!(entered(tree, "").unwrap_err().to_string().contains("no control group here hands memory on"));
        }
    }
}
