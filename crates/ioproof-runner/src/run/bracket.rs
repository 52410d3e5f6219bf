//! The bracket around a stage: counters of every device below every target, host and drives, read before and after it and never within.

use ioproof_core::facts::StackNode;
use ioproof_core::record::{DeviceCounters, DriveBracket, DriveState, HostLoad, RunRecord, Stage, StateBefore};
use ioproof_device::CounterSnapshot;
use ioproof_target::System;

/// The targets of a stage as the kernel counts them.
pub(crate) struct Bracket<'a> {
    system: &'a System,
    /// The devices below the targets, each stack once.
    stacks: Vec<StackNode>,
    before: Vec<CounterSnapshot>,
    drives: Vec<(String, DriveState)>,
}

impl<'a> Bracket<'a> {
    /// Reads everything before a stage on these targets of the record.
    pub fn open(system: &'a System, record: &RunRecord, targets: &[usize]) -> Self {
        let mut stacks: Vec<StackNode> = Vec::new();
        for stack in targets.iter().filter_map(|at| record.targets.get(*at)?.facts.stack.as_ref()) {
            if !stacks.iter().any(|known| known == stack) {
                stacks.push(stack.clone());
            }
        }
        let drives = drive_names(&stacks).into_iter().map(|name| (name.clone(), drive_state(system, &name))).collect();
        let before = snapshots(system, &stacks);
        Self { system, stacks, before, drives }
    }

    /// Reads everything again, and puts what was counted into the stage.
    pub fn close(self, stage: &mut Stage) {
        let mut devices: Vec<DeviceCounters> = Vec::new();
        let mut host: Option<HostLoad> = None;
        for (now, before) in snapshots(self.system, &self.stacks).iter().zip(&self.before) {
            let (counted, load) = now.since(before);
            // A drive below several targets is counted once.
            let new = counted.into_iter().filter(|device| !devices.iter().any(|known| known.name == device.name)).collect::<Vec<_>>();
            devices.extend(new);
            host.get_or_insert(load);
        }
        stage.devices = (!devices.is_empty()).then_some(devices);
        stage.host = host;
        let after = |name: String, before| DriveBracket { after: drive_state(self.system, &name), name, before };
        stage.drives = self.drives.into_iter().map(|(name, before)| after(name, before)).collect();
    }
}

/// One of each stack; without any stack the host alone.
fn snapshots(system: &System, stacks: &[StackNode]) -> Vec<CounterSnapshot> {
    if stacks.is_empty() {
        return vec![CounterSnapshot::take(system, None)];
    }
    stacks.iter().map(|stack| CounterSnapshot::take(system, Some(stack))).collect()
}

fn drive_names(stacks: &[StackNode]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for drive in stacks.iter().flat_map(StackNode::drives) {
        if !names.contains(&drive.name) {
            names.push(drive.name.clone());
        }
    }
    names
}

fn drive_state(system: &System, name: &str) -> DriveState {
    let present = system.sys_number(&format!("block/{name}/size")).is_some_and(|sectors| sectors > 0);
    DriveState { present, temperature_celsius: ioproof_device::temperature_celsius(system, name), ..DriveState::default() }
}

/// The state of the targets before the next stage, from the stages before it.
pub(crate) fn state_before(record: &RunRecord, filled_bytes: u64, ended_ns: u64, now_ns: u64) -> StateBefore {
    let written: u64 = record.stages.iter().flat_map(|stage| &stage.rounds).map(|round| round.total_bytes.1).sum();
    let titles = |stage: &Stage| {
        let databases = stage.databases.iter().filter_map(|round| record.databases.get(round.database as usize));
        let jobs = stage.parts(&record.jobs).map(|part| part.job.workload.id());
        jobs.chain(databases.map(|database| database.title.clone())).collect::<Vec<_>>().join(" + ")
    };
    StateBefore {
        written_bytes: filled_bytes.saturating_add(written),
        previous_workload: record.stages.last().map(titles).filter(|titles| !titles.is_empty()),
        idle_ns: now_ns.saturating_sub(ended_ns),
    }
}
