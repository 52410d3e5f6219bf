//! fio's `t/io_uring`, which Debian's package lacks: its source fetched by apt-get below `target/bench`, edited in one place, built.
//!
//! apt runs with lists, cache and sources of its own, so the system is not changed and no root is needed. The sources are the system's own,
//! asked for source packages. Nothing of fio is in this tree.

use crate::debian::{self, Package};
use crate::{command, user};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOLS: [Package; 3] = [
    Package { name: "gcc", provides: "gcc", why: "to build t/io_uring of fio" },
    Package { name: "make", provides: "make", why: "to build t/io_uring of fio" },
    Package { name: "libc6-dev", provides: "/usr/include/stdio.h", why: "to build t/io_uring of fio" },
];

/// The program, made when it is not there yet.
pub fn t_io_uring(folder: &Path) -> Result<PathBuf> {
    let source = folder.join("source");
    let program = source.join("t/io_uring");
    if program.is_file() {
        return Ok(program);
    }
    let missing = debian::ensure(&TOOLS.iter().collect::<Vec<_>>())?;
    if !missing.is_empty() {
        bail!("missing: {}", debian::names(&missing));
    }
    let archive = fetch(folder)?;
    unpack(&archive, &source)?;
    let file = source.join("t/io_uring.c");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    fs::write(&file, edited(&text)?).with_context(|| format!("cannot write {}", file.display()))?;
    quietly(Command::new("./configure").arg("--disable-native").current_dir(&source))?;
    quietly(Command::new("make").arg("t/io_uring").current_dir(&source))?;
    Ok(program)
}

/// Runs to the end; what it says matters only when it fails.
fn quietly(command: &mut Command) -> Result<()> {
    let out = command.output().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !out.status.success() {
        bail!("{} failed: {}", command.get_program().display(), String::from_utf8_lossy(&out.stderr).trim());
    }
    Ok(())
}

/// The archive of the source, as apt has checked it.
fn fetch(folder: &Path) -> Result<PathBuf> {
    if command::find_program("apt-get").is_none() {
        bail!("fio's source is fetched by apt-get, and there is none");
    }
    let download = folder.join("download");
    for path in [folder.join("state/lists/partial"), folder.join("cache/archives/partial"), folder.join("sources"), download.clone()] {
        fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
    }
    fs::write(folder.join("status"), "")?;
    copy_sources(Path::new("/etc/apt"), &folder.join("sources"))?;
    // A source of the system's that has no source packages fails; what counts is whether fio's can be had.
    if let Err(error) = command::run(apt(folder).arg("update")) {
        println!("{error:#}");
    }
    let mut source = apt(folder);
    command::run(source.args(["source", "--download-only", "fio"]).current_dir(&download)).context("fio's source cannot be fetched")?;
    let names = fs::read_dir(&download)?.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    let archive = names.into_iter().find(|path| is_archive(path));
    archive.with_context(|| format!("no archive of fio's source in {}", download.display()))
}

fn apt(folder: &Path) -> Command {
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq").args(["-o", "Dir::Etc::sourcelist=-"]);
    let places = [("Dir::State", "state"), ("Dir::State::status", "status"), ("Dir::Cache", "cache"), ("Dir::Etc::sourceparts", "sources")];
    for (key, place) in places {
        let mut option = OsString::from(format!("{key}="));
        option.push(folder.join(place));
        apt.arg("-o").arg(option);
    }
    // apt's own user cannot reach a folder in somebody's home; what is fetched is still checked against Debian's keys.
    if user::is_root() {
        apt.args(["-o", "APT::Sandbox::User=root"]);
    }
    apt
}

/// Writes every list of sources below `from` to `to`, asking for source packages.
fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    let parts = fs::read_dir(from.join("sources.list.d")).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let lists = parts.chain([from.join("sources.list")]).filter(|path| path.is_file());
    for list in lists {
        let (Some(name), text) = (list.file_name(), fs::read_to_string(&list)?) else { continue };
        fs::write(to.join(name), for_source_packages(&text))?;
    }
    Ok(())
}

/// A list of sources of either format (sources.list(5)) with source packages in place of binary ones.
fn for_source_packages(text: &str) -> String {
    let line = |line: &str| {
        let rest = line.strip_prefix("deb").filter(|rest| rest.starts_with([' ', '\t']));
        match rest {
            Some(rest) => format!("deb-src{rest}\n"),
            None if line.starts_with("Types:") => "Types: deb-src\n".to_owned(),
            None if line.starts_with("deb-src") => String::new(),
            None => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect()
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(".orig.tar.") && !name.ends_with(".asc")
}

fn unpack(archive: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot remove {}", to.display()))?;
    }
    fs::create_dir_all(to)?;
    command::run(Command::new("tar").args(["--extract", "--strip-components=1", "--file"]).arg(archive).arg("--directory").arg(to))
}

/// The source with character devices allowed, as if they had 512 MiB in blocks of 4 KiB.
fn edited(source: &str) -> Result<String> {
    const PLACE: &str = "} else if (S_ISREG(st.st_mode)) {";
    const CASE: &str = "} else if (S_ISCHR(st.st_mode)) { f->max_blocks = 131072; return 0;\n";
    if source.matches(PLACE).count() != 1 {
        bail!("t/io_uring.c of this version of fio has no single `{PLACE}`, where character devices are to be allowed");
    }
    Ok(source.replace(PLACE, &format!("{CASE}{PLACE}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_both_formats_ask_for_source_packages() {
        let lists = "# deb x\ndeb [signed-by=/k] http://a b main\ndeb-src http://a b main\n";
        assert_eq!(for_source_packages(lists), "# deb x\ndeb-src [signed-by=/k] http://a b main\n");
        let stanzas = "Types: deb\nURIs: http://a\nSigned-By: /k\n\nTypes: deb deb-src\nURIs: http://b\n";
        let wanted = "Types: deb-src\nURIs: http://a\nSigned-By: /k\n\nTypes: deb-src\nURIs: http://b\n";
        assert_eq!(for_source_packages(stanzas), wanted);
    }

    #[test]
    fn the_edit_has_one_place_or_fails() {
        let text = "if (x) {\n} else if (S_ISREG(st.st_mode)) {\n}";
        let done = edited(text).unwrap();
        assert!(done.find("S_ISCHR").unwrap() < done.find("S_ISREG").unwrap());
        assert!(edited("nothing").is_err() && edited(&text.repeat(2)).is_err());
    }

    #[test]
    fn an_archive_is_neither_its_signature_nor_debians_part() {
        let found =
            ["fio_1.orig.tar.gz", "fio_1.orig.tar.gz.asc", "fio_1-3.debian.tar.xz", "fio_1-3.dsc"].map(|n| is_archive(Path::new(n)));
        assert_eq!(found, [true, false, false, false]);
    }

    #[test]
    fn apt_is_told_to_leave_the_system_alone() {
        let command = apt(Path::new("/t"));
        let args: Vec<String> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
        for wanted in ["Dir::State=/t/state", "Dir::Cache=/t/cache", "Dir::Etc::sourcelist=-", "Dir::Etc::sourceparts=/t/sources"] {
            assert!(args.iter().any(|a| a == wanted), "{wanted} in {args:?}");
        }
    }
}
