//! Each package as its users have it: installed in a bare Debian, run there and removed; completions driven in their shells; the program for aarch64 measuring.

use super::formats::{archive_name, deb_name, fresh, rpm_name};
use super::staged::SHELLS;
use super::{Arch, FOLDER};
use crate::{command, debian, user, workspace_root};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A run of seconds that measures a scratch file.
const MEASURE: &str = "verify /tmp --size 16MiB --rw randread --bs 4KiB --depth 1 --workers 1 --runs 1 --time 2s";

pub(super) fn all(arches: &[&Arch]) -> Result<()> {
    ensure!(user::is_root(), "packages are installed in a bare Debian, which takes root");
    let missing = debian::ensure(&debian::TRY_PACKAGES.iter().collect::<Vec<_>>())?;
    ensure!(missing.is_empty(), "missing: {}", debian::names(&missing));
    let folder = workspace_root().join(FOLDER);
    for arch in arches {
        if arch.cc.is_some() {
            measures_emulated(arch, &folder)?;
            continue;
        }
        let bare = Bare::new(&folder.join("bare"))?;
        deb(arch, &folder, &bare)?;
        rpm(arch, &folder, &bare)?;
        completes(&folder.join("stage").join(arch.name))?;
    }
    Ok(())
}

/// A bare Debian in a folder.
struct Bare(PathBuf);

impl Bare {
    fn new(root: &Path) -> Result<Self> {
        fresh(root)?;
        let from = command::tool("apt-get", &["indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages"])?;
        let (mirror, release) = from
            .lines()
            .filter(|line| !line.contains("security"))
            .find_map(|line| line.split_once(' '))
            .context("apt knows no place to take Debian from")?;
        let release = release.split('-').next().unwrap_or(release);
        command::output(Command::new("debootstrap").args(["--variant=minbase", release]).arg(root).arg(mirror))?;
        Ok(Self(root.to_owned()))
    }

    /// Runs a line of shell in it; gives its exit status and all that it printed.
    fn sh(&self, line: &str) -> Result<(i32, String)> {
        let inside = "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" sh -c \"$1\"";
        let out =
            command::finish(Command::new("unshare").args(["--mount", "sh", "-c", inside]).arg(&self.0).arg(format!("({line}) 2>&1")))?;
        Ok((out.status.code().unwrap_or(-1), String::from_utf8_lossy(&out.stdout).into_owned()))
    }

    fn succeeds(&self, line: &str) -> Result<String> {
        let (status, said) = self.sh(line)?;
        ensure!(status == 0, "{line}: exit status {status}: {said}");
        Ok(said)
    }

    /// The program answers and measures.
    fn works(&self) -> Result<()> {
        let version = self.succeeds("ioproof --version --verbose")?;
        ensure!(version.contains("Parquet"), "{version}");
        self.succeeds("test -s /usr/share/man/man1/ioproof-verify.1 && test -s /usr/share/doc/ioproof/LICENSE-MIT")?;
        let (status, said) = self.sh(&format!("ioproof {MEASURE}"))?;
        ensure!(matches!(status, 0 | 3) && said.contains("IOPS"), "exit status {status}: {said}");
        Ok(())
    }

    fn is_gone(&self) -> Result<()> {
        let left = self.succeeds("find /usr -name '*ioproof*'")?;
        ensure!(left.trim().is_empty(), "left behind: {left}");
        Ok(())
    }
}

fn deb(arch: &Arch, folder: &Path, bare: &Bare) -> Result<()> {
    let name = deb_name(arch);
    fs::copy(folder.join(&name), bare.0.join("tmp").join(&name))?;
    bare.succeeds(&format!("dpkg --install /tmp/{name}"))?;
    bare.works().context("as a Debian package")?;
    // A newer one over it, and then none.
    bare.succeeds(&format!("dpkg --install /tmp/{name} && dpkg --purge ioproof"))?;
    bare.is_gone()?;
    println!("{name}: installed, measured, installed over, removed");
    Ok(())
}

fn rpm(arch: &Arch, folder: &Path, bare: &Bare) -> Result<()> {
    let name = rpm_name(arch);
    let rpm = |words: &[&str]| {
        let mut rpm = Command::new("rpm");
        rpm.arg("--root").arg(&bare.0).args(words);
        rpm
    };
    let package = folder.join(&name);
    // A Debian has no shell by RPM's word.
    command::output(rpm(&["--install", "--nodeps"]).arg(&package))?;
    bare.works().context("as an RPM")?;
    command::output(&mut rpm(&["--erase", "ioproof"]))?;
    bare.is_gone()?;
    println!("{name}: installed, measured, removed");
    Ok(())
}

/// Completes `ioproof ver` in each shell.
fn completes(stage: &Path) -> Result<()> {
    for (shell, place) in SHELLS {
        let file = stage.join(place);
        let said = command::text_of(Command::new(shell).args(["-c", driver(shell)?, shell]).arg(&file))?;
        ensure!(said.contains("verify"), "{shell} completes `ioproof ver` to: {said}");
        println!("{shell}: completes");
    }
    Ok(())
}

/// A script that completes `ioproof ver` by the file that is its argument, and prints what came.
fn driver(shell: &str) -> Result<&'static str> {
    Ok(match shell {
        "bash" => {
            ". /usr/share/bash-completion/bash_completion; . \"$1\"; COMP_WORDS=(ioproof ver); COMP_CWORD=1; _ioproof ioproof ver; echo \"${COMPREPLY[@]}\""
        }
        "zsh" => {
            "zmodload zsh/zpty; zpty z 'zsh -f -i'; zpty -w z \"fpath=(${1:h} \\$fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy\"; \
             zpty -r z out '*ready*'; zpty -w -n z $'ioproof ver\\t'; zpty -r z out '*verify*'; echo \"$out\"; zpty -d z"
        }
        "fish" => "source $argv[2]; complete -C 'ioproof ver'",
        other => bail!("no driver for {other}"),
    })
}

/// The program for another processor answers, and measures a scratch file.
fn measures_emulated(arch: &Arch, folder: &Path) -> Result<()> {
    let program = folder.join("stage").join(arch.name).join("bin/ioproof");
    let mut emulated = Command::new(format!("qemu-{}-static", arch.name));
    let out = command::finish(emulated.arg(&program).args(MEASURE.split(' ')))?;
    let said = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(matches!(out.status.code(), Some(0 | 3)) && said.contains("IOPS"), "{}: {}: {said}", arch.name, out.status);
    println!("{}: measured under QEMU", archive_name(arch));
    Ok(())
}
