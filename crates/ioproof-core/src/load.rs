//! Work for a drive: its conditions, its details, the plan of it, and what an engine gets.

pub mod database;
pub mod job;
pub mod search;
pub mod shape;
pub mod workload;
