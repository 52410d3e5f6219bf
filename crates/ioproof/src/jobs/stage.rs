//! Stages one after the other; in each, all clones side by side, a thread each.

mod so_far;
mod steady;

use self::so_far::SoFar;
use self::steady::Watch;
use super::ask::Asked;
use super::clone::Clone;
use super::one::{self, End, Task};
use super::status::{Live, Status};
use crate::stages::bench::clock_choice;
use ioproof_fio::settings::{ExitWhat, Start};
use ioproof_core::record::RoundOutcome;
use ioproof_engine::{ClockChoice, Snapshot};
use ioproof_target::System;
use rustix::io::Errno;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the watching thread looks.
const TICK: Duration = Duration::from_millis(50);

/// What the threads of a run share.
struct Run<'a> {
    system: &'a System,
    asked: &'a Asked,
    clones: &'a [Clone],
    clock: ClockChoice,
    /// Set by Ctrl-C.
    stop: &'a AtomicBool,
    /// Set to end one clone.
    stops: Vec<AtomicBool>,
    /// Which clones have ended, and word of it.
    ended: Mutex<Vec<bool>>,
    word: Condvar,
    live: Vec<Live>,
    /// How often results so far were asked for.
    wanted: AtomicU64,
    started: Instant,
}

/// Runs all stages; gives the end of each clone, in their order.
pub fn all(system: &System, asked: &Asked, clones: &[Clone], stop: &AtomicBool) -> Vec<End> {
    let run = Run {
        system,
        asked,
        clones,
        clock: clock_choice(system),
        stop,
        stops: clones.iter().map(|_| AtomicBool::new(false)).collect(),
        ended: Mutex::new(vec![false; clones.len()]),
        word: Condvar::new(),
        live: clones.iter().map(|_| Live::default()).collect(),
        wanted: AtomicU64::new(0),
        started: Instant::now(),
    };
    let mut watching = Watching { status: Status::new(asked, clones), so_far: SoFar::new(asked), steady: Vec::new() };
    let mut ends: Vec<End> = clones.iter().map(|_| End::default()).collect();
    for stage in &asked.schedule.stages {
        if !stop.load(Relaxed) {
            run.stage(stage, &mut watching, &mut ends);
        }
    }
    watching.status.clear();
    ends
}

/// What the watching thread does beside waiting.
struct Watching<'a> {
    status: Status<'a>,
    so_far: SoFar<'a>,
    steady: Vec<Watch>,
}

impl Run<'_> {
    fn stage(&self, places: &[usize], watching: &mut Watching<'_>, ends: &mut [End]) {
        watching.steady = steady::watches(self.asked, self.clones, places);
        std::thread::scope(|scope| {
            let threads: Vec<_> = places.iter().map(|place| (*place, scope.spawn(move || self.clone(*place)))).collect();
            while threads.iter().any(|(_, thread)| !thread.is_finished()) {
                self.look(watching);
                std::thread::sleep(TICK);
            }
            for (place, thread) in threads {
                // A thread that panicked has printed why.
                ends[place] = thread.join().unwrap_or_else(|_| End::failed(("it panicked".to_owned(), Errno::INVAL.raw_os_error())));
            }
        });
        for watch in &watching.steady {
            watch.places.iter().for_each(|place| ends[*place].steady = Some(watch.found()));
        }
    }

    fn look(&self, watching: &mut Watching<'_>) {
        let Watching { status, so_far, steady } = watching;
        if self.stop.load(Relaxed) {
            self.end_all();
        }
        for watch in steady.iter_mut() {
            if watch.look(&self.live) {
                watch.places.iter().for_each(|place| self.stops[*place].store(true, Relaxed));
            }
        }
        status.show(&self.live, self.started.elapsed());
        so_far.look(self.clones, &self.live, &self.wanted, self.started, steady);
    }

    /// One clone, in its thread.
    fn clone(&self, place: usize) -> End {
        let (clone, stop, live) = (&self.clones[place], &self.stops[place], &self.live[place]);
        let job = self.asked.job(clone);
        self.wait_for(&clone.instance.waits_for, stop);
        let task = Task { system: self.system, clone, job, clock: self.clock, stop };
        let mut answered = 0;
        let end = one::run(&task, &mut |now: Snapshot<'_>| {
            live.now(&now);
            let wanted = self.wanted.load(Relaxed);
            if wanted > answered {
                answered = wanted;
                live.answer(wanted, one::so_far(clone, &now, live.started_ms()));
            }
        });
        let mut end = End { elapsed: self.started.elapsed(), ..end };
        self.settle(&mut end);
        live.end(end.summary());
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)[place] = true;
        self.word.notify_all();
        self.end_others(place, &job.settings.start, end.failed.is_some());
        end
    }

    /// What another job ended, or what was steady, is complete; only the user interrupts.
    fn settle(&self, end: &mut End) {
        if let Some(round) = end.round.as_mut().filter(|round| round.outcome == RoundOutcome::Interrupted)
            && !self.stop.load(Relaxed)
        {
            round.outcome = RoundOutcome::Complete;
        }
    }

    fn wait_for(&self, places: &[usize], stop: &AtomicBool) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        while !places.iter().all(|place| ended[*place]) && !stop.load(Relaxed) {
            ended = self.word.wait_timeout(ended, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// `exitall`, `exitall_on_error`.
    fn end_others(&self, place: usize, start: &Start, failed: bool) {
        let ends_others = start.exit_all || start.exit_all_on_error && failed;
        if !ends_others {
            return;
        }
        let own = &self.clones[place].instance;
        let meant = |other: &Clone| match start.exit_what {
            ExitWhat::Group => other.instance.group == own.group,
            ExitWhat::Stonewall => other.instance.stage == own.stage,
            ExitWhat::All => true,
        };
        self.clones.iter().zip(&self.stops).filter(|(other, _)| meant(other)).for_each(|(_, stop)| stop.store(true, Relaxed));
    }

    fn end_all(&self) {
        self.stops.iter().for_each(|stop| stop.store(true, Relaxed));
    }
}
