//! The place of a file on the device below it, on filesystems of every kind that tell it or do not.

use crate::common::{Loop, MIB, Mounted, run};
use ioproof_target::{Handle, Stretch, System, device_below, open_to_read, resolve, stretch_on};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const SIZE_BYTES: u64 = 8 * MIB;

/// A file of bytes that are found nowhere else, written in this many pieces with another file's between them.
fn file(folder: &Path, pieces: u64) -> PathBuf {
    let (path, other) = (folder.join("data"), folder.join("other"));
    let [file, between] = [&path, &other].map(|path| std::fs::File::create(path).unwrap());
    let length = SIZE_BYTES / pieces;
    for piece in 0..pieces {
        let words = (0..length / 8).flat_map(|word| (piece << 32 | word | 1 << 63).to_le_bytes());
        file.write_all_at(&words.collect::<Vec<u8>>(), piece * length).unwrap();
        file.sync_all().unwrap();
        between.write_all_at(&[7; 65536], piece * 65536).unwrap();
        between.sync_all().unwrap();
    }
    path
}

fn open(path: &Path) -> Handle {
    open_to_read(&resolve(&System::host(), path).unwrap()).unwrap()
}

/// The device below, and where the file lies there.
fn found(path: &Path) -> Result<(String, Stretch), String> {
    let file = open(path);
    let (target, device) = device_below(&System::host(), &file)?;
    Ok((target.facts.resolved, stretch_on(&file, &device)?))
}

/// A filesystem on a loop device.
fn on(kind: &str) -> (Loop, Mounted) {
    let device = Loop::new(400 * MIB);
    run(&format!("mkfs.{kind}"), &["-q", device.path()]);
    let mounted = Mounted::typed(&[device.path()]);
    (device, mounted)
}

#[test]
fn the_blocks_of_a_file_are_read_from_the_device_below() {
    for kind in ["ext4", "xfs"] {
        let (device, mounted) = on(kind);
        for pieces in [1, 16] {
            let path = file(mounted.path(), pieces);
            let (below, stretch) = found(&path).unwrap();
            assert_eq!(Path::new(&below), device.device, "{kind}");
            assert_eq!(stretch.in_file.length_bytes, stretch.on_device.length_bytes);
            assert!(stretch.in_file.length_bytes >= SIZE_BYTES / pieces, "{kind}: {stretch:?}");
            let mut sides = [vec![0; 65536], vec![0; 65536]];
            std::fs::File::open(&path).unwrap().read_exact_at(&mut sides[0], stretch.in_file.offset_bytes).unwrap();
            std::fs::File::open(&device.device).unwrap().read_exact_at(&mut sides[1], stretch.on_device.offset_bytes).unwrap();
            assert!(sides[0] == sides[1], "{kind}, {pieces} pieces");
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn zeros_prove_no_place() {
    let (_device, mounted) = on("ext4");
    let path = mounted.path().join("zeros");
    std::fs::write(&path, vec![0; SIZE_BYTES as usize]).unwrap();
    std::fs::File::open(&path).unwrap().sync_all().unwrap();
    let error = found(&path).unwrap_err();
    assert!(error.contains("holds other data"), "{error}");
}

#[test]
fn a_hole_lies_nowhere() {
    let (_device, mounted) = on("ext4");
    let path = crate::common::image(mounted.path(), "hole", SIZE_BYTES);
    let error = found(&path).unwrap_err();
    assert!(error.contains("no place"), "{error}");
}

#[test]
fn a_filesystem_with_addresses_of_its_own_says_so() {
    let (_device, mounted) = on("btrfs");
    let error = found(&file(mounted.path(), 1)).unwrap_err();
    assert!(error.contains("no single block device"), "{error}");
}
