//! A mix whose directions have limits of their own: one is held back, the other goes on meanwhile, and the figure is that of another mix.

use crate::findings::prelude::*;

rule! {
    name: "mix-not-kept",
    about: "reads and writes were done in other shares than the mix asks for",
    check: Check::EachJob(|_, measured| of_workload(measured)),
}

/// I/Os below which the share of reads is chance.
const FEWEST: u64 = 1000;

/// Difference from which on it is another mix.
const MOST: f64 = 0.05;

fn of_workload(measured: &Measured) -> Option<Finding> {
    let asked = f64::from(measured.workload().read_percent) / 100.0;
    let (reads, ios) = (measured.sum_of(|part| part.read.ios), measured.sum_of(|part| part.ios()));
    let done = reads as f64 / ios.max(1) as f64;
    if !(0.0 < asked && asked < 1.0) || ios < FEWEST || (done - asked).abs() <= MOST {
        return None;
    }
    let title = format!("{} of the I/Os were reads, and {} were asked for: the rate is that of another mix", percent(done), percent(asked));
    let figures = vec![
        Evidence::number("share of reads", done, Unit::Share),
        Evidence::number("asked for", asked, Unit::Share),
        Evidence::number("difference", (done - asked).abs(), Unit::Share).against(MOST),
    ];
    let remedy = "a limit on one direction lets the other go on: limit both in the shares of the mix, or take both together (--rate)";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Incomparable, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: mixed(98), silent: mixed(52) }

    /// The usual random reads as a mix of halves, of whose I/Os so many in a hundred were reads.
    fn mixed(percent: u64) -> RunRecord {
        let mut record = record();
        let job = record.job_of("rand-read-4k-4x32");
        record.jobs[job].workload.read_percent = 50;
        for round in record.rounds_mut().filter(|round| round.job as usize == job) {
            round.write = round.read.clone();
            (round.read.ios, round.write.ios) = (100 * percent, 100 * (100 - percent));
        }
        record
    }

    #[test]
    fn few_ios_and_loads_of_one_direction_say_nothing() {
        assert_eq!(RULE.found(&fires()).len(), 1);
        let few = |record: &mut RunRecord| record.rounds_mut().for_each(|round| (round.read.ios, round.write.ios) = (9, 1));
        RULE.silent_on([fires().with(few), record()]);
    }
}
