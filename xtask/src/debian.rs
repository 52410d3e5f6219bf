//! Debian packages that a verb needs: which are missing, and their installation where we may.
//!
//! A package is judged by what it provides, not by dpkg's database, so that another distribution or a hand-made program will do.

use crate::{command, user};
use anyhow::{Context, Result};
use std::path::Path;
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
        true => (needs_root && !user::is_root()).then(|| "you are not root".to_owned()),
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
    if !user::is_root() || command::find_program("apt-get").is_none() {
        println!("hint: sudo apt-get install --no-install-recommends {}", names(&wanted));
        return Ok(wanted);
    }
    install(&wanted).with_context(|| format!("cannot install {}", names(&wanted)))?;
    Ok(missing(packages))
}

pub fn require(packages: &[&Package]) -> Result<()> {
    let missing = ensure(packages)?;
    anyhow::ensure!(missing.is_empty(), "missing: {}", names(&missing));
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
