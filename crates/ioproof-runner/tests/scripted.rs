//! Runs on scripted outcomes: schedules, stages and failures are seen without a drive and without time passing.

use ioproof_core::database::DatabaseLoad;
use ioproof_core::facts::{HostFacts, Layer, StackNode, TargetFacts, TargetKind};
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::record::{
    Config, DatabaseRecord, DatabaseRound, IoError, IoErrors, JobRecord, Purpose, RoundOutcome, RunRecord, RunStatus, Stage, TargetRecord,
};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::{BackendChoice, Outcome};
use ioproof_runner::{
    EndsOthers, Event, Failure, Generate, Observer, RunEnding, Runner, Script, Sequence, Source, StageSpec, Survives, Task, TaskEnd, close,
};
use ioproof_target::System;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

const SECOND_NS: u64 = 1_000_000_000;
const SPAN: Span = Span { offset_bytes: 0, length_bytes: 1 << 20 };

fn workload() -> Workload {
    Workload::plain(Pattern::Random, 100, 4096, 1, 1)
}

fn target(drive: &str) -> TargetRecord {
    let node = StackNode { major: 8, size_bytes: 1 << 20, ..StackNode::disk(drive) };
    TargetRecord::new(TargetFacts {
        given: format!("/dev/{drive}"),
        resolved: format!("/dev/{drive}"),
        kind: TargetKind::BlockDevice,
        layer: Layer::Block,
        size_bytes: 1 << 20,
        filesystem: None,
        stack: Some(node),
        identity: None,
        direct: true,
        alignment_bytes: 512,
        notes: vec![],
    })
}

/// A record of one job on each of these drives.
fn record(drives: &[&str]) -> RunRecord {
    let job =
        |n: usize| JobRecord { name: Some(format!("job{n}")), targets: vec![n as u32], workload: workload(), span: SPAN, claims: vec![] };
    RunRecord {
        targets: drives.iter().map(|drive| target(drive)).collect(),
        jobs: (0..drives.len()).map(job).collect(),
        ..RunRecord::begun("run", HostFacts::default(), Config::default())
    }
}

fn task(id: usize, job: u32) -> Task {
    let spec = JobSpec::plain(workload(), SPAN, Until::ElapsedNs(SECOND_NS));
    Task { id, ..Task::plain(job, format!("task{id}"), spec, vec![], Generate::by(BackendChoice::AUTO)) }
}

fn stage(tasks: Vec<Task>, is_job_file: bool) -> StageSpec {
    StageSpec { purpose: Purpose::Measure, repetition: 0, title: "a stage".into(), left: None, tasks, is_job_file }
}

/// Stages in this order; keeps the ends of their tasks.
struct StageList {
    stages: VecDeque<StageSpec>,
    ends: Vec<TaskEnd>,
    closed: u32,
}

impl StageList {
    fn of(stages: Vec<StageSpec>) -> Self {
        Self { stages: stages.into(), ends: Vec::new(), closed: 0 }
    }
}

impl Source for StageList {
    fn next(&mut self, _: &mut RunRecord, _: u64) -> Result<Option<StageSpec>, Failure> {
        Ok(self.stages.pop_front())
    }

    fn take(&mut self, ends: Vec<TaskEnd>) {
        self.ends.extend(ends);
    }

    fn is_over(&self) -> bool {
        self.stages.is_empty()
    }

    fn close(&mut self, _: &mut RunRecord) {
        self.closed += 1;
    }
}

/// Names of the events, and how many stages were recorded when each stage ended.
#[derive(Default)]
struct Told(Vec<String>);

impl Observer for Told {
    fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::StageBegan(_) => self.0.push("began".into()),
            Event::StageEnded { record, .. } => self.0.push(format!("ended {}", record.stages.len())),
            _ => {}
        }
    }
}

/// A machine without any kernel files: nothing is counted.
fn nowhere() -> System {
    System::captured(std::path::Path::new("/proc/self/nowhere"))
}

fn play(record: &mut RunRecord, script: &Script<'_>, source: &mut dyn Source) -> (Result<(), Failure>, Vec<String>) {
    let (system, stop, mut told) = (nowhere(), AtomicBool::new(false), Told::default());
    let result = Runner { system: &system, execute: script, stop: &stop, observers: vec![&mut told] }.run(record, source);
    close(record, script, result.as_ref().map_or(RunEnding::ByItself, |ending| *ending));
    (result.map(drop), told.0)
}

fn quick() -> Script<'static> {
    Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, SECOND_NS)))
}

#[test]
fn stages_come_one_after_the_other_and_their_tasks_side_by_side() {
    let mut record = record(&["sda", "sdb"]);
    let mut source = StageList::of(vec![stage(vec![task(0, 0), task(1, 1)], true), stage(vec![task(2, 0)], true)]);
    let script = quick();
    let (result, told) = play(&mut record, &script, &mut source);
    assert!(result.is_ok());
    assert_eq!(told, ["began", "ended 1", "began", "ended 2"]);
    let jobs: Vec<Vec<u32>> = record.stages.iter().map(|stage| stage.rounds.iter().map(|round| round.job).collect()).collect();
    assert_eq!(jobs, [vec![0, 1], vec![0]]);
    assert_eq!(script.played()[2], "task2");
    assert_eq!((record.status.clone(), source.ends.len(), source.closed), (RunStatus::Complete, 3, 1));
    let times: Vec<u64> = record.stages.iter().map(|stage| stage.elapsed_ns).collect();
    assert_eq!(times, [SECOND_NS, SECOND_NS], "tasks side by side take the time of one");
    assert_eq!(record.stages[1].state_before.idle_ns, 0);
}

#[test]
fn what_the_kernel_does_not_tell_is_not_counted() {
    let mut record = record(&["sda"]);
    let (result, _) = play(&mut record, &quick(), &mut StageList::of(vec![stage(vec![task(0, 0)], true)]));
    assert!(result.is_ok());
    assert_eq!(record.stages[0].devices, None);
    assert_eq!(record.stages[0].drives.iter().map(|drive| drive.after.present).collect::<Vec<_>>(), [false]);
}

#[test]
fn clones_of_a_job_are_one_round_with_the_workers_of_all() {
    let mut record = record(&["sda"]);
    let mut source = StageList::of(vec![stage(vec![task(0, 0), task(1, 0), task(2, 0)], true)]);
    play(&mut record, &quick(), &mut source).0.unwrap();
    let rounds = &record.stages[0].rounds;
    assert_eq!((rounds.len(), rounds[0].read.ios, rounds[0].workers.len()), (1, 3000, 3));
}

#[test]
fn clones_that_hardly_ran_at_the_same_time_are_told() {
    let mut record = record(&["sda"]);
    let after = Task { waits_for: vec![1], ..task(0, 0) };
    play(&mut record, &quick(), &mut StageList::of(vec![stage(vec![after, task(1, 0)], true)])).0.unwrap();
    assert!(record.notes.iter().any(|note| note.contains("its clones began up to 1 s apart")), "{:?}", record.notes);
}

#[test]
fn a_task_waits_for_those_that_it_names() {
    let mut record = record(&["sda"]);
    let after = Task { waits_for: vec![1], ..task(0, 0) };
    let script = quick();
    play(&mut record, &script, &mut StageList::of(vec![stage(vec![after, task(1, 0)], true)])).0.unwrap();
    assert_eq!(script.played(), ["task1", "task0"]);
}

#[test]
fn a_task_that_ends_others_ends_them_in_later_stages_too() {
    let mut record = record(&["sda"]);
    let ends_all = |on_failure| Some(EndsOthers { on_failure, tasks: vec![1] });
    let run = |record: &mut RunRecord, first: Task| {
        let script = quick();
        play(record, &script, &mut StageList::of(vec![stage(vec![first], true), stage(vec![task(1, 0)], true)])).0.unwrap();
        script.played()
    };
    assert_eq!(run(&mut record, Task { ends_others: ends_all(false), ..task(0, 0) }), ["task0"]);
    assert_eq!(record.notes, ["task1: it never began, as another job had ended it"]);
    record.stages.clear();
    record.status = RunStatus::Running;
    assert_eq!(run(&mut record, Task { ends_others: ends_all(true), ..task(0, 0) }), ["task0", "task1"], "it did not fail");
}

#[test]
fn a_job_file_goes_on_after_a_failure_and_its_status_tells_the_first() {
    let mut record = record(&["sda", "sdb"]);
    let begun = record.clone();
    // One that only has to have its files is refused as any other.
    for idle in [false, true] {
        record.clone_from(&begun);
        let refused = Task { idle, refused: Some(Failure::hinted("no such thing", "do without")), ..task(0, 0) };
        let mut source = StageList::of(vec![stage(vec![refused], true), stage(vec![task(1, 1)], true)]);
        play(&mut record, &quick(), &mut source).0.unwrap();
        assert_eq!(record.status, RunStatus::Failed { reason: "task0: no such thing".into() });
        assert_eq!(record.stages.iter().map(|stage| stage.rounds.len()).collect::<Vec<_>>(), [0, 1]);
    }
}

#[test]
fn a_job_of_a_job_file_that_did_nothing_in_all_of_its_time_has_failed() {
    // The tasks that do nothing, those of which job 0 is made of two, and the length of their measurement.
    let status = |idle: &'static [usize], ns: u64, is_job_file: bool| {
        let script = Script::new(move |task, _| {
            let ios = if idle.contains(&task.id) { 0 } else { 1000 };
            Ok(Script::outcome(task, ios, 10_000, ns))
        });
        let mut record = record(&["a", "b"]);
        let tasks = vec![task(0, 0), task(1, 0), task(2, 1)];
        play(&mut record, &script, &mut StageList::of(vec![stage(tasks, is_job_file)])).0.unwrap();
        match record.status {
            RunStatus::Failed { reason } => reason,
            _ => record.notes.into_iter().find(|note| note.contains("did no I/O")).unwrap_or_default(),
        }
    };
    assert_eq!(status(&[2], SECOND_NS, true), "task2: no I/O came in its 1 s: nothing was measured");
    assert!(status(&[0, 1], SECOND_NS, true).starts_with("task0: no I/O came"));
    assert_eq!(
        [status(&[1], SECOND_NS, true), status(&[2], SECOND_NS / 2, true)],
        ["task0: 1 of its 2 clones did no I/O in their time: their zeros measure nothing", ""],
        "another clone did, and one that was ended early"
    );
    assert_eq!(status(&[0, 1, 2], SECOND_NS, false), "", "runs of a plan that did nothing do not count");
}

#[test]
fn anything_else_ends_where_a_task_cannot_start() {
    let mut record = record(&["sda"]);
    let script = Script::new(|_, _| Err(Failure::hinted("cannot", "can")));
    let (result, told) =
        play(&mut record, &script, &mut StageList::of(vec![stage(vec![task(0, 0)], false), stage(vec![task(1, 0)], false)]));
    assert_eq!(result.unwrap_err().hint.as_deref(), Some("can"));
    assert_eq!(told, ["began", "ended 1"]);
}

fn failing(errno: i32) -> Script<'static> {
    Script::new(move |task, _| {
        let first = IoError { operation: "read".into(), offset_bytes: 0, errno, message: "it failed".into() };
        let errors = IoErrors { failed: 1, first: Some(first), ..IoErrors::default() };
        Ok(ioproof_engine::Outcome { outcome: RoundOutcome::Failed, errors, ..Script::outcome(task, 5, 10, SECOND_NS) })
    })
}

#[test]
fn failed_io_ends_a_run_only_where_the_target_is_gone() {
    const ENODEV: i32 = 19;
    let source = || StageList::of(vec![stage(vec![task(0, 0)], false), stage(vec![task(1, 0)], false)]);
    let mut alive = record(&[]);
    alive.jobs = record(&["sda"]).jobs;
    alive.jobs[0].targets.clear();
    play(&mut alive, &failing(5), &mut source()).0.unwrap();
    assert_eq!((alive.status.clone(), alive.stages.len()), (RunStatus::Complete, 2));
    let mut gone = alive.clone();
    (gone.status, gone.stages) = (RunStatus::Running, vec![]);
    play(&mut gone, &failing(ENODEV), &mut source()).0.unwrap();
    assert!(matches!(gone.status, RunStatus::Failed { .. }) && gone.stages.len() == 1);
}

#[test]
fn errors_that_a_task_survives_are_no_failure() {
    let mut record = record(&[]);
    record.jobs = vec![JobRecord { name: None, targets: vec![], workload: workload(), span: SPAN, claims: vec![] }];
    let survives = Survives { errnos: [vec![5], vec![]], ..Survives::default() };
    let mut source = StageList::of(vec![stage(vec![Task { survives, ..task(0, 0) }], true)]);
    play(&mut record, &failing(5), &mut source).0.unwrap();
    assert_eq!((record.status.clone(), source.ends[0].failed.clone()), (RunStatus::Complete, None));
    let mut source = StageList::of(vec![stage(vec![task(0, 0)], true)]);
    record.status = RunStatus::Running;
    play(&mut record, &failing(5), &mut source).0.unwrap();
    assert!(source.ends[0].failed.is_some());
    // Where nothing succeeded there is nothing to tell.
    let nothing = Script::new(|task, _| {
        let first = IoError { operation: "read".into(), offset_bytes: 0, errno: 5, message: "it failed".into() };
        let errors = IoErrors { failed: 9, first: Some(first), ..IoErrors::default() };
        Ok(ioproof_engine::Outcome { errors, ..Script::outcome(task, 0, 10, SECOND_NS) })
    });
    let survives = Survives { any: [true; 2], ..Survives::default() };
    let mut source = StageList::of(vec![stage(vec![Task { survives, ..task(0, 0) }], true)]);
    record.status = RunStatus::Running;
    play(&mut record, &nothing, &mut source).0.unwrap();
    assert!(source.ends[0].failed.as_ref().is_some_and(|failed| failed.text.contains("it failed")));
}

#[test]
fn ctrl_c_ends_the_run_before_the_next_stage_and_keeps_what_was_measured() {
    struct Stops<'a>(&'a AtomicBool);
    impl Observer for Stops<'_> {
        fn observe(&mut self, event: &Event<'_>) {
            if matches!(event, Event::StageEnded { .. }) {
                self.0.store(true, Relaxed);
            }
        }
    }
    let (mut record, script, system, stop) = (record(&["sda"]), quick(), nowhere(), AtomicBool::new(false));
    let mut source = StageList::of(vec![stage(vec![task(0, 0)], false), stage(vec![task(1, 0)], false)]);
    let run = |record: &mut RunRecord, source: &mut StageList| {
        stop.store(false, Relaxed);
        let mut stops = Stops(&stop);
        let ending = Runner { system: &system, execute: &script, stop: &stop, observers: vec![&mut stops] }.run(record, source).unwrap();
        close(record, &script, ending);
    };
    run(&mut record, &mut source);
    assert_eq!((record.status.clone(), record.stages.len(), source.closed), (RunStatus::Interrupted, 1, 1));
    (record.status, record.stages) = (RunStatus::Running, vec![]);
    let mut source = StageList::of(vec![stage(vec![task(0, 0)], false)]);
    run(&mut record, &mut source);
    assert_eq!((record.status.clone(), source.closed), (RunStatus::Complete, 1), "it came after the last stage and cut nothing short");
}

#[test]
fn ctrl_c_in_the_last_stage_cuts_short_what_did_not_come_to_its_end() {
    let (system, stop) = (nowhere(), AtomicBool::new(false));
    for (outcome, is_job_file) in [(RoundOutcome::Interrupted, true), (RoundOutcome::Interrupted, false), (RoundOutcome::Complete, true)] {
        stop.store(false, Relaxed);
        let script = Script::new(|task, _| {
            stop.store(true, Relaxed);
            Ok(Outcome { outcome, ..Script::outcome(task, 1000, 10_000, SECOND_NS) })
        });
        let mut source = StageList::of(vec![stage(vec![task(0, 0)], is_job_file)]);
        let ending = Runner { system: &system, execute: &script, stop: &stop, observers: vec![] }.run(&mut record(&["sda"]), &mut source);
        assert_eq!(ending.unwrap() == RunEnding::CutShort, outcome == RoundOutcome::Interrupted, "{outcome:?}");
    }
}

#[test]
fn sources_follow_each_other() {
    let mut record = record(&["sda"]);
    let first = StageList::of(vec![stage(vec![task(0, 0)], false)]);
    let second = StageList::of(vec![stage(vec![task(1, 0)], false)]);
    let mut sources = Sequence::new(vec![Box::new(first), Box::new(StageList::of(vec![])), Box::new(second)]);
    let script = quick();
    play(&mut record, &script, &mut sources).0.unwrap();
    assert_eq!(script.played(), ["task0", "task1"]);
}

#[test]
fn counters_of_a_machine_are_the_stages_own() {
    let folder = tempfile::tempdir().unwrap();
    let block = folder.path().join("sys/block/sda");
    std::fs::create_dir_all(&block).unwrap();
    std::fs::write(block.join("size"), "2048\n").unwrap();
    let stat = |sectors: u64| std::fs::write(block.join("stat"), format!("{} 0 {sectors} 0 0 0 0 0 0 0 0\n", sectors / 8)).unwrap();
    stat(0);
    let system = System::captured(folder.path());
    let script = Script::new(|task, number| {
        stat((number + 1) * 8);
        Ok(Script::outcome(task, 1, 10, SECOND_NS))
    });
    let (mut record, stop) = (record(&["sda"]), AtomicBool::new(false));
    let mut source = StageList::of(vec![stage(vec![task(0, 0)], false), stage(vec![task(1, 0)], false)]);
    Runner { system: &system, execute: &script, stop: &stop, observers: vec![] }.run(&mut record, &mut source).unwrap();
    let read = |stage: &Stage| stage.counted_drives().map(|drives| drives[0].read_bytes);
    assert_eq!(record.stages.iter().map(read).collect::<Vec<_>>(), [Some(4096), Some(4096)]);
    assert!(record.stages[0].drives[0].after.present);
}

/// A database on the drive of the first job, and a round of it.
fn with_database(mut record: RunRecord) -> (RunRecord, Task) {
    record.databases.push(DatabaseRecord { title: "SQLite".into(), clients: 1, ..DatabaseRecord::default() });
    let load = DatabaseLoad { database: 0, clients: 2, warm_up: Duration::from_secs(1), measure: Duration::from_secs(2), seed: 1 };
    (record, Task::of_database(load, "SQLite"))
}

#[test]
fn a_database_has_a_stage_and_its_bracket_as_a_job_has() {
    let (mut record, of_database) = with_database(record(&["sda"]));
    let mut source = StageList::of(vec![stage(vec![task(0, 0)], false), stage(vec![of_database], false), stage(vec![task(1, 0)], false)]);
    let script = quick().with_databases(|load| {
        Ok(DatabaseRound { database: load.database, elapsed_ns: 2 * SECOND_NS, transactions: 500, ..DatabaseRound::default() })
    });
    let (result, told) = play(&mut record, &script, &mut source);
    assert!(result.is_ok());
    assert_eq!((told.len(), script.played()), (6, vec!["task0".to_owned(), "database 0".to_owned(), "task1".to_owned()]));
    let measured = &record.stages[1];
    assert_eq!((measured.rounds.len(), measured.databases[0].per_s(), measured.elapsed_ns), (0, 250.0, 3 * SECOND_NS));
    assert_eq!(measured.drives.len(), 1, "the drive under its target is looked at");
    assert_eq!(record.stages[2].state_before.previous_workload.as_deref(), Some("SQLite"));
    assert_eq!((record.parts().count(), source.ends[1].database.is_some()), (2, true));
}

#[test]
fn a_database_that_fails_ends_its_round_and_not_the_run() {
    let (mut record, of_database) = with_database(record(&["sda"]));
    let mut source = StageList::of(vec![stage(vec![of_database], false), stage(vec![task(0, 0)], false)]);
    let script = quick().with_databases(|load| Ok(DatabaseRound::failed(load.database, "disk full")));
    let (result, _) = play(&mut record, &script, &mut source);
    assert!(result.is_ok());
    assert_eq!((record.status.clone(), record.stages.len()), (RunStatus::Complete, 2));
    assert_eq!(source.ends[0].failed.as_ref().map(|failure| failure.text.as_str()), Some("disk full"));
}
