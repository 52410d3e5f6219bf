//! The record of a run of job files: its files are targets, and each of its jobs on each set of drives is a job of its own, so that every row has its drive.

use super::request::FioRequest;
use super::subjob::{OpenFile, Subjob};
use ioproof_core::facts::{StackNode, TargetFacts, TargetKind};
use ioproof_core::finding::{Finding, Subject};
use ioproof_core::job::{Span, Until};
use ioproof_core::record::{Config, JobRecord, RunRecord, TargetRecord};
use ioproof_runner::look_at_content as look;
use ioproof_store::config_hash::rehash;
use ioproof_store::run_id;
use ioproof_target::System;
use std::collections::BTreeSet;
use std::path::Path;

/// Files of one job on the same drives that are targets of their own; of more, the first stands for the others.
const MOST_FILES: usize = 16;

/// Sentences and findings about the jobs from before they ran.
#[derive(Default)]
pub struct Preamble {
    /// Sentences that a user must read.
    pub notes: Vec<String>,
    pub warnings: Vec<Finding>,
}

/// The record of the run, and the position of each clone's job in it.
pub fn open(system: &System, request: &FioRequest, subjobs: &[Subjob], said: &Preamble) -> (RunRecord, Vec<u32>) {
    let mut made = RecordBuilder { system, targets: Vec::new(), jobs: Vec::new(), keys: Vec::new(), left_out: Vec::new() };
    let jobs: Vec<u32> = subjobs.iter().map(|subjob| made.job(request, subjob)).collect();
    let started_at = ioproof_runner::now().rfc3339;
    let first = subjobs.first().map(|subjob| &subjob.compiled.spec);
    let mut all_notes = vec![format!("ran job files of fio: ioproof run {}", request.typed.join(" "))];
    all_notes.extend(said.notes.iter().cloned());
    all_notes.extend(notes_of_opening(subjobs));
    all_notes.extend(made.left_out.iter().map(|(path, more)| format!("{more} more files beside {path}")));
    let config = Config {
        command: request.command.clone(),
        time_s: first.map_or(0.0, |spec| if let Until::ElapsedNs(ns) = spec.until { ns as f64 / 1e9 } else { 0.0 }),
        strict: request.line.is_strict(),
        runs: Some(1),
        backend: subjobs.first().map_or_else(|| "none".to_owned(), |subjob| subjob.compiled.engine.word().to_owned()),
        seed: first.map_or(0, |spec| spec.seed),
        ..Config::default()
    };
    let mut record = RunRecord {
        id: run_id::new_id(&started_at),
        started_at,
        targets: made.targets,
        jobs: made.jobs,
        notes: all_notes,
        ..RunRecord::begun("run", ioproof_device::host(system), config)
    };
    record.warnings = said.warnings.iter().map(|finding| of_its_job(&record.jobs, finding)).collect();
    rehash(&mut record);
    (record, jobs)
}

/// Sentences on how the files were opened, each sentence once: what was looked at before a device was written, and where others stay unseen.
fn notes_of_opening(subjobs: &[Subjob]) -> Vec<String> {
    let files = subjobs.iter().flat_map(|subjob| &subjob.files);
    let said = |file: &OpenFile, note: &String| match file.facts.kind {
        TargetKind::BlockDevice => format!("{}: {note}", file.facts.given),
        _ => note.clone(),
    };
    let mut seen = BTreeSet::new();
    let notes = files.flat_map(|file| file.handle.notes().iter().map(move |note| said(file, note)));
    notes.filter(|note| seen.insert(note.clone())).collect()
}

fn of_its_job(jobs: &[JobRecord], finding: &Finding) -> Finding {
    let at = |name: &str| jobs.iter().position(|job| job.name.as_deref() == Some(name));
    let subject = match &finding.subject {
        Subject::Named(name) => at(name).map_or_else(|| finding.subject.clone(), |at| Subject::Job(at as u32)),
        other => other.clone(),
    };
    Finding { subject, ..finding.clone() }
}

/// Targets and jobs so far.
struct RecordBuilder<'a> {
    system: &'a System,
    targets: Vec<TargetRecord>,
    jobs: Vec<JobRecord>,
    /// Of each job of the record: the job of the job file, and the drives under it.
    keys: Vec<(usize, Vec<String>)>,
    /// Files that stand for others, with the number of those.
    left_out: Vec<(String, usize)>,
}

impl RecordBuilder<'_> {
    /// The position of the job of a clone, which is added or gets one more worker.
    fn job(&mut self, request: &FioRequest, subjob: &Subjob) -> u32 {
        let key = (subjob.job, drives(&subjob.facts()));
        let at = self.keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            let workload = subjob.compiled.spec.workload.clone();
            let workload = ioproof_core::workload::Workload { workers: 0, ..workload };
            let span = subjob.compiled.spec.span;
            self.jobs.push(JobRecord { name: Some(request.job(subjob).name.clone()), targets: Vec::new(), workload, span, claims: vec![] });
            self.keys.push(key);
            self.jobs.len() - 1
        });
        self.jobs[at].workload.workers += subjob.compiled.spec.workload.workers;
        for facts in subjob.facts() {
            self.add(at, facts);
        }
        at as u32
    }

    fn add(&mut self, job: usize, facts: &TargetFacts) {
        let known = self.targets.iter().position(|target| target.facts.resolved == facts.resolved);
        let targets = &mut self.jobs[job].targets;
        if known.is_none() && targets.len() >= MOST_FILES {
            let first = self.targets[targets[0] as usize].facts.given.clone();
            match self.left_out.iter_mut().find(|(path, _)| *path == first) {
                Some((_, more)) => *more += 1,
                None => self.left_out.push((first, 1)),
            }
            return;
        }
        let at = known.unwrap_or_else(|| {
            self.targets.push(target(self.system, facts));
            self.targets.len() - 1
        });
        if !targets.contains(&(at as u32)) {
            targets.push(at as u32);
        }
    }
}

fn target(system: &System, facts: &TargetFacts) -> TargetRecord {
    let nodes: Vec<&StackNode> = facts.stack.as_ref().map(|stack| stack.drives()).unwrap_or_default();
    let drives = nodes.into_iter().map(|node| ioproof_device::identify(system, node)).collect();
    TargetRecord { drives, ..TargetRecord::new(facts.clone()) }
}

fn drives(facts: &[&TargetFacts]) -> Vec<String> {
    let stacks = facts.iter().filter_map(|facts| facts.stack.as_ref());
    let names: BTreeSet<String> = stacks.flat_map(|stack| stack.drives()).map(|node| node.name.clone()).collect();
    names.into_iter().collect()
}

/// Asks the filesystem which bytes of the files that are read were ever written. No block is read, so that the page cache stays as it is.
pub fn look_at_content(record: &mut RunRecord, subjobs: &[Subjob]) {
    let reads = subjobs.iter().filter(|subjob| subjob.compiled.spec.workload.read_percent > 0 && subjob.compiled.engine.has_data());
    for file in reads.flat_map(|subjob| &subjob.files).filter(|file| file.facts.kind == TargetKind::File) {
        let is_it = |target: &&mut TargetRecord| Path::new(&target.facts.resolved) == Path::new(&file.facts.resolved);
        let Some(target) = record.targets.iter_mut().find(is_it).filter(|target| target.content.unwritten_bytes.is_none()) else {
            continue;
        };
        let whole = Span { offset_bytes: 0, length_bytes: file.handle.size_bytes() };
        let (content, note) = look(&file.handle, whole, (0, 0), 0, &|| true);
        target.content = content;
        record.notes.extend(note);
    }
}
