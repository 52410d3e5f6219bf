//! Refusals that are known before anything is made: the drives that it is to lie on, its program, the kernel, the room.

use super::kinds::Room;
use super::program;
use super::recipe::{FilesystemChoice, Recipe};
use crate::block::users;
use crate::error::TargetError;
use crate::resolve::target::{Target, What};
use crate::system::System;
use ioproof_core::units::binary_size;
use rustix::mount::{FsOpenFlags, fsopen};

/// Sizes that differ by no more than this are one size, as zpool has it. Bytes.
const ALIKE_BYTES: u64 = 16 << 20;

/// Refuses drives that do not go together as they are asked to: one that is named twice, too few or too many of them, sizes that differ.
///
/// # Errors
/// The first of these reasons.
pub fn check_layout(drives: &[Target], filesystem: &FilesystemChoice) -> Result<(), TargetError> {
    let twice = |at: usize| drives.iter().take(at).any(|earlier| number(earlier).is_some() && number(earlier) == number(&drives[at]));
    if let Some(at) = (0..drives.len()).find(|at| twice(*at)) {
        return refused(&drives[at], "is named twice".to_owned(), "name each drive once".to_owned());
    }
    let Some(first) = drives.first() else { return Ok(()) };
    check_number(first, drives.len(), filesystem)?;
    let sizes: Vec<u64> = drives.iter().map(|drive| drive.facts.size_bytes).collect();
    let must_be_alike = filesystem.layout.is_some_and(|layout| layout.room != Room::Sum);
    let (least, most) = (sizes.iter().copied().min().unwrap_or(0), sizes.iter().copied().max().unwrap_or(0));
    if must_be_alike && most - least > ALIKE_BYTES {
        let each: Vec<String> =
            drives.iter().map(|drive| format!("{} {}", drive.facts.given, binary_size(drive.facts.size_bytes))).collect();
        let what = format!("is not put together with drives of other sizes: {}", each.join(", "));
        return refused(first, what, "name drives of one size: of others the figures would be of uneven parts".to_owned());
    }
    Ok(())
}

fn check_number(first: &Target, drives: usize, filesystem: &FilesystemChoice) -> Result<(), TargetError> {
    let name = filesystem.kind.name;
    let Some(layout) = filesystem.layout else {
        return match (drives, filesystem.kind.layouts) {
            (1, _) => Ok(()),
            (_, []) => {
                refused(first, format!("cannot be put together with other drives by {name}"), format!("name one drive; {}", several()))
            }
            (_, layouts) => {
                let forms: Vec<String> = layouts.iter().map(|layout| format!("{name}:{}", layout.name())).collect();
                let what = format!("is one of {drives} drives, and how {name} is to put them together is not said");
                refused(first, what, format!("say --fs {}", forms.join(" or ")))
            }
        };
    };
    let (fewest, most) = layout.drives;
    let form = format!("{name}:{}", layout.name());
    match drives {
        1 if fewest > 1 => refused(first, format!("is a single drive, and {form} takes at least {fewest} drives"), each_drive()),
        few if few < fewest => refused(first, format!("is one of {few}, and {form} takes at least {fewest} drives"), each_drive()),
        many if many > most => {
            refused(first, format!("is one of {many} drives, and {form} takes {most}"), "name fewer drives, or another layout".to_owned())
        }
        _ => Ok(()),
    }
}

fn each_drive() -> String {
    "name each with its own --drive and --destroy".to_owned()
}

/// Filesystems that take several drives, in words.
fn several() -> String {
    let names = super::FILESYSTEMS.iter().filter(|kind| !kind.layouts.is_empty()).map(|kind| kind.name);
    format!("{} take several", names.collect::<Vec<_>>().join(" and "))
}

fn number(drive: &Target) -> Option<u64> {
    if let What::Device { seen, .. } = &drive.what { Some(seen.rdev) } else { None }
}

fn refused(drive: &Target, what: String, hint: String) -> Result<(), TargetError> {
    Err(TargetError::unsuitable_hint(&drive.path, what, hint))
}

/// Refuses what is known to fail: no program, a kernel that does not know the filesystem, drives that are too small for files of so many bytes.
///
/// # Errors
/// The first of these reasons.
pub fn check(drives: &[Target], recipe: &Recipe, files_bytes: u64) -> Result<(), TargetError> {
    let Some(first) = drives.first() else { return Ok(()) };
    let kind = recipe.kind;
    if program::find(kind.program).is_none() {
        let what = format!("{} is not found on this machine, so no {} can be made on it", kind.program, kind.name);
        return refused(first, what, format!("install it (Debian: {})", kind.package));
    }
    if kind.is_pool && !users::is_outside_of_containers(&System::host()) {
        let what =
            format!("cannot be put into a pool of {} from within a container, where the kernel would look for it in vain", kind.name);
        return refused(first, what, "run outside of containers".to_owned());
    }
    // Asking loads the module where there is one. A kernel before 5.2 cannot be asked, and one that refuses says so when it mounts.
    if fsopen(kind.name, FsOpenFlags::FSOPEN_CLOEXEC).is_err_and(|error| error == rustix::io::Errno::NODEV) {
        let what = format!("this kernel knows no {}", kind.name);
        return refused(first, what, format!("load its module (modprobe {}), or name another --fs", kind.name));
    }
    check_room(drives, recipe, files_bytes)
}

fn check_room(drives: &[Target], recipe: &Recipe, files_bytes: u64) -> Result<(), TargetError> {
    let (kind, needs) = (recipe.kind, recipe.kind.room_bytes(files_bytes));
    let hint = || "choose a smaller --size, fewer databases (--db), or a larger drive".to_owned();
    if let Some(small) = drives.iter().find(|drive| drive.facts.size_bytes < kind.least_bytes) {
        let what = format!("has {}, and {} is needed by {}", binary_size(small.facts.size_bytes), binary_size(kind.least_bytes), kind.name);
        return refused(small, what, hint());
    }
    let sizes: Vec<u64> = drives.iter().map(|drive| drive.facts.size_bytes).collect();
    let has = recipe.layout.map_or(Room::Sum, |layout| layout.room).bytes(&sizes);
    let Some(first) = drives.first().filter(|_| has < needs) else { return Ok(()) };
    let together = if drives.len() > 1 { "gives, with the others, " } else { "has " };
    let what = format!(
        "{together}{}, and {} is needed: {} of files, and what {} takes for itself",
        binary_size(has),
        binary_size(needs),
        binary_size(files_bytes),
        kind.name
    );
    refused(first, what, hint())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::seen::Seen;
    use crate::block::tree::folder_on_a_drive;
    use crate::own_filesystem::FilesystemKind;

    const fn kind(program: &'static str) -> FilesystemKind {
        let (makes, options) = (&[], &[]);
        FilesystemKind {
            name: "nosuchfs",
            program,
            package: "nosuch",
            always: &[],
            usual: &[],
            is_pool: false,
            mounted: options,
            least_bytes: 1 << 20,
            own_bytes: 0,
            makes,
            mounts: options,
            layouts: &[],
        }
    }
    static WITHOUT_PROGRAM: FilesystemKind = kind("mkfs.nosuchfs");
    static WITH_PROGRAM: FilesystemKind = kind("sh");

    fn told(error: TargetError) -> (String, String) {
        (error.to_string(), error.hint().unwrap_or_default())
    }

    fn directory() -> Target {
        crate::resolve(&System::host(), folder_on_a_drive().path()).unwrap()
    }

    fn refused_of(kind: &'static FilesystemKind) -> (String, String) {
        let recipe = Recipe::read(&FilesystemChoice { kind, layout: None }, &[], &[]).unwrap();
        told(check(&[directory()], &recipe, 4 << 20).unwrap_err())
    }

    #[test]
    fn what_is_known_to_fail_is_refused_with_a_remedy() {
        let (text, hint) = refused_of(&WITHOUT_PROGRAM);
        assert!(text.contains("mkfs.nosuchfs is not found") && hint.contains("Debian: nosuch"), "{text}: {hint}");
        let (text, hint) = refused_of(&WITH_PROGRAM);
        if fsopen("nosuchfs", FsOpenFlags::FSOPEN_CLOEXEC).is_err_and(|error| error == rustix::io::Errno::NODEV) {
            assert!(text.contains("this kernel knows no nosuchfs") && hint.contains("modprobe nosuchfs"), "{text}: {hint}");
        } else {
            assert!(text.contains("is needed"), "a kernel that may not be asked: {text}");
        }
    }

    /// Drives of these numbers and sizes in MiB.
    fn drives(all: &[(u64, u64)]) -> Vec<Target> {
        let drive = |(rdev, mib): &(u64, u64)| {
            let mut drive = directory();
            drive.facts.size_bytes = mib << 20;
            drive.what = What::Device {
                name: format!("d{rdev}"),
                seen: Seen { rdev: *rdev, diskseq: None, size_bytes: mib << 20, loop_on_device: false },
            };
            drive
        };
        all.iter().map(drive).collect()
    }

    fn of_layout(all: &[(u64, u64)], filesystem: &str) -> Result<(), (String, String)> {
        check_layout(&drives(all), &filesystem.parse().unwrap()).map_err(told)
    }

    #[test]
    fn drives_that_do_not_go_together_are_refused_with_a_remedy() {
        let (one, two, uneven) = ([(1, 512)], [(1, 512), (2, 512)], [(1, 512), (2, 1024)]);
        let cases = [
            (of_layout(&[(1, 512), (1, 512)], "btrfs:mirror"), "is named twice", "once"),
            (of_layout(&two, "ext4"), "put together with other drives by ext4", "btrfs"),
            (of_layout(&two, "btrfs"), "is not said", "--fs btrfs:single or btrfs:stripe or btrfs:mirror"),
            (of_layout(&one, "btrfs:raid1"), "btrfs:mirror takes at least 2 drives", "--destroy"),
            (of_layout(&two, "btrfs:raid10"), "takes at least 4 drives", "--destroy"),
            (of_layout(&uneven, "btrfs:stripe"), "512 MiB,", "one size"),
            (of_layout(&two, "zfs:single"), "zfs:single takes 1", "fewer"),
            (of_layout(&two, "zfs:raidz"), "zfs:raidz takes at least 3 drives", "--destroy"),
            (of_layout(&uneven, "zfs:mirror"), "512 MiB,", "one size"),
        ];
        for (found, text, hint) in cases {
            let (said, remedy) = found.unwrap_err();
            assert!(said.contains(text) && remedy.contains(hint), "{said}: {remedy}");
        }
        for (all, filesystem) in [(&one[..], "ext4"), (&one, "btrfs"), (&two, "btrfs:mirror"), (&uneven, "btrfs:single")] {
            assert_eq!(of_layout(all, filesystem), Ok(()), "{filesystem}");
        }
        assert_eq!(of_layout(&[(1, 512), (2, 520)], "btrfs:mirror"), Ok(()), "nearly one size");
    }

    #[test]
    fn room_is_what_the_layout_leaves() {
        let recipe = Recipe::read(&"btrfs:mirror".parse().unwrap(), &[], &[]).unwrap();
        let (text, _) = told(check_room(&drives(&[(1, 512), (2, 512)]), &recipe, 400 << 20).unwrap_err());
        assert!(text.contains("gives, with the others, 512 MiB, and 610 MiB is needed: 400 MiB of files"), "{text}");
        assert!(check_room(&drives(&[(1, 512), (2, 512)]), &recipe, 100 << 20).is_ok());
        let (text, _) = told(check_room(&drives(&[(1, 512), (2, 64)]), &recipe, 1).unwrap_err());
        assert!(text.contains("has 64 MiB, and 128 MiB is needed by btrfs"), "{text}");
        let bytes = |room: Room| room.bytes(&[3, 4, 5]);
        assert_eq!([Room::Sum, Room::Striped, Room::Halved, Room::Smallest, Room::Parity(1)].map(bytes), [12, 9, 4, 3, 6]);
        assert_eq!(Room::Striped.bytes(&[u64::MAX, u64::MAX]), u64::MAX);
    }

    #[test]
    fn a_row_takes_the_room_of_files_and_its_own() {
        let bytes = |name: &str, files| FilesystemKind::named(name).unwrap().room_bytes(files);
        assert_eq!((bytes("ext4", 800 << 20), bytes("xfs", 0)), (948 << 20, 300 << 20));
        assert_eq!(bytes("btrfs", u64::MAX), u64::MAX);
    }
}
