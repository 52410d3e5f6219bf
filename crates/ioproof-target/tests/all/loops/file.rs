//! The write rule for files and the making of scratch files, on filesystems and loop devices that each test makes. Needs root.

use crate::common::*;
use ioproof_core::facts::TargetKind;
use ioproof_target::{Consent, System, TargetError, open_to_read, open_to_write, resolve, scratch};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn data(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, vec![0xd7u8; MIB as usize]).unwrap();
    std::fs::File::open(&path).unwrap().sync_all().unwrap();
    path
}

fn refused_file_untouched(path: &Path, consent: &Consent) -> Vec<&'static str> {
    let before = checksum(path);
    let clauses = refused(path, consent);
    assert_eq!(checksum(path), before, "{clauses:?}");
    clauses
}

fn formatted(tool: &str, mib: u64) -> Loop {
    Loop::filled(mib * MIB, &[], |image| drop(run(tool, &["-q", image.to_str().unwrap()])))
}

fn entries(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "lost+found").collect()
}

#[test]
fn a_file_is_written_only_where_it_was_named() {
    let folder = folder();
    let (path, other) = (data(folder.path(), "data"), data(folder.path(), "other"));
    assert_eq!(refused_file_untouched(&path, &Consent::default()), ["overwrite"]);
    assert_eq!(refused_file_untouched(&path, &overwrite(&other)), ["overwrite"]);
    assert_eq!(refused_file_untouched(&path, &overwrite(folder.path())), ["overwrite"]);
    assert_eq!(refused_file_untouched(&path, &destroy_unknown_only()), ["overwrite"]);
    let handle = permit(&path, &overwrite(&path)).unwrap();
    assert!(handle.may_write() && handle.may_read());
    assert_eq!(handle.notes(), [] as [String; 0], "a lease was given");
    assert_eq!(handle.size_bytes(), MIB);
    drop(handle);
    assert_eq!(checksum(&path), checksum(&other), "neither grown, nor cut, nor changed by the open");
}

fn destroy_unknown_only() -> Consent {
    Consent { destroy_unknown_content: true, ..Consent::default() }
}

#[test]
fn links_lead_to_the_file() {
    let folder = folder();
    let path = data(folder.path(), "data");
    let (soft, hard) = (folder.path().join("soft"), folder.path().join("hard"));
    symlink("data", &soft).unwrap();
    std::fs::hard_link(&path, &hard).unwrap();
    assert_eq!(refused_file_untouched(&soft, &Consent::default()), ["overwrite"]);
    for (target, named) in [(&soft, &path), (&path, &soft), (&path, &hard), (&hard, &soft)] {
        assert!(permit(target, &overwrite(named)).is_ok(), "{} by {}", target.display(), named.display());
    }
}

#[test]
fn a_file_that_backs_a_loop_device() {
    let device = Loop::new(MIB);
    let clauses = refused_file_untouched(&device.image, &overwrite(&device.image));
    assert_eq!(clauses, ["loop-backing", "open-elsewhere"]);
    let hard = device.folder().join("hard");
    std::fs::hard_link(&device.image, &hard).unwrap();
    assert_eq!(refused_file_untouched(&hard, &overwrite(&hard)), ["loop-backing", "open-elsewhere"]);
}

#[test]
fn a_swap_file() {
    let folder = folder();
    let path = folder.path().join("swapfile");
    std::fs::write(&path, vec![0u8; 2 * MIB as usize]).unwrap();
    run("chmod", &["600", path.to_str().unwrap()]);
    let _swapped = Swapped::new(&path);
    // The kernel may write there at any time, so that a change would prove nothing.
    assert_eq!(refused(&path, &overwrite(&path))[0], "swap");
}

#[test]
fn a_file_that_is_open_elsewhere() {
    let folder = folder();
    let path = data(folder.path(), "data");
    let reader = std::fs::File::open(&path).unwrap();
    assert_eq!(refused_file_untouched(&path, &overwrite(&path)), ["open-elsewhere"]);
    drop(reader);
    let writer = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    assert_eq!(refused_file_untouched(&path, &overwrite(&path)), ["open-elsewhere"]);
    drop(writer);
    assert!(permit(&path, &overwrite(&path)).is_ok());
}

#[test]
fn a_program_that_runs() {
    let folder = folder();
    let path = folder.path().join("sleeper");
    // By another process: one of ours that begins meanwhile would hold it open to be written (ETXTBSY).
    assert!(Command::new("cp").arg("/bin/sleep").arg(&path).status().unwrap().success());
    let mut child = Command::new(&path).arg("60").spawn().unwrap();
    let clauses = refused_file_untouched(&path, &overwrite(&path));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(clauses, ["open-elsewhere"]);
}

#[test]
fn a_file_that_was_exchanged_between_look_and_open() {
    let folder = folder();
    let (path, other) = (data(folder.path(), "data"), data(folder.path(), "other"));
    let target = resolve(&System::host(), &path).unwrap();
    std::fs::rename(&other, &path).unwrap();
    let error = open_to_write(&System::host(), &target, &overwrite(&path)).unwrap_err();
    assert!(error.to_string().contains("is another file than a moment ago"), "{error}");
    std::fs::remove_file(&path).unwrap();
    symlink("/dev/zero", &path).unwrap();
    assert!(matches!(open_to_read(&target), Err(TargetError::Refused(_))));
}

#[test]
fn a_read_only_filesystem() {
    let device = formatted("mkfs.ext4", 64);
    let mounted = Mounted::new(&device.device, "rw");
    data(mounted.path(), "data");
    drop(mounted);
    let mounted = Mounted::new(&device.device, "ro");
    let path = mounted.path().join("data");
    assert_eq!(refused_file_untouched(&path, &overwrite(&path)), ["read-only"]);
    let error = scratch(&System::host(), mounted.path(), MIB).unwrap_err();
    assert!(matches!(error, TargetError::ReadOnly(_)), "{error}");
    assert!(open_to_read(&resolve(&System::host(), &path).unwrap()).is_ok());
}

#[test]
fn what_is_no_file_is_not_overwritten() {
    let folder = folder();
    let error = permit(folder.path(), &overwrite(folder.path())).unwrap_err();
    assert!(error.to_string().contains("is a directory"), "{error}");
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    let error = permit(&empty, &overwrite(&empty)).unwrap_err();
    assert!(error.to_string().contains("is empty"), "{error}");
    let zero = permit(Path::new("/dev/zero"), &overwrite(Path::new("/dev/zero"))).unwrap_err();
    assert!(zero.to_string().contains("is only read"), "{zero}");
}

#[test]
fn the_null_device_is_only_written_and_needs_no_consent() {
    let handle = permit(Path::new("/dev/null"), &Consent::default()).unwrap();
    assert!(handle.may_write() && !handle.may_read() && !handle.direct());
    assert!(open_to_read(&resolve(&System::host(), Path::new("/dev/null")).unwrap()).is_err());
    let zero = open_to_read(&resolve(&System::host(), Path::new("/dev/zero")).unwrap()).unwrap();
    assert!(zero.may_read() && !zero.may_write());
}

/// A scratch file of 16 MiB has its room, no name, and leaves nothing in the directory even while it is open.
fn scratch_leaves_nothing(device: &Loop, mounted: &Mounted) {
    let (target, handle) = scratch(&System::host(), mounted.path(), 16 * MIB).unwrap();
    assert_eq!(entries(mounted.path()), [] as [String; 0]);
    let stat = rustix::fs::fstat(&handle).unwrap();
    assert_eq!((stat.st_nlink, stat.st_size), (0, 16 << 20));
    assert!(stat.st_blocks * 512 >= 16 << 20, "the room is reserved: {} blocks", stat.st_blocks);
    assert_eq!((target.facts.kind, handle.size_bytes()), (TargetKind::Scratch, 16 * MIB));
    assert!(handle.direct() && target.facts.direct);
    assert_eq!(target.facts.stack.as_ref().unwrap().name, device.name());
    drop(handle);
    run("sync", &["-f", mounted.path().to_str().unwrap()]);
    assert_eq!(entries(mounted.path()), [] as [String; 0]);
}

#[test]
fn scratch_on_ext4() {
    let device = formatted("mkfs.ext4", 64);
    let mounted = Mounted::new(&device.device, "rw");
    scratch_leaves_nothing(&device, &mounted);
    let error = scratch(&System::host(), mounted.path(), 64 * MIB).unwrap_err();
    assert!(matches!(error, TargetError::NoSpace { .. }), "{error}");
    assert!(error.to_string().contains("needs 64 MiB beside the "), "{error}");
    assert_eq!(entries(mounted.path()), [] as [String; 0]);
}

#[test]
fn scratch_on_xfs() {
    let device = formatted("mkfs.xfs", 300);
    let mounted = Mounted::new(&device.device, "rw");
    scratch_leaves_nothing(&device, &mounted);
}

#[test]
fn scratch_on_btrfs_whose_device_number_leads_nowhere() {
    let device = formatted("mkfs.btrfs", 256);
    let mounted = Mounted::new(&device.device, "rw");
    scratch_leaves_nothing(&device, &mounted);
}

#[test]
fn scratch_on_overlayfs_says_that_the_drive_cannot_be_told() {
    let device = formatted("mkfs.ext4", 64);
    let base = Mounted::new(&device.device, "rw");
    let part = |name: &str| {
        let path = base.path().join(name);
        std::fs::create_dir(&path).unwrap();
        path.display().to_string()
    };
    let options = format!("lowerdir={},upperdir={},workdir={}", part("lower"), part("upper"), part("work"));
    let mounted = Mounted::typed(&["-t", "overlay", "-o", &options, "overlay"]);
    let (target, handle) = scratch(&System::host(), mounted.path(), MIB).unwrap();
    assert_eq!(target.facts.stack, None);
    assert!(target.facts.notes.contains(&"lies on overlay, the drive cannot be told".to_owned()), "{:?}", target.facts.notes);
    assert_eq!(entries(mounted.path()), [] as [String; 0]);
    drop(handle);
    assert_eq!(entries(&base.path().join("upper")), [] as [String; 0]);
    drop(mounted);
}

#[test]
fn memory_is_no_drive() {
    let mounted = Mounted::typed(&["-t", "tmpfs", "-o", "size=8m", "tmpfs"]);
    let path = mounted.path().join("data");
    std::fs::write(&path, vec![1u8; 8192]).unwrap();
    for given in [mounted.path(), &path] {
        let error = resolve(&System::host(), given).unwrap_err();
        assert!(error.to_string().contains("lies on tmpfs, which is memory and no drive"), "{error}");
    }
    assert!(scratch(&System::host(), mounted.path(), 4096).is_err());
    assert_eq!(entries(mounted.path()), ["data"]);
}

#[test]
fn a_scratch_file_is_not_made_beside_a_file() {
    let folder = folder();
    let path = data(folder.path(), "data");
    let error = scratch(&System::host(), &path, MIB).unwrap_err();
    assert!(error.to_string().contains("is no directory"), "{error}");
    assert!(matches!(scratch(&System::host(), &folder.path().join("nowhere"), MIB), Err(TargetError::Missing(_))));
}

#[test]
fn the_stack_of_a_file_ends_at_the_drive() {
    let device = formatted("mkfs.ext4", 64);
    let mounted = Mounted::new(&device.device, "rw");
    let target = resolve(&System::host(), &data(mounted.path(), "data")).unwrap();
    let stack = target.facts.stack.unwrap();
    assert_eq!((stack.name.as_str(), stack.kind.as_str()), (device.name().as_str(), "loop"));
    let filesystem = target.facts.filesystem.unwrap();
    assert_eq!((filesystem.fs_type.as_str(), filesystem.source.as_str()), ("ext4", device.path()));
    assert_eq!(filesystem.mount_point, mounted.path().display().to_string());
    assert!(target.facts.direct && target.facts.alignment_bytes <= 4096);
}

#[test]
fn a_proof_folder_leaves_room_to_others() {
    let device = formatted("mkfs.ext4", 10);
    let mounted = Mounted::new(&device.device, "rw");
    let folder = ioproof_target::ProofFolder::make(mounted.path(), "own").unwrap();
    let error = (0..1_000_000).find_map(|number| folder.create(&format!("f{number}"), &[7; 512]).err()).unwrap();
    assert!(error.to_string().contains("left to others"), "{error}");
    let room = rustix::fs::statvfs(mounted.path()).unwrap();
    assert!(room.f_favail > 0 && room.f_bavail > 0);
    assert!(std::fs::write(mounted.path().join("theirs"), [7; 8192]).is_ok());
}
