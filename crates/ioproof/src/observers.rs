//! Observers of a run's events: progress on standard error, and the store. fio's status line and results so far are in `job_files`, since they speak its
//! language.

pub mod progress;
pub mod stored;
