//! Plan and record: what will be run, and the record that a run begins and ends with.

use crate::cli::{Extent, Verify};
use crate::complaint::complaint;
use crate::plain::plain;
use crate::stages::clock;
use crate::stages::identify::Facts;
use crate::stages::target::Chosen;
use anyhow::Result;
use ioproof_core::facts::{ContentFacts, TargetKind};
use ioproof_core::job::Span;
use ioproof_core::plan::{BASE_WORKLOADS, Plan, Request};
use ioproof_core::policy::Policy;
use ioproof_core::record::{Config, RunRecord, RunStatus, SCHEMA_VERSION};
use ioproof_core::units::{binary_size, duration};
use ioproof_core::workload::{Durability, Workload};
use ioproof_target::{Handle, Target};
use sha2::{Digest, Sha256};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time for everything with `--quick`, which is the default for a scratch file.
const QUICK: Duration = Duration::from_secs(60);
/// Time for everything on a device or a file that exists.
const THOROUGH: Duration = Duration::from_secs(600);
/// How much of a device or file is written where `--size` does not say: filling more would take most of the time.
const WRITTEN_BYTES: u64 = 16 << 30;
/// How much of a generator device is used; it has no size.
const GENERATOR_BYTES: u64 = 1 << 30;

/// Makes the plan.
///
/// # Errors
/// When nothing of what is wanted can be run on this target.
pub fn plan(args: &Verify, chosen: &Chosen, facts: &Facts) -> Result<Plan> {
    let policy = policy(args);
    let generator = chosen.facts().kind == TargetKind::Generator;
    let may_write = chosen.is_written(args);
    let is_sink = generator && may_write;
    if args.load.check && generator {
        let text = format!("--check: {} keeps nothing that could be read back", chosen.facts().given);
        return Err(complaint(text, "check a file or a device"));
    }
    let plan = Plan::make(&Request {
        only: &asked(args, generator),
        datasheet: facts.datasheet.as_ref().map(|d| &d.datasheet),
        capacity_bytes: facts.datasheet.as_ref().and_then(|d| d.capacity_bytes),
        may_write,
        may_read: !is_sink,
        span: args.load.used_span(span(args, chosen)?)?,
        alignment_bytes: chosen.facts().alignment_bytes,
        fill: may_write && !generator && !args.load.is_null(),
        time_ns: time(args, chosen).as_nanos() as u64,
        time_limited: args.runs.is_none() || args.time.is_some() || args.quick,
        runs: args.runs,
        policy: &policy,
    });
    if plan.all().next().is_none() {
        let text = format!("nothing of this can be run on {}", chosen.facts().given);
        return Err(complaint(
            text,
            if may_write {
                "the largest block must fit the target, or the part of it that is used, once for every worker"
            } else {
                "writing needs --overwrite FILE or --destroy SERIAL; the largest block must fit the target once for every worker"
            },
        ));
    }
    Ok(plan)
}

/// The workloads that the command line asks for: every combination of its lists.
fn asked(args: &Verify, generator: bool) -> Vec<Workload> {
    if args.load.rw.is_empty() && generator {
        // A generator device may move no more than a page at once, and has nothing to flush.
        let small = |w: &&Workload| w.block_bytes == 4096 && w.durability == Durability::None && matches!(w.read_percent, 0 | 100);
        return BASE_WORKLOADS.iter().filter(small).cloned().collect();
    }
    args.load.workloads()
}

/// The record of a run that begins.
pub fn open(args: &Verify, target: &Target, handle: &Handle, facts: Facts, plan: Plan) -> RunRecord {
    let mut notes = facts.notes;
    notes.extend(target.facts.notes.iter().chain(handle.notes()).cloned());
    notes.extend(load_notes(args, &plan));
    let mut seen = std::collections::BTreeSet::new();
    notes.retain(|n| seen.insert(n.clone()));
    let started_at = clock::now();
    let mut record = RunRecord {
        schema_version: SCHEMA_VERSION,
        id: clock::new_id(&started_at),
        program_version: env!("CARGO_PKG_VERSION").into(),
        started_at,
        ended_at: None,
        status: RunStatus::Running,
        config: config(args, &plan),
        config_sha256: String::new(),
        target: target.facts.clone(),
        other_targets: vec![],
        jobs: vec![],
        host: facts.host,
        drives: facts.drives,
        datasheet: facts.datasheet,
        policy: policy(args),
        plan,
        content: ContentFacts::default(),
        fill: None,
        self_test: None,
        searches: vec![],
        notes,
        rounds: Vec::new(),
    };
    rehash(&mut record);
    record
}

/// What is to be known of the load beside its workloads.
fn load_notes(args: &Verify, plan: &Plan) -> Vec<String> {
    let parts = args.load.worker_span.map(|each| format!("each worker works on a part of its own of {}", binary_size(each)));
    let trims = || plan.writes.iter().map(|p| &p.workload).filter(|w| w.trims());
    let read = trims().any(|w| w.read_percent > 0);
    let read = read.then(|| "reads beside trims may find trimmed blocks, for which a drive need not look".to_owned());
    let again = trims().any(|w| w.read_percent == 0 && w.shape.trim_percent == 100);
    let again = again.then(|| "blocks are trimmed again and again, for which little need be done once they are".to_owned());
    let left_out = args.load.workloads().into_iter().filter(|w| !plan.all().any(|p| p.workload == *w));
    let left_out = left_out.map(|w| format!("not run: {}, which needs consent to write, or does not fit the target", w.title()));
    [parts, read, again].into_iter().flatten().chain(left_out).collect()
}

/// Takes the hash anew, after what it covers has changed.
pub fn rehash(record: &mut RunRecord) {
    record.config_sha256 = hash(record);
}

/// Ends the record, unless it ended by itself.
pub fn close(record: &mut RunRecord, stop: &AtomicBool) {
    record.ended_at = Some(clock::now());
    if record.status == RunStatus::Running {
        record.status = if stop.load(Ordering::Relaxed) { RunStatus::Interrupted } else { RunStatus::Complete };
    }
}

/// What is said when a run begins.
pub fn opening(record: &RunRecord) -> String {
    let what = match record.target.kind {
        TargetKind::Scratch => {
            format!("a scratch file of {} in {}", binary_size(record.target.size_bytes), plain(&record.target.given))
        }
        _ => format!("{} of {}", binary_size(record.plan.span.length_bytes), plain(&record.target.given)),
    };
    let written = match (record.plan.reads.is_empty(), record.plan.writes.is_empty()) {
        (_, true) => "only reading",
        (true, false) => "only writing",
        (false, false) => "reading and writing",
    };
    let time = match record.plan.time_limited {
        true => format!("about {}", duration(Duration::from_nanos(record.plan.time_ns))),
        false => format!("{} runs of each", record.plan.max_runs),
    };
    format!("verifying {what}, {written}, {} workloads, {time}", record.plan.all().count())
}

/// The thresholds in force.
pub fn policy(args: &Verify) -> Policy {
    let default = Policy::default();
    Policy {
        threshold_block: args.threshold.unwrap_or(default.threshold_block),
        threshold_filesystem: args.threshold_filesystem.unwrap_or(default.threshold_filesystem),
        ..default
    }
}

fn time(args: &Verify, chosen: &Chosen) -> Duration {
    let quick = args.quick || matches!(chosen, Chosen::Scratch { .. });
    args.time.unwrap_or(if quick { QUICK } else { THOROUGH })
}

fn span(args: &Verify, chosen: &Chosen) -> Result<Span> {
    let all = if chosen.facts().kind == TargetKind::Generator { GENERATOR_BYTES } else { chosen.size_bytes() };
    let offset_bytes = args.offset.unwrap_or(0);
    let whole = all.checked_sub(offset_bytes).filter(|rest| *rest > 0).ok_or_else(|| {
        let text = format!("--offset {} is beyond the end of {}", binary_size(offset_bytes), chosen.facts().given);
        complaint(text, format!("it has {}", binary_size(all)))
    })?;
    let default = match chosen {
        Chosen::Existing(_) if chosen.is_written(args) => whole.min(WRITTEN_BYTES),
        _ => whole,
    };
    let asked = match chosen {
        Chosen::Scratch { .. } => whole,
        Chosen::Existing(_) => args.size.map_or(default, |s: Extent| s.of(all)).min(whole),
    };
    // Whole MiB, so that every block size fits; a smaller target keeps whole blocks of its own.
    let unit = if asked >= 1 << 20 { 1 << 20 } else { u64::from(chosen.facts().alignment_bytes.max(1)) };
    Ok(Span { offset_bytes, length_bytes: asked / unit * unit })
}

fn config(args: &Verify, plan: &Plan) -> Config {
    Config {
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        time_s: plan.time_ns as f64 / 1e9,
        quick: args.quick,
        runs: args.runs,
        backend: args.load.backend.name().to_owned(),
        // Below 2^53, so that every reader of JSON gives the same number back.
        seed: args.seed.unwrap_or_else(|| clock::seed() >> 11),
        faults: args.faults.map(|f| serde_json::to_string(&f).unwrap_or_default()),
    }
}

/// SHA-256 over everything that a judgement depends on beside the measurements.
fn hash(record: &RunRecord) -> String {
    let judged_by = (&record.config, &record.policy, &record.plan, &record.datasheet);
    let bytes = serde_json::to_vec(&judged_by).unwrap_or_default();
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;
    use ioproof_core::datasheet::Catalogue;
    use ioproof_core::plan::SkipReason;

    /// The plan for a drive of a datasheet that promises random reads and writes of 4 KiB, with these flags.
    fn plan_with(words: &str) -> Plan {
        let catalogue = Catalogue::shipped();
        Plan::make(&Request {
            only: &load::parsed(words).unwrap().workloads(),
            datasheet: catalogue.find_by_name("intel-dc-p3700"),
            capacity_bytes: Some(2_000_000_000_000),
            may_write: true,
            may_read: true,
            span: Span { offset_bytes: 0, length_bytes: 1 << 40 },
            alignment_bytes: 512,
            fill: false,
            time_ns: 60_000_000_000,
            time_limited: true,
            runs: None,
            policy: &Policy::default(),
        })
    }

    fn answered(words: &str) -> usize {
        plan_with(words).all().map(|p| p.claims.len()).sum()
    }

    const READ: &str = "--rw randread --bs 4KiB --depth 32 --workers 4";
    const WRITE: &str = "--rw randwrite --bs 4KiB --depth 32 --workers 4";

    #[test]
    fn a_plain_workload_answers_its_claim_however_io_is_made() {
        assert!(answered(READ) > 0 && answered(WRITE) > 0);
        for how in ["--backend psync", "--polled", "--kernel-submits", "--pin 0", "--huge-pages", "--split-latency", "--distribution once"]
        {
            assert_eq!(answered(&format!("{READ} {how}")), answered(READ), "{how}");
        }
    }

    #[test]
    fn a_special_workload_answers_no_claim() {
        let reads = [
            "--distribution free",
            "--distribution zipf:1.2",
            "--rate 10k",
            "--poisson 10k",
            "--max-read-iops 5",
            "--max-read-rate 1MB",
            "--think 1ms",
        ];
        let writes = [
            "--sync fsync",
            "--sync dsync",
            "--sync fdatasync:8",
            "--data zero",
            "--compressible 50",
            "--duplicates 5",
            "--check",
            "--rate 10k",
        ];
        for (base, special) in reads.map(|s| (READ, s)).into_iter().chain(writes.map(|s| (WRITE, s))) {
            let plan = plan_with(&format!("{base} {special}"));
            assert_eq!(plan.all().map(|p| p.claims.len()).collect::<Vec<_>>(), [0], "{special}");
            assert!(plan.skipped.iter().any(|s| s.reason == SkipReason::NotAsked), "{special}");
        }
        assert_eq!(answered("--rw randread --bs 4KiB:50/8KiB:50 --depth 32 --workers 4"), 0);
        assert_eq!(answered("--rw randrw:100 --bs 4KiB --depth 32 --workers 4"), answered(READ), "the same by another name");
        assert_eq!(answered("--rw randrw:0:10 --bs 4KiB --depth 32 --workers 4"), 0, "trims are special");
    }
}
