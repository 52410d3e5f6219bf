//! Room on filesystems that set none aside, write elsewhere or share what files have in common: what would fill them is refused before anything is written. Needs root.

use crate::common;
use crate::common::mounts::{Loop, Mounted, folder, succeeds};
use crate::common::witness::Witness;
use crate::common::{MIB, Sandbox};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn where_no_space_is_set_aside_what_needs_it_is_left_out_and_said() {
    let sandbox = Sandbox::new();
    let (below, above) = (folder(&sandbox, "below"), folder(&sandbox, "above"));
    succeeds("bindfs", &[below.to_str().unwrap(), above.to_str().unwrap()]);
    let _mounted = Mounted(above);
    let sync = |to: &str, more: &[&str]| {
        let words = ["sync", "above", "--sync", "fdatasync", "--size", "8MiB", "--runs", "1", "--time", "2s", "--write-to", to];
        sandbox.run(&[&words[..], more].concat())
    };
    let said = sync("existing,append,reserved", &["--json"]);
    let run = &said.json()["run"];
    assert_eq!((&run["status"]["state"], run["jobs"].as_array().unwrap().len()), (&"complete".into(), 2), "{said:?}");
    assert!(run["notes"].to_string().contains("which needs space set aside"), "{said:?}");
    assert!(said.stderr.contains("they need a filesystem that sets space aside"), "{said:?}");
    for more in [&[][..], &["--dry-run"]] {
        sync("append-reserved", more).refuses(&["its filesystem sets no space aside", "--write-to existing,append"]);
    }
}

/// A new filesystem of this kind and size, mounted at `on-KIND`.
fn mounted(sandbox: &Sandbox, kind: &str, mib: u64) -> (Mounted, Loop) {
    let (image, at) = (sandbox.work().join(kind), folder(sandbox, &format!("on-{kind}")));
    std::fs::File::create(&image).unwrap().set_len(mib * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    succeeds(&format!("mkfs.{kind}"), &["-q", &device.0]);
    succeeds("mount", &[&device.0, at.to_str().unwrap()]);
    (Mounted(at), device)
}

/// A file of noise on a small filesystem of this kind, most of whose room it takes.
fn nearly_full(sandbox: &Sandbox, kind: &str, [of_mib, mib]: [u64; 2]) -> (Mounted, Loop, PathBuf) {
    let (mounted, device) = mounted(sandbox, kind, of_mib);
    // Users of an overlay are known by the number of the inode alone, so that of another test must be another.
    static USED: AtomicUsize = AtomicUsize::new(0);
    (0..=USED.fetch_add(1, Relaxed)).for_each(|number| std::fs::write(mounted.0.join(format!("number-{number}")), "").unwrap());
    let file = mounted.0.join("data");
    std::fs::write(&file, common::noise(mib * MIB)).unwrap();
    // What the page cache holds has no blocks yet.
    std::fs::File::open(&file).unwrap().sync_all().unwrap();
    (mounted, device, file)
}

#[test]
fn a_device_on_a_file_with_holes_takes_no_more_than_its_filesystem_has() {
    let sandbox = Sandbox::new();
    let (outer, _device) = mounted(&sandbox, "ext4", 64);
    let image = outer.0.join("image");
    std::fs::File::create(&image).unwrap().set_len(200 * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    succeeds("mkfs.ext4", &["-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", &device.0]);
    let inner = Mounted(folder(&sandbox, "inner"));
    succeeds("mount", &[&device.0, inner.0.to_str().unwrap()]);
    let holes = ["has holes", "make room where that file lies"];
    for more in [&[][..], &["--dry-run"]] {
        sandbox.verify(&[&["inner", "--rw", "write", "--size", "100MiB"], more].concat()).refuses(&holes);
        let said = sandbox.run(&[&["run", "--name=a", "--rw=write", "--size=100m", "--filename=inner/f"], more].concat());
        assert!(said.status == 2 && holes.iter().all(|part| said.stderr.contains(part)), "{said:?}");
        sandbox.run(&[&["layers", "--dir", "inner", "--db", "none", "--size", "100MiB"], more].concat()).refuses(&holes);
    }
    assert_eq!(std::fs::read_dir(&inner.0).unwrap().count(), 1, "nothing but lost+found");
    // The same through what only shows it.
    let [lower, upper, work, merged, shown] = ["lower", "inner/upper", "inner/work", "merged", "shown"].map(|name| folder(&sandbox, name));
    let layers = format!("lowerdir={},upperdir={},workdir={}", lower.display(), upper.display(), work.display());
    succeeds("mount", &["-t", "overlay", "-o", &layers, "overlay", merged.to_str().unwrap()]);
    let overlay = Mounted(merged);
    succeeds("bindfs", &[inner.0.to_str().unwrap(), shown.to_str().unwrap()]);
    let fuse = Mounted(shown);
    for place in ["merged", "shown"] {
        sandbox.verify(&[place, "--rw", "write", "--size", "100MiB"]).refuses(&holes);
    }
    drop((overlay, fuse));
    // What fits there is written.
    assert_eq!(sandbox.run(&["run", "--name=a", "--rw=write", "--size=4m", "--filename=inner/f"]).status, 0);
    succeeds("umount", &[inner.0.to_str().unwrap()]);
    let name = device.0.trim_start_matches("/dev/");
    succeeds("wipefs", &["--quiet", "--all", &device.0]);
    let whole = ["--rw", "write", "--size", "100%", "--destroy", name, "--destroy-unknown-content"];
    for more in [&[][..], &["--dry-run"]] {
        sandbox.verify(&[&[device.0.as_str()], &whole[..], more].concat()).refuses(&holes);
    }
}

#[test]
fn what_a_filesystem_sets_aside_for_the_page_cache_is_not_taken_for_what_it_takes() {
    let sandbox = Sandbox::new();
    let (_mounted, _device) = mounted(&sandbox, "xfs", 320);
    let said = sandbox.run(&["run", "--name=a", "--rw=randwrite", "--bs=4k", "--fallocate=none", "--filename=on-xfs/f", "--size=130m"]);
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn devices_on_files_of_one_filesystem_must_have_room_there_together() {
    let sandbox = Sandbox::new();
    let (outer, _device) = mounted(&sandbox, "ext4", 64);
    let devices = ["one", "two"].map(|name| {
        let image = outer.0.join(name);
        std::fs::File::create(&image).unwrap().set_len(40 * MIB).unwrap();
        Loop(common::attach(&[], &image))
    });
    let [one, two] = devices.each_ref().map(|device| device.0.as_str());
    let consents = ["--destroy", kernel_name(one), "--destroy", kernel_name(two)];
    let together = ["has holes", "with all else of this run", "make room where that file lies"];
    let verify = [&["verify", one, two, "--rw", "write", "--time", "2s"], &consents[..]].concat();
    let jobs = ["run", "--rw=write", "--bs=1m", "--name=x", "--filename", one, "--name=y", "--filename", two];
    for words in [&verify[..], &[&jobs[..], &consents].concat()] {
        sandbox.run(words).refuses(&together);
    }
    // The same where one lies beside the file behind the other.
    let beside = ["--name=y", "--filename=on-ext4/file", "--size=40m"];
    let said = sandbox.run(&[&["run", "--rw=write", "--bs=1m", "--name=x", "--filename", one], &consents[..2], &beside].concat());
    said.refuses(&["that of files behind loop devices in it"]);
    // And where both hold filesystems.
    let folders = [one, two].map(|device| {
        succeeds("mkfs.ext4", &["-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", device]);
        let at = Mounted(folder(&sandbox, &format!("in-{}", kernel_name(device))));
        succeeds("mount", &[device, at.0.to_str().unwrap()]);
        at
    });
    let [first, second] = folders.each_ref().map(|at| at.0.to_str().unwrap());
    sandbox.run(&["verify", first, second, "--rw", "write", "--size", "28MiB", "--time", "2s"]).refuses(&together);
    let (free, kept) = (free_bytes(&outer.0), 64 * MIB / 20);
    assert!(free > kept + 28 * MIB, "nothing was written: {free}");
    assert_eq!(sandbox.run(&["verify", first, "--rw", "write", "--size", "8MiB", "--time", "2s"]).status, 3, "each alone has room");
}

#[test]
fn logs_leave_room_where_the_file_of_a_device_lies() {
    let sandbox = Sandbox::new();
    let (outer, _device) = mounted(&sandbox, "ext4", 32);
    let image = outer.0.join("image");
    std::fs::File::create(&image).unwrap().set_len(200 * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    succeeds("mkfs.ext4", &["-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", &device.0]);
    let inner = Mounted(folder(&sandbox, "inner"));
    succeeds("mount", &[&device.0, inner.0.to_str().unwrap()]);
    let job = ["run", "--name=a", "--rw=read", "--bs=512", "--size=300m", "--filename=/dev/zero", "--write_lat_log=inner/log"];
    let said = sandbox.run(&job);
    assert!(said.status != 0 && said.stderr.contains("has no more room than what is left to others"), "{said:?}");
    drop(inner);
    assert!(free_bytes(&outer.0) >= MIB, "{}", free_bytes(&outer.0));
}

#[test]
fn what_is_written_over_elsewhere_must_have_room() {
    let sandbox = Sandbox::new();
    let refuses = |file: &Path, mib: u64, is_refused: bool| {
        let size = format!("--size={mib}m");
        let file = file.to_str().unwrap();
        let name = format!("--filename={file}");
        let said = sandbox.run(&["run", "--name=a", "--rw=randwrite", "--bs=64k", &size, "--dry-run", "--overwrite", file, &name]);
        assert_eq!(said.status == 2 && said.stderr.contains("what is written over takes new room"), is_refused, "{said:?}");
    };
    let (_mounted, _device, on_xfs) = nearly_full(&sandbox, "xfs", [320, 150]);
    refuses(&on_xfs, 150, false);
    let copy = on_xfs.with_file_name("copy");
    succeeds("cp", &["--reflink=always", on_xfs.to_str().unwrap(), copy.to_str().unwrap()]);
    refuses(&copy, 150, true);
    let (_mounted, _device, on_btrfs) = nearly_full(&sandbox, "btrfs", [800, 420]);
    refuses(&on_btrfs, 420, true);
    let [lower, work, merged] = ["lower", "on-btrfs/work", "merged"].map(|name| folder(&sandbox, name));
    let upper = folder(&sandbox, "on-btrfs/upper");
    std::fs::rename(&on_btrfs, upper.join("data")).unwrap();
    let layers = format!("lowerdir={},upperdir={},workdir={}", lower.display(), upper.display(), work.display());
    succeeds("mount", &["-t", "overlay", "-o", &layers, "overlay", merged.to_str().unwrap()]);
    let _overlay = Mounted(merged.clone());
    refuses(&merged.join("data"), 420, true);
    // Subvolumes have numbers of their own, and one room.
    let names = ["one", "other"].map(|name| on_btrfs.with_file_name(name).to_str().unwrap().to_owned());
    names.iter().for_each(|name| succeeds("btrfs", &["subvolume", "create", name]));
    let job = |directories: &[String]| {
        let mut words = vec!["run".to_owned(), "--rw=write".into(), "--size=70m".into(), "--dry-run".into(), "--fallocate=none".into()];
        directories.iter().for_each(|directory| words.extend(["--name=a".into(), format!("--directory={directory}")]));
        sandbox.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!([job(&names[..1]).status, job(&names).status], [0, 2], "{:?}", job(&names));
}

#[test]
fn scratch_files_that_reserve_nothing_must_have_room_together() {
    let sandbox = Sandbox::new();
    let _mounted = mounted(&sandbox, "ext2", 64);
    let sync = |size: &str| sandbox.run(&["sync", "on-ext2", "--runs", "1", "--time", "3s", "--size", size]);
    sync("32MiB").refuses(&["needs ", "MiB are free"]);
    let said = sync("9MiB");
    assert!(matches!(said.status, 0 | 3) && !said.stderr.contains("span"), "{said:?}");
}

#[test]
fn a_scratch_file_of_btrfs_must_have_room_to_be_written_over() {
    let sandbox = Sandbox::new();
    let _mounted = mounted(&sandbox, "btrfs", 320);
    let verify = |size: &str| sandbox.run(&["verify", "on-btrfs", "--rw", "randread", "--runs", "1", "--time", "1s", "--size", size]);
    verify("200MiB").refuses(&["needs 400 MiB"]);
    let folders = ["on-btrfs/one", "on-btrfs/other"];
    folders.iter().for_each(|name| std::fs::create_dir(sandbox.work().join(name)).unwrap());
    let of_two = ["verify", folders[0], folders[1], "--rw", "randwrite", "--runs", "1", "--time", "2s", "--size", "80MiB"];
    sandbox.run(&of_two).refuses(&["needs 240 MiB"]);
    assert!(matches!(verify("32MiB").status, 0 | 3));
}

/// The least that was free on a filesystem while something ran, with what it gave. Bytes.
fn least_free<T>(at: &Path, run: impl FnOnce() -> T) -> (u64, T) {
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| {
            let mut least = u64::MAX;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                least = least.min(free_bytes(at));
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            least
        });
        let given = run();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        (looks.join().unwrap(), given)
    })
}

#[test]
fn writes_that_keep_old_places_in_use_end_before_the_room_of_others() {
    let sandbox = Sandbox::new();
    let (at, _device, _others) = nearly_full(&sandbox, "btrfs", [600, 140]);
    let job = |more: &[&str]| {
        let words = ["run", "--name=a", "--bs=1m", "--size=120m", "--filename=on-btrfs/own", "--direct=1"];
        sandbox.run(&[&words[..], more].concat())
    };
    assert_eq!(job(&["--rw=write", "--end_fsync=1"]).status, 0);
    // Each write leaves a piece of others in use, so that no bound is known beforehand.
    let overlapping = ["--rw=randwrite", "--ba=4k", "--norandommap", "--time_based", "--runtime=40", "--ioengine=libaio", "--iodepth=4"];
    let (least, said) = least_free(&at.0, || job(&overlapping));
    assert!(said.status == 2 && said.stderr.contains("ended so that others have room"), "{said:?}");
    assert!(least > 4 * MIB, "{least} bytes were left: {said:?}");
    let verify = [
        "verify",
        "on-btrfs",
        "--rw",
        "randwrite",
        "--bs",
        "4KiB:60/256KiB:40",
        "--size",
        "30MiB",
        "--time",
        "30s",
        "--runs",
        "2",
        "--depth",
        "4",
    ];
    let (least, said) = least_free(&at.0, || sandbox.run(&verify));
    assert!(least > 4 * MIB, "{least} bytes were left: {said:?}");
}

#[test]
fn a_file_of_which_somebody_makes_a_copy_meanwhile_takes_no_room_of_others() {
    let sandbox = Sandbox::new();
    let (at, _device) = mounted(&sandbox, "xfs", 480);
    let own = at.0.join("own");
    let job = |more: &[&str]| {
        let words = ["run", "--name=a", "--bs=64k", "--size=140m", "--filename=on-xfs/own", "--direct=1", "--overwrite=1"];
        sandbox.begin(&[&words[..], more].concat())
    };
    assert!(job(&["--rw=write"]).wait_with_output().unwrap().status.success());
    let written = || own.metadata().unwrap().modified().unwrap();
    let before = written();
    let running = job(&["--rw=randwrite", "--norandommap", "--time_based", "--runtime=40", "--overwrite", own.to_str().unwrap()]);
    common::witness::wait_until(|| written() > before);
    succeeds("cp", &["--reflink=always", own.to_str().unwrap(), at.0.join("copy").to_str().unwrap()]);
    let filler = std::fs::File::create(at.0.join("filler")).unwrap();
    rustix::fs::fallocate(&filler, rustix::fs::FallocateFlags::empty(), 0, free_bytes(&at.0) - 112 * MIB).unwrap();
    let (least, said) = least_free(&at.0, || common::said(running.wait_with_output().unwrap()));
    assert!(said.status == 2 && said.stderr.contains("ended so that others have room"), "{said:?}");
    assert!(least > 4 * MIB, "{least} bytes were left: {said:?}");
}

#[test]
fn an_image_that_shares_its_blocks_must_have_room_where_it_lies() {
    let sandbox = Sandbox::new();
    let (at, _device, file) = nearly_full(&sandbox, "xfs", [320, 150]);
    let copy = at.0.join("copy");
    succeeds("cp", &["--reflink=always", file.to_str().unwrap(), copy.to_str().unwrap()]);
    let device = Loop(common::attach(&[], &copy));
    let name = device.0.trim_start_matches("/dev/").to_owned();
    let whole = ["--rw", "write", "--size", "100%", "--destroy", &name, "--destroy-unknown-content", "--dry-run"];
    sandbox.verify(&[&[device.0.as_str()], &whole[..]].concat()).refuses(&["is not written in place", "make room where that file lies"]);
}

#[test]
fn what_is_reserved_for_root_and_the_room_of_others_is_not_taken() {
    let sandbox = Sandbox::new();
    let (at, _device) = mounted(&sandbox, "ext4", 128);
    let room = rustix::fs::statvfs(&at.0).unwrap();
    let [free, all] = [room.f_bavail, room.f_blocks].map(|blocks| blocks * room.f_frsize);
    let job = |bytes: u64| {
        sandbox.run(&[
            "run",
            "--name=a",
            "--rw=write",
            "--bs=64k",
            "--filename=on-ext4/f",
            "--dry-run",
            &format!("--size={}", bytes >> 16 << 16),
        ])
    };
    assert_eq!(job(free - all / 20 - MIB).status, 0);
    let said = job(free - MIB);
    assert!(said.status == 2 && said.stderr.contains("are left to others"), "{said:?}");
    let said =
        sandbox.run(&["run", "--name=a", "--rw=write", "--bs=64k", "--filename=on-ext4/f", "--size=1g", "--fill_device=1", "--dry-run"]);
    assert_eq!(said.status, 0, "it is to meet the end: {said:?}");
}

#[test]
fn a_file_that_lies_elsewhere_is_written_by_whoever_knows_that_nobody_uses_it() {
    let sandbox = Sandbox::new();
    let (below, above) = (folder(&sandbox, "below"), folder(&sandbox, "above"));
    succeeds("bindfs", &[below.to_str().unwrap(), above.to_str().unwrap()]);
    let _mounted = Mounted(above);
    std::fs::write(below.join("data"), vec![7; 1 << 20]).unwrap();
    let _open = std::fs::OpenOptions::new().write(true).open(below.join("data")).unwrap();
    let words = ["run", "--name=a", "--rw=write", "--size=1m", "--filename=above/data", "--overwrite=above/data"];
    sandbox.run(&words).refuses(&["FUSE does not say who has it open", "--destroy-unseen-users"]);
    assert_eq!(std::fs::read(below.join("data")).unwrap(), vec![7; 1 << 20]);
    assert_eq!(sandbox.run(&[&words[..], &["--destroy-unseen-users"]].concat()).status, 0);
}

#[test]
fn files_that_take_more_than_their_size_leave_room_to_others() {
    let sandbox = Sandbox::new();
    // Its clusters are larger than the blocks that it tells.
    let (image, clusters) = (sandbox.work().join("clusters"), folder(&sandbox, "on-clusters"));
    std::fs::File::create(&image).unwrap().set_len(64 * MIB).unwrap();
    let device = Loop(common::attach(&[], &image));
    succeeds("mkfs.ext4", &["-q", "-m", "0", "-N", "1000", "-O", "bigalloc", "-C", "1048576", &device.0]);
    succeeds("mount", &[&device.0, clusters.to_str().unwrap()]);
    let _clusters = Mounted(clusters.clone());
    let many = ["run", "--name=a", "--rw=write", "--bs=4k", "--filesize=4k", "--nrfiles=70", "--size=280k", "--directory=on-clusters"];
    sandbox.run(&many).refuses(&["takes more room of its filesystem than its size"]);
    assert!(free_bytes(&clusters) > 40 * MIB, "what was made is gone");
}

#[test]
fn a_new_file_that_gets_its_room_while_it_is_written_may_take_all_that_is_not_left_to_others() {
    let sandbox = Sandbox::new();
    for (kind, mib) in [("btrfs", 600), ("xfs", 320)] {
        let (at, _device) = mounted(&sandbox, kind, mib);
        let size = format!("--size={}", free_bytes(&at.0) / 4 / MIB * 3 * MIB);
        let name = format!("--filename={}", at.0.join("f").display());
        let said = sandbox.run(&["run", "--name=a", "--rw=write", "--bs=1m", "--fallocate=none", "--end_fsync=1", &size, &name]);
        assert_eq!(said.status, 0, "{kind}: {said:?}");
    }
}

fn free_bytes(at: &Path) -> u64 {
    let room = rustix::fs::statvfs(at).unwrap();
    room.f_bavail * room.f_frsize
}

#[test]
fn a_witness_leaves_room_to_others() {
    let sandbox = Sandbox::new();
    let (full, _device) = mounted(&sandbox, "ext4", 32);
    let room = || {
        let told = rustix::fs::statvfs(&full.0).unwrap();
        (told.f_bavail * told.f_frsize, told.f_blocks * told.f_frsize / 20)
    };
    // Of the room that is not left to others a few sessions take all.
    let (free, kept) = room();
    let filler = std::fs::File::create(full.0.join("filler")).unwrap();
    rustix::fs::fallocate(&filler, rustix::fs::FallocateFlags::empty(), 0, free - kept - 256 * 1024).unwrap();
    std::fs::write(sandbox.work().join("cut"), vec![0; 8 * MIB as usize]).unwrap();
    let witness = Witness::listening(&sandbox, "127.0.0.1:0", &["--dir", full.0.join("kept").to_str().unwrap()]);
    let words = ["powercut", "write", "cut", "--overwrite", "cut", "--witness", &witness.address, "--time", "3s"];
    let refused = (0..20).map(|_| sandbox.run(&words)).find(|said| said.stderr.contains("no more room than what is left to others"));
    let (free, kept) = room();
    assert!(refused.as_ref().is_some_and(|said| said.status != 0) && free + 65536 >= kept, "{free} of {kept}: {refused:?}");
}

fn kernel_name(device: &str) -> &str {
    device.trim_start_matches("/dev/")
}
