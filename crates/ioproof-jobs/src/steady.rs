//! Steady-state detection while clones run: a sample a second of a clone, or of all clones that are reported together.

use crate::board::Seat;
use crate::request::FioRequest;
use crate::subjob::Subjob;
use ioproof_core::text::visible;
use ioproof_fio::results::SteadyStateResult;
use ioproof_fio::steady::{Detector, SAMPLE_NS, SteadySample};
use ioproof_runner::Counts;
use std::collections::BTreeMap;

pub type Steady = BTreeMap<usize, SteadyStateResult>;

/// Looks at a clone are about a tenth of a second apart; one that comes so early is taken for the one that is due. Nanoseconds.
const EARLY_NS: u64 = 50_000_000;

#[derive(Debug)]
pub struct SteadyWatch {
    pub places: Vec<usize>,
    detector: Detector,
    /// When the first sample begins, since a clone's start. Nanoseconds.
    from_ns: u64,
    group: Option<u32>,
    last: Vec<Option<Counts>>,
}

pub fn watches(request: &FioRequest, clones: &[Subjob], places: &[usize]) -> Vec<SteadyWatch> {
    let mut all: Vec<SteadyWatch> = Vec::new();
    for place in places.iter().copied() {
        let settings = &request.job(&clones[place]).settings;
        let Some(detector) = Detector::new(&settings.steady_state) else { continue };
        let group = settings.report.by_group.then_some(clones[place].instance.group);
        if let Some(known) = all.iter_mut().find(|watch| group.is_some() && watch.group == group) {
            known.places.push(place);
            known.last.push(None);
            continue;
        }
        let from_ns = settings.time.ramp_ns.saturating_add(settings.steady_state.ramp_ns);
        all.push(SteadyWatch { places: vec![place], detector, from_ns, group, last: vec![None] });
    }
    all
}

/// A sentence for each job that was to become steady: whether it did, which its figures do not show.
pub fn sentences(request: &FioRequest, clones: &[Subjob], steady: &Steady) -> Vec<String> {
    let mut jobs: BTreeMap<usize, Vec<SteadyStateResult>> = BTreeMap::new();
    for (place, clone) in clones.iter().enumerate() {
        let never_sampled = || Detector::new(&request.job(clone).settings.steady_state).map(|detector| detector.found());
        let found = steady.get(&place).cloned().or_else(never_sampled);
        jobs.entry(clone.job).or_default().extend(found);
    }
    jobs.iter().filter_map(|(job, found)| Some(format!("{}: {}", visible(&request.jobs[*job].name), sentence(found)?))).collect()
}

/// None where nothing was to become steady.
fn sentence(clones: &[SteadyStateResult]) -> Option<String> {
    let one = clones.iter().find(|found| !found.attained).or(clones.first())?;
    let sign = if one.percent { "%" } else { "" };
    let wanted = format!("steadystate={} for {} s", one.criterion, one.duration_s);
    let attained = clones.iter().filter(|found| found.attained).count();
    let reached = match clones.len() {
        all if attained == all => return Some(format!("{wanted} was reached, at {:.3}{sign}", one.value)),
        1 => "was not reached".to_owned(),
        all => format!("was reached by {attained} of {all} clones"),
    };
    let last = if one.is_judged { format!("; it was at {:.3}{sign} at the end", one.value) } else { "; it ran for less".to_owned() };
    Some(format!("{wanted} {reached}{last}"))
}

impl SteadyWatch {
    /// Takes a sample when a second is over; true when it has become steady.
    pub fn look(&mut self, seats: &[Seat]) -> bool {
        let now: Vec<Counts> = self.places.iter().map(|place| seats[*place].counts).collect();
        self.sample(&now).is_some_and(|sample| self.detector.add(sample))
    }

    pub fn found(&self) -> SteadyStateResult {
        self.detector.found()
    }

    /// The rates of all clones together since the last sample. One that has not come to its first sample does not count yet.
    fn sample(&mut self, now: &[Counts]) -> Option<SteadySample> {
        for (last, now) in self.last.iter_mut().zip(now) {
            if last.is_none() && now.elapsed_ns >= self.from_ns && now.elapsed_ns > 0 {
                *last = Some(*now);
            }
        }
        let over =
            |(last, now): (&Option<Counts>, &Counts)| last.is_some_and(|last| now.elapsed_ns + EARLY_NS >= last.elapsed_ns + SAMPLE_NS);
        if !self.last.iter().zip(now).any(over) {
            return None;
        }
        let mut sum = SteadySample::default();
        for (last, now) in self.last.iter_mut().zip(now) {
            if let Some(before) = last.replace(*now).filter(|before| now.elapsed_ns > before.elapsed_ns) {
                let seconds = (now.elapsed_ns - before.elapsed_ns) as f64 / 1e9;
                sum.ios_per_s += now.ios().saturating_sub(before.ios()) as f64 / seconds;
                sum.bytes_per_s += now.bytes().saturating_sub(before.bytes()) as f64 / seconds;
            } else if now.elapsed_ns < self.from_ns || now.elapsed_ns == 0 {
                *last = None;
            }
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_fio::settings::{Criterion, SteadyStateSettings as Wanted};

    fn watch(clones: usize, from_ns: u64) -> SteadyWatch {
        let wanted = Wanted { criterion: Criterion::Iops, limit: 1.0, percent: true, duration_ns: 2 * SAMPLE_NS, ramp_ns: 0 };
        let detector = Detector::new(&wanted).unwrap();
        SteadyWatch { places: (0..clones).collect(), detector, from_ns, group: None, last: vec![None; clones] }
    }

    #[test]
    fn whether_it_was_reached_is_said_for_all_clones_of_a_job() {
        let found = |attained, is_judged| SteadyStateResult {
            criterion: "iops:5%".to_owned(),
            duration_s: 30,
            attained,
            value: if attained { 3.25 } else { 7.5 },
            percent: true,
            is_judged,
            ..SteadyStateResult::default()
        };
        let told = |clones: &[SteadyStateResult]| sentence(clones).unwrap_or_default();
        assert_eq!(told(&[]), "");
        assert_eq!(told(&[found(true, true)]), "steadystate=iops:5% for 30 s was reached, at 3.250%");
        assert_eq!(told(&[found(false, false)]), "steadystate=iops:5% for 30 s was not reached; it ran for less");
        let some = told(&[found(true, true), found(false, true)]);
        assert_eq!(some, "steadystate=iops:5% for 30 s was reached by 1 of 2 clones; it was at 7.500% at the end");
    }

    fn at(tenths: u64, ios: u64) -> Counts {
        Counts { elapsed_ns: tenths * SAMPLE_NS / 10, done: [(ios, ios * 4096), (0, 0), (0, 0)] }
    }

    #[test]
    fn a_sample_is_what_was_done_in_its_second() {
        let mut watch = watch(1, SAMPLE_NS);
        let samples: Vec<Option<SteadySample>> = (0..=31).map(|tenth| watch.sample(&[at(tenth, tenth * 100)])).collect();
        let taken: Vec<usize> = samples.iter().enumerate().filter(|(_, s)| s.is_some()).map(|(tenth, _)| tenth).collect();
        assert_eq!(taken, [20, 30]);
        assert_eq!(samples[20], Some(SteadySample { ios_per_s: 1000.0, bytes_per_s: 4_096_000.0 }));
    }

    #[test]
    fn clones_add_up_and_one_that_has_ended_counts_for_nothing() {
        let mut watch = watch(2, 0);
        assert_eq!(watch.sample(&[at(1, 0), Counts::default()]), None);
        let first = watch.sample(&[at(11, 500), Counts::default()]).unwrap();
        assert_eq!(watch.sample(&[at(12, 550), at(2, 0)]), None);
        let second = watch.sample(&[at(21, 1000), at(12, 300)]).unwrap();
        let third = watch.sample(&[at(31, 1500), at(12, 300)]).unwrap();
        assert_eq!([first, second, third].map(|sample| sample.ios_per_s), [500.0, 800.0, 500.0]);
    }
}
