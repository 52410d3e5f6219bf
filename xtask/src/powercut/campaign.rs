//! A campaign: one kind of drive, one layer on it, one cut after another.
//!
//! What stands after a cut is what the next one is made on, unless the drive lies: then the next one begins with a new filesystem.

use super::judged::Found;
use super::layer::Layer;
use super::prover::Prover;
use super::standing::Standing;
use crate::cached::CachedDrive;
use crate::cached::behaviours::Behaviour;
use crate::cached::faulty::FaultyDrive;
use crate::command::LIMIT;
use crate::random::Random;
use anyhow::{Context, Result};
use std::path::Path;

/// Requests after which the power fails, from and below: some tens of acknowledgements through a journal, and hundreds without one.
const REQUESTS: (u64, u64) = (100, 400);

pub struct Campaign<'a> {
    behaviour: &'static Behaviour,
    standing: Standing,
    prover: &'a mut Prover,
    seed: u64,
    cuts: u64,
    is_up: bool,
}

impl<'a> Campaign<'a> {
    pub fn new(behaviour: &'static Behaviour, layer: Layer, prover: &'a mut Prover, seed: u64, folder: &Path) -> Result<Self> {
        let drive = FaultyDrive::of(CachedDrive::new(layer.drive_bytes, behaviour.habits, Random::of(seed, "drive", 0).next()));
        let standing = Standing::new(folder, layer, drive, behaviour.says_write_through)?;
        Ok(Self { behaviour, standing, prover, seed, cuts: 0, is_up: false })
    }

    /// Makes one cut and looks. An error is the rig's.
    pub fn cut(&mut self) -> Result<Found> {
        let number = self.cuts;
        self.cuts += 1;
        self.cycle(number).with_context(|| format!("cut {} of a drive that is {}", number + 1, self.behaviour.name))
    }

    fn cycle(&mut self, number: u64) -> Result<Found> {
        if !self.is_up {
            self.set_up().context("setting up")?;
        }
        let mut random = Random::of(self.seed, "cut", number as usize);
        let target = self.standing.target()?;
        self.prover.begin(&target)?;
        self.standing.drive.with(|drive| drive.cut_after(REQUESTS.0 + random.below(REQUESTS.1 - REQUESTS.0)));
        self.standing.drive.wait_for_cut(LIMIT)?;
        self.prover.end()?;
        self.standing.take_down().context("taking down what lost its power")?;
        self.standing.drive.with(CachedDrive::power_on);
        let found = self.look()?;
        self.is_up = found.is_clean() && self.behaviour.lie.is_none();
        if !self.is_up {
            self.standing.take_down().context("taking down")?;
        }
        Ok(found)
    }

    fn set_up(&mut self) -> Result<()> {
        self.standing.attach()?;
        self.standing.make()?;
        self.standing.mount()
    }

    /// Looks after the power is back. That a journal cannot be replayed is the drive's doing.
    fn look(&mut self) -> Result<Found> {
        self.standing.attach().context("attaching the drive again")?;
        if self.standing.mount().is_err() {
            return Ok(Found::all_gone("not mountable"));
        }
        let target = self.standing.target()?;
        self.prover.check(&target)
    }
}
