//! Files that a process registered with io_uring and closed afterwards (`IORING_REGISTER_FILES`, io_uring_register(2)).
//!
//! The kernel names them in the ring's fdinfo, one a line: their place, a colon, and the path; older kernels give the last part of the path alone
//! (Linux, `io_uring/fdinfo.c`). The mode in which they are open is not told, so each counts as open for writing.

use super::{Wanted, unless_gone};
use crate::system::file_numbers::FileNumbers;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// True for the link of a ring.
pub(super) fn is_ring(to: &Path) -> bool {
    to == Path::new("anon_inode:[io_uring]")
}

impl Wanted<'_> {
    /// The way in which a ring has it.
    pub(super) fn in_ring(&self, info: &Path) -> io::Result<Option<String>> {
        let text = unless_gone(std::fs::read(info))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let files = text.lines().skip_while(|line| !line.starts_with("UserFiles:")).skip(1).map_while(registered);
        let meant = files.into_iter().find(|path| self.is_named(path));
        Ok(meant.map(|path| format!("{path} is registered with io_uring")))
    }

    /// True if a name that a ring tells may be one of those that are looked for.
    fn is_named(&self, told: &str) -> bool {
        let path = Path::new(told);
        let is_node = self.nodes.iter().any(|node| node == path || node.file_name() == Some(OsStr::new(told)));
        is_node || path.is_absolute() && FileNumbers::at(&self.system.at(told)).is_ok_and(|found| self.is_meant(found))
    }
}

/// `    3: /dev/vdb`; `None` where the list ends.
fn registered(line: &str) -> Option<&str> {
    let (place, path) = line.split_once(": ")?;
    place.trim_start().bytes().all(|byte| byte.is_ascii_digit()).then_some(path.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_that_was_registered_and_closed_is_found_in_its_ring() {
        let tree = Tree::new();
        let system = tree.system();
        tree.folder("proc/42/fd");
        tree.write("proc/42/comm", "some-program\n");
        symlink("anon_inode:[io_uring]", tree.path("proc/42/fd/3")).unwrap();
        let wanted = Wanted { system: &system, nodes: vec!["/dev/vdb".into()], numbers: vec![], file: None, mounts: &[] };
        for (file, is_user) in [("/dev/vdb", true), ("vdb", true), ("/dev/vdc", false), ("<none>", false)] {
            let list = format!("UserFiles:\t2\n    0: /srv/x\n    1: {file}\nUserBufs:\t0\n");
            tree.write("proc/42/fdinfo/3", &format!("pos:\t0\nflags:\t02000002\nSqMask:\t0x3\n{list}PollList:\n"));
            assert_eq!(wanted.find(None).users.len(), usize::from(is_user), "{file}");
        }
        tree.write("proc/42/fdinfo/3", "UserFiles:\t1\n    0: /dev/vdb\n");
        assert_eq!(wanted.find(None).users, ["/dev/vdb is registered with io_uring in process 42 (some-program)"]);
    }
}
