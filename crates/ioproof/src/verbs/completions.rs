//! `ioproof completions` and the hidden `ioproof manual`: what packages install beside the program.

use anyhow::{Context, Result};
use clap::Command;
use clap_complete::Shell;
use ioproof_process::output;
use std::path::Path;

pub const EXAMPLES: &str = "Examples:
  ioproof completions bash > ~/.local/share/bash-completion/completions/ioproof
  ioproof completions zsh > ~/.zfunc/_ioproof
  ioproof completions fish > ~/.config/fish/completions/ioproof.fish

Packages bring them along.";

/// Prints what completes ioproof's verbs and flags in a shell.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(shell: Shell, mut line: Command) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut line, "ioproof", &mut script);
    output::print(&String::from_utf8_lossy(&script)).map(|()| 0)
}

/// Writes a manual page for ioproof and each of its verbs.
///
/// # Errors
/// When a page cannot be written.
pub fn manual(folder: &Path, line: Command) -> Result<u8> {
    clap_mangen::generate_to(line, folder).with_context(|| format!("cannot write manual pages to {}", folder.display())).map(|()| 0)
}
