//! Facts of a run in sections; those that name jobs by their conditions are made here.

use super::Conditions;
use ioproof_core::describe::{self, Section, checks, describe_queue, fact};
use ioproof_core::measured::{Measured, with_rounds};
use ioproof_core::record::{Part, QueueUse, RunRecord};
use ioproof_core::stats::median;
use ioproof_core::units::duration;
use std::time::Duration;

pub(super) fn sections(record: &RunRecord) -> Vec<Section> {
    describe::sections(record).into_iter().chain(data_checks(record)).chain(queue_use(record)).collect()
}

/// A fact for each round that checked something.
fn data_checks(record: &RunRecord) -> Option<Section> {
    let line = |(number, part): (usize, Part)| {
        let result = part.check.as_ref()?;
        let first = result.first.as_ref().map(|first| format!("; the first: {first}")).unwrap_or_default();
        let title = Conditions::of_job(part.round.job, record)?.full_title();
        let time = match part.read_back_ns {
            0 => String::new(),
            ns => format!("; read back in {}", duration(Duration::from_nanos(ns))),
        };
        let value = format!("{}: {}{time}{first}", title, checks::describe(result));
        Some(fact(&format!("round {number}"), value, ""))
    };
    let facts: Vec<_> = record.parts().enumerate().filter_map(line).collect();
    (!facts.is_empty()).then(|| Section { title: "Data checks".into(), facts })
}

/// Use of the queue by each job.
fn queue_use(record: &RunRecord) -> Option<Section> {
    let line = |measured: &Measured| {
        let mut all = QueueUse::default();
        measured.rounds.iter().for_each(|round| all.merge(&round.queue));
        let outstanding: Vec<f64> = measured.rounds.iter().map(|round| round.outstanding()).filter(|n| n.is_finite()).collect();
        let conditions = Conditions::of_job(measured.index, record)?;
        let name = format!("{}, {}", conditions.short_title(), conditions.depth_formula().replace(' ', ""));
        let special = if conditions.special.is_empty() { String::new() } else { format!("({}) ", conditions.special) };
        describe_queue(&all, median(&outstanding)).map(|text| fact(&name, format!("{special}{text}"), ""))
    };
    let facts: Vec<_> = with_rounds(record).iter().filter_map(line).collect();
    (!facts.is_empty()).then(|| Section { title: "Queue use".into(), facts })
}
