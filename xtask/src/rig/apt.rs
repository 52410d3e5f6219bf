//! Debian packages for the guest: fetched and unpacked below `target/rig`, never installed.
//!
//! apt runs with a state of its own, in which nothing is installed, so it resolves the whole set down to the C library, needs no
//! root, and takes neither dpkg's lock nor the host's configuration beyond its sources and keys.

use crate::command;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian keeps the keys of its archive.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

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

/// Gives this folder sources of its own: what the host has of Debian's main, and another component beside it.
pub fn add_component(folder: &Path, component: &str) -> Result<()> {
    let path = own_sources(folder);
    if path.exists() {
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    prepare(folder)?;
    command::run(apt(folder).arg("update"))?;
    let format = "$(ORIGIN)|$(COMPONENT)|$(REPO_URI)|$(RELEASE)";
    let known = command::output(apt(folder).args(["indextargets", "--format", format, "Created-By: Packages"]))?;
    let lines = sources(&String::from_utf8_lossy(&known), component, Path::new(KEYRING).exists());
    if lines.is_empty() {
        bail!("apt's sources on this host have no archive of Debian, which holds {component}");
    }
    fs::write(&path, lines).with_context(|| format!("cannot write {}", path.display()))
}

/// One line for each archive of Debian among `ORIGIN|COMPONENT|URI|RELEASE`.
fn sources(known: &str, component: &str, with_keyring: bool) -> String {
    let keyring = if with_keyring { format!("[signed-by={KEYRING}] ") } else { String::new() };
    let archive = |line: &str| match line.split('|').collect::<Vec<_>>()[..] {
        [origin, "main", uri, release] if origin.starts_with("Debian") => Some(format!("deb {keyring}{uri} {release} main {component}\n")),
        _ => None,
    };
    let lines: BTreeSet<String> = known.lines().filter_map(archive).collect();
    lines.into_iter().collect()
}

fn own_sources(folder: &Path) -> PathBuf {
    folder.join("sources.list")
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
    let sources = own_sources(folder);
    if sources.exists() {
        apt.args(option("Dir::Etc::sourcelist", sources)).args(["-o", "Dir::Etc::sourceparts=/dev/null"]);
    }
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
    fn only_debian_is_asked_for_another_component() {
        let known = "Debian|main|http://x/debian/|stable\nOther|main|http://y/|stable\nDebian|main|http://x/debian/|stable\n\
                     Debian|contrib|http://x/debian/|stable\n";
        assert_eq!(sources(known, "contrib", false), "deb http://x/debian/ stable main contrib\n");
        assert!(sources(known, "contrib", true).starts_with("deb [signed-by=/usr/share/keyrings/"));
        assert_eq!(sources("Other|main|http://y/|stable\n", "contrib", false), "");
    }

    #[test]
    fn apt_is_told_to_leave_the_host_alone() {
        let command = apt(Path::new("/t"));
        let args: Vec<String> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
        for wanted in ["Dir::State=/t/state", "Dir::State::status=/t/status", "Dir::Cache=/t/cache"] {
            assert!(args.iter().any(|a| a == wanted), "{wanted} in {args:?}");
        }
    }
}
