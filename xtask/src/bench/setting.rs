//! Where and how long everything is run: the programs, the targets, the folder for all that is made.

use super::Options;
use crate::command::tool;
use anyhow::{Context, Result};
use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `/dev/zero`: completes at once, so it shows the generator's cost alone.
    Zero,
    /// `/dev/null`: the same for writes.
    Null,
    /// A file on a disk with O_DIRECT: true asynchronous I/O.
    File,
}

/// State that all contests share. The file is made when the first line asks for it.
#[derive(Debug)]
pub struct Setting {
    pub rounds: usize,
    pub seconds: u32,
    pub program: PathBuf,
    pub folder: PathBuf,
    /// True where lines that take very long are run too.
    pub full: bool,
    file: OnceCell<TestFile>,
}

impl Setting {
    pub(super) fn new(options: &Options) -> Result<Self> {
        let target = crate::workspace_root().join("target");
        let folder = options.folder.as_ref().map_or_else(|| target.join("bench"), |folder| folder.join("ioproof-bench"));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let program = target.join("release/ioproof");
        Ok(Self { rounds: options.rounds, seconds: options.seconds, program, folder, full: options.full, file: OnceCell::new() })
    }

    pub fn path(&self, place: Place) -> Result<&Path> {
        match (place, self.file.get()) {
            (Place::Zero, _) => Ok(Path::new("/dev/zero")),
            (Place::Null, _) => Ok(Path::new("/dev/null")),
            (Place::File, Some(file)) => Ok(&file.0),
            (Place::File, None) => {
                let file = TestFile::new(self.folder.join("file"))?;
                Ok(&self.file.get_or_init(|| file).0)
            }
        }
    }

    pub fn of_syncs(&self) -> Result<PathBuf> {
        let folder = self.folder.join("syncs");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }
}

/// A file without pattern and without holes, for direct I/O; removed when dropped.
#[derive(Debug)]
struct TestFile(PathBuf);

impl TestFile {
    fn new(path: PathBuf) -> Result<Self> {
        let made = Self(path);
        let place = format!("of={}", made.0.display());
        tool("dd", &["if=/dev/urandom", &place, "bs=1M", "count=512", "iflag=fullblock", "conv=fsync", "status=none"])?;
        Ok(made)
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        // Its absence is what is wanted, and there is nobody left to tell of a failure.
        let _ = fs::remove_file(&self.0);
    }
}
