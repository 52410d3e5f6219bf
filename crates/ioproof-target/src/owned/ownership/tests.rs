//! Tests of ownership: the ledger and the attribute agree, and nobody wrote since.

use super::*;
use crate::block::tree::folder_on_a_drive;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;

fn file(path: &Path) -> File {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap()
}

/// A file that ioproof made and whose job wrote this.
fn made_file(made: &OwnFiles, path: &Path, content: &[u8]) -> File {
    let mut data = file(path);
    made.note(&data, path).unwrap();
    data.write_all(content).unwrap();
    data
}

#[test]
fn a_file_is_ours_while_nobody_changes_it() {
    let folder = folder_on_a_drive();
    let made = OwnFiles::new(folder.path().join("state/made"));
    let path = folder.path().join("data");
    assert_eq!(made.claim(file(&path)), Claim::Foreign);
    let data = made_file(&made, &path, b"by the job");
    assert_eq!(made.claim(&data), Claim::Changed, "its job goes on, or was killed");
    made.settle(&[&data]).unwrap();
    assert_eq!([made.claim(&data), made.claim(file(&path))], [Claim::Ours; 2]);
    std::fs::write(&path, "by somebody else").unwrap();
    assert_eq!(made.claim(file(&path)), Claim::Changed);
}

/// The times of a file's content as they were, which anybody may set who may write.
fn set_back(file: &File, before: &Stat) {
    let time = |s: i64, ns: i64| rustix::fs::Timespec { tv_sec: s, tv_nsec: ns };
    let times = rustix::fs::Timestamps {
        last_access: time(before.st_atime, before.st_atime_nsec as i64),
        last_modification: time(before.st_mtime, before.st_mtime_nsec as i64),
    };
    rustix::fs::futimens(file, &times).unwrap();
}

/// A file that was settled and then changed.
fn claim_after(change: impl Fn(&File, &Path)) -> Claim {
    let folder = folder_on_a_drive();
    let made = OwnFiles::new(folder.path().join("made"));
    let path = folder.path().join("data");
    let data = made_file(&made, &path, b"by the job");
    made.settle(&[&data]).unwrap();
    let before = rustix::fs::fstat(&data).unwrap();
    change(&data, &path);
    set_back(&data, &before);
    assert_eq!(Left::of(&rustix::fs::fstat(&data).unwrap()).modified_ns, Left::of(&before).modified_ns);
    made.claim(file(&path))
}

#[test]
fn a_change_is_seen_though_the_time_of_the_content_was_set_back() {
    assert_eq!(claim_after(|data, _| data.write_all_at(b"mine", 0).unwrap()), Claim::Changed);
    // As `cp -p` does it.
    assert_eq!(claim_after(|_, path| std::fs::write(path, b"ten bytes.").unwrap()), Claim::Changed);
    assert_eq!(claim_after(|data, _| data.set_len(4).and_then(|()| data.set_len(10)).unwrap()), Claim::Changed);
}

#[test]
fn whoever_only_reads_it_leaves_it_ours() {
    let folder = folder_on_a_drive();
    let made = OwnFiles::new(folder.path().join("made"));
    let path = folder.path().join("data");
    let data = made_file(&made, &path, b"by the job");
    made.settle(&[&data]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"by the job");
    // What the page cache held reaches the drive, and the last descriptor is closed.
    data.sync_all().unwrap();
    drop(data);
    rustix::fs::sync();
    assert_eq!(made.claim(file(&path)), Claim::Ours);
}

#[test]
fn a_change_right_after_the_end_of_the_job_is_seen() {
    for _ in 0..20 {
        let folder = folder_on_a_drive();
        let made = OwnFiles::new(folder.path().join("made"));
        let path = folder.path().join("data");
        let data = made_file(&made, &path, b"by the job");
        made.settle(&[&data]).unwrap();
        data.write_all_at(b"at once", 0).unwrap();
        assert_eq!(made.claim(&data), Claim::Changed);
    }
}

#[test]
fn a_line_that_does_not_know_all_times_and_this_start_of_the_machine_proves_nothing() {
    let folder = folder_on_a_drive();
    let ledger = folder.path().join("made");
    let made = OwnFiles::new(ledger.clone());
    let path = folder.path().join("data");
    let data = made_file(&made, &path, b"by the job");
    made.settle(&[&data]).unwrap();
    let text = std::fs::read_to_string(&ledger).unwrap();
    let Left { changed_ns, .. } = Left::of(&rustix::fs::fstat(&data).unwrap());
    let boot = text.split([' ', '/']).find(|word| word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit())).unwrap();
    assert!(text.contains(&format!("/{changed_ns}/{boot} ")), "{text}");
    let less = [format!("/{changed_ns}/{boot}"), format!("/{boot}")].map(|words| text.replace(&words, ""));
    for line in less.into_iter().chain([text.replace(boot, &"0".repeat(32))]) {
        std::fs::write(&ledger, &line).unwrap();
        assert_eq!(OwnFiles::new(ledger.clone()).claim(&data), Claim::Changed, "not of this start of the machine: {line}");
    }
    std::fs::write(&ledger, text).unwrap();
    assert_eq!(OwnFiles::new(ledger).claim(&data), Claim::Ours);
}

#[test]
fn neither_a_copy_nor_a_file_in_its_place_is_ours() {
    let folder = folder_on_a_drive();
    let made = OwnFiles::new(folder.path().join("made"));
    let path = folder.path().join("data");
    made.settle(&[made_file(&made, &path, b"")]).unwrap();
    let copy = folder.path().join("copy");
    let status = std::process::Command::new("cp").args(["-a".as_ref(), path.as_os_str(), copy.as_os_str()]).status().unwrap();
    assert!(status.success());
    assert_eq!([made.claim(file(&copy)), made.claim(file(&path))], [Claim::Unknown, Claim::Ours]);
    std::fs::rename(&copy, &path).unwrap();
    assert_eq!(made.claim(file(&path)), Claim::Unknown);
}

#[test]
fn a_damaged_ledger_makes_nothing_ours() {
    let folder = folder_on_a_drive();
    let ledger = folder.path().join("made");
    let made = OwnFiles::new(ledger.clone());
    let path = folder.path().join("data");
    made.settle(&[made_file(&made, &path, b"x")]).unwrap();
    let good = std::fs::read(&ledger).unwrap();
    for damaged in [&good[..good.len() / 2], b"\xff\xfe \n\n1 2 3", b""] {
        std::fs::write(&ledger, damaged).unwrap();
        assert_eq!([made.claim(file(&path)), OwnFiles::new(ledger.clone()).claim(file(&path))], [Claim::Unknown; 2]);
    }
    std::fs::remove_file(&ledger).unwrap();
    assert_eq!(made.claim(file(&path)), Claim::Unknown);
}

#[test]
fn a_line_without_its_end_does_not_harm_the_next() {
    let folder = folder_on_a_drive();
    let ledger = folder.path().join("made");
    let made = OwnFiles::new(ledger.clone());
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    made.settle(&[made_file(&made, &one, b"x")]).unwrap();
    let good = std::fs::read(&ledger).unwrap();
    for cut in 1..good.len() {
        // A kill in the midst of the second line of two that are alike.
        std::fs::write(&ledger, [&good, &good[..cut]].concat()).unwrap();
        let made = OwnFiles::new(ledger.clone());
        assert_eq!(made.claim(file(&one)), Claim::Ours, "{cut}");
        made.note(file(&two), &two).unwrap();
        assert!(made.has_noted(file(&two)), "{cut}");
        assert_eq!(made.claim(file(&one)), Claim::Ours, "{cut}");
    }
}

#[test]
fn what_is_gone_or_replaced_leaves_the_ledger() {
    let folder = folder_on_a_drive();
    let ledger = folder.path().join("made");
    let made = OwnFiles::new(ledger.clone());
    let [one, two, three] = ["one", "two", "three"].map(|name| folder.path().join(name));
    let _held: Vec<File> = [&one, &two, &three].map(|path| made_file(&made, path, b"")).into();
    std::fs::remove_file(&one).unwrap();
    std::fs::rename(&three, folder.path().join("moved")).unwrap();
    std::fs::write(&three, "of somebody else").unwrap();
    made.settle::<File>(&[]).unwrap();
    let left: Vec<Entry> = std::fs::read(&ledger).unwrap().split(|b| *b == b'\n').filter_map(Entry::read).collect();
    assert_eq!(left.iter().map(Entry::path).collect::<Vec<_>>(), [two.as_path()]);
}

#[test]
fn lines_of_others_stay_in_the_ledger() {
    let folder = folder_on_a_drive();
    let ledger = folder.path().join("made");
    std::fs::write(&ledger, "a line of another version\n\n").unwrap();
    let made = OwnFiles::new(ledger.clone());
    let data = made_file(&made, &folder.path().join("data"), b"x");
    made.settle(&[&data]).unwrap();
    made.settle(&[&data]).unwrap();
    let text = std::fs::read_to_string(&ledger).unwrap();
    assert_eq!(text.matches("a line of another version\n").count(), 1, "{text}");
    assert_eq!((text.lines().count(), made.claim(&data)), (2, Claim::Ours));
}

#[test]
fn two_runs_share_the_ledger() {
    let folder = folder_on_a_drive();
    let runs = [0, 1].map(|_| OwnFiles::new(folder.path().join("made")));
    let paths = ["a", "b", "c", "d"].map(|name| folder.path().join(name));
    let files: Vec<File> = paths.iter().enumerate().map(|(at, path)| made_file(&runs[at % 2], path, b"x")).collect();
    runs[0].settle(&[&files[0], &files[2]]).unwrap();
    let later = folder.path().join("later");
    let late = made_file(&runs[1], &later, b"x");
    runs[1].settle(&[&files[1], &files[3], &late]).unwrap();
    for made in &runs {
        assert!(files.iter().chain([&late]).all(|file| made.claim(file) == Claim::Ours));
    }
}

#[test]
fn a_path_is_noted_whole() {
    let folder = folder_on_a_drive();
    let ledger = folder.path().join("made");
    let made = OwnFiles::new(ledger.clone());
    let data = file(&folder.path().join("data"));
    made.note(&data, Path::new("some/where")).unwrap();
    let entries: Vec<Entry> = std::fs::read(&ledger).unwrap().split(|b| *b == b'\n').filter_map(Entry::read).collect();
    assert!(entries[0].path().is_absolute() && entries[0].path().ends_with("some/where"), "{entries:?}");
}

#[test]
fn zeros_and_lengths_are_somebodys_once_a_job_has_left_a_file_or_a_run_has_seen_the_change() {
    let folder = folder_on_a_drive();
    let ledger = folder.path().join("made");
    for is_left_before in [true, false] {
        let made = OwnFiles::new(ledger.clone());
        let data = made_file(&made, &folder.path().join(format!("{is_left_before}")), &[0; 4096]);
        if is_left_before {
            made.settle(&[&data]).unwrap();
        }
        made.leave([&data]);
        data.set_len(8192).unwrap();
        assert_eq!(made.claim(&data), Claim::Changed, "{is_left_before}");
        made.settle(&[&data]).unwrap();
        let later = OwnFiles::new(ledger.clone());
        assert_eq!(later.claim(&data), Claim::Changed, "{is_left_before}");
    }
}

#[test]
fn a_file_of_a_killed_run_takes_consent_whatever_is_in_it() {
    let folder = folder_on_a_drive();
    let ledger = folder.path().join("made");
    let made = OwnFiles::new(ledger.clone());
    let data = made_file(&made, &folder.path().join("data"), b"");
    assert!(made.claim(&data) == Claim::Changed && made.is_unfinished(&data), "it is empty");
    data.set_len(4096).unwrap();
    assert_eq!(made.claim(&data), Claim::Changed, "it reads as zeros");
    made.settle(&[&data]).unwrap();
    assert!(made.claim(&data) == Claim::Ours && !made.is_unfinished(&data));
    made.begin(&data);
    let later = OwnFiles::new(ledger);
    assert!(later.claim(&data) == Claim::Changed && later.is_unfinished(&data), "it was laid out anew");
    // Nor is a file ours that only looks so.
    let other = folder.path().join("other");
    std::fs::write(&other, vec![0; 4096]).unwrap();
    assert_eq!(made.claim(file(&other)), Claim::Foreign);
    rustix::fs::fsetxattr(file(&other), ATTRIBUTE, b"token", XattrFlags::empty()).unwrap();
    assert_eq!(made.claim(file(&other)), Claim::Unknown);
}

#[test]
fn a_file_that_had_no_name_while_another_run_settled_is_ours_all_the_same() {
    let folder = folder_on_a_drive();
    let runs = [0, 1].map(|_| OwnFiles::new(folder.path().join("made")));
    let path = folder.path().join("data");
    let data = file(&folder.path().join("without-its-name-yet"));
    runs[0].note(&data, &path).unwrap();
    runs[1].settle::<File>(&[]).unwrap();
    std::fs::rename(folder.path().join("without-its-name-yet"), &path).unwrap();
    (&data).write_all(b"by the job").unwrap();
    runs[0].settle(&[&data]).unwrap();
    assert_eq!(OwnFiles::new(folder.path().join("made")).claim(&data), Claim::Ours);
}

#[test]
fn a_ledger_is_written_through_no_link() {
    let folder = folder_on_a_drive();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("precious"), "precious").unwrap();
    std::os::unix::fs::symlink("precious", at("made")).unwrap();
    let own = OwnFiles::new(at("made"));
    let data = file(&at("data"));
    assert!(own.note(&data, &at("data")).is_err() && own.claim(&data) == Claim::Foreign);
    std::fs::remove_file(at("made")).unwrap();
    std::os::unix::fs::symlink("precious", at("made.new")).unwrap();
    own.note(&data, &at("data")).unwrap();
    own.settle(&[&data]).unwrap();
    assert_eq!(own.claim(&data), Claim::Ours);
    assert_eq!(std::fs::read(at("precious")).unwrap(), b"precious");
}

#[test]
fn a_second_name_of_the_ledger_keeps_what_it_had() {
    let folder = folder_on_a_drive();
    let at = |name: &str| folder.path().join(name);
    let own = OwnFiles::new(at("made"));
    let first = made_file(&own, &at("first"), b"x");
    own.settle(&[&first]).unwrap();
    std::fs::hard_link(at("made"), at("snapshot")).unwrap();
    let before = std::fs::read(at("made")).unwrap();
    // Not yet by its name, as a file is noted when it is made.
    let second = file(&at("without-its-name-yet"));
    own.note(&second, &at("second")).unwrap();
    assert!(own.has_noted(&second) && own.claim(&first) == Claim::Ours);
    std::fs::rename(at("without-its-name-yet"), at("second")).unwrap();
    own.settle(&[&first, &second]).unwrap();
    assert_eq!([own.claim(&first), own.claim(&second)], [Claim::Ours; 2]);
    assert_eq!(std::fs::read(at("snapshot")).unwrap(), before);
}
