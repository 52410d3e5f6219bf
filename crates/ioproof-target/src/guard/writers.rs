//! Names another process that has a file open for writing, as far as procfs shows this user.

use crate::system::System;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The access mode in the flags of `/proc/PID/fdinfo/FD` (octal; `O_WRONLY` and `O_RDWR`, the same everywhere).
const WRITING: u32 = 0o3;

/// `process 4711 (ioproof)`: the first one that is found, of all but this one.
pub(crate) fn writer(system: &System, id: (u64, u64)) -> Option<String> {
    let own = rustix::process::getpid().as_raw_nonzero().to_string();
    let names = std::fs::read_dir(system.proc("")).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut pids = names.filter(|name| *name != own && name.bytes().all(|byte| byte.is_ascii_digit()));
    let pid = pids.find(|pid| writes(&system.proc(pid), id))?;
    let name = system.proc_text(&format!("{pid}/comm")).unwrap_or_default();
    Some(format!("process {pid} ({})", name.trim()))
}

fn writes(process: &Path, id: (u64, u64)) -> bool {
    let descriptors = std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    // The metadata of a descriptor's link are those of the open file.
    let mut of_file = descriptors.filter(|fd| std::fs::metadata(fd.path()).is_ok_and(|meta| (meta.dev(), meta.ino()) == id));
    of_file.any(|fd| flags(&process.join("fdinfo").join(fd.file_name())).is_some_and(|flags| flags & WRITING != 0))
}

fn flags(info: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(info).ok()?;
    u32::from_str_radix(text.lines().find_map(|line| line.strip_prefix("flags:"))?.trim(), 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;
    use std::os::unix::fs::symlink;

    #[test]
    fn who_only_reads_is_no_writer() {
        let tree = Tree::new();
        tree.write("srv/data", "something");
        let meta = std::fs::metadata(tree.path("srv/data")).unwrap();
        let id = (meta.dev(), meta.ino());
        for (pid, flags) in [("41", "0100000"), ("42", "0140002")] {
            tree.write(&format!("proc/{pid}/comm"), "some-program\n");
            tree.write(&format!("proc/{pid}/fdinfo/7"), &format!("pos:\t0\nflags:\t{flags}\n"));
            tree.folder(&format!("proc/{pid}/fd"));
            assert_eq!(writer(&tree.system(), id), None);
            symlink(tree.path("srv/data"), tree.path(&format!("proc/{pid}/fd/7"))).unwrap();
        }
        assert_eq!(writer(&tree.system(), id).as_deref(), Some("process 42 (some-program)"));
        assert_eq!(writer(&tree.system(), (1, 1)), None);
    }
}
