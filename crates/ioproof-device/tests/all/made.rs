//! Drives that no emulator is: their folders in `fixtures/devices` are made here, and must be what is made here.
//!
//! `IOPROOF_BLESS=1 cargo test -p ioproof-device --test made` writes them. What ioproof is to say of them stands in the folders and is compared where all captures are.
mod folder;
mod nvme;
mod sas;
mod sata;

use folder::Folder;
use std::path::Path;

fn all() -> Vec<Folder> {
    vec![nvme::without_write_cache(), nvme::worn(), nvme::with_formats(), sata::pending_sectors(), sas::drive()]
}

#[test]
fn the_folders_are_what_is_made_here() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/devices");
    let is_blessed = std::env::var_os("IOPROOF_BLESS").is_some();
    assert!(!(is_blessed && std::env::var_os("CI").is_some()), "IOPROOF_BLESS rewrites what is expected and has no place in CI");
    for folder in all() {
        if is_blessed {
            folder.write(&root);
        }
        let differing = folder.differing(&root);
        assert!(differing.is_empty(), "{}: these differ from what is made here: {differing:?}", folder.name);
    }
}

/// A folder without what the kernel or the drive says would prove nothing.
#[test]
fn each_has_a_drive_and_answers() {
    for folder in all() {
        let has = |start: &str| folder.paths().any(|path| path.starts_with(start));
        assert!(has("sys/block/") && has("pages/") && has("capture.json"), "{}", folder.name);
    }
}
