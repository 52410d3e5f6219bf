//! Earlier runs of the same targets, held against this one: an interval speaks for the minute in which it was measured, and runs on other days show how far that carries.

use crate::record::{JobRecord, RunRecord};
use crate::verdict::{Judgement, Row};

/// A run with its judgement; its stages are not needed.
pub type Judged = (RunRecord, Judgement);

/// True where both measured the same targets: the same paths after links were followed, on drives that bear the same serial numbers.
#[must_use]
pub fn same_targets(one: &RunRecord, other: &RunRecord) -> bool {
    let paths = |run: &RunRecord| run.targets.iter().map(|target| target.facts.resolved.clone()).collect::<Vec<_>>();
    let serials =
        |run: &RunRecord| run.drives().iter().map(|drive| drive.serial.as_ref().map(|serial| serial.value.clone())).collect::<Vec<_>>();
    one.verb == other.verb && paths(one) == paths(other) && serials(one) == serials(other)
}

/// A sentence for each figure that differs from every earlier run by more than their intervals.
#[must_use]
pub fn differences(record: &RunRecord, judgement: &Judgement, earlier: &[Judged]) -> Vec<String> {
    judgement.rows.iter().filter_map(|row| difference(record, row, earlier)).collect()
}

fn difference(record: &RunRecord, row: &Row, earlier: &[Judged]) -> Option<String> {
    let now = row.measured?;
    let of_run = |(run, judged): &'_ Judged| Some((run.id.clone(), interval_of_same(record, row, run, judged)?));
    let past: Vec<(String, (f64, f64))> = earlier.iter().filter_map(of_run).collect();
    let low = past.iter().map(|(_, (low, _))| *low).reduce(f64::min)?;
    let high = past.iter().map(|(_, (_, high))| *high).reduce(f64::max)?;
    let newest = past.iter().map(|(id, _)| id).max()?;
    if now.low <= high && low <= now.high {
        return None;
    }
    let (show, count) = (|value| row.metric.show(value), past.len());
    let runs = match count {
        1 => format!("an earlier run of this target, {newest}"),
        _ => format!("{count} earlier runs of this target, the newest {newest}"),
    };
    let title = job(record, row).map_or_else(|| row.workload.title(), JobRecord::title_with_depth);
    Some(format!("{title}: {} now, {} to {} in {runs}: each interval speaks for its own run only", show(now.median), show(low), show(high)))
}

/// The interval of the same figure under the same conditions in another run.
fn interval_of_same(record: &RunRecord, row: &Row, other: &RunRecord, judged: &Judgement) -> Option<(f64, f64)> {
    let mine = job(record, row)?;
    let is_same = |their: &&Row| {
        (&their.workload, their.metric, their.statistic) == (&row.workload, row.metric, row.statistic)
            && their.name == row.name
            && job(other, their).is_some_and(|theirs| theirs.span == mine.span && theirs.targets == mine.targets)
    };
    let measured = judged.rows.iter().find(is_same)?.measured?;
    Some((measured.low, measured.high))
}

fn job<'a>(run: &'a RunRecord, row: &Row) -> Option<&'a JobRecord> {
    run.jobs.get(row.job? as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judge;
    use crate::testing::record_with;

    fn run(iops: f64) -> Judged {
        let record = record_with(|_, run| iops * (1.0 + 0.01 * f64::from(run)));
        let judgement = judge(&record);
        (record, judgement)
    }

    #[test]
    fn a_figure_outside_of_all_earlier_ones_is_told_with_them() {
        let (record, judgement) = run(10_000.0);
        let told = differences(&record, &judgement, &[run(12_000.0), run(13_000.0)]);
        assert_eq!(told.len(), judgement.rows.len());
        let newest = &record.id;
        assert!(told.iter().all(|one| one.contains(&format!("in 2 earlier runs of this target, the newest {newest}: "))), "{told:?}");
        assert!(told.iter().any(|one| one.contains(", queue depth 1: ")), "{told:?}");
        let one = differences(&record, &judgement, &[run(12_000.0)]);
        assert!(one.iter().all(|one| one.contains(&format!("in an earlier run of this target, {newest}: "))), "{one:?}");
        assert!(differences(&record, &judgement, &[run(12_000.0), run(10_100.0)]).is_empty(), "one that agrees is enough");
        assert!(differences(&record, &judgement, &[]).is_empty());
    }

    #[test]
    fn other_conditions_and_other_drives_are_not_held_against_it() {
        let (record, judgement) = run(10_000.0);
        let mut other = run(20_000.0);
        other.0.jobs.iter_mut().for_each(|job| job.span.length_bytes /= 2);
        assert!(differences(&record, &judgement, &[other.clone()]).is_empty());
        assert!(same_targets(&record, &other.0));
        other.0.targets[0].drives[0].serial = Some(crate::facts::Fact::new("2".into(), "test"));
        assert!(!same_targets(&record, &other.0));
    }
}
