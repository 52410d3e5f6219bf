//! The guest's side of a campaign, as orders to it; `rig/powercut.sh` has the steps.

use crate::command::wait_until;
use crate::powercut::layer::{Ground, Layer};
use crate::powercut::prover::Target;
use crate::rig::cuttable::Cuttable;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Folder of ioproof's own in the guest, in its memory. The key of the witness is below.
pub const HOME: &str = "/tmp/ioproof";

/// Files of the shared folder in which the writer speaks, and one with its status once it has ended.
const SAID: &str = "writer.err";
const ENDED: &str = "writer.status";

pub struct Guest {
    pub machine: Cuttable,
    layer: Layer,
    says_write_through: bool,
}

impl Guest {
    /// Gives it the key of the witness, whose configuration is in this folder.
    pub fn new(machine: Cuttable, layer: Layer, says_write_through: bool, configuration: &Path) -> Result<Self> {
        let share = machine.share().join("config");
        let copied = Command::new("cp").arg("--recursive").arg(configuration).arg(&share).status().context("cannot start cp")?;
        if !copied.success() {
            bail!("the key of the witness cannot be copied into the guest: {copied}");
        }
        Ok(Self { machine, layer, says_write_through })
    }

    /// The machine with a new filesystem, or with the bare drive; what was there is gone.
    pub fn anew(&mut self) -> Result<()> {
        self.machine.kill()?;
        self.machine.power_on()?;
        let disk = self.disk()?;
        if let Some(filesystem) = self.layer.filesystem() {
            let (kind, options) = (filesystem.kind, filesystem.options);
            self.machine.must(&order(&format!("make {kind} {disk} {options} {}", filesystem.mkfs.join(" "))))?;
        }
        self.stand()?.map_err(anyhow::Error::msg)
    }

    /// Brings the network up, and mounts what is on the drive; gives the reason where that fails.
    pub fn stand(&mut self) -> Result<Result<(), String>> {
        self.machine.must(&order("up"))?;
        let disk = self.disk()?;
        if self.says_write_through {
            self.machine.must(&order(&format!("write_through {disk}")))?;
        }
        let Some(filesystem) = self.layer.filesystem() else { return Ok(Ok(())) };
        let done = self.machine.order(&order(&format!("stand {} {disk} {}", filesystem.kind, filesystem.options)))?;
        Ok(if done.status == 0 { Ok(()) } else { Err(format!("{} {}", done.out.trim(), done.errors.trim())) })
    }

    pub fn target(&mut self) -> Result<Target> {
        Ok(match self.layer.ground {
            Ground::Filesystem(_) => Target { path: "/mnt/blocks".into(), is_device: false },
            Ground::Device | Ground::File => Target { path: self.disk()?.into(), is_device: true },
        })
    }

    pub fn begin(&mut self, line: &str) -> Result<()> {
        let gone = format!("rm -f /share/{SAID} /share/{ENDED}");
        let line = format!("{gone}\n{{ {line} >/share/writer.out 2>/share/{SAID}; echo $? >/share/{ENDED}; }} &");
        self.machine.must(&order(&line)).map(drop)
    }

    /// Waits for a sentence of the writer; gives all that it said.
    pub fn wait_until_it_says(&self, sentence: &str) -> Result<String> {
        let said = || self.machine.said(SAID);
        let has_ended = || !self.machine.said(ENDED).is_empty();
        wait_until("a writer that writes", || has_ended() || said().contains(sentence)).with_context(said)?;
        if has_ended() {
            bail!("the writer ended before the cut: {}", said().trim());
        }
        Ok(said())
    }

    fn disk(&mut self) -> Result<String> {
        let serial = self.machine.serial();
        self.machine.must(&order(&format!("drive {serial}")))
    }
}

/// An order that uses the steps of `rig/powercut.sh`.
pub fn order(line: &str) -> String {
    format!(". /share/powercut.sh\n{line}\n")
}

pub fn line_of(command: &Command) -> String {
    let set =
        command.get_envs().filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), quoted(&value?.to_string_lossy()))));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(|word| quoted(&word.to_string_lossy()));
    set.chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
