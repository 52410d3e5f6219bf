//! A zram device of its own, added and removed by the kernel's control files (Documentation/admin-guide/blockdev/zram.rst).

use super::cause::Content;
use super::content::{self, MIB};
use crate::kept::Kept;
use anyhow::{Context, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

const CONTROL: &str = "/sys/class/zram-control";

pub fn make(kept: &mut Kept, content: Content) -> Result<PathBuf> {
    let number = std::fs::read_to_string(Path::new(CONTROL).join("hot_add")).context("cannot add a zram device")?;
    let number = number.trim().to_owned();
    std::fs::write(format!("/sys/block/zram{number}/disksize"), format!("{MIB}M"))?;
    let node = PathBuf::from(format!("/dev/zram{number}"));
    kept.keep(Device(number));
    content::fill(&File::options().write(true).open(&node)?, content)?;
    Ok(node)
}

struct Device(String);

impl Drop for Device {
    fn drop(&mut self) {
        // Whoever looks at new devices may have it open for a moment.
        for _ in 0..50 {
            let _ = std::fs::write(format!("/sys/block/zram{}/reset", self.0), "1");
            if std::fs::write(Path::new(CONTROL).join("hot_remove"), &self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
