//! Verdicts, findings and limits as data, and what was measured as they see it.

pub mod finding;
pub mod history;
pub mod judgement;
pub mod limited_by;
pub mod measured;
pub mod verdict;
