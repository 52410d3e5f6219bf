//! Stored runs, comparisons and reports.

mod baseline;
mod compare;
pub mod fleet;
mod own_outputs;
mod reports;
mod stored;
mod verbs;
