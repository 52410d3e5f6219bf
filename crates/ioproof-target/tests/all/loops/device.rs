//! The write rule for devices, on loop devices that each test makes. Needs root, loop devices, and the tools that make the content.

use crate::common::*;
use ioproof_target::mark::MARK;
use ioproof_target::{System, TargetError, open_to_read, open_to_write, resolve};
use rustix::fs::{Mode, OFlags};
use std::path::Path;

/// A block as ioproof writes it, in memory that `O_DIRECT` takes.
fn write_marked(handle: &ioproof_target::Handle, offset: u64) {
    let mut buffer = vec![0u8; 3 * 4096];
    let start = buffer.as_ptr().align_offset(4096);
    ioproof_target::laid_out::fill((7, 11), offset, &mut buffer[start..start + 4096]);
    assert_eq!(buffer[start..start + 8], MARK);
    assert_eq!(rustix::io::pwrite(handle, &buffer[start..start + 4096], offset).unwrap(), 4096);
}

#[test]
fn an_empty_device_that_was_named_is_written_and_again_after() {
    let device = Loop::new(8 * MIB);
    let consent = destroy(&device.name());
    for round in 0..2 {
        let handle = permit(&device.device, &consent).unwrap();
        assert!(handle.may_write() && handle.may_read() && handle.direct());
        assert_eq!((handle.size_bytes(), handle.alignment_bytes()), (8 * MIB, 512));
        for block in [0, 5, 255, 256, 700, 2047] {
            write_marked(&handle, (block + round) % 2048 * 4096);
        }
    }
    assert_eq!(checksum(&device.image).0, 8 * MIB, "neither grown nor cut");
}

#[test]
fn a_device_with_blocks_of_4_kib() {
    let device = Loop::with(8 * MIB, &["--sector-size", "4096"]);
    let handle = permit(&device.device, &destroy(&device.name())).unwrap();
    assert_eq!(handle.alignment_bytes(), 4096);
    drop(handle);
    put(&device.device, 4096, b"EFI PART");
    assert_eq!(refused_untouched(&device), ["signature"]);
}

#[test]
fn only_the_name_itself_is_consent() {
    let (device, other) = (Loop::new(MIB), Loop::new(MIB));
    let before = checksum(&device.image);
    for wrong in [Some(other.name()), Some(device.path().to_owned()), Some(format!("{}0", device.name())), Some(String::new()), None] {
        let consent = ioproof_target::Consent { destroy: wrong, ..Default::default() };
        assert_eq!(refused(&device.device, &consent), ["consent"], "{consent:?}");
    }
    assert_eq!(checksum(&device.image), before);
}

#[test]
fn a_link_leads_to_the_device_and_is_no_name() {
    let device = Loop::new(MIB);
    let link = device.folder().join("by-id");
    std::os::unix::fs::symlink(&device.device, &link).unwrap();
    assert_eq!(refused(&link, &destroy("by-id")), ["consent"]);
    let target = resolve(&System::host(), &link).unwrap();
    assert_eq!(target.facts.resolved, device.path());
    assert!(permit(&link, &destroy(&device.name())).is_ok());
}

#[test]
fn a_mounted_filesystem() {
    let device = Loop::new(64 * MIB);
    run("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device.path()]);
    let mounted = Mounted::new(&device.device, "noatime");
    assert_eq!(refused_untouched(&device), ["mounted", "signature"]);
    drop(mounted);
    assert_eq!(refused_untouched(&device), ["signature"]);
}

#[test]
fn a_mounted_partition() {
    let device = Loop::filled(64 * MIB, &["--partscan"], |image| {
        run("sgdisk", &["-n", "1:2048:0", image.to_str().unwrap()]);
    });
    let partition = device.partition();
    assert_eq!(refused_untouched(&device), ["partitions", "signature"]);
    run("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", partition.to_str().unwrap()]);
    let _mounted = Mounted::new(&partition, "noatime");
    assert_eq!(refused_untouched(&device), ["partitions", "mounted", "signature"]);
    let of_partition = refused(&partition, &destroy(&device.name()));
    assert!(of_partition.starts_with(&["whole-disk", "mounted"]), "{of_partition:?}");
}

#[test]
fn swap_in_use() {
    let device = Loop::new(8 * MIB);
    let swapped = Swapped::new(&device.device);
    // The kernel may write there at any time, so that a change would prove nothing.
    assert_eq!(refused(&device.device, &destroy_unknown(&device.name())), ["swap", "signature"]);
    drop(swapped);
    assert_eq!(refused_untouched(&device), ["signature"]);
}

#[test]
fn a_btrfs_of_two_devices_is_mounted_by_one_name() {
    let (first, second) = (Loop::new(128 * MIB), Loop::new(128 * MIB));
    run("mkfs.btrfs", &["-q", first.path(), second.path()]);
    run("btrfs", &["device", "scan", first.path(), second.path()]);
    let mounted = Mounted::new(&first.device, "noatime");
    assert_eq!(refused_untouched(&first), ["mounted", "btrfs", "signature"]);
    assert_eq!(refused_untouched(&second), ["btrfs", "signature"]);
    drop(mounted);
    run("btrfs", &["device", "scan", "--forget", first.path()]);
    run("btrfs", &["device", "scan", "--forget", second.path()]);
}

#[test]
fn filesystems_swap_and_partition_tables_at_rest() {
    type Fill = fn(&Path);
    let cases: [(&str, u64, Fill); 7] = [
        ("ext4", 16, |image| drop(run("mkfs.ext4", &["-q", image.to_str().unwrap()]))),
        ("ext2", 1, |image| drop(run("mkfs.ext2", &["-q", image.to_str().unwrap()]))),
        ("xfs", 300, |image| drop(run("mkfs.xfs", &["-q", image.to_str().unwrap()]))),
        ("btrfs", 128, |image| drop(run("mkfs.btrfs", &["-q", image.to_str().unwrap()]))),
        ("swap", 8, |image| drop(run("mkswap", &[image.to_str().unwrap()]))),
        ("gpt", 8, |image| drop(run("sgdisk", &["-o", image.to_str().unwrap()]))),
        ("gpt-backup", 8, |image| {
            run("sgdisk", &["-o", image.to_str().unwrap()]);
            put(image, 0, &vec![0; MIB as usize]);
        }),
    ];
    for (name, mib, fill) in cases {
        let device = Loop::filled(mib * MIB, &[], fill);
        assert_eq!(refused_untouched(&device), ["signature"], "{name}");
    }
}

#[test]
fn headers_of_what_has_no_tool_here() {
    for (name, offset, bytes) in [
        ("LUKS", 0, &b"LUKS\xba\xbe\0\x02"[..]),
        ("LUKS secondary", 0x4000, &b"SKUL\xba\xbe\0\x02"[..]),
        ("DOS", 510, &b"\x55\xaa"[..]),
        ("LVM2", 512, &b"LABELONE"[..]),
        ("md 1.2", 4096, &b"\xfc\x4e\x2b\xa9"[..]),
        ("md 1.0", 8 * MIB - 8192, &b"\xfc\x4e\x2b\xa9"[..]),
        ("md 0.90", 8 * MIB - 65_536, &b"\xfc\x4e\x2b\xa9"[..]),
        ("ZFS", 8 * MIB - 131_072, &b"\x0c\xb1\xba\0\0\0\0\0"[..]),
        ("IMSM", 8 * MIB - 1024, &b"Intel Raid ISM Cfg Sig. 1.1"[..]),
        ("VMFS", 2 * MIB, &b"\x5e\xf1\xab\x2f"[..]),
    ] {
        let device = Loop::filled(8 * MIB, &[], |image| put(image, offset, bytes));
        assert_eq!(refused_untouched(&device), ["signature"], "{name}");
    }
}

#[test]
fn unknown_content_takes_a_second_consent() {
    let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for offset in [0, 3 * MIB, 8 * MIB - 4096] {
        let device = Loop::filled(8 * MIB, &[], |image| put(image, offset, &noise));
        let before = checksum(&device.image);
        assert_eq!(refused(&device.device, &destroy(&device.name())), ["unknown-content"], "at {offset}");
        assert_eq!(refused(&device.device, &destroy_unknown("loop")), ["consent"], "at {offset}");
        assert!(permit(&device.device, &destroy_unknown(&device.name())).is_ok());
        assert_eq!(checksum(&device.image), before, "opening writes nothing");
    }
}

#[test]
fn content_in_the_page_cache_is_seen() {
    let device = Loop::new(8 * MIB);
    let file = std::fs::OpenOptions::new().write(true).open(&device.device).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"not yet on the device", 2 * MIB).unwrap();
    // Another descriptor that only reads keeps the cache from being flushed by the last close.
    let _reader = std::fs::File::open(&device.device).unwrap();
    drop(file);
    assert_eq!(refused(&device.device, &destroy(&device.name())), ["unknown-content"]);
}

#[test]
fn held_exclusively_or_written_by_somebody() {
    let device = Loop::new(MIB);
    let open = |flags| rustix::fs::open(&device.device, flags | OFlags::CLOEXEC, Mode::empty()).unwrap();
    let exclusive = open(OFlags::RDONLY | OFlags::EXCL);
    assert_eq!(refused_untouched(&device), ["exclusive"]);
    drop(exclusive);
    let writer = open(OFlags::RDWR);
    assert_eq!(refused_untouched(&device), ["writers"]);
    drop(writer);
    let handle = permit(&device.device, &destroy(&device.name())).unwrap();
    assert_eq!(refused_untouched(&device), ["writers"], "the handle itself keeps others out");
    let excluded = rustix::fs::open(&device.device, OFlags::RDONLY | OFlags::EXCL, Mode::empty());
    assert_eq!(excluded.unwrap_err(), rustix::io::Errno::BUSY);
    drop(handle);
}

#[test]
fn a_read_only_device() {
    let device = Loop::with(MIB, &["--read-only"]);
    assert_eq!(refused_untouched(&device), ["read-only"]);
}

#[test]
fn a_loop_device_on_another_device() {
    let below = Loop::new(8 * MIB);
    let folder = folder();
    let above = attach(&below.device, &[]);
    let name = above.file_name().unwrap().to_str().unwrap().to_owned();
    let refusals = refused(&above, &destroy_unknown(&name));
    run("losetup", &["-d", above.to_str().unwrap()]);
    assert_eq!(refusals, ["loop-backing", "identity"]);
    drop(folder);
}

#[test]
fn a_device_that_backs_a_loop_device() {
    let below = Loop::new(8 * MIB);
    let above = attach(&below.device, &["--read-only"]);
    let refusals = refused(&below.device, &destroy_unknown(&below.name()));
    run("losetup", &["-d", above.to_str().unwrap()]);
    assert_eq!(refusals, ["backs-loop"]);
}

#[test]
fn two_loop_devices_on_one_file() {
    let device = Loop::new(8 * MIB);
    let twin = attach(&device.image, &[]);
    let refusals = refused_untouched(&device);
    run("losetup", &["-d", twin.to_str().unwrap()]);
    assert_eq!(refusals, ["loop-backing"]);
}

/// Detaches the device and attaches another file to the same number; `None` where somebody else took the number in between.
fn exchange(device: &Loop) -> Option<std::path::PathBuf> {
    let other = image(device.folder(), "other", 8 * MIB);
    run("losetup", &["-d", device.path()]);
    let attached = std::process::Command::new("losetup").arg(&device.device).arg(&other).status().unwrap();
    attached.success().then_some(other)
}

#[test]
fn a_device_that_was_exchanged_between_look_and_open() {
    for _ in 0..10 {
        let device = Loop::new(8 * MIB);
        let target = resolve(&System::host(), &device.device).unwrap();
        let Some(other) = exchange(&device) else {
            // The number belongs to somebody else now and must not be detached.
            std::mem::forget(device);
            continue;
        };
        let before = checksum(&other);
        let error = open_to_write(&System::host(), &target, &destroy_unknown(&device.name())).unwrap_err();
        let TargetError::Refused(refusals) = &error else { panic!("{error}") };
        assert_eq!(refusals.iter().map(|r| r.clause).collect::<Vec<_>>(), ["identity"]);
        assert!(error.to_string().contains("diskseq"), "{error}");
        assert_eq!(checksum(&other), before);
        assert!(matches!(open_to_read(&target), Err(TargetError::Refused(_))), "nor read as if it were the same");
        return;
    }
    panic!("no loop device stayed free for long enough");
}

#[test]
fn every_reason_is_told_at_once() {
    let device = Loop::new(64 * MIB);
    run("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device.path()]);
    let _mounted = Mounted::new(&device.device, "noatime");
    let error = permit(&device.device, &destroy("somebody")).unwrap_err();
    let text = error.to_string();
    for part in ["is mounted at", "--destroy \"somebody\" does not name", "signature of ext2, ext3 or ext4"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let hint = error.hint().unwrap();
    assert!(hint.contains("unmount it first") && hint.contains("wipefs"), "{hint}");
    assert!(!hint.contains(&device.name()), "no command to paste back: {hint}");
}

#[test]
fn reading_is_always_allowed_and_cannot_write() {
    let device = Loop::new(64 * MIB);
    run("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device.path()]);
    let _mounted = Mounted::new(&device.device, "noatime");
    run("sync", &[]);
    let before = checksum(&device.image);
    let handle = open_to_read(&resolve(&System::host(), &device.device).unwrap()).unwrap();
    assert!(handle.may_read() && !handle.may_write() && handle.direct());
    let buffer = [0u8; 512];
    assert_eq!(rustix::io::pwrite(&handle, &buffer, 0).unwrap_err(), rustix::io::Errno::BADF);
    assert_eq!(checksum(&device.image), before);
}

#[test]
fn the_facts_of_a_loop_device() {
    let device = Loop::filled(16 * MIB, &["--partscan"], |image| {
        run("sgdisk", &["-n", "1:2048:0", image.to_str().unwrap()]);
    });
    let target = resolve(&System::host(), &device.partition()).unwrap();
    let stack = target.facts.stack.unwrap();
    assert_eq!((stack.kind.as_str(), stack.under[0].kind.as_str()), ("partition", "loop"));
    assert_eq!(stack.under[0].name, device.name());
    assert_eq!(stack.under[0].backing_file.as_deref(), device.image.to_str());
    let whole = resolve(&System::host(), &device.device).unwrap();
    assert!(whole.facts.direct && whole.facts.filesystem.is_none());
    assert_eq!(whole.facts.size_bytes, 16 * MIB);
    assert!(whole.facts.notes[0].contains("is a loop device on"));
}

#[test]
fn a_device_without_a_medium() {
    let device = Loop::new(MIB);
    run("losetup", &["-d", device.path()]);
    let path = device.device.clone();
    std::mem::forget(device);
    match resolve(&System::host(), &path) {
        Err(error) => assert!(error.to_string().contains("without a medium"), "{error}"),
        Ok(target) => assert!(target.facts.size_bytes != MIB, "somebody else has taken the number"),
    }
}

/// True if a descriptor that could write was closed since the last question, which is when udev looks at a device again.
fn closed_after_writing(watch: &rustix::fd::OwnedFd) -> bool {
    let mut buffer = [0u8; 4096];
    match rustix::io::read(watch, &mut buffer) {
        Ok(length) => length > 0,
        Err(error) => {
            assert_eq!(error, rustix::io::Errno::AGAIN);
            false
        }
    }
}

#[test]
fn a_refusal_never_opens_for_writing() {
    use rustix::fs::inotify;
    let device = Loop::filled(8 * MIB, &[], |image| put(image, 0, b"XFSB"));
    let refusable = [destroy_unknown(&device.name()), destroy("somebody"), destroy(&device.name())];
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, &device.device, inotify::WatchFlags::CLOSE_WRITE).unwrap();
    for consent in &refusable {
        refused(&device.device, consent);
    }
    assert!(!closed_after_writing(&watch));
    put(&device.device, 0, &[0; 4096]);
    assert!(closed_after_writing(&watch), "the watch works");
    drop(permit(&device.device, &destroy(&device.name())).unwrap());
    assert!(closed_after_writing(&watch));
}
