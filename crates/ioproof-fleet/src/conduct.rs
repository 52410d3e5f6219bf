//! A fleet at work: looks at what runs, brings in what has ended, begins what waits. Each step starts from the state file and the launcher, so that a kill at any moment loses nothing.

use crate::end::{ClockOffset, NodeEnd};
use crate::folder::{FleetFolder, FleetLock};
use crate::launch::{Hosts, Launch, Part, Seen, Slurm};
use crate::plan::{Launcher, NodePlan, Plan};
use crate::state::{Attempt, FleetState, NodeState, Phase};
use anyhow::{Context, Result};
use ioproof_core::text::visible;
use ioproof_process::complaint::{complaint, describe, hints, warn};
use ioproof_process::messages;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Time after its limit in which a node that cannot be asked may still come back.
const TO_COME_BACK_S: i64 = 300;

/// A clock that is further off is told. Nanoseconds.
const FAR_NS: i64 = 1_000_000_000;

/// A fleet that this process works on; others are kept out.
pub struct Fleet {
    folder: FleetFolder,
    plan: Plan,
    state: FleetState,
    launch: Box<dyn Launch>,
    /// The state as it was written last; none where that failed.
    kept: Option<FleetState>,
    _lock: FleetLock,
}

impl Fleet {
    /// Takes up a fleet that is there.
    ///
    /// # Errors
    /// When there is none, or another process works on it.
    pub fn open(folder: &FleetFolder) -> Result<Self> {
        let lock = folder.lock()?;
        let (plan, state) = (folder.plan()?, folder.state()?);
        let launch = launcher(folder, &plan, &state);
        let kept = Some(state.clone());
        Ok(Self { folder: folder.clone(), plan, state, launch, kept, _lock: lock })
    }

    /// The state as it is known.
    #[must_use]
    pub fn state(&self) -> &FleetState {
        &self.state
    }

    /// Looks at every node that runs, and changes nothing.
    #[must_use]
    pub fn look(&self) -> Vec<(String, Seen)> {
        let running = self.nodes_in(Phase::Running);
        let parts: Vec<Part<'_>> = running.iter().filter_map(|at| self.part(*at)).collect();
        let seen = if parts.is_empty() { Vec::new() } else { self.launch.look(&parts) };
        parts.iter().map(|part| part.node.name.clone()).zip(seen).collect()
    }

    /// Goes one step on. True once nothing more will happen.
    pub fn step(&mut self) -> bool {
        self.collect();
        self.begin();
        self.state.nodes.iter().all(|node| node.phase.is_over())
    }

    /// Looks at nodes that run, and brings in the files of those that have ended.
    pub fn collect(&mut self) {
        let seen: BTreeMap<String, Seen> = self.look().into_iter().collect();
        for at in self.nodes_in(Phase::Running) {
            match seen.get(&self.state.nodes[at].name) {
                Some(Seen::Ended) => self.finish(at),
                Some(Seen::Died(why)) => self.died(at, why),
                Some(Seen::Queued(why)) => self.state.nodes[at].reason = Some(why.clone()),
                Some(Seen::Running) => self.state.nodes[at].reason = None,
                Some(Seen::Unknown(why)) if self.is_overdue(at) => self.died(at, why),
                Some(Seen::Unknown(why)) => self.state.nodes[at].reason = Some(format!("it cannot be asked: {why}")),
                None => {}
            }
        }
        self.write();
    }

    /// Fetches the files of nodes with a damaged one again; they are kept where they were made.
    pub fn fetch_again(&mut self) {
        for at in self.nodes_in(Phase::Done) {
            if self.state.nodes[at].reason.is_some() {
                self.finish(at);
            }
        }
        self.write();
    }

    /// Ends all nodes, and brings in what they have reported.
    pub fn cancel(&mut self) {
        let now = Timestamp::now().to_string();
        for at in (0..self.state.nodes.len()).filter(|at| !self.state.nodes[*at].phase.is_over()).collect::<Vec<_>>() {
            if let Some(part) = self.part(at).filter(|_| self.state.nodes[at].phase == Phase::Running) {
                let ended = self.launch.cancel(part);
                if let Err(error) = ended {
                    warn(&format!("{} is not ended", part.node.name), &error);
                    continue;
                }
                let _ = self.launch.fetch(part);
                if let Err(error) = self.launch.clean(part) {
                    warn(&format!("{} is not clean", part.node.name), &error);
                }
            }
            self.state.nodes[at].end(&now, Phase::Cancelled);
            self.write();
        }
    }

    fn nodes_in(&self, phase: Phase) -> Vec<usize> {
        (0..self.state.nodes.len()).filter(|at| self.state.nodes[*at].phase == phase).collect()
    }

    fn planned(&self, at: usize) -> Option<&NodePlan> {
        self.plan.nodes.iter().find(|node| node.name == self.state.nodes[at].name)
    }

    /// The last attempt of a node.
    fn part(&self, at: usize) -> Option<Part<'_>> {
        let attempts = &self.state.nodes[at].attempts;
        Some(Part { node: self.planned(at)?, attempt: attempts.len(), handle: &attempts.last()?.handle })
    }

    fn is_overdue(&self, at: usize) -> bool {
        let began = self.state.nodes[at].attempts.last().and_then(|attempt| attempt.began_at.parse::<Timestamp>().ok());
        let limit_s = i64::try_from(self.plan.limit().as_secs()).unwrap_or(i64::MAX / 2);
        began.is_none_or(|began| Timestamp::now().as_second() - began.as_second() > limit_s.saturating_add(TO_COME_BACK_S))
    }

    /// Brings in the files of a node that has ended.
    fn finish(&mut self, at: usize) {
        let now = Timestamp::now().to_string();
        let Some(part) = self.part(at) else { return };
        let name = part.node.name.clone();
        let fetched = self.launch.fetch(part);
        let end = match (self.folder.end(&name), &fetched) {
            (Ok(Some(end)), _) => end,
            (Ok(None), Ok(())) => return self.died(at, "it has left no end.json"),
            // What is not here yet is tried again in the next step.
            (Ok(None), Err(error)) => return self.not_yet(at, &describe(error)),
            (Err(error), _) => return self.not_yet(at, &describe(&error)),
        };
        if end.fleet.as_deref() != Some(self.state.id.as_str()) {
            return self.died(at, "its results are of another fleet");
        }
        let clock = self.state.nodes[at].clock.clone().or_else(|| self.launch.clock(part, &end.started_at));
        if fetched.is_ok()
            && let Err(error) = self.launch.clean(part)
        {
            warn(&format!("{name} is not clean"), &error);
        }
        tell_end(&name, &end, clock.as_ref());
        if let Err(error) = self.folder.write_end(&name, &NodeEnd { clock: clock.clone(), ..end }) {
            warn(&format!("the end of {name} is without its clock"), &error);
        }
        let node = &mut self.state.nodes[at];
        node.clock = clock;
        node.end(&now, Phase::Done);
        node.reason = fetched.err().map(|error| describe(&error));
    }

    fn not_yet(&mut self, at: usize, why: &str) {
        let node = &mut self.state.nodes[at];
        // Once is enough to tell.
        if node.reason.as_deref() != Some(why) {
            messages::warning(&format!("{}: {}", node.name, visible(why)));
            node.reason = Some(why.to_owned());
        }
    }

    /// Notes that an attempt failed. What it left is brought in after the last one.
    fn died(&mut self, at: usize, why: &str) {
        let now = Timestamp::now().to_string();
        self.state.nodes[at].fail(&now, why);
        let is_last = self.state.nodes[at].phase == Phase::Failed;
        let name = self.state.nodes[at].name.clone();
        messages::warning(&format!("{name}: {}{}", visible(why), if is_last { "" } else { "; it is tried once more" }));
        if let Some(part) = self.part(at) {
            // Its processes may be there still.
            let ended = self.launch.cancel(part);
            if is_last && ended.is_ok() {
                let _ = self.launch.fetch(part);
                let _ = self.launch.clean(part);
            }
        }
    }

    /// Begins nodes that wait, as many as may run.
    fn begin(&mut self) {
        let waiting = self.may_begin();
        let waiting: Vec<usize> = waiting.into_iter().filter(|at| !self.is_done_already(*at)).collect();
        if waiting.is_empty() {
            return self.write();
        }
        let next = |at: &usize| Some(Part { node: self.planned(*at)?, attempt: self.state.nodes[*at].attempts.len() + 1, handle: "" });
        let parts: Vec<Part<'_>> = waiting.iter().filter_map(next).collect();
        let begun = self.launch.begin(&self.state, &parts);
        // Many nodes have the same one.
        let hints: BTreeSet<String> = begun.iter().filter_map(|begun| begun.as_ref().err()).flat_map(hints).collect();
        for (at, begun) in waiting.into_iter().zip(begun) {
            let (began_at, name) = (Timestamp::now().to_string(), self.state.nodes[at].name.clone());
            let (handle, failure) = match begun {
                Ok(begun) => {
                    messages::say(&format!("{name}: {}", if self.launch.keeps_limits() { "submitted" } else { "begun" }));
                    self.state.nodes[at].clock = begun.clock.or_else(|| self.state.nodes[at].clock.take());
                    (begun.handle, None)
                }
                Err(error) => (String::new(), Some(describe(&error))),
            };
            let node = &mut self.state.nodes[at];
            node.attempts.push(Attempt { handle, began_at, ended_at: None, failure: None });
            (node.phase, node.reason) = (Phase::Running, None);
            if let Some(why) = failure {
                self.died(at, &why);
            }
        }
        hints.iter().for_each(|hint| messages::hint(hint));
        self.write();
    }

    /// True for a node whose files came here before a kill.
    fn is_done_already(&mut self, at: usize) -> bool {
        let end = self.folder.end(&self.state.nodes[at].name).ok().flatten();
        let is_own = end.is_some_and(|end| end.fleet.as_deref() == Some(self.state.id.as_str()));
        if is_own {
            self.state.nodes[at].end(&Timestamp::now().to_string(), Phase::Done);
        }
        is_own
    }

    /// Waiting nodes that may begin now.
    fn may_begin(&self) -> Vec<usize> {
        let waiting = self.nodes_in(Phase::Waiting);
        if self.launch.keeps_limits() {
            // A second array beside the first would pass the limits of both.
            return if self.nodes_in(Phase::Running).is_empty() { waiting } else { Vec::new() };
        }
        let (all, of_group) = (self.plan.at_once.unwrap_or(usize::MAX), self.plan.at_once_per_group.unwrap_or(usize::MAX));
        let mut running: Vec<Option<&str>> =
            self.nodes_in(Phase::Running).into_iter().map(|at| self.state.nodes[at].group.as_deref()).collect();
        let mut chosen = Vec::new();
        for at in waiting {
            let group = self.state.nodes[at].group.as_deref();
            let beside = running.iter().filter(|other| **other == group).count();
            if running.len() < all && (group.is_none() || beside < of_group) {
                running.push(group);
                chosen.push(at);
            }
        }
        chosen
    }

    /// Keeps the state. Where that fails the fleet goes on: nodes leave their own files.
    fn write(&mut self) {
        if self.kept.as_ref() == Some(&self.state) {
            return;
        }
        match self.folder.write_state(&self.state) {
            Ok(()) => self.kept = Some(self.state.clone()),
            // It is tried again in each step, and told once.
            Err(error) => {
                if self.kept.take().is_some() {
                    warn("the state of the fleet is not written", &error);
                }
            }
        }
    }
}

fn launcher(folder: &FleetFolder, plan: &Plan, state: &FleetState) -> Box<dyn Launch> {
    let (program, consent) = (folder.path().join("ioproof"), plan.consent.is_some().then(|| folder.path().join("consent.txt")));
    match state.launcher {
        Launcher::Slurm => Box::new(Slurm::new(folder, plan, &state.id, &program, consent.as_deref())),
        other => Box::new(Hosts::new(other, folder, plan, &state.id, &program, consent.as_deref())),
    }
}

/// Says how a node ended, and what of it is odd.
fn tell_end(name: &str, end: &NodeEnd, clock: Option<&ClockOffset>) {
    let refused = if end.refused.is_empty() { String::new() } else { format!(", {} refused", end.refused.len()) };
    let ended = if end.interrupted { " (ended early)" } else { "" };
    messages::say(&format!("{name}: done{ended}: exit status {}, {} measured{refused}", end.exit_status, drives(end.drives.len())));
    if end.version != env!("CARGO_PKG_VERSION") {
        messages::note(&format!("{name} has ioproof {}, and this one is {}", visible(&end.version), env!("CARGO_PKG_VERSION")));
    }
    if let Some(clock) = clock.filter(|clock| clock.offset_ns.abs() > FAR_NS.saturating_add(clock.error_ns)) {
        let (seconds, way) = (clock.offset_ns.abs() / 1_000_000_000, if clock.offset_ns > 0 { "ahead" } else { "behind" });
        messages::warning(&format!("{name}: its clock is {seconds} s {way}: times of its runs are by that clock"));
    }
}

fn drives(count: usize) -> String {
    if count == 1 { "1 drive".to_owned() } else { format!("{count} drives") }
}

/// Makes the folder of a new fleet, or finds that it holds this very one.
///
/// # Errors
/// When it holds another fleet or results of one, another process works in it, or it cannot be written.
pub fn prepare(folder: &FleetFolder, text: &str, plan: &Plan, launcher: Launcher, id: &str, consent: Option<&[u8]>) -> Result<()> {
    folder.make(plan)?;
    let _lock = folder.lock()?;
    if let Ok(state) = folder.state() {
        let is_same = state.launcher == launcher && std::fs::read_to_string(folder.plan_path()).is_ok_and(|kept| kept == text);
        let shown = folder.path().display();
        let other = || complaint(format!("{shown} holds another fleet, or this one by another launcher"), "name another folder: --out DIR");
        return if is_same { Ok(()) } else { Err(other()) };
    }
    if let Some(node) = plan.nodes.iter().find(|node| folder.node(&node.name).join("end.json").exists()) {
        let shown = folder.node(&node.name);
        return Err(complaint(format!("{} holds results of another fleet", shown.display()), "name another folder: --out DIR"));
    }
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        ioproof_target::output_file::store(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    write("plan.toml", text.as_bytes())?;
    consent.map_or(Ok(()), |serials| write("consent.txt", serials))?;
    if plan.nodes.iter().any(|node| node.program.is_none()) && plan.program.is_none() {
        take_program_along(folder)?;
    }
    let now = Timestamp::now();
    let start_at = plan.start_in().and_then(|time| now.checked_add(time).ok()).map(|at| at.to_string());
    let nodes = plan.nodes.iter().map(|node| NodeState::new(&node.name, node.group.as_deref())).collect();
    let id = id.to_owned();
    folder.write_state(&FleetState { schema_version: crate::SCHEMA_VERSION, id, launcher, began_at: now.to_string(), start_at, nodes })
}

/// Copies this program into the folder, from which it goes to the nodes.
fn take_program_along(folder: &FleetFolder) -> Result<()> {
    let own = std::env::current_exe().context("this program does not find itself")?;
    let (new, to) = (folder.path().join("ioproof.new"), folder.path().join("ioproof"));
    std::fs::copy(&own, &new).with_context(|| format!("cannot write {}", new.display()))?;
    if is_dynamic(&new) {
        messages::note("this ioproof needs the C library of the nodes; `cargo xtask package` makes one that runs on any Linux");
    }
    std::fs::rename(&new, &to).with_context(|| format!("cannot write {}", to.display()))
}

/// True for a program that names an interpreter, the loader of shared libraries (ELF, PT_INTERP), which stands behind its headers.
fn is_dynamic(program: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(program).and_then(|file| file.take(HEADERS_BYTES).read_to_end(&mut begin));
    read.is_ok() && begin.windows(LOADER.len()).any(|bytes| bytes == LOADER)
}

/// Bytes in which a linker lays the headers and the name of the interpreter.
const HEADERS_BYTES: u64 = 4096;

/// Part of the path of every such loader: `/lib64/ld-linux-x86-64.so.2`, `/lib/ld-musl-x86_64.so.1`.
const LOADER: &[u8] = b"/ld-";

#[cfg(test)]
mod tests;
