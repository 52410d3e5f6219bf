//! The clause about processes that have the device, or the file behind a loop device, open for writing. A process that may not be looked at
//! may be one of them, unless it hides from root itself.

use super::super::{Reason, Subject};
use crate::block::{self, is_loop, loops};
use crate::system::System;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A process has it open for writing, as virtual machines and databases on raw devices do.
pub(crate) fn writers(subject: &Subject<'_>) -> Vec<Reason> {
    let wanted = Wanted::of(subject);
    let own = std::process::id().to_string();
    let processes = match names(&subject.system().proc("")) {
        Ok(names) => names.into_iter().filter(|pid| pid.bytes().all(|b| b.is_ascii_digit())),
        Err(error) => return vec![Reason::new(format!("which processes run here cannot be told: {error}"))],
    };
    let (mut reasons, mut unseen) = (Vec::new(), Vec::new());
    for pid in processes.filter(|pid| !(subject.opened && *pid == own)) {
        match wanted.open_in(&pid) {
            Ok(None) => {}
            Ok(Some(path)) => {
                let text = format!("{} is open for writing in process {pid} ({})", path.display(), command(subject.system(), &pid));
                reasons.push(Reason::new(text));
            }
            Err(error) => unseen.push(format!("process {pid} ({}): {error}", command(subject.system(), &pid))),
        }
    }
    reasons.extend(hidden(subject, &unseen));
    reasons
}

fn hidden(subject: &Subject<'_>, unseen: &[String]) -> Option<Reason> {
    let first = unseen.first()?;
    let text = format!("whether {} processes write to {} cannot be told, the first being {first}", unseen.len(), subject.name);
    Some(Reason::new(text).hint("run as root"))
}

fn command(system: &System, pid: &str) -> String {
    system.proc_text(&format!("{pid}/comm")).unwrap_or_default()
}

/// The nodes and the file to which nobody else may write.
struct Wanted<'a> {
    system: &'a System,
    nodes: Vec<PathBuf>,
    numbers: Vec<u64>,
    file: Option<loops::Id>,
}

impl<'a> Wanted<'a> {
    fn of(subject: &'a Subject<'_>) -> Self {
        let (system, names) = (subject.system(), subject.family());
        let numbers = names.iter().filter_map(|name| block::number(system, name)).map(|(major, minor)| rustix::fs::makedev(major, minor));
        let behind = is_loop(&subject.name).then(|| loops::backing(system, &subject.name)).flatten();
        let file = behind.and_then(Result::ok).filter(|backing| backing.device.is_none()).map(|backing| backing.id);
        Self { system, numbers: numbers.collect(), nodes: names.iter().map(|name| Path::new("/dev").join(name)).collect(), file }
    }

    /// The path by which a process has it open for writing. A process that has ended has nothing open.
    fn open_in(&self, pid: &str) -> io::Result<Option<PathBuf>> {
        let folder = self.system.proc(&format!("{pid}/fd"));
        let Some(open) = unless_gone(names(&folder))? else { return Ok(None) };
        for fd in open {
            let link = folder.join(&fd);
            if self.is_it(&link)? && unless_gone(self.is_for_writing(pid, &fd))?.unwrap_or(false) {
                return Ok(Some(std::fs::read_link(link).unwrap_or_default()));
            }
        }
        Ok(None)
    }

    fn is_it(&self, link: &Path) -> io::Result<bool> {
        if std::fs::read_link(link).is_ok_and(|to| self.nodes.contains(&to)) {
            return Ok(true);
        }
        let is = |meta: std::fs::Metadata| match meta.file_type().is_block_device() {
            true => self.numbers.contains(&meta.rdev()),
            false => self.file == Some((meta.dev(), meta.ino())),
        };
        // What is no path of a filesystem (a socket, a pipe) and what has gone is none of ours.
        Ok(unless_gone(std::fs::metadata(link))?.is_some_and(is))
    }

    /// `flags:` in fdinfo is octal; the last two bits are the access mode (open(2)), of which 3 is an `O_PATH` or ioctl-only one.
    fn is_for_writing(&self, pid: &str, fd: &str) -> io::Result<bool> {
        let text = std::fs::read_to_string(self.system.proc(&format!("{pid}/fdinfo/{fd}")))?;
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:")).and_then(|f| u32::from_str_radix(f.trim(), 8).ok());
        Ok(flags.is_none_or(|flags| matches!(flags & 0b11, 1 | 2)))
    }
}

/// A process may end, and close what it had open, while it is looked at; what a link in a captured tree leads to is not there either.
///
/// A process that hides even from root is the manager of a container, which has rights that the container has not. It would forbid every write in every
/// container, and is no user of drives; a user without root's rights sees nobody else's processes, and those may be anything.
fn unless_gone<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && rustix::process::geteuid().is_root() => Ok(None),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH | libc::ENXIO)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use crate::guard::testing::{clauses, reasons};
    use crate::tree::Tree;
    use std::os::unix::fs::symlink;

    fn process(tree: &Tree, pid: &str, opens: &str, flags: &str) {
        tree.folder(&format!("proc/{pid}/fd"));
        symlink(opens, tree.path(&format!("proc/{pid}/fd/7"))).unwrap();
        tree.write(&format!("proc/{pid}/fdinfo/7"), &format!("pos:\t0\nflags:\t{flags}\n"));
        tree.write(&format!("proc/{pid}/comm"), "qemu\n");
    }

    fn drive() -> Tree {
        let tree = Tree::new();
        tree.disk("vdb", "254:16", 1 << 30);
        tree.write("sys/block/vdb/serial", "S1\n");
        tree
    }

    #[test]
    fn a_process_that_writes_is_seen_and_one_that_reads_is_not() {
        let tree = drive();
        process(&tree, "41", "/dev/vdb", "0100000");
        process(&tree, "42", "/dev/vdb", "02100002");
        assert_eq!(reasons(&tree, "vdb", Some("S1")), ["/dev/vdb is open for writing in process 42 (qemu) "]);
    }

    #[test]
    fn flags_that_cannot_be_read_may_be_a_writer() {
        let tree = drive();
        process(&tree, "42", "/dev/vdb", "what");
        assert_eq!(clauses(&tree, "vdb", Some("S1")), ["writers"]);
        std::fs::remove_file(tree.path("proc/42/fdinfo/7")).unwrap();
        assert_eq!(clauses(&tree, "vdb", Some("S1")), [] as [&str; 0], "it was closed");
    }

    #[test]
    fn a_process_that_cannot_be_looked_at_may_be_a_writer() {
        let tree = drive();
        tree.write("proc/43/fd", "no folder");
        assert_eq!(clauses(&tree, "vdb", Some("S1")), ["writers"]);
    }

    #[test]
    fn the_file_behind_a_loop_device_is_watched() {
        let tree = Tree::new();
        tree.disk("loop0", "7:0", 1 << 20);
        process(&tree, "41", tree.path("srv/loop0.img").to_str().unwrap(), "0100000");
        assert_eq!(clauses(&tree, "loop0", Some("loop0")), [] as [&str; 0]);
        process(&tree, "42", tree.path("srv/loop0.img").to_str().unwrap(), "02100002");
        assert_eq!(clauses(&tree, "loop0", Some("loop0")), ["writers"]);
    }
}
