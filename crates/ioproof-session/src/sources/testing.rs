//! A record for tests of sources, and playing one through on scripted outcomes.

use super::load::Tasks;
use crate::request::{LatencyTarget, LoadRequest};
use ioproof_core::facts::{Fact, HostFacts, Layer, TargetFacts, TargetKind};
use ioproof_core::job::{Placement, Recording, Span};
use ioproof_core::plan::{Plan, Request};
use ioproof_core::policy::Policy;
use ioproof_core::record::{Config, RunRecord, TargetRecord};
use ioproof_core::shape::Growth;
use ioproof_core::units::parse_size_bytes;
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::BackendChoice;
use ioproof_runner::{Failure, Generate, RunEnding, Runner, Script, Source, close};
use ioproof_target::System;
use std::sync::atomic::AtomicBool;

pub const SPAN: Span = Span { offset_bytes: 0, length_bytes: 16 << 20 };

/// A load in the words of the command line, as far as tests of sources need them.
pub fn load(words: &str) -> LoadRequest {
    let all: Vec<&str> = words.split_whitespace().collect();
    let has = |flag: &str| all.contains(&flag);
    let value = |flag: &str| all.iter().position(|word| *word == flag).and_then(|at| all.get(at + 1).copied());
    let numbers = |flag: &str, usual: u32| {
        value(flag).map_or(vec![usual], |list| list.split(',').map(|n| n.parse().expect("a word of a test")).collect())
    };
    let bytes = |text: &str| parse_size_bytes(text).expect("a word of a test");
    let (depths, workers) = (numbers("--depth", 32), numbers("--workers", 4));
    let mut workloads = Vec::new();
    for name in value("--rw").unwrap_or_default().split(',').filter(|name| !name.is_empty()) {
        let pattern = if name.starts_with("rand") { Pattern::Random } else { Pattern::Sequential };
        let usual = if pattern == Pattern::Random { "4KiB" } else { "128KiB" };
        let (read_percent, writes) = if name.ends_with("read") { (100, false) } else { (0, true) };
        let growths = value("--write-to").filter(|_| writes).unwrap_or("existing");
        for block in value("--bs").unwrap_or(usual).split(',').map(|text| bytes(text) as u32) {
            for (depth, workers) in depths.iter().flat_map(|depth| workers.iter().map(move |workers| (*depth, *workers))) {
                for growth in growths.split(',').map(|name| if name == "append" { Growth::Append } else { Growth::Overwrite }) {
                    let mut workload = Workload::plain(pattern, read_percent, block, workers, depth);
                    workload.shape.growth = growth;
                    workload.shape.buffered = has("--buffered");
                    workload.shape.more_files = numbers("--files", 1)[0] - 1;
                    workload.shape.data.checked = has("--check") && writes;
                    workloads.push(workload);
                }
            }
        }
    }
    LoadRequest {
        workloads,
        generate: Generate::by(BackendChoice::AUTO),
        backends: vec![BackendChoice::AUTO],
        recording: Recording::default(),
        until: None,
        placement: Placement::default(),
        worker_span: value("--worker-span").map(bytes),
        most_workers: workers.into_iter().max().unwrap_or(1),
        end_fsync: false,
        latency_target: value("--latency-target").map(|_| LATENCY_TARGET),
        check: has("--check"),
    }
}

/// `--latency-target p99:1ms`.
pub const LATENCY_TARGET: LatencyTarget = LatencyTarget { percent: 99.0, limit_ns: 1_000_000 };

pub fn tasks(load: &LoadRequest) -> Tasks<'_> {
    Tasks::new(load, SPAN, 7, 1_000_000_000)
}

/// A run of one target with the plan of this load, a minute long.
pub fn record(load: &LoadRequest) -> RunRecord {
    let policy = Policy::default();
    let plan = Plan::make(&Request {
        datasheet: None,
        only: &load.workloads,
        capacity_bytes: None,
        drive_bytes: None,
        may_write: true,
        may_read: true,
        span: SPAN,
        alignment_bytes: 512,
        in_order: false,
        own_files: true,
        fill: false,
        check: load.check,
        time_ns: 60_000_000_000,
        time_limited: true,
        by_size: false,
        runs: None,
        policy: &policy,
    });
    let facts = TargetFacts {
        given: "x".into(),
        resolved: "/x".into(),
        kind: TargetKind::File,
        layer: Layer::Filesystem,
        size_bytes: SPAN.length_bytes,
        filesystem: None,
        stack: None,
        identity: None,
        direct: true,
        alignment_bytes: 512,
        notes: vec![],
    };
    let tasks = tasks(load);
    RunRecord {
        targets: vec![TargetRecord::new(facts)],
        jobs: plan.all().map(|planned| tasks.record_of(&planned.workload, planned.claims.clone())).collect(),
        policy,
        plan: Some(plan),
        ..RunRecord::begun(
            "verify",
            HostFacts { memory_bytes: Fact::new(1 << 30, "x"), ..HostFacts::default() },
            Config { time_s: 60.0, seed: 7, ..Config::default() },
        )
    }
}

pub fn play(record: &mut RunRecord, script: &Script<'_>, source: &mut dyn Source) -> Result<(), Failure> {
    let (system, stop) = (System::captured(std::path::Path::new("/proc/self/nowhere")), AtomicBool::new(false));
    let result = Runner { system: &system, execute: script, stop: &stop, observers: vec![] }.run(record, source);
    close(record, script, result.as_ref().map_or(RunEnding::ByItself, |ending| *ending));
    result.map(drop)
}
