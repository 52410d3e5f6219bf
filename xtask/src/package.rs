//! `cargo xtask package`: the static program and what belongs to it in one archive.
//!
//! It is linked against the C library's archive and built in a target folder of its own, as with other flags all is built anew.

use crate::{Verb, command, workspace_root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub const VERB: Verb = Verb {
    name: "package",
    usage: "",
    about: "the static program in an archive for release",
    help: "
Builds ioproof as one static, stripped program, proves from its ELF headers that it needs no loader and no library, and writes
target/package/ioproof-VERSION-x86_64-linux.tar.gz with it and the files that packaging/contents lists. The same sources give the
same archive: times come from SOURCE_DATE_EPOCH or else from the last commit.
",
    run: main,
};

const TARGET: &str = "x86_64-unknown-linux-gnu";
const FOLDER: &str = "target/package";

fn main(args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("usage: cargo xtask package");
    }
    let program = build_static()?;
    let name = format!("ioproof-{}-x86_64-linux", env!("CARGO_PKG_VERSION"));
    let stage = stage(&program, &name)?;
    let archive = compress(&stage, &name)?;
    println!("{}: {}; {}: {}", show(&program), size(&program)?, show(&archive), size(&archive)?);
    Ok(ExitCode::SUCCESS)
}

pub fn build_static() -> Result<PathBuf> {
    let folder = workspace_root().join(FOLDER).join("build");
    let mut build = command::cargo();
    build.env("RUSTFLAGS", "-C target-feature=+crt-static").env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    build.args(["build", "--release", "--package", "ioproof", "--features", "parquet", "--target", TARGET, "--target-dir"]).arg(&folder);
    command::run(&mut build)?;
    let program = folder.join(TARGET).join("release/ioproof");
    require_static(&program)?;
    Ok(program)
}

/// An error when the program needs a loader or a library.
pub fn require_static(program: &Path) -> Result<()> {
    let libraries = libraries(program)?;
    if !libraries.is_empty() {
        bail!("{} is not static: it needs {}", show(program), libraries.join(", "));
    }
    Ok(())
}

pub fn libraries(program: &Path) -> Result<Vec<String>> {
    let mut readelf = Command::new("readelf");
    let out = command::output(readelf.args(["--program-headers", "--dynamic"]).arg(program).env("LC_ALL", "C"))?;
    let text = String::from_utf8_lossy(&out);
    let names = text.lines().filter_map(|line| line.split_once("program interpreter: ").or_else(|| line.split_once("library: [")));
    Ok(names.map(|(_, name)| name.trim_end_matches(']').to_owned()).collect())
}

fn stage(program: &Path, name: &str) -> Result<PathBuf> {
    let stage = workspace_root().join(FOLDER).join("stage");
    if stage.exists() {
        fs::remove_dir_all(&stage).with_context(|| format!("cannot remove {}", show(&stage)))?;
    }
    let inside = stage.join(name);
    copy(program, &inside.join("ioproof"))?;
    let contents = workspace_root().join("packaging/contents");
    let list = fs::read_to_string(&contents).with_context(|| format!("cannot read {}", show(&contents)))?;
    for path in entries(&list) {
        copy(&workspace_root().join(path), &inside.join(path)).with_context(|| format!("packaging/contents names {path}"))?;
    }
    Ok(stage)
}

/// The lines of a list without remarks and blanks.
pub fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split('#').next().unwrap_or(line).trim()).filter(|line| !line.is_empty())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", show(folder)))?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {}", show(from)))?;
    Ok(())
}

/// Packs the folder so that equal content gives equal bytes: names sorted, one time, no owner, no time in gzip's header.
fn compress(stage: &Path, name: &str) -> Result<PathBuf> {
    let archive = workspace_root().join(FOLDER).join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("--create").arg("--file").arg(&archive).args(["--use-compress-program", "gzip --no-name --best"]);
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--mtime=@{}", source_time())).arg("--directory").arg(stage).arg(name);
    command::run(&mut tar)?;
    Ok(archive)
}

/// Seconds since 1970 for every file in the archive (reproducible-builds.org/specs/source-date-epoch).
fn source_time() -> u64 {
    let mut log = Command::new("git");
    log.current_dir(workspace_root()).args(["log", "-1", "--format=%ct"]);
    let committed = || Some(String::from_utf8_lossy(&log.output().ok()?.stdout).into_owned());
    std::env::var("SOURCE_DATE_EPOCH").ok().or_else(committed).and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

fn size(path: &Path) -> Result<String> {
    let bytes = fs::metadata(path).with_context(|| format!("cannot look at {}", show(path)))?.len();
    Ok(format!("{:.2} MB ({bytes} bytes)", bytes as f64 / 1e6))
}

/// A path relative to the root where it lies below it.
fn show(path: &Path) -> String {
    path.strip_prefix(workspace_root()).unwrap_or(path).display().to_string()
}
