//! Work before the clock starts that may take long: it ends at Ctrl-C, and says after a while how far it is.

use anyhow::{Result, bail};
use ioproof_session::observers::progress::ProgressLine;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Before that nothing is said.
const SILENT: Duration = Duration::from_secs(2);

/// Least time between two messages.
const OFTEN: Duration = Duration::from_millis(100);

/// Work in many small steps.
pub struct Cancellable<'a> {
    stop: &'a AtomicBool,
    /// Steps in all and so far, in whatever unit.
    all: u64,
    done: u64,
    started: Instant,
    said: Instant,
    progress: ProgressLine,
}

impl<'a> Cancellable<'a> {
    pub fn new(stop: &'a AtomicBool, all: u64) -> Self {
        let now = Instant::now();
        Self { stop, all, done: 0, started: now, said: now, progress: ProgressLine::on_stderr() }
    }

    /// Counts steps that were done. `what` says so in words, from what is done and what is to be done.
    ///
    /// # Errors
    /// When the user wants it to end.
    pub fn step(&mut self, done: u64, what: impl FnOnce(u64, u64) -> String) -> Result<()> {
        if self.stop.load(Relaxed) {
            bail!("interrupted while the files were laid out; what this run made is removed");
        }
        self.done += done;
        let elapsed = self.started.elapsed();
        if elapsed >= SILENT && self.said.elapsed() >= OFTEN && self.done > 0 {
            let left = elapsed.mul_f64(self.all.saturating_sub(self.done) as f64 / self.done as f64);
            self.progress.step(&what(self.done, self.all), Some(left));
            self.said = Instant::now();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_when_the_user_wants_it() {
        let stop = AtomicBool::new(false);
        let mut cancellable = Cancellable::new(&stop, 2);
        assert!(cancellable.step(1, |_, _| String::new()).is_ok());
        stop.store(true, Relaxed);
        assert!(cancellable.step(1, |_, _| String::new()).is_err());
    }
}
