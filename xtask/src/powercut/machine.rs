//! A campaign in the virtual machine: kernel and drive lose their power together, and the witness on this host does not.
//!
//! One boot a cut: what was acknowledged before is looked for, and then the next session is written.

mod guest;

use super::found::Found;
use super::judged::{judged, judged_shown};
use super::layer::{Layer, Site};
use super::prover::{self, READY, Writer};
use super::witness::Witness;
use crate::cached::CachedDrive;
use crate::cached::behaviours::Behaviour;
use crate::cached::faulty::FaultyDrive;
use crate::command::{LIMIT, text_of};
use crate::random::Random;
use crate::rig::cuttable::{Cuttable, HOST};
use anyhow::{Context, Result, bail};
use guest::{Guest, line_of};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Requests after which the power fails, from and below: an emulated machine makes hundreds a second.
const REQUESTS: (u64, u64) = (100, 500);

pub struct MachineCampaign {
    behaviour: &'static Behaviour,
    program: PathBuf,
    /// Home of the witness, which the guest does not see.
    folder: PathBuf,
    witness: Witness,
    guest: Guest,
    writer: Writer,
    seed: u64,
    cuts: u64,
    /// Campaign of what stands; none where the next cut begins with a new filesystem.
    campaign: Option<String>,
}

impl MachineCampaign {
    pub fn new(behaviour: &'static Behaviour, layer: Layer, writer: Writer, program: &Path, seed: u64, folder: &Path) -> Result<Self> {
        let Site::Machine(serial) = layer.site else { bail!("{} is no layer of the machine", layer.name) };
        let witness = Witness::start(program, folder)?;
        let drive = CachedDrive::new(layer.drive_bytes, behaviour.habits, Random::of(seed, "drive", 0).next());
        let needs_zfs = layer.filesystem().is_some_and(|filesystem| filesystem.kind == "zfs");
        let machine = Cuttable::new(&folder.join("vm"), serial, FaultyDrive::of(drive), program, needs_zfs)?;
        let guest = Guest::new(machine, layer, behaviour.says_write_through, &folder.join("config"))?;
        let (program, folder) = (program.to_owned(), folder.to_owned());
        Ok(Self { behaviour, program, folder, witness, guest, writer, seed, cuts: 0, campaign: None })
    }

    /// Makes one cut and looks. An error is the rig's.
    pub fn cut(&mut self) -> Result<Found> {
        let number = self.cuts;
        self.cuts += 1;
        self.cycle(number).with_context(|| format!("cut {} of a drive that is {}", number + 1, self.behaviour.name))
    }

    fn cycle(&mut self, number: u64) -> Result<Found> {
        if self.campaign.is_none() {
            self.guest.anew().context("setting up")?;
        }
        let mut random = Random::of(self.seed, "cut", number as usize);
        let campaign = self.begin()?;
        let before = if self.writer == Writer::Shown { 0 } else { self.kept(&campaign)? };
        let machine = &mut self.guest.machine;
        machine.drive.cut_after(REQUESTS.0 + random.below(REQUESTS.1 - REQUESTS.0));
        machine.cut(LIMIT)?;
        if self.writer != Writer::Shown && self.kept(&campaign)? <= before {
            bail!("nothing was acknowledged");
        }
        let found = self.look(&campaign).context("looking after the cut")?;
        let stays = found.is_clean() && self.behaviour.lie.is_none();
        self.campaign = stays.then_some(campaign);
        Ok(found)
    }

    /// Starts the writer; when this returns it has made its files and writes. Gives its campaign.
    fn begin(&mut self) -> Result<String> {
        let target = self.guest.target()?;
        let place = target.place(self.writer.is_in_folder())?;
        if self.writer == Writer::Shown {
            self.guest.begin(&line_of(&prover::shown(Path::new("ioproof"), Path::new(guest::HOME), place, &[])))?;
            return self.guest.wait_until_it_says(READY).map(|_| String::new());
        }
        if let Some(words) = target.filling(self.writer.is_in_folder()) {
            self.guest.machine.must(&format!("dd {}", words.join(" ")))?;
        }
        let (program, home, serial) = (Path::new("ioproof"), Path::new(guest::HOME), self.guest.machine.serial());
        let mut command = prover::proven_write(program, home, &self.address(), place, self.writer.is_in_folder(), Some(serial));
        command.args(self.campaign.iter().flat_map(|id| ["--campaign", id]));
        self.guest.begin(&line_of(&command))?;
        let said = self.guest.wait_until_it_says(READY)?;
        let id = said.split("campaign ").nth(1).and_then(|rest| rest.split(',').next());
        id.map(str::to_owned).with_context(|| format!("the writer does not name its campaign: {said}"))
    }

    /// Boots and reads back. That a journal cannot be replayed is the drive's doing.
    fn look(&mut self, campaign: &str) -> Result<Found> {
        self.guest.machine.power_on()?;
        if let Err(error) = self.guest.stand()? {
            println!("  not mountable after cut {}: {error}", self.cuts);
            return Ok(Found::all_gone("not mountable"));
        }
        let target = self.guest.target()?;
        let (program, home, place) = (Path::new("ioproof"), Path::new(guest::HOME), target.place(self.writer.is_in_folder())?);
        if self.writer == Writer::Shown {
            let done = self.guest.machine.order(&guest::order(&line_of(&prover::shown(program, home, place, &["--after"]))))?;
            return judged_shown(Some(done.status), &done.out, &done.errors);
        }
        let command = prover::proven_check(program, home, &self.address(), place, campaign);
        let done = self.guest.machine.order(&guest::order(&line_of(&command)))?;
        judged(Some(done.status), &done.out, &done.errors, &target)
    }

    fn kept(&self, campaign: &str) -> Result<u64> {
        let told = text_of(&mut prover::proven_list(&self.program, &self.folder, &self.witness.address))?;
        let document: Value = serde_json::from_str(&told).with_context(|| format!("no list: {told}"))?;
        let listed = document["campaigns"].as_array().and_then(|all| all.iter().find(|one| one["campaign"] == campaign));
        listed.and_then(|one| one["size_bytes"].as_u64()).with_context(|| format!("the witness does not list {campaign}: {told}"))
    }

    fn address(&self) -> String {
        let port = self.witness.address.rsplit_once(':').map_or("", |(_, port)| port);
        format!("{HOST}:{port}")
    }
}
