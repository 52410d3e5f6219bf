//! A capture is captured again out of itself, which must lose nothing; and an anonymised capture holds none of the names, in no spelling.

use super::capture;
use crate::inventory::Inventory;
use crate::replay;
use ioproof_target::System;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/devices").join(name)
}

fn json(inventory: &Inventory, raw: bool) -> serde_json::Value {
    serde_json::to_value(inventory.json(raw)).unwrap()
}

fn again(from: &Path, to: &Path, anonymise: bool) -> (Inventory, Inventory) {
    let inventory = replay::inventory(from).unwrap();
    capture(&System::captured(from), &inventory, to, anonymise).unwrap();
    (inventory, replay::inventory(to).unwrap())
}

#[test]
fn a_capture_of_a_capture_tells_the_same() {
    for name in ["made-nvme-worn", "made-sata-pending-sectors", "made-sas-hdd", "rig-nvme-a", "rig-sata-a", "rig-scsi-a", "rig-virtio-a"] {
        let dir = tempfile::tempdir().unwrap();
        let (before, after) = again(&fixture(name), &dir.path().join("again"), false);
        assert_eq!(json(&before, true), json(&after, true), "{name}");
    }
}

#[test]
fn a_namespace_over_several_paths_keeps_its_way() {
    let dir = tempfile::tempdir().unwrap();
    let (before, after) = again(&fixture("nvme-multipath"), &dir.path().join("again"), false);
    let way = |inventory: &Inventory| inventory.drives[0].pages.iter().find(|page| page.name == "pcie-path").cloned().unwrap();
    assert!(way(&before).number("pcie_functions").is_some_and(|functions| functions > 0), "{:?}", way(&before));
    assert_eq!(way(&after), way(&before));
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_symlink() {
            symlink(fs::read_link(entry.path()).unwrap(), to).unwrap();
        } else if kind.is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The serial number of the fixture without its zeros and words that a replacement may have too.
const SERIAL: &str = "MADE-0004";
const NAMES: [&str; 11] = [
    "alice",
    "holiday",
    "photos",
    "cellar",
    "familyvol",
    "BIRTHDAYS",
    "swapfileofbob",
    "bobscontainer",
    "grandmasbox",
    "AbCd1234EfGh5678",
    "7c1f5a52-93fe-4d0a-8b6e-2f4f8ce21a77",
];

/// The SATA drive with a mounted partition, a volume on it, a label, a swap file, a container and a host name.
fn somebodys(root: &Path) {
    copy(&fixture("made-sata-pending-sectors"), root);
    let disk = "devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda";
    for (file, text) in [("dev", "8:1\n"), ("size", "2048\n"), ("partition", "1\n"), ("holders/dm-0", "")] {
        write(root, &format!("sys/{disk}/sda1/{file}"), text);
    }
    let volume = "devices/virtual/block/dm-0";
    for (file, text) in [("dev", "252:0\n"), ("size", "1024\n"), ("dm/name", "cellar-familyvol\n"), ("dm/uuid", "LVM-AbCd1234EfGh5678\n")] {
        write(root, &format!("sys/{volume}/{file}"), text);
    }
    for (name, target) in [("sda", disk), ("sda1", &*format!("{disk}/sda1")), ("dm-0", volume)] {
        fs::create_dir_all(root.join("sys/class/block")).unwrap();
        symlink(format!("../../{target}"), root.join("sys/class/block").join(name)).unwrap();
    }
    symlink("../devices/virtual/block/dm-0", root.join("sys/block/dm-0")).unwrap();
    symlink("../../devices/virtual/block/dm-0", root.join("sys/dev/block/252:0")).unwrap();
    symlink(format!("../../{disk}/sda1"), root.join("sys/dev/block/8:1")).unwrap();
    write(root, "proc/self/mountinfo", "30 1 252:0 / /srv/alice/holiday\\040photos rw - ext4 /dev/mapper/cellar-familyvol rw\n");
    write(root, "proc/swaps", "Filename Type Size Used Priority\n/var/swapfileofbob file 1024 0 -2\n");
    write(root, "proc/self/cgroup", "0::/system.slice/bobscontainer.scope\n");
    write(root, "proc/sys/kernel/hostname", "grandmasbox\n");
    let udev =
        "E:ID_FS_TYPE=LVM2_member\nE:ID_FS_LABEL=BIRTHDAYS\nE:ID_FS_UUID=7c1f5a52-93fe-4d0a-8b6e-2f4f8ce21a77\nE:ID_SERIAL=MADE-0004\n";
    write(root, "run/udev/data/b8:1", udev);
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .flat_map(|entry| match entry.file_type().unwrap() {
            kind if kind.is_dir() => files(&entry.path()),
            kind if kind.is_file() => vec![(entry.path().display().to_string(), fs::read(entry.path()).unwrap())],
            _ => vec![(entry.path().display().to_string(), fs::read_link(entry.path()).unwrap().display().to_string().into_bytes())],
        })
        .collect()
}

/// As it is, without its letters' case, in ATA's order from either half of a pair, and as hexadecimal digits.
fn spellings(name: &str) -> Vec<Vec<u8>> {
    let swapped =
        |text: String| text.as_bytes().chunks(2).flat_map(|pair| pair.iter().rev().copied().collect::<Vec<_>>()).collect::<Vec<u8>>();
    let even = &name[..name.len() & !1];
    let odd = &name[1..1 + ((name.len() - 1) & !1)];
    let hex: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    vec![name.to_lowercase().into_bytes(), swapped(even.to_lowercase()), swapped(odd.to_lowercase()), hex.into_bytes()]
}

#[test]
fn an_anonymised_capture_holds_no_name_in_any_file() {
    let dir = tempfile::tempdir().unwrap();
    let (from, plain, to) = (dir.path().join("from"), dir.path().join("plain"), dir.path().join("to"));
    somebodys(&from);
    let holding = |folder: &Path| -> Vec<(String, String)> {
        let names: Vec<&str> = NAMES.into_iter().chain([SERIAL]).collect();
        let has = |name: &str, bytes: &[u8]| {
            let bytes = bytes.to_ascii_lowercase();
            spellings(name).iter().any(|spelling| bytes.windows(spelling.len()).any(|window| window == spelling))
        };
        let found = |(path, bytes): (String, Vec<u8>)| {
            let place = path.trim_start_matches(&folder.display().to_string()).to_owned();
            names
                .iter()
                .filter(|name| has(name, &bytes) || has(name, place.as_bytes()))
                .map(|name| ((*name).to_owned(), place.clone()))
                .collect::<Vec<_>>()
        };
        files(folder).into_iter().flat_map(found).collect()
    };
    again(&from, &plain, false);
    let before = holding(&plain);
    for name in NAMES.into_iter().filter(|name| *name != "grandmasbox").chain([SERIAL]) {
        assert!(before.iter().any(|(found, _)| found == name), "{name} is not in the plain capture, so its absence would prove nothing");
    }
    let (living, anonymous) = again(&from, &to, true);
    assert_eq!(holding(&to), []);
    let (before, after) = (json(&living, false), json(&anonymous, false));
    assert_eq!(before["drives"][0]["health"], after["drives"][0]["health"]);
    assert_eq!(after["drives"][0]["facts"]["serial"]["value"], "XXXX-0000");
    let volume = |json: &serde_json::Value| json["stands_on_it"][0]["on_it"][0]["on_it"][0]["uses"].as_array().map(Vec::len);
    assert_eq!((volume(&before), volume(&after)), (Some(2), Some(2)), "{after:#}");
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "mine", "x");
    let inventory = replay::inventory(&fixture("made-sas-hdd")).unwrap();
    assert!(capture(&System::captured(&fixture("made-sas-hdd")), &inventory, dir.path(), false).is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}
