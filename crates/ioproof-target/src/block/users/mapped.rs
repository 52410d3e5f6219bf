//! Shared mappings, through which a process writes with no descriptor open (mmap(2)); procfs shows them in `maps`.

use super::{Wanted, is_gone, names, rings, unless_gone};
use crate::system::file_numbers::FileNumbers;
use std::io;
use std::path::{Path, PathBuf};

/// Kind of the error that a process which hides files is told by.
pub(super) const HIDDEN: io::ErrorKind = io::ErrorKind::Unsupported;

/// One line of `maps` (proc_pid_maps(5)) that shares a file.
struct Mapping<'a> {
    /// `7f2c0000-7f2d0000`, under which `map_files` has a link to the file.
    range: &'a str,
    writable: bool,
    inode: u64,
    path: &'a str,
}

impl<'a> Mapping<'a> {
    /// `None` for private mappings and for those of no file.
    fn read(line: &'a str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let (range, rights) = (words.next()?, words.next()?.as_bytes());
        let inode = words.nth(2)?.parse().ok().filter(|inode| *inode != 0)?;
        let path = words.next().unwrap_or_default().trim_start();
        (rights.get(3) == Some(&b's')).then(|| Self { range, writable: rights.get(1) == Some(&b'w'), inode, path })
    }

    fn is_writable(&self, folder: &Path) -> bool {
        self.writable || may_become_writable(folder, self.range)
    }
}

impl Wanted<'_> {
    /// The way in which a process has it mapped, so that it can be written there; `shows_ring` where one of its descriptors is an io_uring.
    ///
    /// # Errors
    /// When the process cannot be looked at, or has the memory of an io_uring mapped of which it has closed the descriptor (`IORING_REGISTER_RING_FDS`,
    /// io_uring_register(2)), whose files are told nowhere.
    pub(super) fn mapped_by(&self, pid: &str, shows_ring: bool) -> io::Result<Option<String>> {
        let Some((folder, text)) = table(&self.system.proc(pid))? else { return Ok(None) };
        let mappings = || text.lines().filter_map(Mapping::read);
        let how = mappings().find_map(|mapping| self.is_mapped(&folder, &mapping));
        if how.is_none() && !shows_ring && mappings().any(|mapping| rings::is_ring(Path::new(mapping.path))) {
            return Err(io::Error::new(HIDDEN, "it uses an io_uring that has no descriptor, whose files are not shown"));
        }
        Ok(how)
    }

    fn is_mapped(&self, folder: &Path, mapping: &Mapping<'_>) -> Option<String> {
        let by_path = self.nodes.iter().any(|node| node == Path::new(mapping.path));
        // The table has the number of the filesystem, which need not be that of stat(2), so the link beside it is asked; that takes root's rights.
        let found = FileNumbers::at(&folder.join("map_files").join(mapping.range));
        let is_it = by_path || found.map_or_else(|_| self.file.is_some_and(|file| file.1 == mapping.inode), |found| self.is_meant(found));
        (is_it && mapping.is_writable(folder)).then(|| format!("{} is mapped to be written", mapping.path))
    }
}

/// The mappings of a process, with the folder under which they were found. All threads share the memory; of a process whose first thread ended another one
/// still shows it. `None` for a thread of the kernel, and for a process that has ended.
fn table(process: &Path) -> io::Result<Option<(PathBuf, String)>> {
    let threads =
        unless_gone(names(&process.join("task")))?.unwrap_or_default().into_iter().map(|thread| process.join("task").join(thread));
    for folder in std::iter::once(process.to_path_buf()).chain(threads) {
        let bytes = unless_gone(std::fs::read(folder.join("maps")))?.unwrap_or_default();
        if !bytes.is_empty() {
            return Ok(Some((folder, String::from_utf8_lossy(&bytes).into_owned())));
        }
    }
    Ok(None)
}

/// A mapping of a file that was open for writing can be made writable at any time (mprotect(2)): `mw` among the flags in `smaps`.
fn may_become_writable(folder: &Path, range: &str) -> bool {
    let bytes = std::fs::read(folder.join("smaps")).unwrap_or_default();
    if bytes.is_empty() {
        // A process that has ended has no memory; a kernel without the table (`CONFIG_PROC_PAGE_MONITOR`) tells nothing.
        return std::fs::read(folder.join("maps")).map_or_else(|error| !is_gone(&error), |maps| !maps.is_empty());
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().skip_while(|line| !line.starts_with(range));
    let flags = lines.find_map(|line| line.strip_prefix("VmFlags:"));
    flags.is_none_or(|flags| flags.split(' ').any(|flag| flag == "mw"))
}

#[cfg(test)]
mod tests {
    use super::super::Found;
    use super::*;
    use crate::block::tree::Tree;
    use std::os::unix::fs::MetadataExt;

    fn found(tree: &Tree) -> Found {
        let system = tree.system();
        let meta = std::fs::metadata(tree.path("srv/data")).unwrap();
        let file = Some((meta.dev(), meta.ino()));
        Wanted { system: &system, nodes: vec!["/dev/vdb".into()], numbers: vec![], file, mounts: &[] }.find(None)
    }

    #[test]
    fn a_ring_without_a_descriptor_hides_its_files() {
        let tree = Tree::new();
        tree.write("srv/data", "something");
        tree.write("proc/42/comm", "some-program\n");
        tree.write("proc/42/maps", "7f00-7f10 rw-s 00000000 00:0e 9                  anon_inode:[io_uring]\n");
        let unseen = |tree: &Tree| found(tree).unseen.into_iter().filter(|reason| reason.contains("io_uring")).collect::<Vec<_>>();
        assert_eq!(
            unseen(&tree),
            ["process 42 (some-program) cannot be looked at: it uses an io_uring that has no descriptor, whose files are not shown"]
        );
        tree.folder("proc/42/fd");
        std::os::unix::fs::symlink("anon_inode:[io_uring]", tree.path("proc/42/fd/3")).unwrap();
        assert_eq!(unseen(&tree), Vec::<String>::new(), "its descriptor shows them");
    }

    #[test]
    fn a_shared_mapping_that_can_be_written_is_a_writer() {
        let tree = Tree::new();
        tree.write("srv/data", "something");
        let inode = std::fs::metadata(tree.path("srv/data")).unwrap().ino();
        tree.write("proc/42/comm", "some-program\n");
        for (rights, flags, inode, path, is_writer) in [
            ("rw-s", "", inode, "/srv/data", true),
            ("rw-s", "", inode, "/srv/other name (deleted)", true),
            ("rw-p", "", inode, "/srv/data", false),
            ("rw-s", "", inode + 1, "/srv/other", false),
            ("rw-s", "", 77, "/dev/vdb", true),
            ("r--s", "VmFlags: rd sh mr mw me\n", 77, "/dev/vdb", true),
            ("r--s", "VmFlags: rd sh mr me\n", 77, "/dev/vdb", false),
        ] {
            let line = format!("7f00-7f10 {rights} 00000000 08:01 {inode}                  {path}\n");
            tree.write("proc/42/maps", &format!("1000-2000 r-xp 00000000 00:00 0 \n{line}"));
            tree.write("proc/42/smaps", &format!("{line}Size: 4 kB\n{flags}"));
            assert_eq!(found(&tree).users.len(), usize::from(is_writer), "{line}");
        }
    }

    #[test]
    fn a_process_that_has_ended_maps_nothing() {
        let tree = Tree::new();
        tree.folder("proc/42");
        let folder = tree.path("proc/42");
        assert!(!may_become_writable(&folder, "7f00-7f10"), "it has gone");
        tree.write("proc/42/maps", "7f00-7f10 r--s 00000000 08:01 7 /dev/vdb\n");
        assert!(may_become_writable(&folder, "7f00-7f10"), "a kernel that does not tell");
        tree.write("proc/42/smaps", "");
        tree.write("proc/42/maps", "");
        assert!(!may_become_writable(&folder, "7f00-7f10"), "its memory has gone");
    }

    #[test]
    fn the_mappings_of_a_process_whose_first_thread_ended() {
        let tree = Tree::new();
        tree.write("srv/data", "something");
        tree.write("proc/42/maps", "");
        tree.write("proc/42/task/43/maps", "7f00-7f10 rw-s 00000000 08:01 7 /dev/vdb\n");
        assert_eq!(found(&tree).users, ["/dev/vdb is mapped to be written in process 42 ()"]);
    }
}
