//! The gate at which the workers of a job wait for each other. Unlike a barrier it can be opened before all have come, where one of them is never to.

use std::sync::{Condvar, Mutex, PoisonError};

/// Closed until it is opened, once.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Lets everybody through, from now on.
    pub(crate) fn open(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }

    /// Waits until it is open.
    pub(crate) fn wait(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.opened.wait_while(open, |open| !*open).unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lets_through_who_came_before_and_after_it_was_opened() {
        let gate = Gate::default();
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..3).map(|_| scope.spawn(|| gate.wait())).collect();
            gate.open();
            gate.wait();
            assert!(waiting.into_iter().all(|thread| thread.join().is_ok()));
        });
    }
}
