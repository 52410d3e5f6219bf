//! Sources of stages. `plan` is the schedule made of claims or flags, `rate_search` finds rates before it, `precondition` brings a drive to steady state,
//! `sweep` climbs and repeats the cells of a matrix, `diagnostic_runs` finds out what limits after it, `interleave` has targets take turns and asks all at once, `layers` layers and databases, `standard` runs the tests of a standard, before each of which `purge_first` purges, and `fixed` is a list, as a job file is. `staggered_start` has repeated runs of any of them begin in different places. README.md says how to add one.

pub mod diagnostic_runs;
pub mod fixed;
pub mod interleave;
pub mod layers;
pub mod load;
pub mod plan;
pub mod precondition;
pub mod purge_first;
pub mod rate_search;
pub mod staggered_start;
pub mod standard;
pub mod sweep;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod written;
