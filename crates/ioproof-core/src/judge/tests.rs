//! The words of the design as a table: interval against threshold, easier and harder conditions, findings, exit status.

use super::*;
use crate::claim::{ClaimSpan, DriveState};
use crate::record::{DatasheetUse, Purpose, RoundOutcome, RunRecord, RunStatus, Stage};
use crate::testing::{link, record, record_with, with_claim};

fn match_between(low: f64, high: f64) -> Option<Match> {
    Some(Match { share: f64::midpoint(low, high), low, high })
}

fn with_effects(effects: &[Effect]) -> Vec<Reason> {
    effects.iter().map(|e| reason("test", *e, "test")).collect()
}

#[test]
fn the_table_of_verdicts() {
    use Effect::{Easier, Harder, HeldBack, Incomparable, Invalid, Unsteady};
    use Verdict::{CannotTell, Indicative, Meets, Misses};
    let (above, below, across) = (match_between(0.81, 0.9), match_between(0.5, 0.79), match_between(0.7, 0.9));
    let table: &[(Option<Match>, &[Effect], Verdict)] = &[
        (above, &[], Meets),
        (below, &[], Misses),
        (across, &[], CannotTell),
        (above, &[Easier], Indicative),
        (below, &[Easier], Misses),
        (above, &[Harder], Meets),
        (below, &[Harder], Indicative),
        (across, &[Harder], Indicative),
        (above, &[Easier, Harder], Indicative),
        (below, &[Easier, Harder], Indicative),
        (above, &[HeldBack], Meets),
        (below, &[HeldBack], CannotTell),
        (below, &[Harder, HeldBack], CannotTell),
        (across, &[Harder, HeldBack], CannotTell),
        (above, &[Unsteady], CannotTell),
        (below, &[Unsteady], Misses),
        (above, &[Incomparable], Indicative),
        (below, &[Incomparable], Indicative),
        (above, &[Invalid], CannotTell),
        (below, &[Invalid, Incomparable], CannotTell),
        (None, &[], CannotTell),
    ];
    let threshold = Threshold { meets: 0.8, misses: 0.8 };
    for (matched, effects, expected) in table {
        assert_eq!(verdict(*matched, threshold, &with_effects(effects)), *expected, "{matched:?} {effects:?}");
    }
    assert_eq!(verdict(match_between(0.8, 0.8), threshold, &[]), Meets, "the threshold itself passes");
}

#[test]
fn a_claim_that_is_met_missed_or_open() {
    let met = judge(&with_claim(record(), 100_000.0, Some(128)));
    assert_eq!((met.rows[0].verdict, met.exit_status), (Some(Verdict::Meets), 0));
    let missed = judge(&with_claim(record(), 200_000.0, Some(128)));
    assert_eq!((missed.rows[0].verdict, missed.exit_status), (Some(Verdict::Misses), 1));
    let noisy = record_with(|w, run| if w.is_unloaded() { 10_000.0 } else { 100_000.0 * (1.0 + 0.02 * f64::from(run % 2)) });
    let open = judge(&with_claim(noisy, 126_000.0, Some(128)));
    assert_eq!((open.rows[0].verdict, open.exit_status), (Some(Verdict::CannotTell), 3));
}

#[test]
fn what_bears_on_a_claim_of_random_reads() {
    use Verdict::{Indicative, Meets, Misses};
    type Change = fn(&mut RunRecord);
    type Case<'a> = (&'static str, f64, &'a dyn Fn(&mut RunRecord), Verdict);
    fn sheet(record: &mut RunRecord) -> &mut DatasheetUse {
        record.targets[0].datasheet.as_mut().unwrap()
    }
    let small: Change = |record| record.jobs.iter_mut().for_each(|job| job.span.length_bytes = 1 << 30);
    let saturated: Change = |record| record.rounds_mut().flat_map(|r| &mut r.workers).for_each(|w| w.cpu_system_ns = w.wall_ns);
    let without_sizes = |record: &mut RunRecord| {
        (sheet(record).capacity_bytes, sheet(record).datasheet.variants) = (None, vec![]);
        sheet(record).datasheet.claims[0].capacities_bytes.clear();
    };
    let cases: [Case; 9] = [
        ("half of it at the block layer", 180_000.0, &|_| {}, Misses),
        ("half of it through a filesystem", 180_000.0, &|record| record.targets[0].facts.layer = crate::facts::Layer::Filesystem, Meets),
        ("a small span lets a drive not meet", 100_000.0, &small, Indicative),
        ("a small span lets a drive miss", 200_000.0, &small, Misses),
        ("an unsure figure", 200_000.0, &|record| sheet(record).datasheet.claims[0].confidence = Confidence::Low, Indicative),
        ("a saturated host", 200_000.0, &saturated, Indicative),
        ("a datasheet without sizes", 200_000.0, &without_sizes, Misses),
        // 100 kIOPS of 4 KiB are 410 MB/s.
        ("a link that is far from full", 200_000.0, &|record| record.targets[0].drives[0].link = Some(link(4e9)), Misses),
        ("a link that is nearly full", 200_000.0, &|record| record.targets[0].drives[0].link = Some(link(0.5e9)), Indicative),
    ];
    for (what, claimed, change, expected) in cases {
        assert_eq!(judge(&with_claim(record(), claimed, Some(128)).with(change)).rows[0].verdict, Some(expected), "{what}");
    }
    let limited_by = judge(&with_claim(record(), 200_000.0, Some(128)).with(saturated)).rows[0].limited_by.clone();
    assert!(limited_by.starts_with("the generator's CPU"), "{limited_by}");
}

#[test]
fn a_claim_exceeded_is_met_with_a_note_and_one_far_exceeded_is_no_pass() {
    let judged = judge(&with_claim(record(), 90_000.0, Some(128)));
    assert_eq!((judged.rows[0].verdict, judged.exit_status), (Some(Verdict::Meets), 0), "{}", judged.exit_reason);
    assert!(judged.findings.iter().any(|f| f.rule == "above-claim" && f.effect == Effect::None && f.title.contains("111 %")));
    let judged = judge(&with_claim(record(), 60_000.0, Some(128)));
    assert_eq!(judged.rows[0].verdict, Some(Verdict::Indicative));
    assert!(judged.findings.iter().any(|f| f.rule == "above-claim" && f.effect == Effect::Easier && f.title.contains("167 %")));
}

#[test]
fn the_state_of_the_drive_matters_for_writes_only() {
    let claim = |read_percent, state| {
        let mut claim = with_claim(record(), 1.0, None).targets.remove(0).datasheet.unwrap().datasheet.claims.remove(0);
        (claim.read_percent, claim.state, claim.span) = (read_percent, Some(state), Some(ClaimSpan::Full));
        claim
    };
    let effects = |claim: &Claim| {
        let mut record = with_claim(record(), 1.0, None);
        record.jobs[0].workload = crate::plan::workload_of(claim);
        let context = Context::new(&record);
        conditions::differences(&record, &context.measured[0], claim).iter().map(|r| r.effect).collect::<Vec<_>>()
    };
    assert_eq!(effects(&claim(100, DriveState::Steady)), []);
    assert_eq!(effects(&claim(0, DriveState::Steady)), [Effect::Easier]);
    assert_eq!(effects(&claim(0, DriveState::Fresh)), [Effect::Harder]);
}

#[test]
fn a_drive_that_is_known_to_be_fresh_or_steady_meets_the_state_of_its_claim() {
    let claim = |state| {
        let mut claim = with_claim(record(), 1.0, None).targets.remove(0).datasheet.unwrap().datasheet.claims.remove(0);
        (claim.read_percent, claim.state, claim.span) = (0, Some(state), Some(ClaimSpan::Full));
        claim
    };
    let effects = |record: &RunRecord, state| {
        let context = Context::new(record);
        let writes = context.measured.iter().find(|measured| measured.workload().writes()).unwrap();
        let differences = conditions::differences(record, writes, &claim(state));
        differences.into_iter().filter(|reason| reason.about == "drive state").map(|reason| reason.effect).collect::<Vec<_>>()
    };
    let mut fresh = record();
    let mut history = crate::record::DriveHistory::new("S1", "a");
    history.begin_purge("discard", "b");
    history.end_purge(&crate::record::DriveState::default(), "c");
    fresh.targets[0].history = Some(history.clone());
    assert_eq!((effects(&fresh, DriveState::Fresh), effects(&fresh, DriveState::Steady)), (vec![], vec![Effect::Easier]));
    // What the run itself writes counts as well.
    fresh.stages.iter_mut().for_each(|stage| stage.state_before.written_bytes = 2_000_000_000_000);
    assert_eq!(effects(&fresh, DriveState::Fresh), [Effect::Harder]);
    let mut steady = record();
    let job = steady.jobs.iter().position(|job| job.workload.writes() && !job.workload.is_unloaded()).unwrap() as u32;
    let rounds: Vec<Stage> = steady.stages.iter().filter(|stage| stage.rounds[0].job == job).cloned().collect();
    let rounds = rounds.into_iter().map(|stage| Stage { purpose: Purpose::Precondition, ..stage });
    steady.stages = rounds.chain(steady.stages.clone()).collect();
    assert_eq!(effects(&steady, DriveState::Steady), []);
}

#[test]
fn few_runs_carry_no_verdict() {
    let mut record = with_claim(record(), 100_000.0, Some(128));
    record.stages.retain(|stage| stage.repetition < 3);
    let judged = judge(&record);
    assert_eq!(judged.rows[0].verdict, Some(Verdict::CannotTell));
    assert!(judged.rows[0].reasons.iter().any(|r| r.text == "spread of 3 runs: no interval"));
}

#[test]
fn without_a_datasheet_there_are_no_verdicts() {
    let judged = judge(&record());
    assert!(judged.rows.iter().all(|r| r.verdict.is_none() && r.measured.is_some()));
    assert_eq!(judged.rows.len(), 10);
    assert_eq!(judged.exit_status, 0);
}

#[test]
fn a_run_that_was_interrupted_in_its_first_round_says_how_far_it_was() {
    let mut record = record();
    (record.status, record.stages[0].rounds[0].outcome) = (RunStatus::Interrupted, RoundOutcome::Interrupted);
    record.stages.truncate(1);
    let judged = judge(&record);
    assert!(judged.exit_status == 3 && judged.exit_reason.starts_with("interrupted in the first run, after "), "{}", judged.exit_reason);
    record.stages.iter_mut().for_each(|stage| stage.purpose = crate::record::Purpose::Search);
    let judged = judge(&record);
    assert!(
        judged.exit_status == 3 && judged.exit_reason.starts_with("interrupted in the search for a rate, in step 1 at "),
        "{}",
        judged.exit_reason
    );
    record.stages.clear();
    assert_eq!(judge(&record).exit_reason, "interrupted before anything was measured");
}

#[test]
fn exit_status_of_runs_that_ended_early() {
    let mut record = record();
    record.status = RunStatus::Interrupted;
    assert_eq!(judge(&record).exit_status, 3);
    record.stages.clear();
    assert_eq!(judge(&record).exit_status, 3);
    record.status = RunStatus::Failed { reason: "no space".into() };
    assert_eq!(judge(&record).exit_status, 2);
}

#[test]
fn lost_data_outweighs_everything() {
    let mut record = with_claim(record(), 100_000.0, Some(128));
    record.stages[0].rounds[0].check = Some(crate::record::CheckResult { good: 5, torn: 2, ..Default::default() });
    for status in [RunStatus::Complete, RunStatus::Interrupted, RunStatus::Hung { reason: "x".into() }] {
        record.status = status;
        let judged = judge(&record);
        assert_eq!((judged.exit_status, judged.findings[0].rule.as_str()), (1, "data-lost"));
        assert!(judged.exit_reason.starts_with("2 pieces"), "{}", judged.exit_reason);
    }
}

#[test]
fn a_pace_is_what_limits_a_rate_and_trims_count() {
    let mut record = record();
    let change = |w: &mut crate::workload::Workload| {
        w.shape.pace = crate::shape::Pace::Fixed { ios_per_s: 1000 };
        (w.read_percent, w.shape.trim_percent) = (0, 100);
    };
    let of_writes = |job: &crate::record::JobRecord| job.workload.writes() && job.workload.block_bytes == 131_072;
    let job = record.jobs.iter().position(of_writes).unwrap();
    change(&mut record.jobs[job].workload);
    record.stages.retain(|stage| stage.rounds[0].job as usize == job);
    for round in record.rounds_mut() {
        round.trim = std::mem::take(&mut round.write);
    }
    let judged = judge(&record);
    let row = judged.rows.iter().find(|r| r.workload.trims()).unwrap();
    assert!(row.measured.is_some(), "trims are I/Os too");
    assert_eq!(row.limited_by, "the pace that was asked for");
}

#[test]
fn a_limit_is_named_only_where_it_is_near_and_leaves_the_queue_empty() {
    // Of reads: the share of the queue that is in use, and the limit as a multiple of what was done.
    let named = |kept: f64, times: f64| {
        let mut record = record();
        record.jobs.iter_mut().for_each(|job| job.workload.shape.limits.read_ios_per_s = Some(u64::MAX));
        for round in record.stages.iter_mut().flat_map(|s| &mut s.rounds) {
            let workload = &mut record.jobs[round.job as usize].workload;
            workload.shape.limits.read_ios_per_s = Some((round.iops() * times) as u64);
            round.edge_ns += ((kept * f64::from(workload.outstanding()) - round.outstanding()) * round.elapsed_ns as f64) as i64;
        }
        let rows = judge(&record).rows;
        let reads = rows.iter().filter(|row| row.workload.read_percent == 100);
        let (all, of_pace): (Vec<_>, Vec<_>) = reads.partition(|row| row.limited_by != "the pace that was asked for");
        (!of_pace.is_empty(), !all.is_empty())
    };
    assert_eq!([named(0.5, 1.02), named(1.0, 1.02), named(0.5, 100.0)], [(true, false), (false, true), (false, true)]);
}

#[test]
fn without_io_only_the_generator_limits() {
    let mut record = record();
    record.rounds_mut().for_each(|r| r.engine.backend = "null".into());
    assert!(judge(&record).rows.iter().all(|row| row.limited_by.starts_with("the generator itself")));
}

#[test]
fn percentiles_need_samples() {
    let judged = judge(&record());
    let row = judged.latencies.iter().find(|row| row.workload.is_unloaded()).unwrap();
    assert_eq!(row.samples, 60_000);
    assert!(judged.latencies.iter().any(|row| !row.workload.is_unloaded()), "those of many I/Os at a time are there too");
    let has: Vec<bool> = row.percentiles_ns.iter().map(|(_, ns)| ns.is_some()).collect();
    assert_eq!(has, [true, true, false], "p99.9 of 60,000 has only 60 beyond it");
}

#[test]
fn judging_again_gives_the_same() {
    let record = with_claim(record(), 100_000.0, None);
    assert_eq!(judge(&record), judge(&record));
}

#[test]
fn a_job_that_failed_is_an_error_of_a_job_file_and_its_drives_are_judged_apart() {
    let mut record = crate::testing::beside(record(), "nvme1n1");
    record.plan = None;
    assert_eq!(judge(&record).exit_status, 0);
    let drives: Vec<Option<String>> = judge(&record).rows.iter().take(2).map(|row| row.target.clone()).collect();
    assert!(drives.iter().all(Option::is_some) && record.jobs[0].targets != record.jobs[1].targets);
    record.status = RunStatus::Failed { reason: "a: no space".into() };
    assert_eq!((judge(&record).exit_status, judge(&record).exit_reason), (2, "a: no space".into()));
}

#[test]
fn what_is_not_steady_is_a_workload_of_a_plan_and_a_job_of_a_job_file() {
    let mut falling = record_with(|_, run| 1000.0 * (1.0 - 0.08 * f64::from(run)));
    let first = falling.jobs[0].title_with_depth();
    assert!(first.contains("queue depth"), "{first}");
    assert_eq!(judge(&falling).exit_reason, format!("10 of 10 workloads not steady: {first} and 9 more"));
    falling.plan = None;
    assert_eq!(judge(&falling).exit_reason, format!("10 of 10 jobs not steady: {first} and 9 more"));
}

#[test]
fn figures_of_a_cache_end_a_job_file_well_unless_it_was_to_be_strict() {
    let mut cached = record();
    cached.plan = None;
    cached.stages.iter_mut().flat_map(|s| s.devices.iter_mut().flatten()).for_each(|drive| drive.read_bytes = 0);
    assert_eq!(judge(&cached).exit_status, 0);
    assert!(judge(&cached).exit_reason.ends_with("are not the drive's"), "{}", judge(&cached).exit_reason);
    cached.config.strict = true;
    assert_eq!(judge(&cached).exit_status, 3);
}

/// A claim on the latency of single reads, which take 100 us here.
fn with_latency_claim(mut record: RunRecord, bound_ns: f64, statistic: Statistic, qualifier: crate::claim::Qualifier) -> RunRecord {
    record = with_claim(record, 1.0, Some(1));
    record.jobs.iter_mut().for_each(|job| job.claims.clear());
    let job = record.jobs.iter_mut().find(|job| job.workload.is_unloaded() && job.workload.read_percent == 100).unwrap();
    job.claims = vec![0];
    let claim = &mut record.targets[0].datasheet.as_mut().unwrap().datasheet.claims[0];
    (claim.metric, claim.value, claim.statistic, claim.qualifier) = (Metric::Latency, bound_ns, Some(statistic), qualifier);
    record
}

#[test]
fn one_counter_example_breaks_a_bound_and_staying_below_is_no_doubt() {
    use crate::claim::Qualifier::{Maximum, Typical};
    let judged = |bound_ns, slowest_ns: u64, statistic, qualifier| {
        let mut record = with_latency_claim(record(), bound_ns, statistic, qualifier);
        let job = record.jobs.iter().position(|job| !job.claims.is_empty()).unwrap() as u32;
        let rounds = record.rounds_mut().filter(|round| round.job == job);
        rounds.take(1).for_each(|round| round.read.latency.record(slowest_ns));
        judge(&record).rows[0].clone()
    };
    let broken = judged(20e6, 90_000_000, Statistic::Max, Maximum);
    assert_eq!(broken.verdict, Some(Verdict::Misses), "{broken:?}");
    assert_eq!(broken.measured.unwrap().describe(), "the worst of 6 runs");
    let kept = judged(20e6, 100_000, Statistic::Max, Maximum);
    assert_eq!((kept.verdict, kept.matched.unwrap().share > 100.0), (Some(Verdict::Meets), true), "{kept:?}");
    assert_eq!(judged(95_000.0, 100_000, Statistic::P99, Maximum).verdict, Some(Verdict::Misses), "5 % beyond a bound");
    assert_eq!(judged(95_000.0, 100_000, Statistic::P99, Typical).verdict, Some(Verdict::Meets), "but within 80 % of what is typical");
}

#[test]
fn memory_passes_no_claim() {
    let mut record = with_claim(record(), 50_000.0, Some(128));
    record.targets[0].drives[0].kind = crate::facts::DriveKind::Zram;
    let judged = judge(&record);
    assert_eq!((judged.rows[0].verdict, judged.exit_status), (Some(Verdict::Indicative), 3), "{}", judged.exit_reason);
    assert!(judged.exit_reason.ends_with("is compressed memory, and no promise of a drive is about that"), "{}", judged.exit_reason);
}

#[test]
fn a_bound_is_not_broken_by_a_machine_that_stops() {
    let mut record = with_latency_claim(record(), 20e6, Statistic::Max, crate::claim::Qualifier::Maximum);
    let job = record.jobs.iter().position(|job| !job.claims.is_empty()).unwrap() as u32;
    record.rounds_mut().find(|round| round.job == job).unwrap().read.latency.record(30_000_000);
    assert_eq!(judge(&record).rows[0].verdict, Some(Verdict::Misses));
    record.self_test = Some(crate::record::SelfTest { jitter_ns_max: 25_000_000, ..Default::default() });
    assert_eq!(judge(&record).rows[0].verdict, Some(Verdict::Indicative));
}

#[test]
fn a_run_whose_rows_are_all_indicative_ends_well() {
    let too_good = judge(&with_claim(record(), 50_000.0, Some(128)));
    assert_eq!((too_good.rows[0].verdict, too_good.exit_status), (Some(Verdict::Indicative), 0), "{}", too_good.exit_reason);
}

#[test]
fn a_limit_of_a_control_group_convicts_no_drive() {
    let mut record = with_claim(record(), 400_000.0, Some(128));
    record.targets[0].facts.stack = Some(crate::testing::node("nvme0n1", 0));
    assert_eq!(judge(&record).rows[0].verdict, Some(Verdict::Misses));
    let judged = judge(&record.with_limit(crate::facts::LimitedResource::ReadIops, Some("8:0"), 100_000.0));
    assert_eq!((judged.rows[0].verdict, judged.exit_status), (Some(Verdict::CannotTell), 3));
    assert!(judged.rows[0].limited_by.starts_with("a limit of this process's control group"), "{}", judged.rows[0].limited_by);
}

#[test]
fn a_claim_without_a_depth_is_missed_only_where_more_would_give_no_more() {
    let row = |claimed_depth: Option<u32>, knows_one_alone: bool| {
        let mut record = with_claim(record(), 450_000.0, claimed_depth);
        let is_alone = |stage: &Stage| record.jobs[stage.rounds[0].job as usize].workload.is_unloaded();
        record.stages.retain(|stage| knows_one_alone || !is_alone(stage));
        let row = judge(&record).rows.into_iter().find(|row| row.claim.is_some()).unwrap();
        (row.verdict, row.reasons.into_iter().find(|reason| reason.about == "queue depth").map(|reason| reason.text))
    };
    assert_eq!(row(None, true), (Some(Verdict::Misses), None), "one alone takes a twelfth of the time: the drive is busy");
    assert_eq!(row(Some(128), false), (Some(Verdict::Misses), None), "under the maker's own conditions");
    let (verdict, reason) = row(None, false);
    assert_eq!(verdict, Some(Verdict::CannotTell));
    assert_eq!(reason.unwrap(), "claim names none, run 128: nothing shows that more would give no more");
}

#[test]
fn a_latency_target_is_missed_only_where_a_rate_was_told_to_exceed_it() {
    use crate::search::{Answer, Ending, Goal, Probe, Searched, Step};
    let goal = Goal { target_ns: 1_000, quantile: 0.99, first_ios_per_s: 10, ceiling_ios_per_s: 100, precision: 0.05, most_steps: 9 };
    let step = |answer| Step { ios_per_s: 10, probe: Probe { quantile_ns: None, delivered_ios_per_s: 1.0 }, answer };
    let searched = |answers: &[Answer], ending| {
        let mut record = record();
        record.stages.clear();
        let workload = record.jobs[0].workload.clone();
        record.searches =
            vec![Searched { workload, goal, steps: answers.iter().map(|answer| step(*answer)).collect(), ending, found: None }];
        let judged = judge(&record);
        (judged.exit_status, judged.exit_reason)
    };
    let (status, why) = searched(&[Answer::TooSlow], Ending::NothingHolds);
    assert!(status == 2 && why.ends_with("missed at every rate that was tried"), "{why}");
    let (status, why) = searched(&[Answer::TooSlow, Answer::CannotTell], Ending::CannotTell);
    assert!(status == 2 && why.ends_with("missed at every rate that could be told"), "{why}");
    let (status, why) = searched(&[Answer::NotDelivered, Answer::CannotTell], Ending::CannotTell);
    assert!(status == 3 && why.contains("cannot be told"), "{why}");
}
