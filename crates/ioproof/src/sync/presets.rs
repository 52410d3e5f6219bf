//! Presets of `sync`: the durable writes of a program that people ask about. One file a preset, with a row in [`TABLE`]; what was typed goes before what a
//! preset says.

mod ceph_journal;
mod etcd;
mod postgres_wal;
mod sysbench;
mod ways;
mod zfs_slog;

use super::show_loss;
use crate::load::Load;
use crate::sweep::presets::{with_default, without_refused};
use clap::Arg;
use clap::builder::{PossibleValue, PossibleValuesParser, Resettable, TypedValueParser};
use ioproof_core::claim::Statistic;
use ioproof_core::syncs::Goal;
use ioproof_core::workload::Workload;

/// Loads as one would type them, and what they are held against.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Name behind `--as`.
    pub name: &'static str,
    /// The program and what of it is measured.
    pub about: &'static str,
    /// Flags of the loads, the main one first.
    pub loads: &'static [&'static str],
    /// The limit on a sync of the first load, where its community states one.
    pub limit: Option<Limit>,
}

/// A limit on the latency of a sync.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// The percentile that is limited.
    pub statistic: Statistic,
    /// The most that it may be. Nanoseconds.
    pub most_ns: u64,
    /// Where it is stated.
    pub source: &'static str,
}

const TABLE: [Preset; 6] = [ways::PRESET, etcd::PRESET, ceph_journal::PRESET, postgres_wal::PRESET, zfs_slog::PRESET, sysbench::PRESET];

/// The preset where none is named.
pub const USUAL: Preset = ways::PRESET;

impl Preset {
    /// Its limit on that of these workloads which is its first load as it comes; another load is another program's.
    pub fn goals(&self, workloads: &[Workload]) -> Vec<Goal> {
        let own = Load::of_flags(self.loads[0]).and_then(|load| load.workloads().into_iter().next());
        let goal = |limit: Limit, workload: Workload| Goal {
            name: self.name.to_owned(),
            workload,
            statistic: limit.statistic,
            most_ns: limit.most_ns,
            source: limit.source.to_owned(),
        };
        let judged = self.limit.zip(own).filter(|(_, own)| workloads.contains(own));
        judged.map(|(limit, own)| goal(limit, own)).into_iter().collect()
    }
}

/// The preset of this name.
#[cfg(test)]
pub fn named(name: &str) -> Preset {
    *TABLE.iter().find(|preset| preset.name == name).unwrap_or(&USUAL)
}

/// Reads the name of a preset.
pub fn names() -> impl TypedValueParser<Value = Preset> {
    let values = TABLE.map(|preset| PossibleValue::new(preset.name).help(preset.about));
    PossibleValuesParser::new(values).map(|name| *TABLE.iter().find(|preset| preset.name == name).unwrap_or(&USUAL))
}

/// True where a further load of a preset differs from the first one in a flag that was typed: with that in its place it would measure nothing of its own.
pub fn varies_what_was_typed(typed: &Load, first: &str, further: &str) -> bool {
    let (Some(first), Some(further)) = (Load::of_flags(first), Load::of_flags(further)) else { return false };
    let varied = [
        (!typed.rw.is_empty(), first.rw != further.rw),
        (!typed.bs.is_empty(), first.bs != further.bs),
        (!typed.depth.is_empty(), first.depth != further.depth),
        (!typed.workers.is_empty(), first.workers != further.workers),
        (!typed.sync.is_empty(), first.sync != further.sync),
        (!typed.write_to.is_empty(), first.write_to != further.write_to),
        (typed.files.is_some(), first.files != further.files),
        (typed.buffered, first.buffered != further.buffered),
    ];
    varied.contains(&(true, true))
}

/// Fills in what was left open.
pub fn fill(load: &mut Load, flags: &str) {
    if let Some(usual) = Load::of_flags(flags) {
        load.fill_in(usual);
    }
}

/// Puts the defaults of `sync` into the help of flags that have others under `verify`, and hides those that it refuses.
pub fn in_help(arg: Arg) -> Arg {
    let arg = show_loss::alone(without_refused(arg));
    match arg.get_id().as_str() {
        // Refused with its reason, which a conflict with the target would hide.
        "interleave" => show_loss::alone(arg.conflicts_with(Resettable::Reset)),
        "time" => with_default(arg, "60s for a scratch file, else 3m"),
        "rw" | "bs" | "depth" | "workers" | "sync" | "write_to" | "files" => with_default(arg, "the preset's"),
        "backend" => arg.help(BACKEND).hide_default_value(true),
        _ => arg,
    }
}

/// Databases write by calls that wait, and several backends would be several answers.
const BACKEND: &str = "Backend that does the I/O; with psync each call waits, as in databases  [default: psync]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_read_and_writes() {
        for preset in TABLE {
            for flags in preset.loads {
                let load = Load::of_flags(flags).unwrap_or_else(|| panic!("{}: {flags}", preset.name));
                load.check().unwrap_or_else(|error| panic!("{}: {flags}: {error}", preset.name));
                let workloads = load.workloads();
                assert!(!workloads.is_empty() && workloads.iter().all(Workload::writes), "{}: {flags}", preset.name);
            }
        }
    }

    #[test]
    fn the_limit_is_on_the_first_load() {
        let workloads = Load::of_flags(etcd::PRESET.loads[0]).unwrap().workloads();
        let goals = etcd::PRESET.goals(&workloads);
        assert_eq!((goals.len(), goals[0].most_ns, &goals[0].workload), (1, 10_000_000, &workloads[0]));
        assert!(ways::PRESET.goals(&workloads).is_empty());
    }
}
