//! A record for tests of sources, and playing one through on scripted outcomes.

use super::load::Tasks;
use crate::load;
use crate::request::LoadRequest;
use ioproof_core::facts::{Fact, HostFacts, Layer, TargetFacts, TargetKind};
use ioproof_core::job::Span;
use ioproof_core::plan::{Plan, Request};
use ioproof_core::policy::Policy;
use ioproof_core::record::{Config, RunRecord, RunStatus, SCHEMA_VERSION, TargetRecord};
use ioproof_runner::{Ending, Failure, Runner, Script, Source, close};
use ioproof_target::System;
use std::sync::atomic::AtomicBool;

pub const SPAN: Span = Span { offset_bytes: 0, length_bytes: 16 << 20 };

/// A load as its flags say.
pub fn load(words: &str) -> LoadRequest {
    LoadRequest::settle(&load::parsed(words).unwrap(), &System::host(), None).unwrap()
}

/// The maker of tasks of this load.
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
        schema_version: SCHEMA_VERSION,
        id: "1".into(),
        program_version: "1".into(),
        verb: "verify".into(),
        started_at: String::new(),
        ended_at: None,
        status: RunStatus::Running,
        config: Config {
            command: vec![],
            time_s: 60.0,
            quick: false,
            strict: false,
            runs: None,
            backend: "auto".into(),
            seed: 7,
            faults: None,
        },
        config_sha256: String::new(),
        host: host(),
        targets: vec![TargetRecord::new(facts)],
        jobs: plan.all().map(|planned| tasks.record_of(&planned.workload, planned.claims.clone())).collect(),
        policy,
        plan: Some(plan),
        self_test: None,
        health: vec![],
        searches: vec![],
        warnings: vec![],
        notes: vec![],
        databases: Vec::new(),
        stages: vec![],
    }
}

fn host() -> HostFacts {
    HostFacts {
        name: None,
        cpu_model: Fact::new("x".into(), "x"),
        cpus_usable: 2,
        kernel: Fact::new("6".into(), "x"),
        memory_bytes: Fact::new(1 << 30, "x"),
        governor: None,
        clocksource: None,
        hypervisor: None,
        memlock_bytes: None,
        limits: Vec::new(),
        nice: None,
        io_priority: None,
    }
}

/// Plays a source through.
pub fn play(record: &mut RunRecord, script: &Script<'_>, source: &mut dyn Source) -> Result<(), Failure> {
    let (system, stop) = (System::captured(std::path::Path::new("/proc/self/nowhere")), AtomicBool::new(false));
    let result = Runner { system: &system, execute: script, stop: &stop, observers: vec![] }.run(record, source);
    close(record, script, result.as_ref().map_or(Ending::ByItself, |ending| *ending));
    result.map(drop)
}
