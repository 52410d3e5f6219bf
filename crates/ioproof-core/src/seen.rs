//! Things that a judge sees in a record: figures, limits, verdicts.

pub mod course;
pub mod drive_state;
pub mod job_figures;
pub mod limited_by;
pub mod measured;
pub mod preconditioning;
pub mod timeline;
pub mod verdict;
