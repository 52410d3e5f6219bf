//! The results of a fleet's folder: each run file is read once, by several threads, and only its small facts stay. What cannot be read, is missing or is of another
//! fleet is told, and the rest goes on.

use anyhow::Result;
use ioproof_core::fleet::{DriveRun, Problem, each_once};
use ioproof_core::moment::unix_seconds;
use ioproof_core::text::visible;
use ioproof_fleet::{FleetFolder, FleetState, NodeEnd, NodeState, Phase};
use ioproof_process::complaint::{complaint, describe};
use ioproof_store::run_file::read_head;
use ioproof_target::threads::spawn_within;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Drives by node, and what is missing or in doubt.
pub struct FleetResults {
    pub runs: Vec<DriveRun>,
    pub problems: Vec<Problem>,
}

/// A node with its files.
struct NodeFiles {
    name: String,
    files: Vec<PathBuf>,
    end: Option<NodeEnd>,
}

/// Threads that read, at most: each holds one file.
const MOST_THREADS: usize = 16;

/// Reads a folder of `fleet run`, or folders of nodes that were gathered by hand.
///
/// # Errors
/// When there is no such folder, or no run file in it.
pub fn read(dir: &Path) -> Result<FleetResults> {
    let (nodes, mut problems) = nodes(dir)?;
    let files: Vec<(&NodeFiles, &Path)> = nodes.iter().flat_map(|node| node.files.iter().map(move |file| (node, file.as_path()))).collect();
    if files.is_empty() && problems.is_empty() {
        return Err(complaint(
            format!("there is no run file in {}", dir.display()),
            "`ioproof fleet collect DIR` fetches them; see docs/guide/fleet-report.md",
        ));
    }
    let mut runs = Vec::with_capacity(files.len());
    for ((node, path), read) in files.iter().zip(all(&files)) {
        match read {
            Ok(run) => {
                problems.extend(clock(node, &run, path));
                runs.push(run);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let (runs, twice) = each_once(runs);
    problems.extend(twice);
    problems.sort();
    problems.dedup();
    Ok(FleetResults { runs, problems })
}

/// Every file, in the same order. A thread takes the next one that nobody has taken.
fn all(files: &[(&NodeFiles, &Path)]) -> Vec<Result<DriveRun, Problem>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let places = std::iter::from_fn(|| Some(next.fetch_add(1, Relaxed)).filter(|at| *at < files.len()));
        places.map(|at| (at, one(files[at].0, files[at].1))).collect::<Vec<_>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS).min(files.len());
    let mut read: Vec<(usize, Result<DriveRun, Problem>)> = std::thread::scope(|scope| {
        // Where there are no more threads to be had, this one does all.
        let others: Vec<_> = (1..threads).filter_map(|_| spawn_within(scope, "fleet report", work).ok()).collect();
        let own = work();
        others.into_iter().filter_map(|thread| thread.join().ok()).flatten().chain(own).collect()
    });
    read.sort_by_key(|(at, _)| *at);
    read.into_iter().map(|(_, read)| read).collect()
}

/// One file. One that its node's end does not know is of another fleet.
fn one(node: &NodeFiles, path: &Path) -> Result<DriveRun, Problem> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let place = format!("{}/{}", node.name, visible(&file));
    let (head, judgement) = read_head(path).map_err(|error| Problem::missing(&place, visible(&describe(&error))))?;
    let told = node.end.as_ref().map(|end| end.drives.iter().find(|drive| drive.file == *file));
    match told {
        Some(Some(drive)) if drive.started_at == head.started_at => {}
        None => {}
        Some(_) => {
            return Err(Problem::note(
                place,
                format!("left out: run {} is not one that the end of this node tells, so it is of another fleet", visible(&head.id)),
            ));
        }
    }
    Ok(DriveRun::new(&node.name, file.strip_suffix(".json").unwrap_or(&file), &head, &judgement))
}

/// The nodes of a folder, and what is known to be missing.
fn nodes(dir: &Path) -> Result<(Vec<NodeFiles>, Vec<Problem>)> {
    let folder = FleetFolder::at(dir);
    let subfolders = |of: &Path| -> BTreeSet<String> {
        let entries = std::fs::read_dir(of).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
        entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| !name.starts_with('.')).collect()
    };
    std::fs::read_dir(dir).map_err(|error| complaint(format!("cannot read {}: {error}", dir.display()), "name the folder of a fleet"))?;
    if FleetFolder::open(dir).is_err() {
        // Folders of nodes that somebody gathered: DIR/nodes/NODE, DIR/NODE, or DIR itself.
        let mut problems = Vec::new();
        let parent = if dir.join("nodes").is_dir() { dir.join("nodes") } else { dir.to_owned() };
        let mut nodes: Vec<NodeFiles> = subfolders(&parent).iter().map(|name| gathered(&parent.join(name), name, &mut problems)).collect();
        if nodes.iter().all(|node| node.files.is_empty()) {
            let name = dir.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())).unwrap_or_default();
            nodes = vec![gathered(dir, &name, &mut problems)];
        }
        return Ok((nodes, problems));
    }
    let state = folder.state()?;
    let mut problems = Vec::new();
    let known: BTreeSet<&String> = state.nodes.iter().map(|node| &node.name).collect();
    let others = subfolders(&dir.join("nodes"));
    problems.extend(
        others.iter().filter(|name| !known.contains(name)).map(|name| Problem::note(visible(name), "left out: no node of this fleet")),
    );
    let nodes = state.nodes.iter().filter_map(|node| of_state(&folder, &state, node, &mut problems)).collect();
    Ok((nodes, problems))
}

/// A folder of a node without a fleet's state.
fn gathered(path: &Path, name: &str, problems: &mut Vec<Problem>) -> NodeFiles {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_run = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "json") && !path.ends_with("end.json") && !path.ends_with("state.json")
    };
    let mut files: Vec<PathBuf> = entries.filter(is_run).collect();
    files.sort();
    let end = path.join("end.json");
    let end = if end.is_file() {
        ioproof_target::read_regular(&end, 1 << 28).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
    } else {
        None
    };
    let node = NodeFiles { name: name.to_owned(), files, end };
    told_by_the_end(&node, problems);
    node
}

/// A node of the state; `None` where its folder is of another fleet.
fn of_state(folder: &FleetFolder, state: &FleetState, node: &NodeState, problems: &mut Vec<Problem>) -> Option<NodeFiles> {
    let end = folder.end(&node.name).unwrap_or_else(|error| {
        problems.push(Problem::note(&node.name, format!("its end.json cannot be read: {}", visible(&describe(&error)))));
        None
    });
    if let Some(other) = end.as_ref().and_then(|end| end.fleet.as_ref()).filter(|fleet| **fleet != state.id) {
        problems.push(Problem::missing(&node.name, format!("left out: these are results of another fleet, {}", visible(other))));
        return None;
    }
    if node.phase != Phase::Done {
        let why = node.reason.as_ref().map(|why| format!(": {}", visible(why))).unwrap_or_default();
        problems.push(Problem::missing(&node.name, format!("{}{why}", node.phase.title())));
    }
    problems.extend(attempt_clock(node, end.as_ref()));
    let files = NodeFiles { name: node.name.clone(), files: folder.run_files(&node.name), end };
    told_by_the_end(&files, problems);
    Some(files)
}

/// Files that a node wrote and that are not here, drives that were refused, and its clock.
fn told_by_the_end(node: &NodeFiles, problems: &mut Vec<Problem>) {
    let Some(end) = &node.end else { return };
    let is_here = |file: &str| node.files.iter().any(|path| path.ends_with(file));
    let gone = end.drives.iter().filter(|drive| !is_here(&drive.file));
    problems.extend(gone.map(|drive| {
        Problem::missing(format!("{}/{}", node.name, visible(&drive.file)), "the node wrote it, and it is not here: collect it again")
    }));
    problems.extend(end.refused.iter().map(|drive| {
        let drive_name = drive.serial.as_ref().unwrap_or(&drive.path);
        Problem::note(format!("{}/{}", node.name, visible(drive_name)), format!("not measured: {}", visible(&drive.reason)))
    }));
    let offset_s = end.clock.as_ref().map_or(0.0, |clock| clock.offset_ns as f64 / 1e9);
    problems.extend((offset_s.abs() > MOST_CLOCK_S).then(|| wrong_clock(&node.name, offset_s)));
}

/// A clock that differs by more is told. Seconds.
const MOST_CLOCK_S: f64 = 600.0;

fn wrong_clock(node: &str, ahead_s: f64) -> Problem {
    let way = if ahead_s > 0.0 { "ahead" } else { "behind" };
    let time = ioproof_core::units::duration(std::time::Duration::from_secs_f64(ahead_s.abs().round()));
    Problem::note(node, format!("its clock is {time} {way}, and so are its days and times"))
}

/// A node that began before it was asked to, or ended after that was noticed, by its own clock.
fn attempt_clock(node: &NodeState, end: Option<&NodeEnd>) -> Option<Problem> {
    let (end, attempt) = (end?, node.attempts.last()?);
    if end.clock.is_some() {
        return None;
    }
    let behind = unix_seconds(&attempt.began_at)? - unix_seconds(&end.started_at)?;
    let ahead =
        attempt.ended_at.as_deref().and_then(unix_seconds).zip(unix_seconds(&end.ended_at)).map_or(0.0, |(noticed, ended)| ended - noticed);
    let off = if behind > ahead { -behind } else { ahead };
    (off.abs() > MOST_CLOCK_S && behind.max(ahead) > 0.0).then(|| wrong_clock(&node.name, off))
}

/// A run that ended after its file was written here: the clock of its node is ahead. Copies are younger than their runs, so nothing tells one that is behind.
fn clock(node: &NodeFiles, run: &DriveRun, path: &Path) -> Option<Problem> {
    if node.end.as_ref().is_some_and(|end| end.clock.is_some()) {
        return None;
    }
    let written = path.metadata().ok()?.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs_f64();
    let ahead_s = unix_seconds(run.ended_at.as_deref()?)? - written;
    // Of one node each file tells the same, but for seconds.
    (ahead_s > MOST_CLOCK_S).then(|| wrong_clock(&node.name, (ahead_s / 60.0).round() * 60.0))
}
