//! Ctrl-C: the first ends the run, which still reports; the second ends the program at once.

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit status of a run that was interrupted.
const INTERRUPTED: i32 = 3;

/// Has a file beyond the user's limit (`ulimit -f`) fail as a write does, where the signal for it would end the program without a word.
pub fn survive_limits() {
    // Where the kernel refuses a handler, it stays as it is.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// A flag that the first SIGINT, SIGTERM or SIGHUP sets.
///
/// # Errors
/// When the kernel refuses to install a handler.
pub fn flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the shutdown looks at the flag before the second line sets it, so only the second signal ends the program.
        signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&stop))
            .context("cannot install a signal handler")?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("cannot install a signal handler")?;
    }
    Ok(stop)
}
