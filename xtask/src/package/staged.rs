//! The tree of files that every package of one processor holds, as it lies below `/usr`.

use super::{Arch, FOLDER, entries, show};
use crate::{command, workspace_root};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    copy(&workspace_root().join(FOLDER).join(super::bill::NAME), &documents.join(super::bill::NAME))?;
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
