//! A mix of reads and writes that does far less than both would do in turn: they stand in each other's way.

use crate::findings::prelude::*;

rule! {
    name: "slower-mix",
    about: "a mix does far less than its reads and its writes alone",
    check: Check::EachJob(of_job),
}

/// Share of that which reads and writes would do in turn, below which they stand in each other's way.
const LEAST: f64 = 0.6;

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let workload = measured.workload();
    let read_share = f64::from(workload.read_percent) / 100.0;
    if !(0.0 < read_share && read_share < 1.0) || workload.trims() {
        return None;
    }
    let mix = measured.estimate(Metric::Iops, None)?;
    let (reads, writes) = (alone(context, measured, 100)?, alone(context, measured, 0)?);
    let in_turn = 1.0 / (read_share / reads + (1.0 - read_share) / writes);
    if !in_turn.is_finite() || mix.high >= LEAST * in_turn {
        return None;
    }
    let share = mix.median / in_turn;
    let title = format!(
        "the mix does {}, and reads alone do {}, writes alone {}: {} of what both would do in turn",
        iops(mix.median),
        iops(reads),
        iops(writes),
        percent(share)
    );
    let figures = vec![
        Evidence::number("reads alone", reads, Unit::IosPerSecond),
        Evidence::number("writes alone", writes, Unit::IosPerSecond),
        Evidence::number("in turn", in_turn, Unit::IosPerSecond),
        Evidence::number("share of it", share, Unit::Share).against(LEAST),
    ];
    let remedy = "judge the drive by the mix that your program makes; reads and writes alone do not tell it";
    Some(finding_on(measured, &RULE, Severity::Info, Effect::None, title, figures, remedy))
}

/// The rate of one direction alone under the same load: blocks, pattern and depth. I/Os per second.
fn alone(context: &Context, mix: &Measured, read_percent: u8) -> Option<f64> {
    let wanted = mix.workload();
    let is_it = |other: &&Measured| {
        let workload = other.workload();
        let load = |w: &crate::workload::Workload| (w.pattern, w.block_bytes, w.workers, w.depth, w.durability);
        workload.read_percent == read_percent
            && !workload.trims()
            && load(workload) == load(wanted)
            && workload.shape.pace == Pace::default()
            && other.job.targets == mix.job.targets
    };
    context.measured.iter().find(is_it)?.estimate(Metric::Iops, None).map(|estimate| estimate.median)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: with_a_mix(453.0), silent: with_a_mix(1800.0) }

    /// Three jobs: reads, writes, and a mix of half each. Only the mix is slow.
    fn with_a_mix(rate: f64) -> RunRecord {
        let mut record = record_with(|_, _| 0.0);
        record.jobs.truncate(3);
        for (job, read_percent) in record.jobs.iter_mut().zip([100, 0, 50]) {
            job.workload = Workload::plain(Pattern::Random, read_percent, 4096, 1, 8);
        }
        record.stages.retain(|stage| stage.rounds[0].job < 3);
        for stage in &mut record.stages {
            let job = stage.rounds[0].job;
            stage.rounds[0] = round(job, &record.jobs[job as usize].workload, [2359.0, 2373.0, rate][job as usize]);
        }
        record
    }

    #[test]
    fn a_mix_is_held_against_the_same_load_only() {
        let found = RULE.found(&fires());
        assert!(found.len() == 1 && found[0].title.ends_with("19.1 % of what both would do in turn"), "{found:?}");
        let mut deeper = fires();
        deeper.jobs[0].workload.depth = 32;
        assert!(RULE.found(&deeper).is_empty());
    }
}
