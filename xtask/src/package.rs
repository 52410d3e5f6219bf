//! `cargo xtask package`: the static program and what belongs to it, as archive, Debian package and RPM.
//!
//! It is linked against the C library's archive and built in a target folder of its own, as with other flags all is built anew.

mod bill;
mod formats;
mod tried;

use crate::{Verb, command, debian, workspace_root};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub const VERB: Verb = Verb {
    name: "package",
    usage: "[--test] [x86_64|aarch64]...",
    about: "the static program as archive, .deb and .rpm for release",
    help: include_str!("package/README.md"),
    run: main,
};

const FOLDER: &str = "target/package";

struct Arch {
    name: &'static str,
    debian: &'static str,
    triple: &'static str,
    /// The C compiler that makes programs for it, where it is not the usual one.
    cc: Option<&'static str>,
}

const ARCHES: [Arch; 2] = [
    Arch { name: "x86_64", debian: "amd64", triple: "x86_64-unknown-linux-gnu", cc: None },
    Arch { name: "aarch64", debian: "arm64", triple: "aarch64-unknown-linux-gnu", cc: Some("aarch64-linux-gnu-gcc") },
];

fn main(args: &[String]) -> Result<ExitCode> {
    let (flags, names): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| arg.starts_with("--"));
    let tries = match flags.as_slice() {
        [] => false,
        [flag] if *flag == "--test" => true,
        _ => bail!("usage: cargo xtask package {}", VERB.usage),
    };
    let is_wanted = |arch: &&Arch| names.is_empty() || names.iter().any(|name| *name == arch.name);
    let arches: Vec<&Arch> = ARCHES.iter().filter(is_wanted).collect();
    ensure!(!arches.is_empty() && arches.len() >= names.len(), "usage: cargo xtask package {}", VERB.usage);
    debian::require(&debian::PACKAGE_PACKAGES.iter().collect::<Vec<_>>())?;
    let mut made = vec![bill::write(&workspace_root().join(FOLDER))?];
    let host = build_static()?;
    for arch in &arches {
        let program = if arch.cc.is_none() { host.clone() } else { build(arch)? };
        println!("{}: {}", show(&program), size(&program)?);
        let stage = formats::stage(arch, &program, &host)?;
        made.extend([formats::archive(arch, &stage)?, formats::deb(arch, &stage)?, formats::rpm(arch, &stage)?]);
    }
    made.push(formats::sums(&made)?);
    for file in &made {
        println!("{}: {}", show(file), size(file)?);
    }
    if tries {
        tried::all(&arches)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One file without libraries. A panic ends the program (`panic = "abort"`), so it needs no tables for unwinding. Packed relocations take a bit instead of 24
/// bytes. Without both the program is a ninth larger.
const FLAGS: &str = "-C target-feature=+crt-static -C force-unwind-tables=no -C link-arg=-Wl,-z,pack-relative-relocs";

pub fn build_static() -> Result<PathBuf> {
    build(&ARCHES[0])
}

fn build(arch: &Arch) -> Result<PathBuf> {
    let folder = workspace_root().join(FOLDER).join("build");
    // The last commit, short; with `+` where files differ from it.
    let commit = git(&["describe", "--always", "--exclude=*", "--dirty=+"]);
    let mut build = command::cargo();
    build.env("RUSTFLAGS", FLAGS).env("CARGO_PROFILE_RELEASE_STRIP", "symbols").env("IOPROOF_COMMIT", commit);
    if let Some(cc) = arch.cc {
        let _ = Command::new("rustup").args(["target", "add", arch.triple]).output();
        build.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", cc).env("CC_aarch64_unknown_linux_gnu", cc);
    }
    build
        .args(["build", "--release", "--package", "ioproof", "--features", "parquet", "--target", arch.triple, "--target-dir"])
        .arg(&folder);
    command::run(&mut build)?;
    let program = folder.join(arch.triple).join("release/ioproof");
    require_static(&program)?;
    Ok(program)
}

fn git(words: &[&str]) -> String {
    let out = Command::new("git").current_dir(workspace_root()).args(words).output();
    out.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()).unwrap_or_default()
}

pub fn require_static(program: &Path) -> Result<()> {
    let libraries = libraries(program)?;
    ensure!(libraries.is_empty(), "{} is not static: it needs {}", show(program), libraries.join(", "));
    Ok(())
}

pub fn libraries(program: &Path) -> Result<Vec<String>> {
    let mut readelf = Command::new("readelf");
    let out = command::output(readelf.args(["--program-headers", "--dynamic"]).arg(program).env("LC_ALL", "C"))?;
    let text = String::from_utf8_lossy(&out);
    let names = text.lines().filter_map(|line| line.split_once("program interpreter: ").or_else(|| line.split_once("library: [")));
    Ok(names.map(|(_, name)| name.trim_end_matches(']').to_owned()).collect())
}

/// The lines of a list without remarks and blanks.
pub fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split('#').next().unwrap_or(line).trim()).filter(|line| !line.is_empty())
}

/// Seconds since 1970 for every file in the archive (reproducible-builds.org/specs/source-date-epoch).
fn source_time() -> u64 {
    let time = std::env::var("SOURCE_DATE_EPOCH").unwrap_or_else(|_| git(&["log", "-1", "--format=%ct"]));
    time.trim().parse().unwrap_or(0)
}

fn size(path: &Path) -> Result<String> {
    let bytes = fs::metadata(path).with_context(|| format!("cannot look at {}", show(path)))?.len();
    Ok(format!("{:.2} MB ({bytes} bytes)", bytes as f64 / 1e6))
}

fn show(path: &Path) -> String {
    path.strip_prefix(workspace_root()).unwrap_or(path).display().to_string()
}
