//! Finds the processes that write to a device or file, as far as procfs shows them.
//!
//! A descriptor is the plainest way to hold a file open, and not the only one: each thread may have a table of its own, a process whose first thread ended
//! shows its descriptors below `task/` alone, a mapping outlives the descriptor (`mapped.rs`), and io_uring keeps files that were registered with it
//! (`rings.rs`). A descriptor that is under way in a message between two processes is shown nowhere, nor are the files of an io_uring of which a process has
//! closed the descriptor; that it has its memory mapped tells that there is one. Processes beyond the own PID namespace, and those of
//! others without rights, cannot be seen at all: [`Found::unseen`] says so, and whoever asks must take that for a user.
//!
//! For files there is a better question, the kernel's lease (`kernel::other_users`), which counts every one of these ways.

mod mapped;
mod rings;

use crate::block::loops;
use crate::system::System;
use crate::system::file_numbers::FileNumbers;
use crate::system::kernel;
use crate::system::mounts::Mount;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The first PID namespace of a system (Linux, `include/uapi/linux/nsfs.h`, `PID_NS_INIT_INO`).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// The first process of a system. Where the system itself runs in a container, it has rights that root has not and hides from it; it is no user of drives.
const INIT: &str = "1";

/// The devices or the file whose users are looked for.
pub(crate) struct Wanted<'a> {
    pub system: &'a System,
    /// Nodes of block devices: `/dev/sda`, `/dev/sda1`.
    pub nodes: Vec<PathBuf>,
    /// Their numbers.
    pub numbers: Vec<u64>,
    /// Device and inode of a file.
    pub file: Option<loops::Id>,
    /// By which it is told if two numbers may mean one file, seen through an overlay and beside it.
    pub mounts: &'a [Mount],
}

/// The processes that were found, and what could not be seen.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// `/dev/vdb is open for writing in process 42 (qemu)`.
    pub users: Vec<String>,
    /// Reasons why there may be more.
    pub unseen: Vec<String>,
}

/// Answer of a table of descriptors.
#[derive(Debug, Default)]
struct Table {
    /// The way in which its process can write to what is looked for.
    how: Option<String>,
    /// One of them is an io_uring.
    has_ring: bool,
}

impl<'a> Wanted<'a> {
    /// A regular file.
    pub(crate) fn file(system: &'a System, id: loops::Id, mounts: &'a [Mount]) -> Self {
        Self { system, nodes: Vec::new(), numbers: Vec::new(), file: Some(id), mounts }
    }
}

impl Wanted<'_> {
    /// Looks at every process but that of the number `except`.
    pub(crate) fn find(&self, except: Option<u32>) -> Found {
        let mut found = Found { unseen: beyond_sight(self.system), ..Found::default() };
        found.unseen.extend(covered(self.mounts));
        let processes = match names(&self.system.proc("")) {
            Ok(names) => names.into_iter().filter(|name| is_number(name)),
            Err(error) => return Found { unseen: vec![format!("the processes here cannot be listed: {error}")], ..found },
        };
        let except = except.map(|pid| pid.to_string());
        for pid in processes.filter(|pid| Some(pid) != except.as_ref()) {
            let process = || format!("process {pid} ({})", self.system.proc_text(&format!("{pid}/comm")).unwrap_or_default());
            match self.used_by(&pid) {
                Ok(None) => {}
                Ok(Some(how)) => found.users.push(format!("{how} in {}", process())),
                Err(error) if pid == INIT && error.kind() == io::ErrorKind::PermissionDenied && rustix::process::geteuid().is_root() => {}
                Err(error) => found.unseen.push(format!("{} cannot be looked at: {error}", process())),
            }
        }
        found
    }

    /// The way in which a process can write to it: `/dev/vdb is open for writing`.
    fn used_by(&self, pid: &str) -> io::Result<Option<String>> {
        settled(|| self.look_at(pid))
    }

    fn look_at(&self, pid: &str) -> io::Result<Option<String>> {
        let mut shows_ring = false;
        for folder in tables(self.system, pid)? {
            let table = self.in_table(&folder)?;
            if table.how.is_some() {
                return Ok(table.how);
            }
            shows_ring |= table.has_ring;
        }
        self.mapped_by(pid, shows_ring)
    }

    /// One table of descriptors: that of a process, or of a thread that has its own.
    fn in_table(&self, folder: &Path) -> io::Result<Table> {
        let mut table = Table::default();
        for fd in unless_gone(names(&folder.join("fd")))?.unwrap_or_default() {
            let (link, info) = (folder.join("fd").join(&fd), folder.join("fdinfo").join(&fd));
            let to = std::fs::read_link(&link).unwrap_or_default();
            if rings::is_ring(&to) {
                table.has_ring = true;
                table.how = self.in_ring(&info)?;
            } else if self.is_it(&link, &to)? && unless_gone(is_for_writing(&info))?.unwrap_or(false) {
                table.how = Some(format!("{} is open for writing", to.display()));
            }
            if table.how.is_some() {
                break;
            }
        }
        Ok(table)
    }

    /// True if a link of procfs leads to it.
    fn is_it(&self, link: &Path, to: &Path) -> io::Result<bool> {
        if self.nodes.iter().any(|node| node == to) {
            return Ok(true);
        }
        // A link to no path (a socket, a pipe) and one that has gone lead to something else.
        Ok(unless_gone(FileNumbers::at(link))?.is_some_and(|found| self.is_meant(found)))
    }

    fn is_meant(&self, found: FileNumbers) -> bool {
        match found.block_device {
            Some(number) => self.numbers.contains(&number),
            None => self.file.is_some_and(|file| loops::may_be_one(file, found.id, self.mounts)),
        }
    }
}

/// Looks again for as long as something is hidden ([`mapped::HIDDEN`]), a few times: a process that makes or closes an io_uring between the look at its
/// descriptors and the one at its memory hides nothing. A refusal is asked for again at once: of a process that ends between the look at a link and its end
/// the kernel says the same (EACCES, Linux, `fs/proc/base.c`, `proc_pid_get_link`), and the next look tells that it has gone.
fn settled<T>(mut look: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut refusals = 0;
    for pause_ms in [0, 1, 2, 4, 8] {
        std::thread::sleep(Duration::from_millis(pause_ms));
        match look_past_refusals(&mut look, &mut refusals) {
            Err(error) if error.kind() == mapped::HIDDEN => {}
            seen => return seen,
        }
    }
    look_past_refusals(&mut look, &mut refusals)
}

/// Refusals of one process, after which it is one that may not be looked at.
const MOST_REFUSALS: u32 = 3;

fn look_past_refusals<T>(look: &mut impl FnMut() -> io::Result<T>, refusals: &mut u32) -> io::Result<T> {
    loop {
        match look() {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && *refusals + 1 < MOST_REFUSALS => *refusals += 1,
            seen => return seen,
        }
    }
}

/// The reasons why not every process can be seen; none for whoever sees all.
fn beyond_sight(system: &System) -> Vec<String> {
    let mut reasons = Vec::new();
    if !is_outside_of_containers(system) {
        reasons.push("ioproof runs in a PID namespace of its own (a container), which hides the processes outside of it".to_owned());
    } else if !system.proc(INIT).exists() {
        reasons.push("/proc hides the processes of others (its option hidepid)".to_owned());
    }
    reasons
}

/// True where processes bear the numbers by which the whole machine knows them.
pub(crate) fn is_outside_of_containers(system: &System) -> bool {
    std::fs::read_link(system.proc("self/ns/pid")).is_ok_and(|namespace| namespace == Path::new(FIRST_NAMESPACE))
}

/// The folders of processes over which something is mounted, so that what they show is not the kernel's.
fn covered(mounts: &[Mount]) -> impl Iterator<Item = String> {
    let is_covered =
        |mount: &&Mount| mount.mount_point.strip_prefix("/proc/").is_some_and(|below| below.starts_with(|c: char| c.is_ascii_digit()));
    mounts.iter().filter(is_covered).map(|mount| format!("something is mounted over {}", mount.mount_point))
}

/// The folders of procfs that show the tables of descriptors of a process: its own, and those of threads that do not share it.
fn tables(system: &System, pid: &str) -> io::Result<Vec<PathBuf>> {
    let first = system.proc(pid);
    let threads = unless_gone(names(&first.join("task")))?.unwrap_or_default();
    let captured = system.at("") != Path::new("/");
    let shares = |thread: &String| thread == pid || !captured && kernel::share_descriptors(pid, thread);
    let own = threads.iter().filter(|thread| !shares(thread)).map(|thread| first.join("task").join(thread));
    Ok(std::iter::once(first.clone()).chain(own).collect())
}

/// `flags:` in fdinfo is octal; the last two bits are the access mode (open(2)), of which 3 is an `O_PATH` or ioctl-only one.
fn is_for_writing(info: &Path) -> io::Result<bool> {
    let text = std::fs::read_to_string(info)?;
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:")).and_then(|f| u32::from_str_radix(f.trim(), 8).ok());
    Ok(flags.is_none_or(|flags| matches!(flags & 0b11, 1 | 2)))
}

/// A process may end, and close what it had open, while it is looked at; in a captured tree a link may lead nowhere.
fn unless_gone<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH | libc::ENXIO))
}

pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

pub(crate) fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use std::os::unix::fs::{MetadataExt, symlink};

    #[test]
    fn what_hides_for_a_moment_is_looked_at_again() {
        let hidden = || io::Error::new(mapped::HIDDEN, "hidden");
        let mut looks = 0;
        let answer = settled(|| {
            looks += 1;
            if looks < 3 { Err(hidden()) } else { Ok(looks) }
        });
        assert_eq!(answer.unwrap(), 3);
        assert_eq!(settled(|| Err::<(), _>(hidden())).unwrap_err().kind(), mapped::HIDDEN);
        let mut looks = 0;
        let denied = settled(|| {
            looks += 1;
            Err::<(), _>(io::Error::from(io::ErrorKind::PermissionDenied))
        });
        assert!(denied.unwrap_err().kind() == io::ErrorKind::PermissionDenied && looks == 3, "what is refused stays refused: {looks}");
    }

    #[test]
    fn a_process_that_ends_while_it_is_looked_at_is_not_refused() {
        let mut looks = 0;
        let answer = settled(|| {
            looks += 1;
            if looks == 1 { Err(io::Error::from_raw_os_error(libc::EACCES)) } else { Ok(looks) }
        });
        assert_eq!(answer.unwrap(), 2);
    }

    /// A process of a made-up machine, or one of its threads, that has a file open.
    fn opens(tree: &Tree, folder: &str, to: &Path, flags: &str) {
        tree.folder(&format!("proc/{folder}/fd"));
        symlink(to, tree.path(&format!("proc/{folder}/fd/7"))).unwrap();
        tree.write(&format!("proc/{folder}/fdinfo/7"), &format!("pos:\t0\nflags:\t{flags}\n"));
    }

    fn found(tree: &Tree) -> Found {
        let system = tree.system();
        let meta = std::fs::metadata(tree.path("srv/data")).unwrap();
        let wanted =
            Wanted { system: &system, nodes: vec!["/dev/vdb".into()], numbers: vec![], file: Some((meta.dev(), meta.ino())), mounts: &[] };
        wanted.find(None)
    }

    fn machine() -> Tree {
        let tree = Tree::new();
        tree.write("srv/data", "something");
        for pid in ["41", "42"] {
            tree.write(&format!("proc/{pid}/comm"), "some-program\n");
        }
        tree
    }

    #[test]
    fn a_process_that_only_reads_is_no_writer() {
        let tree = machine();
        opens(&tree, "41", &tree.path("srv/data"), "0100000");
        assert_eq!(found(&tree), Found::default());
        opens(&tree, "42", &tree.path("srv/data"), "0140002");
        let text = format!("{} is open for writing in process 42 (some-program)", tree.path("srv/data").display());
        assert_eq!(found(&tree), Found { users: vec![text], unseen: vec![] });
    }

    #[test]
    fn a_thread_with_a_table_of_its_own_and_one_whose_process_ended() {
        for leader_ended in [false, true] {
            let tree = machine();
            if !leader_ended {
                tree.folder("proc/42/fd");
            }
            tree.folder("proc/42/task/42/fd");
            opens(&tree, "42/task/43", Path::new("/dev/vdb"), "0100002");
            assert_eq!(found(&tree).users, ["/dev/vdb is open for writing in process 42 (some-program)"], "{leader_ended}");
        }
    }

    #[test]
    fn a_mount_over_a_process_hides_it() {
        let mount = |at: &str| Mount {
            id: 1,
            major: 0,
            minor: 5,
            mount_point: at.into(),
            options: "rw".into(),
            fs_type: "tmpfs".into(),
            source: "none".into(),
            super_options: String::new(),
        };
        let mounts = [mount("/proc"), mount("/proc/sys/fs/binfmt_misc"), mount("/proc/42"), mount("/proc/43/fd")];
        let told: Vec<String> = covered(&mounts).collect();
        assert_eq!(told, ["something is mounted over /proc/42", "something is mounted over /proc/43/fd"]);
    }

    #[test]
    fn what_hides_is_told() {
        let tree = machine();
        std::fs::remove_file(tree.path("proc/self/ns/pid")).unwrap();
        symlink("pid:[4026532001]", tree.path("proc/self/ns/pid")).unwrap();
        assert!(found(&tree).unseen[0].contains("PID namespace"));
        let tree = machine();
        std::fs::remove_dir_all(tree.path("proc/1")).unwrap();
        assert!(found(&tree).unseen[0].contains("hidepid"));
        let tree = machine();
        tree.write("proc/43/fd", "no folder");
        assert!(found(&tree).unseen[0].contains("process 43 () cannot be looked at"));
    }
}
