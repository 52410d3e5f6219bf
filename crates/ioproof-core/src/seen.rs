//! Things that a judge sees in a record: figures, limits, verdicts.

pub mod limited_by;
pub mod measured;
pub mod verdict;
