//! The plan of a run, the policy by which it is judged, and the tests of a standard.

pub mod plan;
pub mod policy;
pub mod standard;
