//! Tests of the promises: files of somebody else stay, whatever he does in between; ours are replaced; a kill leaves nothing.

use super::*;
use crate::owned::held_folder::race;
use std::os::unix::fs::{PermissionsExt, symlink};

/// A folder on a filesystem with extended attributes and files without a name.
fn folder() -> tempfile::TempDir {
    crate::block::tree::folder_on_a_drive()
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

fn written(output: &OutputFile, text: &str, standing: &Standing) -> Result<Written, OutputError> {
    let mut new = output.begin().unwrap();
    new.write_all(text.as_bytes()).unwrap();
    output.put(new, standing)
}

fn put(path: &Path, text: &str) -> Result<(), OutputError> {
    let output = OutputFile::open_folder(path)?;
    let standing = output.look(false)?;
    written(&output, text, &standing).map(drop)
}

#[test]
fn a_new_file_appears_whole_and_is_replaced_while_nobody_changes_it() {
    let folder = folder();
    let path = folder.path().join("out");
    let output = OutputFile::open_folder(&path).unwrap();
    let mut new = output.begin().unwrap();
    new.write_all(b"one").unwrap();
    assert!(!path.exists());
    output.put(new, &Standing::Nothing).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    put(&path, "two").unwrap();
    assert_eq!((std::fs::read(&path).unwrap(), entries(folder.path())), (b"two".to_vec(), 1));
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::write(&path, "twp").unwrap();
    assert!(matches!(put(&path, "three"), Err(OutputError::Foreign(_))), "the mark is there and does not fit");
    assert_eq!(std::fs::read(&path).unwrap(), b"twp");
}

#[test]
fn a_changed_byte_shows_though_the_time_was_set_back() {
    let folder = folder();
    let path = folder.path().join("out");
    put(&path, "one").unwrap();
    let before = path.metadata().unwrap().modified().unwrap();
    std::fs::write(&path, "onf").unwrap();
    let set_back = std::fs::FileTimes::new().set_modified(before);
    std::fs::File::options().write(true).open(&path).unwrap().set_times(set_back).unwrap();
    assert!(matches!(put(&path, "two"), Err(OutputError::Foreign(_))));
    assert_eq!(std::fs::read(&path).unwrap(), b"onf");
}

#[test]
fn what_is_no_plain_file_is_refused_and_never_opened() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("file"), "text").unwrap();
    std::fs::hard_link(at("file"), at("second")).unwrap();
    symlink("file", at("link")).unwrap();
    symlink("/dev/zero", at("zero")).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    for (name, text) in [("second", "a hard link"), ("link", "is a link"), ("zero", "is a link"), ("folder", "is a directory")] {
        assert!(put(&at(name), "new").unwrap_err().to_string().contains(text), "{name}");
    }
    for (path, text) in
        [("/dev/zero", "is a device"), ("/dev/full", "is a device"), ("/", "is a directory"), ("/dev/no-such-folder/x", "cannot")]
    {
        let error = OutputFile::open_folder(Path::new(path)).and_then(|output| output.look(false)).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
    assert_eq!(std::fs::read(at("file")).unwrap(), b"text");
}

#[test]
fn a_pipe_makes_nobody_wait() {
    let folder = folder();
    let path = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    let output = OutputFile::open_folder(&path).unwrap();
    assert_eq!(output.look(false).unwrap(), Standing::Stream);
    output.open_stream().unwrap().write_all(b"x").unwrap();
    assert!(written(&output, "x", &Standing::Stream).is_err());
    let null = OutputFile::open_folder(Path::new("/dev/null")).unwrap();
    assert_eq!(null.look(false).unwrap(), Standing::Stream);
    null.open_stream().unwrap().write_all(b"x").unwrap();
}

#[test]
fn a_file_that_somebody_makes_meanwhile_stays() {
    let folder = folder();
    let path = folder.path().join("out");
    let output = OutputFile::open_folder(&path).unwrap();
    let standing = output.look(false).unwrap();
    std::fs::write(&path, "of somebody else").unwrap();
    assert!(matches!(written(&output, "ours", &standing), Err(OutputError::Changed(_))));
    assert_eq!((std::fs::read(&path).unwrap(), entries(folder.path())), (b"of somebody else".to_vec(), 1));
}

#[test]
fn an_empty_file_with_attributes_of_somebody_else_stays() {
    let folder = folder();
    let path = folder.path().join("out");
    std::fs::write(&path, "").unwrap();
    let look = || OutputFile::open_folder(&path).unwrap().look(false);
    assert!(matches!(look(), Ok(Standing::Replaceable(_))));
    rustix::fs::setxattr(&path, "user.diary", b"dear", rustix::fs::XattrFlags::empty()).unwrap();
    assert!(matches!(look(), Err(OutputError::Foreign(_))));
}

/// A file of ours that was seen, and what is written over it after somebody did something.
fn replaced_after(change: impl Fn(&Path)) -> (Vec<u8>, bool) {
    let folder = folder();
    let path = folder.path().join("out");
    put(&path, "older").unwrap();
    let output = OutputFile::open_folder(&path).unwrap();
    let standing = output.look(false).unwrap();
    change(&path);
    let done = written(&output, "newer", &standing).is_ok();
    assert_eq!(entries(folder.path()), 1);
    (std::fs::read(&path).unwrap(), done)
}

#[test]
fn a_file_that_somebody_changes_meanwhile_stays() {
    assert_eq!(replaced_after(|_| {}), (b"newer".to_vec(), true));
    assert_eq!(replaced_after(|path| std::fs::write(path, "other").unwrap()), (b"other".to_vec(), false));
    let exchange = |path: &Path| {
        std::fs::write(path.with_extension("other"), "other").unwrap();
        std::fs::rename(path.with_extension("other"), path).unwrap();
    };
    assert_eq!(replaced_after(exchange), (b"other".to_vec(), false));
}

#[test]
fn results_so_far_go_below_and_nowhere_else() {
    let folder = folder();
    let (path, precious) = (folder.path().join("out"), folder.path().join("precious"));
    let output = OutputFile::open_folder(&path).unwrap();
    let mut file = written(&output, "one\n", &Standing::Nothing).unwrap();
    output.append_own(&mut file, b"two\n").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
    std::fs::remove_file(&path).unwrap();
    put(&path, "again").unwrap();
    assert!(matches!(output.append_own(&mut file, b"three\n"), Err(OutputError::Changed(_))), "another file stands there");
    assert_eq!(std::fs::read(&path).unwrap(), b"again");
    let standing = output.look(false).unwrap();
    let mut file = written(&output, "one\n", &standing).unwrap();
    std::fs::write(&precious, "precious").unwrap();
    std::fs::remove_file(&path).unwrap();
    symlink(&precious, &path).unwrap();
    assert!(output.append_own(&mut file, b"two\n").is_err());
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
}

#[test]
fn a_file_that_takes_the_name_in_the_very_moment_stays() {
    let folder = folder();
    let (path, precious) = (folder.path().join("out"), folder.path().join("precious"));
    let output = OutputFile::open_folder(&path).unwrap();
    written(&output, "one\n", &Standing::Nothing).unwrap();
    std::fs::write(&precious, "precious").unwrap();
    let (standing, names) = (output.look(false).unwrap(), (path.clone(), precious));
    race::then(move || {
        rustix::fs::renameat_with(rustix::fs::CWD, &names.0, rustix::fs::CWD, &names.1, rustix::fs::RenameFlags::EXCHANGE).unwrap();
    });
    assert!(matches!(written(&output, "two\n", &standing), Err(OutputError::Changed(_))));
    assert_eq!((std::fs::read(&path).unwrap(), entries(folder.path())), (b"precious".to_vec(), 2));
}

#[test]
fn what_somebody_else_appends_makes_it_his() {
    let folder = folder();
    let path = folder.path().join("out");
    let output = OutputFile::open_folder(&path).unwrap();
    let mut file = written(&output, "one\n", &Standing::Nothing).unwrap();
    let to = path.clone();
    race::then(move || std::fs::OpenOptions::new().append(true).open(to).unwrap().write_all(b"mine\n").unwrap());
    assert!(output.append_own(&mut file, b"two\n").is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"one\nmine\ntwo\n", "nothing of it is lost");
    assert!(output.append_own(&mut file, b"three\n").is_err() && put(&path, "new").is_err());
}

#[test]
fn what_a_killed_run_left_is_taken_away_and_what_another_one_writes_is_not() {
    let folder = folder();
    let held = HeldFolder::open(folder.path()).unwrap();
    let name = |n: u32| format!(".ioproof-{n}-0123456789abcdef");
    for (n, mark) in [(1, Some("unfinished")), (2, None), (3, Some("1 3 0123"))] {
        let file = held.make(name(n).as_ref(), rustix::fs::Mode::RWXU).unwrap();
        rustix::io::write(&file, b"abc").unwrap();
        if let Some(mark) = mark {
            rustix::fs::fsetxattr(&file, "user.ioproof.output", mark.as_bytes(), rustix::fs::XattrFlags::empty()).unwrap();
        }
    }
    drop(held.make(name(5).as_ref(), rustix::fs::Mode::RWXU).unwrap());
    std::fs::write(folder.path().join(".ioproof-notes"), "mine").unwrap();
    let being_written = held.make(name(4).as_ref(), rustix::fs::Mode::RWXU).unwrap();
    mark::begin(&being_written);
    rustix::fs::flock(&being_written, rustix::fs::FlockOperation::LockExclusive).unwrap();
    OutputFile::open_folder(&folder.path().join("out")).unwrap();
    assert!(!folder.path().join(name(1)).exists() && !folder.path().join(name(5)).exists());
    for n in [2, 3, 4] {
        assert!(folder.path().join(name(n)).exists(), "{n}");
    }
    assert!(folder.path().join(".ioproof-notes").exists());
}

#[test]
fn the_files_of_the_state_folder_are_written_through_no_link() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    store(&at("run.json"), b"{}").unwrap();
    std::fs::hard_link(at("run.json"), at("backup")).unwrap();
    store(&at("run.json"), b"{1}").unwrap();
    assert_eq!((std::fs::read(at("run.json")).unwrap(), std::fs::read(at("backup")).unwrap()), (b"{1}".to_vec(), b"{}".to_vec()));
    std::fs::write(at("precious"), "precious").unwrap();
    symlink("precious", at("link")).unwrap();
    assert!(store(&at("link"), b"x").is_err() && open_lock(&at("link")).is_err());
    // Somebody who has it open is not waited for, and writes into the one that was.
    let open = std::fs::OpenOptions::new().append(true).open(at("run.json")).unwrap();
    store(&at("run.json"), b"{2}").unwrap();
    (&open).write_all(b"x").unwrap();
    assert_eq!(std::fs::read(at("run.json")).unwrap(), b"{2}");
    open_lock(&at("lock")).unwrap();
    open_lock(&at("precious")).unwrap();
    assert_eq!(std::fs::read(at("precious")).unwrap(), b"precious");
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    assert!(open_lock(&at("pipe")).is_err() && store(&at("pipe"), b"x").is_err());
}

#[test]
fn what_is_written_into_a_folder_that_is_held_goes_nowhere_else() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("stages")).unwrap();
    std::fs::create_dir(at("theirs")).unwrap();
    std::fs::write(at("theirs/0000.json"), "precious").unwrap();
    let own = OwnFolder::open(folder.path()).unwrap();
    let stages = own.folder_at("stages").unwrap();
    assert!(own.folder_at("stages").unwrap().is(&stages) && !own.is(&stages));
    std::fs::rename(at("stages"), at("moved")).unwrap();
    symlink("theirs", at("stages")).unwrap();
    stages.store("0000.json", b"{}").unwrap();
    assert_eq!(
        (std::fs::read(at("theirs/0000.json")).unwrap(), std::fs::read(at("moved/0000.json")).unwrap()),
        (b"precious".to_vec(), b"{}".to_vec())
    );
    assert!(own.folder_at("stages").is_err(), "a link is no folder of ours");
}

#[test]
fn with_consent_a_file_of_somebody_else_is_replaced_and_its_second_name_is_not() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("out"), "of somebody else").unwrap();
    let output = OutputFile::open_folder(&at("out")).unwrap();
    assert!(output.look(false).is_err());
    written(&output, "new", &output.look(true).unwrap()).unwrap();
    assert_eq!(std::fs::read(at("out")).unwrap(), b"new");
    std::fs::write(at("out"), "changed").unwrap();
    let standing = output.look(true).unwrap();
    std::fs::write(at("out"), "changed again").unwrap();
    assert!(written(&output, "newer", &standing).is_err(), "what the user saw was replaced meanwhile");
    std::fs::hard_link(at("out"), at("second")).unwrap();
    assert!(matches!(output.look(true), Err(OutputError::SeveralNames(_))));
    symlink("out", at("link")).unwrap();
    assert!(OutputFile::open_folder(&at("link")).unwrap().look(true).is_err());
}

#[test]
fn what_is_continued_keeps_what_was_there() {
    let folder = folder();
    let path = folder.path().join("out");
    put(&path, "one\n").unwrap();
    let output = OutputFile::open_folder(&path).unwrap();
    let Standing::Replaceable(seen) = output.look(false).unwrap() else { panic!("it is ours") };
    let mut new = output.begin_after(&seen).unwrap();
    new.write_all(b"two\n").unwrap();
    output.put(new, &Standing::Replaceable(seen)).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
    assert!(matches!(output.begin_after(&seen), Err(OutputError::Changed(_))) && output.look(false).is_ok());
}

#[test]
fn no_output_replaces_a_file_of_the_state_folder() {
    let folder = folder();
    let path = folder.path().join("run.json");
    store(&path, b"{}").unwrap();
    assert!(matches!(put(&path, "{1}"), Err(OutputError::Foreign(_))));
    store(&path, b"{2}").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"{2}");
}

#[test]
fn a_file_with_content_and_without_a_size_is_not_empty() {
    let reads_nothing = |path: &Path| super::reads_nothing(&File::open(path).unwrap()).unwrap();
    let folder = folder();
    std::fs::write(folder.path().join("empty"), "").unwrap();
    let made = Path::new("/proc/self/status");
    assert_eq!((made.metadata().unwrap().len(), reads_nothing(made)), (0, false));
    assert!(reads_nothing(&folder.path().join("empty")));
}
