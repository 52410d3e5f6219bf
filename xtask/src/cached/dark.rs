//! Waiting until the power of a drive has failed, which another thread brings about.

use super::CachedDrive;
use anyhow::{Result, bail};
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Waits for the end of the drive that is in `state`; whoever takes its power tells `changed`.
///
/// # Errors
/// When it has not come in this time.
pub fn wait<T>(mut state: MutexGuard<'_, T>, drive: impl Fn(&T) -> &CachedDrive, changed: &Condvar, limit: Duration) -> Result<()> {
    let until = Instant::now() + limit;
    while drive(&state).is_on() {
        let Some(left) = until.checked_duration_since(Instant::now()) else {
            bail!("so little was asked of the drive that its power did not fail in {} s", limit.as_secs());
        };
        state = changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    Ok(())
}
