//! Rules that explain or invalidate a number. Each is one file with one function and one row of [`RULES`]; README.md says how to add one.
//!
//! A rule looks at the record through [`Context`] and gives findings with the figures that they rest on. It never changes a verdict by
//! itself: a finding's `effect` says how it bears on its workload, and `judge` applies that.

mod bytes;
mod drive;
mod durable;
mod host;
mod limit;
mod prelude;
mod rate;
mod rule;
#[cfg(test)]
mod tests;
mod time_at;

pub(crate) use bytes::data_lost::{describe as describe_loss, lost};
pub(crate) use drive::above_link::link_limit;
pub(crate) use drive::elsewhere::{LINK_FULL, elsewhere, fits_its_counters, outside_of_the_drive, tells_where};
pub(crate) use host::stolen_cpu::explains_most as stolen_explains_most;
pub(crate) use host::stopped::is_found as was_stopped;
pub(crate) use limit::{LimitCheck, LimitRank, NamedLimit, RuleLimit, queueing};
pub(crate) use rate::fixed_rate::is_found as has_fixed_rate;
pub use rule::FindingRule;

use crate::finding::Finding;
use crate::measured::{Context, Measured};

/// Every rule, the gravest first.
pub const RULES: [FindingRule; 67] = [
    bytes::data_lost::RULE,
    bytes::faults_injected::RULE,
    drive::io_errors::RULE,
    bytes::page_cache::RULE,
    bytes::cached_layer::RULE,
    bytes::unseen_drive::RULE,
    bytes::compressed_memory::RULE,
    bytes::compressing::RULE,
    durable::database_compressed::RULE,
    bytes::file_trims::RULE,
    rate::pace_not_kept::RULE,
    rate::target_not_held::RULE,
    bytes::unwritten::RULE,
    durable::unflushed::RULE,
    durable::hidden_cache::RULE,
    durable::fast_flush::RULE,
    durable::commits_unsynced::RULE,
    durable::data_journal::RULE,
    bytes::large_records::RULE,
    drive::misaligned::RULE,
    drive::read_modify_write::RULE,
    drive::above_link::RULE,
    drive::thermal_throttle::RULE,
    drive::new_media_errors::RULE,
    rate::cliff::RULE,
    rate::late_rise::RULE,
    rate::fixed_rate::RULE,
    drive::slow_channel::RULE,
    drive::slow_wake::RULE,
    drive::two_times::RULE,
    drive::stalls::RULE,
    rate::not_preconditioned::RULE,
    rate::not_steady::RULE,
    rate::wide_range::RULE,
    host::own_limit::RULE,
    host::cpu_quota::RULE,
    host::stolen_cpu::RULE,
    host::stopped::RULE,
    host::memory_limit::RULE,
    host::cpu_set::RULE,
    host::low_priority::RULE,
    drive::short_queue::RULE,
    drive::split_requests::RULE,
    drive::io_scheduler::RULE,
    host::generator_cpu::RULE,
    host::busy_host::RULE,
    host::hot_cpu::RULE,
    host::cpu_throttled::RULE,
    host::cpu_pressure::RULE,
    host::memory_pressure::RULE,
    host::near_ceiling::RULE,
    drive::concurrency::RULE,
    rate::littles_law::RULE,
    rate::mix_not_kept::RULE,
    rate::slower_mix::RULE,
    durable::few_syncs::RULE,
    bytes::foreign_io::RULE,
    bytes::backing_file_used::RULE,
    drive::shared_path::RULE,
    durable::frequent_checkpoints::RULE,
    durable::full_page_writes::RULE,
    drive::slow_places::RULE,
    drive::slow_tail::RULE,
    host::host_jitter::RULE,
    drive::endurance::RULE,
    host::slower_backend::RULE,
    host::unregistered_buffers::RULE,
];

/// Applies every rule; the gravest findings come first.
pub fn find(context: &Context) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule.find(context)).collect();
    findings.sort_by_key(|f| f.severity);
    findings
}
