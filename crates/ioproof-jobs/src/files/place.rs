//! Where results and logs may go: a new or an empty file, one that an earlier run wrote and nobody changed since, one that `--overwrite` names, or what keeps
//! nothing (a pipe, a terminal, `/dev/null`).
//!
//! Nothing is ever written to a place that holds data, by whatever name: links are not followed, and no device is opened.

use anyhow::Result;
use ioproof_process::complaint::complaint;
use ioproof_process::stream::stands_before_data;
use ioproof_target::folder_of;
use ioproof_target::output_file::{OutputError, OutputFile, Standing};
use rustix::fs::{Access, FileType};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// True for a regular file, and for what is not there: neither a device, a pipe nor one of the standard streams.
pub fn is_plain(path: &Path) -> bool {
    let kind = path.symlink_metadata().map(|meta| FileType::from_raw_mode(meta.mode()));
    descriptor(path).is_none() && !matches!(kind, Ok(FileType::Fifo | FileType::CharacterDevice))
}

/// The one name of a plain place, by whatever way to its folder it was given. `None` for what is none.
pub fn same(path: &Path) -> Option<PathBuf> {
    let folder = folder_of(path);
    let folder = || folder.canonicalize().or_else(|_| std::path::absolute(folder));
    let there = || path.canonicalize().ok().or_else(|| Some(folder().ok()?.join(path.file_name()?)));
    is_plain(path).then(there).flatten()
}

/// The number of a descriptor that the program was started with, for a name that stands for one.
fn descriptor(path: &Path) -> Option<i32> {
    match path.to_str()? {
        "/dev/stdin" => Some(0),
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        name => name.strip_prefix("/dev/fd/").or_else(|| name.strip_prefix("/proc/self/fd/"))?.parse().ok(),
    }
}

#[derive(Debug)]
pub struct OutputPlace {
    file: OutputFile,
    /// True where `--overwrite` names it.
    is_allowed: bool,
}

impl OutputPlace {
    pub fn at(path: &Path, overwrite: &[String]) -> Result<Self> {
        ioproof_process::folders::spare_state(path)?;
        Ok(Self { file: OutputFile::open_folder(path)?, is_allowed: is_allowed(path, overwrite) })
    }

    /// Another file in the folder that is held.
    ///
    /// # Errors
    /// When no more descriptors are to be had.
    pub fn beside(&self, path: &Path, overwrite: &[String]) -> Result<Self> {
        Ok(Self { file: self.file.beside(path)?, is_allowed: is_allowed(path, overwrite) })
    }

    /// The file, to be written as a look allows it.
    pub fn file(&self) -> &OutputFile {
        &self.file
    }

    /// True where `--overwrite` names it.
    pub fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// Looks whether it may be written.
    ///
    /// # Errors
    /// When it holds somebody else's, or is no file.
    pub fn look(&self) -> Result<Standing> {
        self.file.look(self.is_allowed).map_err(|error| match error {
            OutputError::Foreign(path) => {
                let hint = format!("remove it, give another name, or --overwrite={} if it may be lost", path.display());
                complaint(OutputError::Foreign(path).to_string(), hint)
            }
            other => other.into(),
        })
    }

    /// Looks whether it may and can be written, before anything runs.
    pub fn check(&self) -> Result<Standing> {
        let standing = self.look()?;
        if standing != Standing::Stream {
            self.file.begin()?;
        }
        Ok(standing)
    }

    /// The same without making anything at all.
    pub fn foresee(&self) -> Result<()> {
        self.look()?;
        let path = self.file.path();
        let fail = |error: rustix::io::Errno| OutputError::Io { path: path.to_path_buf(), doing: "write", source: error.into() };
        Ok(rustix::fs::access(folder_of(path), Access::WRITE_OK).map_err(fail)?)
    }
}

/// True where one of the files that may be written over is this one.
fn is_allowed(path: &Path, overwrite: &[String]) -> bool {
    let is_it = |allowed: &String| Path::new(allowed) == path || same(path).is_some_and(|here| same(Path::new(allowed)) == Some(here));
    overwrite.iter().any(is_it)
}

/// Opens what keeps nothing, or what the program was started with. Nobody is waited for.
///
/// # Errors
/// When it is something else, or cannot be written.
pub fn open_stream(path: &Path) -> Result<File> {
    let Some(number) = descriptor(path) else {
        let file = OutputFile::open_folder(path)?;
        file.look(false)?;
        return Ok(file.open_stream()?);
    };
    let file = ioproof_target::inherited(number);
    let fail = |error: std::io::Error| complaint(format!("cannot write {}: {error}", path.display()), "name a file");
    let file = file.map_err(fail)?;
    let kind = FileType::from_raw_mode(file.metadata().map_err(fail)?.mode());
    match kind {
        FileType::BlockDevice | FileType::Directory => Err(complaint(format!("{} is no regular file", path.display()), "name a file")),
        FileType::RegularFile if stands_before_data(&file).map_err(fail)? => {
            let text = format!("{} stands before data of its file, which would be written over", path.display());
            Err(complaint(text, "open it with >> to write behind what is there, or name a file"))
        }
        _ => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(path: &Path) -> bool {
        OutputPlace::at(path, &[]).and_then(|place| place.check()).is_ok()
    }

    #[test]
    fn only_what_holds_no_data_may_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, text) in
            [("mine.txt", "dear diary"), ("fio.json", "{\n  \"fio version\" : \"fio-3.33\",\n}\n"), ("old.log", "0, 1, 0, 4, 0\n")]
        {
            std::fs::write(at(name), text).unwrap();
            assert!(!looks(&at(name)), "{name} is not ours");
            let named = format!("{}/./{name}", folder.path().display());
            let place = OutputPlace::at(&at(name), &[named]).unwrap();
            assert!(matches!(place.check().unwrap(), Standing::Replaceable(_)) && place.foresee().is_ok());
        }
        std::fs::write(at("empty"), "").unwrap();
        std::os::unix::fs::symlink("mine.txt", at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/null", at("device")).unwrap();
        std::fs::hard_link(at("empty"), at("second")).unwrap();
        std::fs::write(at("second"), "x").unwrap();
        assert!(looks(&at("new")) && !at("new").exists());
        assert!(!looks(&at("link")) && !looks(&at("device")) && !looks(&at("second")) && !looks(Path::new("/dev/full")));
        assert_eq!(std::fs::read(at("mine.txt")).unwrap(), b"dear diary");
    }

    #[test]
    fn streams_are_opened_and_devices_are_not() {
        for path in ["/dev/null", "/dev/stdout", "/dev/fd/2"] {
            assert!(open_stream(Path::new(path)).is_ok() && !is_plain(Path::new(path)), "{path}");
        }
        for path in ["/dev/zero", "/dev/full", "/dev/fd/100000", "/dev/no-such-folder/x"] {
            assert!(open_stream(Path::new(path)).is_err(), "{path}");
        }
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
}
