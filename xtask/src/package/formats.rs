//! The tree of files that every package of one processor holds; that as archive, Debian package and RPM, and the checksums of all.

use super::{Arch, FOLDER, bill, entries, show, source_time};
use crate::{command, workspace_root};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn deb_name(arch: &Arch) -> String {
    format!("ioproof_{VERSION}-1_{}.deb", arch.debian)
}

pub(super) fn rpm_name(arch: &Arch) -> String {
    format!("ioproof-{VERSION}-1.{}.rpm", arch.name)
}

fn folder() -> PathBuf {
    workspace_root().join(FOLDER)
}

/// Packs the tree so that equal content gives equal bytes: names sorted, one time, no owner, no time in gzip's header.
pub(super) fn archive(arch: &Arch, stage: &Path) -> Result<PathBuf> {
    let name = format!("ioproof-{VERSION}-{}-linux", arch.name);
    let archive = folder().join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("--create").arg("--file").arg(&archive).args(["--use-compress-program", "gzip --no-name --best"]);
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--mtime=@{}", source_time())).arg(format!("--transform=s,^[.],{name},")).arg("--directory").arg(stage).arg(".");
    command::run(&mut tar)?;
    Ok(archive)
}

pub(super) fn deb(arch: &Arch, stage: &Path) -> Result<PathBuf> {
    let (root, package) = (folder().join("deb").join(arch.name), folder().join(deb_name(arch)));
    command::fresh(&root)?;
    copy_tree(stage, &root.join("usr"))?;
    let control = include_str!("../../../packaging/control").replace("@VERSION@", VERSION).replace("@ARCH@", arch.debian);
    fs::create_dir_all(root.join("DEBIAN"))?;
    fs::write(root.join("DEBIAN/control"), control).context("cannot write the control file")?;
    let mut build = Command::new("dpkg-deb");
    build.env("SOURCE_DATE_EPOCH", source_time().to_string()).args(["--root-owner-group", "--build"]).arg(&root).arg(&package);
    command::output(&mut build)?;
    Ok(package)
}

pub(super) fn rpm(arch: &Arch, stage: &Path) -> Result<PathBuf> {
    let top = folder().join("rpm").join(arch.name);
    command::fresh(&top)?;
    let spec = top.join("ioproof.spec");
    let text = include_str!("../../../packaging/ioproof.spec").replace("@VERSION@", VERSION);
    let text = text.replace("@STAGE@", &stage.display().to_string());
    fs::write(&spec, text).context("cannot write the spec file")?;
    let mut build = Command::new("rpmbuild");
    build.env("SOURCE_DATE_EPOCH", source_time().to_string()).arg("--define").arg(format!("_topdir {}", top.display()));
    build.args(["--target", arch.name, "--quiet", "-bb"]).arg(&spec);
    command::run(&mut build)?;
    let (made, package) = (top.join("RPMS").join(arch.name).join(rpm_name(arch)), folder().join(rpm_name(arch)));
    fs::copy(&made, &package).with_context(|| format!("cannot copy {}", show(&made)))?;
    Ok(package)
}

/// `SHA256SUMS`, as sha256sum(1) checks it.
pub(super) fn sums(files: &[PathBuf]) -> Result<PathBuf> {
    let names = files.iter().filter_map(|file| file.file_name());
    let text = command::output(Command::new("sha256sum").current_dir(folder()).args(names))?;
    let path = folder().join("SHA256SUMS");
    fs::write(&path, text).with_context(|| format!("cannot write {}", show(&path)))?;
    Ok(path)
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    command::run(Command::new("cp").args(["--recursive", "--no-target-directory"]).arg(from).arg(to))?;
    command::run(Command::new("chmod").args(["--recursive", "u=rwX,go=rX"]).arg(to))
}

/// Shells with the place and name of their completions, and a script that tries them.
pub(super) const SHELLS: [(&str, &str, &str); 3] = [
    ("bash", "share/bash-completion/completions/ioproof", include_str!("../../../packaging/complete/bash")),
    ("zsh", "share/zsh/vendor-completions/_ioproof", include_str!("../../../packaging/complete/zsh")),
    ("fish", "share/fish/vendor_completions.d/ioproof.fish", include_str!("../../../packaging/complete/fish")),
];

/// Makes the tree anew. Completions and manual pages are made by the program of this machine: they are the same for all.
pub(super) fn stage(arch: &Arch, program: &Path, host: &Path) -> Result<PathBuf> {
    let stage = command::fresh(&workspace_root().join(FOLDER).join("stage").join(arch.name))?;
    copy(program, &stage.join("bin/ioproof"))?;
    for (shell, place, _) in SHELLS {
        write(&stage.join(place), &command::output(Command::new(host).args(["completions", shell]))?)?;
    }
    let manual = stage.join("share/man/man1");
    fs::create_dir_all(&manual)?;
    command::run(Command::new(host).arg("manual").arg(&manual))?;
    let contents = workspace_root().join("packaging/contents");
    let list = fs::read_to_string(&contents).with_context(|| format!("cannot read {}", show(&contents)))?;
    let documents = stage.join("share/doc/ioproof");
    for path in entries(&list) {
        let name = Path::new(path).file_name().unwrap_or_default();
        copy(&workspace_root().join(path), &documents.join(name)).with_context(|| format!("packaging/contents names {path}"))?;
    }
    copy(&workspace_root().join(FOLDER).join(bill::NAME), &documents.join(bill::NAME))?;
    Ok(stage)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    write(to, &[])?;
    fs::copy(from, to).with_context(|| format!("cannot copy {}", show(from))).map(drop)
}

fn write(to: &Path, bytes: &[u8]) -> Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all).with_context(|| format!("cannot make the folder of {}", show(to)))?;
    fs::write(to, bytes).with_context(|| format!("cannot write {}", show(to)))
}
