//! The pure part of ioproof: what a figure is, what was promised, what was measured, and what follows from it.
//!
//! Everything here is a function of its arguments. The crate knows no files, network, processes, clocks or threads, so every
//! judgement can be repeated from a stored run and tested without a drive. Here are the vocabulary, statistics, claims, plans, the record, findings and
//! the judge. What drives and hosts say is read in `ioproof-pages`, fio's language in `ioproof-fio`.

#![forbid(unsafe_code)]

pub mod claim;
pub mod compare;
pub mod database;
pub mod datasheet;
pub mod export;
pub mod facts;
pub mod faults;
pub mod finding;
pub mod findings;
pub mod histogram;
pub mod history;
pub mod identity;
pub mod io_log;
pub mod job;
pub mod judge;
pub mod judgement;
pub mod layers;
pub mod limited_by;
pub mod measured;
pub mod method;
pub mod metric;
pub mod plan;
pub mod policy;
pub mod record;
#[cfg(test)]
#[path = "tests/rule_pages.rs"]
mod rule_pages;
pub mod search;
pub mod shape;
pub mod splitmix;
pub mod stats;
pub mod sweep;
pub mod syncs;
#[cfg(test)]
mod testing;
pub mod text;
pub mod together;
pub mod units;
pub mod verdict;
pub mod workload;

/// The version of the judging rules; stored with every judgement so that an old run can be judged by a new rule knowingly.
pub const RULES_VERSION: u32 = 4;
