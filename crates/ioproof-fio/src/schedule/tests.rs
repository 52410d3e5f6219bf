//! Examples are those of fio 3.33's JSON (`groupid`, the merged lines) and of the names of its files; the properties hold for any jobs.

use super::*;
use crate::complaint::SourcePlace;
use crate::settings::JobSettings;
use proptest::prelude::*;

fn job(name: &str, change: impl Fn(&mut JobSettings)) -> FioJob {
    let mut settings = JobSettings::default();
    change(&mut settings);
    let section = settings.name.clone().map_or(name.to_owned(), |_| format!("section of {name}"));
    FioJob {
        name: name.into(),
        section,
        place: SourcePlace::default(),
        settings,
        typed: vec![],
        globals: vec![],
        defaults: 0,
        file_number: Some(0),
        notes: vec![],
    }
}

fn plain(name: &str) -> FioJob {
    job(name, |_| {})
}

fn groups(jobs: &[FioJob]) -> Vec<u32> {
    schedule(jobs).clones.iter().map(|clone| clone.group).collect()
}

#[test]
fn stonewalls_and_new_groups_begin_groups_but_not_before_the_first_job() {
    let walled = |name| job(name, |s| s.start.stonewall = true);
    let new = |name| job(name, |s| s.start.new_group = true);
    let both = job("e", |s| (s.start.stonewall, s.start.new_group, s.start.clones) = (true, true, 2));
    let jobs = [plain("a"), new("b"), walled("c"), plain("d"), both, plain("f")];
    assert_eq!(groups(&jobs), [0, 1, 2, 2, 3, 3, 3]);
    assert_eq!(schedule(&jobs).stages, [vec![0, 1], vec![2, 3], vec![4, 5, 6]]);
    assert_eq!(groups(&[walled("a"), walled("b")]), [0, 1]);
}

#[test]
fn a_job_with_group_reporting_joins_the_line_before_it() {
    let by_group = |name| job(name, |s| s.report.by_group = true);
    let three = job("e", |s| (s.start.new_group, s.start.clones) = (true, 3));
    let two = job("g", |s| (s.report.by_group, s.start.clones) = (true, 2));
    let jobs = [by_group("a"), plain("b"), by_group("c"), by_group("d"), three, by_group("f"), two];
    let schedule = schedule(&jobs);
    let lines: Vec<_> = schedule.lines.iter().map(|line| (line.name.as_str(), line.group, line.job, line.clones.len())).collect();
    assert_eq!(lines, [("a", 0, 0, 1), ("b", 0, 3, 3), ("e", 1, 4, 1), ("e", 1, 4, 1), ("e", 1, 6, 4)]);
}

#[test]
fn clones_after_the_first_are_numbered_downwards() {
    let mut job = job("a", |s| (s.start.clones, s.name) = (3, Some("a".into())));
    job.section = "sec".into();
    let schedule = schedule(&[job]);
    let seen: Vec<_> = schedule.clones.iter().map(|c| (c.number, c.clone, c.name.as_str(), c.files[0].as_str())).collect();
    assert_eq!(seen, [(1, 0, "a", "sec.0.0"), (2, 2, "sec", "sec.2.0"), (3, 1, "sec", "sec.1.0")]);
}

#[test]
fn clones_begin_at_their_own_offsets() {
    let job = job("a", |s| (s.start.clones, s.region.offset_increment) = (3, Amount::Bytes(65536)));
    let offsets: Vec<_> = schedule(std::slice::from_ref(&job)).clones.iter().map(|clone| clone.offset_bytes(&job, 1 << 20)).collect();
    assert_eq!(offsets, [0, 131_072, 65536]);
    assert!(Instance::is_set_apart(&job) && !Instance::is_set_apart(&plain("b")));
}

#[test]
fn a_job_waits_for_all_clones_of_the_same_stage() {
    let two = job("a", |s| s.start.clones = 2);
    let waiting = |walled: bool| {
        let change = move |s: &mut JobSettings| (s.start.wait_for, s.start.stonewall) = (Some("a".into()), walled);
        job("b", change)
    };
    assert_eq!(schedule(&[two.clone(), waiting(false)]).clones[2].waits_for, [0, 1]);
    assert!(schedule(&[two, waiting(true)]).clones[2].waits_for.is_empty(), "they have ended before the stage begins");
}

fn any_job() -> impl Strategy<Value = FioJob> {
    (1u32..4, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(clones, stonewall, new_group, by_group)| {
        job("j", |s| {
            (s.start.clones, s.start.stonewall, s.start.new_group) = (clones, stonewall, new_group);
            s.report.by_group = by_group;
        })
    })
}

proptest! {
    #[test]
    fn every_clone_runs_once_and_is_reported_once(jobs in proptest::collection::vec(any_job(), 0..9)) {
        let schedule = schedule(&jobs);
        let places: Vec<usize> = (0..schedule.clones.len()).collect();
        prop_assert_eq!(places.len() as u32, jobs.iter().map(|job| job.settings.start.clones).sum::<u32>());
        prop_assert_eq!(schedule.stages.concat(), places.clone());
        let reported: Vec<usize> = schedule.lines.iter().flat_map(|line| line.clones.clone()).collect();
        prop_assert_eq!(reported, places);
    }

    #[test]
    fn a_line_keeps_to_one_group_and_a_group_to_one_stage(jobs in proptest::collection::vec(any_job(), 0..9)) {
        let schedule = schedule(&jobs);
        for line in &schedule.lines {
            prop_assert!(line.clones.iter().all(|place| schedule.clones[*place].group == line.group));
            let joined = line.clones.iter().skip(1).all(|place| jobs[schedule.clones[*place].job].settings.report.by_group);
            prop_assert!(joined, "only a job with group_reporting joins a line");
        }
        for pair in schedule.clones.windows(2) {
            prop_assert!(pair[0].group <= pair[1].group && pair[1].group - pair[0].group <= 1);
            prop_assert!(pair[0].group != pair[1].group || pair[0].stage == pair[1].stage);
        }
    }

    #[test]
    fn clones_of_a_job_have_all_numbers_once(clones in 1u32..9) {
        let mut numbers: Vec<u32> = numbers(clones).collect();
        prop_assert_eq!(numbers[0], 0);
        numbers.sort_unstable();
        prop_assert_eq!(numbers, (0..clones).collect::<Vec<_>>());
    }
}
