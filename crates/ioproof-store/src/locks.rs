//! Locks of the store: that of a run, which its process holds while it goes on, and that of the store itself, held for the moments in which names are given.
//!
//! Both are the kernel's (flock(2)), so a process that is killed holds none.

use crate::layout::LOCK;
use anyhow::Result;
use ioproof_process::complaint::complaint;
use ioproof_process::folders;
use ioproof_target::open_own;
use ioproof_target::output_file::open_lock;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// Time between two tries.
const WAIT: Duration = Duration::from_millis(10);

const STORE_TRIES: u32 = 1000;
const RUN_TRIES: u32 = 20;

/// Waits until no other process gives a name to a run or to a folder of the store, and keeps all others from it until this is dropped.
///
/// # Errors
/// When another process does not end, or the state folder cannot be written.
pub fn lock_store() -> Result<File> {
    let path = folders::state()?.join("store.lock");
    let lock = open_lock(&path)?;
    match is_taken(&lock, STORE_TRIES) {
        true => Ok(lock),
        false => Err(complaint(format!("another process holds {}", path.display()), "wait until it has ended, and try again")),
    }
}

/// The lock of the run in a folder, where its process has ended. Others who look hold it for a moment, which is waited for.
pub(crate) fn lock_of(folder: &Path) -> Result<Option<File>> {
    let lock = open_lock(&folder.join(LOCK))?;
    Ok(is_taken(&lock, RUN_TRIES).then_some(lock))
}

/// True while the process of a run holds its lock.
pub fn is_locked(folder: &Path) -> bool {
    open_own(&folder.join(LOCK)).is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
}

fn is_taken(lock: &File, tries: u32) -> bool {
    (0..tries).any(|number| {
        if number > 0 {
            std::thread::sleep(WAIT);
        }
        flock(lock, FlockOperation::NonBlockingLockExclusive).is_ok()
    })
}
