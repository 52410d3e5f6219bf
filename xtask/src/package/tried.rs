//! Each package as its users have it: installed in a bare Debian of its processor, run there and removed; the container built and run;
//! completions driven in their shells.

use super::formats::{SHELLS, deb_name, rpm_name};
use super::{Arch, FOLDER};
use crate::{command, debian, workspace_root};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A run of seconds that measures a scratch file in the folder given last.
const MEASURE: &str = "verify --size 16MiB --rw randread --bs 4KiB --depth 1 --workers 1 --runs 1 --time 2s";

pub(super) fn all(arches: &[&Arch]) -> Result<()> {
    ensure!(command::is_root(), "packages are installed in a bare Debian, which takes root");
    debian::require(&debian::TRY_PACKAGES.iter().collect::<Vec<_>>())?;
    let folder = workspace_root().join(FOLDER);
    for arch in arches {
        let bare = Bare::new(folder.join("bare").join(arch.name), arch)?;
        deb(arch, &folder, &bare)?;
        rpm(arch, &folder, &bare)?;
        if arch.cc.is_none() {
            let stage = folder.join("stage").join(arch.name);
            contains(&stage, &folder.join("container"))?;
            completes(&stage)?;
        }
    }
    Ok(())
}

/// A bare Debian in a folder. One for another processor is unpacked and not set up: its own shell and dpkg run under QEMU all the same.
struct Bare<'a> {
    root: PathBuf,
    arch: &'a Arch,
}

impl<'a> Bare<'a> {
    fn new(root: PathBuf, arch: &'a Arch) -> Result<Self> {
        command::fresh(&root)?;
        let from = command::tool("apt-get", &["indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages"])?;
        let (mirror, release) = from
            .lines()
            .filter(|line| !line.contains("security"))
            .find_map(|line| line.split_once(' '))
            .context("apt knows no place to take Debian from")?;
        let release = release.split('-').next().unwrap_or(release);
        let mut make = Command::new("debootstrap");
        make.args(arch.cc.map(|_| "--foreign")).arg(format!("--arch={}", arch.debian));
        command::output(make.args(["--variant=minbase", release]).arg(&root).arg(mirror))?;
        Ok(Self { root, arch })
    }

    /// Options of unshare(1), and what comes before `chroot`. QEMU is registered in a user namespace of its own, so that this
    /// machine keeps what it has (binfmt_misc, from Linux 6.7).
    fn entrance(&self) -> (&[&str], String) {
        match self.arch.cc {
            None => (&["--mount"], "mount -t proc proc \"$0/proc\"".into()),
            Some(_) => (
                &["--user", "--map-root-user", "--mount"],
                format!(
                    "mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && \
                     cat /usr/lib/binfmt.d/qemu-{}.conf >/proc/sys/fs/binfmt_misc/register && mount --rbind /proc \"$0/proc\"",
                    self.arch.name
                ),
            ),
        }
    }

    /// Runs a line of shell in it; gives its exit status and all that it printed.
    fn sh(&self, line: &str) -> Result<(i32, String)> {
        let (apart, before) = self.entrance();
        let mut inside = Command::new("unshare");
        inside.args(apart).args(["sh", "-c", &format!("exec 2>&1; {before} && exec chroot \"$0\" sh -c \"$1\"")]);
        let out = command::finish(inside.arg(&self.root).arg(line))?;
        Ok((out.status.code().unwrap_or(-1), String::from_utf8_lossy(&out.stdout).into_owned()))
    }

    fn succeeds(&self, line: &str) -> Result<String> {
        let (status, said) = self.sh(line)?;
        ensure!(status == 0, "{line}: exit status {status}: {said}");
        Ok(said)
    }

    fn works(&self) -> Result<()> {
        let version = self.succeeds("ioproof --version --verbose")?;
        ensure!(version.contains("Parquet"), "{version}");
        self.succeeds("test -s /usr/share/man/man1/ioproof-verify.1 && test -s /usr/share/doc/ioproof/LICENSE-MIT")?;
        let (status, said) = self.sh(&format!("ioproof {MEASURE} /tmp"))?;
        ensure!(matches!(status, 0 | 3) && said.contains("IOPS"), "exit status {status}: {said}");
        Ok(())
    }

    fn is_gone(&self, package: &str) -> Result<()> {
        let left = self.succeeds("find /usr -name '*ioproof*'")?;
        ensure!(left.trim().is_empty(), "left behind: {left}");
        println!("{package}: installed, measured, removed");
        Ok(())
    }
}

fn deb(arch: &Arch, folder: &Path, bare: &Bare) -> Result<()> {
    let name = deb_name(arch);
    fs::copy(folder.join(&name), bare.root.join("tmp").join(&name))?;
    bare.succeeds(&format!("dpkg --install /tmp/{name}"))?;
    bare.works().context("as a Debian package")?;
    // A newer one over it, and then none.
    bare.succeeds(&format!("dpkg --install /tmp/{name} && dpkg --purge ioproof"))?;
    bare.is_gone(&name)
}

fn rpm(arch: &Arch, folder: &Path, bare: &Bare) -> Result<()> {
    let name = rpm_name(arch);
    let rpm = || Command::new("rpm");
    // A Debian has no shell by RPM's word, and this machine may be of another processor.
    let words = ["--install", "--nodeps", "--ignorearch"];
    command::output(rpm().arg("--root").arg(&bare.root).args(words).arg(folder.join(&name)))?;
    bare.works().context("as an RPM")?;
    command::output(rpm().arg("--root").arg(&bare.root).args(["--erase", "ioproof"]))?;
    bare.is_gone(&name)
}

fn contains(stage: &Path, store: &Path) -> Result<()> {
    command::fresh(store)?;
    let buildah = |words: &[&str]| {
        let mut buildah = Command::new("buildah");
        buildah.env("STORAGE_DRIVER", "vfs").env("BUILDAH_ISOLATION", "chroot").current_dir(workspace_root());
        buildah.arg("--root").arg(store.join("images")).arg("--runroot").arg(store.join("run")).args(words);
        buildah
    };
    command::output(buildah(&["build", "--file", "packaging/Containerfile", "--tag", "ioproof"]).arg(stage))?;
    let container = command::text_of(&mut buildah(&["from", "ioproof"]))?;
    let words: Vec<&str> = ["run", container.trim(), "--", "/ioproof"].into_iter().chain(MEASURE.split(' ')).chain(["/state"]).collect();
    let out = command::finish(&mut buildah(&words))?;
    let said = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(matches!(out.status.code(), Some(0 | 3)) && said.contains("IOPS"), "in the container: {}: {said}", out.status);
    println!("Containerfile: built, measured");
    Ok(())
}

fn completes(stage: &Path) -> Result<()> {
    for (shell, place, script) in SHELLS {
        let file = stage.join(place);
        let said = command::text_of(Command::new(shell).args(["-c", script, shell]).arg(&file))?;
        ensure!(said.contains("verify"), "{shell} completes `ioproof ver` to: {said}");
        println!("{shell}: completes");
    }
    Ok(())
}
