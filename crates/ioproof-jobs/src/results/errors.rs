//! Warnings of I/Os that failed though their job went on, and of jobs that were to fill a target that had no room from the first.

use crate::request::FioRequest;
use crate::subjob::Subjob;
use ioproof_core::record::{IoErrors, Round};
use ioproof_core::text::visible;
use ioproof_runner::TaskEnd;
use std::collections::BTreeMap;

const MOST_TOLD: usize = 20;

/// Failed I/Os of a job, its clones together.
#[derive(Debug, Default)]
struct FailedIos {
    errors: IoErrors,
    /// I/Os that did not fail.
    done: u64,
}

impl FailedIos {
    fn add(&mut self, round: &Round, end: &TaskEnd) {
        self.errors.merge(&round.errors);
        self.done += round.ios() + end.read_back.as_ref().map_or(0, |back| back.read.ios);
    }

    /// None where none failed.
    fn text(&self, name: &str) -> Option<String> {
        let failed = self.errors.total();
        let first = self.errors.first.as_ref()?;
        let all = failed.saturating_add(self.done);
        (failed > 0)
            .then(|| format!("job {}: {failed} of {all} I/Os failed, and it went on; the first was a {}", visible(name), first.sentence()))
    }
}

/// A line for each job of which I/Os failed and that went on, and for each that had no room to fill.
pub fn warnings(request: &FioRequest, clones: &[Subjob], ends: &[TaskEnd]) -> Vec<String> {
    let mut jobs: BTreeMap<usize, FailedIos> = BTreeMap::new();
    let goes_on = |clone: &Subjob| clone.compiled.spec.error_limit > 1;
    for (clone, end) in clones.iter().zip(ends).filter(|(clone, _)| goes_on(clone)) {
        if let Some(round) = &end.round {
            jobs.entry(clone.job).or_default().add(round, end);
        }
    }
    let failed = jobs.iter().filter_map(|(job, failed)| failed.text(&request.jobs[*job].name));
    let without_room = clones.iter().zip(ends).filter(|(_, end)| is_without_room(end));
    let without_room = without_room.map(|(clone, _)| {
        format!("{}: fill_device: nothing was written, because there was no space left from the first write", visible(&clone.instance.name))
    });
    bounded(failed.chain(without_room).collect())
}

fn is_without_room(end: &TaskEnd) -> bool {
    end.is_full && end.round.as_ref().is_some_and(|round| round.total_bytes.1 == 0)
}

fn bounded(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST_TOLD);
    lines.truncate(MOST_TOLD);
    lines.extend((more > 0).then(|| format!("I/Os of {more} more jobs failed, too; the JSON output has their counts")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::record::IoError;

    #[test]
    fn failed_ios_of_clones_are_counted_together() {
        let mut failed = FailedIos::default();
        assert_eq!(failed.text("a"), None);
        let first = IoError { operation: "write".into(), offset_bytes: 4096, errno: 28, message: "No space left on device".into() };
        let mut round = Round { errors: IoErrors { failed: 3, first: Some(first), ..IoErrors::default() }, ..Round::default() };
        round.write.ios = 7;
        failed.add(&round, &TaskEnd::default());
        failed.add(&round, &TaskEnd::default());
        let text = failed.text("a").unwrap();
        assert_eq!(text, "job a: 6 of 20 I/Os failed, and it went on; the first was a write at byte 4096: No space left on device");
    }

    #[test]
    fn many_jobs_are_told_in_a_few_lines() {
        assert_eq!(bounded(vec![String::new(); 20]).len(), 20);
        let told = bounded(vec![String::new(); 30]);
        assert!(told.len() == 21 && told[20].contains("10 more jobs"));
    }

    #[test]
    fn only_what_wrote_nothing_at_all_had_no_room() {
        let end = |is_full, bytes| {
            is_without_room(&TaskEnd { is_full, round: Some(Round { total_bytes: (0, bytes), ..Round::default() }), ..TaskEnd::default() })
        };
        assert_eq!([end(true, 0), end(true, 4096), end(false, 0)], [true, false, false]);
    }
}
