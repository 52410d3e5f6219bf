//! Where ioproof keeps its own files, by the XDG Base Directory Specification 0.8.

use crate::complaint::complaint;
use anyhow::Result;
use std::path::PathBuf;

/// Runs and what belongs to them: `$XDG_STATE_HOME/ioproof`, by default `~/.local/state/ioproof`.
///
/// # Errors
/// When neither XDG_STATE_HOME nor HOME is set.
pub fn state() -> Result<PathBuf> {
    find("XDG_STATE_HOME", ".local/state").ok_or_else(|| complaint("there is no folder to keep runs in", "set HOME or XDG_STATE_HOME"))
}

/// The user's own datasheets: `$XDG_CONFIG_HOME/ioproof/datasheets`, by default `~/.config/ioproof/datasheets`.
pub fn datasheets() -> Option<PathBuf> {
    find("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("datasheets"))
}

fn find(variable: &str, below_home: &str) -> Option<PathBuf> {
    // The specification says that relative paths are to be ignored.
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(below_home)))?;
    Some(base.join("ioproof"))
}
