//! Debian packages that a verb needs: which are missing, and their installation where we may.
//!
//! Others and sources are fetched below `target` and never installed, by an apt with a state of its own, in which nothing is installed: it takes all down to the C
//! library, and needs no root. A package is judged by what it provides, not by dpkg's database, so that another distribution or a hand-made program will do.

use crate::command;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Package {
    pub name: &'static str,
    /// A program (looked up in PATH) or, with a leading slash, a file, by which its presence is told.
    pub provides: &'static str,
    /// Purpose, as it is shown to somebody who lacks the package.
    pub why: &'static str,
}

/// Programs that tests on loop devices run, and the campaigns of `attack` and `causes`.
pub const LOOP_PACKAGES: &[Package] = &[
    Package { name: "util-linux", provides: "wipefs", why: "to look for signatures as the system does (wipefs, blkid, mkswap)" },
    Package { name: "mount", provides: "losetup", why: "to make loop devices and mount them (losetup, mount)" },
    Package { name: "procps", provides: "kill", why: "to interrupt the program as a user would" },
    Package { name: "e2fsprogs", provides: "mkfs.ext4", why: "to put ext4 on a loop device" },
    Package { name: "xfsprogs", provides: "mkfs.xfs", why: "to put XFS on a loop device" },
    Package { name: "btrfs-progs", provides: "mkfs.btrfs", why: "to put Btrfs on a loop device" },
    Package { name: "gdisk", provides: "sgdisk", why: "to write GPT partition tables" },
    Package { name: "fdisk", provides: "sfdisk", why: "to write MBR partition tables" },
    Package { name: "bindfs", provides: "bindfs", why: "to change a file below a filesystem that is served (FUSE)" },
    Package { name: "postgresql", provides: "psql", why: "to have it fill a disk" },
    Package { name: "munge", provides: "munged", why: "to let Slurm's programs know each other" },
    Package { name: "slurm-wlm", provides: "slurmctld", why: "to measure a fleet through Slurm" },
    Package { name: "openssh-server", provides: "sshd", why: "to measure a fleet through SSH" },
    Package { name: "openssh-client", provides: "ssh", why: "to measure a fleet through SSH" },
];

pub const PACKAGE_PACKAGES: &[Package] = &[
    Package { name: "dpkg", provides: "dpkg-deb", why: "to make Debian packages" },
    Package { name: "rpm", provides: "rpmbuild", why: "to make RPMs" },
    Package { name: "gcc-aarch64-linux-gnu", provides: "aarch64-linux-gnu-gcc", why: "to link programs for aarch64" },
    Package { name: "libc6-dev-arm64-cross", provides: "/usr/aarch64-linux-gnu/lib/libc.a", why: "to link programs for aarch64" },
];

pub const TRY_PACKAGES: &[Package] = &[
    Package { name: "debootstrap", provides: "debootstrap", why: "to make a bare Debian" },
    Package { name: "qemu-user-static", provides: "qemu-aarch64-static", why: "to run programs for aarch64" },
    Package { name: "buildah", provides: "buildah", why: "to build the container" },
    Package { name: "bash-completion", provides: "/usr/share/bash-completion/bash_completion", why: "to drive completions" },
    Package { name: "zsh", provides: "zsh", why: "to drive completions" },
    Package { name: "fish", provides: "fish", why: "to drive completions" },
];

fn missing<'a>(packages: &[&'a Package]) -> Vec<&'a Package> {
    packages.iter().copied().filter(|p| !is_there(p.provides)).collect()
}

pub fn obstacle(packages: &[&Package], needs_root: bool) -> Option<String> {
    let missing = missing(packages);
    match missing.is_empty() {
        false => Some(format!("missing: {}", names(&missing))),
        true => (needs_root && !command::is_root()).then(|| "you are not root".to_owned()),
    }
}

fn is_there(provides: &str) -> bool {
    if provides.starts_with('/') { Path::new(provides).exists() } else { command::find_program(provides).is_some() }
}

/// Installs what is missing when we are root, and gives back what is missing in the end, having said so.
pub fn ensure<'a>(packages: &[&'a Package]) -> Result<Vec<&'a Package>> {
    let wanted = missing(packages);
    if wanted.is_empty() {
        return Ok(wanted);
    }
    wanted.iter().for_each(|p| println!("missing package {}: {} is not there; needed {}", p.name, p.provides, p.why));
    if !command::is_root() || command::find_program("apt-get").is_none() {
        println!("hint: sudo apt-get install --no-install-recommends {}", names(&wanted));
        return Ok(wanted);
    }
    install(&wanted).with_context(|| format!("cannot install {}", names(&wanted)))?;
    Ok(missing(packages))
}

pub fn require(packages: &[&Package]) -> Result<()> {
    let missing = ensure(packages)?;
    ensure!(missing.is_empty(), "missing: {}", names(&missing));
    Ok(())
}

fn install(packages: &[&Package]) -> Result<()> {
    command::run(&mut apt_get(&["-qq", "update"]))?;
    let mut install = apt_get(&["-qq", "-y", "--no-install-recommends", "install"]);
    command::run(install.args(packages.iter().map(|p| p.name)))
}

/// apt-get that asks nothing and waits for another one that holds dpkg's lock.
fn apt_get(args: &[&str]) -> Command {
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive").args(["-o", "DPkg::Lock::Timeout=300"]).args(args);
    apt
}

fn names(packages: &[&Package]) -> String {
    packages.iter().map(|p| p.name).collect::<Vec<_>>().join(" ")
}

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
    if command::is_root() {
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
