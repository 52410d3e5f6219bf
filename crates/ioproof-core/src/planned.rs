//! The plan of a run, and the policy by which it is judged.

pub mod plan;
pub mod policy;
