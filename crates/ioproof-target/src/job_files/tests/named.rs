//! Files that are made and removed by their names, under the write rule.

use super::*;
use crate::owned::named_files::NameCall;

const NEW: OpenRequest = OpenRequest { size_bytes: 0, space: Space::Sparse, whole: false, ..WRITE };

/// Makes a file by its name, as a job of filecreate does, and settles it.
fn make(files: &mut JobFiles<'_>, path: &Path, unlink: bool) {
    let handle = files.by_name(&[path.to_path_buf()], NameCall::Make, 4096).unwrap();
    assert_eq!(handle.size_bytes(), 4096);
    handle.named().unwrap().make(0).unwrap();
    files.settle([]).unwrap();
    files.settle_named(&handle, unlink).unwrap();
}

#[test]
fn what_was_made_by_its_name_is_ours_and_is_made_anew() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("new/file"));
    make(&mut files(&system, folder.path(), &Consent::default()), &path, false);
    let first = path.metadata().unwrap();
    let mut second = files(&system, folder.path(), &Consent::default());
    let opened = second.open(&path, NEW).unwrap();
    drop(opened);
    make(&mut second, &path, false);
    drop(second);
    assert_eq!((first.len(), path.metadata().unwrap().len()), (0, 0));
    // Somebody writes into it: from here on it is his.
    std::fs::write(&path, "mine").unwrap();
    assert!(files(&system, folder.path(), &Consent::default()).open(&path, NEW).is_err());
    std::fs::remove_file(&path).unwrap();
    make(&mut files(&system, folder.path(), &Consent::default()), &path, true);
    assert!(!path.exists());
}

#[test]
fn a_name_that_somebody_took_meanwhile_is_left_to_him() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    let mut files = files(&system, folder.path(), &Consent::default());
    let handle = files.by_name(std::slice::from_ref(&path), NameCall::Make, 4096).unwrap();
    std::fs::write(&path, "mine").unwrap();
    assert!(handle.named().unwrap().make(0).is_err());
    files.settle_named(&handle, true).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
}

#[test]
fn only_the_file_that_was_let_go_is_removed() {
    let folder = folder_on_a_drive();
    let (system, at) = (System::host(), |name: &str| folder.path().join(name));
    let mut files = files(&system, folder.path(), &Consent::default());
    let paths = [at("a"), at("b"), at("c")];
    for path in &paths {
        drop(files.open(path, WRITE).unwrap());
    }
    std::fs::write(at("foreign"), "mine").unwrap();
    let handle = files.by_name(&[paths.to_vec(), vec![at("foreign")]].concat(), NameCall::Remove, 65536).unwrap();
    std::fs::rename(at("foreign"), at("b")).unwrap();
    let named = handle.named().unwrap();
    assert_eq!([0, 1, 2, 3].map(|file| named.is_expected(file)), [true, false, true, false]);
    named.remove(0).unwrap();
    files.settle([]).unwrap();
    files.settle_named(&handle, false).unwrap();
    assert!(!at("a").exists() && at("c").exists());
    drop(files);
    let again = self::files(&system, folder.path(), &Consent::default()).open(&at("c"), WRITE);
    assert!(again.is_ok_and(|opened| opened.handle.may_write()), "what the job left is ours");
    assert_eq!(std::fs::read(at("b")).unwrap(), b"mine");
}

#[test]
fn what_is_there_takes_consent_to_be_made_anew() {
    let folder = folder_on_a_drive();
    let (system, path) = (System::host(), folder.path().join("file"));
    std::fs::write(&path, "mine").unwrap();
    let consent = Consent { overwrite: vec![path.clone()], ..Consent::default() };
    let mut with_consent = files(&system, folder.path(), &consent);
    drop(with_consent.open(&path, NEW).unwrap());
    make(&mut with_consent, &path, false);
    assert_eq!(path.metadata().unwrap().len(), 0);
}
