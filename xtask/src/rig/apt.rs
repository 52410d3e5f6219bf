//! Debian packages for the guest: fetched and unpacked below `target/rig`, never installed.
//!
//! apt runs with a state of its own, in which nothing is installed, so it resolves the whole set down to the C library, needs no
//! root, and takes neither dpkg's lock nor the host's configuration beyond its sources and keys.

use crate::command;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Fetches packages with all that they depend on and unpacks them into `root`.
pub fn unpack(packages: &[String], folder: &Path, root: &Path) -> Result<()> {
    if command::find_program("apt-get").is_none() {
        bail!("the rig's guest is made of Debian packages, and there is no apt-get here");
    }
    prepare(folder)?;
    println!("rig: fetching {} Debian packages and what they depend on", packages.len());
    command::run(apt(folder).arg("update"))?;
    let mut install = apt(folder);
    command::run(install.args(["--yes", "--no-install-recommends", "--download-only", "install"]).args(packages))?;
    let archives = archives(folder)?;
    println!("rig: unpacking {} packages", archives.len());
    archives.iter().try_for_each(|archive| command::run(Command::new("dpkg").arg("--extract").arg(archive).arg(root)))
}

/// The folders that apt wants to find, and the empty list of what is installed. Archives of an earlier set would be unpacked too.
fn prepare(folder: &Path) -> Result<()> {
    let made = |path: PathBuf| fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()));
    made(folder.join("state/lists/partial"))?;
    made(folder.join("cache/archives/partial"))?;
    let status = folder.join("status");
    fs::write(&status, "").with_context(|| format!("cannot write {}", status.display()))?;
    archives(folder)?.iter().try_for_each(|a| fs::remove_file(a).with_context(|| format!("cannot remove {}", a.display())))
}

fn apt(folder: &Path) -> Command {
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
    let option = |key: &str, path: PathBuf| {
        let mut option = OsString::from(format!("{key}="));
        option.push(path);
        [OsString::from("-o"), option]
    };
    apt.args(option("Dir::State", folder.join("state")));
    apt.args(option("Dir::State::status", folder.join("status")));
    apt.args(option("Dir::Cache", folder.join("cache")));
    // apt's own user cannot reach a folder in somebody's home; the packages are still checked against Debian's keys.
    if crate::user::is_root() {
        apt.args(["-o", "APT::Sandbox::User=root"]);
    }
    apt
}

fn archives(folder: &Path) -> Result<Vec<PathBuf>> {
    let cache = folder.join("cache/archives");
    let entries = fs::read_dir(&cache).with_context(|| format!("cannot list {}", cache.display()))?;
    let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.retain(|p| p.extension().is_some_and(|e| e == "deb"));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apt_is_told_to_leave_the_host_alone() {
        let command = apt(Path::new("/t"));
        let args: Vec<String> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
        for wanted in ["Dir::State=/t/state", "Dir::State::status=/t/status", "Dir::Cache=/t/cache"] {
            assert!(args.iter().any(|a| a == wanted), "{wanted} in {args:?}");
        }
    }
}
