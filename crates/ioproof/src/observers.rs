//! Observers of a run's events: progress on standard error, the answer to SIGUSR1, and the store. fio's status line and results so far are in
//! `job_files`, since they speak its language.

pub mod asked;
pub mod progress;
pub mod stored;
