//! Observers of a run's events: progress on standard error, the answer to SIGUSR1, lost data, the store, and the
//! live view (`--live`). fio's status line and results so far are in
//! `job_files`, since they speak its language.

pub mod asked;
pub mod live;
pub mod lost;
pub mod progress;
pub mod stored;
mod tally;
