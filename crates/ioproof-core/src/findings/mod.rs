//! Rules that explain or invalidate a number. Each is one file with one function and one row of [`RULES`]; README.md says how to add one.
//!
//! A rule looks at the record through [`Context`] and gives findings with the figures that they rest on. It never changes a verdict by
//! itself: a finding's `effect` says how it bears on its workload, and `judge` applies that.

mod above_link;
mod backing_file_used;
mod busy_host;
mod cached_layer;
mod cliff;
mod commits_unsynced;
mod compressed_memory;
mod compressing;
mod concurrency;
mod cpu_pressure;
mod cpu_quota;
mod cpu_set;
mod cpu_throttled;
mod cpu_waiting;
mod data_journal;
mod data_lost;
mod database_compressed;
mod elsewhere;
mod endurance;
mod fast_flush;
mod faults_injected;
mod few_syncs;
mod file_trims;
mod foreign_io;
mod frequent_checkpoints;
mod full_page_writes;
mod generator_cpu;
mod hidden_cache;
mod host_jitter;
mod hot_cpu;
mod io_errors;
mod io_scheduler;
mod large_records;
mod limit;
mod littles_law;
mod low_priority;
mod memory_limit;
mod memory_pressure;
mod misaligned;
mod mix_not_kept;
mod near_ceiling;
mod new_media_errors;
mod not_steady;
mod own_limit;
mod pace_not_kept;
mod page_cache;
mod read_modify_write;
mod shared_path;
mod short_queue;
mod slow_tail;
mod stalls;
mod stolen_cpu;
mod stopped;
mod target_not_held;
#[cfg(test)]
mod tests;
mod thermal_throttle;
mod time_at;
mod unflushed;
mod unregistered_buffers;
mod unwritten;

pub(crate) use above_link::link_limit;
pub(crate) use data_lost::{lost, words as words_of_loss};
pub(crate) use elsewhere::{LINK_FULL, elsewhere, fits_its_counters, outside_of_the_drive, tells_where};
pub(crate) use limit::{Limit, LimitRank, Look, Named, queueing};
pub(crate) use stopped::is_found as was_stopped;

use crate::finding::{Effect, Evidence, Finding, Severity, Subject};
use crate::measured::{Context, Measured};
#[cfg(test)]
use crate::record::RunRecord;

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable name, as findings carry it.
    pub name: &'static str,
    /// The thing it looks for, in one sentence.
    pub about: &'static str,
    check: fn(&Context) -> Vec<Finding>,
    /// The way in which it limits a number, where it does.
    pub(crate) limit: Option<Limit>,
    /// A record on which it fires.
    #[cfg(test)]
    fires: fn() -> RunRecord,
    /// A record close to that one on which it is silent.
    #[cfg(test)]
    silent: fn() -> RunRecord,
}

impl Rule {
    /// True where what it finds can be what limits a number.
    #[must_use]
    pub fn limits(&self) -> bool {
        self.limit.is_some()
    }
}

/// Every rule, the gravest first.
pub const RULES: [Rule; 55] = [
    data_lost::RULE,
    faults_injected::RULE,
    io_errors::RULE,
    page_cache::RULE,
    cached_layer::RULE,
    compressed_memory::RULE,
    compressing::RULE,
    database_compressed::RULE,
    file_trims::RULE,
    pace_not_kept::RULE,
    target_not_held::RULE,
    unwritten::RULE,
    unflushed::RULE,
    hidden_cache::RULE,
    fast_flush::RULE,
    commits_unsynced::RULE,
    data_journal::RULE,
    large_records::RULE,
    misaligned::RULE,
    read_modify_write::RULE,
    above_link::RULE,
    thermal_throttle::RULE,
    new_media_errors::RULE,
    cliff::RULE,
    stalls::RULE,
    not_steady::RULE,
    own_limit::RULE,
    cpu_quota::RULE,
    stolen_cpu::RULE,
    stopped::RULE,
    memory_limit::RULE,
    cpu_set::RULE,
    low_priority::RULE,
    short_queue::RULE,
    io_scheduler::RULE,
    generator_cpu::RULE,
    busy_host::RULE,
    hot_cpu::RULE,
    cpu_throttled::RULE,
    cpu_pressure::RULE,
    memory_pressure::RULE,
    near_ceiling::RULE,
    concurrency::RULE,
    littles_law::RULE,
    mix_not_kept::RULE,
    few_syncs::RULE,
    foreign_io::RULE,
    backing_file_used::RULE,
    shared_path::RULE,
    frequent_checkpoints::RULE,
    full_page_writes::RULE,
    slow_tail::RULE,
    host_jitter::RULE,
    endurance::RULE,
    unregistered_buffers::RULE,
];

/// Applies every rule; the gravest findings come first.
#[must_use]
pub fn find(context: &Context) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| (rule.check)(context)).collect();
    findings.sort_by_key(|f| f.severity);
    findings
}

/// The parts that all findings of a rule have alike.
fn finding(rule: &Rule, severity: Severity, effect: Effect, title: String, evidence: Vec<Evidence>, remedy: &str) -> Finding {
    Finding { rule: rule.name.to_owned(), severity, subject: Subject::Run, title, evidence, effect, remedy: remedy.to_owned() }
}

/// A finding on one job.
fn finding_on(
    measured: &Measured,
    rule: &Rule,
    severity: Severity,
    effect: Effect,
    title: String,
    evidence: Vec<Evidence>,
    remedy: &str,
) -> Finding {
    Finding { subject: Subject::Job(measured.index), ..finding(rule, severity, effect, title, evidence, remedy) }
}
