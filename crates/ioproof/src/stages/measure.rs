//! Run: round after round as the schedule says. `rounds` runs one, `search` finds rates first where they are asked for, `check` reads back what was written.

use crate::stages::bench::Bench;
use crate::stages::check::Written;
use crate::stages::rounds::Rounds;
use crate::stages::search;
use crate::store::Writer;
use anyhow::Result;
use ioproof_core::plan::Scheduler;
use ioproof_core::record::{IoErrors, RoundOutcome, RunRecord};
use std::time::Duration;

/// Refuses what the engine would refuse, before the target is filled for it.
///
/// # Errors
/// When a planned workload cannot be run as asked.
pub fn check(bench: &Bench, record: &RunRecord) -> Result<()> {
    for planned in record.plan.all() {
        let ledger = Written::default().ledger(&planned.workload, record)?;
        let spec = bench.job(record, planned.workload.clone());
        ioproof_engine::check(&spec, &[bench.handle], &bench.options(ledger.as_ref()))?;
    }
    Ok(())
}

/// Runs the plan's rounds until the schedule is done, the user stops it, or the target fails.
///
/// # Errors
/// When a round cannot be started or stored.
pub fn measure(bench: &mut Bench, record: &mut RunRecord, writer: &Writer) -> Result<()> {
    let mut rounds = Rounds::new(bench, record, writer);
    search::search(&mut rounds, record)?;
    let plan = record.plan.clone();
    let mut scheduler = Scheduler::new(&plan, record.config.seed);
    let mut written = Written::default();
    while rounds.go_on(record) {
        let elapsed_ns = rounds.bench.started.elapsed_ns();
        let next = scheduler.next(elapsed_ns).and_then(|number| Some((number, plan.all().nth(number)?.workload.clone())));
        written.read_back_unless(next.as_ref().map(|(_, workload)| workload), &mut rounds, record)?;
        let Some((number, workload)) = next.filter(|_| rounds.go_on(record)) else { break };
        let left = Duration::from_nanos(scheduler.remaining_ns(elapsed_ns));
        let repetition = scheduler.attempts(number);
        let text = format!("{} (queue depth {}), run {}", workload.title(), workload.concurrency(), repetition + 1);
        rounds.bench.progress.step(&text, left);
        let ledger = written.ledger(&workload, record)?;
        let spec = rounds.bench.job(record, workload);
        let options = rounds.bench.options(ledger.as_ref());
        let round = rounds.run(record, &spec, &options, repetition)?;
        scheduler.record(number, round.counts().then(|| round.main_value()));
        if round.outcome == RoundOutcome::Failed || is_hopeless(round.ios(), &round.errors) {
            scheduler.give_up(number);
        }
    }
    written.close(record);
    Ok(())
}

/// Whether nothing but failed I/O came of a round. A drive that takes long over each may stay below the limit of errors round after round.
fn is_hopeless(ios: u64, errors: &IoErrors) -> bool {
    ios == 0 && errors.failed + errors.short > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_failures_is_hopeless() {
        let errors = |failed, short| IoErrors { failed, short, ..IoErrors::default() };
        assert!(is_hopeless(0, &errors(3, 0)) && is_hopeless(0, &errors(0, 1)));
        assert!(!is_hopeless(1, &errors(99, 0)), "some of it works");
        assert!(!is_hopeless(0, &errors(0, 0)), "a slow drive that answers nothing within a round may answer in the next");
    }
}
