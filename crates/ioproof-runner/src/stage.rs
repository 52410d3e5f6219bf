//! One stage: its tasks side by side, a thread each, and a watching thread that tells observers how it goes.

mod nice;
mod watch;

use crate::end::TaskEnd;
use crate::event::{Event, Observer, StageTick};
use crate::execute::{Execute, Ran};
use crate::limits::Watched;
use crate::live::LiveTask;
use crate::source::StageSpec;
use crate::task::Task;
use crate::{clock, failure, presence, round};
use ioproof_core::database::{DatabaseControl, DatabaseLoad};
use ioproof_core::facts::StackNode;
use ioproof_core::record::{HostLoad, IoError, IoErrors, Round, RoundOutcome};
use ioproof_engine::{Control, JobSnapshot};
use ioproof_target::{Changed, Handle, System, Writing, threads};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use watch::Watch;

/// Time between two looks of the watching thread.
const TICK: Duration = Duration::from_millis(50);

/// Room that a full filesystem may keep for itself. Bytes.
const ROOM_KEPT_BYTES: u64 = 4 << 20;

/// State that the threads of a stage share.
pub(crate) struct Running<'a> {
    pub system: &'a System,
    pub execute: &'a dyn Execute,
    pub spec: &'a StageSpec,
    /// The devices below the targets of each task.
    pub stacks: Vec<Vec<&'a StackNode>>,
    /// Set by Ctrl-C.
    pub stop: &'a AtomicBool,
    /// Set to end one task.
    stops: Vec<AtomicBool>,
    live: Vec<LiveTask>,
    ended: Mutex<Ended>,
    word: Condvar,
    watch: Watch,
    /// Set when the user ended a task before its end.
    cut_short: AtomicBool,
    /// Permits to write of the tasks that begin with the stage, by position, until the task takes its own.
    permits: Vec<Mutex<Option<Permit<'a>>>>,
}

/// The permit of a task to write its files, or what somebody else made of them meanwhile; none where it needs none.
type Permit<'a> = Result<Option<Writing<'a>>, Changed>;

/// The tasks that have ended, by number, and those that others ended.
#[derive(Debug, Default)]
struct Ended {
    tasks: BTreeSet<usize>,
    ended_by_others: BTreeSet<usize>,
}

impl<'a> Running<'a> {
    /// `never` has the numbers of tasks that an earlier stage ended before they began.
    pub fn new(
        system: &'a System,
        execute: &'a dyn Execute,
        spec: &'a StageSpec,
        stacks: Vec<Vec<&'a StackNode>>,
        stop: &'a AtomicBool,
        never: &BTreeSet<usize>,
    ) -> Self {
        Self {
            system,
            execute,
            spec,
            stacks,
            stop,
            stops: spec.tasks.iter().map(|task| AtomicBool::new(never.contains(&task.id))).collect(),
            live: spec.tasks.iter().map(|_| LiveTask::default()).collect(),
            ended: Mutex::default(),
            word: Condvar::new(),
            watch: Watch::default(),
            cut_short: AtomicBool::new(false),
            permits: spec.tasks.iter().map(|_| Mutex::default()).collect(),
        }
    }

    /// Takes the permits to write of the tasks that begin with the stage. They look at devices, which is none of what the counters around the stage are for.
    pub fn take_permits(&self) {
        let at_once = |task: &&Task| task.waits_for.is_empty() && task.delay.is_zero() && task.refused.is_none();
        std::thread::scope(|scope| {
            for (task, permit) in self.spec.tasks.iter().zip(&self.permits).filter(|(task, _)| at_once(task) && needs_permit(task)) {
                // Without a thread the task asks for itself, if it gets one.
                let _ = threads::spawn_within(scope, "permit", move || *unpoisoned(permit) = Some(self.permit(task)));
            }
        });
    }

    fn permit(&self, task: &Task) -> Permit<'a> {
        let own = task.own_writes.as_ref().filter(|_| needs_permit(task));
        own.map(|own| own.begin(&self.execute.targets_of(task))).transpose()
    }

    /// Runs all tasks; gives their ends in order, and the numbers of the tasks that they ended, here or in later stages.
    pub fn run(&self, observers: &mut [&mut dyn Observer]) -> (Vec<TaskEnd>, BTreeSet<usize>) {
        let ends = std::thread::scope(|scope| {
            let spawn = |position: usize| threads::spawn_within(scope, "task", move || self.task(position));
            let tasks: Vec<_> = (0..self.spec.tasks.len()).map(spawn).collect();
            for (position, _) in tasks.iter().enumerate().filter(|(_, thread)| thread.is_err()) {
                self.has_ended(position, false);
            }
            while tasks.iter().flatten().any(|thread| !thread.is_finished()) {
                self.look(observers);
                self.wait_for_word();
            }
            let end = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, TaskEnd>>| match thread {
                // A thread that panicked has printed why.
                Ok(thread) => thread.join().unwrap_or_else(|_| TaskEnd::failed(("it panicked".to_owned(), Errno::INVAL.raw_os_error()))),
                Err(error) => TaskEnd::failed(no_thread(&error)),
            };
            tasks.into_iter().map(end).collect()
        });
        self.look(observers);
        (ends, std::mem::take(&mut self.locked().ended_by_others))
    }

    /// Puts into the load how late the watching thread woke up.
    pub fn put_watch(&self, host: &mut HostLoad) {
        self.watch.put(self.system, host);
    }

    /// True if the user ended it while there was something left to do.
    pub fn was_cut_short(&self) -> bool {
        self.cut_short.load(Relaxed)
    }

    fn look(&self, observers: &mut [&mut dyn Observer]) {
        if self.stop.load(Relaxed) {
            self.stops.iter().for_each(|stop| stop.store(true, Relaxed));
        }
        let elapsed = Duration::from_nanos(self.execute.elapsed_ns());
        let tick = StageTick { spec: self.spec, live: &self.live, elapsed, stops: &self.stops };
        observers.iter_mut().for_each(|observer| observer.observe(&Event::Tick(tick)));
    }

    fn locked(&self) -> MutexGuard<'_, Ended> {
        unpoisoned(&self.ended)
    }

    fn wait_for_word(&self) {
        let ended = self.locked();
        if ended.tasks.len() < self.spec.tasks.len() {
            let (began_ns, delay_ns) = (self.execute.elapsed_ns(), watch::run_delay_ns(self.system));
            drop(self.word.wait_timeout(ended, TICK).unwrap_or_else(PoisonError::into_inner));
            let slept_ns = self.execute.elapsed_ns().saturating_sub(began_ns);
            if self.execute.is_timed() {
                let waited_ns = watch::run_delay_ns(self.system).zip(delay_ns).map_or(0, |(now, before)| now.saturating_sub(before));
                self.watch.woke(slept_ns.saturating_sub(TICK.as_nanos() as u64), waited_ns);
            }
        } else {
            drop(ended);
            std::thread::yield_now();
        }
    }

    /// One task, in its thread.
    fn task(&self, position: usize) -> TaskEnd {
        let (task, stop) = (&self.spec.tasks[position], &self.stops[position]);
        self.wait_for(&task.waits_for, stop);
        let end = self.measured(position, task, stop);
        let mut end = TaskEnd { elapsed: Duration::from_nanos(self.execute.elapsed_ns()), ..end };
        self.settle(&mut end, task);
        self.live[position].end(end.summary());
        self.has_ended(position, end.failed.is_some());
        end
    }

    fn measured(&self, position: usize, task: &Task, stop: &AtomicBool) -> TaskEnd {
        if !task.idle {
            self.execute.wait(task.delay, stop);
        }
        if stop.load(Relaxed) {
            return TaskEnd::default();
        }
        if let Some(reason) = &task.refused {
            return TaskEnd::failed(reason.clone());
        }
        if task.idle {
            return TaskEnd::default();
        }
        if let Err(reason) = nice::take(task.nice) {
            return TaskEnd::failed(reason);
        }
        if let Some(load) = &task.database {
            return self.database(position, load, stop);
        }
        let early = unpoisoned(&self.permits[position]).take();
        let is_late = early.is_none();
        let writing = match early.unwrap_or_else(|| self.permit(task)) {
            Ok(writing) => writing,
            Err(changed) => return TaskEnd::failed(failure::of_somebody_else(changed)),
        };
        let started = self.execute.wall_time();
        let mut limits = Watched::new(&task.limits, task.spec.ramp_ns);
        let live = &self.live[position];
        let ran = self.execute.run(
            task,
            Control {
                stop,
                observe: &mut |now: JobSnapshot<'_>| {
                    if limits.look(&now) {
                        stop.store(true, Relaxed);
                    }
                    if let Some(number) = live.look(&now, clock::now().unix_ms) {
                        live.answer(number, round::so_far(task, &now, live.started_ms()));
                    }
                },
            },
        );
        match ran {
            Ok(ran) => {
                limits.at_end([&ran.outcome.read, &ran.outcome.write, &ran.outcome.trim]);
                let mut end = self.end(position, task, ran);
                let looked_at_bytes = writing.as_ref().filter(|_| is_late).map_or(0, |writing| writing.looked_at_bytes);
                end.round.iter_mut().for_each(|round| round.looked_at_bytes = looked_at_bytes);
                TaskEnd { failed: end.failed.or(limits.broken.map(Into::into)), started, ..end }
            }
            Err(reason) => TaskEnd { started, ..TaskEnd::failed(reason) },
        }
    }

    /// A round of a database. That it failed is its end and not the run's.
    fn database(&self, position: usize, load: &DatabaseLoad, stop: &AtomicBool) -> TaskEnd {
        let (started, live) = (self.execute.wall_time(), &self.live[position]);
        let observe = &mut |now| live.count(now, clock::now().unix_ms);
        match self.execute.run_database(load, DatabaseControl { stop, observe }) {
            Ok(round) => {
                let failed = round.error.clone().map(|error| (error, Errno::IO.raw_os_error()).into());
                TaskEnd { database: Some(round), started, failed, ..TaskEnd::default() }
            }
            Err(reason) => TaskEnd { started, ..TaskEnd::failed(reason) },
        }
    }

    fn end(&self, position: usize, task: &Task, ran: Ran) -> TaskEnd {
        let Ran { mut outcome, read_back, depth, failed } = ran;
        let (noted, recorded) = (std::mem::take(&mut outcome.noted), std::mem::take(&mut outcome.recorded));
        let by_priority = std::mem::take(&mut outcome.by_priority);
        let mut round = Round { depth_found: depth, ..round::round(task.job, outcome) };
        if let Some(back) = &read_back {
            round.read_back_ns = back.elapsed_ns;
            round.total_bytes.0 = round.total_bytes.0.saturating_add(back.total_bytes.0);
            round.errors.merge(&back.errors);
            if let Some(check) = &back.check {
                round.check.get_or_insert_default().merge(check);
            }
        }
        let gone = self.gone(position, &mut round);
        let is_full = gone.is_none() && task.survives.full && self.has_no_room(task, round.errors.first.as_ref());
        if is_full {
            (round.errors, round.outcome) = (IoErrors::default(), RoundOutcome::Complete);
        }
        let failed = failed.or(gone.map(Into::into)).or_else(|| failure::of_round(task, &round));
        TaskEnd { round: Some(round), noted, recorded, by_priority, read_back, failed, is_full, ..TaskEnd::default() }
    }

    /// True where a write failed since there is no space, or was cut short where there is none any more, as the last one through the page cache is.
    fn has_no_room(&self, task: &Task, first: Option<&IoError>) -> bool {
        let Some(IoError { errno, operation, .. }) = first else { return false };
        let wanted = u64::from(task.spec.workload.largest_block_bytes()) + ROOM_KEPT_BYTES;
        let is_full =
            |target: &&Handle| rustix::fs::fstatvfs(target).is_ok_and(|room| room.f_bavail.saturating_mul(room.f_frsize) < wanted);
        *errno == Errno::NOSPC.raw_os_error() || *errno == 0 && operation == "write" && self.execute.targets_of(task).iter().any(is_full)
    }

    /// Says that a drive under the task is gone, and the errno that tells it. What cannot be read of it any more is then not counted as lost.
    fn gone(&self, position: usize, round: &mut Round) -> Option<(String, i32)> {
        let errno = round.errors.first.as_ref()?.errno;
        let failed = round.outcome == RoundOutcome::Failed;
        // The first target gives the kernel the time to notice; then it has noticed for all.
        let mut stacks = self.stacks[position].iter().enumerate();
        let reason = stacks.find_map(|(at, stack)| presence::gone(self.system, Some(stack), &round.errors, failed && at == 0))?;
        let unread = presence::spare_the_pulled(round.check.as_mut());
        let text = unread.map_or(reason.clone(), |unread| format!("{reason}; {unread}"));
        Some((text, if errno == 0 { Errno::NODEV.raw_os_error() } else { errno }))
    }

    /// A task that was ended by another, or because it was steady, is complete; only the user interrupts.
    fn settle(&self, end: &mut TaskEnd, task: &Task) {
        let never_ran = end.round.is_none() && end.database.is_none() && end.failed.is_none() && !task.idle;
        let outcomes = end.round.as_mut().map(|round| &mut round.outcome).or(end.database.as_mut().map(|round| &mut round.outcome));
        let early = outcomes.filter(|outcome| **outcome == RoundOutcome::Interrupted);
        match early {
            _ if self.stop.load(Relaxed) => {
                self.cut_short.fetch_or(early.is_some() || never_ran, Relaxed);
            }
            Some(outcome) => *outcome = RoundOutcome::Complete,
            None => {}
        }
    }

    fn wait_for(&self, numbers: &[usize], stop: &AtomicBool) {
        let here: Vec<usize> = numbers.iter().copied().filter(|number| self.spec.tasks.iter().any(|task| task.id == *number)).collect();
        let mut ended = self.locked();
        while !here.iter().all(|number| ended.tasks.contains(number)) && !stop.load(Relaxed) {
            ended = self.word.wait_timeout(ended, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Notes an end, and ends the tasks that were to end with it.
    fn has_ended(&self, position: usize, failed: bool) {
        let task = &self.spec.tasks[position];
        let mut ended = self.locked();
        ended.tasks.insert(task.id);
        if let Some(others) = task.ends_others.as_ref().filter(|others| failed || !others.on_failure) {
            ended.ended_by_others.extend(&others.tasks);
            let meant = self.spec.tasks.iter().zip(&self.stops).filter(|(task, _)| others.tasks.contains(&task.id));
            meant.for_each(|(_, stop)| stop.store(true, Relaxed));
        }
        drop(ended);
        self.word.notify_all();
    }
}

/// True for a task that writes files which may be somebody else's by the time when it begins.
fn needs_permit(task: &Task) -> bool {
    task.own_writes.is_some() && task.writes() && !task.idle && task.database.is_none()
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_thread(error: &std::io::Error) -> failure::Failure {
    failure::Failure {
        text: format!("no thread can be had for it: {error}"),
        errno: error.raw_os_error().unwrap_or(Errno::AGAIN.raw_os_error()),
        hint: Some("fewer jobs at once, or a higher limit (ulimit -u, a container's pids.max)".to_owned()),
    }
}
