//! Rounds of an interrupted run, as part of the one that goes on with it.

use anyhow::Result;
use ioproof_core::compare::{self, Differing};
use ioproof_core::facts::{DeviceFacts, TargetFacts, TargetKind};
use ioproof_core::history::same_names;
use ioproof_core::record::{JobRecord, Purpose, Round, RunRecord, Stage};
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use jiff::Timestamp;

/// Takes what an earlier run measured into the record of the one that goes on with it.
///
/// # Errors
/// When the target is another one than it was, whatever bears its name by now; when it has another size, the machine or the way to it changed, or no round of that run is
/// one of this run's jobs.
pub fn take_over(record: &mut RunRecord, earlier: &RunRecord) -> Result<()> {
    if let Some(why) = other_target(record, earlier) {
        let text = format!("the target is not the one that run {} measured: {}", earlier.id, visible(&why));
        return Err(complaint(text, format!("put that one back in its place, or begin a new run: ioproof {} TARGET", earlier.verb)));
    }
    if let Some(changed) = other_conditions(record, earlier) {
        let text = format!("run {} was measured under other conditions: {}", earlier.id, visible(&changed));
        return Err(complaint(text, format!("bring these back, or begin a new run: ioproof {} TARGET", earlier.verb)));
    }
    record.notes.extend(changed_since(record, earlier));
    record.notes.extend(not_known_again(record, earlier));
    take_standard(record, earlier);
    let measured: Vec<&Stage> = earlier.stages.iter().filter(|stage| counts(stage, earlier)).collect();
    let mut taken = 0;
    for stage in &measured {
        let Some(rounds) = renumbered(stage, earlier, record) else { continue };
        record.stages.push(Stage { index: record.stages.len() as u32, rounds, ..(*stage).clone() });
        taken += 1;
    }
    if taken == 0 && !measured.is_empty() {
        return Err(nothing_left(record, earlier, measured.len()));
    }
    record.notes.push(format!("goes on with run {}, whose {taken} rounds are among these", earlier.id));
    Ok(())
}

/// Takes the jobs of preconditioning, which no plan has, and the way in which the drive was purged.
fn take_standard(record: &mut RunRecord, earlier: &RunRecord) {
    let purge = earlier.plan.as_ref().and_then(|plan| plan.standard.as_ref()).map(|standard| standard.purge.clone());
    let (Some(purge), Some(standard)) = (purge, record.plan.as_mut().and_then(|plan| plan.standard.as_mut())) else { return };
    standard.purge = purge;
    let new: Vec<JobRecord> = earlier.jobs.iter().filter(|job| !record.jobs.contains(job)).cloned().collect();
    record.jobs.extend(new);
}

/// Says that nothing of an earlier run is of this one: what it would measure is a new sweep.
fn nothing_left(record: &RunRecord, earlier: &RunRecord, rounds: usize) -> anyhow::Error {
    let part = |run: &RunRecord| run.jobs.first().map(|job| (job.span.offset_bytes, job.span.length_bytes));
    let why = match (part(earlier), part(record)) {
        (Some((_, had)), Some((_, has))) if had != has => format!("it would use {has} bytes of the target, and that run used {had}"),
        (then, now) if then != now => "it would use another part of the target".to_owned(),
        _ => "it plans other workloads".to_owned(),
    };
    let text = format!("none of the {rounds} rounds of run {} could count in this one: {why}", earlier.id);
    complaint(text, format!("begin a new run: ioproof {} TARGET", earlier.verb))
}

fn other_target(record: &RunRecord, earlier: &RunRecord) -> Option<String> {
    if !same_names(record, earlier) {
        return Some(other_names(record, earlier));
    }
    both(record, earlier).find_map(|(then, now)| marks_differ(then, now, earlier).or_else(|| other_size(then, now)))
}

/// `serial number S1 then, and S2 now`; also of a path.
fn other_names(record: &RunRecord, earlier: &RunRecord) -> String {
    let serials = |run: &RunRecord| {
        let of = |drive: &&DeviceFacts| drive.serial.as_ref().map_or_else(|| "none".to_owned(), |serial| serial.value.clone());
        run.drives().iter().map(of).collect::<Vec<_>>().join(", ")
    };
    let paths = |run: &RunRecord| run.targets.iter().map(|target| target.facts.resolved.clone()).collect::<Vec<_>>().join(", ");
    let (then, now) = (serials(earlier), serials(record));
    if then == now {
        format!("path {} then, and {} now", paths(earlier), paths(record))
    } else {
        format!("serial number {then} then, and {now} now")
    }
}

/// `mount options rw then, and rw,nobarrier now`: figures of the one and of the other are not of one workload.
fn other_conditions(record: &RunRecord, earlier: &RunRecord) -> Option<String> {
    let changed = compare::changed_conditions(earlier, record);
    let words = |one: &Differing| format!("{} {} then, and {} now", one.name, one.values[0], one.values[1]);
    (!changed.is_empty()).then(|| changed.iter().map(words).collect::<Vec<_>>().join("; "))
}

fn marks_differ(then: &TargetFacts, now: &TargetFacts, earlier: &RunRecord) -> Option<String> {
    match (&then.identity, &now.identity) {
        (Some(identity), Some(of_now)) if identity.inode.is_some() => identity.difference(of_now),
        (Some(identity), Some(of_now)) => identity.difference(of_now).or_else(|| replaced_since(now, earlier)),
        _ => replaced_since(now, earlier),
    }
}

/// A file or a device that was cut or has grown: what was measured is of another span, or of one of which a part is gone.
fn other_size(then: &TargetFacts, now: &TargetFacts) -> Option<String> {
    (then.size_bytes != now.size_bytes).then(|| format!("it has {} bytes, and had {}", now.size_bytes, then.size_bytes))
}

fn both<'a>(record: &'a RunRecord, earlier: &'a RunRecord) -> impl Iterator<Item = (&'a TargetFacts, &'a TargetFacts)> {
    earlier.targets.iter().zip(&record.targets).map(|(then, now)| (&then.facts, &now.facts))
}

/// Where no number of a file lasts, as on FUSE, another one may bear its name.
fn not_known_again(record: &RunRecord, earlier: &RunRecord) -> Option<String> {
    let is_unknown =
        |facts: &TargetFacts| facts.kind == TargetKind::File && facts.identity.as_ref().is_none_or(|marks| marks.inode.is_none());
    let (_, now) = both(record, earlier).find(|(then, now)| is_unknown(then) || is_unknown(now))?;
    let name = visible(&now.given);
    Some(format!("{name}: its filesystem keeps no numbers of files, so nothing shows that it is the file that run {} measured", earlier.id))
}

/// Of a run that noted no identity, or of a file on a filesystem that keeps no numbers: a file that was made after it began is another one, and so may one be that was changed although the run only read.
fn replaced_since(now: &TargetFacts, earlier: &RunRecord) -> Option<String> {
    let identity = now.identity.as_ref().filter(|_| now.kind == TargetKind::File)?;
    let began_ms = earlier.started_at.parse::<Timestamp>().ok()?.as_millisecond();
    let is_later = |time: Option<i64>| time.is_some_and(|time| time > began_ms);
    if is_later(identity.born_unix_ms) {
        return Some("the file was made after that run began".into());
    }
    let is_changed = is_later(identity.changed_unix_ms) && !writes(earlier);
    is_changed.then(|| "the file was changed or replaced after that run began, and that run only read it".into())
}

fn writes(run: &RunRecord) -> bool {
    run.jobs.iter().any(|job| job.workload.writes())
}

/// A note on a file that somebody else changed between two runs that only read it.
fn changed_since(record: &RunRecord, earlier: &RunRecord) -> Option<String> {
    let changed = |facts: &TargetFacts| facts.identity.as_ref().and_then(|identity| identity.changed_unix_ms);
    let differs = |(then, now): (&TargetFacts, &TargetFacts)| changed(then).zip(changed(now)).is_some_and(|(then, now)| then != now);
    let is_changed = !writes(earlier) && both(record, earlier).any(differs);
    is_changed.then(|| format!("the file was changed by somebody else since run {} measured it", earlier.id))
}

/// True for a stage that was measured whole. One that the interruption cut short, which may have no round at all, is measured anew.
fn counts(stage: &Stage, of: &RunRecord) -> bool {
    // Passes of preconditioning belong to the tests of a standard; elsewhere they are made anew.
    let is_of_standard = of.plan.as_ref().is_some_and(|plan| plan.standard.is_some());
    let is_kept = stage.purpose == Purpose::Measure || is_of_standard && stage.purpose == Purpose::Precondition;
    is_kept && !stage.rounds.is_empty() && stage.parts(&of.jobs).all(|part| part.counts())
}

/// The rounds of a stage with the jobs of another record; none where it has no such job.
fn renumbered(stage: &Stage, of: &RunRecord, to: &RunRecord) -> Option<Vec<Round>> {
    let job = |number: u32| {
        let known = of.jobs.get(number as usize)?;
        to.jobs.iter().position(|job| (&job.workload, job.span) == (&known.workload, known.span))
    };
    stage.rounds.iter().map(|round| Some(Round { job: job(round.job)? as u32, ..round.clone() })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::sweep::SweepSource;
    use crate::sources::testing;
    use ioproof_core::facts::{DriveKind, Fact};
    use ioproof_core::identity::Identity;
    use ioproof_core::record::{Direction, RoundOutcome};
    use ioproof_core::standard::{Class, Standard, Test};
    use ioproof_core::workload::{Pattern, Workload};
    use ioproof_runner::Script;

    #[test]
    fn only_stages_that_were_measured_whole_are_taken_over() {
        let load = testing::load("--rw randread --workers 1 --depth 1,2,4");
        let mut earlier = testing::record(&load);
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000)));
        testing::play(&mut earlier, &script, &mut SweepSource::new(testing::tasks(&load), true)).unwrap();
        earlier.stages.truncate(5);
        earlier.stages[3].rounds[0].outcome = RoundOutcome::Interrupted;
        earlier.stages[4].rounds.clear();
        let mut record = testing::record(&load);
        take_over(&mut record, &earlier).unwrap();
        assert_eq!(record.stages.iter().map(|stage| stage.index).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(record.notes.iter().any(|note| note.contains("whose 3 rounds are among these")), "{:?}", record.notes);
        earlier.targets[0].facts.resolved = "/y".into();
        assert!(take_over(&mut record, &earlier).is_err(), "another target");
    }

    /// A run of this load, of a file with these marks, that began a second after 1970.
    fn run_of(words: &str, identity: Option<Identity>) -> RunRecord {
        let mut run = testing::record(&testing::load(words));
        run.started_at = "1970-01-01T00:00:01.000Z".into();
        run.targets[0].facts.identity = identity;
        run
    }

    fn file(inode: u64, born_ms: i64, changed_ms: i64) -> Option<Identity> {
        let (inode, born_unix_ms, changed_unix_ms) = (Some(inode), Some(born_ms), Some(changed_ms));
        Some(Identity { inode, born_unix_ms, changed_unix_ms, ..Identity::default() })
    }

    fn refused(words: &str, then: Option<Identity>, now: Option<Identity>) -> Option<String> {
        take_over(&mut run_of(words, now), &run_of(words, then)).err().map(|error| error.to_string())
    }

    const READ: &str = "--rw randread --depth 1";
    const WRITE: &str = "--rw randwrite --depth 1";

    #[test]
    fn figures_of_other_conditions_are_not_taken_over() {
        let mut earlier = run_of(READ, file(1, 2, 3));
        earlier.host.kernel.value = "6.1".into();
        let mut now = run_of(READ, file(1, 2, 3));
        now.host.kernel.value = "6.12".into();
        let told = take_over(&mut now, &earlier).unwrap_err().to_string();
        assert!(told.contains("under other conditions: kernel 6.1 then, and 6.12 now"), "{told}");
    }

    #[test]
    fn another_drive_and_another_firmware_are_refused_with_the_difference() {
        let of = |serial: &str, firmware: &str| {
            let mut run = run_of(WRITE, None);
            let fact = |text: &str| Some(Fact::new(text.to_owned(), "test"));
            let drive = DeviceFacts::named("nvme0n1", DriveKind::Nvme, Fact::new(1 << 30, "test"));
            run.targets[0].drives = vec![DeviceFacts { serial: fact(serial), firmware: fact(firmware), ..drive }];
            run
        };
        let told = |now: &RunRecord| take_over(&mut now.clone(), &of("S1", "F1")).unwrap_err().to_string();
        assert!(told(&of("S2", "F1")).contains("serial number S1 then, and S2 now"), "{}", told(&of("S2", "F1")));
        assert!(told(&of("S1", "F2")).contains("firmware F1 then, and F2 now"), "{}", told(&of("S1", "F2")));
    }

    #[test]
    fn passes_of_a_standards_preconditioning_are_taken_over_with_their_jobs() {
        let mut earlier = run_of(WRITE, file(1, 2, 3));
        let mut record = earlier.clone();
        let span = earlier.plan.as_ref().unwrap().span;
        let standard = Standard {
            class: Class::Client,
            tests: vec![Test::Latency],
            workers: 1,
            depth: 2,
            active_range: span,
            purge: Some("x".into()),
            not_purged: None,
        };
        record.plan.as_mut().unwrap().standard = Some(Standard { purge: None, ..standard.clone() });
        earlier.plan.as_mut().unwrap().standard = Some(standard);
        let pass = Workload::plain(Pattern::Sequential, 0, 128 << 10, 1, 32);
        earlier.jobs.push(JobRecord { workload: pass, ..earlier.jobs[0].clone() });
        let write = Direction { ios: 1, ..Direction::default() };
        let round = Round { job: 1, elapsed_ns: 1, write, ..Round::default() };
        earlier.stages.push(Stage { purpose: Purpose::Precondition, rounds: vec![round], ..Stage::default() });
        take_over(&mut record, &earlier).unwrap();
        let standard = record.plan.as_ref().unwrap().standard.as_ref().unwrap();
        assert_eq!((record.stages.len(), record.stages[0].rounds[0].job, standard.purge.as_deref()), (1, 1, Some("x")));
    }

    #[test]
    fn a_target_that_was_exchanged_is_refused_and_one_that_was_written_to_is_not() {
        let told = refused(READ, file(1, 2, 3), file(4, 2, 3)).unwrap();
        assert!(told.contains("its inode was 1 and is 4"), "{told}");
        assert!(refused(WRITE, file(1, 2, 3), file(1, 5, 3)).unwrap().contains("when it was made"));
        assert_eq!((refused(READ, file(1, 2, 3), file(1, 2, 9)), refused(WRITE, file(1, 2, 3), file(1, 2, 9))), (None, None));
        let mut record = run_of(READ, file(1, 2, 9));
        take_over(&mut record, &run_of(READ, file(1, 2, 3))).unwrap();
        assert!(record.notes.iter().any(|note| note.contains("changed by somebody else")), "{:?}", record.notes);
    }

    #[test]
    fn a_file_without_a_number_that_lasts_is_known_by_its_times_alone() {
        let without = |changed_ms: i64| Some(Identity { changed_unix_ms: Some(changed_ms), ..Identity::default() });
        assert!(refused(READ, without(3), without(2000)).unwrap().contains("changed or replaced after that run began"));
        let mut record = run_of(READ, without(3));
        take_over(&mut record, &run_of(READ, without(3))).unwrap();
        assert!(record.notes.iter().any(|note| note.contains("nothing shows that it is the file")), "{:?}", record.notes);
    }

    #[test]
    fn a_target_of_another_size_and_rounds_of_which_none_could_count_are_refused() {
        let same = || run_of(READ, file(1, 2, 3));
        let mut cut = same();
        cut.targets[0].facts.size_bytes -= 4096;
        let (has, had) = (cut.targets[0].facts.size_bytes, same().targets[0].facts.size_bytes);
        let told = take_over(&mut cut, &same()).unwrap_err().to_string();
        assert!(told.contains(&format!("it has {has} bytes, and had {had}")), "{told}");
        let load = testing::load(READ);
        let mut earlier = same();
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000)));
        testing::play(&mut earlier, &script, &mut SweepSource::new(testing::tasks(&load), true)).unwrap();
        let refused = |record: &mut RunRecord| take_over(record, &earlier).unwrap_err().to_string();
        let (mut of_part, mut of_others) = (same(), same());
        of_part.jobs[0].span.length_bytes -= 4096;
        of_others.jobs[0].workload.depth = 77;
        assert!(refused(&mut of_part).contains("could count in this one: it would use"), "{}", refused(&mut of_part));
        assert!(refused(&mut of_others).contains("it plans other workloads"));
    }

    #[test]
    fn of_a_run_without_an_identity_only_what_was_replaced_for_certain_is_refused() {
        assert_eq!(refused(READ, None, file(1, 10, 20)), None);
        assert_eq!(refused(READ, None, None), None);
        assert_eq!(refused(WRITE, None, file(1, 10, 2000)), None, "the run itself wrote it");
        assert!(refused(WRITE, None, file(1, 2000, 2000)).unwrap().contains("made after that run began"));
        assert!(refused(READ, None, file(1, 10, 2000)).unwrap().contains("that run only read it"));
    }
}
