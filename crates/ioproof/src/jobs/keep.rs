//! The run as our own record, so that `report`, `runs` and what judges stored runs know it as any other.

use super::ask::Asked;
use super::clone::Clone;
use super::one::End;
use crate::stages::clock;
use crate::stages::record::rehash;
use crate::store;
use anyhow::Result;
use ioproof_core::facts::{ContentFacts, Layer, TargetFacts, TargetKind};
use ioproof_fio::results::Results;
use ioproof_core::job::Span;
use ioproof_core::judge::judge;
use ioproof_core::plan::{Plan, Planned};
use ioproof_core::policy::Policy;
use ioproof_core::record::{Config, Round, RoundOutcome, RunRecord, RunStatus, SCHEMA_VERSION};
use ioproof_target::System;
use std::collections::BTreeSet;

/// Stores the run, and gives the results with its identifier.
///
/// # Errors
/// When it cannot be stored.
pub fn keep(system: &System, asked: &Asked, clones: &[Clone], ends: &[End], results: Results) -> Result<Results> {
    let rounds = rounds(asked, clones, ends);
    if rounds.is_empty() && ends.iter().all(|end| end.failed.is_none()) {
        return Ok(results);
    }
    let mut record = record(system, asked, clones, rounds.first(), &results);
    record.plan.reads = rounds.iter().filter(|r| !r.workload.writes()).map(planned).collect();
    record.plan.writes = rounds.iter().filter(|r| r.workload.writes()).map(planned).collect();
    record.status = status(ends);
    let writer = store::Writer::create(&record)?;
    rounds.iter().try_for_each(|round| writer.save_round(round))?;
    record.rounds = rounds;
    record.ended_at = Some(clock::now());
    rehash(&mut record);
    writer.save(&record)?;
    writer.save_judgement(&judge(&record))?;
    Ok(Results { run_id: Some(record.id), ..results })
}

fn planned(round: &Round) -> Planned {
    Planned { workload: round.workload.clone(), claims: Vec::new() }
}

fn status(ends: &[End]) -> RunStatus {
    let outcome = |wanted: RoundOutcome| ends.iter().any(|end| end.round.as_ref().is_some_and(|round| round.outcome == wanted));
    let failed = ends.iter().find_map(|end| end.failed.as_ref());
    match failed {
        Some(why) if outcome(RoundOutcome::Hung) => RunStatus::Hung { reason: why.text.clone() },
        Some(why) => RunStatus::Failed { reason: why.text.clone() },
        None if outcome(RoundOutcome::Interrupted) => RunStatus::Interrupted,
        None => RunStatus::Complete,
    }
}

/// One round a job: its clones ran side by side and are its workers.
fn rounds(asked: &Asked, clones: &[Clone], ends: &[End]) -> Vec<Round> {
    let of = |job: usize| {
        let rounds = clones.iter().zip(ends).filter(move |(clone, _)| clone.job == job).filter_map(|(_, end)| end.round.as_ref());
        rounds.fold(None, |sum: Option<Round>, round| Some(sum.map_or_else(|| round.clone(), |sum| sum.beside(round))))
    };
    let all = (0..asked.jobs.len()).filter_map(of);
    all.enumerate().map(|(index, round)| Round { index: index as u32, outcome: of_its_time(round.outcome), ..round }).collect()
}

/// A job that was ended early has figures of the time that it ran, as in fio; that the run was interrupted is the record's status.
fn of_its_time(outcome: RoundOutcome) -> RoundOutcome {
    if outcome == RoundOutcome::Interrupted { RoundOutcome::Complete } else { outcome }
}

fn record(system: &System, asked: &Asked, clones: &[Clone], first: Option<&Round>, results: &Results) -> RunRecord {
    let target = clones.iter().flat_map(|clone| &clone.files).map(|file| file.facts.clone()).next().unwrap_or_else(no_target);
    let drives = target.stack.iter().flat_map(|stack| stack.drives()).map(|node| ioproof_device::identify(system, node)).collect();
    let mut notes = vec![format!("ran job files of fio: ioproof run {}", asked.typed.join(" "))];
    notes.extend(results.notes.iter().cloned().chain(results.failures.iter().map(ToString::to_string)));
    let files = clones.iter().flat_map(|clone| &clone.files).map(|file| file.facts.given.clone());
    let spec = clones.first().map(|clone| &clone.compiled.spec);
    let started_at = first.map_or_else(clock::now, |round| round.started_at.clone());
    let elapsed_ns = first.map_or(0, |round| round.elapsed_ns);
    RunRecord {
        schema_version: SCHEMA_VERSION,
        id: clock::new_id(&started_at),
        program_version: env!("CARGO_PKG_VERSION").into(),
        started_at,
        ended_at: None,
        status: RunStatus::Running,
        config: Config {
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            time_s: elapsed_ns as f64 / 1e9,
            quick: false,
            runs: Some(1),
            backend: first.map_or_else(|| "none".to_owned(), |round| round.engine.backend.clone()),
            seed: spec.map_or(0, |spec| spec.seed),
            faults: None,
        },
        config_sha256: String::new(),
        other_targets: each_once(files.filter(|file| *file != target.given)),
        jobs: each_once(asked.jobs.iter().map(|job| job.name.clone())),
        target,
        host: ioproof_device::host(system),
        drives,
        datasheet: None,
        policy: Policy::default(),
        plan: plan(spec.map_or(Span { offset_bytes: 0, length_bytes: 0 }, |spec| spec.span), elapsed_ns),
        content: ContentFacts::default(),
        fill: None,
        self_test: None,
        searches: Vec::new(),
        notes,
        rounds: Vec::new(),
    }
}

/// The same in their order, each once.
fn each_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

fn plan(span: Span, measure_ns: u64) -> Plan {
    Plan {
        reads: Vec::new(),
        writes: Vec::new(),
        skipped: Vec::new(),
        span,
        fill: false,
        asked: true,
        ramp_ns: 0,
        measure_ns,
        time_ns: measure_ns,
        time_limited: false,
        min_runs: 1,
        max_runs: 1,
        precision: 0.0,
        confidence: 0.95,
    }
}

/// What stands for the target of jobs without files.
fn no_target() -> TargetFacts {
    TargetFacts {
        given: "no file".into(),
        resolved: "no file".into(),
        kind: TargetKind::Generator,
        layer: Layer::Generator,
        size_bytes: 0,
        filesystem: None,
        stack: None,
        direct: false,
        alignment_bytes: 1,
        notes: Vec::new(),
    }
}
