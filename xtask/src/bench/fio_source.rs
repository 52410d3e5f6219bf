//! fio's `t/io_uring`, which Debian's package lacks: its source fetched by apt-get below `target/bench`, edited in one place, built.
//!
//! Nothing of fio is in this tree.

use crate::debian::{self, Package};
use crate::{apt, command};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOLS: [Package; 3] = [
    Package { name: "gcc", provides: "gcc", why: "to build t/io_uring of fio" },
    Package { name: "make", provides: "make", why: "to build t/io_uring of fio" },
    Package { name: "libc6-dev", provides: "/usr/include/stdio.h", why: "to build t/io_uring of fio" },
];

pub fn t_io_uring(folder: &Path) -> Result<PathBuf> {
    let source = folder.join("source");
    let program = source.join("t/io_uring");
    if program.is_file() {
        return Ok(program);
    }
    let missing = debian::ensure(&TOOLS.iter().collect::<Vec<_>>())?;
    if !missing.is_empty() {
        bail!("missing: {}", debian::names(&missing));
    }
    let archive = fetch(folder)?;
    unpack(&archive, &source)?;
    let file = source.join("t/io_uring.c");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    fs::write(&file, edited(&text)?).with_context(|| format!("cannot write {}", file.display()))?;
    quietly(Command::new("./configure").arg("--disable-native").current_dir(&source))?;
    quietly(Command::new("make").arg("t/io_uring").current_dir(&source))?;
    Ok(program)
}

/// Runs to the end; what it says matters only when it fails.
fn quietly(command: &mut Command) -> Result<()> {
    let out = command.output().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !out.status.success() {
        bail!("{} failed: {}", command.get_program().display(), String::from_utf8_lossy(&out.stderr).trim());
    }
    Ok(())
}

/// The archive of the source, as apt has checked it.
fn fetch(folder: &Path) -> Result<PathBuf> {
    let download = folder.join("download");
    fs::create_dir_all(&download).with_context(|| format!("cannot make {}", download.display()))?;
    apt::take_sources(folder, "deb-src", "main")?;
    command::run(apt::apt(folder).arg("update"))?;
    let mut source = apt::apt(folder);
    command::run(source.args(["source", "--download-only", "fio"]).current_dir(&download)).context("fio's source cannot be fetched")?;
    let archive = fs::read_dir(&download)?.flatten().map(|entry| entry.path()).find(|path| is_archive(path));
    archive.with_context(|| format!("no archive of fio's source in {}", download.display()))
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(".orig.tar.") && !name.ends_with(".asc")
}

fn unpack(archive: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot remove {}", to.display()))?;
    }
    fs::create_dir_all(to)?;
    command::run(Command::new("tar").args(["--extract", "--strip-components=1", "--file"]).arg(archive).arg("--directory").arg(to))
}

/// The source with character devices allowed, as if they had 512 MiB in blocks of 4 KiB.
fn edited(source: &str) -> Result<String> {
    const PLACE: &str = "} else if (S_ISREG(st.st_mode)) {";
    const CASE: &str = "} else if (S_ISCHR(st.st_mode)) { f->max_blocks = 131072; return 0;\n";
    if source.matches(PLACE).count() != 1 {
        bail!("t/io_uring.c of this version of fio has no single `{PLACE}`, where character devices are to be allowed");
    }
    Ok(source.replace(PLACE, &format!("{CASE}{PLACE}")))
}
