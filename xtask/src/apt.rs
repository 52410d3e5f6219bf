//! Packages and sources of Debian, fetched below `target` and never installed.
//!
//! apt runs with a state of its own, in which nothing is installed: it takes all down to the C library, and needs no root.

use crate::command;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Fetches packages with all that they depend on and unpacks them into `root`.
pub fn unpack(packages: &[&str], folder: &Path, root: &Path) -> Result<()> {
    prepare(folder)?;
    println!("rig: fetching {} Debian packages and what they depend on", packages.len());
    command::run(apt(folder).arg("update"))?;
    let mut install = apt(folder);
    command::run(install.args(["--yes", "--no-install-recommends", "--download-only", "install"]).args(packages))?;
    archives(folder)?.iter().try_for_each(|archive| command::run(Command::new("dpkg").arg("--extract").arg(archive).arg(root)))
}

/// Gives this folder a list of sources of its own: of each archive of Debian that the host has these components, as binary packages (`deb`) or sources (`deb-src`).
pub fn take_sources(folder: &Path, kind: &str, components: &str) -> Result<()> {
    let path = folder.join("sources.list");
    let _ = fs::remove_file(&path);
    prepare(folder)?;
    command::run(apt(folder).arg("update"))?;
    let format = "$(ORIGIN)|$(COMPONENT)|$(REPO_URI)|$(RELEASE)";
    let known = command::output(apt(folder).args(["indextargets", "--format", format, "Created-By: Packages"]))?;
    let keyring = if Path::new(KEYRING).exists() { format!("[signed-by={KEYRING}] ") } else { String::new() };
    let line = |line: &str| match line.split('|').collect::<Vec<_>>()[..] {
        [origin, "main", uri, release] if origin.starts_with("Debian") => Some(format!("{kind} {keyring}{uri} {release} {components}\n")),
        _ => None,
    };
    let lines: BTreeSet<String> = String::from_utf8_lossy(&known).lines().filter_map(line).collect();
    ensure!(!lines.is_empty(), "apt's sources on this host have no archive of Debian");
    fs::write(&path, lines.into_iter().collect::<String>()).with_context(|| format!("cannot write {}", path.display()))
}

/// The folders that apt wants to find, and the empty list of what is installed. Archives of an earlier set would be unpacked too.
fn prepare(folder: &Path) -> Result<()> {
    ensure!(command::find_program("apt-get").is_some(), "Debian's packages are fetched by apt-get, and there is none");
    for path in ["state/lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(folder.join(path)).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(folder.join("status"), "")?;
    archives(folder)?.iter().try_for_each(|a| fs::remove_file(a).with_context(|| format!("cannot remove {}", a.display())))
}

pub fn apt(folder: &Path) -> Command {
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
    let mut set = |key: &str, path: PathBuf| {
        apt.arg("-o").arg(format!("{key}={}", path.display()));
    };
    set("Dir::State", folder.join("state"));
    set("Dir::State::status", folder.join("status"));
    set("Dir::Cache", folder.join("cache"));
    let sources = folder.join("sources.list");
    if sources.exists() {
        set("Dir::Etc::sourcelist", sources);
        set("Dir::Etc::sourceparts", "/dev/null".into());
    }
    // apt's own user cannot reach a folder in somebody's home; the packages are still checked against Debian's keys.
    if crate::user::is_root() {
        apt.args(["-o", "APT::Sandbox::User=root"]);
    }
    apt
}

fn archives(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder.join("cache/archives"))?.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "deb"));
    paths.sort();
    Ok(paths)
}
