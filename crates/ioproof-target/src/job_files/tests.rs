//! The files of jobs are opened, made and given up as the write rule has it.

use super::*;
use crate::block::tree::folder_on_a_drive;
use std::io::Write;

mod named;

const WRITE: OpenRequest =
    OpenRequest { write: true, only_grows: false, direct: false, size_bytes: 65536, space: Space::Reserved, whole: true, make: true };
const READ: OpenRequest = OpenRequest { write: false, make: false, size_bytes: 0, ..WRITE };

fn files<'a>(system: &'a System, folder: &Path, consent: &Consent) -> JobFiles<'a> {
    JobFiles::new(system, consent, &[], OwnFiles::new(folder.join("state/made")))
}

/// Something that a job writes.
fn job_writes(files: &JobFiles<'_>, opened: &Opened) {
    let _writing = files.writes().begin(&[&opened.handle]).unwrap();
    rustix::io::pwrite(&opened.handle, b"something", 100).unwrap();
}

#[test]
fn a_file_that_is_not_there_is_made_and_may_be_written_again() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("job.0.0"));
    for _ in 0..2 {
        let mut files = files(&system, folder.path(), &Consent::default());
        let mut opened = files.open(&path, WRITE).unwrap();
        assert!(opened.handle.may_write() && opened.handle.size_bytes() == 65536 && !opened.handle.direct());
        job_writes(&files, &opened);
        files.settle([&mut opened.handle]).unwrap();
    }
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 65536);
    // Somebody writes into it: from here on it is his.
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"mine").unwrap();
    let error = files(&system, folder.path(), &Consent::default()).open(&path, WRITE).unwrap_err();
    assert!(error.to_string().contains("exists, so it is only read"), "{error}");
}

#[test]
fn a_file_of_somebody_else_takes_consent() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("data"));
    std::fs::write(&path, vec![7u8; 65536]).unwrap();
    let refused = |consent: Consent| files(&system, folder.path(), &consent).open(&path, WRITE).is_err();
    assert!(refused(Consent::default()));
    assert!(refused(Consent { overwrite: vec![folder.path().join("other")], ..Consent::default() }));
    assert!(!refused(Consent { overwrite: vec![path.clone()], ..Consent::default() }));
    assert!(!refused(Consent { overwrite_all_in: vec![folder.path().to_path_buf()], ..Consent::default() }));
    let read = files(&system, folder.path(), &Consent::default()).open(&path, READ).unwrap();
    assert!(!read.handle.may_write() && read.content_bytes == 65536);
    assert_eq!(std::fs::read(&path).unwrap(), vec![7u8; 65536]);
}

#[test]
fn a_killed_run_leaves_a_file_that_takes_consent() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("job.0.0"));
    for is_written in [false, true] {
        if is_written {
            let consent = Consent { overwrite: vec![path.clone()], ..Consent::default() };
            let opened = files(&system, folder.path(), &consent).open(&path, WRITE).unwrap();
            rustix::io::pwrite(&opened.handle, b"something", 100).unwrap();
        } else {
            files(&system, folder.path(), &Consent::default()).open(&path, WRITE).unwrap();
        }
        let error = files(&system, folder.path(), &Consent::default()).open(&path, WRITE).unwrap_err();
        assert!(error.to_string().contains("an earlier run of ioproof made it"), "{error}");
        assert!(error.hint().unwrap().contains("if nobody changed it since, add --overwrite"), "{error}");
    }
}

#[test]
fn what_somebody_put_in_the_place_of_a_made_file_stays() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("job.0.0"));
    let mut files = files(&system, folder.path(), &Consent::default());
    files.open(&path, WRITE).unwrap();
    std::fs::rename(&path, folder.path().join("moved")).unwrap();
    std::fs::write(&path, "of somebody else").unwrap();
    assert!(!files.remove(&path).unwrap());
    files.abandon();
    assert_eq!(std::fs::read(&path).unwrap(), b"of somebody else");
}

#[test]
fn a_file_grows_as_it_is_written_until_somebody_wants_it_whole() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("job.0.0"));
    let mut files = files(&system, folder.path(), &Consent::default());
    let growing = OpenRequest { space: Space::Sparse, whole: false, ..WRITE };
    let length = || std::fs::metadata(&path).unwrap().len();
    let opened = files.open(&path, growing).unwrap();
    assert_eq!((opened.handle.size_bytes(), length()), (65536, 0));
    files.open(&path, WRITE).unwrap();
    assert_eq!(length(), 65536);
}

#[test]
fn files_of_one_filesystem_are_described_alike_and_each_by_its_own_name() {
    let folder = folder_on_a_drive();
    let system = System::host();
    let mut files = files(&system, folder.path(), &Consent::default());
    let [a, b] = ["a", "b"].map(|name| files.open(&folder.path().join(name), WRITE).unwrap().facts);
    assert!(a.resolved.ends_with("/a") && b.resolved.ends_with("/b") && b.given.ends_with("/b"));
    assert_eq!((&a.filesystem, &a.stack, a.alignment_bytes), (&b.filesystem, &b.stack, b.alignment_bytes));
}

#[test]
fn jobs_share_a_file_and_each_has_its_own_way_through_the_cache() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("shared"));
    let mut files = files(&system, folder.path(), &Consent::default());
    let mut cached = files.open(&path, WRITE).unwrap();
    let mut direct = files.open(&folder.path().join("./shared"), OpenRequest { direct: true, ..WRITE }).unwrap();
    assert!(!cached.handle.direct() && direct.handle.direct() && direct.facts.direct);
    assert_eq!((cached.handle.alignment_bytes(), direct.handle.alignment_bytes() >= 512), (1, true));
    assert_eq!(cached.handle.again(true).unwrap().alignment_bytes(), direct.handle.alignment_bytes());
    let mut larger = files.open(&path, OpenRequest { size_bytes: 1 << 20, ..WRITE }).unwrap();
    assert_eq!((larger.handle.size_bytes(), larger.content_bytes), (1 << 20, 0));
    files.settle([&mut cached.handle, &mut direct.handle, &mut larger.handle]).unwrap();
    assert!(files.remove(&path).unwrap() && !path.exists());
    let other = folder.path().join("other");
    files.open(&other, WRITE).unwrap();
    files.abandon();
    assert!(!other.exists());
}

#[test]
fn what_is_too_small_or_not_there_is_said() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("small"));
    std::fs::write(&path, b"12345").unwrap();
    let mut files = files(&system, folder.path(), &Consent::default());
    let error = files.open(&path, OpenRequest { only_grows: true, ..WRITE }).unwrap_err();
    assert!(error.to_string().contains("has 5 B and the job needs 64 KiB (size=), so the job would make it larger"), "{error}");
    assert!(error.hint().unwrap().contains("make size= smaller, or add --overwrite"), "{error}");
    let error = files.open(&path, OpenRequest { size_bytes: 4096, ..READ }).unwrap_err().to_string();
    assert!(error.contains("has 5 B and the job needs 4 KiB (size=)"), "{error}");
    assert!(matches!(files.open(&folder.path().join("none"), READ), Err(TargetError::Missing(_))));
    assert!(matches!(files.open(Path::new("/dev/no-such-disk"), WRITE), Err(TargetError::Missing(_))));
    assert!(files.open(&path.join("below/f"), WRITE).is_err());
    assert!(!files.remove(&path).unwrap() && path.exists());
}

#[test]
fn generators_are_opened_as_they_are() {
    let folder = folder_on_a_drive();
    let system = System::host();
    let mut files = files(&system, folder.path(), &Consent::default());
    let zero = files.open(Path::new("/dev/zero"), OpenRequest { direct: true, ..READ }).unwrap();
    assert!(zero.handle.may_read() && !zero.handle.direct());
    assert!(files.open(Path::new("/dev/null"), OpenRequest { direct: true, ..WRITE }).unwrap().handle.may_write());
}

#[test]
fn folders_that_are_not_there_are_made_and_given_up_with_the_file() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("a/b/file"));
    let mut files = files(&system, folder.path(), &Consent::default());
    files.open(&path, WRITE).unwrap();
    assert!(path.is_file());
    files.abandon();
    assert!(!folder.path().join("a").exists());
}

#[test]
fn without_a_place_for_the_ledger_files_are_made_and_are_nobodys() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    std::fs::write(folder.path().join("no-folder"), "x").unwrap();
    for made in [|_: &Path| OwnFiles::nowhere(), |folder: &Path| OwnFiles::new(folder.join("no-folder/made"))] {
        let mut first = JobFiles::new(&system, &Consent::default(), &[], made(folder.path()));
        first.open(&path, WRITE).unwrap();
        assert!(first.warning().unwrap().contains("takes --overwrite"));
        drop(first);
        let mut second = JobFiles::new(&system, &Consent::default(), &[], made(folder.path()));
        assert!(second.open(&path, WRITE).unwrap_err().to_string().contains("exists, so it is only read"));
        assert!(second.open(&path, READ).is_ok() && second.settle([]).is_ok() && second.warning().is_none());
        std::fs::remove_file(&path).unwrap();
    }
}

/// A job that reads a file and may have it made.
const READ_OR_MAKE: OpenRequest = OpenRequest { write: false, ..WRITE };

#[test]
fn a_file_that_was_not_laid_out_to_its_end_is_laid_out_anew_with_consent() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    files(&system, folder.path(), &Consent::default()).open(&path, READ_OR_MAKE).unwrap();
    let error = files(&system, folder.path(), &Consent::default()).open(&path, READ_OR_MAKE).unwrap_err();
    assert!(error.to_string().contains("an earlier run of ioproof made it"), "{error}");
    let mut next = files(&system, folder.path(), &Consent { overwrite: vec![path.clone()], ..Consent::default() });
    let opened = next.open(&path, READ_OR_MAKE).unwrap();
    assert_eq!((opened.content_bytes, opened.handle.may_write()), (0, true));
    let mut content = vec![0; 65536];
    let stat = rustix::fs::fstat(&opened.handle).unwrap();
    crate::signs::laid_out::fill((stat.st_dev, stat.st_ino), 0, &mut content);
    rustix::io::pwrite(&opened.handle, &content, 0).unwrap();
    next.filled(&path);
    next.laid_out();
    drop((opened, next));
    let opened = files(&system, folder.path(), &Consent::default()).open(&path, READ_OR_MAKE).unwrap();
    assert_eq!((opened.content_bytes, opened.handle.may_write()), (65536, false), "it is whole, though its run was killed");
}

#[test]
fn what_a_killed_job_wrote_is_read_where_it_need_not_be_made() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    let opened = files(&system, folder.path(), &Consent::default()).open(&path, WRITE).unwrap();
    rustix::io::pwrite(&opened.handle, b"something", 100).unwrap();
    drop(opened);
    assert!(files(&system, folder.path(), &Consent::default()).open(&path, READ_OR_MAKE).is_err());
    let opened = files(&system, folder.path(), &Consent::default()).open(&path, READ_ALL).unwrap();
    assert_eq!((opened.content_bytes, opened.handle.may_write()), (65536, false));
}

#[test]
fn a_file_that_another_run_is_making_is_left_to_it() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    let mut first = files(&system, folder.path(), &Consent::default());
    first.open(&path, READ_OR_MAKE).unwrap();
    for request in [READ_OR_MAKE, WRITE] {
        let error = files(&system, folder.path(), &Consent::default()).open(&path, request).unwrap_err();
        assert!(error.to_string().contains("another run of ioproof is making this file"), "{error}");
    }
    // From here on its jobs are at work on it, and others may read it.
    first.laid_out();
    let opened = files(&system, folder.path(), &Consent::default()).open(&path, READ_OR_MAKE).unwrap();
    assert_eq!((opened.content_bytes, opened.handle.may_write()), (65536, false));
}

#[test]
fn what_was_made_larger_by_a_run_that_did_not_begin_stays_ours() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    let mut first = files(&system, folder.path(), &Consent::default());
    let mut opened = first.open(&path, WRITE).unwrap();
    job_writes(&first, &opened);
    first.settle([&mut opened.handle]).unwrap();
    drop((opened, first));
    let mut second = files(&system, folder.path(), &Consent::default());
    second.open(&path, OpenRequest { size_bytes: 1 << 20, ..WRITE }).unwrap();
    assert_eq!(path.metadata().unwrap().len(), 1 << 20);
    second.abandon();
    drop(second);
    assert_eq!(path.metadata().unwrap().len(), 65536);
    assert!(files(&system, folder.path(), &Consent::default()).open(&path, WRITE).is_ok());
}

#[test]
fn consent_to_write_what_somebody_changed_lasts_for_the_run_that_writes_it() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    let mut first = files(&system, folder.path(), &Consent::default());
    first.open(&path, WRITE).unwrap();
    first.settle([]).unwrap();
    drop(first);
    std::fs::write(&path, vec![7u8; 65536]).unwrap();
    let consent = Consent { overwrite: vec![path.clone()], ..Consent::default() };
    let mut second = files(&system, folder.path(), &consent);
    second.open(&path, OpenRequest { size_bytes: 1 << 20, ..WRITE }).unwrap();
    // It is laid out and killed, or does not begin.
    second.filled(&path);
    second.laid_out();
    second.abandon();
    drop(second);
    assert!(files(&system, folder.path(), &Consent::default()).open(&path, WRITE).is_err());
    assert_eq!(std::fs::read(&path).unwrap()[..65536], vec![7u8; 65536]);
}

/// A job that reads a file that is there.
const READ_ALL: OpenRequest = OpenRequest { size_bytes: 65536, ..READ };

#[test]
fn a_change_between_two_jobs_is_seen_unless_it_may_be_lost() {
    let folder = folder_on_a_drive();
    let system = System::host();
    let path = folder.path().join("data");
    for (overwrite, is_seen) in [(vec![], true), (vec![path.clone()], false)] {
        let mut files = files(&system, folder.path(), &Consent { overwrite, ..Consent::default() });
        let opened = files.open(&path, WRITE).unwrap();
        files.laid_out();
        assert!(files.writes().begin(&[&opened.handle]).is_ok());
        std::fs::write(&path, vec![1; 65536]).unwrap();
        assert_eq!(files.writes().begin(&[&opened.handle]).is_err(), is_seen);
        files.settle([]).unwrap();
    }
}

#[test]
fn only_a_file_as_its_job_left_it_is_removed() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("f"));
    let made = || {
        let mut first = files(&system, folder.path(), &Consent::default());
        let mut opened = first.open(&path, WRITE).unwrap();
        job_writes(&first, &opened);
        first.settle([&mut opened.handle]).unwrap();
    };
    let removed = || {
        let mut second = files(&system, folder.path(), &Consent::default());
        second.open(&path, READ_ALL).unwrap();
        second.settle([]).unwrap();
        second.remove(&path).unwrap()
    };
    made();
    std::fs::write(&path, vec![3u8; 65536]).unwrap();
    assert!(!removed() && std::fs::read(&path).unwrap() == vec![3u8; 65536], "it is somebody's by now");
    std::fs::remove_file(&path).unwrap();
    made();
    assert!(removed() && !path.exists());
}

#[test]
fn a_file_that_somebody_has_open_for_writing_when_its_job_ends_is_not_ours() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("f"));
    for is_in_use in [true, false] {
        let mut first = files(&system, folder.path(), &Consent::default());
        let mut opened = first.open(&path, WRITE).unwrap();
        // This very process is left out where processes are looked at, so nobody sees it but the kernel, as if it were beyond a container.
        let user = is_in_use.then(|| std::fs::File::options().write(true).open(&path).unwrap());
        job_writes(&first, &opened);
        first.settle([&mut opened.handle]).unwrap();
        assert_eq!(first.remove(&path).unwrap(), !is_in_use);
        drop((user, first));
        assert_eq!(files(&system, folder.path(), &Consent::default()).open(&path, WRITE).is_err(), is_in_use);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_file_that_takes_the_place_of_one_that_is_removed_stays() {
    let folder = folder_on_a_drive();
    let (system, path, other) = (System::host(), folder.path().join("f"), folder.path().join("other"));
    let mut files = files(&system, folder.path(), &Consent::default());
    files.open(&path, WRITE).unwrap();
    files.settle([]).unwrap();
    std::fs::write(&other, "of somebody else").unwrap();
    let (from, to) = (other, path.clone());
    crate::owned::held_folder::race::then(move || std::fs::rename(from, to).unwrap());
    assert!(!files.remove(&path).unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), b"of somebody else");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(!files.remove(&link).unwrap() && link.symlink_metadata().is_ok());
}

#[test]
fn without_a_ledger_what_this_run_made_is_removed_and_what_changed_since_stays() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("f"));
    for changed in [true, false] {
        let mut files = JobFiles::new(&system, &Consent::default(), &[], OwnFiles::nowhere());
        files.open(&path, WRITE).unwrap();
        files.settle([]).unwrap();
        if changed {
            std::fs::write(&path, "mine").unwrap();
        }
        assert_eq!(files.remove(&path).unwrap(), !changed);
        assert_eq!(path.exists(), changed);
        let _ = std::fs::remove_file(&path);
    }
}

#[test]
fn a_file_that_no_job_wrote_and_somebody_changed_is_not_ours_whatever_he_agreed_to_before() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("data"));
    let open = |consent: &Consent| {
        let mut files = files(&system, folder.path(), consent);
        let opened = files.open(&path, WRITE);
        opened.map(|opened| (files, opened))
    };
    let (mut first, mut opened) = open(&Consent::default()).unwrap();
    job_writes(&first, &opened);
    first.settle([&mut opened.handle]).unwrap();
    drop((first, opened));
    // Changed before a job begins.
    let (mut second, mut opened) = open(&Consent::default()).unwrap();
    std::fs::write(&path, vec![7u8; 65536]).unwrap();
    assert!(second.writes().begin(&[&opened.handle]).is_err());
    second.settle([&mut opened.handle]).unwrap();
    drop((second, opened));
    assert!(open(&Consent::default()).is_err());
    // Consent is for the run that it was given to.
    let consent = Consent { overwrite: vec![path.clone()], ..Consent::default() };
    for is_written in [false, true] {
        let (mut third, mut opened) = open(&consent).unwrap();
        if is_written {
            job_writes(&third, &opened);
        }
        third.settle([&mut opened.handle]).unwrap();
        drop((third, opened));
        assert_eq!(open(&Consent::default()).is_ok(), is_written);
    }
}

#[test]
fn a_refusal_is_that_of_the_serial_number_that_names_the_target() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    std::fs::write(&path, "x").unwrap();
    let target = crate::resolve::resolve_any(&system, &path).unwrap();
    let serials = ["other", "own", "third"].map(str::to_owned);
    let files = JobFiles::new(&system, &Consent::default(), &serials, OwnFiles::nowhere());
    let refused = |clause| Refusal { clause, reason: clause.to_owned(), hint: None };
    let own = [vec![refused("exclusive")], vec![refused("mounted"), refused("holders")]];
    for own in own {
        let attempt = |consent: &Consent| -> Result<(), TargetError> {
            let is_own = consent.destroy.as_deref() == Some("own");
            Err(TargetError::Refused(if is_own { own.clone() } else { vec![refused(CONSENT)] }))
        };
        let error = files.with_each_consent(&target, attempt).unwrap_err().to_string();
        assert!(error.contains(own[0].clause) && !error.contains(CONSENT), "{error}");
    }
}
