//! Where results and logs may go: a new or an empty file, an older one of the same kind, or what keeps nothing (a pipe, a terminal, `/dev/null`).
//!
//! Nothing is ever written to a place that holds data, by whatever name: links are not followed, and no device is opened.

use crate::complaint::complaint;
use crate::output::holds_only;
use anyhow::Result;
use ioproof_target::folder_of;
use rustix::fs::{Access, FileType, Mode, OFlags};
use std::fs::File;
use std::io::IsTerminal;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a file must hold to be replaced.
pub type IsOlder = fn(&str) -> bool;

/// `/dev/null`.
const NULL: u64 = 0x103;

/// Whether it is a regular file or is not there: neither a device, a pipe nor one of the standard streams.
pub fn is_plain(path: &Path) -> bool {
    let kind = path.symlink_metadata().map(|meta| FileType::from_raw_mode(meta.mode()));
    !is_standard(path) && !matches!(kind, Ok(FileType::Fifo | FileType::CharacterDevice))
}

/// The one name of a plain place, by whatever way to its folder it was given. `None` for what is none.
pub fn same(path: &Path) -> Option<PathBuf> {
    let folder = folder_of(path);
    let folder = || folder.canonicalize().or_else(|_| std::path::absolute(folder));
    let there = || path.canonicalize().ok().or_else(|| Some(folder().ok()?.join(path.file_name()?)));
    is_plain(path).then(there).flatten()
}

fn is_standard(path: &Path) -> bool {
    path.starts_with("/dev/fd") || ["/dev/stdout", "/dev/stderr"].iter().any(|known| path == Path::new(known))
}

/// Looks whether a plain place may be written, without making it.
///
/// # Errors
/// When it holds anything else than an older file of its kind, or is no file.
pub fn check(path: &Path, is_older: IsOlder) -> Result<()> {
    let Ok(meta) = path.symlink_metadata() else { return check_folder(path) };
    check_kind(path, FileType::from_raw_mode(meta.mode()), meta.rdev())?;
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
    let file = rustix::fs::open(path, flags, Mode::empty()).map(File::from);
    let file = file.map_err(|error| complaint(format!("cannot write {}: {error}", path.display()), "give a file that you may write"))?;
    check_content(path, &file, file.metadata()?.nlink(), is_older)
}

/// Whether a file could be made there.
fn check_folder(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    let fail = |error: std::io::Error| {
        complaint(format!("cannot write {}: {error}", path.display()), "give a file in a folder that you may write")
    };
    rustix::fs::access(folder, Access::WRITE_OK).map_err(|error| fail(error.into()))
}

/// Opens a place to be written; what is there stays until it is truncated by the caller.
///
/// # Errors
/// When it holds anything else than an older file of its kind, or is no file.
pub fn open(path: &Path, is_older: IsOlder) -> Result<File> {
    let name = path.display();
    let fail = |e: std::io::Error| complaint(format!("cannot write {name}: {e}"), "give a file in a folder that you may write");
    let standard = is_standard(path);
    let follow = if standard { OFlags::empty() } else { OFlags::NOFOLLOW };
    if let Ok(meta) = if standard { path.metadata() } else { path.symlink_metadata() } {
        check_kind(path, FileType::from_raw_mode(meta.mode()), meta.rdev())?;
    }
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOCTTY | follow;
    let file = rustix::fs::open(path, flags, Mode::from_raw_mode(0o644)).map(File::from).map_err(|e| fail(e.into()))?;
    let meta = file.metadata().map_err(fail)?;
    check_kind(path, FileType::from_raw_mode(meta.mode()), meta.rdev())?;
    if meta.is_file() && !standard {
        check_content(path, &file, meta.nlink(), is_older)?;
    }
    Ok(file)
}

fn check_kind(path: &Path, kind: FileType, rdev: u64) -> Result<()> {
    let keeps_nothing = rdev == NULL || File::options().append(true).open(path).is_ok_and(|file| file.is_terminal());
    match kind {
        FileType::Directory => Err(complaint(format!("{} is a directory", path.display()), "name a file in it")),
        FileType::RegularFile | FileType::Fifo => Ok(()),
        FileType::CharacterDevice if keeps_nothing => Ok(()),
        FileType::Symlink => Err(complaint(format!("{} is a link", path.display()), "give the file itself")),
        _ => Err(complaint(format!("{} is no regular file", path.display()), "name a file")),
    }
}

fn check_content(path: &Path, file: &File, links: u64, is_older: IsOlder) -> Result<()> {
    let empty = file.metadata().is_ok_and(|meta| meta.len() == 0);
    if empty || links == 1 && holds_only(file, is_older) {
        return Ok(());
    }
    let text = format!("{} exists and is no older output of ioproof or fio", path.display());
    Err(complaint(text, "remove it, or give another name"))
}

/// Whether a file begins as results do, in any format, by fio or by us. A text that only speaks of them is none.
pub fn is_results(head: &str) -> bool {
    let json = head.starts_with('{') && head.contains("\"fio version\"");
    let terse = head.split(';').nth(1).is_some_and(|field| field.starts_with("fio-"));
    json || terse || head.lines().take(FIRST_LINES).any(|line| line.contains(": (g=0): rw="))
}

/// Notes may stand before the first job of a text.
const FIRST_LINES: usize = 5;

/// Whether a file begins as a log does: numbers between commas.
pub fn is_log(head: &str) -> bool {
    let first = head.lines().next().unwrap_or_default();
    let numbers = |field: &str| !field.is_empty() && field.bytes().all(|b| b.is_ascii_hexdigit() || b == b'x');
    first.split(", ").count() >= 4 && first.split(", ").all(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn only_what_holds_no_data_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let put = |name: &str, text: &str| std::fs::write(at(name), text).unwrap();
        put("mine.txt", "dear diary");
        put("old.json", "{\n  \"fio version\" : \"fio-3.33\",");
        put("old_bw.1.log", "0, 154273, 0, 65536, 0\n");
        put("empty", "");
        put("about.md", "# How we read what fio-3.33 prints\nThe \"fio version\" comes first; fio-2 had none.\n");
        std::os::unix::fs::symlink("mine.txt", at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/null", at("device")).unwrap();
        assert!(open(&at("new"), is_results).is_ok() && open(&at("empty"), is_log).is_ok());
        assert!(open(&at("old.json"), is_results).is_ok() && open(&at("old_bw.1.log"), is_log).is_ok());
        for (name, is_older) in [
            ("mine.txt", is_results as IsOlder),
            ("about.md", is_results),
            ("about.md", is_log),
            ("mine.txt", is_log),
            ("old.json", is_log),
            ("old_bw.1.log", is_results),
        ] {
            assert!(open(&at(name), is_older).is_err(), "{name}");
        }
        assert!(open(&at("link"), is_results).is_err() && open(&at("device"), is_log).is_err());
        std::fs::hard_link(at("old.json"), at("second-name")).unwrap();
        assert!(open(&at("second-name"), is_results).is_err(), "it may be somebody else's by its other name");
        assert_eq!(std::fs::read(at("mine.txt")).unwrap(), b"dear diary");
        assert!(open(Path::new("/dev/null"), is_results).unwrap().write_all(b"x").is_ok());
        assert!(open(Path::new("/dev/zero"), is_results).is_err() && open(Path::new("/dev/full"), is_results).is_err());
    }

    #[test]
    fn a_place_is_known_by_whatever_way_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("below")).unwrap();
        let at = |name: &str| same(&folder.path().join(name));
        assert!(at("out").is_some() && at("out") == at("below/../out") && at("out") != at("below/out"));
        std::os::unix::fs::symlink("out", folder.path().join("link")).unwrap();
        std::fs::write(folder.path().join("out"), "").unwrap();
        assert_eq!(at("link"), at("out"));
        assert!(at("none/out").is_some() && at("none/out") == at("./none/out"), "the folder may be made for it");
        assert_eq!([same(Path::new("/dev/null")), same(Path::new("/dev/stdout"))], [None, None]);
    }

    #[test]
    fn logs_and_results_are_told_apart() {
        assert!(
            is_log("10, 5, 1, 0, 0x4003\n") && is_log("1, 2, 3, 4") && !is_log("1; 2") && !is_log("one, two, three, four") && !is_log("")
        );
        assert!(is_results("3;fio-3.33;job;0;0") && is_results("job: (g=0): rw=read, bs=") && !is_results("{}"));
    }
}
