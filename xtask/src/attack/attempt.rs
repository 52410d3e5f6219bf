//! One attempt: its folder, its random numbers, the calls that it made and what was found wrong.
//!
//! A campaign (a file beside this one) fills the folder, makes calls and looks; the runner (`attack.rs`) removes the folder where nothing failed.

use super::Setting;
use super::failure::{self, Failure, Kind};
use super::snapshot::{Care, Snapshot};
use crate::kept::Kept;
use crate::program::{Call, Ended, Running};
use crate::random::Random;
use anyhow::Result;
use std::path::PathBuf;

pub struct Attempt<'a> {
    pub number: usize,
    pub random: Random,
    pub kept: Kept,
    pub setting: &'a Setting,
    pub folder: PathBuf,
    calls: usize,
    last_command: String,
    said: String,
    pub failures: Vec<Failure>,
}

impl<'a> Attempt<'a> {
    /// With fresh folders: `work` for calls and foreign files, `disks` for files behind loop devices, `home` for the program's state.
    pub fn new(setting: &'a Setting, campaign: &str, number: usize) -> Result<Self> {
        let folder = setting.folder.join(format!("{campaign}-{number}"));
        for name in ["work", "disks", "home"] {
            std::fs::create_dir_all(folder.join(name))?;
        }
        let random = Random::of(setting.seed, campaign, number);
        let (kept, failures, last_command, said) = (Kept::default(), Vec::new(), String::new(), String::new());
        Ok(Self { number, random, kept, setting, folder, calls: 0, last_command, said, failures })
    }

    pub fn work(&self, name: &str) -> PathBuf {
        self.folder.join("work").join(name)
    }

    pub fn home(&self, name: &str) -> PathBuf {
        self.folder.join("home").join(name)
    }

    pub fn stored_run(&self) -> String {
        self.setting.fixtures.join("runs/20261203-101500-7b21").display().to_string()
    }

    pub fn start(&mut self, call: Call) -> Result<Running> {
        self.calls += 1;
        self.last_command = call.describe();
        Running::start(call, self.calls, &self.setting.program, &self.folder)
    }

    pub fn run(&mut self, call: Call, statuses: &[i32]) -> Result<Ended> {
        let ended = self.start(call)?.wait()?;
        self.said.push_str(&ended.stderr);
        self.judge(&ended, statuses);
        Ok(ended)
    }

    pub fn judge(&mut self, ended: &Ended, statuses: &[i32]) {
        self.failures.extend(failure::of_call(ended, statuses));
    }

    pub fn fail(&mut self, kind: Kind, reason: impl Into<String>) {
        self.failures.push(Failure { kind, reason: reason.into(), command: self.last_command.clone() });
    }

    pub fn look(&self, care: Care) -> Result<[Snapshot; 2]> {
        Ok([Snapshot::take(&self.work(""), care)?, Snapshot::take(&self.folder.join("disks"), Care::Content)?])
    }

    pub fn compare(&mut self, before: &[Snapshot; 2], care: Care) -> Result<()> {
        let after = self.look(care)?;
        // Without descriptors nothing can be removed; then the program has to say what lies there.
        let said = std::mem::take(&mut self.said);
        for (before, after) in before.iter().zip(&after) {
            for difference in before.differences(after) {
                self.fail(Kind::Lost(difference.bytes), difference.text);
            }
            for path in after.left_overs().into_iter().filter(|path| !said.contains(&*path.to_string_lossy())) {
                self.fail(Kind::Other, format!("left behind: {}", path.display()));
            }
        }
        Ok(())
    }

    pub fn foreign(&mut self, name: &str, length: usize) -> Result<PathBuf> {
        let path = self.work(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let bytes = self.random.bytes(length);
        std::fs::write(&path, bytes)?;
        Ok(path)
    }
}
