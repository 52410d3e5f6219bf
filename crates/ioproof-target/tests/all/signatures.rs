//! Signatures on images that the real tools made, also after the beginning was wiped.

use crate::common::*;
use ioproof_target::{System, traces};
use std::path::Path;

fn names(image: &Path) -> Vec<String> {
    traces(&System::host(), image).unwrap().into_iter().map(|trace| trace.name.into_owned()).collect()
}

/// The signatures on an image after its first 4 MiB were overwritten with zeros.
fn left_after_wiping(tool: &str, options: &[&str], mib: u64) -> Vec<String> {
    let folder = folder();
    let image = image(folder.path(), "image", mib * MIB);
    run(tool, &[&["-q"], options, &[image.to_str().unwrap()]].concat());
    assert!(!names(&image).is_empty(), "{tool}");
    put(&image, 0, &vec![0; 4 * MIB as usize]);
    names(&image)
}

#[test]
fn copies_of_ext_are_found_for_every_size_of_block() {
    for (options, mib) in [(["-b", "1024"], 64), (["-b", "2048"], 100), (["-b", "4096"], 300)] {
        assert_eq!(left_after_wiping("mkfs.ext4", &options, mib), ["ext2, ext3 or ext4 (backup)"], "{options:?}");
        assert_eq!(left_after_wiping("mkfs.ext2", &options, mib), ["ext2, ext3 or ext4 (backup)"], "{options:?}");
    }
}

#[test]
fn copies_of_xfs_are_found_for_the_usual_sizes() {
    for mib in [300, 333, 1024] {
        assert!(left_after_wiping("mkfs.xfs", &[], mib).contains(&"XFS (backup)".to_owned()), "{mib} MiB");
    }
    assert!(left_after_wiping("mkfs.xfs", &["-d", "agcount=8"], 1024).contains(&"XFS (backup)".to_owned()));
}

#[test]
fn a_filesystem_and_an_archive_by_their_own_tools() {
    let folder = folder();
    let minix = image(folder.path(), "minix", 4 * MIB);
    run("mkfs.minix", &[minix.to_str().unwrap()]);
    assert_eq!(names(&minix), ["Minix"]);
    std::fs::write(folder.path().join("text"), vec![b'x'; 20_000]).unwrap();
    let archive = folder.path().join("archive");
    run("tar", &["-C", folder.path().to_str().unwrap(), "-cf", archive.to_str().unwrap(), "text"]);
    assert_eq!(names(&archive), ["tar archive"]);
}
