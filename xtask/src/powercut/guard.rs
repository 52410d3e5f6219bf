//! The process that tidies up behind a campaign, however that ends: with Ctrl-C, by a kill, or in good order.
//!
//! It has a process group of its own, which no signal of the terminal reaches, and ends with the pipe from the campaign.

use crate::kept;
use anyhow::{Context, Result};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

/// Looks at what is left, and the pause between two.
const LOOKS: u32 = 300;
const PAUSE: Duration = Duration::from_millis(100);

/// The campaign's end of it. The folder and all that stands below are gone when this is dropped.
pub struct Guard {
    child: Child,
    input: Option<ChildStdin>,
}

impl Guard {
    pub fn start(folder: &Path) -> Result<Self> {
        // This program, which may have been built anew meanwhile.
        let mut itself = Command::new("/proc/self/exe");
        itself.args(["powercut", "guard"]).arg(folder).process_group(0).stdin(Stdio::piped());
        let mut child = itself.spawn().context("cannot start the guard")?;
        Ok(Self { input: child.stdin.take(), child })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

pub fn main(folder: &Path) -> Result<()> {
    std::io::stdin().read_to_end(&mut Vec::new()).context("cannot watch")?;
    for _ in 0..LOOKS {
        kept::sweep(folder);
        if !something_is_mounted(folder) && std::fs::remove_dir_all(folder).is_ok() {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    anyhow::bail!("{} could not be tidied up", folder.display())
}

fn something_is_mounted(folder: &Path) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    mounts.lines().filter_map(|line| line.split(' ').nth(1)).any(|point| Path::new(point).starts_with(folder))
}
