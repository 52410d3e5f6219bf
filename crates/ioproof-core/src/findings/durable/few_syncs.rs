//! A load that syncs only after so many writes that hardly a sync comes within a run: what is shown as its rate holds little or nothing of what syncs cost.

use crate::findings::prelude::*;

rule! {
    name: "few-syncs",
    about: "hardly a sync came within a run, or none",
    check: Check::EachJob(|_, measured| of_job(measured)),
}

/// Syncs of a run below which one more or less changes a rate by a tenth and more.
const FEWEST: u64 = 10;

fn of_job(measured: &Measured) -> Option<Finding> {
    let every = measured.workload().durability.every().filter(|every| *every > 1)?;
    let fewest = measured.rounds.iter().filter(|part| part.write.ios > 0).map(|part| part.sync.ios).min()?;
    let one_after = format!("since one comes after {every} writes");
    let (severity, effect, title) = match fewest {
        0 => (
            Severity::Block,
            Effect::Invalid,
            format!("a run made no sync at all, {one_after}: it measured writes that nothing made durable"),
        ),
        1..FEWEST => (
            Severity::Warn,
            Effect::Easier,
            format!("a run made only {fewest} syncs, {one_after}: the rate holds their cost too often or too seldom"),
        ),
        _ => return None,
    };
    let figures = vec![Evidence::number("fewest syncs of a run", fewest as f64, Unit::Count).against(FEWEST as f64)];
    Some(finding_on(measured, &RULE, severity, effect, title, figures, "run it for longer (--time), or sync after fewer writes (--sync)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: synced(Durability::FdatasyncEvery(100_000), 0), silent: synced(Durability::FdatasyncEvery(8), 10) }

    /// Writes that are made durable so, with this number of syncs in each run.
    fn synced(durability: Durability, syncs: u64) -> RunRecord {
        let mut record = record();
        let job = record.jobs.iter().position(|job| !matches!(job.workload.durability, Durability::None)).unwrap();
        record.jobs[job].workload.durability = durability;
        let rounds = record.rounds_mut().filter(|round| round.job as usize == job);
        rounds.for_each(|round| round.sync.ios = syncs);
        record
    }

    #[test]
    fn none_takes_the_figure_away_and_few_make_it_easier() {
        let effect = |durability, syncs| RULE.found(&synced(durability, syncs)).first().map(|finding| finding.effect);
        let every = Durability::FsyncEvery;
        assert_eq!(
            [0, 1, 9, 10].map(|syncs| effect(every(64), syncs)),
            [Some(Effect::Invalid), Some(Effect::Easier), Some(Effect::Easier), None]
        );
        assert_eq!((effect(every(1), 0), effect(Durability::FdatasyncEach, 0)), (None, None));
    }
}
