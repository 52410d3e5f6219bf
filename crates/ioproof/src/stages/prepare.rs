//! Before the first round: the generator is tested, the target is written in full where ioproof may write, and what is to be read is looked at.

use crate::stages::bench::Bench;
use crate::stages::{measure, presence, self_test};
use anyhow::{Context, Result, bail};
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::{Fill, RoundOutcome, RunRecord, RunStatus};
use ioproof_core::units::{binary_size, throughput};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::Snapshot;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Blocks sampled for zeros.
const SAMPLES: u64 = 256;

/// Tests the generator, fills the span where the plan says so, then samples it. Nothing is read before it was written; without I/O neither is done.
///
/// # Errors
/// When the target cannot be written or sampled.
pub fn prepare(bench: &mut Bench, record: &mut RunRecord) -> Result<()> {
    measure::check(bench, record)?;
    record.self_test = Some(self_test::run(bench, record));
    if bench.args.load.is_null() {
        return Ok(());
    }
    if record.plan.fill {
        fill(bench, record)?;
    }
    if bench.handle.may_read() && record.status == RunStatus::Running && !bench.is_stopped() {
        let seen = ioproof_target::content(bench.handle, record.plan.span, SAMPLES, record.config.seed);
        match seen {
            Ok(seen) => record.content = ioproof_core::facts::ContentFacts { filled_bytes: record.content.filled_bytes, ..seen },
            // A drive that cannot be sampled may still be measured; the rounds will tell.
            Err(e) => record.notes.push(format!("could not look whether what is read was written before: {e}")),
        }
    }
    Ok(())
}

fn fill(bench: &mut Bench, record: &mut RunRecord) -> Result<()> {
    let span = record.plan.span;
    let workload = fill_workload(span.length_bytes, bench.handle.alignment_bytes());
    let spec = JobSpec { ramp_ns: 0, until: Until::SpanCovered, error_limit: 1, ..bench.plain_job(record, workload, u32::MAX) };
    let began = Instant::now();
    let text = format!("writing {} in full first", binary_size(span.length_bytes));
    bench.progress.step(&text, Duration::from_nanos(record.plan.time_ns));
    let total = span.length_bytes as f64;
    let options = bench.plain_options(None);
    let outcome = bench.run(&spec, &options, &mut |progress, now: Snapshot| {
        let rate = now.written_bytes as f64 * 1e9 / now.elapsed_ns.max(1) as f64;
        progress.now(&format!("{:.0} %, {}", now.written_bytes as f64 / total * 100.0, throughput(rate)));
    })?;
    match outcome.outcome {
        RoundOutcome::Complete => {}
        RoundOutcome::Interrupted => record.status = RunStatus::Interrupted,
        RoundOutcome::Hung => record.status = RunStatus::Hung { reason: "a write never came back while the target was filled".into() },
        RoundOutcome::Failed => {
            if let Some(gone) = presence::gone(bench.system, record.target.stack.as_ref(), &outcome.errors, true) {
                bail!(gone);
            }
            let why =
                outcome.errors.first.map_or_else(String::new, |e| format!(": {} at byte {}: {}", e.operation, e.offset_bytes, e.message));
            bail!("the target could not be written in full{why}");
        }
    }
    if outcome.outcome != RoundOutcome::Hung {
        rustix::fs::fdatasync(bench.handle.as_fd()).context("the target could not be flushed after it was filled")?;
    }
    record.content.filled_bytes = outcome.total_bytes.1;
    record.fill = Some(Fill { bytes: outcome.total_bytes.1, elapsed_ns: began.elapsed().as_nanos() as u64 });
    Ok(())
}

/// One ascending pass in large blocks.
fn fill_workload(length_bytes: u64, alignment_bytes: u32) -> Workload {
    let whole_mib = length_bytes.is_multiple_of(1 << 20);
    Workload::plain(Pattern::Sequential, 0, if whole_mib { 1 << 20 } else { alignment_bytes.max(512) }, 1, 8)
}
