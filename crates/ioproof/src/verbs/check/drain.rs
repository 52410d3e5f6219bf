//! Draining the node in Slurm. A node that is drained or going to be keeps its reason: an administrator may have written it.

use anyhow::{Context, Result};
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use ioproof_process::messages;
use std::process::{Command, Output};

/// Letters of a reason; more do not help whoever reads `sinfo -R`.
const MOST: usize = 200;

/// Drains the node of this name, else this one.
///
/// # Errors
/// When scontrol is missing or refuses.
pub fn drain(node: Option<&str>, reason: &str) -> Result<()> {
    let node = node.map_or_else(own_name, str::to_owned);
    let shown = scontrol(&["show", "node", "-o", &node])?;
    let state = shown.split_whitespace().find_map(|word| word.strip_prefix("State=")).unwrap_or_default();
    if state.contains("DRAIN") {
        messages::note(&format!("{node} is drained already ({})", visible(state)));
        return Ok(());
    }
    let reason: String = visible(reason).chars().take(MOST).collect();
    scontrol(&["update", &format!("nodename={node}"), "state=drain", &format!("reason={reason}")])?;
    messages::say(&format!("drained {node}"));
    Ok(())
}

/// The name that slurmd gives to its programs, else the first part of the host's name.
fn own_name() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    std::env::var("SLURMD_NODENAME").unwrap_or_else(|_| host.split('.').next().unwrap_or_default().to_owned())
}

fn scontrol(arguments: &[&str]) -> Result<String> {
    let Output { status, stdout, stderr } =
        Command::new("scontrol").args(arguments).output().context("cannot start scontrol, with which a node of Slurm is drained")?;
    let said = visible(String::from_utf8_lossy(&stderr).trim());
    let hint = "it takes the rights of SlurmUser or root; --node names the node";
    if status.success() {
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    } else {
        Err(complaint(format!("scontrol refused: {said}"), hint))
    }
}
