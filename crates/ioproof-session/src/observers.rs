//! Observers of the events of a run: progress on standard error, the answer to SIGUSR1, lost data, and the store.

pub mod lost;
pub mod progress;
pub mod status_on_signal;
pub mod stored;
pub mod tally;
