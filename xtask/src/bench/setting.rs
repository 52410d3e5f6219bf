//! Where and how long everything is run: the programs, the targets, the folder for all that is made.

use super::{fio_source, peers};
use anyhow::{Context, Result};
use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const FILE_BYTES: u64 = 512 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `/dev/zero`: completes at once, so it shows the generator's cost alone.
    Zero,
    /// `/dev/null`: the same for writes.
    Null,
    /// A file on a disk with O_DIRECT: true asynchronous I/O.
    File,
}

/// State that all contests share. Parts that take time are made when the first line asks for them.
#[derive(Debug)]
pub struct Setting {
    pub rounds: usize,
    pub seconds: u32,
    pub program: PathBuf,
    pub folder: PathBuf,
    file: OnceCell<TestFile>,
    ceiling: OnceCell<Result<PathBuf, String>>,
    sysbench: OnceCell<PathBuf>,
}

impl Setting {
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(rounds: usize, seconds: u32, folder: Option<&Path>) -> Result<Self> {
        let target = crate::workspace_root().join("target");
        let folder = folder.map_or_else(|| target.join("bench"), |folder| folder.join("ioproof-bench"));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let program = target.join("release/ioproof");
        Ok(Self { rounds, seconds, program, folder, file: OnceCell::new(), ceiling: OnceCell::new(), sysbench: OnceCell::new() })
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

    /// Folder with the files of sysbench, which it makes when it is first asked for. They are left there, as its own are.
    pub fn of_sysbench(&self) -> Result<&Path> {
        if self.sysbench.get().is_none() {
            let folder = self.of_syncs()?.join("sysbench");
            peers::prepare(&folder)?;
            self.sysbench.get_or_init(|| folder);
        }
        self.sysbench.get().map(PathBuf::as_path).context("no files of sysbench")
    }

    /// fio's `t/io_uring`, or why it cannot be had.
    pub fn ceiling(&self) -> Result<&Path, &str> {
        let made = self.ceiling.get_or_init(|| fio_source::t_io_uring(&self.folder.join("fio")).map_err(|e| e.to_string()));
        made.as_deref().map_err(String::as_str)
    }
}

/// A file without pattern and without holes, for direct I/O; removed when dropped.
#[derive(Debug)]
struct TestFile(PathBuf);

impl TestFile {
    fn new(path: PathBuf) -> Result<Self> {
        let mut file = File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
        let made = Self(path);
        let mut source = File::open("/dev/urandom")?;
        let mut block = vec![0; 1 << 20];
        for _ in 0..FILE_BYTES >> 20 {
            source.read_exact(&mut block)?;
            file.write_all(&block).with_context(|| format!("cannot write {}", made.0.display()))?;
        }
        file.sync_all()?;
        Ok(made)
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        // Its absence is what is wanted, and there is nobody left to tell of a failure.
        let _ = fs::remove_file(&self.0);
    }
}
