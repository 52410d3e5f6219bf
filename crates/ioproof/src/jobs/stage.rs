//! Stages one after the other; in each, all clones side by side, a thread each.

use super::ask::Asked;
use super::one::{self, End};
use super::prepare::Clone;
use super::status::{Live, Status};
use crate::stages::bench::clock_choice;
use ioproof_core::fio::settings::{ExitWhat, Start};
use ioproof_engine::ClockChoice;
use ioproof_target::System;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the watching thread looks.
const TICK: Duration = Duration::from_millis(50);

/// What the threads of a run share.
struct Run<'a> {
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
    started: Instant,
}

/// Runs all stages; gives the end of each clone, in their order.
pub fn all(system: &System, asked: &Asked, clones: &[Clone], stop: &AtomicBool) -> Vec<End> {
    let run = Run {
        asked,
        clones,
        clock: clock_choice(system),
        stop,
        stops: clones.iter().map(|_| AtomicBool::new(false)).collect(),
        ended: Mutex::new(vec![false; clones.len()]),
        word: Condvar::new(),
        live: clones.iter().map(|_| Live::default()).collect(),
        started: Instant::now(),
    };
    let mut status = Status::new(asked, clones);
    let mut ends: Vec<End> = clones.iter().map(|_| End::default()).collect();
    for stage in &asked.schedule.stages {
        if !stop.load(Relaxed) {
            run.stage(stage, &mut status, &mut ends);
        }
    }
    status.clear();
    ends
}

impl Run<'_> {
    fn stage(&self, places: &[usize], status: &mut Status<'_>, ends: &mut [End]) {
        std::thread::scope(|scope| {
            let threads: Vec<_> = places.iter().map(|place| (*place, scope.spawn(move || self.clone(*place)))).collect();
            while threads.iter().any(|(_, thread)| !thread.is_finished()) {
                if self.stop.load(Relaxed) {
                    self.end_all();
                }
                status.show(&self.live, self.started.elapsed());
                std::thread::sleep(TICK);
            }
            for (place, thread) in threads {
                // A thread that panicked has printed why.
                ends[place] = thread.join().unwrap_or_else(|_| End { failed: Some(("it panicked".into(), 22)), ..End::default() });
            }
        });
    }

    /// One clone, in its thread.
    fn clone(&self, place: usize) -> End {
        let (clone, stop) = (&self.clones[place], &self.stops[place]);
        let job = self.asked.job(clone);
        self.wait_for(&clone.instance.waits_for, stop);
        self.live[place].start();
        let end = one::run(clone, job, self.clock, stop, &mut |now| self.live[place].now(now));
        self.live[place].end();
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)[place] = true;
        self.word.notify_all();
        self.end_others(place, &job.settings.start, end.failed.is_some());
        End { elapsed: self.started.elapsed(), ..end }
    }

    fn wait_for(&self, places: &[usize], stop: &AtomicBool) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        while !places.iter().all(|place| ended[*place]) && !stop.load(Relaxed) {
            ended = self.word.wait_timeout(ended, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// `exitall`, `exitall_on_error`.
    fn end_others(&self, place: usize, start: &Start, failed: bool) {
        if !start.exit_all && !(start.exit_all_on_error && failed) {
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
