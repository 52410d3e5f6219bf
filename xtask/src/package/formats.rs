//! A staged tree as archive, Debian package and RPM, and the checksums of all.

use super::{Arch, FOLDER, show, source_time};
use crate::{command, workspace_root};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
const ABOUT: &str = "proves what a drive really does";

pub(super) fn archive_name(arch: &Arch) -> String {
    format!("ioproof-{VERSION}-{}-linux", arch.name)
}

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
    let name = archive_name(arch);
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
    let control = format!(
        "Package: ioproof\nVersion: {VERSION}-1\nArchitecture: {}\nMaintainer: the ioproof authors <ioproof@localhost>\n\
         Section: admin\nPriority: optional\nDescription: {ABOUT}\n \
         It identifies a drive, measures it, judges each number against the maker's\n \
         datasheet, and explains why a number falls short.\n",
        arch.debian
    );
    fs::create_dir_all(root.join("DEBIAN"))?;
    fs::write(root.join("DEBIAN/control"), control).context("cannot write the control file")?;
    let mut build = Command::new("dpkg-deb");
    build.env("SOURCE_DATE_EPOCH", source_time().to_string()).args(["--root-owner-group", "--build"]).arg(&root).arg(&package);
    command::output(&mut build)?;
    Ok(package)
}

/// An RPM, of files that are there already: nothing is built, stripped or looked at.
pub(super) fn rpm(arch: &Arch, stage: &Path) -> Result<PathBuf> {
    let top = folder().join("rpm").join(arch.name);
    command::fresh(&top)?;
    let spec = top.join("ioproof.spec");
    let text = format!(
        "%define _build_id_links none\n%define __os_install_post %{{nil}}\n%define debug_package %{{nil}}\n\
         %define _binary_payload w6.gzdio\nAutoReqProv: no\n\
         Name: ioproof\nVersion: {VERSION}\nRelease: 1\nSummary: {ABOUT}\nLicense: MIT OR Apache-2.0\n\
         %description\nIt identifies a drive, measures it, judges each number against the maker's\n\
         datasheet, and explains why a number falls short.\n\
         %install\nmkdir -p %{{buildroot}}/usr\ncp -a {stage}/. %{{buildroot}}/usr/\n\
         %files\n/usr/bin/ioproof\n/usr/share/bash-completion/completions/ioproof\n/usr/share/zsh/vendor-completions/_ioproof\n\
         /usr/share/fish/vendor_completions.d/ioproof.fish\n/usr/share/man/man1/*\n/usr/share/doc/ioproof\n",
        stage = stage.display()
    );
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
