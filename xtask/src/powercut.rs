//! `cargo xtask powercut`: drives, honest ones and liars, lose their power; what was acknowledged is looked for.
//!
//! `powercut/README.md` says how a cut is made, what each drive does and how to add one.

mod grade;
mod judged;
mod layer;
mod machine;
pub mod prover;
mod standing;

use crate::cached::behaviours::{BEHAVIOURS, Behaviour, SELDOM};
use crate::debian::{self, Package};
use crate::{Verb, command, kept, package, random, rig};
use anyhow::{Context, Result, bail, ensure};
use grade::{COLUMNS, NOTHING, Right, Tally};
use judged::Found;
use layer::{LAYERS, Layer};
use machine::MachineCampaign;
use prover::{Prover, Writer};
use standing::Campaign;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

pub const VERB: Verb = Verb {
    name: "powercut",
    usage: "[--machine] [--cuts N] [--only NAME] [--seed N]",
    about: "drives that lose their power: what was acknowledged is looked for",
    help: include_str!("powercut/README.md"),
    run: main,
};

const PACKAGES: &[Package] = &[
    Package { name: "mount", provides: "losetup", why: "to make loop devices and mount them (losetup, mount)" },
    Package { name: "e2fsprogs", provides: "mkfs.ext4", why: "to put ext4 on a drive" },
    Package { name: "xfsprogs", provides: "mkfs.xfs", why: "to put XFS on a drive" },
];

/// Cuts after which a drive that ignores one flush in a hundred should have been found: each finds it once in a hundred times or, where several flushes make one write durable, less.
const PATIENCE_SELDOM: usize = 1000;
const PATIENCE: usize = 30;

const STEP: &str =
    "honest/raw/blocks honest/ext4/blocks honest/xfs/names honest/ext4/shown flush-ignored/raw/blocks flush-reordered/raw/blocks
    trim-returns/raw/blocks honest/vm-raw/blocks honest/vm-ext4/names honest/vm-ext4/shown honest/vm-xfs/blocks flush-ignored/vm-raw/blocks
    flush-ignored/vm-ext4/names";

/// Rows of the usual form, by each writer that can: drive, and its layers.
const USUAL: &[(&str, &str)] = &[
    ("honest", "raw ext4 xfs vm-raw vm-ext4 vm-ext4-writeback vm-xfs vm-zfs vm-ext4-nobarrier vm-zfs-nosync vm-ext4-nvme"),
    ("honest-torn-512", "raw vm-raw"),
    ("honest-all-lost", "raw vm-ext4"),
    ("protected", "raw vm-ext4-nobarrier"),
    ("flush-ignored", "raw ext4 xfs vm-raw vm-ext4 vm-xfs vm-zfs"),
    ("flush-reordered", "raw ext4 vm-raw"),
    ("flushed-torn-512", "raw vm-raw"),
    ("flushed-torn-4096", "raw vm-raw"),
    ("fua-only", "file vm-raw"),
    ("trim-returns", "raw vm-raw"),
    ("says-write-through", "raw vm-raw"),
];

pub struct Options {
    cuts: usize,
    seed: u64,
    /// Names of drive, layer and writer, as many as are given; one alone is a part of any of them.
    only: Vec<String>,
    machine: bool,
    is_step: bool,
}

impl Options {
    /// Each kind of drive.
    pub fn usual() -> Self {
        Self { cuts: 10, seed: random::seed_from_clock(), only: Vec::new(), machine: false, is_step: false }
    }

    /// A few cuts of honest drives and liars.
    pub fn step(machine: bool) -> Self {
        Self { cuts: 3, seed: 1, is_step: true, machine, ..Self::usual() }
    }

    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::usual();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} takes a value"));
            match word.as_str() {
                "--machine" => options.machine = true,
                "--cuts" => options.cuts = value()?.parse().context("--cuts takes a number")?,
                "--seed" => options.seed = value()?.parse().context("--seed takes a number")?,
                "--only" => options.only = value()?.split('/').map(str::to_owned).collect(),
                _ => bail!("usage: cargo xtask powercut {}", VERB.usage),
            }
        }
        Ok(options)
    }
}

fn main(args: &[String]) -> Result<ExitCode> {
    let options = Options::parse(args)?;
    debian::ensure(&packages(options.machine))?;
    if let Some(reason) = obstacle(options.machine) {
        bail!("no power can be cut: {reason}");
    }
    Ok(if run(&options)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A step of `cargo xtask test`.
pub fn step(options: &Options) -> Result<()> {
    if let Some(reason) = obstacle(options.machine) {
        return command::leave_out("powercut", &reason);
    }
    ensure!(run(options)?, "not found rightly; hint: cargo xtask powercut --seed {} --only NAME", options.seed);
    Ok(())
}

fn packages(machine: bool) -> Vec<&'static Package> {
    if machine { vec![&rig::QEMU] } else { PACKAGES.iter().collect() }
}

fn obstacle(machine: bool) -> Option<String> {
    let lacks = match machine {
        true => (!cfg!(target_arch = "x86_64")).then_some("the machine is a PC, and this host is none"),
        false => (!Path::new("/dev/fuse").exists()).then_some("this kernel has no FUSE"),
    };
    debian::obstacle(&packages(machine), !machine).or(lacks.map(str::to_owned))
}

fn run(options: &Options) -> Result<bool> {
    // With no library where it is the guest's too.
    let program = if options.machine { package::build_static()? } else { command::ioproof(false)? };
    let folder = kept::fresh_folder("powercut", |dead| drop(std::fs::remove_dir_all(dead)))?;
    println!("seed {}, in {}\n\n{COLUMNS}", options.seed, folder.display());
    let mut is_right = true;
    for row in wanted(options) {
        let Row { behaviour, layer, .. } = row;
        let begun = Instant::now();
        let tally = campaign(row, options, &program, &folder.join(row.names().join("-")))?;
        println!("{}", tally.row(behaviour.name, layer.name, begun.elapsed().as_secs_f64()));
        is_right &= tally.is_right();
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(is_right)
}

#[derive(Clone, Copy)]
struct Row {
    behaviour: &'static Behaviour,
    layer: &'static Layer,
    writer: Writer,
}

impl Row {
    fn all() -> impl Iterator<Item = Self> {
        let grounds = BEHAVIOURS.iter().flat_map(|behaviour| LAYERS.iter().map(move |layer| (behaviour, layer)));
        grounds.flat_map(|(behaviour, layer)| Writer::ALL.map(|writer| Self { behaviour, layer, writer }))
    }

    fn names(&self) -> [&'static str; 3] {
        [self.behaviour.name, self.layer.name, self.writer.name()]
    }

    /// Names need a filesystem, what is said of a cache a device, and a drive that lies seldom hundreds of cuts, which are for the writer of blocks and not for the machine.
    fn is_possible(&self) -> bool {
        let is_seldom = self.behaviour.lie == Some(SELDOM);
        let has_place = self.writer == Writer::Blocks || self.layer.filesystem.is_some();
        // A drive that lies may take with it by what it is found out.
        let is_told = self.writer != Writer::Shown || self.behaviour.lie.is_none() && !self.layer.keeps_flushes;
        is_told
            && has_place
            && (self.layer.has_device || !self.behaviour.says_write_through)
            && (!is_seldom || self.writer == Writer::Blocks && self.layer.serial.is_none())
    }

    fn is_wanted(&self, options: &Options) -> bool {
        let names = self.names();
        match options.only.as_slice() {
            [] if options.is_step => STEP.split_whitespace().any(|row| row == names.join("/")),
            [] => USUAL.iter().any(|(name, layers)| *name == names[0] && layers.split(' ').any(|layer| layer == names[1])),
            [part] => names.iter().any(|name| name.contains(part.as_str())),
            parts => parts.len() <= names.len() && parts.iter().zip(names).all(|(part, name)| part == name),
        }
    }
}

fn wanted(options: &Options) -> Vec<Row> {
    let rows = Row::all().filter(|row| row.layer.serial.is_some() == options.machine);
    rows.filter(|row| row.is_possible() && row.is_wanted(options)).collect()
}

/// Cuts so often as is wanted, and a liar until it is found.
fn campaign(row: Row, options: &Options, program: &Path, folder: &Path) -> Result<Tally> {
    let Row { behaviour, layer, writer } = row;
    if layer.serial.is_some() {
        let mut campaign = MachineCampaign::new(behaviour, *layer, writer, program, options.seed, folder)?;
        return repeat(row, options, || campaign.cut());
    }
    let mut prover = Prover::new(writer, program, &folder.join("ioproof"))?;
    let mut campaign = Campaign::new(behaviour, *layer, &mut prover, options.seed, folder)?;
    repeat(row, options, || campaign.cut())
}

fn repeat(row: Row, options: &Options, mut cut: impl FnMut() -> Result<Found>) -> Result<Tally> {
    let Row { behaviour, layer, writer } = row;
    let right = Right::of(behaviour, layer);
    let mut tally = Tally { writer, found: Vec::new(), right };
    let patience = if behaviour.lie == Some(SELDOM) { PATIENCE_SELDOM } else { PATIENCE };
    while tally.found.len() < options.cuts || right != Right::Named(NOTHING) && !tally.is_right() && tally.found.len() < patience {
        tally.found.push(cut()?);
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_the_two_forms_is_there() {
        let count = |options: fn(bool) -> Options| [false, true].map(|machine| wanted(&options(machine)).len()).iter().sum::<usize>();
        assert_eq!(count(Options::step), STEP.split_whitespace().count());
        let usual = |machine| Options { machine, ..Options::usual() };
        let by_blocks = [false, true].map(|machine| wanted(&usual(machine)).iter().filter(|row| row.writer == Writer::Blocks).count());
        assert_eq!(by_blocks.iter().sum::<usize>(), USUAL.iter().map(|(_, layers)| layers.split(' ').count()).sum::<usize>());
    }
}
