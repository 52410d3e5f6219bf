//! Earlier runs of the same targets, held against this one: an interval speaks for the minute in which it was measured, and runs on other days show how far that carries.

use crate::facts::TargetKind;
use crate::judgement::Judgement;
use crate::record::{JobRecord, RunRecord, TargetRecord};
use crate::verdict::Row;

/// A run with its judgement; its stages are not needed.
pub type Judged = (RunRecord, Judgement);

/// True where targets bear the same names: paths after links were followed, and the serial numbers of the drives below them.
pub fn same_names(one: &RunRecord, other: &RunRecord) -> bool {
    let paths = |run: &RunRecord| run.targets.iter().map(|target| target.facts.resolved.clone()).collect::<Vec<_>>();
    let serials =
        |run: &RunRecord| run.drives().iter().map(|drive| drive.serial.as_ref().map(|serial| serial.value.clone())).collect::<Vec<_>>();
    one.verb == other.verb && paths(one) == paths(other) && serials(one) == serials(other)
}

/// True where both measured the same targets, for all that is known: by the same names on one machine, and by no mark of a device or a filesystem another one. A
/// file that was made anew in its place is the same target, since its figures are those of its drive.
pub fn same_targets(one: &RunRecord, other: &RunRecord) -> bool {
    same_names(one, other) && !other_machine(one, other) && both(one, other).all(|(one, other)| medium_difference(one, other).is_none())
}

/// True where marks prove that both measured the same targets on one machine. Of a run that came from elsewhere a name alone proves nothing.
pub fn proven_same_targets(one: &RunRecord, other: &RunRecord) -> bool {
    let is_proven = |(one, other): (&TargetRecord, &TargetRecord)| {
        let has_serials = !one.drives.is_empty() && one.drives.iter().all(|drive| drive.serial.is_some());
        let marks = one.facts.identity.as_ref().zip(other.facts.identity.as_ref());
        has_serials || marks.is_some_and(|(one, other)| one.is_proven(other))
    };
    let is_one_machine = one.host.name.is_some() && other.host.name.is_some();
    is_one_machine && !one.targets.is_empty() && same_targets(one, other) && both(one, other).all(is_proven)
}

fn both<'a>(one: &'a RunRecord, other: &'a RunRecord) -> impl Iterator<Item = (&'a TargetRecord, &'a TargetRecord)> {
    one.targets.iter().zip(&other.targets)
}

fn other_machine(one: &RunRecord, other: &RunRecord) -> bool {
    let name = |run: &RunRecord| run.host.name.as_ref().map(|name| name.value.clone());
    name(one).zip(name(other)).is_some_and(|(one, other)| one != other)
}

/// By what the device or the filesystem of a target is another one.
fn medium_difference(one: &TargetRecord, other: &TargetRecord) -> Option<String> {
    let (one_marks, other_marks) = (one.facts.identity.as_ref()?, other.facts.identity.as_ref()?);
    match one.facts.kind {
        TargetKind::File => one_marks.under.as_ref()?.difference(other_marks.under.as_ref()?),
        _ => one_marks.difference(other_marks),
    }
}

/// A sentence for each figure that differs from every earlier run by more than their intervals.
pub fn differences(record: &RunRecord, judgement: &Judgement, earlier: &[Judged]) -> Vec<String> {
    judgement.rows.iter().filter_map(|row| difference(record, row, earlier)).collect()
}

fn difference(record: &RunRecord, row: &Row, earlier: &[Judged]) -> Option<String> {
    let now = row.measured.filter(|now| now.runs > 1)?;
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
    use crate::facts::Fact;
    use crate::identity::Identity;
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

    #[test]
    fn another_machine_and_another_medium_are_other_targets_of_the_same_name() {
        let one = run(10_000.0).0;
        let on = |host: &str, inode: u64| {
            let mut run = one.clone();
            run.host.name = Some(Fact::new(host.into(), "test"));
            run.targets[0].facts.identity = Some(Identity { inode: Some(inode), born_unix_ms: Some(1), ..Identity::default() });
            run
        };
        assert!(same_targets(&on("box", 1), &on("box", 1)) && same_targets(&on("box", 1), &one));
        assert!(!same_targets(&on("box", 1), &on("other", 1)) && !same_targets(&on("box", 1), &on("box", 2)));
        let file_of = |inode| {
            let mut run = on("box", inode);
            run.targets[0].facts.kind = TargetKind::File;
            run
        };
        assert!(same_targets(&file_of(1), &file_of(2)), "a file that was made anew");
        assert!(proven_same_targets(&on("box", 1), &on("box", 1)) && !proven_same_targets(&on("box", 1), &one));
        let mut nameless = on("box", 1);
        nameless.host.name = None;
        assert!(!proven_same_targets(&on("box", 1), &nameless));
        let with_serial = |serial: Option<&str>| {
            let mut run = on("box", 1);
            run.targets[0].facts.identity = None;
            run.targets[0].drives[0].serial = serial.map(|serial| Fact::new(serial.into(), "test"));
            run
        };
        assert!(proven_same_targets(&with_serial(Some("S1")), &with_serial(Some("S1"))));
        assert!(!proven_same_targets(&with_serial(Some("S1")), &with_serial(Some("S2"))));
        assert!(!proven_same_targets(&with_serial(None), &with_serial(None)), "a name alone");
    }
}
