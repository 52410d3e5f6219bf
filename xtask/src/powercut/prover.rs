//! Those who write until the power fails, and check afterwards: `ioproof powercut` (`proven.rs`) and `ioproof sync --show-loss` (`shown.rs`).
//!
//! The command lines of both are here and nowhere else.

use super::found::Found;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, Clone)]
pub struct Target {
    /// A block device, the served file, or a file on a filesystem, which need not be there.
    pub path: PathBuf,
    /// It is there, has a fixed size, and takes direct I/O.
    pub is_device: bool,
}

impl Target {
    /// The path that ioproof is given: of names the folder.
    pub fn place(&self, has_names: bool) -> Result<&Path> {
        if has_names { self.path.parent().context("a file is in a folder") } else { Ok(&self.path) }
    }

    /// Words of `dd` that make the file whose blocks are to be written; none where there is nothing to be made.
    pub fn filling(&self, has_names: bool) -> Option<[String; 6]> {
        let place = format!("of={}", self.path.display());
        let words = ["if=/dev/zero", &place, "bs=1M", "count=8", "conv=notrunc,fsync", "status=none"];
        (!self.is_device && !has_names).then(|| words.map(str::to_owned))
    }
}

/// One cut after another: `begin`, then the power fails, `end`, and when it is back `check`.
pub trait Prover {
    /// Starts a writer. When this returns it writes; all that it did so far will be on the medium.
    fn begin(&mut self, target: &Target) -> Result<()>;

    /// Waits until it has noticed that the drive fails. An error where nothing was acknowledged: a failure of ours and no verdict.
    fn end(&mut self) -> Result<()>;

    fn check(&mut self, target: &Target) -> Result<Found>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// `ioproof powercut`: blocks of a device or file.
    Blocks,
    /// `ioproof powercut`: names in a directory.
    Names,
    /// `ioproof sync --show-loss` in a directory.
    Shown,
}

impl Writer {
    pub const ALL: [Self; 3] = [Self::Blocks, Self::Names, Self::Shown];

    pub fn name(self) -> &'static str {
        match self {
            Self::Blocks => "blocks",
            Self::Names => "names",
            Self::Shown => "shown",
        }
    }
}

/// So little that it is soon written in full first; all else is what a user gets who asks for nothing.
const BLOCKS: &[&str] = &["--size", "8MiB"];

/// ioproof with a home of its own below the folder.
fn at_home(program: &Path, folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(words).env("XDG_STATE_HOME", folder.join("state")).env("XDG_CONFIG_HOME", folder.join("config"));
    command
}

pub fn witness(program: &Path, folder: &Path) -> Command {
    at_home(program, folder, &["powercut", "witness", "--listen", "127.0.0.1:0", "--json"])
}

/// The writer, of a device or file, or of names in a directory. A device that has a serial number is named by it.
pub fn proven_write(program: &Path, folder: &Path, witness: &str, place: &Path, has_names: bool, serial: Option<&str>) -> Command {
    let mut command = at_home(program, folder, &["powercut", "write", "--witness", witness, "--json"]);
    command.arg(place);
    match place.strip_prefix("/dev") {
        Ok(name) => {
            let name = serial.map_or(name, Path::new);
            command.arg("--destroy").arg(name).arg("--destroy-unknown-content").args(BLOCKS)
        }
        Err(_) if has_names => &mut command,
        // Who else uses a file that is served (FUSE) is not seen.
        Err(_) => command.arg("--overwrite").arg(place).arg("--destroy-unseen-users").args(BLOCKS),
    };
    command
}

pub fn proven_check(program: &Path, folder: &Path, witness: &str, place: &Path, campaign: &str) -> Command {
    let mut command = at_home(program, folder, &["powercut", "check", "--witness", witness, "--campaign", campaign, "--json"]);
    command.arg(place);
    command
}

pub fn proven_list(program: &Path, folder: &Path, witness: &str) -> Command {
    at_home(program, folder, &["powercut", "list", "--witness", witness, "--json"])
}

/// The demonstration in a directory, until the power fails; with `--after` the look at it afterwards.
pub fn shown(program: &Path, folder: &Path, place: &Path, after: &[&str]) -> Command {
    let mut command = at_home(program, folder, &["sync", "--show-loss", "--json"]);
    command.args(after).arg(place);
    command
}
