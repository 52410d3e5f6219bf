//! Comparisons as a verb tells them: what is refused, the baseline of a run, and the exit status. The comparison itself is pure (`ioproof_core::compare`), its words are the report's.

use anyhow::{Context, Result};
use ioproof_core::compare::{Against, Answer, Comparison, Nearest, compare, has_common, is_interleaved, nearest};
use ioproof_core::record::{RunRecord, RunStatus, Stage};
use ioproof_core::text::visible;
use ioproof_core::{layers, together};
use ioproof_process::complaint::{self, complaint};
use ioproof_process::messages;

/// Words of workloads that nothing else keeps apart, or nothing before it.
const BY_BACKEND_ALONE: &str = "which differ in backend: ";

/// The exit status where a figure is worse and that is to fail.
const WORSE: u8 = 1;
/// The exit status where nothing could be judged.
const NOTHING_JUDGED: u8 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailIf {
    /// A figure of any run is worse than the first run's.
    Worse,
}

/// Refuses a run of several targets beside other runs, where each workload would be that of any.
pub fn one_side(record: &RunRecord) -> Result<()> {
    let directories = record.targets.iter().filter(|target| target.below.is_none()).count();
    if record.verb == layers::VERB && directories > 2 {
        let text = format!("run {} has {directories} directories, each with the same layers", record.id);
        return Err(complaint(text, "two directories of one run are compared, or runs of one directory each: ioproof layers --dir DIR"));
    }
    if together::is_one(record) {
        let text = format!("run {} has {} targets, each with the same workloads", record.id, record.targets.len());
        return Err(complaint(text, "runs of several targets are compared with one another, by what all of them give at once"));
    }
    if !is_interleaved(record) {
        return Ok(());
    }
    let text = format!("run {} has two targets that took turns, and is compared by itself", record.id);
    Err(complaint(text, format!("ioproof compare {}", record.id)))
}

/// Refuses a comparison without a figure, and says what keeps the runs apart.
///
/// # Errors
/// When no run has a figure in common with the first.
pub fn check(comparison: &Comparison, records: &[RunRecord]) -> Result<()> {
    if comparison.rows.iter().any(|row| row.against.iter().any(Option::is_some)) {
        return Ok(());
    }
    let why = why(records);
    let hint = if why.contains(BY_BACKEND_ALONE) {
        "measure one of them anew with the --backend of the other; a run over several has a series of each"
    } else {
        "compare runs of the same workloads (`ioproof runs list`), or measure them anew with the same flags"
    };
    Err(complaint(format!("these runs have no figure in common: {why}"), hint))
}

/// The reason for which runs have no figure in common, by the first and the second of them.
fn why(records: &[RunRecord]) -> String {
    let [first, second, ..] = records else { return "there is only one".into() };
    match nearest(first, second) {
        Some(near) if near.differing.is_empty() => "the workloads are the same, and no figure of them was measured".into(),
        Some(near) => apart(&near, &first.id, &second.id),
        None => {
            let empty = if first.parts().any(|part| part.counts()) { second } else { first };
            format!("run {} measured nothing that counts", visible(&empty.id))
        }
    }
}

fn apart(near: &Nearest, first: &str, second: &str) -> String {
    let Nearest { first: of_first, second: of_second, differing } = near;
    visible(&format!("the nearest are `{of_first}` of {first} and `{of_second}` of {second}, which differ in {}", differing.join("; ")))
}

/// A run that another one is held against as it ends. It is read before anything is measured, so that a mistyped name costs nothing.
#[derive(Debug, Clone)]
pub struct Baseline {
    record: RunRecord,
    fail_if: Option<FailIf>,
}

impl Baseline {
    /// The run that was named, if any was. It is held against itself once: what the comparison cannot bear in it is met before anything is measured.
    ///
    /// # Errors
    /// When there is no such run, it is too large to be kept in memory, still goes on, or measured nothing.
    pub fn find(run: Option<&str>, fail_if: Option<FailIf>) -> Result<Option<Self>> {
        let Some(name) = run else { return Ok(None) };
        ioproof_store::check_room(name)
            .with_context(|| format!("--baseline: run {name} is too large to be kept while another is measured"))?;
        let record = ioproof_store::find(name)?.record;
        one_side(&record)?;
        if record.status == RunStatus::Running {
            let text = format!("--baseline: run {} still goes on", record.id);
            return Err(complaint(text, "wait until it has ended, or name another one: ioproof runs list"));
        }
        if !record.parts().any(|part| part.counts()) {
            let text = format!("--baseline: run {} measured nothing that counts", record.id);
            return Err(complaint(text, "name another one: ioproof runs list"));
        }
        ioproof_store::damage(&record).for_each(|note| messages::warning(&format!("--baseline: {note}")));
        let _ = compare(&[&record, &record]);
        Ok(Some(Self { record, fail_if }))
    }

    /// Refuses a run none of whose planned workloads the baseline has, and one that goes on with the baseline itself.
    ///
    /// # Errors
    /// When they have nothing in common, or rounds.
    pub fn check(&self, planned: &RunRecord) -> Result<()> {
        let is_in_both = |stage: &Stage| self.record.stages.iter().any(|of_baseline| of_baseline.rounds == stage.rounds);
        if planned.stages.iter().any(is_in_both) {
            let text = format!("--baseline: rounds of run {} are among those of this run, which goes on with it", self.record.id);
            return Err(complaint(text, "name another run, or compare when this one is complete"));
        }
        if has_common(&self.record, planned) {
            return Ok(());
        }
        let why = nearest(&self.record, planned).map(|near| format!(": {}", apart(&near, &self.record.id, "this run"))).unwrap_or_default();
        let text = format!("--baseline: run {} has no workload of this run{why}", self.record.id);
        Err(complaint(text, "measure with the flags of the baseline (`ioproof runs show`), or name another run"))
    }

    #[must_use]
    pub fn compare(&self, record: &RunRecord) -> RunComparison {
        RunComparison::new(&[self.record.clone(), record.clone()], self.fail_if)
    }
}

/// Two runs that were held against each other as one of them ended: a run and its baseline, or both sides of one.
#[derive(Debug)]
pub struct RunComparison {
    pub comparison: Comparison,
    failure: Option<anyhow::Error>,
    fail_if: Option<FailIf>,
}

impl RunComparison {
    /// The second of two runs held against the first.
    pub fn new(records: &[RunRecord; 2], fail_if: Option<FailIf>) -> Self {
        let comparison = compare(&records.each_ref());
        let failure = check(&comparison, records).err();
        Self { comparison, failure, fail_if }
    }

    /// The comparison where it has a figure; else says why there is none.
    pub fn told(&self) -> Option<&Comparison> {
        if let Some(failure) = &self.failure {
            complaint::warn("nothing is compared", failure);
        }
        self.failure.is_none().then_some(&self.comparison)
    }

    /// The exit status of a run that would end with this one: worse than the baseline is told like a claim that is missed. Where nothing could be compared and that was
    /// to be looked at, it is that nothing could be judged.
    pub fn exit_status(&self, otherwise: u8) -> u8 {
        match (&self.failure, self.fail_if) {
            (Some(_), Some(_)) if otherwise != WORSE => NOTHING_JUDGED,
            (Some(_), _) => otherwise,
            (None, fail_if) => exit_status(otherwise, fail_if, &self.comparison),
        }
    }
}

/// The exit status of a verb that would end with this one.
pub fn exit_status(otherwise: u8, fail_if: Option<FailIf>, comparison: &Comparison) -> u8 {
    match fail_if {
        Some(FailIf::Worse) if comparison.has_worse() => WORSE,
        Some(FailIf::Worse) => {
            say_what_does_not_count(comparison);
            otherwise
        }
        None => otherwise,
    }
}

/// Says why figures that are worse fail nothing.
fn say_what_does_not_count(comparison: &Comparison) {
    let is_worse = |against: &&Against| against.answer == Answer::Worse;
    let worse: Vec<&Against> = comparison.rows.iter().flat_map(|row| &row.against).flatten().filter(is_worse).collect();
    let mut doubts: Vec<&str> = worse.iter().flat_map(|against| &against.doubts).map(String::as_str).collect();
    doubts.sort_unstable();
    doubts.dedup();
    if !worse.is_empty() {
        let text =
            format!("--fail-if worse: {} worse, which count for nothing, because they are doubted: {}", worse.len(), doubts.join(", "));
        messages::warning(&text);
        messages::hint("`ioproof rules NAME` explains a doubt; measure again without what it names");
    }
}
