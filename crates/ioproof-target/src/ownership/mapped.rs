//! Tells files that another process has mapped to be written: such a page, once it was written to, is written again without the times of the file
//! telling of it, until the kernel has brought it to the drive.

use super::entry::Id;
use crate::system::System;
use crate::users::mapped_files;
use std::os::fd::{AsFd, BorrowedFd};

/// The files that nobody else has mapped, as far as procfs shows it.
pub(super) fn without<'a, F: AsFd>(system: &System, files: &'a [F]) -> Vec<BorrowedFd<'a>> {
    let id = |file: &F| rustix::fs::fstat(file).ok().map(|stat| (stat.st_dev, stat.st_ino));
    let mapped = among(system, &files.iter().filter_map(id).collect::<Vec<_>>());
    files.iter().filter(|file| id(file).is_none_or(|id| !mapped.contains(&id))).map(AsFd::as_fd).collect()
}

/// Those of the files that somebody else has mapped, as far as procfs shows it: it is asked only where there are files.
pub(super) fn among(system: &System, files: &[Id]) -> Vec<Id> {
    if files.is_empty() {
        return Vec::new();
    }
    let mapped = mapped_files(system, files);
    files.iter().filter(|file| mapped.contains(file)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_file_that_somebody_has_mapped_is_left_out() {
        let tree = Tree::new();
        let files = [tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap()];
        let inode = files[1].metadata().unwrap().ino();
        tree.write("proc/42/maps", &format!("7f00-7f10 rw-p 00000000 08:01 {inode} /x\n"));
        assert_eq!(without(&tree.system(), &files).len(), 2);
        tree.write("proc/42/maps", &format!("7f00-7f10 rw-s 00000000 08:01 {inode} /x\n"));
        let left = without(&tree.system(), &files);
        assert_eq!(left.len(), 1);
        assert_ne!(rustix::fs::fstat(left[0]).unwrap().st_ino, inode);
        // The number is one of another filesystem: so says the link beside the table.
        tree.write("other", "of somebody else");
        tree.folder("proc/42/map_files");
        std::os::unix::fs::symlink(tree.path("other"), tree.path("proc/42/map_files/7f00-7f10")).unwrap();
        assert_eq!(without(&tree.system(), &files).len(), 2);
        assert!(without::<std::fs::File>(&tree.system(), &[]).is_empty());
    }
}
