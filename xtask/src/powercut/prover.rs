//! Those who write until the power fails, and check afterwards: `ioproof powercut`, and for honest drives `ioproof sync --show-loss`.
//!
//! The command lines of both are here and nowhere else.

use super::judged::{Found, document, judged};
use crate::command::{Background, LIMIT, finish, tool, wait_until};
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Sentence with which a writer says that all is made and that the cut may come.
pub const READY: &str = "cut the power now";

pub struct Target {
    /// A block device, the served file, or a file on a filesystem, which need not be there.
    pub path: PathBuf,
    /// It is there, has a fixed size, and takes direct I/O.
    pub is_device: bool,
}

impl Target {
    /// The path that ioproof is given: of names the folder.
    pub fn place(&self, writer: Writer) -> Result<&Path> {
        if writer == Writer::Blocks { Ok(&self.path) } else { self.path.parent().context("a file is in a folder") }
    }

    /// Words of `dd` that make the file whose blocks are to be written; none where there is nothing to be made.
    pub fn filling(&self, writer: Writer) -> Option<[String; 6]> {
        let place = format!("of={}", self.path.display());
        let words = ["if=/dev/zero", &place, "bs=1M", "count=8", "conv=notrunc,fsync", "status=none"];
        (!self.is_device && writer == Writer::Blocks).then(|| words.map(str::to_owned))
    }
}

/// `ioproof powercut` with blocks of a device or file, or with names in a directory; `ioproof sync --show-loss` in a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    Blocks,
    Names,
    Shown,
}

impl Writer {
    pub const ALL: [Self; 3] = [Self::Blocks, Self::Names, Self::Shown];

    pub fn name(self) -> &'static str {
        ["blocks", "names", "shown"][self as usize]
    }
}

/// So little that it is soon written in full first; all else is what a user gets who asks for nothing.
const BLOCKS: &[&str] = &["--size", "8MiB"];

/// ioproof with folders of its own and the address of a witness, for command lines.
pub struct Home<'a> {
    pub program: &'a Path,
    pub folder: &'a Path,
    pub witness: &'a str,
}

impl Home<'_> {
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command.args(words).env("XDG_STATE_HOME", self.folder.join("state")).env("XDG_CONFIG_HOME", self.folder.join("config"));
        command
    }

    /// Writes until the power fails, as one more session of a campaign where there is one. A drive of the machine is named by its serial number.
    pub fn write(&self, writer: Writer, place: &Path, serial: Option<&str>, campaign: Option<&str>) -> Command {
        if writer == Writer::Shown {
            return self.shown(place, &[]);
        }
        let mut command = self.command(&["powercut", "write", "--witness", self.witness, "--json"]);
        command.arg(place).args(campaign.iter().flat_map(|id| ["--campaign", id]));
        match place.strip_prefix("/dev") {
            Ok(name) => {
                command.arg("--destroy").arg(serial.map_or(name, Path::new)).arg("--destroy-unknown-content").args(BLOCKS);
            }
            Err(_) if writer == Writer::Names => {}
            // Who else uses a file that is served (FUSE) is not seen.
            Err(_) => drop(command.arg("--overwrite").arg(place).arg("--destroy-unseen-users").args(BLOCKS)),
        }
        command
    }

    pub fn check(&self, writer: Writer, place: &Path, campaign: &str) -> Command {
        if writer == Writer::Shown {
            return self.shown(place, &["--after"]);
        }
        let mut command = self.command(&["powercut", "check", "--witness", self.witness, "--campaign", campaign, "--json"]);
        command.arg(place);
        command
    }

    fn shown(&self, place: &Path, after: &[&str]) -> Command {
        let mut command = self.command(&["sync", "--show-loss", "--json"]);
        command.args(after).arg(place);
        command
    }
}

/// One cut after another: `begin`, then the power fails, `end`, and when it is back `check`.
pub struct Prover {
    program: PathBuf,
    folder: PathBuf,
    witness: Witness,
    writer: Writer,
    campaign: Option<String>,
    running: Option<Background>,
}

impl Prover {
    pub fn new(writer: Writer, program: &Path, folder: &Path) -> Result<Self> {
        let witness = Witness::start(program, folder)?;
        Ok(Self { program: program.to_owned(), folder: folder.to_owned(), witness, writer, campaign: None, running: None })
    }

    fn home(&self) -> Home<'_> {
        Home { program: &self.program, folder: &self.folder, witness: &self.witness.address }
    }

    fn said(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// Starts a writer. When this returns it writes; all that it did so far will be on the medium.
    pub fn begin(&mut self, target: &Target) -> Result<()> {
        if let Some(words) = target.filling(self.writer) {
            tool("dd", &words.each_ref().map(String::as_str))?;
        }
        let mut command = self.home().write(self.writer, target.place(self.writer)?, None, self.campaign.as_deref());
        let (out, errors) = (File::create(self.folder.join("stdout"))?, File::create(self.folder.join("stderr"))?);
        let child = command.stdin(Stdio::null()).stdout(out).stderr(errors).spawn().context("cannot start a writer")?;
        let mut running = Background(child);
        let is_ready = || self.said("stderr").contains(READY);
        wait_until("a writer that writes", || is_ready() || running.has_ended())?;
        ensure!(is_ready(), "the writer ended before it wrote: {}", self.said("stderr").trim());
        self.running = Some(running);
        Ok(())
    }

    /// Waits until it has noticed that the drive fails. An error where nothing was acknowledged: a failure of ours and no verdict.
    pub fn end(&mut self) -> Result<()> {
        let mut running = self.running.take().context("no writer was started")?;
        wait_until("the end of a writer whose drive is dead", || running.has_ended())?;
        if self.writer == Writer::Shown {
            return Ok(());
        }
        ensure!(running.0.wait()?.success(), "the writer failed: {}", self.said("stderr").trim());
        let document = document(&self.said("stdout"))?;
        ensure!(!document["ended"].as_array().is_none_or(Vec::is_empty), "the writer does not say that the drive failed: {document}");
        if document["stored"] != document["acknowledged"] {
            bail!("the witness has not stored everything within {} s: {document}", LIMIT.as_secs());
        }
        self.campaign = document["campaign"].as_str().map(str::to_owned);
        document["stored"].as_u64().filter(|stored| *stored > 0).context("nothing was acknowledged").map(drop)
    }

    pub fn check(&mut self, target: &Target) -> Result<Found> {
        let mut command = self.home().check(self.writer, target.place(self.writer)?, self.campaign.as_deref().unwrap_or_default());
        if self.writer != Writer::Shown {
            // This machine was never down.
            command.arg("--drive-alone");
        }
        let output = finish(&mut command)?;
        let [out, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        judged(self.writer, output.status.code(), &out, &errors, target)
    }
}

/// The witness of one campaign: `ioproof powercut witness` on this machine, with a folder of its own.
pub struct Witness {
    pub address: String,
    _process: Background,
}

impl Witness {
    pub fn start(program: &Path, folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let [opening, errors] = ["witness", "witness.err"].map(|name| folder.join(name));
        let file = |path: &Path| File::create(path).context("cannot make a file for the witness");
        let home = Home { program, folder, witness: "" };
        let mut command = home.command(&["powercut", "witness", "--listen", "127.0.0.1:0", "--json"]);
        let child = command.stdin(Stdio::null()).stdout(file(&opening)?).stderr(file(&errors)?).spawn();
        let mut process = Background(child.context("cannot start the witness")?);
        let said = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        wait_until("a witness that listens", || process.has_ended() || said(&opening).ends_with('\n'))?;
        let document = document(&said(&opening)).with_context(|| said(&errors))?;
        let address = document["address"].as_str().with_context(|| format!("the witness says `{document}`"))?;
        Ok(Self { address: address.to_owned(), _process: process })
    }
}
