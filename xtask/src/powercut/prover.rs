//! Those who write until the power fails, and check afterwards: the tiny writer (`tiny.rs`), by which the rig itself is proven, and `ioproof powercut` (`proven.rs`).
//!
//! The command lines of all of them are here and nowhere else.

use super::found::Found;
use super::step::ITSELF;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Place where a prover writes.
#[derive(Debug, Clone)]
pub struct Target {
    /// A block device, the served file, or a file on a filesystem, which need not be there.
    pub path: PathBuf,
    /// It is there, has a fixed size, and takes direct I/O.
    pub is_device: bool,
}

impl Target {
    /// The path that `ioproof powercut` is given: of names the folder.
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

/// One cut after another: `begin`, `go`, then the power fails, `end`, and when it is back `check`.
pub trait Prover {
    /// Starts a writer. When this returns it has made its files and waits; all that it did so far will be on the medium.
    fn begin(&mut self, target: &Target, seed: u64) -> Result<()>;

    /// Has it write.
    fn go(&mut self) -> Result<()>;

    /// Waits until it has noticed that the drive fails; gives the number of acknowledgements. An error where there was none: a failure of ours and no verdict.
    fn end(&mut self) -> Result<u64>;

    /// Reads back.
    fn check(&mut self, target: &Target) -> Result<Found>;
}

/// So little that it is soon written in full first; all else is what a user gets who asks for nothing.
const BLOCKS: &[&str] = &["--size", "8MiB"];

/// Writer of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    Tiny,
    /// `ioproof powercut`: blocks of a device or file.
    Blocks,
    /// `ioproof powercut`: names in a directory.
    Names,
    /// `ioproof sync --show-loss` in a directory.
    Shown,
}

impl Writer {
    pub const ALL: [Self; 4] = [Self::Tiny, Self::Blocks, Self::Names, Self::Shown];

    pub fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Blocks => "blocks",
            Self::Names => "names",
            Self::Shown => "shown",
        }
    }
}

/// First bytes of a device, which are not written: a label is looked for there by others.
const OFFSET_BYTES: u64 = 1 << 20;

/// The tiny writer. Every other one makes its file anew, so that some writes are into new space and some overwrite.
pub fn tiny_write(target: &Target, seed: u64) -> Command {
    let how = if target.is_device { "device" } else { ["new", "old"][(seed % 2) as usize] };
    itself(&["write", &text(&target.path), &offset(target), &seed.to_string(), how])
}

/// Its check, of so many groups.
pub fn tiny_check(target: &Target, seed: u64, groups: u64) -> Command {
    itself(&["check", &text(&target.path), &offset(target), &seed.to_string(), &groups.to_string()])
}

/// `ioproof powercut` with a home of its own below the folder.
fn proven(program: &Path, folder: &Path, verb: &str) -> Command {
    at_home(program, folder, &["powercut", verb])
}

fn at_home(program: &Path, folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(words).env("XDG_STATE_HOME", folder.join("state")).env("XDG_CONFIG_HOME", folder.join("config"));
    command
}

/// Its witness.
pub fn witness(program: &Path, folder: &Path) -> Command {
    let mut command = proven(program, folder, "witness");
    command.args(["--listen", "127.0.0.1:0", "--json"]);
    command
}

/// Its writer, of a device or file, or of names in a directory. A device that has a serial number is named by it.
pub fn proven_write(program: &Path, folder: &Path, witness: &str, place: &Path, has_names: bool, serial: Option<&str>) -> Command {
    let mut command = proven(program, folder, "write");
    command.arg(place).args(["--witness", witness, "--json"]);
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

/// Its check.
pub fn proven_check(program: &Path, folder: &Path, witness: &str, place: &Path, campaign: &str) -> Command {
    let mut command = proven(program, folder, "check");
    command.arg(place).args(["--witness", witness, "--campaign", campaign, "--json"]);
    command
}

/// The demonstration in a directory, until the power fails.
pub fn shown_write(program: &Path, folder: &Path, place: &Path) -> Command {
    let mut command = at_home(program, folder, &["sync", "--show-loss", "--json"]);
    command.arg(place);
    command
}

/// The look at it afterwards.
pub fn shown_after(program: &Path, folder: &Path, place: &Path) -> Command {
    let mut command = at_home(program, folder, &["sync", "--show-loss", "--after", "--json"]);
    command.arg(place);
    command
}

/// List of the campaigns that a witness has kept.
pub fn proven_list(program: &Path, folder: &Path, witness: &str) -> Command {
    let mut command = proven(program, folder, "list");
    command.args(["--witness", witness, "--json"]);
    command
}

/// The process that tidies up behind one that was killed.
pub fn guard(folder: &Path) -> Command {
    itself(&["guard", &text(folder)])
}

fn itself(words: &[&str]) -> Command {
    let mut command = Command::new(ITSELF);
    command.arg("powercut").args(words);
    command
}

fn offset(target: &Target) -> String {
    if target.is_device { OFFSET_BYTES } else { 0 }.to_string()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
