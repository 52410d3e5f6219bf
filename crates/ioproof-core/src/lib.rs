//! The pure part of ioproof: what a figure is, what was promised, what was measured, and what follows from it.
//!
//! Everything here is a function of its arguments. The crate knows no files, network, processes, clocks or threads, so every
//! judgement can be repeated from a stored run and tested without a drive. Here are the vocabulary, statistics, claims, plans, the record, findings and
//! the judge. What drives and hosts say is read in `ioproof-pages`, fio's language in `ioproof-fio`.

#![forbid(unsafe_code)]

mod base;
pub mod compare;
pub mod describe;
pub mod drive_check;
pub mod findings;
pub mod fleet;
pub mod history;
pub mod judge;
pub mod judgement;
mod load;
pub mod method;
mod planned;
mod promised;
pub mod record;
pub mod results;
#[cfg(test)]
#[path = "tests/rule_pages.rs"]
mod rule_pages;
mod seen;
#[cfg(test)]
mod testing;

pub use base::{counts, faults, finding, histogram, io_log, metric, moment, places, splitmix, stats, text, units, warm_up};
pub use load::{database, job, search, shape, workload};
pub use planned::{plan, policy, standard};
pub use promised::{claim, datasheet, facts, identity};
pub use results::{layers, standard as standard_results, sweep, syncs, together};
pub use seen::{course, drive_state, job_figures, limited_by, measured, preconditioning, timeline, verdict};

/// The version of the judging rules; stored with every judgement so that an old run can be judged by a new rule knowingly.
pub const RULES_VERSION: u32 = 4;
