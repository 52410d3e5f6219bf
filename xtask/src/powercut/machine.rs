//! A campaign in the virtual machine: kernel and drive lose their power together, and the witness on this host does not.
//!
//! One boot a cut: what was acknowledged before is looked for, and then the next session is written.

use super::judged::{Found, document, judged};
use super::layer::Layer;
use super::prover::{Home, READY, Target, Witness, Writer};
use crate::cached::CachedDrive;
use crate::cached::behaviours::Behaviour;
use crate::cached::faulty::FaultyDrive;
use crate::command::{self, LIMIT, text_of, wait_until};
use crate::random::Random;
use crate::rig::cuttable::{Cuttable, HOST};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Requests after which the power fails, from and below: an emulated machine makes hundreds a second.
const REQUESTS: (u64, u64) = (100, 500);

pub struct MachineCampaign {
    behaviour: &'static Behaviour,
    program: PathBuf,
    folder: PathBuf,
    witness: Witness,
    machine: Cuttable,
    layer: Layer,
    writer: Writer,
    seed: u64,
    cuts: u64,
    /// Campaign of what stands; none where the next cut begins with a new filesystem.
    campaign: Option<String>,
}

impl MachineCampaign {
    pub fn new(behaviour: &'static Behaviour, layer: Layer, writer: Writer, program: &Path, seed: u64, folder: &Path) -> Result<Self> {
        let serial = layer.serial.with_context(|| format!("{} is no layer of the machine", layer.name))?;
        let witness = Witness::start(program, folder)?;
        let drive = CachedDrive::new(layer.drive_bytes, behaviour.habits, Random::of(seed, "drive", 0).next());
        let needs_zfs = layer.filesystem.is_some_and(|(kind, ..)| kind == "zfs");
        let machine = Cuttable::new(&folder.join("vm"), serial, FaultyDrive::of(drive), program, needs_zfs)?;
        // The guest gets the key of the witness.
        command::run(Command::new("cp").arg("--recursive").arg(folder.join("config")).arg(machine.share().join("config")))?;
        let (program, folder) = (program.to_owned(), folder.to_owned());
        Ok(Self { behaviour, program, folder, witness, machine, layer, writer, seed, cuts: 0, campaign: None })
    }

    /// Makes one cut and looks. An error is the rig's.
    pub fn cut(&mut self) -> Result<Found> {
        let number = self.cuts;
        self.cuts += 1;
        self.cycle(number).with_context(|| format!("cut {} of a drive that is {}", number + 1, self.behaviour.name))
    }

    fn cycle(&mut self, number: u64) -> Result<Found> {
        if self.campaign.is_none() {
            self.anew().context("setting up")?;
        }
        let mut random = Random::of(self.seed, "cut", number as usize);
        let campaign = self.begin()?;
        let before = if self.writer == Writer::Shown { 0 } else { self.kept(&campaign)? };
        let machine = &mut self.machine;
        machine.drive.with(|drive| drive.cut_after(REQUESTS.0 + random.below(REQUESTS.1 - REQUESTS.0)));
        machine.cut(LIMIT)?;
        ensure!(self.writer == Writer::Shown || self.kept(&campaign)? > before, "nothing was acknowledged");
        let found = self.look(&campaign).context("looking after the cut")?;
        let stays = found.is_clean() && self.behaviour.lie.is_none();
        self.campaign = stays.then_some(campaign);
        Ok(found)
    }

    /// Starts the writer; when this returns it has made its files and writes. Gives its campaign.
    fn begin(&mut self) -> Result<String> {
        let target = self.target()?;
        if let Some(words) = target.filling(self.writer) {
            self.machine.must(&format!("dd {}", words.join(" ")))?;
        }
        let (address, serial) = (self.address(), self.machine.serial);
        let command = in_guest(&address).write(self.writer, target.place(self.writer)?, Some(serial), self.campaign.as_deref());
        self.run_behind(&line_of(&command))?;
        let said = self.wait_until_it_says(READY)?;
        if self.writer == Writer::Shown {
            return Ok(String::new());
        }
        let id = said.split("campaign ").nth(1).and_then(|rest| rest.split(',').next());
        id.map(str::to_owned).with_context(|| format!("the writer does not name its campaign: {said}"))
    }

    /// Boots and reads back. That a journal cannot be replayed is the drive's doing.
    fn look(&mut self, campaign: &str) -> Result<Found> {
        self.machine.power_on()?;
        if let Err(error) = self.stand()? {
            println!("  not mountable after cut {}: {error}", self.cuts);
            return Ok(Found::all_gone("not mountable"));
        }
        let target = self.target()?;
        let command = in_guest(&self.address()).check(self.writer, target.place(self.writer)?, campaign);
        let done = self.machine.order(&order(&line_of(&command)))?;
        judged(self.writer, Some(done.status), &done.out, &done.errors, &target)
    }

    fn kept(&self, campaign: &str) -> Result<u64> {
        let home = Home { program: &self.program, folder: &self.folder, witness: &self.witness.address };
        let told = text_of(&mut home.command(&["powercut", "list", "--witness", home.witness, "--json"]))?;
        let document = document(&told)?;
        let listed = document["campaigns"].as_array().and_then(|all| all.iter().find(|one| one["campaign"] == campaign));
        listed.and_then(|one| one["size_bytes"].as_u64()).with_context(|| format!("the witness does not list {campaign}: {told}"))
    }

    fn address(&self) -> String {
        let port = self.witness.address.rsplit_once(':').map_or("", |(_, port)| port);
        format!("{HOST}:{port}")
    }

    /// The machine with a new filesystem, or with the bare drive; what was there is gone.
    fn anew(&mut self) -> Result<()> {
        self.machine.kill()?;
        self.machine.power_on()?;
        let disk = self.disk()?;
        if let Some((kind, mkfs, options)) = self.layer.filesystem {
            self.machine.must(&order(&format!("make {kind} {disk} {options} {}", mkfs.join(" "))))?;
        }
        self.stand()?.map_err(anyhow::Error::msg)
    }

    /// Brings the network up, and mounts what is on the drive; gives the reason where that fails.
    fn stand(&mut self) -> Result<Result<(), String>> {
        self.machine.must(&order("up"))?;
        let disk = self.disk()?;
        if self.behaviour.says_write_through {
            self.machine.must(&order(&format!("write_through {disk}")))?;
        }
        let Some((kind, _, options)) = self.layer.filesystem else { return Ok(Ok(())) };
        let done = self.machine.order(&order(&format!("stand {kind} {disk} {options}")))?;
        Ok(if done.status == 0 { Ok(()) } else { Err(format!("{} {}", done.out.trim(), done.errors.trim())) })
    }

    fn target(&mut self) -> Result<Target> {
        let is_device = self.layer.filesystem.is_none();
        Ok(Target { path: if is_device { self.disk()?.into() } else { "/mnt/blocks".into() }, is_device })
    }

    fn run_behind(&mut self, line: &str) -> Result<()> {
        let gone = format!("rm -f /share/{SAID} /share/{ENDED}");
        let line = format!("{gone}\n{{ {line} >/share/writer.out 2>/share/{SAID}; echo $? >/share/{ENDED}; }} &");
        self.machine.must(&order(&line)).map(drop)
    }

    fn wait_until_it_says(&self, sentence: &str) -> Result<String> {
        let said = || self.machine.said(SAID);
        let has_ended = || !self.machine.said(ENDED).is_empty();
        wait_until("a writer that writes", || has_ended() || said().contains(sentence)).with_context(said)?;
        ensure!(!has_ended(), "the writer ended before the cut: {}", said().trim());
        Ok(said())
    }

    fn disk(&mut self) -> Result<String> {
        let serial = self.machine.serial;
        self.machine.must(&order(&format!("drive {serial}")))
    }
}

fn in_guest(witness: &str) -> Home<'_> {
    Home { program: Path::new("ioproof"), folder: Path::new(HOME), witness }
}

/// Folder of ioproof's own in the guest, in its memory. The key of the witness is below.
const HOME: &str = "/tmp/ioproof";

/// Files of the shared folder in which the writer speaks, and one with its status once it has ended.
const SAID: &str = "writer.err";
const ENDED: &str = "writer.status";

fn order(line: &str) -> String {
    format!(". /share/powercut.sh\n{line}\n")
}

fn line_of(command: &Command) -> String {
    let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"));
    let set = command.get_envs().filter_map(|(name, value)| Some(format!("{}={}", name.display(), quoted(value?))));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted);
    set.chain(words).collect::<Vec<_>>().join(" ")
}
