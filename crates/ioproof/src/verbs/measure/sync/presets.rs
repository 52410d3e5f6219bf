//! Presets of `sync`: the durable writes of a program that people ask about. What was typed goes before what a preset says.

use crate::flags::help::{with_default, without_refused};
use crate::flags::load::LoadFlags;
use clap::Arg;
use clap::builder::{PossibleValue, PossibleValuesParser, Resettable, TypedValueParser};
use ioproof_core::claim::Statistic;
use ioproof_core::syncs::Goal;
use ioproof_core::workload::Workload;

/// Loads as one would type them, and what they are held against.
#[derive(Debug, Clone, Copy)]
pub struct SyncPreset {
    /// Name behind `--as`.
    pub name: &'static str,
    /// The program and what of it is measured.
    pub about: &'static str,
    /// Flags of the loads, the main one first.
    pub loads: &'static [&'static str],
    /// The limit on a sync of the first load, where its community states one.
    pub limit: Option<PresetLimit>,
}

#[derive(Debug, Clone, Copy)]
pub struct PresetLimit {
    pub statistic: Statistic,
    /// The most that it may be. Nanoseconds.
    pub most_ns: u64,
    pub source: &'static str,
}

/// The presets; the first is taken where none is named.
const TABLE: [SyncPreset; 6] = [
    // Every way of making a write durable, then block sizes, writers and growing files by the way that databases use most.
    SyncPreset {
        name: "ways",
        about: "every way of making writes durable; then block sizes, several writers, growing files and several files with fdatasync",
        loads: &[
            "--rw write --bs 4KiB --workers 1 --depth 1 --sync fdatasync,fsync,dsync,sync,fdatasync:8,range:8,none",
            "--rw write --bs 512,16KiB,64KiB --workers 1 --depth 1 --sync fdatasync",
            "--rw write --bs 4KiB --workers 4,16 --depth 1 --sync fdatasync",
            "--rw write --bs 4KiB --workers 1 --depth 1 --sync fdatasync --write-to append,append-reserved,reserved",
            "--rw randwrite --bs 4KiB --workers 1 --depth 1 --sync fsync,fsync-all:1 --files 8",
        ],
        limit: None,
    },
    // The write-ahead log of etcd: small entries appended through the page cache to a file whose space is reserved, each with fdatasync before it is answered
    // (etcd, `server/storage/wal`). The size is that of the job with which its community measures disks.
    SyncPreset {
        name: "etcd",
        about: "the log of etcd: entries of 2300 bytes, each with fdatasync, p99 at most 10 ms",
        loads: &["--rw write --bs 2300 --workers 1 --depth 1 --sync fdatasync --write-to append-reserved --buffered"],
        limit: Some(PresetLimit {
            statistic: Statistic::P99,
            most_ns: 10_000_000,
            source: "etcd.io, FAQ: the 99th percentile of wal_fsync_duration_seconds should be less than 10 ms",
        }),
    },
    // The journal of Ceph: direct writes of 4 KiB in sequence by one job, each durable before the next (O_DIRECT and O_DSYNC), by which its community tells drives
    // with protection against power loss from others. It states no limit.
    SyncPreset {
        name: "ceph-journal",
        about: "the journal of Ceph: direct writes of 4 KiB with O_DSYNC by one job",
        loads: &["--rw write --bs 4KiB --workers 1 --depth 1 --sync dsync"],
        limit: None,
    },
    // The write-ahead log of PostgreSQL: pages of 8 KiB written over recycled segments, one a commit and two, by each of the methods that `wal_sync_method`
    // chooses from and that pg_test_fsync measures; and several writers, whose commits it puts together.
    SyncPreset {
        name: "postgres-wal",
        about: "the log of PostgreSQL: pages of 8 KiB by every wal_sync_method, as pg_test_fsync has them",
        loads: &[
            "--rw write --bs 8KiB --workers 1 --depth 1 --sync fdatasync,fsync,fdatasync:2,fsync:2 --buffered",
            "--rw write --bs 8KiB --workers 1 --depth 1 --sync dsync,sync",
        ],
        limit: None,
    },
    // A separate log of ZFS: writes of 4 to 128 KiB in sequence, each followed by a flush of the drive, at depth 1 (OpenZFS, `zil.c`: a block of the log is
    // written, then the write cache is flushed).
    SyncPreset {
        name: "zfs-slog",
        about: "a separate log of ZFS: writes of 4 to 128 KiB, a flush after each",
        loads: &["--rw write --bs 4KiB,16KiB,64KiB,128KiB --workers 1 --depth 1 --sync fdatasync"],
        limit: None,
    },
    // `sysbench fileio --file-test-mode=rndrw` as it comes: 128 files, blocks of 16 KiB through the page cache, three reads to two writes, 16 threads. By default it
    // syncs every file after 100 requests; 1 makes that 128 syncs after each write, `--file-fsync-all` one.
    SyncPreset {
        name: "sysbench",
        about: "sysbench fileio rndrw: 128 files, 16 KiB, 16 threads, with --file-fsync-freq=0, 1 and 100, and --file-fsync-all",
        loads: &[
            "--rw randrw:60 --bs 16KiB --workers 16 --depth 1 --sync none,fsync-all:1,fsync-all:100,fsync --files 128 --buffered --distribution free",
        ],
        limit: None,
    },
];

/// The preset where none is named.
pub const USUAL: SyncPreset = TABLE[0];

impl SyncPreset {
    /// Its limit on that of these workloads which is its first load as it comes; another load is another program's.
    pub fn goals(&self, workloads: &[Workload]) -> Vec<Goal> {
        let own = LoadFlags::of_flags(self.loads[0]).and_then(|load| load.workloads().into_iter().next());
        let goal = |limit: PresetLimit, workload: Workload| Goal {
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

#[cfg(test)]
pub fn named(name: &str) -> SyncPreset {
    *TABLE.iter().find(|preset| preset.name == name).unwrap_or(&USUAL)
}

pub fn names() -> impl TypedValueParser<Value = SyncPreset> {
    let values = TABLE.map(|preset| PossibleValue::new(preset.name).help(preset.about));
    PossibleValuesParser::new(values).map(|name| *TABLE.iter().find(|preset| preset.name == name).unwrap_or(&USUAL))
}

/// True where a further load of a preset differs from the first one in a flag that was typed: with that in its place it would measure nothing of its own.
pub fn varies_what_was_typed(typed: &LoadFlags, first: &str, further: &str) -> bool {
    let (Some(first), Some(further)) = (LoadFlags::of_flags(first), LoadFlags::of_flags(further)) else { return false };
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
pub fn fill(load: &mut LoadFlags, flags: &str) {
    if let Some(usual) = LoadFlags::of_flags(flags) {
        load.fill_in(usual);
    }
}

/// Puts the defaults of `sync` into the help of flags that have others under `verify`, and hides those that it refuses.
pub fn in_help(arg: Arg) -> Arg {
    let arg = alone(without_refused(arg));
    match arg.get_id().as_str() {
        // Refused with its reason, which a conflict with the target would hide.
        "interleave" => alone(arg.conflicts_with(Resettable::Reset)),
        "time" => with_default(arg, "60s for a scratch file, else 3m"),
        "rw" | "bs" | "depth" | "workers" | "sync" | "write_to" | "files" => with_default(arg, "the preset's"),
        "backend" => arg.help(BACKEND).hide_default_value(true),
        _ => arg,
    }
}

/// Flags that mean something to `--show-loss`; no other one goes with it.
const TAKEN: [&str; 5] = ["target", "time", "json", "show_loss", "after"];

/// Keeps a flag of `sync` that would mean nothing away from it.
fn alone(arg: Arg) -> Arg {
    let is_taken = TAKEN.contains(&arg.get_id().as_str());
    if is_taken { arg } else { arg.conflicts_with("show_loss") }
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
                let load = LoadFlags::of_flags(flags).unwrap_or_else(|| panic!("{}: {flags}", preset.name));
                load.check().unwrap_or_else(|error| panic!("{}: {flags}: {error}", preset.name));
                let workloads = load.workloads();
                assert!(!workloads.is_empty() && workloads.iter().all(Workload::writes), "{}: {flags}", preset.name);
            }
        }
    }

    #[test]
    fn the_limit_is_on_the_first_load() {
        let workloads = LoadFlags::of_flags(TABLE[1].loads[0]).unwrap().workloads();
        let goals = TABLE[1].goals(&workloads);
        assert_eq!((goals.len(), goals[0].most_ns, &goals[0].workload), (1, 10_000_000, &workloads[0]));
        assert!(TABLE[0].goals(&workloads).is_empty());
    }
}
