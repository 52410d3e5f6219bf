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
    match drain_by(&["scontrol"], &node, reason)? {
        None => messages::say(&format!("drained {node}")),
        Some(state) => messages::note(&format!("{node} is drained already ({})", visible(&state))),
    }
    Ok(())
}

/// Drains a node by this command, unless it is drained already: then its state is given.
fn drain_by(scontrol: &[&str], node: &str, reason: &str) -> Result<Option<String>> {
    let shown = run(scontrol, &["show", "node", "-o", node])?;
    let state = shown.split_whitespace().find_map(|word| word.strip_prefix("State=")).unwrap_or_default();
    if state.contains("DRAIN") {
        return Ok(Some(state.to_owned()));
    }
    let reason: String = visible(reason).chars().take(MOST).collect();
    run(scontrol, &["update", &format!("nodename={node}"), "state=drain", &format!("reason={reason}")]).map(|_| None)
}

/// The name that slurmd gives to its programs, else the first part of the host's name.
fn own_name() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    std::env::var("SLURMD_NODENAME").unwrap_or_else(|_| host.split('.').next().unwrap_or_default().to_owned())
}

fn run(scontrol: &[&str], arguments: &[&str]) -> Result<String> {
    let Output { status, stdout, stderr } = Command::new(scontrol[0])
        .args(&scontrol[1..])
        .args(arguments)
        .output()
        .context("cannot start scontrol, with which a node of Slurm is drained")?;
    // An unknown node is told on standard output.
    let said = if stderr.is_empty() { &stdout } else { &stderr };
    let said = visible(String::from_utf8_lossy(said).trim());
    let hint = "it takes the rights of SlurmUser or root; --node names the node";
    if status.success() {
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    } else {
        Err(complaint(format!("scontrol refused: {said}"), hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stand-in that tells a state, and writes down what it is asked to change.
    const SCRIPT: &str = r#"
case "$1" in
  show) echo "NodeName=$4 State=$STATE CPUs=2" ;;
  update) shift; printf '%s\n' "$@" >> "$DONE" ;;
  *) echo "no rights" >&2; exit 1 ;;
esac
"#;

    #[test]
    fn a_node_is_drained_once_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let done = folder.path().join("done");
        let by = |state: &str, body: &str| {
            let script = format!("STATE={state} DONE={}\n{body}", done.display());
            drain_by(&["sh", "-c", &script, "scontrol"], "n7", "ioproof: sda fails\nat once").map_err(|error| error.to_string())
        };
        assert_eq!(by("IDLE+DRAIN", SCRIPT), Ok(Some("IDLE+DRAIN".into())));
        assert!(!done.exists(), "the reason of an administrator stays");
        assert_eq!(by("MIXED", SCRIPT), Ok(None));
        let asked = std::fs::read_to_string(&done).unwrap();
        assert!(asked.starts_with("nodename=n7\nstate=drain\nreason=ioproof: sda fails") && asked.lines().count() == 3, "{asked}");
        assert_eq!(by("IDLE", "echo 'Invalid user' >&2; exit 1"), Err("scontrol refused: Invalid user".into()));
    }
}
