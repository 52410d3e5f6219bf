//! Those who write until the power fails, and check afterwards: `ioproof powercut`, and for honest drives `ioproof sync --show-loss`.
//!
//! The command lines of both are here and nowhere else.

use super::judged::{Found, document, judged, judged_shown};
use crate::command::{Background, LIMIT, finish, tool, wait_until};
use anyhow::{Context, Result, bail};
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    Blocks,
    Names,
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

    pub fn is_in_folder(self) -> bool {
        self != Self::Blocks
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
        fs::create_dir_all(folder)?;
        let witness = Witness::start(program, folder)?;
        Ok(Self { program: program.to_owned(), folder: folder.to_owned(), witness, writer, campaign: None, running: None })
    }

    fn said(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// Starts a writer. When this returns it writes; all that it did so far will be on the medium.
    pub fn begin(&mut self, target: &Target) -> Result<()> {
        let is_in_folder = self.writer.is_in_folder();
        let place = target.place(is_in_folder)?;
        if let Some(words) = target.filling(is_in_folder) {
            tool("dd", &words.each_ref().map(String::as_str))?;
        }
        let mut command = match self.writer {
            Writer::Shown => shown(&self.program, &self.folder, place, &[]),
            _ => proven_write(&self.program, &self.folder, &self.witness.address, place, is_in_folder, None),
        };
        command.args(self.campaign.iter().flat_map(|id| ["--campaign", id]));
        let (out, errors) = (File::create(self.folder.join("stdout"))?, File::create(self.folder.join("stderr"))?);
        let child = command.stdin(Stdio::null()).stdout(out).stderr(errors).spawn().context("cannot start a writer")?;
        let mut running = Background(child);
        let is_ready = || self.said("stderr").contains(READY);
        wait_until("a writer that writes", || is_ready() || running.has_ended())?;
        if !is_ready() {
            bail!("the writer ended before it wrote: {}", self.said("stderr").trim());
        }
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
        if !running.0.wait()?.success() {
            bail!("the writer failed: {}", self.said("stderr").trim());
        }
        let document = document(&self.said("stdout"))?;
        if document["ended"].as_array().is_none_or(Vec::is_empty) {
            bail!("the writer does not say that the drive failed: {document}");
        }
        if document["stored"] != document["acknowledged"] {
            bail!("the witness has not stored everything within {} s: {document}", LIMIT.as_secs());
        }
        self.campaign = document["campaign"].as_str().map(str::to_owned);
        document["stored"].as_u64().filter(|stored| *stored > 0).context("nothing was acknowledged").map(drop)
    }

    pub fn check(&mut self, target: &Target) -> Result<Found> {
        let place = target.place(self.writer.is_in_folder())?;
        let mut command = match self.campaign.as_deref() {
            Some(campaign) => proven_check(&self.program, &self.folder, &self.witness.address, place, campaign),
            None => shown(&self.program, &self.folder, place, &["--after"]),
        };
        if self.campaign.is_some() {
            // This machine was never down.
            command.arg("--drive-alone");
        }
        let output = finish(&mut command)?;
        let [out, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        match self.campaign {
            Some(_) => judged(output.status.code(), &out, &errors, target),
            None => judged_shown(output.status.code(), &out, &errors),
        }
    }
}

/// The witness of one campaign: `ioproof powercut witness` on this machine, with a folder of its own.
pub struct Witness {
    pub address: String,
    _process: Background,
}

impl Witness {
    pub fn start(program: &Path, folder: &Path) -> Result<Self> {
        let [opening, errors] = ["witness", "witness.err"].map(|name| folder.join(name));
        let file = |path: &Path| File::create(path).context("cannot make a file for the witness");
        let mut command = at_home(program, folder, &["powercut", "witness", "--listen", "127.0.0.1:0", "--json"]);
        let child = command.stdin(Stdio::null()).stdout(file(&opening)?).stderr(file(&errors)?).spawn();
        let mut process = Background(child.context("cannot start the witness")?);
        let said = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        wait_until("a witness that listens", || process.has_ended() || said(&opening).ends_with('\n'))?;
        let document = document(&said(&opening)).with_context(|| said(&errors))?;
        let address = document["address"].as_str().with_context(|| format!("the witness says `{document}`"))?;
        Ok(Self { address: address.to_owned(), _process: process })
    }
}

/// So little that it is soon written in full first; all else is what a user gets who asks for nothing.
const BLOCKS: &[&str] = &["--size", "8MiB"];

fn at_home(program: &Path, folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(words).env("XDG_STATE_HOME", folder.join("state")).env("XDG_CONFIG_HOME", folder.join("config"));
    command
}

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
