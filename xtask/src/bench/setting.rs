//! Where and how long everything is run: the programs, the targets, the folder for all that is made.

use super::VERB;
use crate::command::{target_folder, tool};
use anyhow::{Context, Result, bail};
use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Zero,
    Null,
    File,
}

/// State that all contests share. The file is made when the first line asks for it.
pub struct Setting {
    pub rounds: usize,
    pub seconds: u32,
    pub program: PathBuf,
    pub folder: PathBuf,
    pub full: bool,
    file: OnceCell<Scratch>,
}

impl Setting {
    pub fn parse(args: &[String]) -> Result<(Self, String)> {
        let (program, folder) = (target_folder().join("release/ioproof"), target_folder().join("bench"));
        let mut setting = Self { rounds: 5, seconds: 2, program, folder, full: false, file: OnceCell::new() };
        let (mut filter, mut words) = (String::new(), args.iter());
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0).context("a number is missing");
            match word.as_str() {
                "--rounds" => setting.rounds = number()? as usize,
                "--seconds" => setting.seconds = number()?,
                "--full" => setting.full = true,
                "--in" => setting.folder = Path::new(words.next().context("a folder is missing")?).join("ioproof-bench"),
                flag if flag.starts_with('-') => bail!("usage: cargo xtask bench {}", VERB.usage),
                other => other.clone_into(&mut filter),
            }
        }
        fs::create_dir_all(&setting.folder).with_context(|| format!("cannot make {}", setting.folder.display()))?;
        Ok((setting, filter))
    }

    pub fn path(&self, place: Place) -> Result<&Path> {
        match (place, self.file.get()) {
            (Place::Zero, _) => Ok(Path::new("/dev/zero")),
            (Place::Null, _) => Ok(Path::new("/dev/null")),
            (Place::File, Some(file)) => Ok(&file.0),
            (Place::File, None) => {
                let file = Scratch(self.folder.join("file"));
                let to = format!("of={}", file.0.display());
                // Without pattern and without holes.
                tool("dd", &["if=/dev/urandom", &to, "bs=1M", "count=512", "iflag=fullblock", "conv=fsync", "status=none"])?;
                Ok(&self.file.get_or_init(|| file).0)
            }
        }
    }

    pub fn below(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }

    /// A fresh folder of this name; whatever an earlier bench left goes.
    pub fn fresh(&self, name: &str) -> Result<Scratch> {
        let _ = fs::remove_dir_all(self.folder.join(name));
        self.below(name).map(Scratch)
    }
}

pub struct Scratch(pub PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // Its absence is what is wanted, and there is nobody left to tell of a failure.
        let _ = if self.0.is_dir() { fs::remove_dir_all(&self.0) } else { fs::remove_file(&self.0) };
    }
}
