//! The folder of a fleet: names of its files, its lock, and its state, which is replaced whole.

use crate::SCHEMA_VERSION;
use crate::end::NodeEnd;
use crate::plan::Plan;
use crate::state::FleetState;
use anyhow::{Context, Result};
use ioproof_process::complaint::complaint;
use ioproof_target::output_file::{make_folders, open_lock, store};
use ioproof_target::read_regular;
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::path::{Path, PathBuf};

/// No file of ours is larger. Bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The folder of a fleet.
#[derive(Debug, Clone)]
pub struct FleetFolder {
    path: PathBuf,
}

impl FleetFolder {
    /// The folder at this path, whether or not it is there.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        // Scripts go by it from other folders.
        Self { path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()) }
    }

    /// The folder at this path, which has a fleet in it.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = Self::at(path);
        match folder.state_path().is_file() {
            true => Ok(folder),
            false => {
                Err(complaint(format!("{} is no folder of a fleet", path.display()), "`ioproof fleet run PLAN.toml --out DIR` makes one"))
            }
        }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The copy of the plan.
    #[must_use]
    pub fn plan_path(&self) -> PathBuf {
        self.path.join("plan.toml")
    }

    fn state_path(&self) -> PathBuf {
        self.path.join("state.json")
    }

    /// The folder of a node.
    #[must_use]
    pub fn node(&self, name: &str) -> PathBuf {
        self.path.join("nodes").join(name)
    }

    /// The output of ioproof on a node.
    #[must_use]
    pub fn talk_path(&self, name: &str) -> PathBuf {
        self.node(name).join("talk.txt")
    }

    /// The run files of a node, sorted by name.
    #[must_use]
    pub fn run_files(&self, name: &str) -> Vec<PathBuf> {
        let found = std::fs::read_dir(self.node(name)).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_run = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json") && !path.ends_with("end.json");
        let mut files: Vec<PathBuf> = found.filter(|path| is_run(path)).collect();
        files.sort();
        files
    }

    /// The end of a node; none where it has not ended.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn end(&self, name: &str) -> Result<Option<NodeEnd>> {
        let path = self.node(name).join("end.json");
        match path.exists() {
            true => read(&path).map(Some),
            false => Ok(None),
        }
    }

    /// Writes the end of a node.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_end(&self, name: &str, end: &NodeEnd) -> Result<()> {
        write_end(&self.node(name), end)
    }

    /// Reads the state.
    ///
    /// # Errors
    /// When there is none, it is damaged, or of another version.
    pub fn state(&self) -> Result<FleetState> {
        let path = self.state_path();
        let state: FleetState = read(&path)?;
        match state.schema_version {
            SCHEMA_VERSION => Ok(state),
            other => Err(complaint(
                format!("{} is of version {other}, and this ioproof reads {SCHEMA_VERSION}", path.display()),
                "use the ioproof that made it",
            )),
        }
    }

    /// Replaces the state.
    ///
    /// # Errors
    /// When it cannot be written; the state before stays.
    pub fn write_state(&self, state: &FleetState) -> Result<()> {
        write(&self.state_path(), state)
    }

    /// Reads the copy of the plan.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn plan(&self) -> Result<Plan> {
        let path = self.plan_path();
        Plan::read(&std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?)
    }

    /// Makes the folder, and the folder of each node.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn make(&self, plan: &Plan) -> Result<()> {
        let make = |path: &Path| make_folders(path).with_context(|| format!("cannot make {}", path.display()));
        make(&self.path)?;
        plan.nodes.iter().try_for_each(|node| make(&self.node(&node.name)))
    }

    /// Keeps other commands from changing the fleet until this is dropped.
    ///
    /// # Errors
    /// When another one does at this moment.
    pub fn lock(&self) -> Result<FleetLock> {
        let lock = open_lock(&self.path.join("lock"))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(FleetLock(lock)),
            Err(_) => Err(complaint(
                format!("another `ioproof fleet` works in {}", self.path.display()),
                "wait until it has ended, or take another folder; `ioproof fleet status` shows the state meanwhile",
            )),
        }
    }
}

/// The lock of a fleet's folder. It is given back when this is dropped, also where a child that was started meanwhile still has its descriptor.
#[derive(Debug)]
pub struct FleetLock(File);

impl Drop for FleetLock {
    fn drop(&mut self) {
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// Writes the end of a node into its folder.
///
/// # Errors
/// When it cannot be written.
pub fn write_end(folder: &Path, end: &NodeEnd) -> Result<()> {
    write(&folder.join("end.json"), end)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = read_regular(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display()))
}

/// Writes a document whole: a kill leaves the old one or the new one.
///
/// # Errors
/// When the system refuses.
fn write(path: &Path, document: &impl Serialize) -> Result<()> {
    let mut bytes = serde_json::to_vec_pretty(document)?;
    bytes.push(b'\n');
    Ok(store(path, &bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Launcher;
    use crate::state::NodeState;

    #[test]
    fn a_state_is_read_as_it_was_written_and_locked_once() {
        let path = tempfile::tempdir().unwrap();
        let folder = FleetFolder::at(path.path());
        assert!(FleetFolder::open(path.path()).is_err());
        let nodes = vec![NodeState::new("n1", Some("rack"))];
        let state = FleetState {
            schema_version: SCHEMA_VERSION,
            id: "x".into(),
            launcher: Launcher::Local,
            began_at: "t".into(),
            start_at: None,
            nodes,
        };
        folder.write_state(&state).unwrap();
        assert_eq!(FleetFolder::open(path.path()).unwrap().state().unwrap(), state);
        let lock = folder.lock().unwrap();
        assert!(folder.lock().unwrap_err().to_string().contains("another"));
        drop(lock);
        assert!(folder.lock().is_ok());
    }

    #[test]
    fn run_files_are_those_beside_the_end() {
        let path = tempfile::tempdir().unwrap();
        let folder = FleetFolder::at(path.path());
        make_folders(&folder.node("n1")).unwrap();
        assert_eq!(folder.end("n1").unwrap(), None);
        folder.write_end("n1", &NodeEnd { exit_status: 3, ..NodeEnd::default() }).unwrap();
        for name in ["b.json", "a.json", "talk.txt"] {
            std::fs::write(folder.node("n1").join(name), "").unwrap();
        }
        assert_eq!(folder.run_files("n1"), [folder.node("n1").join("a.json"), folder.node("n1").join("b.json")]);
        assert_eq!(folder.end("n1").unwrap().unwrap().exit_status, 3);
    }
}
