//! A drive whose truth is known: a file on a filesystem of ours (FUSE), each I/O of which takes as long as `served/behaviour.rs` says.
//!
//! A thread for each slot of the drive keeps a request for its time. The content lies in memory.

pub mod behaviour;

use crate::cached::Action;
use crate::command::locked;
use crate::fuse::{self, EIO, ENOSYS, Mounted};
use anyhow::Result;
use behaviour::{Behaviour, Moment};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Drive {
    behaviour: Behaviour,
    size_bytes: u64,
    content: File,
    begun: Instant,
    ios: AtomicU64,
    written: AtomicU64,
    past: Mutex<Past>,
}

#[derive(Default)]
struct Past {
    opens: Duration,
    used: Duration,
    awake: Duration,
    wrote: bool,
    passed: u64,
}

/// Time that nobody used, which the gate gives back.
const CREDIT: Duration = Duration::from_millis(20);

pub fn start(file: &Path, size_bytes: u64, filled: bool, behaviour: Behaviour) -> Result<Mounted> {
    let (ios, written) = (AtomicU64::new(0), AtomicU64::new(0));
    let content = memory(size_bytes, filled)?;
    let drive = Drive { behaviour, size_bytes, content, begun: Instant::now(), ios, written, past: Mutex::default() };
    Mounted::start(file, behaviour.slots, &Arc::new(drive))
}

fn memory(size_bytes: u64, filled: bool) -> Result<File> {
    let file = File::from(rustix::fs::memfd_create("served", rustix::fs::MemfdFlags::CLOEXEC)?);
    file.set_len(size_bytes)?;
    if filled {
        let mut block = vec![0; 1 << 20];
        File::open("/dev/urandom")?.read_exact(&mut block)?;
        (0..size_bytes >> 20).try_for_each(|mib| file.write_all_at(&block, mib << 20))?;
    }
    Ok(file)
}

impl fuse::Drive for Drive {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn io(&self, action: Action) -> Result<Vec<u8>, i32> {
        if matches!(action, Action::Clear { .. }) {
            return Err(ENOSYS);
        }
        let begun = Instant::now();
        let number = self.ios.fetch_add(1, Ordering::Relaxed);
        let (moment, opens) = self.take_in(&action, begun - self.begun, number);
        let until = (begun + self.behaviour.time_of(&action, moment)).max(self.begun + opens);
        let outcome = self.carry_out(&action, number).ok().filter(|_| !self.behaviour.fails(number)).ok_or(EIO);
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
        locked(&self.past).used = self.begun.elapsed();
        outcome
    }
}

impl Drive {
    /// State in which an I/O finds the drive, and when it is through the gate. However late somebody wakes up, the rate stays.
    fn take_in(&self, action: &Action, now: Duration, number: u64) -> (Moment, Duration) {
        let mut past = locked(&self.past);
        past.opens = past.opens.max(now.saturating_sub(CREDIT)) + self.behaviour.gate(action, past.passed);
        past.passed += u64::from(self.behaviour.is_gated(action));
        if let Some((idle_ms, wake_ms)) = self.behaviour.sleep_ms
            && now.saturating_sub(past.used.max(past.awake)) >= Duration::from_millis(idle_ms)
        {
            past.awake = now + Duration::from_millis(wake_ms);
        }
        let writes = matches!(action, Action::Write { .. });
        let (asleep, turns) = (past.awake.saturating_sub(now), past.wrote != writes);
        past.wrote = writes;
        (Moment { since_start: now, written: self.written.load(Ordering::Relaxed), number, asleep, turns }, past.opens)
    }

    fn carry_out(&self, action: &Action, number: u64) -> std::io::Result<Vec<u8>> {
        match action {
            Action::Read { offset, length } => {
                let mut data = vec![0; *length];
                self.content.read_exact_at(&mut data, *offset as u64)?;
                return Ok(data);
            }
            Action::Write { offset, data, .. } => {
                if !self.behaviour.drops(number) {
                    self.content.write_all_at(data, *offset as u64)?;
                }
                self.written.fetch_add(data.len() as u64, Ordering::Relaxed);
            }
            Action::Flush | Action::Clear { .. } => {}
        }
        Ok(Vec::new())
    }
}
