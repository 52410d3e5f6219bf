//! One job by each of both programs, alone or under strace, and what each reports of it.
//!
//! Jobs have one worker and queue depth 1 with pread(2) and pwrite(2), so that a trace shows each I/O as one call of one thread.

use super::trace::{self, TracedCall};
use crate::common::{Sandbox, said};
use ioproof_core::record::{Round, RoundOutcome};
use serde_json::Value;
use std::process::Command;

/// Flags of ioproof for one run of one workload, always the same.
const OURS: [&str; 8] = ["verify", "--runs", "1", "--json", "--seed", "7", "--workers", "1"];
const SYNCHRONOUS: [&str; 4] = ["--depth", "1", "--backend", "psync"];

/// Flags of fio for the same.
const THEIRS: [&str; 6] = ["--name=job", "--thread", "--iodepth=1", "--ioengine=psync", "--output-format=json", "--randrepeat=1"];

/// Report of a program beside what it did.
pub struct Seen<T> {
    pub report: T,
    /// The calls of the thread that did the job, in order.
    pub calls: Vec<TracedCall>,
}

/// Runs ioproof and gives its one round.
#[track_caller]
pub fn ours(sandbox: &Sandbox, args: &[&str]) -> Round {
    ours_queued(sandbox, &[&SYNCHRONOUS, args].concat())
}

/// The same with queue depth and backend as they are given.
#[track_caller]
pub fn ours_queued(sandbox: &Sandbox, args: &[&str]) -> Round {
    round(sandbox.command(&OURS).args(args))
}

/// The same under strace.
#[track_caller]
pub fn ours_traced(sandbox: &Sandbox, args: &[&str]) -> Seen<Round> {
    let program = [&[env!("CARGO_BIN_EXE_ioproof")], &OURS[..], &SYNCHRONOUS, args].concat();
    let report = round(&mut trace::command(sandbox, &program));
    Seen { report, calls: trace::busiest_thread(sandbox) }
}

/// Runs fio and gives its one job.
#[track_caller]
pub fn theirs(sandbox: &Sandbox, args: &[&str]) -> Value {
    let mut command = Command::new("fio");
    sandbox.prepare(&mut command);
    job(command.args(THEIRS).args(args))
}

/// The same under strace.
#[track_caller]
pub fn theirs_traced(sandbox: &Sandbox, args: &[&str]) -> Seen<Value> {
    let program = [&["fio"], &THEIRS[..], args].concat();
    let report = job(&mut trace::command(sandbox, &program));
    Seen { report, calls: trace::busiest_thread(sandbox) }
}

#[track_caller]
fn round(command: &mut Command) -> Round {
    let said = said(command.output().unwrap());
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    let mut report = said.json();
    let rounds = report["run"]["stages"][0]["rounds"].as_array_mut().unwrap();
    assert_eq!(rounds.len(), 1, "one workload, one run");
    let round: Round = serde_json::from_value(rounds.remove(0)).unwrap();
    assert_eq!((round.outcome, round.errors.total()), (RoundOutcome::Complete, 0));
    round
}

#[track_caller]
fn job(command: &mut Command) -> Value {
    let said = said(command.output().unwrap_or_else(|e| panic!("fio and strace are needed: {e}")));
    assert_eq!(said.status, 0, "{said:?}");
    let mut report = said.json();
    let job = report["jobs"][0].take();
    assert_eq!(job["error"], 0, "{job}");
    job
}
